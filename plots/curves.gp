# curves.gp - one panel of curves, from the table figure_curves (report/curves.sql). In, from
# figures.tsv:
#
#   x       size | block, or the title of the axis
#   y       time_s, speedup, gb_per_s or gflop_per_s
#   curve   what tells the curves apart: variant (each at its best block, by size), block (of the
#           lab's first kernel, by size), size (the same by block; only blocks that have an order),
#           leading (the variants that come to the largest size, from a 64th of it on), or what a
#           lab's report.sql has
#
# Measured curves are solid and thick with filled points, those of 2012 dashed and thin in the same
# colour with open ones. A bar through a point reaches from the lower quartile to the upper where
# that is more than the point hides. Rates stand under the ceilings that lab 0 measured.
# figure10.gp loads this file for each of its panels.
if (!exists("in_panel")) { in_panel = 0 }
if (y eq "speedup" && !own_machine) { machines = gpu_words . " over its own CPU" }
set xrange [*:*]
set yrange [*:*]
size_axis = "size"
is_vector = 0
stats labs using (strcol("lab") eq lab ? (size_axis = strcol("size_axis"), \
    is_vector = strcol("sizes_are") eq "vector") : row) nooutput

# What there is: the curves, whether 2012 has them, the places of ticks, and the ranges.
array NAME[MOST]
array INK[MOST]
array PAST[MOST]
array X[MOST]
array X_NAME[MOST]
array POINTS[MOST]
array CEILING[MOST]
array CEILING_NAME[MOST]
array CEILING_DASH[MOST]
do for [c = 1 : MOST] { NAME[c] = ""; PAST[c] = 0 }
n = n_x = n_ceilings = has_cpu = has_gpu = n_today = high = 0
first = MOST
longest = width_of(said(past_name))
low = 1e300
has_y(i) = strlen(strcol(y)) && column(y) > 0
is_mine(i) = strcol("lab") eq lab && strcol("family") eq curve && has_y(row)
place(at) = (sum [k = 1 : n_x] (X[k] == at ? k : 0))
take_x(at) = place(at) > 0 ? (POINTS[int(place(at))] = POINTS[int(place(at))] + 1) \
    : (n_x = n_x + 1, X[n_x] = at, X_NAME[n_x] = strcol("x_name"), POINTS[n_x] = 1)
take_point(c) = (n = greater(n, c), NAME[c] = said(strcol("name")), \
    longest = greater(longest, width_of(NAME[c])), \
    first = lesser(first, c), INK[c] = strlen(strcol("shade")) ? ramp(column("shade")) \
        : ink(column("ink")), \
    strlen(strcol("x")) == 0 ? row : (take_x(column("x")), \
        PAST[c] = PAST[c] || column("is_past") == 1, \
        n_today = n_today + (column("is_past") == 0), \
        has_cpu = has_cpu || column("ink") < 0, has_gpu = has_gpu || column("ink") > 0, \
        low = lesser(low, column(y)), high = greater(high, column(y))))
take_ceiling(i) = (n_ceilings = i, CEILING[i] = column(y), CEILING_NAME[i] = said(strcol("name")), \
    CEILING_DASH[i] = column("ink") < 0 ? 3 : int(word("4 5 2", int(column("ink")))), \
    longest = greater(longest, width_of(CEILING_NAME[i])), \
    high = greater(high, column(y)))
is_ceiling(i) = strcol("family") eq "ceiling" && has_y(row) && (strcol("lab") eq lab \
    || !strlen(strcol("lab"))) && (column("ink") < 0 ? has_cpu : has_gpu)
stats table using (is_mine(row) ? take_point(int(column("i"))) : row) nooutput
reason = n_today > 0 ? "" : "no measured rows with " . y
eval nothing
stats table using (strcol("lab") eq lab && strcol("family") eq curve . " note" \
    ? (machines = machines . said(strcol("name")), 1) : 0) nooutput
stats table using (is_ceiling(row) ? take_ceiling(n_ceilings + 1) : row) nooutput

if (curve eq "size") {
    do for [c = first : n] { INK[c] = ramp(1.0 * (c - first) / greater(1, n - first)) }
}
# Behind eighteen variants colours come again: where a curve looks as one before it does, it takes the first
# colour that none has. (Curves that lie upon one another have one colour, and other shapes.)
alike(c, d) = INK[d] == INK[c] && shape(d) == shape(c)
do for [c = first + 1 : n] {
    if ((sum [d = first : c - 1] (alike(c, d) ? 1 : 0)) > 0) {
        k = 1
        while (k < |PALETTE| && (sum [d = first : n] (INK[d] == PALETTE[k] ? 1 : 0)) > 0) { k = k + 1 }
        INK[c] = PALETTE[k]
    }
}

