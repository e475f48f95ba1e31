-- Removes groups that only carry classes and identifiers. Markdown would have them as raw HTML.

local function content(element)
  return element.content
end

Div = content
Span = content
