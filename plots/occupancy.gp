# occupancy.gp - occupancy and time against block size, side by side, of a lab's first kernel and
# its fastest, straight from the rows: at the size with the most blocks, of equals the largest.
# Dashed: the occupancy of 2012 (tables 21 to 23 of its report), from the table `occupancy_2012`
# where it is there.
y = "occupancy"
curve = "block"
load "style.gp"
load "rows.gp"

# The size.
array BLOCKS_AT[n + 1]
best = 0
is_in(i) = SOURCE[i] eq "now" && !IS_LEFT_OUT[i] && !IS_CPU[i] && THREADS[i] > 0 \
    && (TIME[i] > 0 || VALUE[i] > 0)
is_beside(j, i) = is_in(j) ? SIZE[j] eq SIZE[i] && VARIANT[j] eq VARIANT[i] : 0
do for [i = 1 : n] {
    BLOCKS_AT[i] = 0
    if (is_in(i)) {
        BLOCKS_AT[i] = sum [j = 1 : n] is_beside(j, i)
        best = best == 0 ? i : BLOCKS_AT[i] > BLOCKS_AT[best] \
            || (BLOCKS_AT[i] == BLOCKS_AT[best] && AREA[i] > AREA[best]) ? i : best
    }
}
if (best == 0) {
    reason = "no kernel was measured at several blocks"
    eval nothing
}
size = SIZE[best]

# The blocks in the order of their threads, and the two kernels.
array NAMES[200]
array PLACE[200]
n_blocks = 0
place(i) = THREADS[i] + 1e-6 * BLOCK_X[i]
block_of(name, k) = k > n_blocks ? 0 : NAMES[k] eq name ? k : block_of(name, k + 1)
first = ""
fastest = ""
least = 0
insert = 'k = n_blocks + 1;' \
    . ' while (k > 1 && (k > 1 ? PLACE[greater(1, k - 1)] > at_place : 0)) {' \
    . ' PLACE[k] = PLACE[k - 1]; NAMES[k] = NAMES[k - 1]; k = k - 1 };' \
    . ' PLACE[k] = at_place; NAMES[k] = at_name; n_blocks = n_blocks + 1'
do for [i = 1 : n] {
    if (is_in(i) && SIZE[i] eq size) {
        if (block_of(BLOCK[i], 1) == 0 && n_blocks < 200) {
            at_place = place(i)
            at_name = BLOCK[i]
            eval insert
        }
        first = first eq "" ? VARIANT[i] : first
        if (TIME[i] > 0 && (least == 0 || TIME[i] < least)) { least = TIME[i]; \
            fastest = VARIANT[i] }
    }
}
fastest = fastest eq "" ? first : fastest
n_series = first eq fastest ? 1 : 2
name(s) = s == 1 ? first : fastest

# 2012: its program of the same name; square blocks of 1 to 32 threads a side.
array PAST[200]
do for [k = 1 : 200] { PAST[k] = NaN }
has_past = 0
program = ""
set datafile columnheaders
stats labs using (strcol("lab") eq lab ? (program = strcol("program"), 1) : 1) nooutput
value_2012(side) = strcol(side) eq "" ? 0 : column(side)
array SIDE[6]
take(x) = (sum [s = 1:6] (SIDE[s] = value_2012(sprintf("%d", 2**(s - 1)))), has_past = 1, 1)
if (is_file(tables . "/occupancy_2012.csv")) {
    stats tables . "/occupancy_2012.csv" using (strcol("program")[1:strlen(program)] eq program \
        && strcol("row") eq "occupancy_percent" && !has_past ? take(0) : 0) nooutput
}
unset datafile columnheaders
if (has_past) {
    do for [s = 1 : 6] {
        at_name = sprintf("%dx%d", 2**(s - 1), 2**(s - 1))
        at_place = 4**(s - 1) + 1e-6 * 2**(s - 1)
        if (block_of(at_name, 1) == 0 && n_blocks < 200) { eval insert }
    }
    do for [s = 1 : 6] {
        PAST[block_of(sprintf("%dx%d", 2**(s - 1), 2**(s - 1)), 1)] = SIDE[s] > 0 ? SIDE[s] : NaN
    }
}

