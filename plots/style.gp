# style.gp - how every figure looks: fonts, colours, grid and key, and how it writes numbers; loaded
# before each script, which may say `width` and `height` (pixels in a README), and begins to draw
# with canvas.gp.

set encoding utf8
MOST = 200 # curves, panels, lines of a key, and so on: the length of arrays
# What functions of a table's row are called with, as each has an argument, and what `stats` counts
# where there is nothing to take.
row = 0
width = 800
height = 500
font = "sans-serif,12"
small_size = 10
small_font = sprintf("sans-serif,%d", small_size)

set datafile separator comma
set datafile columnheaders
set errorbars 0
set datafile missing NaN
set border 3 linecolor "#404040"
set tics nomirror scale 0.6 textcolor "black"
set grid xtics ytics linewidth 0.5 linecolor "#d8d8d8"
set key outside right top vertical Left reverse noenhanced samplen 2.4 spacing 1.15

# A variant has the colour of its place among the lab's variants: no two have one. Of the first six
# colours no two are less than 23 CIELAB units apart to normal eyes and to the three kinds of colour
# blindness (Machado's matrices), and in gray print each is at least 5 of 100 steps lighter or
# darker than the others. What grows, blocks and sizes, goes from light to dark.
black = 0x000000
grey = 0x808080
vermillion = 0xB02A08
array PALETTE[18] = [vermillion, 0x1A2FC8, 0x28916A, 0xDD8E08, 0x8DB9EE, 0x9448B9, 0x5A2E10, \
    0xE884B8, 0x6E7F00, 0x00B5B8, 0x3FD23F, 0xDCC800, 0xE020D8, 0xF00060, 0x780048, 0x004890, \
    0xF09078, 0x00E0A0]
array CPU_INK[5] = [black, 0x999999, 0x555555, 0xC4C4C4, 0x777777]
array RAMP[5] = [0xFFC820, 0x5FB04A, 0x1F8F8A, 0x2B5590, 0x2A0A4E]
array SHAPE[6] = [7, 5, 9, 13, 11, 15]
# A kernel's colour by its place, and below zero that of a CPU program; 0 is none of them.
ink(i) = i > 0 ? PALETTE[int(i + 17) % 18 + 1] : i < 0 ? CPU_INK[int(-i + 4) % 5 + 1] : grey
shape(i) = SHAPE[int(i + 5) % 6 + 1]
open_shape(i) = shape(i) - 1
# The colour of a share from 0 to 1, between two of RAMP; a channel's weight is 1, 256 or 65536.
channel(colour, weight) = int(colour / weight) % 256
between(a, b, share, weight) = weight * int(channel(a, weight) * (1 - share) \
    + channel(b, weight) * share + 0.5)
mixed(a, b, share) = between(a, b, share, 65536) + between(a, b, share, 256) \
    + between(a, b, share, 1)
step_of(share) = share < 1 ? int(4 * share) : 3
ramp(share) = mixed(RAMP[step_of(share) + 1], RAMP[step_of(share) + 2], \
    4 * share - step_of(share))

greater(a, b) = a > b ? a : b
lesser(a, b) = a < b ? a : b

# A positive number to three significant digits, without an exponent. (2.605 is a little less in
# binary.)
rounded(value) = real(sprintf("%.2e", value * (1 + 1e-12)))
in_digits(value) = sprintf(sprintf("%%.%df", greater(0, 2 - floor(log10(value) + 1e-9))), value)
digits3(value) = value > 0 ? in_digits(rounded(value)) : "0"
# Every text of a figure comes through said(), which puts it into another language where there is
# a file of words for it: lines of a phrase, a tab and the other phrase, longer ones first. A single
# word may be part of a variant's name, and stands for a whole text only. In a text of the report's
# selects numbers stand in braces, and | for a comma, at which gnuplot would end it.
n_words = 0
array PHRASE[500]
array OTHER[500]
take_words(i) = (PHRASE[i] = strcol(1), OTHER[i] = strcol(2), n_words = i)
if (strlen(words_file)) {
    set datafile separator tab
    unset datafile columnheaders
    stats words_file using (take_words(n_words + 1)) nooutput
    set datafile separator comma
    set datafile columnheaders
}
swapped(text, from, to, at) = at == 0 ? text \
    : text[1:at - 1] . to . swap(text[at + strlen(from):*], from, to)
