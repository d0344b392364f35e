# doctor_rows.awk - of the results' rows of a variant, from DATE on, that are wrong or failed, the one of fewest
# elements: SIZE BLOCK FILE STATUS: NOTE; `-` is the block of what has none.
# usage: awk -v variant=NAME -v since=DATE -f tools/csv.awk -f tools/row.awk -f tools/doctor_rows.awk ROWS.csv...
record > 0 && csv("variant") == variant && csv("date") >= since && csv("status") ~ /^(wrong|failed)$/ {
    elements = csv("width") * csv("height")
    if (!found || elements < found) {
        found = elements
        # Products are M x N x K.
        at = csv("depth") != "" ? csv("height") "x" csv("width") "x" csv("depth") : size()
        row = at " " (block() == "" ? "-" : block()) " " FILENAME " " csv("status") ": " csv("note")
    }
}
END {
    if (found)
        print row
}
