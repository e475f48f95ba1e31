-- Reads raw LaTeX into the document's own elements, for writers that would drop it.

local function is_tex(format)
  return format == 'tex' or format == 'latex'
end

local function warn_unless_empty(text)
  if text:match '%S' then pandoc.log.warn('LaTeX without equivalent is left out: ' .. text) end
end

-- Results by text, because a document may repeat a command thousands of times.
local known = {}

local function read(text)
  if not known[text] then
    local is_read, document = pcall(pandoc.read, text, 'latex')
    known[text] = is_read and document.blocks or pandoc.Blocks {}
    if #known[text] == 0 then warn_unless_empty(text) end
  end
  return known[text]:clone()
end

-- Makes the labels of an equation targets of links. Pandoc reads \ref and \eqref as such links.
local function Math(math)
  local labels = {}
  local text = math.text:gsub('\\label%s*{([^}]*)}', function(label)
    labels[#labels + 1] = label
    return ''
  end)
  if #labels == 0 then return nil end
  math.text = text
  local target = math
  for _, label in ipairs(labels) do target = pandoc.Span({ target }, { id = label }) end
  return target
end

-- Pandoc's Typst has references to equations without numbers, which Typst refuses. Links are not refused.
local function Link(link)
  link.attributes['reference-type'] = nil
  link.attributes['reference'] = nil
  return link
end

return {
  {
    RawBlock = function(raw)
      if is_tex(raw.format) then return read(raw.text) end
    end,
    RawInline = function(raw)
      if is_tex(raw.format) then return pandoc.utils.blocks_to_inlines(read(raw.text)) end
    end,
  },
  { Math = Math, Link = Link },
}
