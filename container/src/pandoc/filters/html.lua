-- Reads raw HTML in Markdown into the document's own elements, for writers that would drop it.
--
-- Raw HTML is split into tags, and the elements between the tags are Markdown. Therefore the blocks
-- from the first to the last with raw HTML are written as HTML, in which every element of Markdown is
-- a placeholder. Pandoc's HTML reader reads it, and the elements are put back.

-- Attribute of placeholders. It is random, so that the document cannot contain it.
local key = ('element%x'):format(math.random(0))

local entities = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }
local function escaped(text)
  return (text:gsub('[&<>"]', entities))
end

local function is_html(element)
  return (element.t == 'RawInline' or element.t == 'RawBlock') and element.format:match '^html' ~= nil
end

local function placeholder(tag, element, text, elements)
  elements[#elements + 1] = element
  return ('<%s data-%s="%d">%s</%s>'):format(tag, key, #elements, escaped(text), tag)
end

local function inlines_as_html(inlines, elements)
  local html = {}
  for i, inline in ipairs(inlines) do
    if is_html(inline) then
      html[i] = inline.text
    elseif inline.t == 'Space' then
      html[i] = ' '
    elseif inline.t == 'SoftBreak' then
      html[i] = '\n'
    elseif inline.t == 'Str' then
      html[i] = escaped(inline.text)
    else
      -- With the text, the reader makes the same identifier for a heading as Markdown's.
      html[i] = placeholder('span', inline, pandoc.utils.stringify(inline), elements)
    end
  end
  return table.concat(html)
end

local function block_as_html(block, elements)
  if is_html(block) then return block.text end
  if block.t == 'Plain' then return inlines_as_html(block.content, elements) end
  if block.t == 'Para' and block.content:find_if(is_html) then
    return '<p>' .. inlines_as_html(block.content, elements) .. '</p>'
  end
  return placeholder('div', block, '', elements)
end

-- Returns the blocks of an HTML text, with the elements in their places.
local function read(html, elements)
  local function original(element)
    local number = element.attributes[key]
    if number then return elements[tonumber(number)] end
  end
  local blocks = pandoc.read(html, 'html').blocks
  return blocks:walk { Div = original }:walk { Span = original }
end

local function has_html(block)
  return is_html(block)
    or (block.t == 'Para' or block.t == 'Plain') and block.content:find_if(is_html) ~= nil
end

local function Blocks(blocks)
  local first, last
  for i, block in ipairs(blocks) do
    if has_html(block) then
      first, last = first or i, i
    end
  end
  if not first then return nil end
  local elements, html = {}, {}
  for i = first, last do
    html[#html + 1] = block_as_html(blocks[i], elements)
  end
  local result = pandoc.Blocks {}
  for i = 1, first - 1 do result:insert(blocks[i]) end
  result:extend(read(table.concat(html, '\n'), elements))
  for i = last + 1, #blocks do result:insert(blocks[i]) end
  return result
end

-- Inlines that are not in a paragraph: of headings, links, emphasis.
local function Inlines(inlines)
  if not inlines:find_if(is_html) then return nil end
  local elements = {}
  local html = inlines_as_html(inlines, elements)
  return pandoc.utils.blocks_to_inlines(read(html, elements), { pandoc.Space() })
end

return { { traverse = 'topdown', Blocks = Blocks, Inlines = Inlines } }
