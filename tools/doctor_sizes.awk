# doctor_sizes.awk - evidence from the rows of one variant: at which sizes and blocks it is wrong, what
# that has in common, and the note of the row that says most.
# usage: awk -f tools/csv.awk -f tools/row.awk -f tools/doctor_sizes.awk ROWS.csv
# Exit status 1 if there is no row.

# only NAME KIND: are exactly the rows of this kind bad, and are there others?
function only(kind,  i, fits) {
    fits = 1
    for (i = 1; i <= n; i++)
        if (status[i] != "skipped" && !large[i] && (is[i, kind] != bad[i]))
            fits = 0
    return fits
}
record > 0 {
    n++
    status[n] = csv("status"); blocks[n] = block(); note[n] = csv("note")
    sizes[n] = csv("width") "x" csv("height")
    if (csv("depth") != "")
        sizes[n] = csv("height") "x" csv("width") "x" csv("depth")
    split(sizes[n], s, "x"); split(blocks[n], b, "x")
    bad[n] = status[n] == "wrong" || status[n] == "failed"
    large[n] = s[1] * s[2] > 65536 || s[1] > 65536
    is[n, "odd"] = b[1] && (s[1] % b[1] != 0 || s[2] % b[2] != 0)
    is[n, "oblong"] = s[1] != s[2] || (s[3] && s[3] != s[1])
    is[n, "flat"] = b[1] != b[2]
    bads += bad[n]; oks += status[n] == "ok"; larges += bad[n] && large[n]
}
END {
    if (!n)
        exit 1
    if (bads) {
        for (i = 1; i <= n; i++) {
            where = sizes[i] (blocks[i] == "" ? "" : ", block " blocks[i])
            # A word on the output says most, and what a size without large numbers says is shorter.
            score = bad[i] * (1 + (note[i] ~ /; [a-z ]+: /) * 2 + (note[i] ~ /; (transposed|shifted|wrong stride)/) * 4)
            if (score > best) { best = score; at = i; place = where }
        }
        # What is bad where blocks divide the size, too, is no matter of partial blocks.
        if (!only("odd"))
            sub(/, a part of a block/, "", note[at])
        print (status[at] == "failed" ? "crash: " : "output: ") note[at] " (at " place ")"
        if (bads == larges && oks)
            print "sizes: right up to " sizes[1] ", wrong where there are more than 2^15 elements"
        else if (oks && only("odd"))
            print "sizes: right only where blocks divide the size"
        else if (oks && only("oblong"))
            print "sizes: right only where width and height are equal"
        else if (oks && only("flat"))
            print "sizes: right only with square blocks"
        else
            print "sizes: " (oks ? bads " of " bads + oks " rows are bad" : "bad at all sizes and blocks")
    } else if (!oks)
        print "skipped: " note[1]
}
