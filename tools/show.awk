# show.awk - a CSV file as a table for the terminal, numbers to four digits but whole ones whole.
# usage: awk -f tools/csv.awk -f report/markdown.awk -f tools/show.awk FILE
BEGIN {
    rows = csv_read(ARGV[1], cell)
    for (c = 1; c <= cell["columns"]; c++) {
        is_text = width = 0
        for (r = 0; r <= rows; r++) {
            gsub(/[\001-\037\177]+/, " ", cell[r, c])
            is_text = is_text || r && cell[r, c] != "" && !is_number(cell[r, c])
            if (r && is_number(cell[r, c]) && cell[r, c] ~ /[.e]/)
                cell[r, c] = rounded(cell[r, c], 4)
            if (length(cell[r, c]) > width)
                width = length(cell[r, c])
        }
        for (r = 0; r <= rows; r++)
            line[r] = line[r] sprintf("%" (is_text ? "-" : "") width "s  ", cell[r, c])
    }
    for (r = 0; r <= rows; r++) {
        sub(/ +$/, "", line[r])
        print line[r]
    }
}
