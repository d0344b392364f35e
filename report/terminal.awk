# terminal.awk - an answer of the database as a table for the terminal, numbers to four digits.
#
#   sqlite3 -ascii -header DB 'select ...' |
#       awk -v RS='\036' -v FS='\037' -f report/markdown.awk -f report/terminal.awk

{
    for (c = 1; c <= NF; c++) {
        text = $c
        gsub(/[\001-\037\177]+/, " ", text)
        is_text[c] = is_text[c] || (NR > 1 && text != "" && !is_number(text))
        if (NR > 1 && is_number(text) && text ~ /[.e]/)
            text = rounded(text, 4)
        cell[NR, c] = text
        if (length(text) > width[c])
            width[c] = length(text)
    }
    columns = NF > columns ? NF : columns
}

END {
    for (r = 1; r <= NR; r++) {
        line = ""
        for (c = 1; c <= columns; c++)
            line = line sprintf("%" (is_text[c] ? "-" : "") width[c] "s  ", cell[r, c])
        sub(/ +$/, "", line)
        print line
    }
}
