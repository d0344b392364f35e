# roofline.gp - the roofline of a processor: what its measured bandwidth and arithmetic rate let a
# program of each intensity reach, and what the variants did reach, a panel a lab. The model is
# S. Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual performance model for
# multicore architectures", CACM 52(4), 2009. Sources: the tables `ceilings` and `roofline`;
# `curve` is the processor. Each point has its label in the column beside the panel, in the order
# of the points.
load "style.gp"
machines = curve eq "cpu" ? machine : gpu_words
load "tables.gp"
most_points = 300
do for [name in "PANEL INTENSITY RATE INK RANK TEXT LABEL_AT"] {
    eval "array " . name . "[most_points]"
}
array TITLE[100]
array PANEL_LAB[100]
panels = 0
n = 0
bytes = 0
flops = 0
stats tables . "/ceilings.csv" using (strcol("processor") eq curve \
    ? (bytes = column("gb_per_s"), flops = column("gflop_per_s"), 1) : 1) nooutput

panel_of(name, p) = p > panels ? 0 : PANEL_LAB[p] eq name ? p : panel_of(name, p + 1)
in_panel(p, i) = i == 0 ? 0 : (PANEL[i] == p) + in_panel(p, i - 1)
new_panel(name) = panel_of(name, 1) || panels == 8 ? 0 : (panels = panels + 1, \
    PANEL_LAB[panels] = name, TITLE[panels] = strcol("size"), 1)
share(x) = strlen(strcol("roof_percent")) ? " " . percent(column("roof_percent")) . " %" : ""
point(p) = p == 0 || n == most_points ? 0 : (n = n + 1, PANEL[n] = p, RANK[n] = in_panel(p, n), \
    TITLE[p] = TITLE[p] eq strcol("size") ? TITLE[p] : "", \
    INTENSITY[n] = column("flop_per_byte"), RATE[n] = column("gflop_per_s"), \
    INK[n] = lab_ink(strcol("lab"), strcol("variant")), \
    TEXT[n] = shortened(strcol("variant"), 20) . share(0), 1)
is_point(x) = strcol("processor") eq curve && column("flop_per_byte") > 0 \
    && column("gflop_per_s") > 0
stats table using (is_point(0) ? (new_panel(strcol("lab")), point(panel_of(strcol("lab"), 1))) \
    : 0) \
    nooutput
unset datafile columnheaders
if (n == 0 || !(bytes > 0) || !(flops > 0)) {
    reason = "no ceilings or no rates of the " . curve
    eval nothing
}
ridge = flops / bytes
x_low = ridge; x_high = ridge; y_low = flops; y_high = flops
do for [i = 1 : n] {
    x_low = INTENSITY[i] < x_low ? INTENSITY[i] : x_low
    x_high = greater(x_high, INTENSITY[i])
    y_low = RATE[i] < y_low ? RATE[i] : y_low
    y_high = greater(y_high, RATE[i])
}
x_low = down(0.9 * x_low); x_high = up(1.1 * x_high)
y_low = down(0.9 * y_low); y_high = up(1.1 * y_high)

# The grid of panels, each with its labels beside it.
columns = panels == 1 ? 1 : 2
cell_width = panels == 1 ? 800 : 470
plot_width = cell_width - 58 - 208
plot_height = 200
cell_height = plot_height + 70
upper = 80
width = columns * cell_width
height = upper + (panels + columns - 1) / columns * cell_height + 6
load "style.gp"
line = 13 # pixels of a label

# The labels stand at their points' height, but apart from each other and inside the panel:
# downwards each below the one before, then upwards from the lower edge. What has no room is not
# named.
array ORDER[most_points]
unnamed = 0
pixels(i) = plot_height * log10(y_high / RATE[i]) / log10(y_high / y_low)
do for [p = 1 : panels] {
    m = 0
    do for [i = 1 : n] {
        LABEL_AT[i] = PANEL[i] == p ? -1 : LABEL_AT[i]
        if (PANEL[i] == p) {
            m = m + 1
            j = m
            while (j > 1 && (j > 1 ? RATE[ORDER[greater(1, j - 1)]] < RATE[i] : 0)) {
                ORDER[j] = ORDER[j - 1]
                j = j - 1
            }
            ORDER[j] = i
        }
    }
    room = plot_height / line + 1
    unnamed = unnamed + greater(0, m - room)
    m = m > room ? room : m
    place = -line
    do for [j = 1 : m] {
        place = greater(place + line, pixels(ORDER[j]))
        LABEL_AT[ORDER[j]] = place
    }
    do for [j = m : 1 : -1] {
        lowest = plot_height - (m - j) * line
        LABEL_AT[ORDER[j]] = LABEL_AT[ORDER[j]] > lowest ? lowest : LABEL_AT[ORDER[j]]
    }
}

whole(value) = value < 100 ? digits3(value) : sprintf("%.0f", value)
unset key
set tics font small_font
set multiplot
eval multi_heading
set label 3 "measured roofs: " . whole(bytes) . " GB/s, " . whole(flops) . " GFLOP/s, ridge at " \
    . digits3(ridge) . " FLOP/byte (dotted); labels: share of the roof" \
    . (unnamed ? sprintf("; points not named: %d", unnamed) : "") \
    at screen 0.5, from_top(58) center font small_font
roof(x) = x < ridge ? bytes * x : flops
at(i, y) = PANEL[i] == p ? y : NaN
do for [p = 1 : panels] {
    left = (p - 1) % columns * cell_width + 58
    top = upper + (p - 1) / columns * cell_height + 26
    set lmargin at screen from_left(left)
    set rmargin at screen from_left(left + plot_width)
    set tmargin at screen from_top(top)
    set bmargin at screen from_top(top + plot_height)
    set logscale xy 10
    set xrange [x_low : x_high]
    set yrange [y_low : y_high]
    set xtics log10(x_high / x_low) > 4.5 ? 100 : 10 format "10^{%T}"
    set ytics 10 format "10^{%T}"
    set samples 300
    set xlabel "FLOP / byte" font small_font offset 0,0.6
    set ylabel "GFLOP/s" font small_font offset 1.6,0
    set label 10 lab_title(PANEL_LAB[p]) . (strlen(TITLE[p]) ? ", " . crossed(TITLE[p]) : "") \
        at graph 0, graph 1 left offset 0,0.7 noenhanced
    set arrow 1 from ridge, y_low to ridge, flops nohead linewidth 1 dashtype (4, \
        5) linecolor rgb grey
    do for [i = 1 : n] {
        if (PANEL[i] == p && LABEL_AT[i] >= 0) {
            set arrow 100 + i from INTENSITY[i], RATE[i] \
                to screen from_left(left + plot_width + 10), from_top(top + LABEL_AT[i]) \
                nohead linewidth 0.5 linecolor rgb grey
            set label 100 + i TEXT[i] at screen from_left(left + plot_width + 12), \
                from_top(top + LABEL_AT[i]) left noenhanced font small_font
        }
    }
    plot roof(x) with lines linewidth 2 linecolor rgb black, \
        RATE using (at($1, INTENSITY[$1])):(RATE[$1]):(shape(RANK[$1])):(INK[$1]) every ::0::n-1 \
            with points pointtype variable pointsize 0.9 linecolor rgb variable
    unset label
    unset arrow
}
unset multiplot
