# csv.awk - lets awk read CSV (RFC 4180; lines end in LF or CRLF): the rules of the program that
# follows it, awk -f tools/csv.awk -f ..., see a record after the other. Of each there are
#
#   record                     its number in its file, which begins with record 0, the header
#   field[1], .. field[fields] its fields, without quotes
#   csv(NAME)                  the field of that column; empty where there is none
#
# and columns, the number of fields that the file's header has. Fields are texts: what shall compare
# as a number has + 0 behind it.

function csv(name)
{
    return name in column ? field[column[name]] : ""
}

# A field ends at a comma that is outside quotes.
function split_record(text)
{
    split("", field)
    fields = 0
    for (text = text ","; match(text, /^("([^"]|"")*"|[^,]*),/); text = substr(text, RLENGTH + 1)) {
        field[++fields] = substr(text, 1, RLENGTH - 1)
        if (sub(/^"/, "", field[fields])) {
            sub(/"$/, "", field[fields])
            gsub(/""/, "\"", field[fields])
        }
    }
}

# Adds a line to the record; false while a quote is open, for the record goes on in the next line.
function csv_line(line)
{
    text = (open ? text "\n" : "") line
    open = gsub(/"/, "&", text) % 2
    if (!open) {
        sub(/\r$/, "", text)
        split_record(text)
    }
    return !open
}

FNR == 1 {
    record = -1
    open = 0
    split("", column)
    sub(/^\357\273\277/, "") # what some programs write before UTF-8
}
!csv_line($0) {
    next
}
++record == 0 {
    columns = fields
    for (c = 1; c <= columns; c++)
        column[field[c]] = c
}
