# figure10.gp - figure 10 of the 2012 lab report as one picture: speedup over the serial CPU program
# against size (left: a, c, e) and against block size (right: b, d, f), a lab a row.
#
#   gnuplot -c figure10.gp OUTPUT FOLDER PANELS MACHINE PAST
#
# PANELS lists the letters of the panels that have data. FOLDER/LETTER.tsv holds a panel's curves,
# FOLDER/LETTER.txt its title, the title of its x axis and the heading of its key, a line each.
output = ARG1
panels = ARG3
machine = ARG4
past_machine = ARG5
rows = words(panels) / 2
line(letter, i) = system(sprintf("sed -n %dp '%s/%s.txt'", i, ARG2, letter))

width = 800
height = 50 + 350 * rows
load "style.gp"
set key below center horizontal maxcols 3 font small_font samplen 1.6
set tics font small_font
line_length = 46
set bmargin 6

set tmargin 2.2
set multiplot layout rows,2 title "Speedup over one CPU thread\n\n" font "sans-serif,14"
set label 2 machine . (past_machine eq "" ? "" : "; dashed: " . past_machine) noenhanced \
    at screen 0.5, screen 1 center offset 0,-2.4 font small_font
set ylabel "speedup" offset 1,0
past = ""
do for [panel = 1 : words(panels)] {
    letter = word(panels, panel)
    data = ARG2 . "/" . letter . ".tsv"
    set title sprintf("(%s) %s", letter, line(letter, 1)) noenhanced
    set xlabel line(letter, 2) offset 0,0.7 font small_font
    key_heading = line(letter, 3)
    load "curves.gp"
    unset label 2
}
unset multiplot
