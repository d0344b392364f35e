# curves.gp - one panel of curves, straight from a lab's rows. In, from figures.tsv:
#
#   x       size | block
#   y       the column drawn: time_s, speedup, gb_per_s, gflop_per_s or any other with a number
#   curve   what tells the curves apart: variant (each at its best block), block or size
#
# Measured curves are solid and thick with points, those of 2012 thin and dashed in the same
# colour. A figure of curves by block has the serial CPU program, too, where y is a time. Along an
# axis of blocks only square ones are drawn, if there are any: 32x8 and 16x16 are not two steps of
# one growth. figure10.gp loads this file for each of its panels.
if (!exists("in_panel")) { in_panel = 0 }
if (!in_panel) { load "style.gp" }
load "rows.gp"
if (y eq "speedup" && !own_machine) { machines = gpu_words . " over its own CPU" }

# The curves, and the values of x, each in their order.
array CURVE[200]
array PLACE[200]
array X[200]
array LABEL[200]
n_curves = 0
n_x = 0
has_square = 0
do for [i = 1 : n] { has_square = has_square || (THREADS[i] > 1 && BLOCK_X[i]**2 == THREADS[i]) }
is_in(i) = !IS_LEFT_OUT[i] && (SOURCE[i] eq "now" || (SOURCE[i] eq "past" && curve ne "variant")) \
    && VALUE[i] > 0 && (x ne "block" || (THREADS[i] > 0 && !(has_square \
        && BLOCK_X[i]**2 != THREADS[i]))) \
    && (curve eq "variant" || (IS_CPU[i] ? IS_SERIAL[i] && curve eq "block" && y eq "time_s" \
        : THREADS[i] > 0))
curve_name(i) = curve eq "variant" ? VARIANT[i] : curve eq "size" ? SIZE[i] \
    : IS_CPU[i] ? "CPU" : BLOCK[i]
curve_place(i) = curve eq "variant" ? place_of(VARIANT[i], 1) : curve eq "size" ? AREA[i] \
    : IS_CPU[i] ? 0 : THREADS[i] + 1e-6 * BLOCK_X[i]
x_of(i) = x eq "block" ? THREADS[i] : AREA[i]
x_label(i) = x eq "block" ? BLOCK[i] : SIZE[i]
curve_of(place, c) = c > n_curves ? 0 : PLACE[c] == place ? c : curve_of(place, c + 1)
index_of(value, k) = k > n_x ? 0 : X[k] == value ? k : index_of(value, k + 1)
do for [i = 1 : n] {
    if (is_in(i)) {
        if (n_curves < 200 && curve_of(curve_place(i), 1) == 0) {
            c = n_curves + 1
            while (c > 1 && (c > 1 ? PLACE[greater(c - 1, 1)] > curve_place(i) : 0)) {
                PLACE[c] = PLACE[c - 1]
                CURVE[c] = CURVE[c - 1]
                c = c - 1
            }
            PLACE[c] = curve_place(i)
            CURVE[c] = curve_name(i)
            n_curves = n_curves + 1
        }
        if (n_x < 200 && index_of(x_of(i), 1) == 0) {
            k = n_x + 1
            while (k > 1 && (k > 1 ? X[greater(k - 1, 1)] > x_of(i) : 0)) {
                X[k] = X[k - 1]
                LABEL[k] = LABEL[k - 1]
                k = k - 1
            }
            X[k] = x_of(i)
            LABEL[k] = x_label(i)
            n_x = n_x + 1
        }
    }
}

# The fastest row of each curve at each x.
array NOW[n_curves * n_x + 1]
array PAST[n_curves * n_x + 1]
do for [j = 1 : n_curves * n_x + 1] { NOW[j] = 0; PAST[j] = 0 }
cell(c, k) = (c - 1) * n_x + k
faster(i, other) = other == 0 ? 1 : TIME[i] < TIME[other]
n_drawn = 0
do for [i = 1 : n] {
    if (is_in(i)) {
        j = cell(curve_of(curve_place(i), 1), index_of(x_of(i), 1))
        if (SOURCE[i] eq "now") {
            if (faster(i, NOW[j])) { NOW[j] = i }
            n_drawn = n_drawn + 1
        } else {
            if (faster(i, PAST[j])) { PAST[j] = i }
        }
    }
}
if (n_drawn == 0) {
    reason = "no measured rows with " . y
    eval nothing
}
value_of(i) = i == 0 ? NaN : VALUE[i]
now(c, k) = value_of(NOW[cell(c, k)])
then(c, k) = value_of(PAST[cell(c, k)])
in_now(c, k) = k == 0 ? 0 : NOW[cell(c, k)] > 0 || in_now(c, k - 1)
in_past(c, k) = k == 0 ? 0 : PAST[cell(c, k)] > 0 || in_past(c, k - 1)
# Blocks of the old ladder, 1x1 to 32x32, have fixed colours.
step_of(threads) = int(log(threads) / log(4) + 1.5)
on_ladder(c) = PLACE[c] < 1025 && PLACE[c] >= 1 \
    ? int(PLACE[c]) == 4**(step_of(int(PLACE[c])) - 1) : 0
