# figure10.gp - figure 10 of the 2012 lab report as one picture: speedup over the serial CPU program
# against size (left: a, c, e) and against block size (right: b, d, f), a lab a row: every lab of
# which there are rows of 2012.
labs_of_past = ""
take(name) = strstrt(labs_of_past . " ", " " . name . " ") ? 0 \
    : (labs_of_past = labs_of_past . " " . name, 1)
stats table using (strcol("is_past") eq "1" ? take(strcol("lab")) : row) nooutput
n_labs = words(labs_of_past)
in_panel = 1
height = 50 + 400 * (n_labs > 0 ? n_labs : 1)
reason = n_labs > 0 ? "" : "no rows of a lab that has rows of 2012"
eval nothing
load "canvas.gp"
set tics font small_font
set xlabel font small_font
set bmargin 9.5
set tmargin 2.2
set multiplot layout n_labs,2 title title . "\n\n" font "sans-serif,14"
if (!own_machine) { machines = gpu_words . " over its own CPU" }
set label 2 said(machines . "; dashed, open: " . past_name) noenhanced \
    at screen 0.5, screen 1 center offset 0,-2.4 font small_font
y = "speedup"
letters = "abcdefghijklmnopqrst"
do for [panel = 1 : 2 * n_labs] {
    lab = word(labs_of_past, (panel + 1) / 2)
    x = panel % 2 ? "size" : "block"
    curve = panel % 2 ? "block" : "size"
    set title sprintf("(%s) %s", letters[panel:panel], said(lab_title(lab))) noenhanced
    set ylabel said("speedup") offset 1,0
    set key below center horizontal maxcols 3 font small_font samplen 1.6
    load "curves.gp"
    unset label 2
}
