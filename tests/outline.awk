# outline.awk - what a document has in every language, a line each, section by section: depth of the
# heading; how many lines of code, rows of tables, items, questions and paragraphs with a bold
# beginning; which names in backticks, which links, and which numbers of two digits or more.
# usage: LC_ALL=C awk -f tests/outline.awk README.md | sort -u
/^#+ / {
    tell()
    depth = length($1)
    section++
}
/^    / { lines["code"]++ }
/^[|] / { lines["row"]++ }
/^ *- / { lines["item"]++ }
/^[0-9]+[.] / { lines["question"]++ }
/^[*][*]/ { lines["bold"]++ }
{
    text = text " " $0
}
END {
    tell()
}

# The section that ends here.
function tell(    kind)
{
    if (section)
        print "section " section ": depth", depth
    for (kind in lines)
        print "section " section ": lines of", kind, lines[kind]
    gsub(/ +/, " ", text)
    gsub(/[/]README([.]ja)?[.]md/, "", text)
    gsub(/[.]ja[.]md/, ".md", text)
    gsub(/figures[.]ja/, "figures", text)
    tell_each("link", "[]][(][^()]*[)]")
    tell_each("number", "[0-9]+([.,]?[0-9]+)+")
    tell_each("name", "`[^`]+`")
    text = ""
    split("", lines)
}

# Each part of the text that matches; a name is seen before it is taken out.
function tell_each(what, pattern,    rest)
{
    for (rest = text; match(rest, pattern); rest = substr(rest, RSTART + RLENGTH))
        print "section " section ": " what, substr(rest, RSTART, RLENGTH)
}
