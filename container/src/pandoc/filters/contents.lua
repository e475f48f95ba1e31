-- Puts a table of contents before the body, in Markdown that every program reads.

function Pandoc(document)
  local contents = pandoc.structure.table_of_contents(document, { toc_depth = 3 })
  if #contents.content == 0 then return nil end
  local list = contents:walk {
    Link = function(link)
      link.attr = pandoc.Attr()
      return link
    end,
    Span = function(span) return span.content end,
  }
  document.blocks:insert(1, list)
  return document
end
