# amdahl.gp - speedup against processors by Amdahl's law, S(N) = 1 / ((1-P) + P/N). curve=formula:
# figure 9 of the 2012 lab report, for four shares P and their limits. curve=measured: the OpenMP
# programs, a panel a lab, the fitted law and the ideal.
speedup(p, n) = 1 / ((1 - p) + p / n)
if (curve eq "formula") {
    load "canvas.gp"
    array SHARE[4] = [0.95, 0.9, 0.75, 0.5]
    set title title
    set xlabel said("processors N")
    set ylabel said("speedup S")
    set logscale x 2
    set xrange [1:65536]
    set yrange [0:22]
    set xtics 1, 4 format "%g"
    set ytics 2
    set samples 400
    set rmargin 26
    set key off
    array DASH[4] = [1, 2, 4, 3]
    # Beside each curve's end its share, and the limit that it nears.
    do for [i = 1 : 4] {
        set arrow i from 1, 1 / (1 - SHARE[i]) to 65536, 1 / (1 - SHARE[i]) nohead \
            linewidth 1 dashtype 3 linecolor rgb ink(i)
        set label i said(sprintf("P = %.2f, limit %g", SHARE[i], 1 / (1 - SHARE[i]))) \
            at graph 1.02, first 1 / (1 - SHARE[i]) left textcolor rgb ink(i)
    }
    plot for [i = 1 : 4] speedup(SHARE[i], x) with lines linewidth 2 dashtype DASH[i] \
        linecolor rgb ink(i)
    exit
}

machines = machine # the CPU's programs, here and nowhere else
array LAB[MOST]
array SHARE[MOST]
array TEXT[MOST]
panels = 0
take(p) = (LAB[p] = said(lab_title(strcol("lab"))), TEXT[p] = said(strcol("text")), \
    SHARE[p] = strlen(strcol("share")) ? column("share") : NaN, panels = p)
stats table using (panels < column("panel") ? take(int(column("panel"))) : row) nooutput
stats table using (column("cpu_threads")):(column("speedup")) name "s" nooutput
columns = panels < 3 ? panels : 3
cell_width = 305
cell_height = 280
width = columns * cell_width + 10
height = 56 + (panels + columns - 1) / columns * cell_height + 24
load "canvas.gp"
set tics font small_font
set xlabel said("threads") font small_font offset 0,0.6
set ylabel said("speedup over one thread") font small_font offset 0.4,0
set logscale xy 2
set xrange [0.9 : s_max_x * 1.12]
set yrange [s_min_y * 0.9 : greater(s_max_x, s_max_y) * 1.12]
set xtics 1, 2
set ytics 2
set format "%g"
set samples 200
unset key
set multiplot
eval multi_heading
set label said("points: measured, bars their quartiles; line: the law with the fitted P; " \
    . "dotted: ideal") at screen 0.5, from_top(height - 12) center font small_font
measured(x) = x < 1 || x > s_max_x ? NaN : x
is_mine(i) = column("panel") == p
do for [p = 1 : panels] {
    left = (p - 1) % columns * cell_width
    top = 56 + (p - 1) / columns * cell_height
    set lmargin at screen from_left(left + 56)
    set rmargin at screen from_left(left + cell_width - 10)
    set tmargin at screen from_top(top + 46)
    set bmargin at screen from_top(top + cell_height - 44)
    set label LAB[p] at graph 0, graph 1 left offset 0,1.7 noenhanced font small_font
    set label TEXT[p] at graph 0, graph 1 left offset 0,0.6 noenhanced font small_font
    plot measured(x) with lines linewidth 1.5 dashtype 3 linecolor rgb grey, \
        speedup(SHARE[p], measured(x)) with lines linewidth 1.5 linecolor rgb vermillion, \
        table using (is_mine(row) ? column("cpu_threads") : NaN):(column("speedup")): \
            (column("low")):(column("high")) with yerrorbars pointtype 7 pointsize 0.9 \
            linewidth 1.5 linecolor rgb black, \
        table using (is_svg && is_mine(row) ? column("cpu_threads") : NaN):(column("speedup")) \
            @under_mouse
    unset label
}
