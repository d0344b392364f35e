# class.gp - one point a student an exercise: what the class has. In: `y`, marks or times, of the table
# figure_class, whose column `what` tells of a line: a point, the class's quartiles, a line of the
# reference or a library, an exercise's name.
is_times = y eq "times"
is(kind) = strcol("what") eq y . "-" . kind
array TICK[MOST]
n_ticks = n_points = n_reference = n_library = 0
low = 1e300
high = 0
seen(v) = v == v ? (low = lesser(low, v), high = greater(high, v)) : 0
take(x) = is("tick") ? (n_ticks = n_ticks + 1, TICK[n_ticks] = strcol("text")) : is("point") \
    ? (n_points = n_points + 1, seen(column("value"))) : is("reference") ? (n_reference = n_reference + 1, seen(column("value"))) \
    : is("library") ? (n_library = n_library + 1, seen(column("value"))) : 0
stats table using (take(row), 0) nooutput
reason = n_points ? "" : "no submission has a time"
eval nothing
width = greater(640, 90 + 100 * n_ticks)
load "canvas.gp"
eval heading
set xrange [0.4 : n_ticks + 0.6]
set xtics () noenhanced scale 0 font small_font
set key outside bottom center horizontal maxrows 1 font small_font
set bmargin 5
do for [i = 1 : n_ticks] { set xtics add (swap(TICK[i], "|", "\n") i) }
unset grid
set grid ytics linewidth 0.5 linecolor "#d8d8d8"
set ylabel said(is_times ? "time / µs" : "marks / %")
if (is_times) { set logscale y 10; set yrange [low / 1.3 : high * 1.3]; set format y "%g" } else { set yrange [-4 : 112] }
across(kind) = is(kind) ? column("x") - 0.38 : NaN
set style fill solid 1 noborder
plot table using (is("quartiles") ? column("x") : NaN):"value":(column("x") - 0.38): \
        (column("x") + 0.38):"q1":"q3" with boxxyerror linecolor rgb 0xE4E4E4 \
        title said("quartiles of the class"), \
    table using (across("quartiles")):"value":(0.76):(0) with vectors nohead linewidth 2 \
        linecolor rgb grey title said("median"), \
    table using (is("point") ? column("x") : NaN):"value" with points pointtype 7 pointsize 0.55 \
        linecolor rgb ink(2) title said("a student"), \
    for [k = 1 : n_reference > 0] table using (across("reference")):"value":(0.76):(0) \
        with vectors nohead linewidth 2 linecolor rgb ink(1) title said("reference"), \
    for [k = 1 : n_library > 0] table using (across("library")):"value":(0.76):(0) with vectors \
        nohead linewidth 2 dashtype 2 linecolor rgb black title said("library"), \
    table using (is_svg && is("point") ? column("x") : NaN):"value"@under_mouse
