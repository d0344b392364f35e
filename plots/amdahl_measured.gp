# amdahl_measured.gp - speedup of the OpenMP programs against their threads: points measured, curves
# after Amdahl's law with the fitted parallel share P, and the ideal line.
#
#   gnuplot -c amdahl_measured.gp OUTPUT FOLDER MACHINE
#
# FOLDER holds what amdahl.awk wrote.
output = ARG1
folder = ARG2
machine = ARG3
load "cells.gp"
labs = lines("labs.tsv")
width = 640 + 7.2 * longest("labs.tsv", labs, 1)
what = "OpenMP: speedup against threads"
load "style.gp"
eval heading
set xlabel "threads"
set ylabel "speedup over one CPU thread"
points = file("points.tsv")
stats points using 2 nooutput name "x_"
stats points using 3 nooutput name "y_"
x_max = x_max < 2 ? 2 : x_max
top = x_max > y_max ? x_max : y_max
set logscale xy 2
set xrange [0.93 : x_max * 1.08]
set yrange [(y_min < 1 ? y_min : 1) * 0.93 : top * 1.08]
set xtics 1, 2
set ytics 2
set format "%g"
set samples 200
# Superlinear speedup may fit a share over 1, whose curve ends where the law has a pole.
rest(p, n) = (1 - p) + p / n
speedup(p, n) = n < 1 || n > x_max || rest(p, n) <= 0 ? NaN : 1 / rest(p, n)
array share[labs]
array name[labs]
do for [i = 1 : labs] {
    name[i] = cell("labs.tsv", i, 1)
    share[i] = cell("labs.tsv", i, 2) eq "" ? NaN : number("labs.tsv", i, 2)
}
set key font small_font
plot NaN with lines linecolor "#ffffff" title "program, parallel share P", \
    x < 1 || x > x_max ? NaN : x with lines linewidth 1 dashtype (9, 5) linecolor rgb grey title "ideal", \
    for [i = 1 : labs] speedup(share[i], x) with lines linewidth 1.5 \
        linecolor rgb spare_colour[turn(i)] notitle, \
    for [i = 1 : labs] points using ($1 == i ? $2 : NaN):3 with points pointsize 0.9 \
        pointtype point_shape[turn(i)] linecolor rgb spare_colour[turn(i)] notitle, \
    for [i = 1 : labs] NaN with linespoints linewidth 1.5 pointsize 0.9 \
        pointtype point_shape[turn(i)] linecolor rgb spare_colour[turn(i)] title name[i]
