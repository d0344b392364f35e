# roofline.gp - the roofline of a processor, `curve`: what its measured bandwidth and arithmetic
# rate let a program of each intensity reach, and what the variants did reach, a panel a lab. The
# model is S. Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual performance
# model for multicore architectures", CACM 52(4), 2009. The table says where the labels stand beside
# a panel.
machines = curve eq "cpu" ? machine : gpu_words
array LAB[100]
array SIZE[100]
panels = 0
unnamed = 0
is_mine(p) = strcol("processor") eq curve && (p == 0 || column("panel") == p)
take(p) = (LAB[p] = strcol("lab"), SIZE[p] = p > panels ? strcol("size") \
    : SIZE[p] eq strcol("size") ? SIZE[p] : "", panels = greater(panels, p), \
    bytes = column("gb_roof"), flops = column("gflop_roof"), ridge = column("ridge"), \
    x_low = column("x_low"), x_high = column("x_high"), y_low = column("y_low"), \
    y_high = column("y_high"), unnamed = unnamed + (strcol("text") eq ""), 1)
stats table using (is_mine(0) ? take(int(column("panel"))) : 0) nooutput
reason = panels > 0 ? "" : "no ceilings or no rates of the " . curve
eval nothing
columns = panels == 1 ? 1 : 2
cell_width = panels == 1 ? 800 : 480
room_for_labels = 218
plot_width = cell_width - 58 - room_for_labels
plot_height = 200
cell_height = plot_height + 70
upper = 80
width = columns * cell_width
height = upper + (panels + columns - 1) / columns * cell_height + 6
load "canvas.gp"

whole(value) = value < 100 ? digits3(value) : sprintf("%.0f", value)
unset key
set samples 300
set tics font small_font
set format "10^{%T}"
set logscale xy 10
set xrange [x_low : x_high]
set yrange [y_low : y_high]
set xtics log10(x_high / x_low) > 4.5 ? 100 : 10
set ytics 10
set xlabel "FLOP / byte" font small_font offset 0,0.6
set ylabel "GFLOP/s" font small_font offset 1.6,0
# Points and labels are placed in shares of the panel, which the other axes are.
set x2range [0 : 1]
set y2range [1 : 0]
set multiplot
eval multi_heading
set label 3 "measured roofs: " . whole(bytes) . " GB/s, " . whole(flops) . " GFLOP/s, ridge at " \
    . digits3(ridge) . " FLOP/byte (dotted); labels: share of the roof" \
    . (unnamed ? sprintf("; points not named: %d", unnamed) : "") \
    at screen 0.5, from_top(58) center font small_font
roof(x) = x < ridge ? bytes * x : flops
is_named(x) = is_mine(p) && strlen(strcol("text"))
do for [p = 1 : panels] {
    left = (p - 1) % columns * cell_width + 58
    top = upper + (p - 1) / columns * cell_height + 26
    set tmargin at screen from_top(top)
    set bmargin at screen from_top(top + plot_height)
    set lmargin at screen from_left(left)
    set rmargin at screen from_left(left + plot_width)
    set label 10 lab_title(LAB[p]) . (strlen(SIZE[p]) ? ", " . crossed(SIZE[p]) : "") \
        at graph 0, graph 1 left offset 0,0.7 noenhanced
    set arrow 1 from ridge, y_low to ridge, flops nohead linewidth 1 dashtype (4, 5) \
        linecolor rgb grey
    plot roof(x) with lines linewidth 2 linecolor rgb black, \
        table using (is_named(0) ? column("point_x") : NaN):(column("point_y")): \
            (1 - column("point_x")):(column("label_y") - column("point_y")) axes x2y2 with vectors \
            nohead linewidth 0.5 linecolor rgb grey, \
        table using (is_named(0) ? 1 : NaN):(column("label_y")):(said(strcol("text"))) axes x2y2 \
            with labels left noenhanced font small_font offset 0.6,0, \
        table using (is_mine(p) ? column("point_x") : NaN):(column("point_y")): \
            (shape(abs(column("ink")))):(ink(column("ink"))) axes x2y2 \
            with points pointtype variable pointsize 0.9 linecolor rgb variable
    unset label
    unset arrow
}
unset multiplot
