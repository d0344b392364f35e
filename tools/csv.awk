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

# A field ends at a comma that is outside quotes. What stands before those of a row, and behind them, is split
# at once: a regular expression a field would take most of the time of many programs.
function split_record(text,    quote, plain)
{
    split("", field)
    fields = 0
    for (text = text ","; quote = index(text, "\""); text = substr(text, RLENGTH + 1)) {
        plain = substr(text, 1, quote - 1)
        if (sub(/,[^,]*$/, "", plain)) {
            add_fields(plain)
            text = substr(text, length(plain) + 2)
        }
        if (!match(text, /^("([^"]|"")*"|[^,]*),/))
            return
        field[++fields] = substr(text, 1, RLENGTH - 1)
        if (sub(/^"/, "", field[fields])) {
            sub(/"$/, "", field[fields])
            gsub(/""/, "\"", field[fields])
        }
    }
    if (text != "")
        add_fields(substr(text, 1, length(text) - 1))
}

# add_fields TEXT: its parts between commas, of which it has one at least; texts, which those of split() that look
# like numbers are not.
function add_fields(text,    part, count, i)
{
    count = split(text, part, ",")
    for (i = 1; i <= count; i++)
        field[++fields] = part[i] ""
    if (count == 0)
        field[++fields] = ""
}

# Adds a line to the record; false while a quote is open, for the record goes on in the next line.
function csv_line(line)
{
    text = (open ? text "\n" : "") line
    open = index(text, "\"") ? gsub(/"/, "&", text) % 2 : 0
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
