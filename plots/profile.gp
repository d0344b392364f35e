# profile.gp - what the profiler counted, a line a kernel: occupancy, possible and achieved; how
# full each unit was, as a map, the fullest framed; what warps waited for. x counts pixels, y lines.
array HEADING[MOST]
units = lines = name_length = of_length = text_length = 0
has(name) = strlen(strcol(name))
whole(name) = has(name) ? sprintf("%.0f", column(name)) : ""
of(x) = whole("achieved_percent") \
    . (has("occupancy_percent") ? " " . said("of") . " " . whole("occupancy_percent") : "")
take(u) = (HEADING[u] = said(strcol("heading")), units = greater(units, u), \
    lines = greater(lines, column("n") + 0.5), \
    name_length = greater(name_length, strlen(strcol("row"))), \
    of_length = greater(of_length, width_of(of(row))), \
    text_length = greater(text_length, width_of(said(strcol("text")))))
stats table using (take(int(column("unit")))) nooutput
machines = gpu_words
line_height = 20
upper = 96
lower = 50
bars = 20 + 7.4 * name_length # where they begin
bar_length = 84
cells = bars + bar_length + 14 + 6.8 * of_length
cell_width = 52
words = cells + units * cell_width + 12
waiting = text_length ? said("warps wait for / % of waiting") : ""
width = int(greater(800, words + 7.2 * greater(text_length, width_of(waiting))))
height = int(upper + lines * line_height + lower)
load "canvas.gp"
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen from_top(upper)
set bmargin at screen from_top(upper + lines * line_height)
set xrange [0 : width]
set yrange [lines + 0.5 : 0.5]
unset border
unset tics
unset key
unset grid

# White for nothing, dark blue for a full unit; on that texts are white.
shade(percent) = (f = percent > 100 ? 1 : percent / 100, int(255 - 247 * f) * 65536 \
    + int(255 - 174 * f) * 256 + int(255 - 99 * f))
is_dark(percent) = percent >= 55
top(x) = column("n") - 0.46
bottom(x) = column("n") + 0.46
from(x) = cells + (column("unit") - 1) * cell_width
to(x) = from(row) + cell_width
marked(x) = units > 1 && column("is_fullest") > 0 ? from(row) + 1 : NaN
bar_end(name) = has(name) ? bars + bar_length * column(name) / 100 : NaN
once(x) = has("row") ? x : NaN
number(dark) = is_dark(column("percent")) == dark ? from(row) + cell_width / 2.0 : NaN

set label title at screen 0.5, from_top(17) center noenhanced font "sans-serif,14"
set label said(machines) at screen 0.5, from_top(38) center noenhanced font small_font
set label said("occupancy / %") at bars, screen from_top(upper - 14) left font small_font
set label said("share of what the unit can do / %") at cells, screen from_top(upper - 32) left \
    font small_font
do for [u = 1 : units] {
    set label HEADING[u] at cells + (u - 0.5) * cell_width, screen from_top(upper - 14) \
        center font small_font
}
set label waiting at words, screen from_top(upper - 14) left font small_font
set label said("bars: light what the resources allow, dark what there was; framed: the " \
    . "kernel's fullest unit;") at screen 0.5, from_top(height - 30) center font small_font
set label said("loads: the load/store units' instructions; issue: the schedulers' slots") \
    at screen 0.5, from_top(height - 13) center font small_font
possible = "occupancy_percent"
achieved = "achieved_percent"
plot table using (bars):(column("n")):(bars):(bar_end(possible)):(top(row)):(bottom(row)) \
        with boxxyerror fillstyle solid 0.35 noborder linecolor rgb ink(2), \
    table using (bars):(column("n")):(bars):(bar_end(achieved)):(top(row) + 0.2):(bottom(row) - 0.2) \
        with boxxyerror fillstyle solid noborder linecolor rgb ink(2), \
    table using (from(row)):(column("n")):(from(row)):(to(row)):(top(row)):(bottom(row)): \
        (shade(column("percent"))) \
        with boxxyerror fillstyle solid border rgb "#d8d8d8" linecolor rgb variable, \
    table using (marked(row)):(column("n")):(marked(row)):(to(row) - 1):(top(row)):(bottom(row)) \
        with boxxyerror fillstyle empty border linewidth 2 linecolor rgb vermillion, \
    table using (once(bars - 6)):(column("n")):(strcol("row")) \
        with labels right noenhanced font small_font, \
    table using (once(bars + bar_length + 4)):(column("n")):(of(row)) \
        with labels left noenhanced font small_font, \
    table using (number(0)):(column("n")):(whole("percent")) with labels center font small_font, \
    table using (number(1)):(column("n")):(whole("percent")) \
        with labels center font small_font textcolor rgb "white", \
    table using (has("text") ? words : NaN):(column("n")):(said(strcol("text"))) \
        with labels left noenhanced font small_font
