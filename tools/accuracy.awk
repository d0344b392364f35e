# accuracy.awk - writes docs/accuracy.md from the rows of `make accuracy`, which it reads.
# usage: awk -f tools/csv.awk -f tools/accuracy.awk data/reference/MACHINE/accuracy.csv

function kind_of(parameters)
{
    return match(parameters, /data=[^;]*/) ? substr(parameters, RSTART + 5, RLENGTH - 5) : "uniform"
}

# Returns an error in units of 2^-24, as largest / median.
function errors(max, note,    median)
{
    median = match(note, /median error [-+.0-9e]*/) ? substr(note, RSTART + 13, RLENGTH - 13) : 0
    return sprintf("%.2f / %.2f", max * 2 ^ 24, median * 2 ^ 24)
}

# Returns a note's way: what stands behind its last semicolon, without "as".
function way_of(note)
{
    sub(/.*; /, "", note)
    sub(/^as /, "", note)
    sub(/^in FP32: .*/, "FP32", note)
    return note
}

record == 0 { next }

{
    size = csv("width")
    kind = kind_of(csv("parameters"))
    variant = csv("variant")
    if (!((size, kind) in known)) {
        known[size, kind]
        kinds[size] = kinds[size] " " kind
    }
    if (!(size in sizes)) {
        sizes[size]
        order[++count] = size
    }
    error[size, kind, variant] = csv("status") == "ok" ? errors(csv("max_error"), csv("note")) : \
        csv("status")
    time[size, kind, variant] = csv("time_s")
    way[size, kind, variant] = way_of(csv("note"))
    machine = csv("machine")
    commit = csv("commit")
    split(csv("date"), date, "T")
    checked[size] = csv("note") ~ /^checked/ ? "32 rows of C are compared" : "All elements are compared"
}

function gain(size, kind, variant,    t)
{
    t = time[size, kind, variant]
    return t > 0 ? sprintf("%.2f", time[size, kind, "cublas"] / t) : ""
}

END {
    print "# FP32's accuracy, kind by kind"
    print ""
    print "`make docs` writes this page from the rows of `make accuracy`" \
        " (data/reference/" machine "/accuracy.csv,"
    print date[1] ", commit " commit "), which fills lab 2\047s matrices with each kind of data that"
    print "[data.cu](../lab2_matprod/data.cu) has."
    print ""
    print "Errors are |C - C64| / (|A||B|) against a product in double precision, in units of u = 2^-24: the"
    print "largest, and the median. `cublas` is cuBLAS in FP32. A gain is cuBLAS\047s time by the variant\047s, on"
    print "the same data in the same run. The promise: a largest error is at most 4 or cuBLAS\047s, a median at"
    print "most 1 or cuBLAS\047s, and what FP32 sums without rounding is exact."
    for (i = 1; i <= count; i++) {
        size = order[i]
        print "\n## N = " size "\n"
        print checked[size] ".\n"
        print "| data | cublas | tensor_split | gain | way | tensor_int8_slices | gain | way |"
        print "|:---|---:|---:|---:|:---|---:|---:|:---|"
        n = split(kinds[size], list, " ")
        for (k = 1; k <= n; k++) {
            kind = list[k]
            line = "| " kind " | " error[size, kind, "cublas"]
            for (v = 1; v <= 2; v++) {
                variant = v == 1 ? "tensor_split" : "tensor_int8_slices"
                line = line " | " error[size, kind, variant] " | " gain(size, kind, variant) " | " \
                    way[size, kind, variant]
            }
            print line " |"
            all[size]++
            safe[size] += way[size, kind, "tensor_split"] == "FP32" && \
                way[size, kind, "tensor_int8_slices"] == "FP32"
        }
        print "\n" safe[size] " of " all[size] " kinds are multiplied in FP32 by both."
    }
}
