# occupancy.gp - occupancy and time against block size, side by side, of a lab's first kernel and
# its fastest. Dashed: the occupancy of 2012 (tables 21 to 23 of its report).
array INK[3]
array TEXT[3]
array BLOCK[200]
do for [i = 1 : 3] { INK[i] = grey; TEXT[i] = "" }
n_blocks = 0
longest = 1
size = ""
is_mine(i) = strcol("lab") eq lab && (i == 0 || column("i") == i)
take(i) = (INK[i] = ink(column("ink")), TEXT[i] = i == 3 ? past_name : strcol("variant"), \
    size = strcol("size"), n_blocks = greater(n_blocks, column("x")), \
    BLOCK[int(column("x"))] = strcol("block"), \
    longest = greater(longest, strlen(strcol("block"))), 1)
stats table using (is_mine(0) ? take(int(column("i"))) : 0) nooutput
reason = n_blocks > 0 ? "" : "no kernel was measured at several blocks"
eval nothing
# Labels that have no room side by side stand upright.
plot_width = 320
upright = n_blocks * (longest + 1) * 7.0 > plot_width
height = 436 + (upright ? 7 * longest : 0)
load "canvas.gp"
title = title . ", " . crossed(size)
set tics font small_font
set multiplot
eval multi_heading
set xrange [0.5 : n_blocks + 0.5]
set xtics () font small_font
do for [k = 1 : n_blocks] { set xtics add (BLOCK[k] k) }
if (upright) { set xtics rotate by 90 right }
set xlabel "block size / threads" font small_font offset 0,0.5
set tmargin at screen from_top(70)
set bmargin at screen from_top(340)
unset key
has(name) = is_mine(i) && strlen(strcol(name))
looks = ' with linespoints linecolor rgb INK[i] linewidth i == 3 ? 1 : 2' \
    . ' dashtype i == 3 ? 2 : 1 pointtype i == 1 ? 7 : i == 2 ? 4 : 2 pointsize i == 2 ? 1.2 : 0.7'
points = 'using (has(name) ? column("x") : NaN):(column(name))' . looks
set lmargin at screen from_left(66)
set rmargin at screen from_left(66 + plot_width)
set yrange [0 : 105]
set ytics 20
set ylabel "occupancy / %" font small_font offset 1.6,0
name = "occupancy_percent"
plot for [i = 1 : 3] table @points
unset label
set lmargin at screen from_left(400 + 66)
set rmargin at screen from_left(400 + 66 + plot_width)
set ylabel "time / ms"
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
plot for [i = 1 : 2] table @points
eval under_all
plot 2 notitle, for [i = 1 : 3] keyentry @looks title TEXT[i]
unset multiplot
