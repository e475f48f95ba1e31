-- Warns about pictures that the result does not contain.

function Pandoc(document)
  local count, svg = 0, {}
  document:walk {
    Image = function(image)
      count = count + 1
      if image.src:match '%.svg$' then svg[#svg + 1] = image.src end
    end,
  }
  if FORMAT == 'pptx' then
    if #svg > 0 then
      pandoc.log.warn('SVG pictures are left out of a presentation: ' .. table.concat(svg, ', '))
    end
    return nil
  end
  local stored = #pandoc.mediabag.list()
  if FORMAT == 'plain' and count > 0 then
    pandoc.log.warn(('pictures are left out of plain text: %d'):format(count))
  elseif stored > 0 then
    pandoc.log.warn(
      ("the result does not contain the document's pictures (%d); extract_media returns them"):format(stored)
    )
  end
end
