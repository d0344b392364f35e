# readme.awk - a lab's README with the H200's times written anew: the table between the line
# `<!-- h200 SIZE SIZE -->` and `<!-- end -->` is made of tables/best_by_size.csv. A lab counts
# operations of floats or of integers.
# usage: awk -v lab=LAB -v readme=README.md -f ../tools/csv.awk -f markdown.awk -f readme.awk CSV
record > 0 && csv("lab") == lab {
    name = csv("variant")
    if (!(name in seen))
        variant[++variants] = name
    seen[name]
    rate = csv("gop_per_s") > "" ? "GOP/s" : csv("gflop_per_s") > "" ? "GFLOP/s" : rate
    cells[name, csv("size")] = " " with_unit(csv("time_ms") / 1e3) " | " csv("block") " | " \
        digits(csv("gb_per_s")) " | " digits(csv("gop_per_s") csv("gflop_per_s")) " | " \
        digits(csv("speedup")) " |"
}

function digits(value)
{
    return value == "" ? "" : rounded(value, 3)
}

function with_unit(seconds)
{
    return seconds >= 1 ? rounded(seconds, 3) " s" : seconds >= 1e-3 ? \
        rounded(1e3 * seconds, 3) " ms" : rounded(1e6 * seconds, 3) " us"
}

function print_table(size, sizes,    heading, rule, text, v, s)
{
    for (s = 1; s <= sizes; s++) {
        heading = heading " " size[s] " | block | GB/s | " rate " | speedup |"
        rule = rule "---|---|---|---|---|"
    }
    print "| variant |" heading
    print "|---|" rule
    for (v = 1; v <= variants; v++) {
        text = ""
        for (s = 1; s <= sizes; s++)
            text = text ((variant[v], size[s]) in cells ? cells[variant[v], size[s]] : \
                "  |  |  |  |  |")
        if (text ~ /[0-9]/)
            print "| `" variant[v] "` |" text
    }
}

END {
    while ((getline line < readme) > 0) {
        if (line == "<!-- end -->")
            is_in = 0
        if (!is_in)
            print line
        if (line ~ /^<!-- h200 [0-9x ]* -->$/) {
            sizes = split(substr(line, 11, length(line) - 14), size, " ")
            print_table(size, sizes)
            is_in = 1
        }
    }
}
