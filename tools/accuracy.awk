# accuracy.awk - writes docs/accuracy.md from the rows of `make accuracy`, which it reads.
# usage: awk -f tools/csv.awk -f tools/accuracy.awk data/reference/MACHINE/accuracy_*.csv

function kind_of(parameters)
{
    return match(parameters, /data=[^;]*/) ? substr(parameters, RSTART + 5, RLENGTH - 5) : "uniform"
}

# Returns a number from what a note says, in units of 2^-24.
function median_of(note)
{
    return match(note, /median error [-+.0-9e]*/) ? substr(note, RSTART + 13, RLENGTH - 13) * 2 ^ 24 : 0
}

function larger(x, y)
{
    return x > y ? x : y
}

# Returns a note's way: what stands behind its last semicolon, without "as".
function way_of(note)
{
    sub(/.*; /, "", note)
    sub(/^as /, "", note)
    sub(/^in /, "", note)
    sub(/: .*/, "", note)
    return note
}

FNR == 1 { files++ }
record == 0 { next }

{
    size = csv("width")
    if (csv("depth") != size)
        size = csv("height") " x " size " x " csv("depth")
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
    if (variant != "cublas" && !((size, variant) in of_size)) {
        of_size[size, variant]
        variants[size] = variants[size] " " variant
    }
    largest_in[files, size, kind, variant] = csv("max_error") * 2 ^ 24
    median_in[files, size, kind, variant] = median_of(csv("note"))
    if (csv("status") != "ok")
        bad[files, size, kind, variant] = csv("status")
    if (csv("time_s") > 0)
        time[size, kind, variant] = csv("time_s")
    way[size, kind, variant] = way_of(csv("note"))
    machine = csv("machine")
    if (!index(of_commits, csv("commit")))
        of_commits = (of_commits == "" ? "commit" : of_commits " and") " " csv("commit")
    if (last[size] != files) {
        last[size] = files
        seeds[size]++
    }
    if (csv("date") > date)
        date = csv("date")
    checked[size] = csv("note") ~ /^checked/ ? "32 rows of C are compared" : \
        "All elements are compared" (seeds[size] > 1 ? ", for " seeds[size] " seeds: the largest errors of all" : "")
}

function gain(size, kind, variant,    t)
{
    t = time[size, kind, variant]
    return t > 0 ? sprintf("%.2f", time[size, kind, "cublas"] / t) : ""
}

# Returns the largest error of all seeds, and the largest median.
function errors(size, kind, variant,    f, most, median)
{
    for (f = 1; f <= files; f++) {
        if ((f, size, kind, variant) in bad)
            return bad[f, size, kind, variant]
        if (!((f, size, kind, variant) in largest_in))
            continue
        most = larger(most, largest_in[f, size, kind, variant])
        median = larger(median, median_in[f, size, kind, variant])
    }
    return sprintf("%.2f / %s", most, two_digits(median, most))
}

# Notes have two digits of a median. Where these round it up beyond the largest error, it is that one.
function two_digits(median, most,    text)
{
    text = median < 1 ? sprintf("%.2f", median) : median < 9.95 ? sprintf("%.1f", median) : \
        sprintf("%.0f", sprintf("%.1e", median))
    return text + 0 > most ? sprintf("%.2f", most) : text
}

# Prints how many results of a size keep the promise, each against cublas in its own file.
function print_kept(size, list, n, named, count,    f, i, v, k, kept, all, broken)
{
    for (f = 1; f <= files; f++)
        for (i = 1; i <= n; i++)
            for (v = 1; v <= count; v++) {
                k = f SUBSEP size SUBSEP list[i] SUBSEP
                if (!((k named[v]) in largest_in))
                    continue
                all++
                if (!((k named[v]) in bad) && \
                    largest_in[k named[v]] <= larger(4, largest_in[k "cublas"]) && \
                    median_in[k named[v]] <= larger(1, median_in[k "cublas"]))
                    kept++
                else
                    broken = broken ", " list[i] " by " named[v]
            }
    print "\n" kept + 0 " of " all " results keep the promise" (broken ? "; not " substr(broken, 3) : "") "."
}

END {
    print "# FP32's accuracy, kind by kind"
    print ""
    print "`make docs` writes this page from the rows of `make accuracy`" \
        " (data/reference/" machine "/accuracy_*.csv,"
    print substr(date, 1, 10) ", " of_commits "), which fills lab 2\047s matrices with each kind of data that"
    print "[data.cu](../lab2_matprod/data.cu) has."
    print ""
    print "Errors are |C - C64| / (|A||B|) against a product in double precision, in units of u = 2^-24: the"
    print "largest, and the median. `cublas` is cuBLAS in FP32. A gain is cuBLAS\047s time by the variant\047s, on"
    print "the same data in the same run. The promise: a largest error is at most the greater of 4 and"
    print "cuBLAS\047s, a median at most the greater of 1 and cuBLAS\047s, and what FP32 sums without rounding is exact."
    print "Data that was drawn against it, what broke and what still does: [lab 2\047s notes](../lab2_matprod/NOTES.md),"
    print "\140make test-promise\140."
    for (i = 1; i <= count; i++) {
        size = order[i]
        print "\n## " (size ~ /x/ ? "M x N x K" : "N") " = " size "\n"
        print checked[size] ".\n"
        variant_count = split(variants[size], named, " ")
        head = "| data | cublas |"
        rule = "|:---|---:|"
        for (v = 1; v <= variant_count; v++) {
            head = head " " named[v] " | gain | way |"
            rule = rule "---:|---:|:---|"
        }
        print head "\n" rule
        n = split(kinds[size], list, " ")
        for (k = 1; k <= n; k++) {
            kind = list[k]
            line = "| " kind " | " errors(size, kind, "cublas")
            without_parts = 0
            for (v = 1; v <= variant_count; v++) {
                variant = named[v]
                without_parts += way[size, kind, variant] ~ /^FP(32|64)$/
                line = line " | " errors(size, kind, variant) " | " gain(size, kind, variant) " | " \
                    way[size, kind, variant]
            }
            print line " |"
            all[size]++
            safe[size] += without_parts == variant_count
        }
        print_kept(size, list, n, named, variant_count)
        print "\n" safe[size] " of " all[size] " kinds are multiplied in FP32 or FP64 by all of these."
    }
}
