-- Gives headings the identifiers that GitHub gives them, and changes the links to them. Identifiers are
-- not written in this Markdown.

function Pandoc(document)
  local headings = pandoc.Blocks {}
  document.blocks:walk { Header = function(header) headings:insert(header) end }
  if #headings == 0 then return nil end
  local text = pandoc.write(pandoc.Pandoc(headings), 'gfm')
  local new = pandoc.List()
  pandoc.read(text, 'gfm').blocks:walk {
    Header = function(header) new:insert(header.identifier) end,
  }
  if #new ~= #headings then return nil end
  local renamed, i = {}, 0
  document.blocks = document.blocks:walk {
    Header = function(header)
      i = i + 1
      if header.identifier ~= '' then renamed[header.identifier] = new[i] end
      header.identifier = new[i]
      return header
    end,
  }
  document.blocks = document.blocks:walk {
    Link = function(link)
      local id = renamed[link.target:match '^#(.+)$']
      if not id then return nil end
      link.target = '#' .. id
      return link
    end,
  }
  return document
end
