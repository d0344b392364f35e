# figure.gp - how far times can be believed, in four panels. In: `folder` of timing.sh's files,
# `root`, `machine`, `l2` (bytes), `output`.

title = "How far a time can be believed"
machines = machine
own = ""
gpu = ""
words_file = ""
load root . "/plots/style.gp"
width = 1000
height = 780
load root . "/plots/canvas.gp"

points = folder . "/points.csv"
us(seconds) = 1e6 * column(seconds)
of(claim) = strcol("claim") eq claim ? column("value") : NaN
do for [i = 1:5] {
    set style line i linecolor rgb PALETTE[i] pointtype SHAPE[i] pointsize 0.8 linewidth 1.5
}
set style line 9 linecolor rgb grey dashtype 2 linewidth 1

# The left edge and the upper one of the next panel, in pixels.
panel = "right = left + 385; bottom = top + 260;" . place_panel
set multiplot
@multi_heading
set key inside top right Left reverse font small_font samplen 1.5
set xlabel "Time of a run / µs" offset 0,0.4
set logscale x
set xrange [1:1000]

left = 75; top = 75
@panel
set ylabel "Difference / %"
set yrange [-4:7]
limit(t) = t < 20 ? 3 : 1
plot points using (us("time_s")):(of("same_short")) title "one kernel as two variants" \
        with points linestyle 1, \
    "" using (us("time_s")):(of("same")) notitle with points linestyle 1, \
    "" using (us("time_s")):(of("busy")) title "busy host beside quiet one" with points linestyle 2, \
    limit(x) title "limits of the first" with lines linestyle 9, \
    -limit(x) notitle with lines linestyle 9

unset label
left = 580
@panel
set key top left
set ylabel "Time beside the profiler's / µs"
set yrange [-6:8]
share(t) = t < 20 ? 1.5 : 0.03 * t
plot points using (us("time_s")):(of("profiler_short")) \
        title "reads, or sleeps" with points linestyle 3, \
    "" using (us("time_s")):(of("profiler") / 100 * us("time_s")) notitle with points linestyle 3, \
    "" using (us("time_s")):(of("writing")) title "writes a fifth" with points linestyle 4, \
    share(x) title "limits of the first" with lines linestyle 9, \
    -share(x) notitle with lines linestyle 9

left = 75; top = 440
@panel
set xrange [1:10000]
set key top right
set ylabel "Time beyond the sleep / µs"
set yrange [0:7]
plot points using (us("time_s")):(of("asleep")) title "on the launch's stream" \
        with linespoints linestyle 1, \
    "" using (us("time_s")):(of("forked")) title "on another, joined" with linespoints linestyle 5, \
    folder . "/profiler.csv" using (us("time_s")):(column("file") > 0 ? us("time_s") - column("file") : NaN) \
        title "the profiler" with points linestyle 3

left = 580
@panel
set xlabel "Data / MB" offset 0,0.4
set ylabel "GB/s"
set xrange [0.1:2000]
set yrange [0:10000]
set key top left
rows = "using (1e-6 * column('bytes')):(column('gb_per_s'))"
set arrow from l2 / 1e6, graph 0 to l2 / 1e6, graph 1 nohead linestyle 9
set label 3 "L2" at l2 / 1e6, graph 0.06 left offset 0.5 font small_font
plot folder . "/hot.csv" @rows title "hot" with linespoints linestyle 1, \
    folder . "/quiet.csv" @rows title "cold" with linespoints linestyle 2
unset multiplot
