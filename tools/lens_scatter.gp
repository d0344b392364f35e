# lens_scatter.gp - what the lens's model expects beside what was measured: a point for each recorded row, a panel for
# each card, between the lines the range that it gives. In: `cards` of data/reference, `labs`, `root`, `output`.

title = "The lens's time beside the measured one"
machine = "recorded rows of labs 1 to 10, cold and hot"
machines = machine
own = ""
gpu = ""
words_file = ""
load root . "/plots/style.gp"
width = 1000
height = 560
load root . "/plots/canvas.gp"

table_of(c) = root . "/data/reference/" . word(cards, c) . "/estimates.csv"
stats table_of(1) using (column("low_s") / column("estimate_s")) name "LOW" nooutput
stats table_of(1) using (column("high_s") / column("estimate_s")) name "HIGH" nooutput
panel = "right = left + 385; bottom = top + 400;" . place_panel
set multiplot
@multi_heading
set logscale xy
set xrange [2:200000]
set yrange [2:200000]
set format xy "10^{%L}"
set xlabel "Measured / µs" offset 0,0.4
set ylabel "Expected / µs"
set key inside top left reverse Left font small_font samplen 1
top = 80
do for [c = 1:words(cards)] {
    left = c == 1 ? 75 : 580
    @panel
    table = table_of(c)
    set label 5 word(cards, c) at graph 0.97, graph 0.05 right
    plot for [i = 1:words(labs)] table using \
            (strcol("lab") eq word(labs, i) ? 1e6 * column("time_s") : NaN):(1e6 * column("estimate_s")) \
            title word(labs, i)[1:strstrt(word(labs, i), "_") - 1] with points \
            linecolor rgb PALETTE[i] pointtype SHAPE[(i - 1) % 6 + 1] pointsize 0.4, \
        x notitle with lines linecolor rgb black linewidth 1, \
        LOW_median * x notitle with lines linecolor rgb grey dashtype 2 linewidth 1, \
        HIGH_median * x notitle with lines linecolor rgb grey dashtype 2 linewidth 1
    unset key
}
unset multiplot
