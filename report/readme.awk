# readme.awk - a lab's README with the H200's times written anew: the table between the line
# `<!-- h200 SIZE SIZE -->` and `<!-- end -->` is made of tables/best_by_size.csv, that behind
# `<!-- table NAME COLUMN ... -->` is tables/NAME.csv; headings are the labels of README.xx.md's
# language. A lab counts operations of floats or of integers.
# usage: awk -v lab=LAB -v readme=LAB/README.md -f tools/csv.awk -f report/markdown.awk \
#            -f report/readme.awk CSV
BEGIN {
    language = match(readme, /[.][a-z][a-z][.]md$/) ? substr(readme, RSTART + 1, 2) : "en"
    read_labels("report/labels." language ".tsv")
}

record > 0 && csv("lab") == lab {
    name = csv("variant")
    if (!(name in seen))
        variant[++variants] = name
    seen[name]
    noise = csv("noise_percent") + 0
    rate = csv("gop_per_s") > "" ? "gop_per_s" : csv("gflop_per_s") > "" ? "gflop_per_s" : rate
    cells[name, csv("size")] = " " with_unit(csv("time_ms") / 1e3) " | " csv("block") " | " \
        digits(csv("gb_per_s")) " | " digits(csv("gop_per_s") csv("gflop_per_s")) " | " \
        digits(csv("speedup")) " |"
}

function digits(value)
{
    return value == "" ? "" : in_table(value, "", noise, "")
}

function with_unit(seconds)
{
    return seconds >= 1 ? digits(seconds) " s" : seconds >= 1e-3 ? \
        digits(1e3 * seconds) " ms" : digits(1e6 * seconds) " us"
}

function print_table(size, sizes,    heading, rule, text, v, s)
{
    for (s = 1; s <= sizes; s++) {
        heading = heading " " size[s] " | " label_of("block") " | " label_of("gb_per_s") " | " \
            label_of(rate) " | " label_of("speedup") " |"
        rule = rule "---|---|---|---|---|"
    }
    print "| " label_of("variant") " |" heading
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
        } else if (line ~ /^<!-- table [a-z0-9_ ]+ -->$/) {
            sub(/[^\/]*$/, "", FILENAME)
            print table_of(FILENAME, substr(line, 12, length(line) - 15))
            is_in = 1
        }
    }
}
