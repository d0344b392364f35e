# csv.awk - reads CSV (RFC 4180; lines end in LF or CRLF): a whole file into an array, or one
# record. For other awk programs, which are run as awk -f tools/csv.awk -f ...

# Reads FILE: cell[0, c] are the names of its columns, cell[r, c] row r = 1.. and column c = 1..,
# cell[r, NAME] the same by name, empty where there is no such column; cell["columns"] counts the
# columns, cell["fields", r] those that a row has. Returns the number of rows below the header, -1
# where the file cannot be read. A row that is too short has empty cells at its end.
function csv_read(file, cell,    line, record, open, copy, rows, n, c, field)
{
    rows = -1
    while ((getline line < file) > 0) {
        record = open ? record "\n" line : line
        copy = record
        open = gsub(/"/, "", copy) % 2 # a quote is open: the record goes on in the next line
        if (open)
            continue
        sub(/\r$/, "", record)
        if (record == "" && cell["columns"] != 1)
            continue
        n = csv_split(record, field)
        if (++rows == 0)
            cell["columns"] = n
        cell["fields", rows] = n
        for (c = 1; c <= cell["columns"]; c++) {
            cell[rows, c] = c <= n ? field[c] : ""
            if (cell[0, c] !~ /^[0-9]+$/) # such a name would be another column's number
                cell[rows, cell[0, c]] = cell[rows, c]
        }
    }
    close(file)
    return rows
}

# One record into field[1..n]; returns n. Where a comma stood inside quotes, parts are glued again.
function csv_split(record, field,    part, parts, i, n, value, copy, open)
{
    parts = split(record, part, ",")
    for (i = 1; i <= parts; i++) {
        value = open ? value "," part[i] : part[i]
        copy = value
        open = gsub(/"/, "", copy) % 2
        if (open && i < parts)
            continue
        if (value ~ /^".*"$/)
            value = substr(value, 2, length(value) - 2)
        gsub(/""/, "\"", value)
        field[++n] = value
    }
    return n
}
