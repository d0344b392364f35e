# expand.awk - a report's template to Markdown.
#
#   awk -v tables=DIR [-v facts=FILE.csv] -v figures=DIR -v labels=labels.en.tsv [-v lang=en|ja]
#       [-v format=md|html|tex] -f csv.awk -f table.awk -f expand.awk TEMPLATE.md TEMPLATE.md
#
# The template is named twice: the first time it is read for what each {{if known}} depends on.
#
# README.md describes the directives. They are followed wherever they stand in a line, but
# {{table ...}} and {{figure ...}} need one of their own. A line that holds only {{if}}, {{else}} and
# {{end}}, or nothing that is shown, leaves no line behind; of several blank lines one remains.
#
# format=md is for GitHub and other readers of Markdown. html and tex are for pandoc, which makes the
# pages: the title becomes metadata, a table gets a box to scroll in, or is a LaTeX tabular, a figure
# is one of the language's own.
#
# An unknown fact or column, a directive that is none, an {{if}} without its {{end}}: one line
# `template:line: what` on stderr, exit status 1.

BEGIN {
    if (format == "")
        format = "md"
    read_labels(labels, label)
    if (facts != "")
        read_facts()
    shown = 1
    blank = 1
    absent["en", "table"] = "*(not measured)*"
    absent["en", "figure"] = "*(not drawn)*"
    absent["ja", "table"] = "*（未計測）*"
    absent["ja", "figure"] = "*（図なし）*"
    if (lang != "ja")
        lang = "en"
}

function read_facts(    rows, r, name, value)
{
    if ((rows = csv_read(facts, cell)) < 0)
        fail("cannot read " facts)
    name = column_named("name", cell)
    value = column_named("value", cell)
    if (!name || !value)
        fail(facts " has no columns name and value")
    for (r = 1; r <= rows; r++)
        fact[cell[r, name]] = cell[r, value]
}

# `line` where it is not the one being read.
function fail(message, line)
{
    printf "%s%s\n", NR ? FILENAME ":" (line ? line : FNR) ": " : "expand.awk: ", message | "cat 1>&2"
    failed = 1
    exit 1
}

# What an {{if known}} depends on -------------------------------------------------------------------

