# pictures.gp - pictures side by side, a part of each magnified below it. In, from figures.tsv:
#
#   x       the pictures' names: binary PGM or PPM of 8 bits in own/pictures, without .pgm or .ppm
#   y       their captions; those of more than one word in quotes
#   curve   part      each pictures' framed part larger below it
#           stretch   the same in gray, the contrast stretched alike, as the first one's grays ask
#           match     no part; the match that template_match.txt names is framed in the last
#                     picture, and boxed in the others, maps of where it was looked for, in colours
#                     from the least to the greatest of filter's file's numbers
#   filter  SHARE ABOVE: the part is this share of the picture each way, with ABOVE of the
#           rest above it; a file CROP.txt, named in filter's third word, may hold another: x y
#           width height
#
# What is missing leaves the figure out.
file(i) = is_file(name_of(i, "pgm")) ? name_of(i, "pgm") : name_of(i, "ppm")
name_of(i, ending) = own . "/pictures/" . word(x, i) . "." . ending
# `P5 WIDTH HEIGHT 255`, each followed by one white space, is the whole header.
header_of(name) = system("head -c 64 " . shell(name) . " 2>/dev/null | tr -c 'P0-9' ' '")
n = words(x)
array WIDTH[n]
array HEIGHT[n]
array SKIP[n]
array COLOUR[n]
found = 0
do for [i = 1 : n] {
    header = header_of(file(i))
    kind = word(header, 1)
    if ((kind eq "P5" || kind eq "P6") && word(header, 4)[1:3] eq "255") {
        found = found + (found == i - 1)
        WIDTH[i] = int(word(header, 2))
        HEIGHT[i] = int(word(header, 3))
        SKIP[i] = strlen(kind . word(header, 2) . word(header, 3)) + 7
        COLOUR[i] = kind eq "P6"
    }
}
match = curve eq "match" ? line_of(own . "/pictures/template_match.txt", 1) : ""
n = curve eq "part" ? found : n
reason = found == n && n > 1 && (curve ne "match" || words(match) > 3) ? "" \
    : "no whole pictures/" . word(x, found < words(x) ? found + 1 : 1) \
    . ".pgm or .ppm; make pictures writes them"
eval nothing

# The part to magnify.
given = words(filter) > 2 ? line_of(own . "/pictures/" . word(filter, 3), 1) : ""
is_given = words(given) >= 4
share = curve eq "match" ? 1 : real(word(filter, 1))
above = curve eq "match" ? 0 : real(word(filter, 2))
crop_w = lesser(WIDTH[1], is_given ? int(word(given, 3)) : greater(24, int(WIDTH[1] * share)))
crop_h = lesser(HEIGHT[1], is_given ? int(word(given, 4)) : greater(18, \
    int(WIDTH[1] * share * 0.75)))
crop_x = greater(0, lesser(WIDTH[1] - crop_w, is_given ? int(word(given, 1)) \
    : (WIDTH[1] - crop_w) / 2))
crop_y = greater(0, lesser(HEIGHT[1] - crop_h, \
    is_given ? int(word(given, 2)) : int((HEIGHT[1] - crop_h) * above)))

# One scale for all, or, where a part is magnified, one width.
whole_width(i) = i == 0 ? 0 : WIDTH[i] + whole_width(i - 1)
scale(i) = curve eq "match" ? (width - 10.0 * (n + 1)) / whole_width(n) \
    : ((width - 10.0) / n - 10) / WIDTH[i]
tallest(i) = i == 0 ? 0 : greater(scale(i) * HEIGHT[i], tallest(i - 1))
lower = curve eq "match" ? 0 : 14 + scale(1) * WIDTH[1] * crop_h / crop_w
height = int(74 + tallest(n) + lower + 10)
pixels = 0.9
load "canvas.gp"
left_of(i) = i == 1 ? 10 : left_of(i - 1) + scale(i - 1) * WIDTH[i - 1] + 10

# Grays by ITU-R BT.601. What lies within two standard deviations of the first part's mean becomes
# black to white.
gray(i) = COLOUR[i] ? 0.299 * column(1) + 0.587 * column(2) + 0.114 * column(3) : column(1)
low = 0
contrast = 1
format_of(i) = COLOUR[i] ? "%uchar%uchar%uchar" : "%uchar"
layout(i) = sprintf("binary skip=%d array=(%d,%d) format='%s'", SKIP[i], WIDTH[i], HEIGHT[i], \
    format_of(i))
part = sprintf("every 1:1:%d:%d:%d:%d", crop_x, crop_y, crop_x + crop_w - 1, crop_y + crop_h - 1)
set datafile separator whitespace
unset datafile columnheaders
values = own . "/pictures/" . filter
least = said("least")
greatest = said("greatest")
if (match ne "" && filter ne "" && is_file(values)) {
    stats values using 1 name "map" nooutput
    least = digits3(map_min)
    greatest = digits3(map_max)
}
# The part of picture i as lines of x, y and gray, in a file beside the figure.
part_file = output . ".part"
get_part = 'unset logscale; set xrange [*:*]; set yrange [*:*]; set table part_file;' \
    . ' eval "plot file(i) " . layout(i) . " " . part . " using (gray(i)) with image"; unset table'