array POSSIBLE[2 * n_blocks]
array MS[2 * n_blocks]
do for [j = 1 : 2 * n_blocks] { POSSIBLE[j] = NaN; MS[j] = NaN }
t_low = 1e300
t_high = 0
do for [i = 1 : n] {
    if (is_in(i) && SIZE[i] eq size) {
        do for [s = 1 : n_series] {
            if (VARIANT[i] eq name(s)) {
                j = (s - 1) * n_blocks + block_of(BLOCK[i], 1)
                POSSIBLE[j] = VALUE[i] > 0 ? 100 * VALUE[i] : NaN
                MS[j] = TIME[i] > 0 ? 1e3 * TIME[i] : NaN
                if (TIME[i] > 0) {
                    t_low = 1e3 * TIME[i] < t_low ? 1e3 * TIME[i] : t_low
                    t_high = greater(t_high, 1e3 * TIME[i])
                }
            }
        }
    }
}

# Labels that have no room side by side stand upright; where that, too, is too much, some are left
# out.
longest = 1
do for [k = 1 : n_blocks] { longest = greater(longest, strlen(NAMES[k])) }
plot_width = 320
upright = n_blocks * (longest + 1) * 7.0 > plot_width
every_label = upright ? ceil(n_blocks * 14.0 / plot_width) : 1
height = 436 + (upright ? 7 * longest : 0)
load "style.gp"
title = title . ", " . crossed(size)
unset key
set tics font small_font
set multiplot
eval multi_heading
set xrange [0.5 : n_blocks + 0.5]
set xtics () font small_font
do for [k = 1 : n_blocks : every_label] { set xtics add (crossed(NAMES[k]) k) }
if (upright) { set xtics rotate by 90 right }
set xlabel "block size / threads" font small_font offset 0,0.5
set tmargin at screen from_top(70)
set bmargin at screen from_top(340)

# The key, in one line under both panels.
mark(s) = s == 1 ? 7 : 4
mark_size(s) = s == 1 ? 0.7 : 1.2
at = 66
do for [s = 1 : n_series + has_past] {
    is_past = s > n_series
    tint = variant_ink(is_past ? first : name(s))
    words_of = is_past ? past_name : name(s)
    y_key = from_top(height - 14)
    set arrow 100 + s from screen from_left(at), y_key to screen from_left(at + 34), y_key nohead \
        linewidth is_past ? 1 : 2 dashtype is_past ? 2 : 1 linecolor rgb tint
    set label 100 + s "" at screen from_left(at + 17), y_key point pointtype is_past ? 2 : mark(s) \
        pointsize is_past ? 0.6 : mark_size(s) linecolor rgb tint
    set label 200 + s words_of at screen from_left(at + 42), y_key left noenhanced font small_font
    at = at + 42 + 7.2 * strlen(words_of) + 24
}

set lmargin at screen from_left(66)
set rmargin at screen from_left(66 + plot_width)
set yrange [0 : 105]
set ytics 20
set ylabel "occupancy / %" font small_font offset 1.6,0
plot PAST using 1:(PAST[$1]) every ::0::n_blocks-1 with linespoints linewidth 1 dashtype (9, 5) \
        pointtype 2 pointsize 0.6 linecolor rgb variant_ink(first), \
    for [s = 1 : n_series] PAST using 1:(POSSIBLE[(s - 1) * n_blocks + $1]) every ::0::n_blocks-1 \
        with linespoints linewidth 2 pointtype mark(s) pointsize mark_size(s) \
        linecolor rgb variant_ink(name(s))
unset label
set lmargin at screen from_left(400 + 66)
set rmargin at screen from_left(400 + 66 + plot_width)
set ylabel "time / ms"
# A logarithmic axis where it has decades to show, else one from zero.
if (t_high > 10 * t_low) {
    set yrange [down(t_low) : up(t_high)]
    set logscale y 10
    set ytics 10 format "10^{%T}"
} else {
    set yrange [0 : 1.1 * greater(t_high, 1e-6)]
    set ytics auto format "%g"
    set ylabel offset 0,0
}
plot for [s = 1 : n_series] PAST using 1:(MS[(s - 1) * n_blocks + $1]) every ::0::n_blocks-1 \
    with linespoints linewidth 2 pointtype mark(s) pointsize mark_size(s) \
    linecolor rgb variant_ink(name(s))
unset multiplot
