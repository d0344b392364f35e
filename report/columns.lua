-- columns.lua - a pandoc filter for the PDF. A table of the template whose rows are longer than a line
-- gets columns that share the line's width by the length of their texts, so that these wrap; pandoc
-- would let it run off the page. (Tables of measured values are LaTeX by then and pass untouched.)

local line = 88 -- characters of a page's width

local function longest(rows, lengths)
  for _, row in ipairs(rows) do
    for c, cell in ipairs(row.cells) do
      lengths[c] = math.max(lengths[c] or 8, #pandoc.utils.stringify(cell.contents))
    end
  end
end

function Table(table)
  local lengths, sum, shares = {}, 0, 0
  longest(table.head.rows, lengths)
  for _, body in ipairs(table.bodies) do
    longest(body.body, lengths)
  end
  for _, length in ipairs(lengths) do
    sum = sum + length + 2
    shares = shares + math.sqrt(length)
  end
  if sum > line then
    for c, length in ipairs(lengths) do
      table.colspecs[c] = { table.colspecs[c][1], math.sqrt(length) / shares }
    end
  end
  return table
end
