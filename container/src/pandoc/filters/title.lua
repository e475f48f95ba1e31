-- Names a document that has no title: by its first heading, or else by its file. Without a name pandoc
-- writes "stdin" or "UNTITLED".

function Pandoc(document)
  if document.meta.title then return nil end
  local title
  document.blocks:walk {
    Header = function(header)
      local text = pandoc.utils.stringify(header)
      if not title and text ~= '' then title = text end
    end,
  }
  title = title or PANDOC_WRITER_OPTIONS.variables['file-name']
  -- In HTML a title would become a second heading, and a page title does not.
  document.meta[FORMAT:match '^html' and 'pagetitle' or 'title'] = pandoc.MetaString(tostring(title))
  return document
end
