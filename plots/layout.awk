# layout.awk - bars to what bars.gp draws. A program that chooses the bars names text.awk and this file
# before itself, calls bar(), atop() and legend(), and in the end write_layout(). In:
#
#   folder     DIR
#   most       as many times as long as the next shorter bar may a bar be and stay whole; default 6
#   rank       set by the caller: of each name of a colour, for colour() of style.gp
#   row_text   optional, likewise: what stands beside a row, if not its name
#   last_tick  likewise, by panel: the greatest value that gets a tick
#
# Out, separated by tabs:
#
#   DIR/bars.tsv    panel, top, bottom (pixels), value, style, colour's name, rank of the colour,
#                   text, kernel's share of the value, 1 where the bar is cut short
#   DIR/rows.tsv    the rows' names, and where
#   DIR/panels.txt  the panels' headings, and the greatest value that gets a tick, if not any
#   DIR/key.tsv     styles, what they stand for, and the colour's name and rank, if it has its own

BEGIN {
    LINE = 21 # pixels: of a bar, with its gap
    BAR = 15
    GAP = 11 # between rows
}

# Panels and rows count from 1 in the order they are first used.
function bar(panel, row, style, value, text, colour, inner)
{
    if (!(panel in panel_number)) {
        panel_number[panel] = ++n_panels
        heading[n_panels] = panel
    }
    if (!(row in row_number)) {
        row_number[row] = ++n_rows
        row_name[n_rows] = row
    }
    b++
    bar_panel[b] = panel_number[panel]
    bar_row[b] = row_number[row]
    bar_line[b] = ++lines[bar_panel[b], bar_row[b]]
    if (bar_line[b] > height[bar_row[b]])
        height[bar_row[b]] = bar_line[b]
    bar_style[b] = style
    bar_value[b] = value
    bar_text[b] = text
    bar_colour[b] = colour
    bar_inner[b] = inner
}

# A bar on the line of the last one in its panel and row. The shorter one is to come last.
function atop(panel, row, style, value, text, colour)
{
    if ((panel in panel_number) && (row in row_number) && lines[panel_number[panel], row_number[row]])
        lines[panel_number[panel], row_number[row]]--
    bar(panel, row, style, value, text, colour)
}

function legend(style, text, colour)
{
    if (!((style, colour) in in_key)) {
        in_key[style, colour] = 1
        key[++n_keys] = style OFS text
        key_colour[n_keys] = colour
    }
}

# Where a panel's longest bars would flatten the others, they are cut: those more than `most` times as
# long as the next, if half of the bars stay whole. Returns the longest that does.
function longest_whole(panel,    i, j, m, value, swap)
{
    for (i = 1; i <= b; i++)
        if (bar_panel[i] == panel)
            value[++m] = bar_value[i]
    for (i = 2; i <= m; i++)
        for (j = i; j > 1 && value[j - 1] > value[j]; j--) {
            swap = value[j]
            value[j] = value[j - 1]
            value[j - 1] = swap
        }
    for (i = int((m + 1) / 2); i < m; i++)
        if (m > 2 && value[i + 1] > (most ? most : 6) * value[i])
            return value[i]
    return value[m]
}

function is_cut(i, whole)
{
    return bar_style[i] ~ /^(full|light|hatched)$/ && bar_value[i] > whole[bar_panel[i]]
}

# A colour's name as gnuplot reads it from a file: no quotes in it.
function ink(colour)
{
    return (colour ~ /^[A-Za-z0-9_]+$/ ? colour : "other") OFS rank[colour] + 0
}

function write_layout(    i, top, at, whole, cut)
{
    at = GAP
    for (i = 1; i <= n_rows; i++) {
        row_top[i] = at
        print ((row_name[i] in row_text) ? row_text[row_name[i]] : row_name[i]),
            at + height[i] * LINE / 2 > (folder "/rows.tsv")
        at += height[i] * LINE + GAP
    }
    print "", at > (folder "/rows.tsv")
    for (i = 1; i <= n_panels; i++) {
        print heading[i], ((heading[i] in last_tick) ? last_tick[heading[i]] : "") > (folder "/panels.txt")
        whole[i] = longest_whole(i)
    }
    for (i = 1; i <= b; i++)
        if (is_cut(i, whole))
            legend("gap", "cut short")
    for (i = 1; i <= n_keys; i++)
        print key[i], (key_colour[i] == "" ? OFS : ink(key_colour[i])) > (folder "/key.tsv")
    for (i = 1; i <= b; i++) {
        # A row of fewer lines in this panel than in another stands in the row's middle.
        top = row_top[bar_row[i]] + (bar_line[i] - 1) * LINE + \
            (height[bar_row[i]] - lines[bar_panel[i], bar_row[i]]) * LINE / 2 + (LINE - BAR) / 2
        cut = is_cut(i, whole)
        print bar_panel[i], top, top + BAR, cut ? 1.2 * whole[bar_panel[i]] : bar_value[i],
            bar_style[i], ink(bar_colour[i]), bar_text[i], bar_inner[i] + 0,
            cut + 0 > (folder "/bars.tsv")
    }
}
