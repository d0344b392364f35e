# bars.gp - bars one under the other, in one or more panels side by side, from the table figure_bars
# (report/bars.sql), which says where they stand. In: `curve`, the chart; `y`, the title of the
# axes; `x`, "log" for logarithmic ones, which a chart of points has anyway. Bars begin at zero, each
# panel has an axis of its own; a bar that would flatten the others is cut, which a gap shows. On a
# logarithmic axis, which has no zero, points stand for the bars' ends. Lines across the bars have
# their names above them.
is_log = x eq "log"
line_height = 21

# The texts, and how much room all need: a character of a row's name 9.4 pixels at most, one of the
# small font 7.
is_mine(what) = strcol("lab") eq lab && strcol("chart") eq curve && strcol("what") eq what
array PANEL[MOST]
array LINE[MOST]
array LINE_NAME[MOST]
array LINE_INK[MOST]
array KEY[MOST]
array KEY_STYLE[MOST]
array KEY_INK[MOST]
do for [p = 1 : MOST] { PANEL[p] = "" }
n_panels = n_keys = n_lines = name_length = lines = 0
note = ""
low = 1e300
number(name) = strlen(strcol(name)) ? column(name) : 0
is_point(style) = strlen(style) && strstrt("dot ring square frame", style)
take_bar(v) = (is_log = is_log || is_point(strcol("style")), \
    n_panels = greater(n_panels, column("n")), lines = greater(lines, column("y") + 1), \
    name_length = greater(name_length, width_of(said(strcol("row")))), low = lesser(low, v))
take_key(text) = (n_keys = n_keys + 1, KEY[n_keys] = said(text), \
    KEY_STYLE[n_keys] = strcol("style"), \
    KEY_INK[n_keys] = strlen(strcol("ink")) ? ink(column("ink")) : grey)
line_ink(i) = i > 0 ? ink(i) : 0x505050
take_line(v) = (n_lines = n_lines + 1, LINE[n_lines] = v, low = lesser(low, v), \
    LINE_NAME[n_lines] = said(strcol("text")), LINE_INK[n_lines] = line_ink(column("ink")))
take_text(text) = is_mine("title") ? (title = title . said(text), 1) : is_mine("note") \
    ? (note = note . said(text), 1) : is_mine("panel") ? (PANEL[int(column("n"))] = said(text), 1) \
    : is_mine("key") ? take_key(text) : is_mine("line") ? take_line(column("n")) : 0
stats table using (is_mine("bar") ? take_bar(column("value")) : take_text(strcol("text"))) nooutput
reason = n_panels > 0 ? "" : "no rows with a value"
eval nothing
machines = machines . note
width = 800 + 100 * greater(0, n_panels - 2)
left = 20 + 9.4 * name_length
upper = (strlen(PANEL[1]) ? 76 : 56) + 15 * n_lines
between = 22
room = (width - left - 14 - (n_panels - 1) * between) / n_panels
key_length = 1
do for [k = 1 : n_keys] { key_length = greater(key_length, width_of(KEY[k])) }
key_rows = ceil(1.0 * n_keys / greater(1, floor((width - 40) / (66 + 7.2 * key_length))))
height = int(upper + lines * line_height + 58 + 18 * key_rows)
load "canvas.gp"
set tics font small_font
set style textbox 1 opaque fillcolor rgb "#ffffff" noborder margins 0.3,0.3
set style textbox 2 opaque fillcolor rgb "#ffffff" noborder margins 0.6,1.6
set format x is_log ? "10^{%T}" : "%g"
set xlabel said(y) offset 0,0.4 font small_font noenhanced
set tmargin at screen from_top(upper)
set bmargin at screen from_top(upper + lines * line_height)
set yrange [lines : 0]
unset ytics
unset key
if (is_log) { set logscale x 10 }
shape_of(style) = style eq "dot" ? 7 : style eq "ring" ? 6 : style eq "square" ? 5 \
    : style eq "frame" ? 4 : shape(int(style))

is_bar(style) = is_mine("bar") && column("n") == p && (style eq "" || strcol("style") eq style)
shown(style) = is_bar(style) ? column("shown") : NaN
tint(x) = ink(number("ink"))
top(x) = column("y") - 0.36
bottom(x) = column("y") + 0.36
is_cut(x) = is_bar("") && column("shown") < column("value")
# The place at which the bar and its quartiles end; a bar that is cut has none drawn.
far(x) = is_cut(row) || !strlen(strcol("q3")) ? column("shown") \
    : greater(column("shown"), column("q3"))
# A panel ends where the longest bar and its text do.
share(text) = greater(0.15, 1 - (7.0 * width_of(text) + 14) / room)
span(value) = is_log ? log10(value / low) : value
reach(x) = (longest = greater(longest, span(column("shown"))), \
    end = greater(end, span(far(row)) / share(said(strcol("text")))))
low = is_log ? 10**floor(log10(low) - 0.05) : 0
names = 'table using (p == 1 && is_bar("") ? low * (1 + 1e-6) : NaN):(column("row_y")):' \
    . '(said(strcol("row"))) with labels right noenhanced offset -1,0 notitle'
