# exponents.gp - time against size on logarithmic axes, where a power is a straight line, with the
# fitted ones and their exponents; a panel a lab, the bends marked: of the CPU's serial program and
# the first kernel. Sources: the tables `fit_points` and `exponents`.
load "style.gp"
load "tables.gp"
most_series = 40
do for [name in "S_LAB S_NAME S_BLOCK S_TEXT S_BEND S_LOW S_HIGH S_BEND_X"] {
    eval "array " . name . "[most_series]"
}
n_series = 0
array KERNEL[n_labs]
do for [p = 1 : n_labs] { KERNEL[p] = "" }
is_cpu(x) = (at_variant = variant_of(strcol("lab") . "/" . strcol("variant"), 1), \
    at_variant == 0 ? strcol("variant") eq "cpu" : V_IS_CPU[at_variant])
series_of(p, name, s) = s > n_series ? 0 \
    : S_LAB[s] == p && S_NAME[s] eq name ? s : series_of(p, name, s + 1)
has_cpu(p, s) = s > n_series ? 0 : (S_LAB[s] == p && S_NAME[s] ne KERNEL[p]) || has_cpu(p, s + 1)
add(p) = (n_series = n_series + 1, S_LAB[n_series] = p, S_NAME[n_series] = strcol("variant"), \
    S_BLOCK[n_series] = strcol("block"), S_TEXT[n_series] = "", S_BEND[n_series] = "", \
    S_BEND_X[n_series] = NaN, S_LOW[n_series] = NaN, 1)
# The first CPU program of a lab is its serial one.
consider(p) = p == 0 || n_series == most_series || series_of(p, strcol("variant"), 1) ? 0 \
    : is_cpu(0) ? (has_cpu(p, 1) ? 0 : add(p)) \
    : KERNEL[p] eq "" ? (KERNEL[p] = strcol("variant"), add(p)) : 0
stats table using (consider(lab_of(strcol("lab"), 1))) nooutput
if (n_series == 0) {
    reason = "no row has a time"
    eval nothing
}

digits2(name) = sprintf("%.2f", column(name))
has(name) = strlen(strcol(name)) > 0
in_words(x) = (has("exponent_small") ? digits2("exponent_small") : "") \
    . (has("exponent_small") && has("exponent_large") \
        ? (has("bend_size") ? ", from " . crossed(strcol("bend_size")) . ": " : ", then ") : "") \
    . (has("exponent_large") ? digits2("exponent_large") : "") \
    . (has("theory_2012") ? " (2012: " . strcol("theory_2012") . ")" : "")
describe(s) = s == 0 ? 0 : (S_TEXT[s] = ": " . in_words(0), S_BEND[s] = strcol("bend_size"), 1)
if (is_file(tables . "/exponents.csv")) {
    stats tables . "/exponents.csv" using (describe(series_of(lab_of(strcol("lab"), 1), \
        strcol("variant"), 1))) nooutput
}

# The panels' ranges, and where the bends are.
array X_LOW[n_labs]
array X_HIGH[n_labs]
array Y_LOW[n_labs]
array Y_HIGH[n_labs]
do for [p = 1 : n_labs] { X_LOW[p] = 1e300; X_HIGH[p] = 0; Y_LOW[p] = 1e300; Y_HIGH[p] = 0 }
less(a, b) = a < b ? a : b
widen(s, x, y) = s == 0 || !(y > 0) ? 0 : (p = S_LAB[s], X_LOW[p] = less(X_LOW[p], x), \
    X_HIGH[p] = greater(X_HIGH[p], x), Y_LOW[p] = less(Y_LOW[p], y), \
        Y_HIGH[p] = greater(Y_HIGH[p], y), \
    S_BEND_X[s] = S_BEND[s] ne "" && strcol("size") eq S_BEND[s] ? x : S_BEND_X[s], 1)
series_here(x) = series_of(lab_of(strcol("lab"), 1), strcol("variant"), 1)
stats table using (widen(series_here(0), column("x"), column("time_ms"))) nooutput
stats table using (widen(series_here(0), column("x"), column("fit_ms"))) nooutput
set datafile columnheaders

