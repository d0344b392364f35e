# table.awk - a table read by csv.awk as Markdown and as LaTeX. Text that comes from names and notes
# is escaped: whatever it holds, it is shown as it is and never becomes markup, a link, HTML or maths.

# The label of a column, from `name<TAB>label` lines; a name not listed is its own.
function read_labels(file, label,    line, at)
{
    while ((getline line < file) > 0)
        if ((at = index(line, "\t")) > 1)
            label[substr(line, 1, at - 1)] = substr(line, at + 1)
    close(file)
}

function label_of(name, label)
{
    return name in label ? label[name] : name
}

# Columns `row` and `item` say what stands beside them: their cells have labels, too.
function label_cells(cell, rows, label,    r, c)
{
    for (c = 1; c <= cell["columns"]; c++)
        for (r = 1; r <= rows && (cell[0, c] == "row" || cell[0, c] == "item"); r++)
            cell[r, c] = label_of(cell[r, c], label)
}

# The column of that name; 0 where there is none.
function column_named(name, cell,    c)
{
    for (c = 1; c <= cell["columns"]; c++)
        if (cell[0, c] == name)
            return c
    return 0
}

function is_number(text)
{
    return text ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/
}

# A column of nothing but numbers (and empty cells) stands at the right.
function is_numeric(cell, rows, c,    r, numbers)
{
    for (r = 1; r <= rows; r++)
        if (is_number(cell[r, c]))
            numbers++
        else if (cell[r, c] != "")
            return 0
    return numbers > 0
}

# Every occurrence of a fixed text by another.
function replace_all(text, from, to,    at, done)
{
    while ((at = index(text, from)) > 0) {
        done = done substr(text, 1, at - 1) to
        text = substr(text, at + length(from))
    }
    return done text
}

# A backslash before each of these characters; where it is one of them itself, it comes first.
function backslash_before(characters, text,    i, c)
{
    for (i = 1; i <= length(characters); i++) {
        c = substr(characters, i, 1)
        text = replace_all(text, c, "\\" c)
    }
    return text
}

# One line, without control characters.
function one_line(text)
{
    gsub(/[\001-\037\177]+/, " ", text)
    return text
}

# Markdown -----------------------------------------------------------------------------------------