# A line ends above the row of a text that it would run through.
boxed = n_lines ? ' boxed bs 2' : ''
texts = 'table using (is_bar("") ? far(row) : NaN):(column("y")):(said(strcol("text")))' \
    . ' with labels left noenhanced font small_font offset 0.8,0' . boxed . ' notitle'
quartiles = 'table using (is_bar("") && !is_cut(row) ? column("value") : NaN):(column("y")):' \
    . '(column("q1")):(column("q3")) with xerrorbars pointtype 0 linewidth 1.2' \
    . ' linecolor rgb black notitle'
mice = 'table using (is_svg ? shown("") : NaN):(column("y"))@under_mouse'
lines_across = 'table using (is_mine("line") ? column("n") : NaN):(lines):(0):(-lines):' \
    . '(line_ink(column("ink"))) with vectors nohead linewidth 1.6 dashtype (6, 4)' \
    . ' linecolor rgb variable notitle'
box = 'table using (column("start")):(column("y")):(column("start")):(shown(style)):(top(row)):' \
    . '(bottom(row)):(tint(row)) with boxxyerror linecolor rgb variable notitle'
set multiplot
eval multi_heading
do for [p = 1 : n_panels] {
    end = 0
    longest = 0
    set xrange [*:*]
    stats table using (is_bar("") ? reach(row) : row) nooutput
    do for [k = 1 : n_lines] {
        longest = greater(longest, span(LINE[k]))
        end = greater(end, 1.02 * span(LINE[k]))
    }
    n_lines_left = (sum [k = 1 : n_lines] (2 * span(LINE[k]) < end))
    set lmargin at screen from_left(left + (p - 1) * (room + between))
    set rmargin at screen from_left(left + (p - 1) * (room + between) + room)
    set label PANEL[p] at graph 0, graph 1 left offset 0,0.8 noenhanced font small_font
    # The name of a line in the left half stands right of its upper end, the other names left; each
    # in a row of its own, so that no line goes through the name of another one.
    do for [k = 1 : n_lines] {
        is_left = 2 * span(LINE[k]) < end
        name_row = is_left ? k : n_lines_left + n_lines + 1 - k
        at_y = from_top(upper - 8 - 15 * (n_lines - name_row))
        set arrow k from first LINE[k], graph 1 to first LINE[k], screen at_y nohead \
            linewidth 1.6 dashtype (6, 4) linecolor rgb LINE_INK[k]
        if (is_left) {
            set label LINE_NAME[k] at first LINE[k], screen at_y left offset 0.4,0 \
                front boxed bs 1 noenhanced font small_font textcolor rgb LINE_INK[k]
        } else {
            set label LINE_NAME[k] at first LINE[k], screen at_y right offset -0.4,0 \
                front boxed bs 1 noenhanced font small_font textcolor rgb LINE_INK[k]
        }
    }
    if (is_log) {
        set xrange [low : low * 10**end]
        plot @lines_across, table using (low):(is_bar("") ? column("y") : NaN): \
                (column("value") - low):(0):(tint(row)) with vectors nohead linewidth 3 linecolor rgb variable notitle, \
            table using (shown("")):(column("y")): \
                (is_bar("") ? shape_of(strcol("style")) : 1):(tint(row)) with points \
                pointtype variable pointsize 0.9 linecolor rgb variable notitle, \
            @quartiles, @names, @texts, @mice
    } else {
        set xrange [0 : end]
        # No more ticks than have room, 50 pixels each, and none beyond the longest bar.
        least = 50 * end / room
        tick = 10**floor(log10(least))
        tick = least > 5 * tick ? 10 * tick : least > 2 * tick ? 5 * tick : 2 * tick
        set xtics 0, tick, ceil(longest / tick - 1e-6) * tick
        plot @lines_across, for [style in "light"] @box fillstyle solid 0.35, \
            for [style in "hatched"] @box fillstyle pattern 4, \
            for [style in "full"] @box fillstyle solid, \
            table using (0):(column("y")):(is_cut(row) ? 0.9 * column("shown") : NaN): \
                (0.9 * column("shown") + 6.0 * end / room):(column("y") - 0.5): \
                (column("y") + 0.5) with boxxyerror fillstyle solid noborder \
                linecolor rgb "#ffffff" notitle, @quartiles, @names, @texts, @mice
    }
    unset label
    unset arrow
}
eval under_all
hatched(k) = KEY_STYLE[k] eq "hatched" ? KEY[k] : ""
solid(k) = KEY_STYLE[k] eq "hatched" ? "" : KEY[k]
density(k) = KEY_STYLE[k] eq "light" ? 0.35 : KEY_STYLE[k] eq "gap" ? 0 : 1
if (is_log) {
    plot NaN notitle, for [k = 1 : n_keys] keyentry with points pointsize 0.9 \
        pointtype shape_of(KEY_STYLE[k]) linecolor rgb KEY_INK[k] title KEY[k]
} else {
    plot NaN notitle, \
        for [k = 1 : n_keys] keyentry with boxes fillstyle solid density(k) \
            linecolor rgb KEY_INK[k] title solid(k), \
        for [k = 1 : n_keys] keyentry with boxes fillstyle pattern 4 \
            linecolor rgb KEY_INK[k] title hatched(k)
}
