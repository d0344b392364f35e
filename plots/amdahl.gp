# amdahl.gp - speedup against processors by Amdahl's law, S(N) = 1 / ((1-P) + P/N). curve=formula:
# figure 9 of the 2012 lab report, for four shares P and their limits. curve=measured: the OpenMP
# programs, points measured, curves of the fitted share P, and the ideal line.
speedup(p, n) = 1 / ((1 - p) + p / n)
if (curve eq "formula") {
    load "canvas.gp"
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
array SHARE[100]
array KEY[100]
n = 0
most_key = 1
take(i) = (n = i, SHARE[i] = column("share"), KEY[i] = lab_title(strcol("lab")) \
    . said(strcol("text")), most_key = greater(most_key, strlen(KEY[i])), 1)
stats table using (n < column("ink") ? take(int(column("ink"))) : 0) nooutput
stats table using (column("cpu_threads")):(column("speedup")) name "s" nooutput
width = int(640 + 6 * most_key)
load "canvas.gp"
eval heading
set xlabel "threads"
set ylabel "speedup over one CPU thread"
set logscale xy 2
set xrange [0.93 : s_max_x * 1.08]
set yrange [s_min_y * 0.93 : greater(s_max_x, s_max_y) * 1.08]
set xtics 1, 2
set ytics 2
set format "%g"
set samples 200
set key font small_font
measured(x) = x < 1 || x > s_max_x ? NaN : x
plot NaN with lines linecolor "#ffffff" title "program, parallel share P", \
    measured(x) with lines linewidth 1 dashtype (9, 5) linecolor rgb grey title "ideal", \
    for [i = 1 : n] speedup(SHARE[i], measured(x)) with lines linewidth 1.5 \
        linecolor rgb ink(i) notitle, \
    for [i = 1 : n] table using (column("ink") == i ? column("cpu_threads") : NaN) \
        :(column("speedup")) with points pointsize 0.9 pointtype shape(i) \
        linecolor rgb ink(i) notitle, \
    for [i = 1 : n] keyentry with linespoints linewidth 1.5 pointsize 0.9 pointtype shape(i) \
        linecolor rgb ink(i) title KEY[i]
