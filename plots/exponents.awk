# exponents.awk - time against size and the powers fitted to it, a panel per lab: of the serial CPU
# program and of the naive kernel, or where it was not run the first that was.
#
#   awk -v folder=DIR -f text.awk -f exponents.awk EXPONENTS FIT_POINTS
#
# EXPONENTS: lab, variant, block, exponent_small, exponent_large, bend_size, theory_2012. FIT_POINTS:
# lab, variant, block, size, x, time_ms, fit_ms. Out, separated by tabs:
#
#   DIR/panels.tsv  title, title of x, least and greatest x and y
#   DIR/series.tsv  panel, place in the panel, colour's name, text, x of the bend (or NaN)
#   DIR/points.tsv  number of the series, x, time in ms, fitted (or NaN)
#
# Exit status 1: no points; else what was left out is on stdout, in words.

BEGIN {
    MOST_PANELS = 8
}

FILENAME == ARGV[1] {
    words[$1, $2, $3] = in_words($4, $5, $6, $7)
    bend[$1, $2, $3] = $6
    next
}

function digits2(text)
{
    return text == "" ? "" : sprintf("%.2f", text)
}

function in_words(small, large, at, theory,    text)
{
    text = digits2(small != "" ? small : large)
    if (small != "" && large != "")
        text = text (at == "" ? ", then " : ", from " crossed(at) ": ") digits2(large)
    return text (theory == "" || text == "" ? "" : " (2012: " theory ")")
}

positive($5) && (positive($6) || positive($7)) {
    if (!($1 in panel_of)) {
        if (panels == MOST_PANELS) {
            cut_labs[$1] = 1
            next
        }
        panel_of[$1] = ++panels
        lab[panels] = $1
    }
    if ($2 !~ /^cpu/ && (kernel[$1] == "" || $2 == "naive"))
        kernel[$1] = $2
    id = $1 SUBSEP $2 SUBSEP $3
    if (!(id in series_of)) {
        series_of[id] = ++series
        panel[series] = panel_of[$1]
        variant[series] = $2
        text[series] = shortened($2, 22) ($3 == "" ? "" : " " crossed($3)) \
            (words[id] == "" ? "" : ": " words[id])
    }
    n++
    owner[n] = series_of[id]
    x[n] = $5 + 0
    if ($4 != "" && bend[id] == $4)
        bend_x[owner[n]] = x[n]
    time[n] = positive($6) ? $6 + 0 : "NaN"
    fit[n] = positive($7) ? $7 + 0 : "NaN"
}

function widen(p, at, value)
{
    if (!positive(value))
        return
    if (!(p in x_min) || at < x_min[p])
        x_min[p] = at
    if (!(p in x_max) || at > x_max[p])
        x_max[p] = at
    if (!(p in y_min) || value + 0 < y_min[p])
        y_min[p] = value + 0
    if (!(p in y_max) || value + 0 > y_max[p])
        y_max[p] = value + 0
}

# The points of a series by their x.
function write_points(s,    i, j, m, order)
{
    written++
    for (i = 1; i <= n; i++)
        if (owner[i] == s) {
            for (j = ++m; j > 1 && x[order[j - 1]] > x[i]; j--)
                order[j] = order[j - 1]
            order[j] = i
        }
    for (j = 1; j <= m; j++)
        print written, x[order[j]], time[order[j]], fit[order[j]] > (folder "/points.tsv")
}

# Whether a series is drawn.
function is_chosen(s)
{
    return variant[s] == "cpu" || variant[s] == kernel[lab[panel[s]]]
}

END {
    for (i = 1; i <= n; i++)
        if (is_chosen(owner[i])) {
            widen(panel[owner[i]], x[i], time[i])
            widen(panel[owner[i]], x[i], fit[i])
            drawn++
        }
    if (!drawn)
        exit 1
    for (p = 1; p <= panels; p++)
        if (p in x_min) {
            number[p] = ++n_drawn
            print shortened(lab_title(lab[p]), 40), (lab[p] ~ /^lab1(_|$)/ ? "length n" : lab[p] ~ /^lab2(_|$)/ ? "matrix size N" : \
                lab[p] ~ /^lab4(_|$)/ ? "positions" : "pixels"),
                x_min[p], x_max[p], y_min[p], y_max[p] > (folder "/panels.tsv")
        }
    for (s = 1; s <= series; s++)
        if (is_chosen(s)) {
            print number[panel[s]], ++place[panel[s]],
                (variant[s] ~ /^[A-Za-z0-9_]+$/ ? variant[s] : "other"), text[s], (s in bend_x ? bend_x[s] : "NaN") > (folder "/series.tsv")
            write_points(s)
        }
    for (id in cut_labs)
        labs++
    print labs ? "; labs not drawn: " labs : ""
}
