# gpus.gp - variants over several GPUs, a row of panels a lab: strong scaling, the speedup of one
# problem with the law, where one was fitted (two counts of GPUs fit any); weak scaling, the efficiency
# of a problem a GPU. Dotted: the ideal.
machines = gpu_words # no CPU program
law(p, n) = 1 / ((1 - p) + p / n)
# The series' texts and shares by panel: of lab p the strong one is 2 p - 1, the weak one 2 p.
EACH = 20
array LAB[MOST]
array TEXT[MOST * EACH]
array SHARE[MOST * EACH]
do for [s = 1 : MOST * EACH] { TEXT[s] = ""; SHARE[s] = NaN }
rows = series = most = 0 # most GPUs
laws = 0 # whether any was fitted
cell_of(x) = 2 * int(column("panel")) - (strcol("way") eq "strong")
place(i) = (cell_of(row) - 1) * EACH + i
low = 100 # efficiency
high = 100
take_efficiency(y) = (low = lesser(low, y), high = greater(high, y))
take(p, i) = (series = greater(series, i), most = greater(most, column("gpus")), \
    (strcol("way") eq "weak" ? take_efficiency(column("y")) : 0), LAB[p] = strcol("lab"), \
    TEXT[place(i)] = said(strcol("text")), laws = laws || strlen(strcol("share")) > 0, \
    SHARE[place(i)] = strlen(strcol("share")) ? column("share") : NaN, rows = p)
stats table using (column("i") <= EACH ? take(int(column("panel")), int(column("i"))) : row) \
    nooutput
cell_width = 400
key_height = 18 * series
cell_height = 272 + key_height
width = 2 * cell_width
height = 56 + rows * cell_height + 24
load "canvas.gp"
set tics font small_font
set xlabel said("GPUs") font small_font offset 0,0.6
set xtics 1, 2
set format "%g"
set samples 200
set multiplot
eval multi_heading
set label said("points: measured, bars their quartiles; " \
    . (laws ? "line: the law with the fitted P; " : "") . "dotted: ideal") \
    at screen 0.5, from_top(height - 12) center font small_font
measured(x) = x < 1 || x > most ? NaN : x
is_mine(i) = cell_of(row) == c && column("i") == i
do for [c = 1 : 2 * rows] {
    weak = c % 2 == 0
    left = (weak ? cell_width : 0)
    top = 56 + (c - 1) / 2 * cell_height
    set lmargin at screen from_left(left + 60)
    set rmargin at screen from_left(left + cell_width - 16)
    set tmargin at screen from_top(top + 46 + key_height)
    set bmargin at screen from_top(top + cell_height - 56)
    set label weak ? "" : said(lab_title(LAB[(c + 1) / 2])) \
        at screen from_left(left + 60), from_top(top + 10) left noenhanced
    set label said(weak ? "a problem a GPU" : "one problem") \
        at screen from_left(left + 60), from_top(top + 28) left font small_font
    set key at screen from_left(left + 40), from_top(top + 40 + key_height) left bottom vertical \
        font small_font samplen 0.3
    unset logscale
    set logscale x 2
    set xrange [0.9 : most * 1.12]
    set yrange [20 * floor(low / 20 - 0.01) : 1.05 * high]
    set ytics autofreq
    set ylabel said("efficiency / %") font small_font offset 0.8,0
    if (!weak) {
        set logscale y 2
        set yrange [0.7 : most * 1.12]
        set ytics 2
        set ylabel said("speedup over one GPU") font small_font offset 0.8,0
    }
    plot (weak ? 100 : 1) * (weak ? measured(x) / x : measured(x)) with lines linewidth 1.5 \
            dashtype 3 linecolor rgb grey notitle, \
        for [i = 1 : series] law(SHARE[(c - 1) * EACH + i], measured(x)) with lines \
            linewidth 1.5 linecolor rgb ink(i) notitle, \
        for [i = 1 : series] table using (is_mine(i) ? column("gpus") : NaN):(column("y")): \
            (column("low")):(column("high")) with yerrorbars pointtype shape(i) pointsize 0.9 \
            linewidth 1.5 linecolor rgb ink(i) title TEXT[(c - 1) * EACH + i], \
        for [i = 1 : weak * series] table using (is_mine(i) ? column("gpus") : NaN): \
            (column("y")) with lines linewidth 0.8 linecolor rgb ink(i) notitle, \
        table using (is_svg && cell_of(row) == c ? column("gpus") : NaN):(column("y")) @under_mouse
    unset label
}