# The facts that stand between an {{if}} and its {{else}} or {{end}}, but in no other {{if}} between
# them: needed[n], of the n-th {{if}}.
function note_facts(text,    at, inner)
{
    while ((at = index(text, "{{")) > 0) {
        text = substr(text, at + 2)
        if (!(at = index(text, "}}")))
            return
        inner = substr(text, 1, at - 1)
        text = substr(text, at + 2)
        sub(/^.*\{\{/, "", inner) # a fact in a figure's caption
        if (inner ~ /^if( |$)/) {
            number[++deep] = ++ifs
            in_else[deep] = 0
        } else if (inner == "else")
            in_else[deep] = 1
        else if (inner == "end")
            deep -= deep > 0
        else if (deep && !in_else[deep] && inner ~ /^[A-Za-z0-9_.]+$/)
            needed[number[deep]] = needed[number[deep]] " " inner
    }
}

# Whether the facts that the n-th {{if}} needs are there.
function known(n,    name, count, i)
{
    count = split(needed[n], name, " ")
    for (i = 1; i <= count; i++)
        if (!(name[i] in fact))
            return 0
    return 1
}

# Conditions ---------------------------------------------------------------------------------------

# Several conditions with blanks between them must all hold.
function all_hold(conditions,    one, n, i)
{
    n = split(conditions, one, " ")
    if (!n)
        fail("{{if}} needs a condition")
    for (i = 1; i <= n; i++)
        if (!holds(one[i]))
            return 0
    return 1
}

function holds(condition,    negated, name)
{
    name = condition
    negated = sub(/^!/, "", name)
    if (name == "known")
        return known(seen_ifs) != negated
    if (name ~ /^table:[A-Za-z0-9_]+$/)
        return has_table(substr(name, 7)) != negated
    if (name ~ /^figure:[A-Za-z0-9_]+$/)
        return has_figure(substr(name, 8)) != negated
    if (name !~ /^[A-Za-z0-9_.]+$/)
        fail("'" condition "' is not a condition")
    return (name in fact) != negated
}

function has_table(name)
{
    split("", cell)
    return csv_read(tables "/" name ".csv", cell) > 0
}

function has_figure(name,    file, line, status)
{
    file = figures "/" name ".png"
    status = (getline line < file)
    close(file)
    return status >= 0
}

# if, else, end: `depth` counts what is open, `taken[depth]` whether its part that is read now is the
# one to show, `shown` whether all of them are.
function control(word, rest,    i)
{
    if (word == "if") {
        seen_ifs++
        taken[++depth] = shown ? all_hold(rest) : 0
        opened[depth] = FNR
        has_else[depth] = 0
    } else if (!depth)
        fail("{{" word "}} without {{if}}")
    else if (word == "end")
        depth--
    else if (has_else[depth]++)
        fail("a second {{else}} for the {{if}} of line " opened[depth])
    else
        taken[depth] = !taken[depth]
    shown = 1
    for (i = 1; i <= depth; i++)
        shown = shown && taken[i]
}

# What stands in a line ----------------------------------------------------------------------------

# TEXT with its directives followed; so_far is what the line holds before it.
function expand(text, so_far,    at, inner, word, out)
{
    while ((at = index(text, "{{")) > 0) {
        if (shown)
            out = out substr(text, 1, at - 1)
        text = substr(text, at + 2)
        if (!(at = index(text, "}}")))
            fail("{{ without }}")
        inner = substr(text, 1, at - 1)
        text = substr(text, at + 2)
        word = inner
        sub(/ .*/, "", word)
        if (word == "if" || inner == "else" || inner == "end") {
            control(word, substr(inner, 4))
            controls++
        } else if (word == "table" || word == "figure")
            fail("{{" word " ...}} needs a line of its own")
        else if (inner !~ /^[A-Za-z0-9_.]+$/)
            fail("'{{" inner "}}' is not a directive")
        else if (shown)
            out = out value_of(inner, so_far out)
    }
    return shown ? out text : out
}

# A fact's value, as text or, after an odd number of backticks, as code.
function value_of(name, before,    copy)
{
    if (!(name in fact))
        fail("there is no fact '" name "'")
    copy = before
    return gsub(/`/, "", copy) % 2 ? markdown_code(fact[name], before ~ /^ *\|/) : markdown(fact[name])
}

function table(arguments,    word, n, i, rows, at, all)
{
    n = split(arguments, word, " ")
    if (word[1] !~ /^[A-Za-z0-9_]+$/)
        fail("{{table}} needs a table's name")
    split("", cell)
    rows = csv_read(tables "/" word[1] ".csv", cell)
    if (rows < 1)
        return absent[lang, "table"]
    label_cells(cell, rows, label)
    all = n == 1
    n = all ? cell["columns"] : n - 1
    for (i = 1; i <= n; i++)
        if (!(at[i] = all ? i : column_named(word[i + 1], cell)))
            fail("the table " word[1] " has no column '" word[i + 1] "'")
    if (format == "tex")
        return "```{=latex}\n\\begin{center}\n" latex_table(cell, rows, at, n, label, 25) "\\end{center}\n```"
    if (format == "html")
        return "<div class=\"table\">\n\n" markdown_table(cell, rows, at, n, label, "&nbsp;") "\n</div>"
    return chop(markdown_table(cell, rows, at, n, label, " "))
}

function chop(text)
{
    sub(/\n$/, "", text)
    return text
}

function figure(arguments,    name, caption, image)
{
    name = arguments
    sub(/ .*/, "", name)
    caption = substr(arguments, length(name) + 2)
    if (name !~ /^[A-Za-z0-9_]+$/)
        fail("{{figure}} needs a figure's name")
    caption = expand(caption, "")
    if (!has_figure(name))
        return absent[lang, "figure"]
    image = "![" (caption == "" ? name : caption) "](figures/" name ".png)"
    if (format == "html")
        return "<figure>\n\n" image "\n\n<figcaption>\n\n" caption "\n\n</figcaption>\n</figure>"
    if (format == "tex")
        return "```{=latex}\n\\begin{reportfigure}\n```\n\n" image "\n\n" caption \
            "\n\n```{=latex}\n\\end{reportfigure}\n```"
    return caption == "" ? image : image "\n\n*" caption "*"
}

# Lines --------------------------------------------------------------------------------------------

function print_line(line)
{
    if (line == "" && blank && !in_code)
        return
    blank = line == ""
    print line
}

NR == FNR {
    note_facts($0)
    next
}

{
    sub(/\r$/, "")
    controls = 0
    was_shown = shown
    inner = substr($0, 3, length($0) - 4)
    if (/^\{\{table .*\}\}$/ || /^\{\{figure .*\}\}$/) {
        if (shown)
            print_line(/^..table/ ? table(substr(inner, 7)) : figure(substr(inner, 8)))
        next
    }
    line = expand($0, "")
    if (line ~ /^[ \t]*$/ && (controls || !was_shown))
        next
    if (format != "md" && !titled && line ~ /^# /) {
        titled = 1
        line = "---\ntitle: |\n  " substr(line, 3) "\n---"
    }
    if (line ~ /^ *```/)
        in_code = !in_code
    print_line(line)
}

END {
    if (!failed && depth)
        fail("{{if}} without {{end}}", opened[depth])
}
