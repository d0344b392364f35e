# bars.gp - collects the bars of a figure, which draw_bars.gp then draws. A script loads this file
# after style.gp, calls the functions below, and loads draw_bars.gp.
#
#   panel(text)    a panel and its heading; row(text): a row and its name. Both count from 1.
#   bar(panel, row, style, value, text, ink)
#                  a bar on the next line of its row. Styles: full, light, hatched, part (of a bar
#                  of several colours); dot, ring, square, frame on a logarithmic axis
#   atop()         puts the next bar on the line of the last one. The shorter one is to come last
#   inner(value)   the dark part of the bar just added
#   entry(style, text, ink)    a line of the key: what a style stands for
#
# `x_title` names the axis; `is_log` makes it logarithmic; a bar more than `most` times as long as
# the next is cut, if half of its panel's stay whole; P_LAST[panel] is the greatest value that gets
# a tick.
most_bars = 400
most_panels = 12
do for [name in "B_PANEL B_ROW B_LINE B_STYLE B_VALUE B_TEXT B_INK B_INNER R_TEXT R_TOP"] {
    eval "array " . name . "[most_bars + 1]"
}
do for [name in "P_TEXT P_LAST K_STYLE K_TEXT K_INK"] { eval "array " . name . "[40]" }
array N_LINES[most_panels * most_bars]
do for [i = 1 : most_panels * most_bars] { N_LINES[i] = 0 }
n_panels = 0
n_rows = 0
n_bars = 0
n_keys = 0
most = 6
x_title = ""
is_log = 0
step = 1

panel(text) = (n_panels = n_panels + 1, P_TEXT[n_panels] = text, P_LAST[n_panels] = 0, n_panels)
row(text) = (n_rows = n_rows + 1, R_TEXT[n_rows] = text, n_rows)
line_of_row(p, r) = (p - 1) * most_bars + r
atop(x) = (step = 0, 1)
bar(p, r, style, value, text, ink) = n_bars == most_bars ? 0 : (n_bars = n_bars + 1, \
    N_LINES[line_of_row(p, r)] = N_LINES[line_of_row(p, r)] + step, step = 1, \
    B_PANEL[n_bars] = p, B_ROW[n_bars] = r, B_LINE[n_bars] = N_LINES[line_of_row(p, r)], \
    B_STYLE[n_bars] = style, B_VALUE[n_bars] = value, B_TEXT[n_bars] = text, B_INK[n_bars] = ink, \
    B_INNER[n_bars] = 0, 1)
inner(value) = (B_INNER[n_bars] = value, 1)
in_key(style, text, i) = i > n_keys ? 0 : (K_STYLE[i] eq style && K_TEXT[i] eq text) \
    || in_key(style, text, i + 1)
entry(style, text, ink) = in_key(style, text, 1) || n_keys == 40 ? 0 : \
    (n_keys = n_keys + 1, K_STYLE[n_keys] = style, K_TEXT[n_keys] = text, K_INK[n_keys] = ink, 1)
