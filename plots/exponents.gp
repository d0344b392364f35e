# exponents.gp - time against size on logarithmic axes, where a power is a straight line, with the
# fitted ones and their exponents; a panel a lab, the bends marked.
array LAB[MOST]
array X_TITLE[MOST]
array TEXT[MOST]
array INK[MOST]
do for [i = 1 : MOST] { TEXT[i] = ""; INK[i] = grey }
panels = 0
take(p, s) = (LAB[p] = strcol("lab"), X_TITLE[p] = strcol("x_title"), panels = p, \
    TEXT[s] = said(strcol("text")), INK[s] = ink(column("ink")))
series(x) = 2 * (int(column("panel")) - 1) + int(column("i"))
stats table using (take(int(column("panel")), series(row))) nooutput
columns = panels == 1 ? 1 : 2
cell_width = panels == 1 ? 640 : 480
cell_height = 290
width = columns * cell_width
height = 56 + (panels + columns - 1) / columns * cell_height + 24
load "canvas.gp"
set tics font small_font
set format "10^{%T}"
set ylabel said("time / ms") font small_font offset 1.6,0
set multiplot
eval multi_heading
set label said("points: measured; lines: fitted, their exponents above; " \
    . "dotted: where they change") \
    at screen 0.5, from_top(height - 12) center font small_font
at(s, name) = series(row) == s ? column(name) : NaN
do for [p = 1 : panels] {
    left = (p - 1) % columns * cell_width
    top = 56 + (p - 1) / columns * cell_height
    set lmargin at screen from_left(left + 66)
    set rmargin at screen from_left(left + cell_width - 16)
    set tmargin at screen from_top(top + 62)
    set bmargin at screen from_top(top + cell_height - 44)
    set label said(lab_title(LAB[p])) at graph 0, screen from_top(top + 10) left noenhanced
    set xlabel said(X_TITLE[p]) font small_font offset 0,0.6
    set key at screen from_left(left + 46), from_top(top + 55) left bottom vertical \
        font small_font samplen 0.3
    # Over few decades whole ones, for two ticks at least.
    unset logscale
    set xrange [*:*]
    set yrange [*:*]
    stats table using (int(column("panel")) == p ? column("x") : NaN):(column("time_ms")) \
        name "r" nooutput
    set logscale xy 10
    long = r_max_x > 100 * r_min_x
    set xrange [long ? r_min_x / 1.5 : down(r_min_x) : long ? r_max_x * 1.5 : up(r_max_x)]
    set yrange [down(r_min_y) : up(r_max_y)]
    set xtics down(r_min_x), 10
    set ytics log10(up(r_max_y) / down(r_min_y)) > 7.5 ? 100 : 10
    plot for [s = 2 * p - 1 : 2 * p] table \
            using (at(s, "x") == column("bend_x") ? column("x") : NaN):(down(r_min_y)):(0): \
            (up(r_max_y) - down(r_min_y)) with vectors nohead linewidth 1.2 dashtype (2, 5) \
            linecolor rgb INK[s] notitle, \
        for [s = 2 * p - 1 : 2 * p] table using (at(s, "x")):(column("fit_ms")) with lines \
            linewidth 1.2 linecolor rgb INK[s] notitle, \
        table using (int(column("panel")) == p ? column("x") : NaN):(column("time_ms")): \
            (column("q1_ms")):(column("q3_ms")) with yerrorbars pointtype 0 linewidth 1.5 \
            linecolor rgb grey notitle, \
        table using (is_svg && int(column("panel")) == p ? column("x") : NaN): \
            (column("time_ms")) @under_mouse, \
        for [s = 2 * p - 1 : 2 * p] table using (at(s, "x")):(column("time_ms")) with points \
            pointsize 0.8 pointtype s % 2 ? 7 : 5 linecolor rgb INK[s] title TEXT[s]
    unset label
}
