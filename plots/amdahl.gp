# amdahl.gp - speedup against processors by Amdahl's law, S(N) = 1 / ((1-P) + P/N). curve=formula:
# figure 9 of the 2012 lab report, for four shares P and their limits. curve=measured: the OpenMP
# programs, points measured, curves of the fitted share P, and the ideal line; from the tables
# `scaling` and `amdahl`.
load "style.gp"
# Superlinear speedup may fit a share over 1, whose curve ends where the law has a pole.
rest(p, n) = (1 - p) + p / n
speedup(p, n) = rest(p, n) <= 0 ? NaN : 1 / rest(p, n)
if (curve eq "formula") {
    array SHARE[4] = [0.95, 0.9, 0.75, 0.5]
    set title title
    set xlabel "processors N"
    set ylabel "speedup S"
    set logscale x 2
    set xrange [1:65536]
    set yrange [0:22]
    set xtics 1, 4 format "%g"
    set ytics 2
    set samples 400
    set rmargin 26
    set key off
    # Beside each curve's end its share, and the limit that it nears.
    do for [i = 1 : 4] {
        set arrow i from 1, 1 / (1 - SHARE[i]) to 65536, 1 / (1 - SHARE[i]) nohead \
            linewidth 1 dashtype (4, 5) linecolor rgb ink(i)
        set label i sprintf("P = %.2f, limit %g", SHARE[i], 1 / (1 - SHARE[i])) \
            at graph 1.02, first 1 / (1 - SHARE[i]) left textcolor rgb ink(i)
    }
    plot for [i = 1 : 4] speedup(SHARE[i], x) with lines linewidth 2 linecolor rgb ink(i)
    exit
}

machines = machine # the CPU's programs, here and nowhere else
load "tables.gp"
array SHARE[n_labs]
array KEY[n_labs]
most_key = 1
x_max = 2
y_min = 1
do for [i = 1 : n_labs] { SHARE[i] = NaN; KEY[i] = lab_title(L_NAME[i]) }
# Two decimals where the limit 1/(1-P) hangs on them.
share_words(p) = sprintf(p >= 99 && p < 100 ? ": P = %.2f %%" : ": P = %.1f %%", p)
fitted(i) = i == 0 ? 0 : (KEY[i] = KEY[i] . ", " . crossed(strcol("size")) \
    . (strlen(strcol("parallel_percent")) ? share_words(column("parallel_percent")) : ""), \
    SHARE[i] = strlen(strcol("parallel_percent")) ? column("parallel_percent") / 100 : NaN, 1)
if (is_file(tables . "/amdahl.csv")) {
    stats tables . "/amdahl.csv" using (fitted(lab_of(strcol("lab"), 1))) nooutput
}
y_max = 0
n_points = 0
stats table using (column("speedup") > 0 && column("cpu_threads") > 0 ? (n_points = n_points + 1, \
    x_max = greater(x_max, column("cpu_threads")), y_max = greater(y_max, column("speedup")), \
    y_min = column("speedup") < y_min ? column("speedup") : y_min, 1) : 0) nooutput
if (n_points == 0) {
    reason = "no row has a speedup"
    eval nothing
}
do for [i = 1 : n_labs] { most_key = greater(most_key, strlen(KEY[i])) }
width = int(640 + 6 * most_key)
load "style.gp"
set datafile columnheaders
eval heading
set xlabel "threads"
set ylabel "speedup over one CPU thread"
set logscale xy 2
set xrange [0.93 : x_max * 1.08]
set yrange [y_min * 0.93 : greater(x_max, y_max) * 1.08]
set xtics 1, 2
set ytics 2
set format "%g"
set samples 200
set key font small_font
plot NaN with lines linecolor "#ffffff" title "program, parallel share P", \
    x < 1 || x > x_max ? NaN : x with lines linewidth 1 dashtype (9, \
        5) linecolor rgb grey title "ideal", \
    for [i = 1 : n_labs] x < 1 || x > x_max ? NaN : speedup(SHARE[i], x) with lines linewidth 1.5 \
        linecolor rgb ink(i) notitle, \
    for [i = 1 : n_labs] table using (strcol("lab") eq L_NAME[i] ? column("cpu_threads") : NaN) \
        :(column("speedup")) with points pointsize 0.9 pointtype shape(i) \
        linecolor rgb ink(i) notitle, \
    for [i = 1 : n_labs] NaN with linespoints linewidth 1.5 pointsize 0.9 pointtype shape(i) \
        linecolor rgb ink(i) title KEY[i]
