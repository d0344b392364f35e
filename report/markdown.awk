# markdown.awk - numbers and texts as the report shows them: the one place that rounds, and the one
# that keeps texts from being markup.

# Columns whose cells are words; in others they are names, which stay what they are.
BEGIN {
    spoken = "^(item|this|past|machine|kind|processor|row|status|note|why|limiter|bound|" \
        "was_bound|leading|basis|operands|bytes_by|way|expected_unit)$"
}

# The labels of columns, from `name<TAB>label` lines; a name not listed is its own.
function read_labels(path,    line, at)
{
    while ((getline line < path) > 0)
        if ((at = index(line, "\t")) > 1)
            label[substr(line, 1, at - 1)] = substr(line, at + 1)
    close(path)
}

function label_of(name)
{
    return name in label ? label[name] : name
}

# A cell's text in the report's language: its own label, `COLUMN:text` where a column has that name;
# that of its form, where # stands for each number; a name with a remark in parentheses, which has
# one; or a list of texts, by commas or plus signs.
function in_language(text, column,    form, at, separator)
{
    form = text
    gsub(/[0-9][0-9.]*/, "#", form)
    if ((column ":" text) in label)
        return label[column ":" text]
    if (text in label)
        return label[text]
    if (form in label)
        return with_numbers(label[form], text)
    if (match(text, / \([^()]*\)$/) && substr(text, RSTART) in label)
        return substr(text, 1, RSTART - 1) label[substr(text, RSTART)]
    if (column !~ /^(why|limiter)$/ || !match(text, /, |[+]/))
        return text
    at = RSTART
    separator = substr(text, at, RLENGTH)
    return in_language(substr(text, 1, at - 1), column) label_of(separator) \
        in_language(substr(text, at + length(separator)), column)
}

# A form with the numbers of a text.
function with_numbers(form, text,    at, done)
{
    while ((at = index(form, "#")) && match(text, /[0-9][0-9.]*/)) {
        done = done substr(form, 1, at - 1) substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        form = substr(form, at + 1)
    }
    return done form
}

# A number in a sentence: `digits` 2 are two below 10, else three; -2 are two of any.
function rounded(value, digits)
{
    if (digits < 0)
        return significant(value, -digits)
    return significant(value, digits == 2 && value + 0 >= 9.95 ? 3 : digits)
}

# A number to so many digits, without an exponent from 1e-6 to 1e15. (2.605 is a little less in
# binary, but rounds up.)
function significant(value, digits,    text, size, decimals)
{
    value *= 1 + 1e-12
    text = sprintf("%." (digits - 1) "e", value)
    size = text < 0 ? -text : text + 0
    if (size != 0 && (size < 1e-6 || size >= 1e15))
        return sprintf("%." digits "g", value)
    decimals = digits - 1 - substr(text, index(text, "e") + 1)
    text = sprintf("%." (decimals > 0 ? decimals : 0) "f", text)
    if (text ~ /\./) {
        sub(/0+$/, "", text)
        sub(/\.$/, "", text)
    }
    return text
}

function is_number(text)
{
    return text ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/
}

