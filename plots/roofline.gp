# roofline.gp - the roofline of a processor: what its measured bandwidth and arithmetic rate let a
# program of each intensity reach, and what the variants did reach, a panel per lab. The model is
# S. Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual performance model for
# multicore architectures", CACM 52(4), 2009.
#
#   gnuplot -c roofline.gp OUTPUT FOLDER WHAT MACHINE PLOT_HEIGHT
#
# FOLDER holds what roofline.awk wrote for plots of PLOT_HEIGHT pixels.
output = ARG1
folder = ARG2
what = ARG3
load "cells.gp"
panels = lines("panels.txt")
columns = panels == 1 ? 1 : 2
cell_width = panels == 1 ? 800 : 420
pad_left = 58
pad_right = 196
pad_top = 26
pad_bottom = 44
cell_height = int(ARG5) + pad_top + pad_bottom
upper = 76
lower = 6
machine = ARG4
bytes = number("range.tsv", 1, 5)
flops = number("range.tsv", 1, 6)
ridge = number("range.tsv", 1, 7)
three(value) = value >= 100 ? sprintf("%.0f", value) : sprintf("%.3g", value)
roofs = "measured roofs: " . three(bytes) . " GB/s, " . three(flops) . " GFLOP/s, ridge at " \
    . three(ridge) . " FLOP/byte (dotted); labels: share of the roof"
load "grid.gp"
set label 3 roofs at screen 0.5, from_top(58) center font small_font
points = file("points.tsv")
labels = lines("labels.tsv")
x_min = number("range.tsv", 1, 1)
x_max = number("range.tsv", 1, 2)
y_min = number("range.tsv", 1, 3)
y_max = number("range.tsv", 1, 4)
beside = 1 + 10.0 / plot_width
roof(x) = x < ridge ? bytes * x : flops
at(y) = column(1) == p ? y : NaN

do for [p = 1 : panels] {
    eval to_panel
    set logscale xy 10
    set xrange [x_min : x_max]
    set yrange [y_min : y_max]
    set xtics log10(x_max / x_min) > 4.5 ? 100 : 10 format "10^{%T}"
    set ytics 10 format "10^{%T}"
    set samples 300
    set xlabel "FLOP / byte" font small_font offset 0,0.6
    set ylabel "GFLOP/s" font small_font offset 1.6,0
    set label 10 cell("panels.txt", p, 1) at graph 0, graph 1 left offset 0,0.7 noenhanced
    set arrow 1 from ridge, y_min to ridge, flops nohead linewidth 1 dashtype (4, 5) linecolor rgb grey
    do for [i = 1 : labels] {
        if (int(number("labels.tsv", i, 1)) == p) {
            y = number("labels.tsv", i, 4)
            set arrow 100 + i from number("labels.tsv", i, 2), number("labels.tsv", i, 3) to graph beside, first y \
                nohead linewidth 0.5 linecolor rgb grey
            set label 100 + i cell("labels.tsv", i, 5) at graph beside + 2.0 / plot_width, first y \
                left noenhanced font small_font
        }
    }
    plot roof(x) with lines linewidth 2 linecolor rgb black, \
        points using (at($2)):3:(shape("", int($5))):(colour(strcol(4), int($5))) with points \
            pointtype variable pointsize 0.9 linecolor rgb variable
    unset label
    unset arrow
}
unset multiplot
