# show.awk - a table for the terminal.
#
#   awk -v table=FILE.csv -f csv.awk -f table.awk -f show.awk
#
# Exit status 1 where the table is missing or has no rows.

BEGIN {
    rows = csv_read(table, cell)
    if (rows < 1)
        exit 1
    for (c = 1; c <= cell["columns"]; c++) {
        width = length(cell[widest(cell, rows, c), c])
        if (length(cell[0, c]) > width)
            width = length(cell[0, c])
        format[c] = (c > 1 ? "  " : "") "%" (is_numeric(cell, rows, c) ? "" : "-") width "s"
    }
    for (r = 0; r <= rows; r++) {
        line = ""
        for (c = 1; c <= cell["columns"]; c++)
            line = line sprintf(format[c], one_line(cell[r, c]))
        sub(/ +$/, "", line)
        print line
    }
}
