# curves.gp - the core of every figure with curves: measured ones solid and thick with points, those
# of 2012 thin and dashed in the same colour, one key entry a colour. Loaded by the figure's script
# after it has set titles and axes. In: `data`, the sorted rows of series.awk; `past`, what the
# dashed curves are, or "" for no entry in the key; `key_heading`, a line over the key.

# (In a figure of several panels the last one's ranges still hold, and would leave points out.)
unset logscale
set xrange [*:*]
set yrange [*:*]
stats data using 3 nooutput name "x_"
stats data using 4 nooutput name "y_"
set logscale xy 10
set format y "10^{%T}"
set yrange [10**floor(log10(y_min) + 1e-9) : 10**ceil(log10(y_max * 1.0001))]
set xrange [x_min / 1.3 : x_max * 1.3]

# The ticks of x are the values measured, as many as have room (`line_length` characters fit under
# the plot); of lengths over many decades, decades.
if (!exists("line_length")) { line_length = 75 }
ticks = system("cut -f 3,5 '" . data . "' | sort -rn -u | tr '\t' ' '")
if (x_max / x_min > 1e4 && strstrt(ticks, "×") == 0) {
    set format x "10^{%T}"
} else {
    unset xtics
    set xtics () font small_font nomirror
    label_share = (strlen(word(ticks, 2)) + 2.0) / line_length
    last = 0
    do for [i = 1 : words(ticks) / 2] {
        tick = real(word(ticks, 2 * i - 1))
        if (last == 0 || log(last / tick) > label_share * log(1.69 * x_max / x_min)) {
            set xtics add (word(ticks, 2 * i) tick)
            last = tick
        }
    }
}

# The curves' names with their ranks, in order: those measured, those of 2012.
now_curves = system("grep '\tnow\t' '" . data . "' | cut -f 1,6 | uniq | tr '\t' ' '")
past_curves = system("grep '\tpast\t' '" . data . "' | cut -f 1,6 | uniq | tr '\t' ' '")
n_now = words(now_curves) / 2
n_past = words(past_curves) / 2
rank(list, i) = int(word(list, 2 * i - 1) . ".0")
name(list, i) = word(list, 2 * i)
ink(list, i) = colour(name(list, i), rank(list, i))
holds(list, what, i) = i > words(list) / 2 ? 0 : name(list, i) eq what ? 1 : holds(list, what, i + 1)
x_of(source, what) = strcol(2) eq source && strcol(6) eq what ? column(3) : NaN

plot NaN with lines linecolor "#ffffff" title key_heading, \
    for [i = 1 : n_past] data using (x_of("past", name(past_curves, i))):4 \
        with lines linewidth 1 dashtype (9, 5) linecolor rgb ink(past_curves, i) notitle, \
    for [i = 1 : n_now] data using (x_of("now", name(now_curves, i))):4 \
        with linespoints linewidth 2 linecolor rgb ink(now_curves, i) pointsize 0.7 \
        pointtype shape(name(now_curves, i), rank(now_curves, i)) title name(now_curves, i), \
    for [i = 1 : n_past] NaN with lines linewidth 1 dashtype (9, 5) linecolor rgb ink(past_curves, i) \
        title holds(now_curves, name(past_curves, i), 1) ? "" : name(past_curves, i), \
    NaN with lines linewidth 1 dashtype (9, 5) linecolor rgb grey title n_past ? past : ""
