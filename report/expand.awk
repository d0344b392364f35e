# expand.awk - a report's template to Markdown. README.md describes the template's language.
#
#   DB=results.db awk -v root=DIR -v figures=DIR -v labels=labels.en.tsv -v lang=en \
#       -f markdown.awk -f expand.awk TEMPLATE.md
#
# Facts and tables are asked of the database; {{include}} reads files below `root`. What is wrong in
# the template is one line `template:line: what` on stderr, exit status 1.

BEGIN {
    read_labels(labels)
    rows = query("select name, value, digits from fact", cell)
    for (r = 1; r <= rows; r++)
        fact[cell[r, 1]] = cell[r, 3] == "" ? cell[r, 2] : rounded(cell[r, 2], cell[r, 3])
    rows = query("select name from filled", cell)
    for (r = 1; r <= rows; r++)
        filled[cell[r, 1]] = 1
    blank = 1
}

# The answer to a question, cell[0..rows, 1..cell["columns"]]; row 0 has the columns' names.
function query(sql, cell,    command, rows, n, i, part, kept, line)
{
    command = "sqlite3 -readonly -ascii -header \"$DB\" '" sql "'"
    kept = RS
    RS = "\036"
    rows = -1
    while ((command | getline line) > 0) {
        n = split(line, part, "\037")
        rows++
        for (i = 1; i <= n; i++)
            cell[rows, i] = part[i]
        if (!rows)
            cell["columns"] = n
    }
    RS = kept
    close(command)
    return rows
}

function fail(message)
{
    printf "%s:%d: %s\n", file, number, message | "cat 1>&2"
    failed = 1
    exit 1
}

# A line with its facts in place; `missing` is set where one is not there.
function with_facts(line,    name, text, done)
{
    while (match(line, /\{\{[a-z][A-Za-z0-9_.]*\}\}/)) {
        name = substr(line, RSTART + 2, RLENGTH - 4)
        text = plain(substr(line, 1, RSTART - 1))
        line = substr(line, RSTART + RLENGTH)
        done = done text
        if (name in fact)
            done = done in_text(fact[name], done)
        else
            missing = 1
    }
    return done plain(line)
}

function plain(text)
{
    if (text ~ /\{\{/)
        fail("no directive: " text)
    return text
}

function holds(condition)
{
    if (condition ~ /^table:/)
        return substr(condition, 7) in filled
    if (condition ~ /^figure:/)
        return is_drawn(substr(condition, 8))
    return condition in fact
}

function is_drawn(name,    path, line, status)
{
    path = figures "/" name ".png"
    status = (getline line < path)
    close(path)
    return status >= 0
}

# {{table NAME column ...}}
function table(words,    word, n, i, columns, rows, cell)
{
    n = split(words, word, " ")
    if (!(word[2] in filled))
        return lang == "ja" ? "*（未計測）*" : "*(not measured)*"
    for (i = 3; i <= n; i++)
        columns = columns (i > 3 ? ", [" : "[") word[i] "]"
    rows = query("select " (columns == "" ? "*" : columns) " from [" word[2] "]", cell)
    if (rows < 1)
        fail("the table " word[2] " has not all the columns that are named")
    return markdown_table(cell, rows)
}

# {{figure NAME Caption}}
function figure(words,    name, caption)
{
    words = substr(words, 8)
    name = words
    sub(/ .*/, "", name)
    caption = with_facts(substr(words, length(name) + 2))
    if (!is_drawn(name))
        return lang == "ja" ? "*（図なし）*" : "*(not drawn)*"
    return "![" caption "](figures/" name ".png)\n\n*" caption "*"
}

# {{include PART}}: that part of each lab's text, in the order of their numbers. For a lab without a
# text stands report/lab.LANG.md, with labN for its name and #N for its number.
function include(part,    command, folder, path, line, kept, kept_number, id, inside, blanks)
{
    kept = file
    kept_number = number
    command = "cd '" root "' && ls -vd lab*_*"
    while ((command | getline folder) > 0) {
        file = folder "/report." lang ".md"
        path = root "/" file
        id = substr(folder, 1, index(folder, "_") - 1)
        if ((getline line < path) < 0)
            path = root "/" (file = "report/lab." lang ".md")
        close(path)
        number = inside = blanks = 0
        while ((getline line < path) > 0) {
            number++
            gsub(/labN/, id, line)
            gsub(/#N/, substr(id, 4), line)
            if (line ~ /^\{\{part /)
                inside = line == "{{part " part "}}"
            else if (inside && line == "")
                blanks++ # those at a part's end are none of it
            else if (inside) {
                if (blanks)
                    show("")
                expand(line)
                blanks = 0
            }
        }
        close(path)
    }
    close(command)
    file = kept
    number = kept_number
}

# Sentences that follow each other are one paragraph; in Japanese they stand on one line.
function show(line)
{
    if (line == "" && blank)
        return
    if (line == "" || line ~ /^([-#>|*]|[0-9]+\.)/)
        join = 0
    printf "%s%s", printed++ ? (join ? "" : "\n") : "", line
    blank = line == ""
    join = lang == "ja" && line ~ /(。|：)(\*\*)?$/
}

function expand(line,    words)
{
    words = line ~ /^\{\{[a-z]+ .*\}\}$/ ? substr(line, 3, length(line) - 4) : ""
    if (words ~ /^if /)
        closed[++depth] = closed[depth - 1] || !holds(substr(words, 4))
    else if (line == "{{end}}") {
        if (!depth--)
            fail("{{end}} without {{if}}")
    } else if (closed[depth])
        return
    else if (words ~ /^include /)
        include(substr(words, 9))
    else {
        missing = 0
        line = words ~ /^table / ? table(words) : words ~ /^figure / ? figure(words) : \
            with_facts(line)
        if (!missing)
            show(line)
    }
}

{
    sub(/\r$/, "")
    file = FILENAME
    number = FNR
    expand($0)
}

END {
    if (!failed && depth)
        fail("{{if}} without {{end}}")
    if (printed)
        print ""
    exit failed
}
