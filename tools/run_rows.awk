# run_rows.awk - the rows of a results file, checked, as compare_runs.awk takes them.
#   awk -v run=A -f tools/csv.awk -f tools/row.awk -f tools/run_rows.awk LAB.csv
#
# A line a row: the run, then what print_row() has, separated by tabs. A file that is broken ends
# with status 1 and a line on stderr.

function broken(why) {
    printf "%s: not a results file: %s\n", FILENAME, why >"/dev/stderr"
    failed = 1
    exit 1
}

!record {
    for (n = split("lab variant machine status time_s", needed, " "); n > 0; n--)
        if (!(needed[n] in column))
            broken("its heading has no " needed[n])
    next
}
fields != columns {
    broken("record " record " has " fields " fields, its heading " columns)
}
csv("status") !~ /^(ok|wrong|failed|skipped)$/ {
    broken("record " record " has the status '" csv("status") "'")
}
{
    print_row()
}
END {
    if (!failed && (record == "" || open))
        broken(open ? "it ends inside quotes" : "it is empty")
}

# Seconds, or an empty field.
function seconds(name,    value) {
    value = csv(name)
    if (value == "")
        return ""
    if (value !~ /^[0-9]+[.]?[0-9]*([eE][-+]?[0-9]+)?$/ || value + 0 == 0)
        broken("record " record " has the " name " '" value "'")
    return value + 0
}

# The interquartile range over the median; empty where there are no quartiles, or those of fewer
# than three samples, which say nothing.
function noise(    q1, q3) {
    q1 = seconds("time_q1_s")
    q3 = seconds("time_q3_s")
    if (seconds("time_s") == "" || q1 == "" || q3 == "" || csv("trials") + 0 < 3)
        return ""
    if (q1 > q3)
        broken("record " record " has quartiles in the wrong order")
    return (q3 - q1) / csv("time_s")
}

# What common/rows/result.c tells the rows of a file apart by. Of several machines it is no part.
function case_of_row() {
    return csv("lab") "|" csv("variant") "|" (across ? "" : csv("machine")) "|" conditions() \
        "|" csv("width") "|" csv("height") "|" csv("depth") "|" block() "|" csv("cache")
}

function cell(text) {
    gsub(/[\001-\037\177]+/, " ", text)
    return "\t" text
}

function print_row(    time) {
    time = seconds("time_s")
    print run cell(case_of_row()) cell(csv("lab")) cell(csv("variant")) cell(csv("kind")) \
        cell(csv("machine")) cell(conditions() ";" csv("cache")) cell(size()) cell(block()) \
        cell(csv("status")) cell(csv("time_s")) cell(time == "" ? "" : duration(time)) \
        cell(noise()) cell(csv("note")) cell(csv("commit")) cell(csv("date"))
}
