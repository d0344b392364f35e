# cut.awk - a lab's file without what a handout is not to have. It relies on the style of the sources: what
# stands at file level begins at column 0, behind a blank line, its comment before it.
#
#   awk -v out='NAMES' -v gone='2.3 2.4' -v chosen='2.1' -f course/cut.awk FILE
#
# `out` are functions, constants, macros, variants and files: an item that defines one goes, with its
# comment, a line of the table of variants, an include, and the paragraphs of other comments that name
# one. Of the exercises `gone` the whole part goes; the markers of those that are not `chosen`, too.
# Sweeps of several settings and over several GPUs, whose options name kernels, go in any case.

BEGIN {
    count = split(out " configurations several_gpus", name, " ")
    for (i = 1; i <= count; i++)
        is_out[name[i]]
    split_set(gone, is_gone)
    split_set(chosen, is_chosen)
}

function split_set(text, set,    words, n)
{
    for (n = split(text, words, " "); n > 0; n--)
        set[words[n]]
}

# Lines, without parts that go.
/\/\* \[(exercise|end) [0-9.]+\] \*\// {
    number = $3
    sub(/\]$/, "", number)
    if (number in is_gone)
        skipping = $2 == "[exercise"
    if (!(number in is_chosen))
        next
    in_part = $2 == "[exercise"
}
skipping || ($0 == "" && line[lines] == "") { next }
{ line[++lines] = $0; of_part[lines] = in_part }

END {
    for (first = 1; first <= lines; first = last + 2) {
        for (last = first; last < lines && !ends(last); last++) {}
        items++
        item[items] = cut_item(first, last, first == 1)
    }
    for (i = items; i > 0; i--) # a heading with nothing below it
        if (item[i] ~ /^\/\* ----/ && item[i] !~ /\n[^ ]/ && (nothing || i == items))
            item[i] = ""
        else if (item[i] != "")
            nothing = item[i] ~ /^\/\* ---- .* ----[-]* \*\/\n$/ || item[i] ~ /^#endif\n$/
    for (i = 1; i <= items; i++)
        if (item[i] != "")
            printf "%s%s", printed++ ? "\n" : "", item[i]
}

# ends I: is an item's last line followed by a blank one and the next item?
function ends(i)
{
    return line[i + 1] == "" && line[i + 2] ~ /^[^ \t{}]/ && !of_part[i + 1]
}

function has_word(text, word)
{
    gsub(/\./, "[.]", word)
    return text ~ "(^|[^A-Za-z0-9_])" word "($|[^A-Za-z0-9_])"
}

# names_out TEXT: does prose name something that is out? Plain words are no names.
function names_out(text,    n)
{
    for (n in is_out)
        if (n ~ /[_.0-9]/ && index(text, n) && has_word(text, n))
            return 1
    return 0
}

