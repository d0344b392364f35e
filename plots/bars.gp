# bars.gp - bars, one under the other, in one or more panels side by side: the charts of the CUDA
# seminar's slides 32, 40, 43, 51, 53 and 57, of the article on the banding filter, and table 1 of the
# blog post on Gaussian blurs. Bars begin at zero, each panel has an axis of its own; a bar that would
# flatten the others is cut, which a gap shows. On a logarithmic axis, which has no zero, dots stand
# for the bars' ends. analysis.sh draws more with it.
#
#   gnuplot -c bars.gp OUTPUT FOLDER WHAT MACHINE X_TITLE SCALE [WIDTH]
#
# WIDTH is in pixels; by default 800, and 230 more for each panel after the second. SCALE is `linear` or `log`. FOLDER holds what bars.awk wrote.
output = ARG1
folder = ARG2
what = ARG3
machine = ARG4
is_log = ARG6 eq "log"
load "cells.gp"
panels = lines("panels.txt")
rows = lines("rows.tsv") - 1
keys = lines("key.tsv")
total = number("rows.tsv", rows + 1, 2)

# Room in pixels: a character of the row's names takes 10 at most, one of the small font 7.6. The
# measured panel is the wider one of two.
width = ARGC > 6 ? int(ARG7) : 800 + (panels > 2 ? 230 * (panels - 2) : 0)
left = 14 + 10.0 * longest("rows.tsv", rows, 1)
between = 22
free = width - left - 14 - (panels - 1) * between
room_of(i) = panels != 2 ? free / panels : i == 1 ? 0.56 * free : 0.44 * free
left_of(i) = i == 1 ? left : left_of(i - 1) + room_of(i - 1) + between
upper = panels > 1 ? 74 : 56
# The key, under the axis, in as many lines as it needs.
key_width(i) = 24 + 6.9 * strlen(cell("key.tsv", i, 2)) + 16
array key_x[keys + 1]
array key_line[keys + 1]
x = left
line = 1
do for [i = 1 : keys] {
    if (x > left && x + key_width(i) > width) { x = left; line = line + 1 }
    key_x[i] = x
    key_line[i] = line
    x = x + key_width(i)
}
lower = 20 * line + 6
height = int(upper + total + 46 + lower)
load "style.gp"
from_top(pixels) = 1 - pixels / (1.0 * height)

unset key
set border 3
unset grid
set grid xtics linewidth 0.5 linecolor "#d8d8d8"
set tics font small_font
set tmargin at screen from_top(upper)
set bmargin at screen from_top(upper + total)
set style fill solid 1.0 border
set format x is_log ? "10^{%T}" : "%g"

# A bar's end in its panel and style, or 0: a bar of no length.
end(panel, style) = column(1) == panel && strcol(5) eq style ? column(4) : 0
# The share of a panel that a text beside a bar leaves to it.
rest(text) = 7.6 * strlen(text) + 14 < 0.85 * room ? 1 - (7.6 * strlen(text) + 14) / room : 0.15
cut(panel) = column(1) == panel && column(10) == 1 ? column(4) : 0
bars = file("bars.tsv")
ink(name, rank) = colour(name, int(rank))
# In figures of several machines the style is the number of the machine's shape.
shape_of(style) = strlen(style) == 1 ? point_shape[int(style)] : \
    style eq "dot" ? 7 : style eq "ring" ? 6 : style eq "square" ? 5 : 4

set multiplot
set label 1 what at screen 0.5, from_top(17) center noenhanced font "sans-serif,14"
set label 2 machine at screen 0.5, from_top(38) center noenhanced font small_font
# What the styles stand for.
do for [i = 1 : keys] {
    style = cell("key.tsv", i, 1)
    name = cell("key.tsv", i, 3)
    tint = name eq "" ? grey : ink(name, int(number("key.tsv", i, 4)))
    x = key_x[i]
    y = height - lower + 20 * key_line[i] - 7
    if (is_log) {
        set label 100 + i "" at screen (x + 8) / width, from_top(y) \
            point pointtype shape_of(style) pointsize 0.9 linecolor rgb tint
    } else {
        set object i rectangle from screen x / width, from_top(y + 6) \
            to screen (x + 18) / width, from_top(y - 6) front \
            fillcolor rgb tint linewidth 0.7
        if (style eq "full") { set object i fillstyle solid 1.0 border linecolor rgb tint }
        if (style eq "light") { set object i fillstyle solid 0.35 border linecolor rgb tint }
        if (style eq "gap") {
            set object i fillstyle solid 0.35 border linecolor rgb tint
            set object 100 + i rectangle from screen (x + 10) / width, from_top(y + 8) \
                to screen (x + 13) / width, from_top(y - 8) front fillstyle solid 1.0 noborder \
                fillcolor rgb "#ffffff"
        }
        if (style eq "hatched") { set object i fillstyle pattern 4 border linecolor rgb tint }
    }
    set label 200 + i cell("key.tsv", i, 2) at screen (x + 24) / width, from_top(y) left noenhanced \
        font small_font
}

