# pictures.gp - the core of every figure that shows pictures side by side, with a part of each
# magnified below it. Loaded by the figure's script, which sets
#
#   folder, names       FOLDER/NAME.pnm are binary PGM or PPM of 8 bits; FOLDER/NAME.txt holds the part,
#                       larger, as rows of numbers
#   facts               the width, the height, the header's length and the values a pixel of each
#   crop                the part that is magnified, `x y width height` from the upper left corner
#   what, machine       the two lines of the heading
#   caption(i)          what stands over picture i
n = words(names)
picture_width(i) = int(word(facts, 4 * i - 3))
picture_height(i) = int(word(facts, 4 * i - 2))
header(i) = int(word(facts, 4 * i - 1))
is_colour(i) = word(facts, 4 * i) eq "3"

w = picture_width(1)
h = picture_height(1)
crop_x = int(word(crop, 1))
crop_y = int(word(crop, 2))
crop_w = int(word(crop, 3))
crop_h = int(word(crop, 4))

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
set label 1 what at screen 0.5, from_top(16) center font "sans-serif,14"
set label 2 machine at screen 0.5, from_top(36) center noenhanced font small_font
do for [i = 1 : n] {
    file = folder . "/" . word(names, i)
    # No more pixels than twice those of its place, that the SVG stays small.
    step = int(picture_width(i) / (2 * cell))
    step = step < 1 ? 1 : step
    set title caption(i) offset 0,-0.6
    set lmargin at screen left(i)
    set rmargin at screen right(i)
    set tmargin at screen from_top(74)
    set bmargin at screen from_top(74 + upper)
    set xrange [-0.5 : picture_width(i) - 0.5]
    set yrange [picture_height(i) - 0.5 : -0.5]
    set object 1 rectangle from crop_x - 0.5, crop_y - 0.5 \
        to crop_x + crop_w - 0.5, crop_y + crop_h - 0.5 front fillstyle empty \
        border linecolor rgb vermillion linewidth 1.5
    if (is_colour(i)) {
        plot file . ".pnm" binary skip=header(i) array=(picture_width(i),picture_height(i)) \
            format="%uchar%uchar%uchar" every step:step using 1:2:3 with rgbimage
    } else {
        plot file . ".pnm" binary skip=header(i) array=(picture_width(i),picture_height(i)) \
            format="%uchar" every step:step using 1 with image
    }
    unset label
    unset object 1
    unset title
    set tmargin at screen from_top(74 + upper + 14)
    set bmargin at screen from_top(74 + upper + 14 + lower)
    set xrange [*:*]
    set autoscale xfix
    set yrange [*:*] reverse
    set autoscale yfix
    plot file . ".txt" matrix with image
    set yrange [*:*] noreverse
}
unset multiplot
