# curves.gp - one panel of curves, straight from a lab's rows: own/LAB.csv, of a machine without a
# GPU the kernels of gpu/LAB.csv, and those of 2012 from past/LAB.csv. In, from figures.tsv:
#
#   x       size | block
#   y       the column drawn: time_s, speedup, gb_per_s, gflop_per_s or any other with a number
#   curve   what tells the curves apart: variant (each at its best block), block or size
#   filter  words that a row has to meet, see README.md
#
# Only rows that are ok get in, none emulated. Measured curves are solid and thick with points,
# those of 2012 thin and dashed in the same colour. A figure of curves by block has the serial CPU
# program, too, where y is a time. Along an axis of blocks only square ones are drawn, if there are
# any: 32x8 and 16x16 are not two steps of one growth. figure10.gp loads this file for each of its
# panels.
if (!exists("in_panel")) { in_panel = 0 }
if (y eq "speedup" && !own_machine) { machines = gpu_words . " over its own CPU" }
set datafile columnheaders
unset logscale # the panel before may have left axes that hide points from `stats`
set xrange [*:*]
set yrange [*:*]
size_axis = "size"
sizes_are = "image"
dimensions = 2
stats labs using (strcol("lab") eq lab ? (size_axis = strcol("size_axis"), \
    sizes_are = strcol("sizes_are"), dimensions = column("block_dimensions"), 1) : 1) nooutput

# A list is a text of words; place() is the place of one of them, or 0.
place_from(name, list, i) = i > words(list) ? 0 : word(list, i) eq name ? i \
    : place_from(name, list, i + 1)
place(name, list) = place_from(name, list, 1)

# A row: `header` is the first line of its file. A column that is not there is empty.
text(name) = strstrt(header, "," . name . ",") ? strcol(name) : ""
number(name) = strlen(text(name)) ? column(name) : 0
is_cpu(x) = strcol("kind") eq "cpu"
extent(x) = sizes_are eq "image" ? strcol("width") . "x" . strcol("height") \
    : sizes_are eq "product" && strlen(text("depth")) && (strcol("height") ne strcol("width") \
        || text("depth") ne strcol("width")) \
    ? strcol("width") . "x" . strcol("height") . "x" . text("depth") : strcol("width")
area(x) = 1.0 * column("width") * (sizes_are eq "image" ? column("height") : 1)
threads(x) = number("block_x") * greater(1, number("block_y"))
is_square(x) = number("block_x") == number("block_y")
block(x) = dimensions == 1 ? text("block_x") : text("block_x") . "x" . text("block_y")

# KEY=VALUE holds of a row with this parameter, -KEY=VALUE of one without. variant=NAME chooses
# among the kernels. Of kernels the rows with cold caches are drawn; scaling over threads and ways
# of transfer are figures of their own.
holds(pair) = strstrt(";" . strcol("parameters") . ";", ";" . pair . ";") > 0
meets(word) = word[1:8] eq "variant=" ? is_cpu(0) || strcol("variant") eq word[9:*] \
    : word[1:1] eq "-" ? !holds(word[2:*]) : holds(word)
passes(i) = i > words(filter) ? 1 : meets(word(filter, i)) && passes(i + 1)
has_key(key) = strstrt(";" . strcol("parameters"), ";" . key . "=") > 0
wanted(x) = strcol("status") eq "ok" && strcol("kind") ne "emulated" && strcol("kind") ne without \
    && !has_key("cpu_threads") && !has_key("transfer") && (is_cpu(0) || text("cache") ne "hot") \
    && passes(1) && number(y) > 0

# Which variants there are, in the order of the files, which gives them their colours; and what
# work, the parameters, their rows did. A curve must not jump between works, two radii, say: that of
# most kernels' rows is drawn; a variant without it has its own first one. `done` holds
# VARIANT@WORK.
kernels = ""
cpus = ""
done = ""
works = 0
has_square = 0
array WORK[100]
array COUNT[100]
work_from(text, i) = i > works ? (works = i, WORK[i] = text, COUNT[i] = 0, i) \
    : WORK[i] eq text || i == 100 ? i : work_from(text, i + 1)
work(x) = work_from(strcol("parameters"), 1)
deed(i) = sprintf("%s@%d", strcol("variant"), i)
count(i) = (COUNT[i] = COUNT[i] + (is_cpu(0) ? 1e-6 : 1), \
    has_square = has_square || (threads(0) > 1 && is_square(0)), \
    done = place(deed(i), done) ? done : done . " " . deed(i), 1)
learn(name) = (is_cpu(0) ? place(name, cpus) ? 0 : (cpus = cpus . " " . name, 1) \
    : place(name, kernels) ? 0 : (kernels = kernels . " " . name, 1), \
    wanted(0) ? count(work(0)) : 0)
most(best, i) = i > works ? best : most(COUNT[i] > COUNT[best] ? i : best, i + 1)
is_first(i) = strstrt(done . " ", " " . deed(i) . " ") \
    == strstrt(done, " " . strcol("variant") . "@")
# Rows of 2012 may be of another type, which stands last.
typeless(text) = text[1:strstrt(text . ";type=", ";type=") - 1]
is_shown(i) = usual == 0 ? 0 : is_past ? typeless(WORK[i]) eq typeless(WORK[usual]) \
    : i == usual || (!place(deed(usual), done) && is_first(i))
variant_ink(name) = place(name, cpus) ? ink(-place(name, cpus)) : ink(place(name, kernels))

