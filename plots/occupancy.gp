# occupancy.gp - occupancy and time against block size, side by side, of a lab's first kernel and
# its fastest. Dashed: the occupancy of 2012 (tables 21 to 23 of its report). Where every block
# fills the multiprocessors there is the time alone; where the blocks are no steps of one growth no
# line joins them.
array INK[3]
array TEXT[3]
array BLOCK[MOST]
do for [i = 1 : 3] { INK[i] = grey; TEXT[i] = "" }
n_blocks = longest = 0
size = ""
alike = ""
is_mine(i) = strcol("lab") eq lab && (i == 0 || column("i") == i)
take(i) = (INK[i] = ink(column("ink")), TEXT[i] = i == 3 ? said(past_name) : strcol("variant"), \
    size = strcol("size"), n_blocks = greater(n_blocks, column("x")), \
    is_flat = int(column("is_flat")), in_order = int(column("in_order")), \
    alike = said(strcol("alike")), \
    BLOCK[int(column("x"))] = strcol("block"), \
    longest = greater(longest, strlen(strcol("block"))))
stats table using (is_mine(0) ? take(int(column("i"))) : row) nooutput
reason = n_blocks > 0 ? "" : "no kernel was measured at several blocks"
eval nothing
# Labels that have no room side by side stand upright.
plot_width = 320
upright = n_blocks * (longest + 1) * 7.0 > plot_width
height = 446 + (upright ? 7 * longest : 0)
load "canvas.gp"
title = title . ", " . crossed(size)
if (is_flat) { machines = machines . said("; occupancy 100 % with every block") }
set tics font small_font
set multiplot
eval multi_heading
set xrange [0.5 : n_blocks + 0.5]
set xtics () font small_font
do for [k = 1 : n_blocks] { set xtics add (BLOCK[k] k) }
if (upright) { set xtics rotate by 90 right }
set xlabel said("block size / threads") font small_font offset 0,0.5
set tmargin at screen from_top(80)
set bmargin at screen from_top(350)
unset key
has(name) = is_mine(i) && strlen(strcol(name))
# Today's kernels with filled points and with open ones, 2012 dashed.
marks = ' linecolor rgb INK[i] linewidth i == 3 ? 1.2 : 2 pointtype i == 1 ? 7 : i == 2 ? 4 : 12' \
    . ' pointsize i == 2 ? 1.3 : 0.8'
looks = (in_order ? ' with linespoints dashtype i == 3 ? (11, 7) : 1' : ' with points') . marks
points = 'using (has(name) ? column("x") : NaN):(column(name))' . looks
mice = 'table using (is_svg && is_mine(0) && strlen(strcol(name)) ? column("x") : NaN):' \
    . '(column(name)) @under_mouse'
if (!is_flat) {
    set lmargin at screen from_left(66)
    set rmargin at screen from_left(66 + plot_width)
    set yrange [0 : 105]
    set ytics 20
    set ylabel said("occupancy / %") font small_font offset 1.6,0
    if (strlen(alike)) {
        set label said("the same for ") . alike at graph 0.5, graph 1 center offset 0,0.7 \
            noenhanced font small_font
    }
    name = "occupancy_percent"
    plot for [i = 1 : 3 : strlen(alike) ? 2 : 1] table @points, @mice
    unset label
}
left = is_flat ? (width - plot_width) / 2 : 466
set lmargin at screen from_left(left)
set rmargin at screen from_left(left + plot_width)
set ylabel said("time / ms") font small_font
# A logarithmic axis where it has decades to show, else one from zero.
name = "time_ms"
set yrange [*:*]
stats table using (is_mine(0) && strlen(strcol(name)) ? column(name) : NaN) name "t" nooutput
if (t_max > 10 * t_min) {
    set yrange [down(t_min) : up(t_max)]
    set logscale y 10
    set ytics 10 format "10^{%T}"
} else {
    set yrange [0 : 1.1 * t_max]
    set ytics auto format "%g"
    set ylabel offset 0,0
}
plot for [i = 1 : 2] table using (has(name) ? column("x") : NaN):(column(name)): \
        (column("q1_ms")):(column("q3_ms")) with yerrorbars pointtype 0 linewidth 1.5 \
        linecolor rgb INK[i], \
    for [i = 1 : 2] table @points, @mice
eval under_all
plot NaN notitle, for [i = 1 : 3] keyentry @looks title TEXT[i]
