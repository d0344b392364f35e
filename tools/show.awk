# show.awk - a CSV file as a table for the terminal: awk -f tools/csv.awk -f tools/show.awk FILE
BEGIN {
    rows = csv_read(ARGV[1], cell)
    for (c = 1; c <= cell["columns"]; c++)
        for (r = 0; r <= rows; r++)
            if (length(cell[r, c]) > width[c])
                width[c] = length(cell[r, c])
    for (c = 1; c <= cell["columns"]; c++)
        form[c] = "%" (cell[1, c] ~ /^[0-9.]+$/ ? "" : "-") width[c] "s"
    for (r = 0; r <= rows; r++) {
        line = ""
        for (c = 1; c <= cell["columns"]; c++)
            line = line sprintf(form[c], cell[r, c]) "  "
        sub(/ +$/, "", line)
        print line
    }
}