# As GitHub and pandoc read it. `|` would end a cell even behind a backslash in some readers; `$` and
# `@` make maths and mail addresses on GitHub unless they stand in an element of their own.
function markdown(text)
{
    text = one_line(text)
    if (text ~ /^[-+=#:!]/ && !is_number(text)) # the start of a line: no list, heading or fence
        text = "\001" text
    else if (text ~ /^[0-9]+[.)]( |$)/ && match(text, /^[0-9]+/))
        text = substr(text, 1, RLENGTH) "\001" substr(text, RLENGTH + 1)
    text = backslash_before("\\`*_[]<>&~", text)
    text = replace_all(text, "\001", "\\")
    text = replace_all(text, "|", "&#124;")
    text = replace_all(text, "$", "<span>\\$</span>")
    text = replace_all(text, "@", "<span>@</span>")
    text = replace_all(text, "://", "\\://")
    return replace_all(text, "www.", "www\\.")
}

# Between backticks nothing is markup but a backtick; in a table a `|` needs its backslash even there.
function markdown_code(text, in_table)
{
    text = one_line(text)
    gsub(/`/, "'", text)
    return in_table ? replace_all(text, "|", "\\|") : text
}

# The columns at[1..n] of a table. SPACE stands between a slash and a unit in the headings.
function markdown_table(cell, rows, at, n, label, space,    r, i, head, rule, line, text)
{
    for (i = 1; i <= n; i++) {
        text = markdown(label_of(cell[0, at[i]], label))
        head = head "| " replace_all(text, " / ", " /" space) " "
        rule = rule (is_numeric(cell, rows, at[i]) ? "|---:" : "|:---")
    }
    text = head "|\n" rule "|\n"
    for (r = 1; r <= rows; r++) {
        line = ""
        for (i = 1; i <= n; i++)
            line = line "| " markdown(cell[r, at[i]]) " "
        text = text line "|\n"
    }
    return text
}

# LaTeX --------------------------------------------------------------------------------------------

# Characters beyond ASCII that pdfLaTeX knows or that have a command; of others, outside Latin-1, a
# question mark is shown.
function latex(text)
{
    text = replace_all(one_line(text), "\\", "\001")
    text = backslash_before("{}$&#_%", text)
    text = replace_all(text, "\001", "\\textbackslash{}")
    text = replace_all(text, "^", "\\textasciicircum{}")
    text = replace_all(text, "~", "\\textasciitilde{}")
    text = replace_all(text, "<", "\\textless{}")
    text = replace_all(text, ">", "\\textgreater{}")
    text = replace_all(text, "|", "\\textbar{}")
    text = replace_all(text, "`", "\\`{}")
    text = replace_all(text, "--", "-{}-{}") # no ligatures
    text = replace_all(text, "''", "'{}'{}")
    text = replace_all(text, ",,", ",{},{}")
    text = replace_all(text, "[", "{[}") # not the argument of a line's end, nor its star
    text = replace_all(text, "]", "{]}")
    text = replace_all(text, "*", "{*}")
    return latex_beyond_ascii(text)
}

function latex_beyond_ascii(text)
{
    if (text !~ /[\200-\377]/)
        return text
    text = replace_all(text, "×", "\\ensuremath{\\times}")
    text = replace_all(text, "·", "\\ensuremath{\\cdot}")
    text = replace_all(text, "µ", "\\ensuremath{\\mu}")
    text = replace_all(text, "μ", "\\ensuremath{\\mu}")
    text = replace_all(text, "σ", "\\ensuremath{\\sigma}")
    text = replace_all(text, "²", "\\ensuremath{^2}")
    text = replace_all(text, "³", "\\ensuremath{^3}")
    text = replace_all(text, "−", "\\ensuremath{-}")
    text = replace_all(text, "≤", "\\ensuremath{\\le}")
    text = replace_all(text, "≥", "\\ensuremath{\\ge}")
    text = replace_all(text, "≈", "\\ensuremath{\\approx}")
    text = replace_all(text, "∞", "\\ensuremath{\\infty}")
    text = replace_all(text, "–", "\\textendash{}")
    text = replace_all(text, "—", "\\textemdash{}")
    text = replace_all(text, "…", "\\ldots{}")
    text = replace_all(text, "®", "\\textregistered{}")
    text = replace_all(text, "™", "\\texttrademark{}")
    gsub(/[\304-\337][\200-\277]/, "?", text)
    gsub(/[\340-\377][\200-\277]*/, "?", text)
    return text
}

# A heading in as many lines as keep it within WIDTH characters or its longest word. A unit counts
# as one word with the slash before it.
function latex_heading(text, width, side,    word, n, i, line, lines)
{
    text = replace_all(text, " / ", " /\t")
    n = split(text, word, / /)
    for (i = 1; i <= n; i++)
        if (length(word[i]) > width)
            width = length(word[i])
    for (i = 1; i <= n; i++)
        if (line == "" || length(line " " word[i]) <= width)
            line = line (line == "" ? "" : " ") word[i]
        else {
            lines = lines latex(line) "\\\\ "
            line = word[i]
        }
    if (lines == "")
        return latex(line)
    return "\\begin{tabular}[b]{@{}" side "@{}}" lines latex(line) "\\end{tabular}"
}

# The row, 1 to rows, that holds a column's longest text.
function widest(cell, rows, c,    r, at)
{
    at = 1
    for (r = 2; r <= rows; r++)
        if (length(cell[r, c]) > length(cell[at, c]))
            at = r
    return at
}

# A table as tabulars of at most MOST rows, one below the other, so that a page can hold each; one that
# is wider than the line is shrunk to it. Texts of more than 36 characters are set in a paragraph of
# at most 22 em. Needs booktabs and graphicx.
function latex_table(cell, rows, at, n, label, most,    i, r, c, width, side, paragraph, spec, head, part, end, text)
{
    part = int((rows + most - 1) / most)
    part = int((rows + part - 1) / part)
    end = part < rows ? latex_widest(cell, rows, at, n) latex_table_end() : latex_table_end()
    for (i = 1; i <= n; i++) {
        c = at[i]
        width = length(cell[widest(cell, rows, c), c])
        side = is_numeric(cell, rows, c) ? "r" : "l"
        paragraph[i] = side == "l" && width > 36
        spec = spec (!paragraph[i] ? side : "p{" (width > 44 ? 22 : width / 2) "em}")
        head = head (i > 1 ? " & " : "") latex_heading(label_of(cell[0, c], label), width < 9 ? 9 : width, side)
    }
    for (r = 1; r <= rows; r++) {
        if ((r - 1) % part == 0)
            text = text (r > 1 ? end "\n\\par\\medskip\n" : "") latex_table_start(spec, head, n)
        for (i = 1; i <= n; i++)
            text = text (i > 1 ? " & " : "") (paragraph[i] ? "\\raggedright " : "") latex(cell[r, at[i]])
        text = text " \\tabularnewline\n"
    }
    return text end
}

# A row of no height that makes the columns of all parts equally wide.
function latex_widest(cell, rows, at, n,    i, text)
{
    for (i = 1; i <= n; i++)
        text = text (i > 1 ? " & " : "") "\\hphantom{" latex(substr(cell[widest(cell, rows, at[i]), at[i]], 1, 36)) "}"
    return text " \\tabularnewline[-\\normalbaselineskip]\n"
}

function latex_table_start(spec, head, n)
{
    return "{\\small" (n > 8 ? "\\setlength{\\tabcolsep}{4pt}" : "") "\\resizebox{\\ifdim\\width>\\linewidth \\linewidth\\else\\width\\fi}{!}{%\n" \
        "\\begin{tabular}{@{}" spec "@{}}\n\\toprule\n" head " \\tabularnewline\n\\midrule\n"
}

function latex_table_end()
{
    return "\\bottomrule\n\\end{tabular}}}\n"
}
