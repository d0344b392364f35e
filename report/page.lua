-- page.lua - a pandoc filter: the report's Markdown, as GitHub shows it, to a page of HTML or
-- LaTeX.
--
-- The first heading is the title. A picture followed by a line of emphasis is a figure; of its
-- forms HTML takes the SVG where that tells of its points under the mouse, which needs it in the
-- page itself, or is the smaller, LaTeX the PDF. In HTML a table gets a box to
-- scroll in; in LaTeX one that is wider than the line is set smaller, its columns in the measure of
-- their texts.

local is_html = FORMAT:match("html") ~= nil

local function raw(text)
  return pandoc.RawBlock(is_html and "html" or "latex", text)
end

local function size_of(path)
  local file = io.open(path, "rb")
  return file and file:seek("end")
end

function Image(image)
  local other = image.src:gsub("png$", is_html and "svg" or "pdf")
  local size = size_of(other)
  if size and (not is_html or size <= size_of(image.src)) then
    image.src = other
  end
  return image
end

local function text_of(path)
  local file = io.open(path, "r")
  return file and file:read("a") or ""
end

-- A figure's SVG that tells of its points, with names of its own, of which a page has many, and the
-- picture's words for those who do not see it; or else the picture.
local function in_page(image)
  local svg = text_of((image.src:gsub("png$", "svg")))
  if not is_html or not svg:find("<g><title>", 1, true) then
    return image
  end
  local name = image.src:match("([%w_]+)%.%a+$") .. "-"
  local words = pandoc.utils.stringify(image.caption):gsub('[<>&"]', "")
  svg = svg:match("<svg.*"):gsub("(%sid=[\"'])", "%1" .. name)
  svg = svg:gsub("(href=[\"']#)", "%1" .. name):gsub("(url%(#)", "%1" .. name)
  svg = svg:gsub("<svg", '<svg role="img" aria-label="' .. words .. '"', 1)
  return pandoc.RawInline("html", svg)
end

-- The width of a text in Latin characters; those of Japanese are twice as wide.
local function width_of(text)
  local _, wide = text:gsub("[\xe3-\xe9\xef][\x80-\xbf]+", "")
  return (utf8.len(text) or #text) + wide
end

-- The width of what stays on one line: a word; of Japanese, which may break anywhere, five
-- characters, in a heading three.
local function word_width(word)
  return word:find("[\xe3-\xe9\xef]") and math.min(width_of(word), 10) or width_of(word)
end
local function heading_width(word)
  return word:find("[\xe3-\xe9\xef]") and math.min(width_of(word), 6) or width_of(word)
end

-- The widths of each column: of its longest cell and of its longest word, which a heading counts by
-- alone.
local function widths_of(block)
  local cells, words = {}, {}
  local function note(rows, form, width, widths)
    for _, row in ipairs(rows) do
      for c, cell in ipairs(row.cells) do
        for text in pandoc.utils.stringify(cell.contents):gmatch(form) do
          widths[c] = math.max(widths[c] or 3, width(text))
        end
      end
    end
  end
  note(block.head.rows, "%S+", width_of, cells)
  note(block.head.rows, "%S+", heading_width, words)
  note(block.bodies[1].body, ".+", width_of, cells)
  note(block.bodies[1].body, "%S+", word_width, words)
  return cells, words
end

-- The columns' characters where texts longer than `cap` wrap between words, and a row's.
local function wrapped(cells, words, cap)
  local widths, sum = {}, 0
  for c, width in ipairs(cells) do
    widths[c] = math.max(words[c], math.min(width, cap)) + 1
    sum = sum + widths[c]
  end
  return widths, sum
end

-- How many characters a line of the page has in these sizes; scriptsize is 7 pt, tiny 5 pt.
local sizes = { { "\\scriptsize", 122 }, { "\\footnotesize", 106 }, { "\\small", 92 } }
local tiny = { "\\tiny", 145 }
local gap = "\\setlength{\\tabcolsep}{%dpt}"

function Table(block)
  if is_html then
    return pandoc.Div(block, { class = "table" })
  end
  local cells, words = widths_of(block)
  local cap = math.max(table.unpack(cells))
  local widths, length = wrapped(cells, words, cap)
  local size = sizes[1]
  for _, other in ipairs(sizes) do
    size = length <= other[2] and other or size
  end
  -- Texts that are too long for any size wrap; the columns of short ones keep what they need.
  local wraps = length > size[2]
  while length > size[2] and cap > 6 do
    cap = cap - 1
    widths, length = wrapped(cells, words, cap)
  end
  if length > size[2] then
    size = tiny
  end
  if wraps or #cells > 6 then
    for c, width in ipairs(widths) do
      block.colspecs[c] = { block.colspecs[c][1], width / math.max(length, size[2]) }
    end
  end
  return { raw("{" .. size[1] .. gap:format(size == tiny and 1 or 3)), block, raw("}") }
end

local function is_only(block, kind)
  return block.t == "Para" and #block.content == 1 and block.content[1].t == kind
end

local figure = is_html and { "<figure>", "<figcaption>", "</figcaption></figure>" }
  or { "\\begin{reportfigure}", "\\par", "\\end{reportfigure}" }

function Pandoc(document)
  local blocks = document.blocks
  if not document.meta.title and blocks[1].t == "Header" and blocks[1].level == 1 then
    document.meta.title = pandoc.MetaInlines(blocks:remove(1).content)
  end
  for i = #blocks - 1, 1, -1 do
    if is_only(blocks[i], "Image") and is_only(blocks[i + 1], "Emph") then
      local picture, caption = in_page(blocks[i].content[1]), blocks[i + 1].content
      blocks[i], blocks[i + 1] = raw(figure[1]), pandoc.Plain({ picture })
      blocks:insert(i + 2, raw(figure[2]))
      blocks:insert(i + 3, pandoc.Plain(caption))
      blocks:insert(i + 4, raw(figure[3]))
    end
  end
  return document
end
