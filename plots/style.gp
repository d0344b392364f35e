# style.gp - how every figure looks: fonts, colours, grid and key, and how it writes numbers; loaded
# before each script, which may say `width` and `height` (pixels in a README), and begins to draw
# with canvas.gp.

set encoding utf8
width = 800
height = 500
font = "sans-serif,12"
small_font = "sans-serif,10"

set datafile separator comma
set datafile columnheaders
set datafile missing NaN
set border 3 linecolor "#404040"
set tics nomirror scale 0.6 textcolor "black"
set grid xtics ytics linewidth 0.5 linecolor "#d8d8d8"
set key outside right top vertical Left reverse noenhanced samplen 2.4 spacing 1.15

# The palette of Okabe and Ito, which colour-blind readers can tell apart, and some more. A variant
# has the colour of its place among the lab's variants, a block that of its number of threads.
black = 0x000000
grey = 0x808080
vermillion = 0xD55E00
purple = 0xCC79A7
wine = 0x6A0F49
array PALETTE[10] = [vermillion, 0x0072B2, 0x009E73, 0xE69F00, 0x56B4E9, purple, 0xA89200, wine, \
    0x8C564B, 0x7CB518]
array BLOCK_INK[6] = [purple, vermillion, 0xE69F00, 0x009E73, 0x0072B2, wine]
array CPU_INK[3] = [black, grey, 0xB0B0B0]
array SHAPE[8] = [7, 5, 9, 13, 11, 4, 6, 8]
# A kernel's colour by its place, and below zero that of a CPU program; 0 is none of them.
ink(i) = i > 0 ? PALETTE[int(i + 9) % 10 + 1] : i < 0 ? CPU_INK[i > -3 ? int(-i) : 3] : grey
shape(i) = SHAPE[int(i + 7) % 8 + 1]

greater(a, b) = a > b ? a : b

# A positive number to three significant digits, without an exponent. (2.605 is a little less in
# binary.)
rounded(value) = real(sprintf("%.2e", value * (1 + 1e-12)))
in_digits(value) = sprintf(sprintf("%%.%df", greater(0, 2 - floor(log10(value) + 1e-9))), value)
digits3(value) = value > 0 ? in_digits(rounded(value)) : "0"
# A text of the report's selects: its numbers stand in braces, and | for a comma, at which gnuplot
# would end it.
swapped(text, from, to, at) = at == 0 ? text : text[1:at - 1] . to . swap(text[at + 1:*], from, to)
swap(text, from, to) = swapped(text, from, to, strstrt(text, from))
numbered(text, from, to) = from == 0 ? text \
    : text[1:from - 1] . digits3(real(text[from + 1:to - 1])) . said(text[to + 1:*])
said(text) = swap(numbered(text, strstrt(text, "{"), strstrt(text, "}")), "|", ",")

# The range of a logarithmic axis: whole decades around what is there.
down(value) = 10**floor(log10(value) + 1e-9)
up(value) = 10**ceil(log10(value) - 1e-9)

# A size or a block, `16x16`, with the multiplication sign.
crossed(text) = swap(text, "x", "×")

# A name as the shell takes it, whatever it holds; a line of a file, "" where there is none.
shell(text) = "'" . swap(text, "'", "'\\''") . "'"
line_of(file, i) = system(sprintf("sed -n %dp %s 2>/dev/null | tr -d '\\r'", i, shell(file)))
is_file(name) = strlen(line_of(name, 1)) > 0

# What a lab is about: the heading of its README, or its folder's name.
lab_title(lab) = (heading_line = line_of(root . "/" . lab . "/README.md", 1), \
    heading_line[1:2] eq "# " ? heading_line[3:*] : lab)
if (title[1:5] eq "{lab}") { title = lab_title(lab) . title[6:*] }

# A figure's two lines of heading: its `title`, and below it, smaller, on what `machines`. Names
# hold underscores, so nothing in either is markup.
own_machine = own eq gpu
gpu_words = own_machine ? machine : gpu_name . " (recorded)"
if (!exists("machines")) { machines = own eq "" ? "" : own_machine ? machine \
    : "GPU: " . gpu_words . ", CPU: " . machine }
heading = 'set tmargin 3.6; set title title . "\n" offset 0,-0.5 noenhanced;' \
    . 'set label 1 machines at graph 0.5, graph 1 center offset 0,0.9 noenhanced font small_font'
from_top(pixels) = 1 - pixels / (1.0 * height)
from_left(pixels) = pixels / (1.0 * width)
multi_heading = 'set label 1 title at screen 0.5, from_top(17) center noenhanced' \
    . ' font "sans-serif,14";' \
    . 'set label 2 machines at screen 0.5, from_top(38) center noenhanced font small_font'

# A key under all panels: that of one more plot, without points.
key_rows = 1
under_all = 'set lmargin at screen 0; set rmargin at screen 1; unset border; unset tics;' \
    . 'unset xlabel; unset ylabel; unset label; unset logscale; set xrange [0:1];' \
    . 'set yrange [0:1]; set key on at screen 0.5, from_top(height - 8) bottom center horizontal' \
    . ' maxrows key_rows font small_font samplen 2'

# The edges of the next panel of several, in pixels from the left and from the top.
place_panel = 'set lmargin at screen from_left(left); set rmargin at screen from_left(right);' \
    . 'set tmargin at screen from_top(top); set bmargin at screen from_top(bottom)'

# A figure that has a `reason` for drawing nothing ends here, and draw.sh leaves it out.
nothing = 'if (strlen(reason)) { print "nothing: " . reason; exit status 4 }'
