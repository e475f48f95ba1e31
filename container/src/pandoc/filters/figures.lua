-- Writes a figure as its picture and its caption, for writers that would drop the caption.

local stringify = pandoc.utils.stringify

function Figure(figure)
  local caption = figure.caption.long
  if #caption == 0 then return figure.content end
  local text = pandoc.utils.blocks_to_inlines(caption)
  local described = false
  local content = figure.content:walk {
    Image = function(image)
      local alt = stringify(image.caption)
      if described or alt ~= '' and alt ~= stringify(text) then return nil end
      described = true
      image.caption = text
      return image
    end,
  }
  if not described then content:extend(caption) end
  return content
end