# A text as GitHub and pandoc show it, whatever it holds: never markup, a link, HTML or maths. `|`
# would end a cell even behind a backslash in some readers; `$` and `@` make maths and mail
# addresses on GitHub unless they stand in an element of their own.
function markdown(text)
{
    gsub(/[\001-\037\177]+/, " ", text)
    if (text ~ /^[-+=#:!]/ && !is_number(text)) # the start of a line: no list, heading or fence
        text = "\001" text
    else if (text ~ /^[0-9]+[.)]( |$)/ && match(text, /^[0-9]+/))
        text = substr(text, 1, RLENGTH) "\001" substr(text, RLENGTH + 1)
    gsub(/[\\`*_<>&~]|\[|\]|:\/\//, "\001&", text)
    gsub(/www[.]/, "www\001.", text)
    gsub(/\001/, "\\", text)
    gsub(/[|]/, "\\&#124;", text)
    gsub(/[$]/, "<span>\\$</span>", text)
    gsub(/@/, "<span>@</span>", text)
    return text
}

# A fact behind this part of a line: after an odd number of backticks it is code, where nothing is
# markup but a backtick.
function in_text(value, before)
{
    if (gsub(/`/, "", before) % 2 == 0)
        return markdown(value)
    gsub(/[\001-\037\177`]+/, " ", value)
    return value
}

# A number in a table has three digits, but a whole one all of its own, and one of 2012 the four that
# its report prints; where the samples of a time spread by a twentieth or more, the time, and
# what follows from it, has two: that of the row by noise_percent, that in NAME_ms by NAME_noise.
function in_table(value, name, noise, machine)
{
    if (value == int(value) && value < 1e9)
        return sprintf("%d", value)
    if (name ~ /^past_/ || machine ~ /2012/)
        return significant(value, 4)
    return significant(value, noise >= 5 ? 2 : 3)
}

# The column that has the noise of column `name`; 0 if there is none. (gawk 5.2.1 frees an element twice
# that a function returns, or is given, where it is not there.)
function noise_of(name, at,    own)
{
    own = name
    sub(/_(ms|gain)$/, "", own)
    if ((own "_noise") in at)
        return at[own "_noise"]
    return name ~ /(time_ms|per_s|speedup)$/ ? at["noise_percent"] + 0 : 0
}

# The columns shown[1..] of cell[0..rows, column], row 0 their names. One of nothing but numbers
# (and empty cells) stands at the right. A column without a value is left out.
function markdown_table(cell, rows, shown,    r, c, i, name, numbers, filled, lines, text, at, noise)
{
    for (c = 1; c <= cell["columns"]; c++)
        at[cell[0, c]] = c
    for (i = 1; i in shown; i++) {
        c = shown[i]
        name = cell[0, c]
        if (name ~ /_noise$/)
            continue
        noise = noise_of(name, at)
        numbers = filled = 0
        for (r = 1; r <= rows; r++) {
            filled += cell[r, c] != ""
            numbers += is_number(cell[r, c])
        }
        if (!filled)
            continue
        lines[0] = lines[0] "| " markdown(label_of(name)) " "
        lines[1] = lines[1] (numbers == filled ? "|---:" : "|:---")
        for (r = 1; r <= rows; r++) {
            text = cell[r, c]
            if (numbers == filled && text ~ /[.e]/ && name !~ /^(student|exercise)$/)
                text = in_table(text, name, cell[r, noise] + 0, cell[r, at["machine"]] "")
            else if (name ~ spoken)
                text = in_language(text, name)
            lines[r + 1] = lines[r + 1] "| " markdown(text) " "
        }
    }
    text = lines[0] "|"
    for (r = 1; r <= rows + 1; r++)
        text = text "\n" lines[r] "|"
    return text
}

# A table of CSV: cell[0..rows, 1..cell["columns"]], of which row 0 has the columns' names, and where
# each of them is. Returns the number of rows.
function read_table(path, cell, at,    rows, line, c)
{
    rows = -1
    while ((getline line < path) > 0) {
        if (!csv_line(line))
            continue
        rows++
        for (c = 1; c <= fields; c++)
            cell[rows, c] = field[c]
    }
    close(path)
    cell["columns"] = fields
    for (c = 1; c <= fields; c++)
        at[cell[0, c]] = c
    return rows
}

# `NAME column ...`: a table of the folder as Markdown, or these columns of it; `unknown` is one that
# it has not.
function table_of(folder, words,    word, n, c, rows, cell, at, shown)
{
    n = split(words, word, " ")
    rows = read_table(folder word[1] ".csv", cell, at)
    for (c = 1; n == 1 && c <= cell["columns"]; c++)
        shown[c] = c
    for (c = 2; c <= n; c++) {
        if (!(word[c] in at)) {
            unknown = word[c]
            return ""
        }
        shown[c - 1] = at[word[c]]
    }
    return markdown_table(cell, rows, shown)
}
