# exponents.gp - time against size on logarithmic axes, where a power is a straight line, with the
# fitted ones and their exponents; a panel per lab, the bends marked.
#
#   gnuplot -c exponents.gp OUTPUT FOLDER MACHINE
#
# FOLDER holds what exponents.awk wrote.
output = ARG1
folder = ARG2
what = "Time against size, and the powers fitted to it"
machine = ARG3
load "cells.gp"
panels = lines("panels.tsv")
series = lines("series.tsv")
points = file("points.tsv")
columns = panels == 1 ? 1 : 2
most = 1
do for [s = 1 : series] { most = greater(most, int(number("series.tsv", s, 2))) }
cell_width = panels == 1 ? 640 : 430
cell_height = 260 + 15 * most
pad_left = 66
pad_right = 16
pad_top = 24 + 15 * most
pad_bottom = 44
lower = 24
load "grid.gp"
at(y) = column(1) == s && owner[s] == p ? y : NaN
place_in(s) = int(number("series.tsv", s, 2))

set label 3 "points: measured; lines: fitted, their exponents above; dotted: where they change; 2012: what the report expects" \
    at screen 0.5, from_top(height - 12) center font small_font
array ink[series]
array owner[series]
do for [s = 1 : series] {
    ink[s] = colour(cell("series.tsv", s, 3), place_in(s))
    owner[s] = int(number("series.tsv", s, 1))
}
do for [p = 1 : panels] {
    eval to_panel
    set label 10 cell("panels.tsv", p, 1) at graph 0, screen from_top(panel_y(p) + 10) left noenhanced
    set xlabel cell("panels.tsv", p, 2) font small_font offset 0,0.6
    set ylabel "time / ms" font small_font offset 1.6,0
    set logscale xy 10
    set format "10^{%T}"
    set xtics down(number("panels.tsv", p, 3)), 10
    y_low = down(number("panels.tsv", p, 5))
    y_high = up(number("panels.tsv", p, 6))
    set ytics log10(y_high / y_low) > 7.5 ? 100 : 10
    x_low = number("panels.tsv", p, 3)
    x_high = number("panels.tsv", p, 4)
    # Over few decades, whole ones, for two ticks at least.
    long = x_high > 100 * x_low
    set xrange [long ? x_low / 1.5 : down(x_low) : long ? x_high * 1.5 : up(x_high)]
    set yrange [y_low : y_high]
    first_series = 0
    do for [s = 1 : series] {
        if (owner[s] == p) {
            if (first_series == 0) { first_series = s }
            last_series = s
            y = panel_y(p) + 12 + 15 * number("series.tsv", s, 2)
            set label 100 + s cell("series.tsv", s, 4) at graph 0, screen from_top(y) left noenhanced \
                font small_font offset 1.6,0
            set label 200 + s "" at graph 0, screen from_top(y) point pointtype shape("", place_in(s)) \
                pointsize 0.8 linecolor rgb ink[s] offset 0.6,0
            if (cell("series.tsv", s, 5) ne "NaN") {
                bend = number("series.tsv", s, 5)
                set arrow s from bend, graph 0 to bend, graph 1 nohead linewidth 1 \
                    dashtype (4, 5) linecolor rgb ink[s]
            }
        }
    }
    plot for [s = first_series : last_series] points using 2:(at($4)) with lines linewidth 1.2 \
            linecolor rgb ink[s], \
        for [s = first_series : last_series] points using 2:(at($3)) with points pointsize 0.8 \
            pointtype shape("", place_in(s)) linecolor rgb ink[s]
    unset label
    unset arrow
}
unset multiplot
