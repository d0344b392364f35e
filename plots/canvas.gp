# canvas.gp - where a figure is drawn: the file `output`, whose ending, .svg, .pdf or .png, chooses
# the terminal, of `width` times `height`.
if (is_svg) {
    set terminal svg size width,height fixed enhanced font font background "white"
} else { if (output[strlen(output)-3:] eq ".pdf") {
    # A pixel is a point of 1/72 inch, as fonts count.
    set terminal pdfcairo size width/72.0,height/72.0 enhanced font font fontscale 1 \
        linewidth 2 pointscale 1 background "white"
} else {
    # Twice the pixels, for sharp text, but for pictures, which are large enough. Without cairo gnuplot
    # may still have libgd's terminal.
    pixels = exists("pixels") ? pixels : 2
    if (strstrt(GPVAL_TERMINALS, "pngcairo")) {
        set terminal pngcairo size pixels*width,pixels*height enhanced font font fontscale pixels \
            linewidth pixels pointscale pixels background "white"
    } else {
        set terminal png size pixels*width,pixels*height enhanced font font fontscale pixels \
            linewidth pixels pointscale pixels background "#ffffff"
    }
} }
set output output

