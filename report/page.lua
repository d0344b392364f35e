-- page.lua - a pandoc filter: the report's Markdown, as GitHub shows it, to a page of HTML or
-- LaTeX.
--
-- The first heading is the title. A picture followed by a line of emphasis is a figure, a table behind
-- such a line has it for its caption; <a id> in either is what a link leads to. Of a figure's
-- forms HTML takes the SVG, in the page itself, where that tells of its points under the mouse or is
-- the smaller, LaTeX the PDF. In HTML a table gets a box to scroll in; in LaTeX one that is wider
-- than the line is set smaller, its columns in the measure of their texts, or on its side.

local is_html = FORMAT:match("html") ~= nil

local function raw(text)
  return pandoc.RawBlock(is_html and "html" or "latex", text)
end

-- <a id="x"></a> is a place, in LaTeX too; a link to another page leads to its form of this kind.
function RawInline(inline)
  local id = inline.text:match('^<a id="([%w-]+)">$')
  if id then
    return pandoc.Span({}, { id = id })
  end
  return inline.text == "</a>" and {} or nil
end
function Link(link)
  local page, place = link.target:match("^([%w.]+)%.md(#?.*)$")
  if page then
    link.target = is_html and page .. ".html" .. place or page .. ".pdf"
  end
  return link
end

-- No line ends between a number and its unit.
local units = pandoc.List({ "%", "ms", "µs", "ns", "MB", "GB/s", "GFLOP/s", "TFLOP/s" })
function Inlines(inlines)
  for i = 2, #inlines - 1 do
    if inlines[i].t == "Space" and inlines[i - 1].t == "Str" and inlines[i - 1].text:find("%d$")
      and inlines[i + 1].t == "Str" and units:includes((inlines[i + 1].text:gsub("[,.;:)]+$", ""))) then
      inlines[i] = pandoc.Str("\u{a0}")
    end
  end
  return inlines
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

