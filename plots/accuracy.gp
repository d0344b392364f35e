# accuracy.gp - the rungs of a lab's ladder: how fast they are, and how far off. A name stands in the
# column beside the picture, at the end of a line from its point; the table says at which heights.
array INK[MOST]
array SHAPE_OF[MOST]
array MEANING[MOST]
points = longest = kinds = 0
size = ""
is_mine(i) = strcol("lab") eq lab
take_key(k) = (kinds = greater(kinds, k), INK[k] = ink(column("ink")), MEANING[k] = said(strcol("meaning")), \
    SHAPE_OF[k] = shape_of(strcol("point")))
take(i) = (points = points + 1, size = crossed(strcol("size")), \
    longest = greater(longest, width_of(strcol("variant"))), x_low = column("x_low"), \
    x_high = column("x_high"), y_low = column("y_low"), y_high = column("y_high"), \
    take_key(int(column("whose"))))
shape_of(point) = point eq "dot" ? 7 : point eq "ring" ? 6 : 5
do for [k = 1 : MOST] { MEANING[k] = "" }
stats table using (is_mine(row) ? take(row) : row) nooutput
reason = points > 1 ? "" : "fewer than two kernels with an error"
eval nothing
title = title . ", " . size
left = 84
right = 560
width = int(right + 40 + 7.4 * longest)
top = 56
height = int(top + 92 + greater(332, 15.6 * points)) # a name's line each
bottom = height - 92
load "canvas.gp"
set multiplot
eval multi_heading
eval place_panel
unset key
set format "10^{%T}"
set logscale xy 10
set xrange [x_low : x_high]
set yrange [y_low : y_high]
set xlabel said(x) noenhanced offset 0,0.3
set ylabel said(y) noenhanced
set x2range [0 : 1]
set y2range [1 : 0]
at(name) = is_mine(row) ? column(name) : NaN
plot table using (at("point_x")):(column("point_y")):(1 - column("point_x")): \
        (column("label_y") - column("point_y")) axes x2y2 with vectors nohead linewidth 0.5 \
        linecolor rgb "#b0b0b0", \
    table using (at("label_y") >= 0 ? 1 : NaN):(column("label_y")):(strcol("variant")) \
        axes x2y2 with labels left noenhanced font small_font offset 0.4,0, \
    table using (at("x")):(column("y")):(shape_of(strcol("point"))):(ink(column("ink"))) \
        with points pointsize 1.1 pointtype variable linecolor rgb variable, \
    table using (is_svg ? at("x") : NaN):(column("y"))@under_mouse
eval under_all
plot NaN notitle, for [k = 1 : kinds] keyentry with points pointsize 1.1 pointtype SHAPE_OF[k] \
    linecolor rgb INK[k] title MEANING[k]