# The axis is the lab's, but where x is no product of the size: then it counts positions of a
# template.
array X_TITLE[n_labs]
do for [p = 1 : n_labs] { X_TITLE[p] = "size" }
axis(p) = p == 0 ? 0 : (X_TITLE[p] = strcol("size_axis"), 1)
stats labs using (axis(lab_of(strcol("lab"), 1))) nooutput
pixels(size, at) = at == 0 ? NaN : real(size[1:at - 1] . ".0") * real(size[at + 1:*] . ".0")
is_other(size) = abs(pixels(size, strstrt(size, "x")) / column("x") - 1) > 0.01
positions(p) = p == 0 || strstrt(strcol("size"), "x") == 0 ? 0 \
    : is_other(strcol("size")) ? (X_TITLE[p] = "positions", 1) : 0
stats table using (positions(lab_of(strcol("lab"), 1))) nooutput

columns = n_labs == 1 ? 1 : 2
cell_width = n_labs == 1 ? 640 : 430
cell_height = 290
width = columns * cell_width
height = 56 + (n_labs + columns - 1) / columns * cell_height + 24
load "style.gp"
unset key
set tics font small_font
set multiplot
eval multi_heading
set label 3 "points: measured; lines: fitted, their exponents above; dotted: where they change; " \
    . "2012: what the report expects" at screen 0.5, from_top(height - 12) center font small_font
do for [p = 1 : n_labs] {
    left = (p - 1) % columns * cell_width
    top = 56 + (p - 1) / columns * cell_height
    set lmargin at screen from_left(left + 66)
    set rmargin at screen from_left(left + cell_width - 16)
    set tmargin at screen from_top(top + 54)
    set bmargin at screen from_top(top + cell_height - 44)
    set label 10 lab_title(L_NAME[p]) at graph 0, screen from_top(top + 10) left noenhanced
    set xlabel X_TITLE[p] font small_font offset 0,0.6
    set ylabel "time / ms" font small_font offset 1.6,0
    set logscale xy 10
    set format "10^{%T}"
    set xtics down(X_LOW[p]), 10
    set ytics log10(up(Y_HIGH[p]) / down(Y_LOW[p])) > 7.5 ? 100 : 10
    # Over few decades, whole ones, for two ticks at least.
    long = X_HIGH[p] > 100 * X_LOW[p]
    set xrange [long ? X_LOW[p] / 1.5 : down(X_LOW[p]) : long ? X_HIGH[p] * 1.5 : up(X_HIGH[p])]
    set yrange [down(Y_LOW[p]) : up(Y_HIGH[p])]
    line = 0
    first = 0
    do for [s = 1 : n_series] {
        if (S_LAB[s] == p) {
            first = first ? first : s
            last = s
            line = line + 1
            set label 100 + s S_NAME[s] . (S_BLOCK[s] eq "" ? "" : " " . crossed(S_BLOCK[s])) \
                . S_TEXT[s] \
                at graph 0, screen from_top(top + 12 + 15 * line) left noenhanced font small_font \
                offset 1.6,0
            set label 200 + s "" at graph 0, screen from_top(top + 12 + 15 * line) \
                point pointtype shape(line) pointsize 0.8 linecolor rgb lab_ink(L_NAME[p], \
                    S_NAME[s]) \
                offset 0.6,0
            if (S_BEND_X[s] > 0) {
                set arrow s from S_BEND_X[s], graph 0 to S_BEND_X[s], graph 1 nohead linewidth 1 \
                    dashtype (4, 5) linecolor rgb lab_ink(L_NAME[p], S_NAME[s])
            }
        }
    }
    if (first) {
        plot for [s = first : last] table using (series_here(0) == s ? column("x") : NaN) \
                :(column("fit_ms")) with lines linewidth 1.2 linecolor rgb lab_ink(L_NAME[p], \
                    S_NAME[s]), \
            for [s = first : last] table using (series_here(0) == s ? column("x") : NaN) \
                :(column("time_ms")) with points pointsize 0.8 pointtype shape(s - first + 1) \
                linecolor rgb lab_ink(L_NAME[p], S_NAME[s])
    }
    unset label
    unset arrow
}
unset multiplot
