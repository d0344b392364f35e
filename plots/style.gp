# style.gp - how every figure looks: terminal, fonts, colours, lines, grid and key. Loaded first by
# each script, which may set `width` and `height` (pixels in a README) before. `output` is the file
# to write; its ending, .svg, .pdf or .png, chooses the terminal.

set encoding utf8
if (!exists("width")) { width = 800 }
if (!exists("height")) { height = 500 }
font = "sans-serif,12"
small_font = "sans-serif,10"

if (output[strlen(output)-3:] eq ".svg") {
    set terminal svg size width,height fixed enhanced font font background "white" rounded
} else { if (output[strlen(output)-3:] eq ".pdf") {
    # A pixel is a point of 1/72 inch, as fonts count.
    set terminal pdfcairo size width/72.0,height/72.0 enhanced font font fontscale 1 \
        linewidth 2 pointscale 1 background "white" rounded
} else {
    # Twice the pixels, for sharp text. Without cairo gnuplot may still have libgd's terminal.
    if (strstrt(GPVAL_TERMINALS, "pngcairo")) {
        set terminal pngcairo size 2*width,2*height enhanced font font fontscale 2 \
            linewidth 2 pointscale 2 background "white" rounded
    } else {
        set terminal png size 2*width,2*height enhanced font font fontscale 2 \
            linewidth 2 pointscale 2 background "#ffffff"
    }
} }
set output output

set datafile separator "\t"
set border 3 linecolor "#404040"
set tics nomirror scale 0.6 textcolor "black"
set grid xtics ytics linewidth 0.5 linecolor "#d8d8d8"
set key outside right top vertical Left reverse noenhanced samplen 2.4 spacing 1.15

# The palette of Okabe and Ito, which colour-blind readers can tell apart, and a grey.
black = 0x000000
orange = 0xE69F00
sky = 0x56B4E9
green = 0x009E73
yellow = 0xD9C400 # a little darker than theirs, to be seen on white
blue = 0x0072B2
vermillion = 0xD55E00
purple = 0xCC79A7
grey = 0x808080

# What has its own colour, everywhere; curves with other names take the spare ones in turn.
named = "CPU cpu cpu_omp cpu_blas" \
    . " 1×1 2×2 4×4 8×8 16×16 32×32" \
    . " naive grid_stride vector4 register_sum fast_exp shared_tile cublas" \
    . " global_sum constant_template shared_template shared_both" \
    . " array constant constant_fixed npp copy conv2d separable recursive" \
    . " read_only packed4 packed4_convert_free"
array named_colour[32] = [black, black, grey, 0xB0B0B0, \
    purple, vermillion, orange, green, blue, sky, \
    vermillion, orange, blue, orange, orange, blue, purple, \
    sky, orange, green, blue, \
    yellow, orange, green, purple, grey, vermillion, blue, green, \
    orange, green, sky]
array spare_colour[8] = [vermillion, orange, yellow, green, sky, blue, purple, black]
array point_shape[8] = [7, 5, 9, 13, 11, 4, 6, 8]

place(name, i) = i > words(named) ? 0 : word(named, i) eq name ? i : place(name, i + 1)
turn(rank) = (rank + 7) % 8 + 1
colour(name, rank) = place(name, 1) ? named_colour[place(name, 1)] : spare_colour[turn(rank)]
shape(name, rank) = point_shape[turn(rank)]

# A figure's two lines of heading: `what` it shows, and below it, smaller, on what `machine`. Names
# hold underscores, so nothing in either is markup.
heading = 'set tmargin 3.6; set title what . "\n" offset 0,-0.5 noenhanced; set label 1 machine at graph 0.5, graph 1 center offset 0,0.9 noenhanced font small_font'