if (curve eq "stretch") {
    i = 1
    eval get_part
    stats part_file using 3 nooutput name "g"
    low = g_mean - 2.2 * g_stddev - 1
    contrast = floor(2550.0 / (4.4 * g_stddev + 2)) / 10
    machines = machines . said(sprintf("; contrast of the part stretched %g times", contrast))
}
shown(gray) = (v = (gray - low) * contrast, v < 0 ? 0 : v > 255 ? 255 : v)

unset key
unset tics
unset colorbox
set border 15 linecolor "#404040"
set palette gray
set cbrange [0:255]
# A map's colours, light where it is greatest, and what they mean, below it.
shade(k) = sprintf("%d '#%06X'", 5 - k, RAMP[k])
heat = 'set palette defined (' . shade(5) . ',' . shade(4) . ',' . shade(3) . ',' . shade(2) \
    . ',' . shade(1) . ');' \
    . 'set colorbox horizontal user origin screen from_left(left_of(i)' \
    . ' + 0.25 * scale(i) * WIDTH[i]), screen from_top(bar_y + 6)' \
    . ' size screen 0.5 * scale(i) * WIDTH[i] / width, screen 12.0 / height; unset cbtics;' \
    . 'set label least at graph 0.24, screen from_top(bar_y) right' \
    . ' font small_font noenhanced;' \
    . 'set label greatest at graph 0.76, screen from_top(bar_y) left' \
    . ' font small_font noenhanced'
set multiplot
eval multi_heading
do for [i = 1 : n] {
    # No more pixels than twice those of its place, that the SVG stays small.
    step = greater(1, int(0.5 / scale(i)))
    set label said(word(y, i)) at graph 0.5, graph 1 center offset 0,0.6 noenhanced
    set lmargin at screen from_left(left_of(i))
    set rmargin at screen from_left(left_of(i) + scale(i) * WIDTH[i])
    set tmargin at screen from_top(74)
    set bmargin at screen from_top(74 + scale(i) * HEIGHT[i])
    set xrange [-0.5 : WIDTH[i] - 0.5]
    set yrange [HEIGHT[i] - 0.5 : -0.5]
    if (curve eq "match") {
        # White upon black, which is seen on any gray.
        do for [k = 1 : 2] {
            frame_colour = k == 1 ? black : 0xFFFFFF
            if (i == n) {
                set object k rectangle from word(match, 1) - 0.5, word(match, 2) - 0.5 \
                    to word(match, 1) + word(match, 3) - 0.5, \
                    word(match, 2) + word(match, 4) - 0.5 front fillstyle empty \
                    border linecolor rgb frame_colour linewidth 7 - 2.5 * k
            } else {
                set object k rectangle center word(match, 1), word(match, 2) \
                    size word(match, 3), word(match, 4) front fillstyle empty \
                    border linecolor rgb frame_colour linewidth 7 - 2.5 * k
            }
        }
        if (i == n) { set palette gray; unset colorbox } \
        else { bar_y = 74 + scale(i) * HEIGHT[i] + 22; eval heat }
    } else {
        set object 1 rectangle from crop_x - 0.5, crop_y - 0.5 \
            to crop_x + crop_w - 0.5, crop_y + crop_h - 0.5 front fillstyle empty \
            border linecolor rgb vermillion linewidth 1.5
    }
    eval "plot file(i) " . layout(i) . sprintf(" every %d:%d ", step, step) \
        . (COLOUR[i] ? "using 1:2:3 with rgbimage" : "using 1 with image")
    unset label
    unset object
    if (curve ne "match") {
        eval get_part
        set tmargin at screen from_top(74 + scale(i) * HEIGHT[i] + 14)
        set bmargin at screen from_top(74 + scale(i) * HEIGHT[i] + lower)
        if (crop_w > 200) {
            set xrange [crop_x - 0.5 : crop_x + crop_w - 0.5]
            set yrange [crop_y + crop_h - 0.5 : crop_y - 0.5]
            plot part_file using 1:2:(shown($3)) with image
        } else {
            # A pixel that is seen becomes a square of many, so that no viewer blurs it.
            array PIXEL[crop_w * crop_h]
            stats part_file using (PIXEL[1 + int($1 - crop_x) \
                + crop_w * int($2 - crop_y)] = shown($3)) \
                nooutput
            times = int(400.0 / crop_w) + 1
            set samples times * crop_w
            set isosamples times * crop_h
            set xrange [0 : times * crop_w - 1]
            set yrange [times * crop_h - 1 : 0]
            set urange [0 : times * crop_w - 1]
            set vrange [0 : times * crop_h - 1]
            plot '++' using 1:2:(PIXEL[1 + int($1 / times) + crop_w * int($2 / times)]) with image
        }
    }
}