tint(c) = curve eq "variant" ? variant_ink(CURVE[c]) : CURVE[c] eq "CPU" ? black \
    : curve eq "block" && on_ladder(c) ? BLOCK_INK[step_of(int(PLACE[c]))] : ink(c)
words_of(c) = curve eq "variant" ? CURVE[c] : crossed(CURVE[c])
mark(c) = curve eq "variant" ? variant_shape(CURVE[c]) : shape(c)

# Axes. The ticks of x are the values measured, as many as have room (`line_length` characters fit
# under the plot); of lengths over many decades, decades.
set xlabel x eq "block" ? "block size / threads" : size_axis
if (!in_panel) {
    eval heading
    set ylabel y eq "time_s" ? "time / s" : y eq "speedup" ? "speedup over one CPU thread" \
        : y eq "gb_per_s" ? "memory bandwidth / (GB/s)" \
        : y eq "gflop_per_s" ? "arithmetic rate / (GFLOP/s)" : y noenhanced
    line_length = 75
}
unset logscale
low = 1e300
high = 0
do for [j = 1 : n_curves * n_x] {
    do for [source in "now past"] {
        v = value_of(source eq "now" ? NOW[j] : PAST[j])
        if (v > 0) {
            low = v < low ? v : low
            high = greater(v, high)
        }
    }
}
set logscale xy 10
set format y "10^{%T}"
set yrange [down(low) : up(high * 1.0001)]
set xrange [X[1] / 1.3 : X[n_x] * 1.3]
if (X[n_x] > 1e4 * X[1] && sizes_are ne "image") {
    set xtics down(X[1]), 10 font font
    set format x "10^{%T}"
} else {
    unset xtics
    set xtics () font small_font nomirror
    share = (strlen(LABEL[n_x]) + 2.0) / line_length * log(1.69 * X[n_x] / X[1])
    last = 0
    do for [k = n_x : 1 : -1] {
        if (last == 0 || log(last / X[k]) > share) {
            set xtics add (crossed(LABEL[k]) X[k])
            last = X[k]
        }
    }
}

# The curves that have points.
array MEASURED[n_curves + 1]
array DASHED[n_curves + 1]
MEASURED[1] = 1
DASHED[1] = 1
n_measured = 0
n_dashed = 0
do for [c = 1 : n_curves] {
    if (in_now(c, n_x)) { n_measured = n_measured + 1; MEASURED[n_measured] = c }
    if (in_past(c, n_x)) { n_dashed = n_dashed + 1; DASHED[n_dashed] = c }
}
plot NaN with lines linecolor "#ffffff" title curve, \
    for [d = 1 : n_dashed] X using (X[int($1)]):(then(DASHED[d], int($1))) every ::0::n_x-1 \
        with lines linewidth 1 dashtype (9, 5) linecolor rgb tint(DASHED[d]) notitle, \
    for [m = 1 : n_measured] X using (X[int($1)]):(now(MEASURED[m], int($1))) every ::0::n_x-1 \
        with linespoints linewidth 2 linecolor rgb tint(MEASURED[m]) pointsize 0.7 \
        pointtype mark(MEASURED[m]) title words_of(MEASURED[m]), \
    for [d = 1 : n_dashed] NaN with lines linewidth 1 dashtype (9, 5) \
        linecolor rgb tint(DASHED[d]) title in_now(DASHED[d], n_x) ? "" : words_of(DASHED[d]), \
    NaN with lines linewidth 1 dashtype (9, 5) linecolor rgb grey \
        title n_dashed && !in_panel ? past_name : ""
