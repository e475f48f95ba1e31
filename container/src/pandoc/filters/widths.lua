-- Removes the column widths of tables. With widths pandoc writes a grid table instead of a pipe table.

function Table(tbl)
  tbl.colspecs = tbl.colspecs:map(function(column) return { column[1], nil } end)
  return tbl
end
