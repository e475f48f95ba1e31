-- Changes a document so that its JATS is valid. Without that pandoc writes nested paragraphs for divs,
-- duplicate identifiers, and links to identifiers that do not exist.

local known = {}

local function unique(element)
  local id = element.identifier
  if id == '' then return nil end
  if known[id] then
    element.identifier = ''
    return element
  end
  known[id] = true
end

-- The reference list keeps its div, by which pandoc recognizes it.
local function Div(div)
  if div.identifier == 'refs' or div.classes:includes 'csl-entry' then
    known[div.identifier] = true
    return nil
  end
  return div.content
end

-- JATS has no attribute for the language of inline code.
local function Code(code)
  return pandoc.Code(code.text)
end

-- JATS does not allow empty list items.
local function with_items(list)
  list.content = list.content:map(function(item)
    return #item > 0 and item or pandoc.Blocks { pandoc.Plain { pandoc.Str '' } }
  end)
  return list
end

-- JATS requires a body. The header rows of a table without body rows become its body.
local function Table(tbl)
  for _, body in ipairs(tbl.bodies) do
    if #body.head + #body.body > 0 then return nil end
  end
  tbl.bodies = { { attr = pandoc.Attr(), body = tbl.head.rows, head = {}, row_head_columns = 0 } }
  tbl.head = pandoc.TableHead {}
  return tbl
end

-- A link to an identifier that does not exist becomes its text.
local function Link(link)
  local id = link.target:match '^#(.*)$'
  if id and not known[id] then return link.content end
end

return {
  {
    Header = unique,
    Span = unique,
    Image = unique,
    CodeBlock = unique,
    Figure = unique,
    Div = Div,
    Code = Code,
    BulletList = with_items,
    OrderedList = with_items,
    Table = Table,
  },
  { Link = Link },
}
