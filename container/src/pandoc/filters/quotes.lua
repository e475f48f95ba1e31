-- Leaves the form of quotation marks to Typst, which knows them for each language. Pandoc writes English ones.
function Quoted(quoted)
  local double = tostring(quoted.quotetype == 'DoubleQuote')
  local mark = pandoc.RawInline('typst', '#smartquote(double: ' .. double .. ', enabled: true);')
  local inlines = pandoc.Inlines(quoted.content)
  inlines:insert(1, mark)
  inlines:insert(mark)
  return inlines
end