-- A figure's SVG, with names of its own, of which a page has many, without what says nothing, and with
-- the picture's words for those who do not see it; or else the picture.
local function in_page(image)
  local svg = text_of((image.src:gsub("png$", "svg")))
  if not is_html or not (svg:find("<g><title>", 1, true) or image.src:find("svg$") and svg ~= "") then
    return image
  end
  svg = svg:gsub("<g [^>]*>%s*</g>%s*", ""):gsub(' font%-family="sans%-serif"', "")
  svg = svg:gsub(' stroke%-linecap="butt" stroke%-linejoin="miter"', "")
  svg = svg:gsub(" d='[^']*'", function(path) return (path:gsub("(%.%d)%d", "%1")) end)
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
  return (utf8.len(text) or #text) + math.ceil(1.1 * wide)
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

-- How many characters a line of the page has in these sizes, 9 and 8 pt; a page on its side has more.
local sizes = { { "\\footnotesize", 106 }, { "\\small", 92 } }
local sideways = 160

local landscape, portrait = "\\clearpage\\begin{landscape}", "\\end{landscape}"

-- The size of a table's letters, and whether it lies on its side; its columns get their widths.
local function fit(block)
  local cells, words = widths_of(block)
  local cap = math.max(table.unpack(cells))
  local widths, length = wrapped(cells, words, cap)
  local size = sizes[1]
  for _, other in ipairs(sizes) do
    size = length <= other[2] and other or size
  end
  -- Texts that are too long for any size wrap; the columns of short ones keep what they need.
  local wraps, line = length > size[2], size[2]
  local _, least = wrapped(cells, words, 6)
  local is_sideways = least > line
  line = is_sideways and sideways or line
  while length > line and cap > 6 do
    cap = cap - 1
    widths, length = wrapped(cells, words, cap)
  end
  if wraps or #cells > 6 then
    for c, width in ipairs(widths) do
      block.colspecs[c] = { block.colspecs[c][1], width / math.max(length, line) }
    end
  end
  return "{" .. size[1] .. "\\setlength{\\tabcolsep}{3pt}", is_sideways
end

-- What pandoc writes for a table is a longtable, which floats would disturb: one with a caption that a
-- page holds becomes a tabular, and floats itself.
local function latex_table(block, caption, place)
  local size, is_sideways = fit(block)
  if #caption == 0 then
    return { raw(size), block, raw("}") }
  elseif is_sideways or #block.bodies[1].body > 44 then
    block.caption = { long = { pandoc.Plain(caption) } }
    -- Where nothing floats it follows what stands before it.
    local before = is_sideways and landscape or place == "H" and "\\room{14}" or "\\clearpage"
    return { raw(before), raw(size), block, raw("}"), raw(is_sideways and portrait or "") }
  end
  local text = pandoc.write(pandoc.Pandoc({ block }), "latex")
  local has_foot = text:find("\\endlastfoot", 1, true)
  text = text:gsub("\\begin{longtable}%[[^%]]*%]", "\\begin{tabular}")
  text = text:gsub(has_foot and "\\endhead.-\\endlastfoot" or "\\endhead", "")
  text = text:gsub("\\end{longtable}", (has_foot and "\\bottomrule\n" or "") .. "\\end{tabular}")
  local title = pandoc.Plain({ pandoc.RawInline("latex", "\\caption*{") })
  title.content:extend(caption)
  title.content:insert(pandoc.RawInline("latex", "}"))
  return { raw("\\begin{table}[" .. place .. "]\\centering"), title, raw(size .. text .. "}\\end{table}") }
end

local function is_only(block, kind)
  return block.t == "Para" and #block.content == 1 and block.content[1].t == kind
end

local function figure_of(image, caption, place)
  return { raw(is_html and "<figure>" or "\\begin{figure}[" .. place .. "]\\reportfigure"),
    pandoc.Plain({ in_page(image) }), raw(is_html and "<figcaption>" or "\\par"), pandoc.Plain(caption),
    raw(is_html and "</figcaption></figure>" or "\\end{figure}") }
end

local function table_of(block, caption, place)
  if not is_html then
    return latex_table(block, caption, place)
  end
  local boxed = pandoc.Div(block, { class = "table" })
  return #caption == 0 and { boxed } or { pandoc.Div({ pandoc.Plain(caption) }, { class = "caption" }), boxed }
end

-- A heading, which in LaTeX needs room for the table that follows.
local function heading_of(header, next)
  local lines = next and next.t == "Table" and math.min(#next.bodies[1].body, 30) + 12
  return (is_html or not lines) and { header } or { raw("\\room{" .. lines .. "}"), header }
end

-- Tables on their side that follow each other share pages.
local function join_landscape(blocks)
  for i = #blocks - 1, 1, -1 do
    if blocks[i].text == portrait and blocks[i + 1].text == landscape then
      blocks[i + 1] = raw("\\room{14}")
      blocks:remove(i)
    end
  end
  return blocks
end

function Pandoc(document)
  local blocks, done = document.blocks, pandoc.List({})
  local place = pandoc.utils.stringify(document.meta.place or "!htb")
  if not document.meta.title and blocks[1].t == "Header" and blocks[1].level == 1 then
    document.meta.title = pandoc.MetaInlines(blocks:remove(1).content)
  end
  local i = 1
  while i <= #blocks do
    local block, next = blocks[i], blocks[i + 1]
    if next and is_only(block, "Image") and is_only(next, "Emph") then
      done:extend(figure_of(block.content[1], next.content[1].content, place))
      i = i + 1
    elseif next and is_only(block, "Emph") and next.t == "Table" then
      done:extend(table_of(next, block.content[1].content, place))
      i = i + 1
    elseif block.t == "Table" then
      done:extend(table_of(block, pandoc.List({}), place))
    else
      done:extend(block.t == "Header" and heading_of(block, blocks[i + 2]) or { block })
    end
    i = i + 1
  end
  document.blocks = join_landscape(done)
  return document
end
