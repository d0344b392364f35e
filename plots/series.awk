# series.awk - rows to curves.
#
#   awk -v curve=block -v x=size -v y=time -v size=pixels -f series.awk ROWS
#
#   curve  what tells the curves apart: `block`, `size` or `variant`
#   x      the axis: `size` or `threads` (per block)
#   y      the column drawn: `time`, `speedup`, `gb` or `gflop`
#   size   what a size is on an axis: `width` (n, N) or `pixels`
#   only   the variant whose blocks are drawn (not for curve=variant)
#
# Where several rows fall on one point (the blocks of a variant in a figure of variants) the fastest
# is drawn. Curves by block also get the serial CPU, where y is a time. Along an axis of threads only
# square blocks are drawn, if there are any: 32x8 and 16x16 are not two steps of one growth.
#
# In: the rows of conditions.awk. Out, separated by tabs and not yet sorted: rank of the curve,
# source (now, past), x, y, the label of x, the name of the curve. The rank counts every variant,
# size or block in the rows, drawn or not, so that a curve looks the same in each figure of the lab.

function positive(text)
{
    return text ~ /^[0-9.]+([eE][-+]?[0-9]+)?$/ && text + 0 > 0
}

BEGIN {
    FS = OFS = "\t"
    CONVFMT = "%.15g" # a size of more than 31 bits is an index, too
    y_column = y == "time" ? 10 : y == "speedup" ? 11 : y == "gb" ? 12 : 13
    times = "\303\227" # the multiplication sign in UTF-8
}

{
    area = $6 * (size == "pixels" ? $7 : 1)
    size_name = size == "pixels" ? $6 times $7 : $6
    threads = $8 * $9
    is_cpu = $3 == "cpu"
    if (curve == "variant") {
        name = $2
        if (!(name in first_seen))
            first_seen[name] = ++n_variants
        place = first_seen[name]
    } else if (curve == "size") {
        name = size_name
        place = area
    } else {
        name = is_cpu ? "CPU" : $8 times $9
        place = is_cpu ? 0 : threads * 4096 + $8
    }
    if (!(place in rank)) {
        rank[place] = 1
        for (other in rank) {
            if (other + 0 < place + 0)
                rank[place]++
            else if (other + 0 > place + 0)
                rank[other]++
        }
    }
}

curve == "variant" && $1 == "past" { next }
curve == "block" && is_cpu && ($2 != "cpu" || y != "time") { next }
curve == "size" && is_cpu { next }
curve != "variant" && !is_cpu && ($2 != ($1 == "past" ? "naive" : only) || threads == 0) { next }
!positive($10) || !positive($y_column) { next }

{
    at = x == "threads" ? threads : area
    key = name SUBSEP $1 SUBSEP at SUBSEP (x == "threads" && $8 != $9)
    if (!(key in fastest) || $10 + 0 < fastest[key]) {
        fastest[key] = $10 + 0
        place_of[key] = place
        point[key] = sprintf("%s\t%.0f\t%s\t%s\t%s", $1, at, $y_column,
                             x == "threads" ? $8 times $9 : size_name, name)
        oblong[key] = x == "threads" && $8 != $9
        squares += x == "threads" && $8 == $9
    }
}

END {
    for (key in point)
        if (!oblong[key] || !squares)
            print rank[place_of[key]], point[key]
}