# Axes. Every tick has its label, which stands aslant where there is no room beside it. Of places
# too near for that, 1000 and 1024, that with the most points has one; of lengths over many decades
# decades have.
set xlabel said(x eq "block" ? "block size / threads" : x eq "size" ? size_axis : x)
plot_width = in_panel ? 290 : 500
if (!in_panel) {
    width = int(84 + plot_width + 84 + 8.4 * longest)
    height = int(greater(height, 120 + 22 * (n - first + 4 + n_ceilings))) # a key is one column
    load "canvas.gp"
    eval heading
    set lmargin at screen from_left(84)
    set rmargin at screen from_left(84 + plot_width)
    set key at screen from_left(84 + plot_width + 6), from_top(56) left top
    set ylabel said(y eq "time_s" ? "time / s" : y eq "speedup" ? "speedup over one CPU thread" \
        : curve[1:4] eq "link" ? "rate / (GB/s)" : y eq "gb_per_s" ? "memory bandwidth / (GB/s)" \
        : "arithmetic rate / (GFLOP/s)") noenhanced
}
x_low = X[1]
x_high = X[1]
do for [k = 2 : n_x] {
    x_low = lesser(x_low, X[k])
    x_high = greater(x_high, X[k])
}
set format y "10^{%T}"
set xrange [x_low / 1.3 : x_high * 1.3]
set yrange [down(low) : up(high * 1.0001)]
set logscale xy 10
if (x_high > 1e4 * x_low && is_vector) {
    set xtics down(x_low), 10 norotate font font
    set format x "10^{%T}"
} else {
    pixels(j, k) = plot_width * abs(log(X[j] / X[k])) / log(1.69 * x_high / x_low)
    is_hidden(k) = (sum [j = 1 : n_x] (j != k && pixels(j, k) < 22 \
        && (POINTS[j] > POINTS[k] || (POINTS[j] == POINTS[k] && j < k)))) > 0
    is_crowded(k) = (sum [j = 1 : n_x] (j != k && !is_hidden(j) \
        && pixels(j, k) < 7.2 * (strlen(X_NAME[k]) + 1))) > 0
    is_tight = (sum [k = 1 : n_x] (!is_hidden(k) && is_crowded(k))) > 0
    unset xtics
    if (is_tight) { set xtics () font small_font nomirror rotate by 40 right } \
    else { set xtics () font small_font nomirror norotate }
    do for [k = 1 : n_x] { if (!is_hidden(k)) { set xtics add (X_NAME[k] X[k]) } }
}

n_past = !in_panel && (sum [c = 1 : n] PAST[c]) > 0
# A curve's points, of today (0) or of 2012; quartiles, of a rate by those of the time.
at(c, past) = is_mine(row) && column("i") == c && column("is_past") == past ? column("x") : NaN
quartile(name) = !strlen(strcol(name)) ? NaN : y eq "time_s" ? column(name) \
    : column(y) * column("time_s") / column(name)
plot NaN with lines linecolor "#ffffff" \
        title said(curve eq "block" || curve eq "size" ? curve : "variant"), \
    for [k = 1 : n_ceilings] CEILING[k] with lines linewidth 2 dashtype CEILING_DASH[k] \
        linecolor rgb 0x505050 notitle, \
    for [c = 1 : n] table using (at(c, 1)):(column(y)) with linespoints linewidth 1.2 \
        dashtype (11, 7) linecolor rgb INK[c] pointsize 0.7 pointtype open_shape(c) notitle, \
    for [c = 1 : n] table using (at(c, 0)):(column(y)):(quartile("time_q1_s")): \
        (quartile("time_q3_s")) with yerrorbars linewidth 1.5 pointtype 0 linecolor rgb INK[c] \
        notitle, \
    for [c = 1 : n] table using (at(c, 0)):(column(y)) with linespoints linewidth 2 \
        linecolor rgb INK[c] pointsize 0.8 pointtype shape(c) notitle, \
    table using (is_svg && is_mine(row) ? column("x") : NaN):(column(y)) \
        @under_mouse, \
    for [c = 1 : n] keyentry with linespoints linewidth 2 linecolor rgb INK[c] pointsize 0.8 \
        pointtype shape(c) title NAME[c], \
    for [k = 1 : n_past] keyentry with linespoints linewidth 1.2 dashtype (11, 7) \
        linecolor rgb grey pointsize 0.7 pointtype 6 title n_past ? said(past_name) : "", \
    for [k = 1 : n_ceilings] keyentry with lines linewidth 2 dashtype CEILING_DASH[k] \
        linecolor rgb 0x505050 title CEILING_NAME[k]
