# whole.awk - is a results file whole, with the heading that its rows need?
#   awk -v needs=variant -v ends="$(tail -c 1 FILE.csv)" -f tools/csv.awk -f report/whole.awk FILE.csv
# What it is not is said in a line, and the status is 1. Rows may be shorter than the heading, as somebody
# may have typed them, but for the last one of a file that does not end with its line.

record == 0 && needs && !(needs in column) {
    why = "its heading has no " needs
    exit
}
END {
    if (!why && ends != "" && (open || fields != columns))
        why = "its last row is cut off; without it, or measured once more, the file is whole"
    if (why)
        print FILENAME ": " why
    exit why != ""
}
