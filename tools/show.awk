# show.awk - a CSV file as a table for the terminal, numbers to four digits but whole ones whole.
# usage: awk -f tools/csv.awk -f report/markdown.awk -f tools/show.awk FILE
{
    for (c = 1; c <= columns; c++) {
        text = field[c]
        gsub(/[\001-\037\177]+/, " ", text)
        if (record && !is_number(text))
            is_text[c] = is_text[c] || text != ""
        else if (record && text ~ /[.e]/)
            text = rounded(text, 4)
        cell[record, c] = text
        if (length(text) > width[c])
            width[c] = length(text)
    }
}
END {
    for (r = 0; NR && r <= record; r++) {
        line = ""
        for (c = 1; c <= columns; c++)
            line = line sprintf("%" (is_text[c] ? "-" : "") width[c] "s  ", cell[r, c])
        sub(/ +$/, "", line)
        print line
    }
}
