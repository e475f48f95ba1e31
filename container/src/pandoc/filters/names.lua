-- Reduces authors with several fields to their names. Only JATS has the other fields.

function Meta(meta)
  if pandoc.utils.type(meta.author) ~= 'List' then return nil end
  meta.author = meta.author:map(function(author)
    if pandoc.utils.type(author) ~= 'table' then return author end
    return author.name or author.literal or author
  end)
  return meta
end
