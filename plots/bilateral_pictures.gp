# bilateral_pictures.gp - figure 5 of the 2012 lab report: a picture and what one, two and three
# passes of the bilateral filter make of it, with a part of each magnified, where the smoothing and
# the edges it keeps can be seen.
#
#   gnuplot -c bilateral_pictures.gp OUTPUT FOLDER PASSES FACTS MACHINE CROP
#
# PASSES lists the pictures there are (`0 1 2 3`): FOLDER/bilateral_PASS.pgm. FACTS holds the width,
# the height and the header's length of each. CROP is the part that is magnified, `x y width height`
# from the upper left corner; FOLDER/bilateral_PASS.txt holds it, larger, as rows of numbers.
output = ARG1
folder = ARG2
passes = ARG3
facts = ARG4
n = words(passes)
picture_width(i) = int(word(facts, 3 * i - 2))
picture_height(i) = int(word(facts, 3 * i - 1))
header(i) = int(word(facts, 3 * i))

w = picture_width(1)
h = picture_height(1)
crop_x = int(word(ARG6, 1))
crop_y = int(word(ARG6, 2))
crop_w = int(word(ARG6, 3))
crop_h = int(word(ARG6, 4))

# Each cell as wide as its share of 800 pixels, and as high as its picture needs at that width.
width = 800
cell = (width - 10.0) / n - 10
upper = cell * h / w
lower = cell * crop_h / crop_w
height = int(50 + 24 + upper + 14 + lower + 10)
load "style.gp"
set datafile separator whitespace

left(i) = (10.0 + (i - 1) * (cell + 10)) / width
right(i) = left(i) + cell / width
from_top(pixels) = 1 - pixels / (1.0 * height)

unset key
unset tics
unset grid
unset colorbox
set border 15 linecolor "#404040"
set palette gray
set cbrange [0:255]

set multiplot
set label 1 "Bilateral filter: the picture, and the framed part magnified" \
    at screen 0.5, from_top(16) center font "sans-serif,14"
set label 2 ARG5 at screen 0.5, from_top(36) center noenhanced font small_font
do for [i = 1 : n] {
    pass = word(passes, i)
    file = folder . "/bilateral_" . pass . ".pgm"
    set title (pass eq "0" ? "original" : pass eq "1" ? "1 pass" : pass . " passes") offset 0,-0.6
    set lmargin at screen left(i)
    set rmargin at screen right(i)
    set tmargin at screen from_top(74)
    set bmargin at screen from_top(74 + upper)
    set xrange [-0.5 : picture_width(i) - 0.5]
    set yrange [picture_height(i) - 0.5 : -0.5]
    set object 1 rectangle from crop_x - 0.5, crop_y - 0.5 \
        to crop_x + crop_w - 0.5, crop_y + crop_h - 0.5 front fillstyle empty \
        border linecolor rgb vermillion linewidth 1.5
    plot file binary skip=header(i) array=(picture_width(i),picture_height(i)) \
        format="%uchar" using 1 with image
    unset label
    unset object 1
    unset title
    set tmargin at screen from_top(74 + upper + 14)
    set bmargin at screen from_top(74 + upper + 14 + lower)
    set xrange [*:*]
    set autoscale xfix
    set yrange [*:*] reverse
    set autoscale yfix
    plot folder . "/bilateral_" . pass . ".txt" matrix with image
    set yrange [*:*] noreverse
}
unset multiplot
