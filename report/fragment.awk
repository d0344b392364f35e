# fragment.awk - one table as a LaTeX file of its own, for \input in any document.
#
#   awk -v table=DIR/NAME.csv -v name=NAME -v labels=labels.en.tsv -f csv.awk -f table.awk -f fragment.awk
#
# Exit status 1, and nothing printed, where the table is missing or has no rows.

BEGIN {
    rows = csv_read(table, cell)
    if (rows < 1)
        exit 1
    read_labels(labels, label)
    label_cells(cell, rows, label)
    for (c = 1; c <= cell["columns"]; c++)
        at[c] = c
    print "% " name ".tex - made from tables/" name ".csv by `make report`; your changes would be lost."
    print "% In the preamble: \\usepackage[T1]{fontenc}, \\usepackage{booktabs}, \\usepackage{graphicx}."
    print "% Where the table shall stand: \\input{" name "}, in a table environment if it needs a caption."
    printf "%s", latex_table(cell, rows, at, cell["columns"], label, 40)
}
