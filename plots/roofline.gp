# roofline.gp - the roofline of a processor, `curve`: what its measured rates let a program of each
# intensity reach, and what programs of all labs did reach. The model is S. Williams, A. Waterman
# and D. Patterson, "Roofline: an insightful visual performance model for multicore architectures",
# CACM 52(4), 2009. The table has a row a point, a row a roof (`ink` 1: a slope, 2: flat) and a
# note, and says where the labels stand beside the picture and where a lab's first kernel got to.
machines = curve eq "cpu" ? machine : gpu_words
array ROOF[MOST]
array IS_SLOPE[MOST]
array TEXT[MOST]
array LAB[MOST]
do for [i = 1 : MOST] { LAB[i] = "" }
roofs = points = labs = tensors = 0
note = ""
# What a point's units are: a circle FP32, a square INT32, a triangle tensor cores.
units(measure) = measure eq "fma" ? 7 : measure eq "int32" ? 5 : 9
is_mine(what) = strcol("processor") eq curve && strcol("what") eq what
take_roof(per_s) = (roofs = roofs + 1, ROOF[roofs] = per_s, IS_SLOPE[roofs] = column("ink") == 1, \
    TEXT[roofs] = said(strcol("text")))
take_point(i) = (points = points + 1, labs = greater(labs, i), LAB[i] = strcol("lab"), \
    tensors = tensors || units(strcol("measure")) == 9, x_low = column("x_low"), \
    x_high = column("x_high"), y_low = column("y_low"), y_high = column("y_high"))
take(x) = is_mine("roof") ? take_roof(column("y")) : is_mine("point") \
    ? take_point(int(column("ink"))) : is_mine("note") ? (note = said(strcol("text")), 1) : 0
stats table using (take(row)) nooutput
reason = points > 0 && roofs > 0 ? "" : "no ceilings or no rates of the " . curve
eval nothing
width = 860
height = 640
load "canvas.gp"

left = 66
right = width - 250
top = 84
bottom = height - 110
set multiplot
eval multi_heading
set label note . said("; labels: share of the roof") at screen 0.5, from_top(60) center \
    noenhanced font small_font
eval place_panel
unset key
set tics font small_font
set format "10^{%T}"
set logscale xy 10
set xrange [x_low : x_high]
set yrange [y_low : y_high]
set xlabel said("operations / byte") font small_font offset 0,0.6
set ylabel said("operations: 10^9 / s") font small_font offset 1.6,0
# Points and labels are placed in shares of the picture, which the other axes are.
set x2range [0 : 1]
set y2range [1 : 0]
# Slopes end at the highest flat roof, and flat roofs begin at the steepest slope.
flat = y_low
steep = 0
do for [r = 1 : roofs] {
    if (IS_SLOPE[r]) { steep = greater(steep, ROOF[r]) } else { flat = greater(flat, ROOF[r]) }
}
flat = flat > y_low ? flat : y_high
start(r) = IS_SLOPE[r] || steep == 0 ? greater(x_low, IS_SLOPE[r] ? y_low / ROOF[r] : x_low) \
    : greater(x_low, ROOF[r] / steep)
end(r) = IS_SLOPE[r] ? lesser(x_high, flat / ROOF[r]) : x_high
roof(r, x) = IS_SLOPE[r] ? ROOF[r] * x : ROOF[r]
shown(r, x) = x >= start(r) && x <= end(r) ? roof(r, x) : NaN
set samples 600
# Left of the slope are no points; one roof alone has its label above it, or right of it.
is_alone = steep == 0 || flat == y_high
do for [r = 1 : roofs] {
    at_x = IS_SLOPE[r] ? sqrt(start(r) * end(r)) : start(r)
    if (is_alone) {
        set label TEXT[r] at at_x, roof(r, at_x) left offset 1,(IS_SLOPE[r] ? 0 : 0.6) \
            font small_font noenhanced
    } else {
        set label TEXT[r] at at_x, roof(r, at_x) right offset -1,0 font small_font noenhanced
    }
}
form(x) = units(strcol("measure")) - (strcol("style") eq "library")
large(x) = strcol("style") eq "first" ? 0.7 : 1.2
at(name) = is_mine("point") ? column(name) : NaN
gains(name) = is_mine("point") && strlen(strcol("to_x")) ? column(name) : NaN
plot for [r = 1 : roofs] shown(r, x) with lines linewidth 2 \
        linecolor rgb black, \
    table using (at("point_x")):(column("point_y")):(1 - column("point_x")): \
        (column("label_y") - column("point_y")) axes x2y2 with vectors nohead linewidth 0.4 \
        linecolor rgb "#c0c0c0", \
    table using (at("ink") > 0 ? 1 : NaN):(column("label_y")):(said(strcol("text"))) axes x2y2 \
        with labels left noenhanced font small_font offset 0.6,0, \
    table using (gains("x")):(column("y")):(column("to_x") - column("x")): \
        (column("to_y") - column("y")):(ink(column("ink"))) with vectors nohead linewidth 1.5 \
        linecolor rgb variable, \
    table using (is_svg ? at("x") : NaN):(column("y"))@under_mouse, \
    table using (at("x")):(column("y")):(large(row)):(form(row)):(ink(column("ink"))) \
        with points pointsize variable pointtype variable linecolor rgb variable
unset label
key_rows = 3
eval under_all
plot NaN notitle, \
    keyentry with points pointtype 7 linecolor rgb black title said("FP32 units"), \
    keyentry with points pointtype 5 linecolor rgb black title said("INT32 units"), \
    keyentry with points pointtype tensors ? 9 : -1 linecolor rgb black \
        title tensors ? said("tensor cores") : "", \
    keyentry with points pointtype 7 pointsize 0.7 linecolor rgb black \
        title said(curve eq "cpu" ? "serial program" : "first kernel"), \
    keyentry with points pointtype 6 linecolor rgb black title said("library"), \
    for [i = 1 : labs] keyentry with points pointtype 7 linecolor rgb ink(i) \
        title strlen(LAB[i]) ? LAB[i][1:strstrt(LAB[i], "_") - 1] : ""
