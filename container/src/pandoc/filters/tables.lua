-- Reads a pipe table that follows a paragraph without an empty line, as GitHub does. Pandoc takes it
-- for a part of the paragraph.

-- A delimiter row. In pandoc's Markdown its hyphens have become dashes.
local function is_delimiter(line)
  local row = line:gsub('[—–]', '-')
  return row:match '^%s*|?[%s:|-]+$' and row:match '%-' and row:match '|'
end

local function may_have_table(para)
  local pipe, line_begins = false, false
  for _, inline in ipairs(para.content) do
    if inline.t == 'Str' then
      if line_begins and pipe and inline.text:match '^[|:—–-]' then return true end
      pipe = pipe or inline.text:match '|' ~= nil
    end
    line_begins = inline.t == 'SoftBreak'
  end
  return false
end

local function Para(para)
  if not may_have_table(para) then return nil end
  local text = pandoc.write(pandoc.Pandoc { para }, 'markdown-pipe_tables', { wrap_text = 'wrap-preserve' })
  local lines = {}
  for line in text:gmatch '[^\n]*' do lines[#lines + 1] = (line:gsub('\\|', '|')) end
  for i = 3, #lines do
    local row = lines[i]:gsub('\\%-', '-')
    if is_delimiter(row) and lines[i - 1]:match '|' then
      lines[i] = row:gsub('—', '---'):gsub('–', '--')
      table.insert(lines, i - 1, '')
      local blocks = pandoc.read(table.concat(lines, '\n'), 'markdown').blocks
      if blocks:find_if(function(block) return block.t == 'Table' end) then return blocks end
      return nil
    end
  end
end

return { { Para = Para } }
