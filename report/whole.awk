# whole.awk - is a results file whole, with the heading that its rows need?
#   awk -v needs='variant status' -v ends="$(tail -c 1 FILE.csv)" -f tools/csv.awk -f tools/stray.awk -f report/whole.awk FILE.csv
# What it is not is said in a line, and the status is 1; 3 where it is stray. Rows may be shorter than the heading,
# as somebody may have typed them, but for the last one of a file that does not end with its line.

BEGIN {
    whole = 1
}
END {
    if (stray)
        exit stray
    count = split(needs, need, " ")
    for (i = 1; i <= count && !why; i++)
        if (!(need[i] in column))
            why = "its heading has no " need[i]
    if (!why && ends != "" && (open || fields != columns))
        why = "its last row is cut off; without it, or measured once more, the file is whole"
    if (why)
        print FILENAME ": " why
    exit why != ""
}