# The best value of each curve at each x, and where x is. A cell is a curve's x-th value, of today
# or of 2012.
names = ""
xs = ""
array X[100]
array BEST[20000]
do for [i = 1 : 20000] { BEST[i] = NaN }
cell(c, k, past) = 10000 * past + 100 * (c - 1) + k
low = 1e300
high = 0
n_drawn = 0
n_other = 0
is_in(x) = x eq "block" && (is_cpu(0) || threads(0) == 0 || (has_square && !is_square(0))) ? 0 \
    : curve eq "variant" ? !is_past : is_cpu(0) ? curve eq "block" && y eq "time_s" \
        && (strlen(text("role")) ? text("role") eq "serial" : strcol("variant") eq "cpu") \
    : threads(0) > 0
is_better(value, other) = !(other > 0) || (y eq "time_s" ? value < other : value > other)
name_of(x) = curve eq "variant" ? strcol("variant") : curve eq "size" ? extent(0) \
    : is_cpu(0) ? "CPU" : block(0)
curve_of(name) = (place(name, names) ? 0 : (names = names . " " . name), place(name, names))
x_of(name, at) = (place(name, xs) ? 0 : (xs = xs . " " . name, X[words(xs)] = at), place(name, xs))
put(j, value) = (low = value < low ? value : low, high = greater(value, high), \
    n_drawn = n_drawn + !is_past, is_better(value, BEST[j]) ? (BEST[j] = value) : 0, 1)
take(x) = !wanted(0) || !is_in(x) ? 0 \
    : !is_shown(work(0)) ? (n_other = n_other + (!is_past && !is_cpu(0)), 0) \
    : put(cell(curve_of(name_of(0)), x eq "block" ? x_of(block(0), threads(0)) \
        : x_of(extent(0), area(0)), is_past), column(y))
# First what there is, of today, then what is drawn.
do for [pass in "learn take"] {
    do for [source in "own gpu past"] {
        is_past = source eq "past"
        csv = (source eq "own" ? own : is_past ? past : gpu) . "/" . lab . ".csv"
        without = own_machine || is_past ? "" : source eq "own" ? "gpu" : "cpu"
        if (is_file(csv) && !(own_machine && source eq "gpu") && !(is_past && past eq own)) {
            header = "," . line_of(csv, 1) . ","
            if (pass eq "take") {
                stats csv using (take(x)) nooutput
            } else { if (!is_past) {
                stats csv using (learn(strcol("variant"))) nooutput
            } }
        }
    }
    usual = works ? most(1, 1) : 0
}
unset datafile columnheaders
if (n_other) { print sprintf("note: %d rows of other parameters are not drawn", n_other) }
reason = n_drawn > 0 ? "" : "no measured rows with " . y
eval nothing

# Blocks of the old ladder, 1x1 to 32x32, have fixed colours.
ladder = "1x1 2x2 4x4 8x8 16x16 32x32"
tint(c) = (name = word(names, c), curve eq "variant" ? variant_ink(name) : name eq "CPU" ? black \
    : curve eq "block" && place(name, ladder) ? BLOCK_INK[place(name, ladder)] : ink(c))
words_of(c) = curve eq "variant" ? word(names, c) : crossed(word(names, c))
n = words(names)
n_x = words(xs)
in_row(c, k, past) = k == 0 ? 0 : BEST[cell(c, k, past)] > 0 || in_row(c, k - 1, past)

# Axes. The ticks of x are the values measured, as many as have room (`line_length` characters fit
# under the plot); of lengths over many decades, decades.
set xlabel x eq "block" ? "block size / threads" : size_axis
if (!in_panel) {
    load "canvas.gp"
    eval heading
    set ylabel y eq "time_s" ? "time / s" : y eq "speedup" ? "speedup over one CPU thread" \
        : y eq "gb_per_s" ? "memory bandwidth / (GB/s)" \
        : y eq "gflop_per_s" ? "arithmetic rate / (GFLOP/s)" : y noenhanced
    line_length = 75
}
x_low = X[1]
x_high = X[1]
do for [k = 1 : n_x] {
    x_low = X[k] < x_low ? X[k] : x_low
    x_high = greater(x_high, X[k])
}
set format y "10^{%T}"
set xrange [x_low / 1.3 : x_high * 1.3]
set yrange [down(low) : up(high * 1.0001)]
set logscale xy 10
if (x_high > 1e4 * x_low && sizes_are ne "image") {
    set xtics down(x_low), 10 font font
    set format x "10^{%T}"
} else {
    unset xtics
    set xtics () font small_font nomirror
    share = (strlen(word(xs, n_x)) + 2.0) / line_length * log(1.69 * x_high / x_low)
    last = 0
    do for [k = n_x : 1 : -1] {
        if (last == 0 || log(last / X[k]) > share) {
            set xtics add (crossed(word(xs, k)) X[k])
            last = X[k]
        }
    }
}
plot NaN with lines linecolor "#ffffff" title curve, \
    for [c = 1 : n] X using (X[$1]):(BEST[cell(c, int($1), 1)]) every ::0::n_x-1 smooth unique \
        with lines linewidth 1 dashtype (9, 5) linecolor rgb tint(c) \
        title in_row(c, n_x, 0) ? "" : words_of(c), \
    for [c = 1 : n] X using (X[$1]):(BEST[cell(c, int($1), 0)]) every ::0::n_x-1 smooth unique \
        with linespoints linewidth 2 linecolor rgb tint(c) pointsize 0.7 pointtype shape(c) \
        title in_row(c, n_x, 0) ? words_of(c) : "", \
    NaN with lines linewidth 1 dashtype (9, 5) linecolor rgb grey \
        title (sum [c = 1 : n] in_row(c, n_x, 1)) && !in_panel ? past_name : ""
