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
# share_missing NOTE SIZE: of the columns or rows that were never written.
function share_missing(text, of,  part, extent, n_extents) {
    if (!match(text, /never written: the (last|first) [0-9]+ (column|row)/))
        return 0
    split(substr(text, RSTART, RLENGTH), part, " ")
    n_extents = split(of, extent, "x")
    return part[5] / extent[(part[6] ~ /column/) == (n_extents < 3) ? 1 : 2] # width x height, or M x N x K
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
    threads = b[1] * (b[2] ? b[2] : 1); elements = s[1] * s[2]
    if (bad[n]) {
        if (!few || threads < few) few = threads
        if (!least || elements < least) { least = elements; wrong_at = sizes[n] }
    } else if (status[n] == "ok") {
        if (threads > many) many = threads
        if (elements > most) { most = elements; right_at = sizes[n] }
    }
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
        if (share_missing(note[at], sizes[at]) > 0.5)
            note[at] = note[at] ", more than half"
        print (status[at] == "failed" ? "crash: " : "output: ") note[at] " (at " place ")"
        # Where all is missing no index is too small: the launch was refused.
        refused = note[at] ~ /never written: all [0-9]|InvalidConfiguration/
        if (bads == larges && most < least && oks && !refused)
            print "sizes: right up to " right_at ", wrong where there are more than " \
                (most > 32768 ? "that" : "2^15 elements")
        else if (oks && only("odd"))
            print "sizes: right only where blocks divide the size"
        else if (oks && only("oblong"))
            print "sizes: right only where width and height are equal"
        else if (oks && only("flat"))
            print "sizes: right only with square blocks"
        else if (oks && many < few)
            print "sizes: right only with blocks of up to " many " threads"
        else
            print "sizes: " (oks ? bads " of " bads + oks " rows are bad" : "bad at all sizes and blocks")
    } else if (!oks)
        print "skipped: " note[1]
}
