# timeline.gp - what ran when: the first frames of a stream, a lane a step, a colour a slot of the
# ring. Where the CPU emulated the device the boxes tell the order of the steps, and no time.
n = 0
what = ""
note = ""
take(frame) = (emulated = int(column("is_emulated")), \
    what = strcol("what"), note = strcol("text"), n = greater(n, frame))
is_mine(x) = strcol("lab") eq lab
stats table using (is_mine(row) ? take(column("frame")) : row) nooutput
reason = n > 0 ? "" : "no stream of frames was traced"
eval nothing
stats table using (is_mine(row) ? column("end") : NaN) name "t" nooutput
machines = emulated ? said("emulated on the CPU: the order of the steps, no times of a GPU") \
    : gpu_words . "; " . said(what)
height = 300
load "canvas.gp"
eval heading
unset key
set xrange [0 : t_max * 1.02]
set yrange [3.6 : 0.4]
set ytics ("copy in" 1, "kernel" 2, "copy out" 3)
set ytics add (said("copy in") 1, said("kernel") 2, said("copy out") 3)
set grid noytics
set xlabel emulated ? said("order") : said("time / ms") . said(note)
if (emulated) { set format x "" }
upper(x) = column("lane") - 0.36
lower(x) = column("lane") + 0.36
middle(x) = (column("start") + column("end")) / 2
# A box that has no room for the frame's number has it above.
is_wide(x) = column("end") - column("start") > 0.022 * t_max
mine(x) = is_mine(row) ? x : NaN
plot table using (mine(column("start"))):(column("lane")):(column("start")): \
        (column("end")):(upper(row)):(lower(row)):(ink(column("ink"))) \
        with boxxyerror fillstyle solid 0.55 border rgb "#404040" linecolor rgb variable, \
    table using (mine(middle(row))):(column("lane") - (is_wide(row) ? 0 : 0.48)): \
        (sprintf("%d", int(column("frame")))) with labels font small_font
