-- Puts the number of each section before its heading, for writers that do not number headings.

function Pandoc(document)
  local numbers = pandoc.List()
  local sections = pandoc.structure.make_sections(document.blocks, { number_sections = true })
  sections:walk {
    Header = function(header) numbers:insert(header.attributes.number or '') end,
  }
  local i = 0
  document.blocks = document.blocks:walk {
    Header = function(header)
      i = i + 1
      if numbers[i] == '' then return nil end
      header.content:insert(1, pandoc.Space())
      header.content:insert(1, pandoc.Str(numbers[i]))
      return header
    end,
  }
  return document
end
