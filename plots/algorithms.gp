# algorithms.gp - the rate of each algorithm, measured and as its memory accesses let expect from
# the copy's; beside them those of another recorded machine, whatever its size. Source: the table
# `lab7_algorithms`, and of other machines their rows, where `bytes` is what a pixel reads and
# writes.
load "style.gp"
load "tables.gp"
load "bars.gp"
is_log = 1
x_title = "MPixel/s"
rate(value) = digits3(value) . " MPixel/s"
expected(value, floats) = digits3(value) . sprintf(" estimated, %g floats a pixel", floats)
array A_NAME[40]
array A_INK[40]
n_names = 0

# Of several sizes the largest.
largest = 0
stats table using (largest = greater(largest, column("width") * column("height")), 1) nooutput
is_largest(x) = column("width") * column("height") == largest
size = ""
estimate(x) = column("memory_per_pixel") > 0 && strcol("ratio") ne "0" \
    ? bar(1, n_rows, "ring", column("estimated_mp_per_s"), \
        expected(column("estimated_mp_per_s"), column("memory_per_pixel")), tint) : 0
block(x) = strcol("block_x") . (strlen(strcol("block_y")) ? "×" . strcol("block_y") : "")
algorithm(x) = (row(strcol("algorithm")), tint = lab_ink(lab, strcol("algorithm")), \
    n_names = n_names + 1, A_NAME[n_names] = strcol("algorithm"), A_INK[n_names] = tint, \
    size = strcol("width") . "×" . strcol("height"), \
    bar(1, n_rows, "dot", column("measured_mp_per_s"), \
        rate(column("measured_mp_per_s")) . ", " . block(0), tint), estimate(0))
dummy = panel("")
stats table using (is_largest(0) ? algorithm(0) : 0) nooutput
dummy = entry("dot", "measured", grey) + entry("ring", "estimate: copy's rate × 2 / floats", grey)

row_of(name, i) = i > n_names ? 0 : A_NAME[i] eq name ? i : row_of(name, i + 1)
floats(x) = column("bytes") / (4.0 * column("width") * column("height"))
other(r) = r == 0 ? 0 : strcol("role") eq "yardstick" \
    ? (copied = column("width") * column("height") / column("time_s") / 1e6, \
        bar(1, r, "square", copied, from . ": " . rate(copied), A_INK[r]) \
            + entry("square", "recorded", grey)) \
    : copied > 0 ? bar(1, r, "frame", copied * 2 / floats(0), \
        from . ": " . expected(copied * 2 / floats(0), floats(0)), A_INK[r]) \
        + entry("frame", "recorded estimate", grey) : 0
do for [from in others] {
    copied = 0
    stats reference . "/" . from . "/" . lab . ".csv" using (other(row_of(strcol("variant"), \
        1))) nooutput
}
title = title . ", " . size
load "draw_bars.gp"