swap(text, from, to) = swapped(text, from, to, strstrt(text, from))
with_phrase(text, i) = !strstrt(text, PHRASE[i]) ? text : text eq PHRASE[i] ? OTHER[i] \
    : strstrt(PHRASE[i], " ") ? swap(text, PHRASE[i], OTHER[i]) : text
in_words(text) = (spoken = text, (sum [i = 1 : n_words] \
    (spoken = with_phrase(spoken, i), 0)), spoken)
is_digit(character) = strlen(character) && strstrt("0123456789", character)
number_first(rest) = digits3(real(rest[1:strstrt(rest, "}") - 1])) \
    . with_numbers(rest[strstrt(rest, "}") + 1:*])
numbered(text, from) = from == 0 ? text : text[1:from - 1] \
    . (is_digit(text[from + 1:from + 1]) ? number_first(text[from + 1:*]) \
        : "{" . with_numbers(text[from + 1:*]))
with_numbers(text) = numbered(text, strstrt(text, "{"))
said(text) = with_numbers(in_words(swap(text, "|", ",")))

# How wide a text is, in characters of the Latin alphabet: those of Japanese are twice as wide.
narrow = ' !"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`' \
    . 'abcdefghijklmnopqrstuvwxyz{|}~µ×≈'
width_of(text) = strlen(text) + (sum [place = 1 : strlen(text)] \
    (strstrt(narrow, text[place:place]) ? 0 : 1))

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
title = said(title[1:5] eq "{lab}" ? lab_title(lab) . title[6:*] : title)

# A figure's two lines of heading: its `title`, and below it, smaller, on what `machines`. Names
# hold underscores, so nothing in either is markup. A long second line has the figure's whole width.
own_machine = own eq gpu
gpu_words = own_machine ? machine : gpu_name . " (recorded)"
if (!exists("machines")) { machines = own eq "" ? "" : own_machine ? machine \
    : "GPU: " . gpu_words . ", CPU: " . machine }
heading = 'set tmargin 3.6; set title title . "\n" offset 0,-0.5 noenhanced;' \
    . 'set label 1 said(machines) center offset 0,0.9 noenhanced font fitting(said(machines));' \
    . 'if (strlen(machines) > 80) { set label 1 at screen 0.5, graph 1 }' \
    . ' else { set label 1 at graph 0.5, graph 1 }'
# The small font, or one smaller by whole points, as it is drawn, for a line that is wider than the figure.
fitting(line) = width_of(line) < width / 6.9 ? small_font \
    : sprintf("sans-serif,%d", int(small_size * width / 6.9 / width_of(line)))
from_top(pixels) = 1 - pixels / (1.0 * height)
from_left(pixels) = pixels / (1.0 * width)
multi_heading = 'set label 1 title at screen 0.5, from_top(17) center noenhanced' \
    . ' font "sans-serif,14";' \
    . 'set label 2 said(machines) at screen 0.5, from_top(38) center noenhanced font fitting(said(machines))'

# A key under all panels: that of one more plot, without points.
key_rows = 1
under_all = 'set lmargin at screen 0; set rmargin at screen 1; unset border; unset tics;' \
    . 'unset xlabel; unset ylabel; unset label; unset logscale; set xrange [0:1];' \
    . 'set yrange [0:1]; set key on at screen 0.5, from_top(height - 8) bottom center horizontal' \
    . ' maxrows key_rows font small_font samplen 2'

# The edges of the next panel of several, in pixels from the left and from the top.
place_panel = 'set lmargin at screen from_left(left); set rmargin at screen from_left(right);' \
    . 'set tmargin at screen from_top(top); set bmargin at screen from_top(bottom)'

# In an SVG what is told of a point is seen when the mouse is over it.
is_svg = output[strlen(output) - 3:*] eq ".svg"
under_mouse = ':(is_svg ? said(strcol("about")) : "") with labels hypertext point' \
    . ' pointtype 7 pointsize 1.5 linecolor rgb "#ff000000" notitle'

# A figure that has a `reason` for drawing nothing ends here, and draw.sh leaves it out.
nothing = 'if (strlen(reason)) { print "nothing: " . reason; exit status 4 }'
