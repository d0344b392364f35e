# grid.gp - panels in a grid, below a heading of two lines. The figure's script sets
#
#   panels, columns         how many, and how many side by side
#   cell_width, cell_height pixels of a panel with its titles
#   pad_left, pad_right, pad_top, pad_bottom    of these, what is around the plot itself
#   upper, lower            pixels above the panels (default 56) and below them
#   what, machine           the heading
#
# and then, for each panel p, evaluates `to_panel`. Loads style.gp.
width = columns * cell_width
if (!exists("upper")) { upper = 56 }
height = upper + ((panels + columns - 1) / columns) * cell_height + lower
load "style.gp"
from_top(pixels) = 1 - pixels / (1.0 * height)
from_left(pixels) = pixels / (1.0 * width)
panel_x(p) = ((p - 1) % columns) * cell_width
panel_y(p) = upper + ((p - 1) / columns) * cell_height
plot_width = cell_width - pad_left - pad_right
plot_height = cell_height - pad_top - pad_bottom
set tics font small_font
unset key
set multiplot
set label 1 what at screen 0.5, from_top(17) center noenhanced font "sans-serif,14"
set label 2 machine at screen 0.5, from_top(38) center noenhanced font small_font

# Ranges of the panel before are gone.
to_panel = 'unset logscale; set xrange [*:*]; set yrange [*:*];' \
    . 'set lmargin at screen from_left(panel_x(p) + pad_left);' \
    . 'set rmargin at screen from_left(panel_x(p) + cell_width - pad_right);' \
    . 'set tmargin at screen from_top(panel_y(p) + pad_top);' \
    . 'set bmargin at screen from_top(panel_y(p) + cell_height - pad_bottom)'
# The range of a logarithmic axis: whole decades around what is there.
down(value) = 10**floor(log10(value) + 1e-9)
up(value) = down(value * 0.9999) * 10
