# effort.gp - how much faster, for what effort: the rungs of all ladders, a colour a lab. The rungs
# that none of as few lines overtakes are joined; of these the fastest of each lab has its name.
machines = gpu_words
array LAB[MOST]
labs = 0
note = ""
take(i) = (labs = greater(labs, i), LAB[i] = strcol("lab"), note = said(strcol("text")))
stats table using (take(int(column("lab_n")))) nooutput
reason = labs > 0 ? "" : "no ladder's sources"
eval nothing
machines = machines . note
width = 860
height = 560
load "canvas.gp"
eval heading
set xlabel said("lines of device code")
set ylabel said("times as fast as the first kernel")
set logscale xy 10
set xrange [3 : 3000]
set format "%g"
is_lab(i) = int(column("lab_n")) == i
front(i) = is_lab(i) && column("on_front") > 0 ? column("lines") : NaN
behind(i) = is_lab(i) && column("on_front") == 0 ? column("lines") : NaN
# Names stand behind their points, above or below, or before them: points may be as high as each other.
side(i) = i > 10 ? "above" : word("above before above below before above above before above before", i)
stands(where) = side(int(column("lab_n"))) eq where && strlen(strcol("name")) ? column("lines") : NaN
plot 1 with lines linewidth 1 linecolor rgb grey notitle, \
    for [i = 1 : labs] table using (front(i)):(column("gain")) with linespoints linewidth 1.5 \
        linecolor rgb ink(i) pointsize 1 pointtype shape(i) \
        title LAB[i][1:strstrt(LAB[i], "_") - 1], \
    for [i = 1 : labs] table using (behind(i)):(column("gain")) with points \
        linecolor rgb ink(i) pointsize 0.9 pointtype open_shape(i) notitle, \
    for [where in "above below"] table using (stands(where)):(column("gain") * (where eq "below" ? 0.85 : 1.17)) \
        :(strcol("name")):(ink(column("lab_n"))) with labels left noenhanced font small_font offset 0.8,0 \
        textcolor rgb variable notitle, \
    table using (stands("before")):(column("gain")):(strcol("name")):(ink(column("lab_n"))) with labels \
        right noenhanced font small_font offset -0.5,0.5 textcolor rgb variable notitle, \
    table using (is_svg ? column("lines") : NaN):(column("gain"))@under_mouse
