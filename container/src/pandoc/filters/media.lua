-- Loads the pictures of the document: those that other filters have added are extracted like all
-- others, and a missing picture is replaced by its description. Pandoc refuses it in a presentation and
-- in a notebook.

-- A notebook keeps addresses of the web.
local function for_notebook(image)
  if image.src:match '^%a[%w+.-]*:' then return nil end
  if pcall(pandoc.mediabag.fetch, image.src) then return nil end
  pandoc.log.warn('not among the files; its description stands in its place: ' .. image.src)
  return image.caption
end

function Pandoc(document)
  if FORMAT == 'ipynb' then return document:walk { Image = for_notebook } end
  return pandoc.mediabag.fill(document)
end
