# draw_bars.gp - draws the bars that a script has collected with bars.gp: one under the other, in
# one or more panels side by side. Bars begin at zero, each panel has an axis of its own; a bar
# that would flatten the others is cut, which a gap shows. On a logarithmic axis, which has no
# zero, points stand for the bars' ends.
if (n_bars == 0) {
    reason = exists("reason") ? reason : "no rows with a value"
    eval nothing
}
line_height = 21
bar_height = 15
between_rows = 11

# Where the rows stand, in pixels below the panels' upper edge.
lines_of(r, p) = p == 0 ? 0 : greater(N_LINES[line_of_row(p, r)], lines_of(r, p - 1))
total = between_rows
longest_name = 1
do for [r = 1 : n_rows] {
    R_TOP[r] = total
    total = total + lines_of(r, n_panels) * line_height + between_rows
    longest_name = greater(longest_name, strlen(R_TEXT[r]))
}
# A row of fewer lines in this panel than in another stands in the row's middle.
top(i) = R_TOP[B_ROW[i]] + (B_LINE[i] - 1) * line_height + (line_height - bar_height) / 2.0 \
    + (lines_of(B_ROW[i], n_panels) - N_LINES[line_of_row(B_PANEL[i], \
        B_ROW[i])]) * line_height / 2.0
middle(i) = top(i) + bar_height / 2.0

# The longest bar of each panel that stays whole.
array WHOLE[n_panels]
array SORTED[n_bars]
do for [p = 1 : n_panels] {
    m = 0
    do for [i = 1 : n_bars] {
        if (B_PANEL[i] == p) {
            m = m + 1
            j = m
            while (j > 1 && (j > 1 ? SORTED[greater(1, j - 1)] > B_VALUE[i] : 0)) {
                SORTED[j] = SORTED[j - 1]
                j = j - 1
            }
            SORTED[j] = B_VALUE[i]
        }
    }
    WHOLE[p] = m == 0 ? 1 : SORTED[m]
    do for [j = m - 1 : greater(1, (m + 1) / 2) : -1] {
        if (m > 2 && !is_log && SORTED[j + 1] > most * SORTED[j]) { WHOLE[p] = SORTED[j] }
    }
}
is_cut(i) = B_VALUE[i] > WHOLE[B_PANEL[i]]
length(i) = is_cut(i) ? 1.2 * WHOLE[B_PANEL[i]] : B_VALUE[i]
do for [i = 1 : n_bars] { if (is_cut(i)) { dummy = entry("gap", "cut short", grey) } }

# Room in pixels: a character of the rows' names takes 9.4 at most, one of the small font 7.
width = 800 + (n_panels > 2 ? 100 * (n_panels - 2) : 0)
left = 20 + 9.4 * longest_name
between = 22
free = width - left - 14 - (n_panels - 1) * between
room_of(p) = n_panels != 2 ? free / n_panels : p == 1 ? 0.54 * free : 0.46 * free
left_of(p) = p == 1 ? left : left_of(p - 1) + room_of(p - 1) + between
upper = n_panels > 1 || strlen(P_TEXT[1]) ? 76 : 56
# The key, under the axis, in as many lines as it needs.
key_width(k) = 24 + 7.2 * strlen(K_TEXT[k]) + 18
array K_X[n_keys + 1]
array K_LINE[n_keys + 1]
whole_key(k) = k == 0 ? 0 : key_width(k) + whole_key(k - 1)
key_left = left + whole_key(n_keys) > width + 18 ? 20 : left
at = key_left
line = 1
do for [k = 1 : n_keys] {
    if (at > key_left && at + key_width(k) > width + 18) { at = key_left; line = line + 1 }
    K_X[k] = at
    K_LINE[k] = line
    at = at + key_width(k)
}
lower = 20 * line + 6
height = int(upper + total + 46 + lower)
load "style.gp"

unset datafile columnheaders
unset key
unset grid
set grid xtics linewidth 0.5 linecolor "#d8d8d8"
set tics font small_font
set tmargin at screen from_top(upper)
set bmargin at screen from_top(upper + total)
set style fill solid 1.0 border
set format x is_log ? "10^{%T}" : "%g"
shape_of(style) = style eq "dot" ? 7 : style eq "ring" ? 6 : style eq "square" ? 5 : \
    style eq "frame" ? 4 : shape(int(style))

# The share of a panel that a text beside a bar leaves to it.
rest(text) = greater(0.15, 1 - (7.0 * strlen(text) + 14) / room)
in_style(i, style) = B_PANEL[i] == p && B_STYLE[i] eq style ? length(i) : 0
in_panel(i) = B_PANEL[i] == p ? length(i) : NaN
dark(i) = B_PANEL[i] == p ? B_INNER[i] : 0
cut(i) = B_PANEL[i] == p && is_cut(i) ? 0.9 * length(i) : 0

