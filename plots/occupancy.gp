# occupancy.gp - occupancy and time against block size, side by side; the 2012 lab report has the
# occupancy as its tables 21 to 23.
#
#   gnuplot -c occupancy.gp OUTPUT FOLDER WHAT MACHINE PAST
#
# FOLDER holds what occupancy.awk wrote; PAST names the dashed curve.
output = ARG1
folder = ARG2
what = ARG3
machine = ARG4
load "cells.gp"
panels = 2
columns = 2
cell_width = 400
cell_height = 350
pad_left = 66
pad_right = 14
pad_top = 14
lower = 30
blocks = lines("blocks.txt")
series = lines("series.tsv")
# Labels that have no room side by side stand upright; where that, too, is too much, some are left out.
length = longest("blocks.txt", blocks, 1)
upright = blocks * (length + 1) * 7.0 > cell_width - pad_left - pad_right
step = upright ? ceil(blocks * 14.0 / (cell_width - pad_left - pad_right)) : 1
pad_bottom = (upright ? 18 + 7 * length : 20) + 28
load "grid.gp"
points = file("points.tsv")

set xrange [0.5 : blocks + 0.5]
set xtics () font small_font
do for [i = 1 : blocks : step] { set xtics add (cell("blocks.txt", i, 1) i) }
if (upright) { set xtics rotate by 90 right }
name(i) = cell("series.tsv", i, 1)
is_past(i) = cell("series.tsv", i, 2) eq "past"
array title_of[series + 1]
array ink[series + 1]
do for [i = 1 : series] {
    title_of[i] = is_past(i) ? ARG5 : name(i)
    ink[i] = is_past(i) ? vermillion : colour(name(i), i + 1)
}
shape_of(i) = is_past(i) ? 2 : i == 1 ? 7 : 4
size_of(i) = is_past(i) ? 0.6 : i == 1 ? 0.7 : 1.2
last = is_past(series) ? series - 1 : series
at(i, y) = column(1) == i ? y : NaN

# The key, in one line under both panels.
sample = 34
x = pad_left
do for [i = 1 : series] {
    y = from_top(height - 14)
    set arrow 100 + i from screen from_left(x), y to screen from_left(x + sample), y nohead \
        linewidth is_past(i) ? 1 : 2 dashtype is_past(i) ? 2 : 1 linecolor rgb ink[i]
    set label 100 + i "" at screen from_left(x + sample / 2), y point pointtype shape_of(i) \
        pointsize size_of(i) linecolor rgb ink[i]
    set label 200 + i title_of[i] at screen from_left(x + sample + 8), y left noenhanced font small_font
    x = x + sample + 8 + 7.2 * strlen(title_of[i]) + 24
}

p = 1
eval to_panel
set xrange [0.5 : blocks + 0.5]
set yrange [0 : 105]
set ytics 20
set xlabel "block size" font small_font offset 0,0.5
set ylabel "occupancy / %" font small_font offset 1.6,0
plot for [i = last + 1 : series] points using 2:(at(i, $3)) with linespoints linewidth 1 \
        dashtype (9, 5) pointtype shape_of(i) pointsize size_of(i) linecolor rgb ink[i], \
    for [i = 1 : last] points using 2:(at(i, $3)) with linespoints linewidth 2 \
        pointtype shape_of(i) pointsize size_of(i) linecolor rgb ink[i]

p = 2
eval to_panel
unset label
set xrange [0.5 : blocks + 0.5]
if (lines("range.tsv") > 0) {
    t_min = number("range.tsv", 1, 1)
    t_max = number("range.tsv", 1, 2)
    set ylabel "time / ms"
    # A logarithmic axis where it has decades to show, else one from zero.
    if (t_max > 10 * t_min) {
        set yrange [down(t_min) : up(t_max)]
        set logscale y 10
        set ytics 10 format "10^{%T}"
    } else {
        set yrange [0 : 1.1 * t_max]
        set ytics auto format "%g"
        set ylabel offset 0,0
    }
    set xrange [0.5 : blocks + 0.5]
    plot for [i = 1 : last] points using 2:(at(i, $4)) with linespoints linewidth 2 \
        pointtype shape_of(i) pointsize size_of(i) linecolor rgb ink[i]
} else {
    set label 3 "not measured" at graph 0.5, graph 0.5 center font small_font
    set yrange [0 : 1]
    unset ytics
    unset ylabel
    plot NaN
}
unset multiplot
