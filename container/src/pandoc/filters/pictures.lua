-- Warns about pictures that the result does not contain.

function Pandoc(document)
  local count = 0
  document:walk { Image = function() count = count + 1 end }
  local stored = #pandoc.mediabag.list()
  if FORMAT == 'plain' and count > 0 then
    pandoc.log.warn(('pictures are left out of plain text: %d'):format(count))
  elseif stored > 0 then
    pandoc.log.warn(
      ("the result does not contain the document's pictures (%d); extract_media returns them"):format(stored)
    )
  end
end
