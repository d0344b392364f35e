# doctor_kernel.awk - what a variant's kernel is, of the lab's source. Three lines: the words of its entry in
# the table, the kernel's name among them; with them those of the functions that they name, and so on: all
# that it calls; and where its parameters are none that a launcher casts kernels to, both lists.
# usage: awk -v variant='"NAME"' -f tools/doctor_kernel.awk LAB.cu
BEGIN { FS = "\n" }
{
    line = $0
    begins = index(line, variant)
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    sub(/\/\/.*/, "", line)
}
begins && !entered { entered = in_entry = 1; depth = line !~ /[(]/ }
in_entry {
    entry = entry " " line
    depth += gsub(/[(]/, "(", line) - gsub(/[)]/, ")", line)
    in_entry = depth > 0
}
{
    in_macro = macro_goes_on || line ~ /^ *#/
    macro_goes_on = in_macro && line ~ /\\$/
    if (!in_macro)
        source = source " " line
}
END {
    drop_comments()
    find_functions()
    entry = calls = words(entry)
    do {
        more = 0
        for (i = 1; i <= n; i++)
            if (name[i] != "" && !taken[i] && index(calls, " " name[i] " ")) {
                taken[i] = more = 1
                calls = calls words(body[i])
            }
    } while (more)
    print entry
    print calls
    print other_parameters()
}

# words(TEXT): of it, with a blank before and behind each.
function words(text)
{
    gsub(/[^A-Za-z0-9_]+/, " ", text)
    return " " text " "
}

function drop_comments(    at, end)
{
    while (at = index(source, "/*")) {
        end = index(substr(source, at + 2), "*/")
        source = substr(source, 1, at - 1) (end ? substr(source, at + 3 + end) : "")
    }
    gsub(/[ \t]+/, " ", source)
}

# find_functions(): fills name, parameters, is_kernel and body. A brace behind what is no list is a namespace's.
function find_functions(    rest, head, depth, brace)
{
    for (rest = source; match(rest, /[{};]/); rest = substr(rest, RSTART + 1)) {
        brace = substr(rest, RSTART, 1)
        if (depth) {
            body[n] = body[n] " " substr(rest, 1, RSTART - 1)
            depth += (brace == "{") - (brace == "}")
            continue
        }
        head = substr(rest, 1, RSTART - 1)
        if (brace != "{" || head ~ /namespace|extern/)
            continue
        n++
        depth = 1
        if (match(head, /[A-Za-z0-9_]+ *[(][^()]*[)] *$/)) {
            is_kernel[n] = head ~ /__global__/
            head = substr(head, RSTART)
            name[n] = parameters[n] = head
            sub(/ *[(].*/, "", name[n])
            sub(/^[^(]*/, "", parameters[n])
            sub(/ $/, "", parameters[n])
        }
        match(rest, /[{};]/) # again: it is what the loop goes on from
    }
}

# other_parameters(): what stands in the third line. A kernel that is launched by its name has no cast.
function other_parameters(    i, rest, head, first, casts, fits, kernel)
{
    for (i = 1; i <= n; i++)
        if (is_kernel[i] && index(entry, " " name[i] " "))
            kernel = i
    if (!kernel || parameters[kernel] ~ /</ || source ~ ("[^A-Za-z0-9_]" name[kernel] " *(<[^;{}]*>)? *<<<"))
        return ""
    for (rest = source; match(rest, /[(][*][A-Za-z0-9_]*[)] *[(][^()]*[)]/); rest = substr(rest, RSTART + RLENGTH)) {
        casts = substr(rest, RSTART, RLENGTH)
        head = substr(rest, 1, RSTART - 1)
        sub(/^[^)]*[)] */, "", casts)
        if (!first && head ~ /typedef void *$/)
            first = casts
        fits = fits || head ~ /void *$/ && fit(parameters[kernel], casts)
    }
    return !first || fits ? "" : name[kernel] parameters[kernel] ", but its launcher passes " first
}

# fit(LIST, CAST): are they the same but for names, signs and a const that only the cast has? The type of a
# template, which begins with a capital, may be any.
function fit(list, cast,    of_list, of_cast, i, count)
{
    count = split(list, of_list, ",")
    if (count != split(cast, of_cast, ","))
        return 0
    for (i = 1; i <= count; i++)
        if (!same(type(of_list[i]), type(of_cast[i])))
            return 0
    return 1
}

function same(a, b)
{
    if (b !~ /^const/)
        return a == b || (a ~ /^[A-Z].*[*]$/ || b ~ /^[A-Z].*[*]$/) && a !~ /^const/ && stars(a) == stars(b)
    sub(/^const /, "", a)
    sub(/^const /, "", b)
    return same(a, b)
}

function stars(text) { return gsub(/[*]/, "*", text) }

# type(PARAMETER): without its name, such as "const float*".
function type(text,    word, i, count, is_const, base)
{
    gsub(/[()]/, " ", text)
    gsub(/__restrict__|__restrict|restrict|__grid_constant__|struct |std::/, " ", text)
    gsub(/[*]/, " * ", text)
    gsub(/&/, " \\& ", text)
    is_const = text ~ /const.*[*]/ && text !~ /^[^*]*[*] *const/
    gsub(/(^| )const( |$)/, "  ", text)
    gsub(/unsigned +char/, "uint8_t", text)
    gsub(/unsigned( +int)?|uint32_t|int32_t|signed( +int)?/, "int", text)
    gsub(/ +/, " ", text)
    count = split(text, word, " ")
    if (count > 1 && word[count] !~ /^[*&]$/)
        count--
    for (i = 1; i <= count; i++)
        base = base word[i]
    return (is_const ? "const " : "") base
}
