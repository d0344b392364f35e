# amdahl_formula.gp - figure 9 of the 2012 lab report: the speedup S(N) = 1 / ((1-P) + P/N) that N
# processors give a program of which the share P runs in parallel (Amdahl's law), and its limits.
#
#   gnuplot -c amdahl_formula.gp OUTPUT
output = ARG1
load "style.gp"
array share[4] = [0.95, 0.9, 0.75, 0.5]
array ink[4] = [vermillion, blue, green, purple]
speedup(p, n) = 1 / ((1 - p) + p / n)

set title "Amdahl's law: speedup S(N) = 1 / ((1-P) + P/N)"
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
# Above each curve's end its share, and the limit that it nears.
do for [i = 1 : 4] {
    set arrow i from 1, 1 / (1 - share[i]) to 65536, 1 / (1 - share[i]) nohead \
        linewidth 1 dashtype (4, 5) linecolor rgb ink[i]
    set label i sprintf("P = %.2f, limit %g", share[i], 1 / (1 - share[i])) \
        at graph 1.02, first 1 / (1 - share[i]) left textcolor rgb ink[i]
}
plot for [i = 1 : 4] speedup(share[i], x) with lines linewidth 2 linecolor rgb ink[i]
