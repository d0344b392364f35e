# algorithms.awk - which algorithm for a Gaussian blur? The table of the OpenCL blog post, with what
# was measured beside what the copy's rate promises.
#
#   awk -f lab5_gaussian/algorithms.awk data/results/MACHINE/lab5_gaussian.csv
#
# For each algorithm, under the settings and at the size of the row, by the fastest block: how many
# floats it reads and writes a pixel if no cache helps, its floating-point operations a pixel, their
# ratio, how many million pixels a second that makes if the rate of reading and writing is that of
# the copy, and how many it was. Only what was measured on a GPU counts. Prints CSV (RFC 4180);
# without any such row one line on stderr, exit status 1.
#
# Reads the columns by their names; fields before the note hold no commas.

BEGIN {
    FS = ","
    n = split("copy conv2d separable recursive", algorithms, " ")
    for (i = 1; i <= n; i++)
        known[algorithms[i]] = 1
}

NR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}

$column["lab"] == "lab5_gaussian" && ($column["variant"] in known) &&
$column["kind"] == "gpu" && $column["status"] == "ok" && $column["time_s"] + 0 > 0 {
    group = $column["machine"] "," $column["parameters"] "," $column["width"] "," $column["height"]
    key = group SUBSEP $column["variant"]
    if (!(group in seen)) {
        seen[group] = 1
        groups[++n_groups] = group
        pixels[group] = $column["width"] * $column["height"]
        radius[group] = $column["parameters"]
        sub(/.*radius=/, "", radius[group])
        radius[group] += 0
    }
    if (!(key in time) || $column["time_s"] + 0 < time[key]) {
        time[key] = $column["time_s"] + 0
        block[key] = $column["block_x"] "," $column["block_y"]
    }
}

# Floats read and written a pixel, and operations. Of a tap a product and a sum; of the recursive
# filter 7 in each of four passes, which read and write once each, as two transpositions do.
function memory(algorithm, side)
{
    return algorithm == "copy" ? 2 : algorithm == "conv2d" ? side * side + 1 : \
           algorithm == "separable" ? 2 * (side + 1) : 12
}

function operations(algorithm, side)
{
    return algorithm == "copy" ? 0 : algorithm == "conv2d" ? 2 * side * side : \
           algorithm == "separable" ? 4 * side : 28
}

END {
    if (n_groups == 0) {
        print "algorithms.awk: no float row of lab 5 measured on a GPU" | "cat 1>&2"
        exit 1
    }
    printf "machine,parameters,width,height,algorithm,block_x,block_y,memory_per_pixel,"
    printf "flops_per_pixel,ratio,estimated_mp_per_s,measured_mp_per_s\r\n"
    for (g = 1; g <= n_groups; g++)
        for (i = 1; i <= n; i++) {
            group = groups[g]
            key = group SUBSEP algorithms[i]
            if (!(key in time))
                continue
            copy_key = group SUBSEP "copy"
            moved = memory(algorithms[i], 2 * radius[group] + 1)
            done = operations(algorithms[i], 2 * radius[group] + 1)
            estimate = ""
            if (copy_key in time)
                estimate = sprintf("%.4g", 1e-6 * pixels[group] / time[copy_key] * 2 / moved)
            # %.6g, so that 14200 is not written as 1.42e+04
            printf "%s,%s,%s,%d,%d,%.4g,%s,%s\r\n", group, algorithms[i], block[key], moved, done, \
                   done / moved, plain(estimate), plain(1e-6 * pixels[group] / time[key])
        }
}

# Four digits without an exponent; nothing stays nothing.
function plain(number)
{
    if (number == "")
        return ""
    return number + 0 >= 1000 ? sprintf("%.0f", number) : sprintf("%.4g", number)
}
