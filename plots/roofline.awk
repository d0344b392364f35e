# roofline.awk - measured rates under a processor's roofs, a panel per lab.
#
#   awk -v folder=DIR -v processor=gpu -v height=PIXELS -f text.awk -f roofline.awk CEILINGS ROOFLINE
#
# CEILINGS: processor, gb_per_s, gflop_per_s. ROOFLINE: processor, lab, variant, size,
# flop_per_byte, gflop_per_s, roof_percent. `height` is that of a panel's plot. Out, separated by tabs:
#
#   DIR/panels.txt  titles
#   DIR/range.tsv   least and greatest x and y, ceilings in GB/s and GFLOP/s, FLOP/byte of the ridge
#   DIR/points.tsv  panel, x, y, colour's name and rank
#   DIR/labels.tsv  panel, x and y of the point, y of its label, text
#
# The labels stand in a column beside the plot, in the order of the points and apart from each other.
# Where there are more than have room, the fastest have one. Rows of colour pixels (lab5_rgb24) are left to
# the table: their programs are those of gray pixels. Exit status 1: no points or ceilings; else
# what was left out is on stdout, in words.

BEGIN {
    LABEL = 13 # pixels of a line of text
    MOST_PANELS = 8
}

FILENAME == ARGV[1] {
    if ($1 == processor && positive($2) && positive($3)) {
        bytes = $2
        flops = $3
    }
    next
}

$1 == processor && $2 !~ /_rgb/ && positive($5) && positive($6) {
    if (!($2 in panel_of)) {
        if (panels == MOST_PANELS) {
            left_out[$2] = 1
            next
        }
        panel_of[$2] = ++panels
        title[panels] = lab_title($2)
        size[panels] = $4
    }
    n++
    panel[n] = panel_of[$2]
    x[n] = $5 + 0
    y[n] = $6 + 0
    variant[n] = $3
    if (size[panel[n]] != $4)
        size[panel[n]] = ""
    text[n] = shortened($3, 20) (positive($7) ? " " ($7 < 10 ? digits2($7) : sprintf("%.0f", $7)) " %" : "")
    rank[n] = ++points[panel[n]]
    widen(x[n], y[n])
}

function digits2(value)
{
    return sprintf(value < 1 ? "%.2f" : "%.1f", value)
}

function widen(at, rate)
{
    if (!x_min || at < x_min)
        x_min = at
    if (at > x_max)
        x_max = at
    if (!y_min || rate < y_min)
        y_min = rate
    if (rate > y_max)
        y_max = rate
}

function log10(value)
{
    return log(value) / log(10)
}

function floor(value)
{
    return int(value) - (int(value) > value)
}

# Whole decades.
function round_range()
{
    x_low = floor(log10(x_min) - 0.05)
    x_high = -floor(-log10(x_max) - 0.05)
    y_low = floor(log10(y_min) - 0.05)
    y_high = -floor(-log10(y_max) - 0.05)
}

# Spreads the labels of a panel: at their points' height, but LABEL apart and inside the panel.
function spread(p,    i, j, m, order, place, room)
{
    for (i = 1; i <= n; i++)
        if (panel[i] == p) {
            for (j = ++m; j > 1 && y[order[j - 1]] < y[i]; j--)
                order[j] = order[j - 1]
            order[j] = i
        }
    room = int(height / LABEL) + 1
    if (m > room) {
        unnamed += m - room
        m = room
    }
    # Pixels from above: downwards each below the one before, then upwards from the lower edge.
    for (j = 1; j <= m; j++) {
        place[j] = height * (y_high - log10(y[order[j]])) / (y_high - y_low)
        if (j > 1 && place[j] < place[j - 1] + LABEL)
            place[j] = place[j - 1] + LABEL
    }
    for (j = m; j >= 1; j--) {
        if (place[j] > height - (m - j) * LABEL)
            place[j] = height - (m - j) * LABEL
        label_y[order[j]] = 10 ^ (y_high - place[j] / height * (y_high - y_low))
    }
}

END {
    if (!n || !bytes)
        exit 1
    ridge = flops / bytes
    widen(ridge, flops)
    round_range()
    print 10 ^ x_low, 10 ^ x_high, 10 ^ y_low, 10 ^ y_high, bytes, flops, ridge > (folder "/range.tsv")
    for (p = 1; p <= panels; p++) {
        print shortened(title[p], 30) (size[p] == "" ? "" : ", " crossed(size[p])) > (folder "/panels.txt")
        spread(p)
    }
    printf "" > (folder "/labels.tsv")
    for (i = 1; i <= n; i++) {
        print panel[i], x[i], y[i], (variant[i] ~ /^[A-Za-z0-9_]+$/ ? variant[i] : "other"),
            rank[i] > (folder "/points.tsv")
        if (i in label_y)
            print panel[i], x[i], y[i], label_y[i], text[i] > (folder "/labels.tsv")
    }
    for (name in left_out)
        cut++
    print (unnamed ? "; points not named: " unnamed : "") (cut ? "; labs not drawn: " cut : "")
}
