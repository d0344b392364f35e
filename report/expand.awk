# expand.awk - a report's template to Markdown. README.md describes the template's language.
#
#   OUT=DIR FIGURES=DIR awk -v labels=labels.en.tsv -v lang=en [-v numbers=FILE] [-v prefix=A.] \
#       [-v counting=PAGE.md] -f ../tools/csv.awk -f markdown.awk -f expand.awk TEMPLATE.md LAB.md \
#       [lab1 LAB1.md ...]
#
# Facts and tables are those that analyse.sh wrote into OUT; LAB.md holds the parts that {{include}}
# shows of every lab, each lab's file those of its own, with labN for a lab's name and #N for its
# number. With `counting` it prints, in place of the text, which number each table and figure gets: a
# line of `table.NAME`, number, link, of which `numbers` holds those that a text refers to. What is
# wrong in a template is one line `template:line: what` on stderr, exit status 1.

BEGIN {
    fact_form = "[{][{][a-z][A-Za-z0-9_.]*[}][}]"
    read_labels(labels)
    tables = ENVIRON["OUT"] "/tables/"
    rows = read_table(ENVIRON["OUT"] "/facts.csv", cell, at)
    place = ENVIRON["OUT"] "/facts.csv"
    for (r = 1; r <= rows; r++) {
        text = cell[r, at["value"]]
        digits = cell[r, at["digits"]]
        name = cell[r, at["name"]]
        if (name in told && told[name] != text)
            fail(name " is told twice: " told[name] " and " text)
        told[name] = text
        fact[name] = digits != "" ? rounded(text, digits) \
            : name ~ /label$/ ? in_language(text, "label") : text
    }
    while (numbers != "" && (getline line < numbers) > 0) {
        split(line, part, "\t")
        number[part[1]] = part[2]
        link[part[1]] = part[3]
    }
    for (i = 3; i < ARGC; i += 2) {
        id[++labs] = ARGV[i]
        lab_file[labs] = ARGV[i + 1]
    }
    blank = 1
    expand_file(ARGV[1])
    exit # what csv.awk does with the files of a command line is not for templates
}

# Whether there is the fact, table:NAME or figure:NAME.
function is_there(what,    name, path, line, there)
{
    name = substr(what, index(what, ":") + 1)
    if (name == what)
        return what in fact
    path = what ~ /^table:/ ? tables name ".csv" : ENVIRON["FIGURES"] "/" name ".png"
    there = (getline line < path) >= 0
    close(path)
    return there
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
        if (!(name in fact) && !(name in number)) {
            missing = 1
            return ""
        }
        done = done substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        done = done (name in number ? reference(name) : in_text(fact[name], done))
    }
    return done line
}

# `table 3`, with a link to where it stands.
function reference(name,    kind)
{
    kind = substr(name, 1, index(name, ".") - 1)
    return "[" (lang != "ja" ? kind " " : kind == "table" ? "表 " : "図 ") number[name] \
        "](" link[name] ")"
}

# The caption of the next table or figure, with its number and the place that a link leads to.
function captioned(kind, name, caption,    n, id)
{
    n = prefix (++count[kind])
    id = kind "-" tolower(n)
    gsub(/[.]/, "", id)
    if (counting)
        printf "%s.%s\t%s\t%s#%s\n", kind, name, n, counting, id
    return "*<a id=\"" id "\"></a>" (lang != "ja" ? toupper(substr(kind, 1, 1)) substr(kind, 2) " " \
        n "." : (kind == "table" ? "表 " : "図 ") n) " " caption "*"
}

# {{table NAME column ... | Caption}}
function table(words,    at, caption, word, text)
{
    at = index(words, " | ")
    caption = at ? with_facts(substr(words, at + 3)) : ""
    if (missing)
        return ""
    if (at)
        words = substr(words, 1, at - 1)
    split(words, word, " ")
    if (!is_there("table:" word[2]))
        return lang == "ja" ? "*（未計測）*" : "*(not measured)*"
    text = table_of(tables, substr(words, 7))
    if (unknown > "")
        fail("the table " word[2] " has no column " unknown)
    return (at ? captioned("table", word[2], caption) "\n\n" : "") text
}

# {{figure NAME Caption}}
function figure(words,    name, caption)
{
    words = substr(words, 8)
    name = words
    sub(/ .*/, "", name)
    caption = with_facts(substr(words, length(name) + 2))
    if (missing)
        return ""
    if (!is_there("figure:" name))
        return lang == "ja" ? "*（図なし）*" : "*(not drawn)*"
    return "![" caption "](figures" (lang == "en" ? "" : "." lang) "/" name ".png)\n\n" \
        captioned("figure", name, caption)
}

# part_of LAB'S FILE, PART: shows that part of it, with the lab's name and number. Empty lines at its
# end are none of it. {{own PART}} is a part of the lab's own file.
function part_of(file, part, i,    n, line, is_in, blanks)
{
    while ((getline line < file) > 0) {
        place = file ":" ++n
        sub(/\r$/, "", line)
        if (line ~ /^[{][{]part /) {
            is_in = line == "{{part " part "}}"
            blanks = 0
        } else if (line == "")
            blanks = 1
        else if (is_in) {
            if (blanks)
                expand("")
            blanks = 0
            gsub(/labN/, id[i], line)
            gsub(/#N/, substr(id[i], 4), line)
            if (line !~ /^[{][{]own .*[}][}]$/)
                expand(line)
            else if (lab_file[i] != "" && !closed[depth])
                part_of(lab_file[i], substr(line, 7, length(line) - 8), i)
        }
    }
    close(file)
}

# {{include PART}}: what is said of any lab, and behind it the lab's own.
function include(part,    i)
{
    for (i = 1; i <= labs; i++) {
        part_of(ARGV[2], part, i)
        if (lab_file[i] != "")
            part_of(lab_file[i], part, i)
    }
}

# Sentences that follow each other are one paragraph; in Japanese they stand on one line.
function show(line)
{
    if (counting || (line == "" && blank))
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
    if (words ~ /^if /) {
        depth++
        closed[depth] = closed[depth - 1] || !is_there(substr(words, 4))
    } else if (line == "{{end}}") {
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

function expand_file(path,    n, line)
{
    while ((getline line < path) > 0) {
        sub(/\r$/, "", line)
        place = path ":" ++n
        expand(line)
    }
}

END {
    if (!failed && depth)
        fail("{{if}} without {{end}}")
    if (printed)
        print ""
    exit failed
}