# cut_item FIRST, LAST, OF_FILE: an item's text, or "".
function cut_item(first, last, of_file,    i, code, note, text)
{
    if (of_part[first] || of_part[last])
        return joined(first, last)
    i = first
    if (line[i] ~ /^\/\*/ && line[i] !~ /^\/\* ----/) {
        while (line[i] !~ /\*\/$/ && i < last)
            i++
        note = cut_comment(first, i, of_file)
        i++
    }
    if (i > last)
        return note
    code = joined(i, last)
    if (defines_out(code))
        return ""
    if (code ~ /(^|\n)[a-z ]*variant variants\[\] = \{/)
        text = cut_table(i, last)
    else
        text = cut_code(code)
    return text == "" ? "" : note text
}

function joined(first, last,    i, text)
{
    for (i = first; i <= last; i++)
        text = text line[i] "\n"
    return text
}

# defines_out CODE: a function's name stands before its arguments, a constant's before a value or a size.
function defines_out(code,    head, before, n, at)
{
    if (code ~ /^(extern|#include)/ || code ~ /(^|\n)[a-z ]*variant variants\[\] = \{/ || code ~ /^static const lab [a-z_]+ = \{/)
        return 0
    if (code ~ /^#define/ && code ~ /--variants/ && names_out(code))
        return 1
    at = match(code, /\n\{\n/)
    head = at ? substr(code, 1, at) : code
    before = at ? "(^|[^A-Za-z0-9_.])" : "(^|\n)[^ \n]([^\n]*[^\nA-Za-z0-9_.])?"
    for (n in is_out)
        if (index(head, n) && head ~ before n (at ? "\\(" : "(\\(| =|\\[|;|,)"))
            return 1
    return 0
}

# cut_comment FIRST, LAST, OF_FILE: without the paragraphs that name what is out; of a file's ladder
# without its lines. "" where no paragraph is left.
function cut_comment(first, last, of_file,    i, paragraph, ladder, text, dropping, words)
{
    for (i = first; i <= last; i++) {
        ladder = line[i] ~ /^ \*   [a-z]/
        if (ladder) {
            words = substr(line[i], 6)
            sub(/   *.*/, "", words)
            dropping = all_out(words)
        } else if (line[i] !~ /^ \*     /)
            dropping = 0
        if (!(of_file && dropping))
            paragraph = paragraph line[i] "\n"
        if (line[i] == " *" || i == last) {
            if (!names_out(paragraph))
                text = text paragraph
            else if (i == last)
                text = text (first == last ? "" : " */\n")
            paragraph = ""
        }
    }
    sub(/( \*\n)+ \*\/\n$/, " */\n", text)
    return text ~ /^\/\*/ && text !~ /^\/\*\n \*\/\n$/ ? text : ""
}

function all_out(words,    list, n)
{
    for (n = split(words, list, /, */); n > 0; n--)
        if (!(list[n] in is_out))
            return 0
    return 1
}

# cut_table FIRST, LAST: the table of variants. An entry, NAME("variant", ...) or a variable, ends where its
# parentheses do.
function cut_table(first, last,    i, text, entry, depth, bare, own)
{
    for (i = first; i <= last; i++) {
        if (line[i] !~ /^    /) {
            text = text entry line[i] "\n"
            entry = ""
            continue
        }
        entry = entry line[i] "\n"
        if (line[i] ~ /^ *(\/\*|\* )/)
            continue
        bare = line[i]
        gsub(/"[^"]*"/, "", bare)
        depth += gsub(/\(/, "", bare) - gsub(/\)/, "", bare)
        if (depth || bare !~ /,$/)
            continue
        own = entry
        if (own ~ /(^|\n) *[A-Z_]+\(\n? *"/)
            sub(/^[^"]*"/, "", own)
        else
            gsub(/^ */, "", own)
        sub(/("|_variant,).*/, "", own)
        sub(/\n$/, "", own)
        if (!(own in is_out))
            text = text entry
        entry = ""
    }
    return text
}

# cut_code CODE: includes, externs and statements of what is out, fields of a lab's sweeps.
function cut_code(code,    n, count, part, text, names, kept, i, tail)
{
    gsub(/,\n *\.(divided|configurations) = [a-z_]+/, "", code)
    gsub(/,\n *\.stream = "[^"]*"(\n *"[^"]*")*/, "", code)
    for (n in is_out) {
        if (!index(code, n)) # most are nowhere in it, and each expression would be compiled
            continue
        gsub("#include \"" n "\"[^\n]*\n", "", code)
        gsub("\n    (CUDA_CHECK\\(cudaMemcpyToSymbolAsync\\()?" n "[(,][^;]*;[^\n]*", "", code)
        gsub("extern const variant " n "_variant;[^\n]*\n", "", code)
    }
    count = split(code, part, "\n")
    for (n = 1; n < count; n++) {
        text = part[n]
        if (text ~ /^extern const variant .*,/) {
            tail = text
            sub(/^[^;]*/, "", tail)
            sub(/^extern const variant /, "", text)
            sub(/;.*/, "", text)
            names = split(text, list, /, */)
            text = ""
            for (i = 1; i <= names; i++) {
                sub(/_variant$/, "", list[i])
                if (!(list[i] in is_out))
                    text = text (text == "" ? "" : ", ") list[i] "_variant"
            }
            if (text == "")
                continue
            text = "extern const variant " text tail
        }
        if (text ~ /^extern/ && text ~ /several_gpus|configurations/)
            continue
        kept = kept text "\n"
    }
    return kept
}
