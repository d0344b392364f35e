# select.awk - rows and columns of a results file, for the figures.
#
#   awk -v columns=width,time_s -v where='kind=gpu|vendor,variant=naive' -f select.awk FILE.csv
#
# Reads RFC 4180 CSV (quoted fields may hold commas, doubled quotes and line breaks; lines end in LF
# or CRLF) and finds columns by the names in its header. Prints the columns asked for, separated by
# tabs, one row a line and no header; a tab or line break inside a value becomes a space.
#
#   columns  names, separated by commas; `*`: all, and the names as the first row
#   where    conditions column=value, separated by commas, that must all hold; value may list
#            alternatives a|b, an empty value asks for an empty field, column!=value for the opposite
#
# `parameters.KEY` stands for the value of one key in that column of `key=value` pairs joined by `;`,
# empty where the key is not there: where='parameters.type=gray,parameters.transfer=' passes the rows
# of gray pixels that name no transfer.
#
# What was not measured never passes: rows whose status is not `ok`, and rows of kind `emulated`
# unless a condition names that kind. A broken file is an error: one line on stderr, exit status 2.
#
# With -v table=1 the file is a table of analyse: it has no status, and every row passes.

function fail(message)
{
    printf "%s: %s\n", FILENAME == "" ? "select.awk" : FILENAME, message | "cat 1>&2"
    failed = 1
    exit 2
}

function column(name)
{
    sub(/^parameters\..*/, "parameters", name)
    if (!(name in column_of))
        fail("there is no column '" name "'")
    return column_of[name]
}

# The key in a name `parameters.KEY`; empty for a column as a whole.
function key_in(name)
{
    return sub(/^parameters\./, "", name) ? name : ""
}

# A field, or the value of one key in it.
function value_of(at, key,    n, i, pair)
{
    if (key == "")
        return field[at]
    n = split(field[at], pair, ";")
    for (i = 1; i <= n; i++)
        if (index(pair[i], key "=") == 1)
            return substr(pair[i], length(key) + 2)
    return ""
}

# Splits one record into field[1..n]; returns n.
function split_record(text,    n, at, rest, value)
{
    for (at in field)
        delete field[at]
    if (index(text, "\"") == 0)
        return split(text, field, ",")
    n = 0
    rest = text
    for (;;) {
        value = ""
        if (substr(rest, 1, 1) == "\"") {
            rest = substr(rest, 2)
            while ((at = index(rest, "\"")) > 0) {
                value = value substr(rest, 1, at - 1)
                rest = substr(rest, at + 1)
                if (substr(rest, 1, 1) != "\"")
                    break
                value = value "\""
                rest = substr(rest, 2)
            }
            if (rest != "" && substr(rest, 1, 1) != ",")
                fail("line " first_line ": text after a closing quote")
        } else {
            at = index(rest, ",")
            value = at ? substr(rest, 1, at - 1) : rest
            if (index(value, "\""))
                fail("line " first_line ": a quote inside an unquoted field")
            rest = at ? substr(rest, at) : ""
        }
        field[++n] = value
        if (rest == "")
            return n
        rest = substr(rest, 2)
    }
}

function read_header(    i, at, part, name)
{
    n_columns = split_record(record)
    for (i = 1; i <= n_columns; i++)
        column_of[field[i]] = i
    n_output = columns == "*" ? n_columns : split(columns, part, ",")
    for (i = 1; i <= n_output; i++) {
        output[i] = columns == "*" ? i : column(part[i])
        output_key[i] = columns == "*" ? "" : key_in(part[i])
    }
    n_where = split(where, part, ",")
    for (i = 1; i <= n_where; i++) {
        at = index(part[i], "=")
        if (at < 2)
            fail("'" part[i] "' is not a condition column=value")
        negated[i] = substr(part[i], at - 1, 1) == "!"
        name = substr(part[i], 1, at - 1 - negated[i])
        tested[i] = column(name)
        tested_key[i] = key_in(name)
        wanted[i] = "|" substr(part[i], at + 1) "|"
        if (!table && tested[i] == column("kind") && !negated[i] && index(wanted[i], "|emulated|"))
            emulated_wanted = 1
    }
    if (!table) {
        status = column("status")
        kind = column("kind")
    }
    if (columns == "*")
        print_row()
}

function passes(    i)
{
    if (!table && (field[status] != "ok" || (field[kind] == "emulated" && !emulated_wanted)))
        return 0
    for (i = 1; i <= n_where; i++)
        if ((index(wanted[i], "|" value_of(tested[i], tested_key[i]) "|") > 0) == negated[i])
            return 0
    return 1
}

function print_row(    i, value)
{
    for (i = 1; i <= n_output; i++) {
        value = value_of(output[i], output_key[i])
        gsub(/[\t\r\n]+/, " ", value)
        printf "%s%s", value, i < n_output ? "\t" : "\n"
    }
}

NR == 1 { sub(/^\357\273\277/, "") }

# A record goes on over a line's end while a quote is open.
{
    if (open_quote)
        record = record "\n" $0
    else {
        record = $0
        first_line = NR
    }
    copy = $0
    if (gsub(/"/, "", copy) % 2)
        open_quote = !open_quote
    if (open_quote)
        next
    sub(/\r$/, "", record)
    if (record == "")
        next
    if (!n_columns) {
        read_header()
        next
    }
    n_fields = split_record(record)
    if (n_fields != n_columns)
        fail("line " first_line ": " n_fields " fields, the header has " n_columns)
    if (passes())
        print_row()
}

END {
    if (failed)
        exit 2
    if (open_quote)
        fail("line " first_line ": a quote is never closed")
    if (!n_columns)
        fail("the file is empty")
}
