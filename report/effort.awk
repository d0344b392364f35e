# effort.awk - how many lines of device code each kernel of the labs needs, as CSV: the functions
# and constants for the device that its GPU_VARIANT, or a lab's ..._RUNG, names, in whatever file of the lab they are, and
# those that they use. Where no kernel has the variant's name they are those that its launcher
# names. Blanks and comments do not count, nor do host code and what labs share in common/.
# usage: awk -f report/effort.awk lab*_*/*.cu lab*_*/*.cuh lab*_*/*.h
FNR == 1 {
    file = FILENAME
    lab = file
    sub(/\/[^\/]*$/, "", lab)
    sub(/.*\//, "", lab)
}

{
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "")
    sub(/\/\/.*/, "")
    if (in_comment && !sub(/^.*\*\//, ""))
        next
    in_comment = sub(/\/\*.*/, "")
    if (!/[^ \t]/)
        next
    text = text " " $0
    lines++
    is_macro = text ~ /^ *#/
    bare = $0
    gsub(/"([^"\\]|\\.)*"|'.'/, "", bare)
    if (!is_macro)
        depth += gsub(/[({]/, "", bare) - gsub(/[)}]/, "", bare)
    if (is_macro ? !/\\$/ : depth == 0 && /[;}] *$/) {
        take(text)
        text = ""
        lines = depth = 0
    }
}

# A statement outside of all functions: the name that it gives, and the variants that are in it.
function take(name,    entry, part, i)
{
    gsub(/(__launch_bounds__|__align__|alignas) *\(([^()]|\([^()]*\))*\)/, "", name)
    while (sub(/^ *template *<([^<>]|<[^<>]*>)*>/, "", name))
        continue
    if (!is_macro && !sub(/^ *(typedef +)?(struct|union) +/, "", name)) {
        sub(/ *[({=;[].*/, "", name)
        sub(/.*[^A-Za-z0-9_]/, "", name)
    }
    if (match(name, /^[A-Za-z0-9_]+/)) {
        name = lab " " substr(name, 1, RLENGTH)
        defined[name] = defined[name] " " ++n
        body[n] = text
        home[n] = file
        is_static[n] = text ~ /^ static / && file ~ /[.]cu$/
        lines_of[n] = text ~ /__(device|global|constant)__/ ? lines : 0
    }
    for (i = split(text, entry, /(GPU_VARIANT|[A-Z]+_RUNG)\(/); i > 1; i--)
        if (split(entry[i], part, "\"") > 2) {
            gsub(/"([^"\\]|\\.)*"|[a-z0-9_]+_variant/, "", entry[i])
            variants[lab "," part[2]] = part[2] " " entry[i]
            place[lab "," part[2]] = file
        }
}

# The functions and constants of the lab that a text names.
function names_in(text,    word, n, i, names)
{
    n = split(text, word, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= n; i++)
        if ((lab " " word[i]) in defined)
            names = names " " word[i]
    return names
}

# The lines of what is named and of what that names. A function of the host counts nothing; it is
# looked into if it may be the launcher, an array of kernels always.
function needed(names, from, of_host,    name, n, i, list, k, sum)
{
    n = split(names, name, " ")
    while (n > 0)
        for (i = split(defined[lab " " name[n--]], list, " "); i > 0; i--) {
            k = list[i]
            if (!(k in seen) && (!is_static[k] || home[k] == from) &&
                (lines_of[k] || of_host || body[k] ~ /\[\] *=/)) {
                seen[k]
                if (!(k in named))
                    named[k] = names_in(body[k])
                sum += lines_of[k] + needed(named[k], home[k], of_host)
            }
        }
    return sum
}

END {
    print "lab,variant,lines"
    for (v in variants) {
        split(v, part, ",")
        lab = part[1]
        split("", seen)
        for (i = split(defined[lab " " part[2]], own, " "); i > 0 && !lines_of[own[i]]; i--)
            continue
        lines = needed(names_in(variants[v]), place[v], i == 0)
        if (lines > 0)
            print v "," lines
    }
}
