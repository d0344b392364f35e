-- page.lua - a pandoc filter: the report's Markdown, as GitHub shows it, to a page of HTML or
-- LaTeX.
--
-- The first heading is the title. A picture followed by a line of emphasis is a figure; of its
-- forms HTML takes the SVG where that is the smaller, LaTeX the PDF. In HTML a table gets a box to
-- scroll in; in LaTeX one that is wider than the line is set smaller, its columns in the measure of
-- their texts.

local is_html = FORMAT:match("html") ~= nil

local function raw(text)
  return pandoc.RawBlock(is_html and "html" or "latex", text)
end

local function size_of(path)
  local file = io.open(path, "rb")
  if not file then
    return nil
  end
  local size = file:seek("end")
  file:close()
  return size
end

function Image(image)
  local other = image.src:gsub("png$", is_html and "svg" or "pdf")
  local size, png = size_of(other), size_of(image.src)
  if size and (not is_html or not png or size <= png) then
    image.src = other
  end
  return image
end

local function is_only(block, kind)
  return block and block.t == "Para" and #block.content == 1 and block.content[1].t == kind
end

local function figure(image, caption)
  if is_html then
    return { raw("<figure>"), pandoc.Plain(image), raw("<figcaption>"), pandoc.Plain(caption),
      raw("</figcaption></figure>") }
  end
  return { raw("\\begin{reportfigure}"), pandoc.Para(image), pandoc.Para(caption),
    raw("\\end{reportfigure}") }
end

-- The characters of a column: of its longest cell, or its heading's longest word.
local function widths_of(table)
  local widths = {}
  local function note(c, text)
    widths[c] = math.max(widths[c] or 3, utf8.len(text) or #text)
  end
  for _, row in ipairs(table.head.rows) do
    for c, cell in ipairs(row.cells) do
      for word in pandoc.utils.stringify(cell.contents):gmatch("%S+") do
        note(c, word)
      end
    end
  end
  for _, body in ipairs(table.bodies) do
    for _, row in ipairs(body.body) do
      for c, cell in ipairs(row.cells) do
        note(c, pandoc.utils.stringify(cell.contents))
      end
    end
  end
  return widths
end

-- How many characters a line of the page has in these sizes; scriptsize is 7 pt.
local sizes = { { "\\small", 92 }, { "\\footnotesize", 106 }, { "\\scriptsize", 122 } }

local function set_widths(table)
  local widths, sum, longest = widths_of(table), 0, 0
  for _, width in ipairs(widths) do
    sum = sum + width + 1
    longest = math.max(longest, width)
  end
  local size = sizes[#sizes]
  for i = #sizes, 1, -1 do
    size = sum <= sizes[i][2] and sizes[i] or size
  end
  -- Texts that are too long for any size wrap; the columns of short ones keep what they need.
  local cap = longest
  while sum > size[2] and cap > 12 do
    cap, sum = cap - 1, 0
    for _, width in ipairs(widths) do
      sum = sum + math.min(width, cap) + 1
    end
  end
  local line = math.max(sum, size[2])
  if longest > cap or #widths > 6 then
    for c, width in ipairs(widths) do
      table.colspecs[c] = { table.colspecs[c][1], (math.min(width, cap) + 1) / line }
    end
  end
  local gap = size == sizes[1] and "4pt" or "3pt"
  return { raw("{" .. size[1] .. "\\setlength{\\tabcolsep}{" .. gap .. "}"), table, raw("}") }
end

local function page(blocks)
  local out = pandoc.List()
  local i = 1
  while i <= #blocks do
    local block = blocks[i]
    if is_only(block, "Image") and is_only(blocks[i + 1], "Emph") then
      out:extend(figure(block.content, blocks[i + 1].content))
      i = i + 1
    elseif block.t == "Table" and is_html then
      out:insert(pandoc.Div(block, { class = "table" }))
    elseif block.t == "Table" then
      out:extend(set_widths(block))
    else
      out:insert(block)
    end
    i = i + 1
  end
  return out
end

function Pandoc(document)
  local blocks = document.blocks
  if blocks[1] and blocks[1].t == "Header" and blocks[1].level == 1 then
    document.meta.title = pandoc.MetaInlines(blocks[1].content)
    blocks:remove(1)
  end
  document.blocks = page(blocks)
  return document
end
