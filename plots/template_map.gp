# template_map.gp - figure 7 of the 2012 lab report: the map of dissimilarity (dark where the
# template fits) and the picture with the best match framed.
#
#   gnuplot -c template_map.gp OUTPUT FOLDER MAP INPUT MATCH MACHINE
#
# MAP and INPUT are width, height and length of the header of FOLDER/template_map.pgm and
# template_input.pgm; MATCH is `x y template_width template_height`.
output = ARG1
folder = ARG2
map = ARG3
input = ARG4
match = ARG5
number(list, i) = int(word(list, i))

# Both at one scale, side by side.
width = 800
scale = (width - 30.0) / (number(map, 1) + number(input, 1))
tallest = number(map, 2) > number(input, 2) ? number(map, 2) : number(input, 2)
height = int(74 + scale * tallest + 10)
load "style.gp"
from_top(pixels) = 1 - pixels / (1.0 * height)

unset key
unset tics
unset grid
unset colorbox
set border 15 linecolor "#404040"
set palette gray
set cbrange [0:255]

set multiplot
set label 1 "Template matching: best match at (" . word(match, 1) . ", " . word(match, 2) . ")" \
    at screen 0.5, from_top(16) center font "sans-serif,14"
set label 2 ARG6 at screen 0.5, from_top(36) center noenhanced font small_font

set label 3 "(a) dissimilarity (dark: match)" at graph 0, graph 1 left offset 0,0.6
set lmargin at screen 10.0 / width
set rmargin at screen (10 + scale * number(map, 1)) / width
set tmargin at screen from_top(74)
set bmargin at screen from_top(74 + scale * number(map, 2))
set xrange [-0.5 : number(map, 1) - 0.5]
set yrange [number(map, 2) - 0.5 : -0.5]
plot folder . "/template_map.pgm" binary skip=number(map, 3) \
    array=(number(map, 1),number(map, 2)) format="%uchar" using 1 with image
unset label

set label 3 "(b) best match framed" at graph 0, graph 1 left offset 0,0.6
set lmargin at screen (20 + scale * number(map, 1)) / width
set rmargin at screen (20 + scale * (number(map, 1) + number(input, 1))) / width
set bmargin at screen from_top(74 + scale * number(input, 2))
set xrange [-0.5 : number(input, 1) - 0.5]
set yrange [number(input, 2) - 0.5 : -0.5]
set object 1 rectangle from number(match, 1) - 0.5, number(match, 2) - 0.5 \
    to number(match, 1) + number(match, 3) - 0.5, number(match, 2) + number(match, 4) - 0.5 \
    front fillstyle empty border linecolor "#ff0000" linewidth 2
plot folder . "/template_input.pgm" binary skip=number(input, 3) \
    array=(number(input, 1),number(input, 2)) format="%uchar" using 1 with image
unset multiplot