do for [p = 1 : panels] {
    room = room_of(p)
    set lmargin at screen left_of(p) / width
    set rmargin at screen (left_of(p) + room) / width
    # The axis ends where the longest bar and its text do. (Ranges still set would leave points out.)
    unset logscale
    set xrange [*:*]
    set yrange [*:*]
    if (is_log) {
        stats bars using 4 nooutput name "v_"
        low = floor(log10(v_min) - 0.05)
        stats bars using ((log10($4) - low) / rest(strcol(8))) nooutput name "v_"
        set logscale x 10
        set xrange [10**low : 10**(low + v_max)]
    } else {
        stats bars using ($1 == p ? $4 / rest(strcol(8)) : NaN) nooutput name "v_"
        set xrange [0 : v_max]
        gap = 6.0 / room * v_max
        # No more ticks than have room: 50 pixels each.
        least = 50 * v_max / room
        step = 10**floor(log10(least))
        step = least > 5 * step ? 10 * step : least > 2 * step ? 5 * step : 2 * step
        last = cell("panels.txt", p, 2) eq "" ? v_max : number("panels.txt", p, 2)
        set xtics 0, step, v_max < last ? v_max : last
    }
    set yrange [total : 0]
    set xlabel ARG5 offset 0,0.4 font small_font
    unset ytics
    set label 3 (panels > 1 ? cell("panels.txt", p, 1) : "") at graph 0, graph 1 left \
        offset 0,0.8 noenhanced font small_font
    if (p == 1) {
        set ytics () nomirror scale 0 noenhanced font font
        do for [i = 1 : rows] { set ytics add (tick(cell("rows.tsv", i, 1)) number("rows.tsv", i, 2)) }
    }
    if (is_log) {
        plot bars using (10**low):(($2 + $3) / 2):($4 - 10**low):(0):(ink(strcol(6), $7)) \
                with vectors nohead linewidth 1 linecolor rgb variable, \
            bars using 4:(($2 + $3) / 2):(shape_of(strcol(5))):(ink(strcol(6), $7)) with points \
                pointtype variable pointsize 0.9 linecolor rgb variable, \
            bars using 4:(($2 + $3) / 2):8 with labels left noenhanced font small_font offset 1,0
    } else {
        plot bars using (0):(0):(0):(end(p, "full")):2:3:(ink(strcol(6), $7)) with boxxyerror \
                fillstyle solid 1.0 linecolor rgb variable, \
            bars using (0):(0):(0):(end(p, "part")):2:3:(ink(strcol(6), $7)) with boxxyerror \
                fillstyle solid 1.0 noborder linecolor rgb variable, \
            bars using (0):(0):(0):(end(p, "light")):2:3:(ink(strcol(6), $7)) with boxxyerror \
                fillstyle solid 0.35 linecolor rgb variable, \
            bars using (0):(0):(0):(end(p, "hatched")):2:3:(ink(strcol(6), $7)) with boxxyerror \
                fillstyle pattern 4 linecolor rgb variable, \
            bars using (0):(0):(0):($1 == p ? $9 : 0):2:3:(ink(strcol(6), $7)) with boxxyerror \
                fillstyle solid 1.0 linecolor rgb variable, \
            bars using (0):(0):(0.9 * cut(p)):(0.9 * cut(p) + (cut(p) > 0 ? gap : 0)):($2 - 2):($3 + 2) \
                with boxxyerror fillstyle solid 1.0 noborder linecolor rgb "#ffffff", \
            bars using ($1 == p ? $4 : NaN):(($2 + $3) / 2):8 with labels left noenhanced \
                font small_font offset 0.6,0
    }
    unset label
    unset object
}
unset multiplot