set multiplot
eval multi_heading
do for [k = 1 : n_keys] {
    style = K_STYLE[k]
    at = K_X[k]
    y_key = height - lower + 20 * K_LINE[k] - 7
    if (is_log) {
        set label 100 + k "" at screen from_left(at + 8), from_top(y_key) \
            point pointtype shape_of(style) pointsize 0.9 linecolor rgb K_INK[k]
    } else {
        set object k rectangle from screen from_left(at), from_top(y_key + 6) \
            to screen from_left(at + 18), \
                from_top(y_key - 6) front fillcolor rgb K_INK[k] linewidth 0.7
        if (style eq "full") { set object k fillstyle solid 1.0 border linecolor rgb K_INK[k] }
        if (style eq "light") { set object k fillstyle solid 0.35 border linecolor rgb K_INK[k] }
        if (style eq "hatched") { set object k fillstyle pattern 4 border linecolor rgb K_INK[k] }
        if (style eq "gap") {
            set object k fillstyle solid 0.35 border linecolor rgb K_INK[k]
            set object 100 + k rectangle from screen from_left(at + 10), from_top(y_key + 8) \
                to screen from_left(at + 13), \
                    from_top(y_key - 8) front fillstyle solid 1.0 noborder \
                fillcolor rgb "#ffffff"
        }
    }
    set label 200 + k K_TEXT[k] at screen from_left(at + 24), from_top(y_key) left noenhanced \
        font small_font
}

do for [p = 1 : n_panels] {
    room = room_of(p)
    set lmargin at screen from_left(left_of(p))
    set rmargin at screen from_left(left_of(p) + room)
    # The axis ends where the longest bar and its text do.
    unset logscale
    low = 0
    end = 0
    if (is_log) {
        low = 1e300
        do for [i = 1 : n_bars] { low = B_VALUE[i] < low ? B_VALUE[i] : low }
        low = floor(log10(low) - 0.05)
        do for [i = 1 : n_bars] { end = greater(end, (log10(B_VALUE[i]) - low) / rest(B_TEXT[i])) }
        set logscale x 10
        set xrange [10**low : 10**(low + end)]
    } else {
        do for [i = 1 : n_bars] {
            if (B_PANEL[i] == p) { end = greater(end, length(i) / rest(B_TEXT[i])) }
        }
        end = end > 0 ? end : 1
        set xrange [0 : end]
        gap = 6.0 / room * end
        # No more ticks than have room: 50 pixels each.
        least = 50 * end / room
        tick = 10**floor(log10(least))
        tick = least > 5 * tick ? 10 * tick : least > 2 * tick ? 5 * tick : 2 * tick
        set xtics 0, tick, P_LAST[p] > 0 && P_LAST[p] < end ? P_LAST[p] : end
    }
    set yrange [total : 0]
    set xlabel x_title offset 0,0.4 font small_font noenhanced
    unset ytics
    set label 3 P_TEXT[p] at graph 0, graph 1 left offset 0,0.8 noenhanced font small_font
    if (p == 1) {
        do for [r = 1 : n_rows] {
            set label 300 + r R_TEXT[r] at screen from_left(left - 8), \
                from_top(upper + R_TOP[r] + lines_of(r, \
                    n_panels) * line_height / 2.0) right noenhanced
        }
    }
    if (is_log) {
        plot B_VALUE using (10**low):(middle($1)):(B_VALUE[$1] - 10**low):(0):(B_INK[$1]) \
                every ::0::n_bars-1 with vectors nohead linewidth 1 linecolor rgb variable, \
            B_VALUE using (B_VALUE[$1]):(middle($1)):(shape_of(B_STYLE[$1])):(B_INK[$1]) \
                every ::0::n_bars-1 with points pointtype variable \
                pointsize 0.9 linecolor rgb variable, \
            B_VALUE using (B_VALUE[$1]):(middle($1)):(B_TEXT[$1]) every ::0::n_bars-1 \
                with labels left noenhanced font small_font offset 1,0
    } else {
        # A bar of another style, or of another panel, has no length.
        plot B_VALUE using (0):(0):(0):(in_style($1, "full")):(top($1)):(top($1) \
            + bar_height):(B_INK[$1]) \
                every ::0::n_bars-1 with boxxyerror fillstyle solid 1.0 linecolor rgb variable, \
            B_VALUE using (0):(0):(0):(in_style($1, "part")):(top($1)):(top($1) \
                + bar_height):(B_INK[$1]) \
                every ::0::n_bars-1 with boxxyerror fillstyle solid 1.0 noborder \
                linecolor rgb variable, \
            B_VALUE using (0):(0):(0):(in_style($1, "light")):(top($1)):(top($1) \
                + bar_height):(B_INK[$1]) \
                every ::0::n_bars-1 with boxxyerror fillstyle solid 0.35 linecolor rgb variable, \
            B_VALUE using (0):(0):(0):(in_style($1, "hatched")):(top($1)):(top($1) + bar_height): \
                (B_INK[$1]) \
                every ::0::n_bars-1 with boxxyerror fillstyle pattern 4 linecolor rgb variable, \
            B_VALUE using (0):(0):(0):(dark($1)):(top($1)):(top($1) + bar_height):(B_INK[$1]) \
                every ::0::n_bars-1 with boxxyerror fillstyle solid 1.0 linecolor rgb variable, \
            B_VALUE using (0):(0):(cut($1)):(cut($1) > 0 ? cut($1) + gap : 0):(top($1) - 2): \
                (top($1) + bar_height + 2) every ::0::n_bars-1 \
                with boxxyerror fillstyle solid 1.0 noborder linecolor rgb "#ffffff", \
            B_VALUE using (in_panel($1)):(middle($1)):(B_TEXT[$1]) every ::0::n_bars-1 \
                with labels left noenhanced font small_font offset 0.6,0
    }
    unset label
    unset object
}
unset multiplot
