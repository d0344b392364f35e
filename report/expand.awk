# expand.awk - a report's template to Markdown. README.md describes the template's language.
#
#   DB=results.db FIGURES=DIR awk -v labels=labels.en.tsv -v lang=en -f markdown.awk -f expand.awk \
#       [id=lab1 LAB.md ...] id= TEMPLATE.md
#
# Facts and tables are asked of the database; the labs' files hold the parts that {{include}} shows,
# with labN for a lab's name and #N for its number. What is wrong in a template is one line
# `template:line: what` on stderr, exit status 1.

BEGIN {
    fact_form = "[{][{][a-z][A-Za-z0-9_.]*[}][}]"
    read_labels(labels)
    rows = query("select name, value, digits from fact", cell)
    for (r = 1; r <= rows; r++)
        fact[cell[r, 1]] = cell[r, 3] == "" ? cell[r, 2] : rounded(cell[r, 2], cell[r, 3])
    rows = query("select name from filled", cell)
    for (r = 1; r <= rows; r++)
        fact["table:" cell[r, 1]] = ""
    while (("ls \"$FIGURES\" 2>/dev/null" | getline name) > 0)
        if (sub(/\.png$/, "", name))
            fact["figure:" name] = ""
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
    printf "%s: %s\n", place, message | "cat 1>&2"
    failed = 1
    exit 1
}

# A line with its facts in place; `missing` is set where one is not there.
function with_facts(line,    rest, name, done)
{
    rest = line
    gsub(fact_form, "", rest)
    if (rest ~ /[{][{]/)
        fail("no directive: " rest)
    while (match(line, fact_form)) {
        name = substr(line, RSTART + 2, RLENGTH - 4)
        if (!(name in fact)) {
            missing = 1
            return ""
        }
        done = done substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        done = done in_text(fact[name], done)
    }
    return done line
}

# {{table NAME column ...}}
function table(words,    word, n, i, columns, rows, cell)
{
    n = split(words, word, " ")
    if (!("table:" word[2] in fact))
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
    if (!("figure:" name in fact))
        return lang == "ja" ? "*（図なし）*" : "*(not drawn)*"
    return "![" caption "](figures/" name ".png)\n\n*" caption "*"
}

# {{include PART}}: that part of each lab's text.
function include(part,    i)
{
    for (i = 1; i <= lines[part]; i++) {
        place = place_of[part, i]
        expand(line_of[part, i])
    }
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
    words = line ~ /^[{][{][a-z]+ .*[}][}]$/ ? substr(line, 3, length(line) - 4) : ""
    if (words ~ /^if /)
        closed[++depth] = closed[depth - 1] || !(substr(words, 4) in fact)
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
    place = FILENAME ":" FNR
}

id == "" {
    expand($0)
    next
}

/^[{][{]part / {
    part = substr($2, 1, length($2) - 2)
    blanks = 0
    next
}

# Empty lines at a part's end are none of it.
$0 == "" {
    blanks = 1
    next
}

{
    gsub(/labN/, id)
    gsub(/#N/, substr(id, 4))
    if (blanks)
        lines[part]++
    line_of[part, ++lines[part]] = $0
    place_of[part, lines[part]] = place
    blanks = 0
}

END {
    if (!failed && depth)
        fail("{{if}} without {{end}}")
    if (printed)
        print ""
    exit failed
}
