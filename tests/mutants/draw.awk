# draw.awk - draws places for planted bugs, and a rule for each.
#
#   git ls-files | awk -v seed=TEXT -v count=N -f draw.awk rules.tsv tests.tsv -
#
# Prints lines of a list for mutants.sh: FILE:LINE, FILE, a script of sed -E, the tests. Each line of
# code that a rule applies to is drawn as likely as any other, and once; so is each rule for it, and
# each place in it. With -v all=1 it prints the rules that apply to no line instead.
# The random numbers are its own: every awk draws the same.

BEGIN { FS = "\t" }
/^#/ { next }
FILENAME ~ /rules[.]tsv$/ {
    n = split($1, language, " ")
    for (i = 1; i <= n; i++)
        if (NF == 2)
            comment[language[i]] = $2
        else
            rule[language[i], ++rules[language[i]]] = FNR
    pattern[FNR] = $2
    replacement[FNR] = $3
    but[FNR] = $4
    next
}
FILENAME ~ /tests[.]tsv$/ {
    name[++kinds] = $1
    language_of[kinds] = $2
    tests_of[kinds] = $3
    next
}
{
    for (k = 1; k <= kinds && $0 !~ name[k]; k++)
        ;
    if (language_of[k] != "")
        read_code($0, k)
}
END {
    if (all)
        unused()
    else
        draw()
}

# Notes the lines of code in the file, which is one of the kind.
function read_code(path, kind,    text, line, in_comment, is_c)
{
    is_c = language_of[kind] == "c"
    for (line = 1; (getline text < path) > 0; line++) {
        if (in_comment) {
            in_comment = text !~ /[*][/]/
            continue
        }
        in_comment = is_c && text ~ /[/][*]/ && text !~ /[/][*].*[*][/]/
        if (without_comment(text, language_of[kind]) !~ /[A-Za-z0-9]/)
            continue
        code[++lines] = text
        place[lines] = path ":" line
        kind_of[lines] = kind
    }
    close(path)
}

function without_comment(text, language)
{
    if (language in comment)
        sub(comment[language], "", text)
    return text
}

# uses RULE CODE: in how many places of it the rule applies.
function uses(r, text)
{
    return but[r] != "" && text ~ but[r] ? 0 : gsub(pattern[r], "\\&", text)
}

function draw(    l, language, text, n, r, fitting, times)
{
    start()
    while (count > 0 && lines > 0) {
        l = 1 + random(lines)
        language = language_of[kind_of[l]]
        text = without_comment(code[l], language)
        n = 0
        for (r = 1; r <= rules[language]; r++)
            if (uses(rule[language, r], text))
                fitting[++n] = rule[language, r]
        if (n) {
            r = fitting[1 + random(n)]
            times = uses(r, text)
            print_bug(l, text, r, pattern[r] ~ /^\^/ ? 1 : 1 + random(times))
            count--
        }
        code[l] = code[lines]
        place[l] = place[lines]
        kind_of[l] = kind_of[lines--]
    }
}

function print_bug(l, text, r, nth,    path, line, tests, n, i, test)
{
    path = line = place[l]
    sub(/:[0-9]+$/, "", path)
    sub(/.*:/, "", line)
    n = split(tests_in(path, tests_of[kind_of[l]]), test, " ")
    for (i = 1; i <= n; i++)
        if ((test[i] ~ /[*]/ || is_there(test[i])) && !index(" " tests " ", " " test[i] " "))
            tests = tests (tests == "" ? "" : " ") test[i]
    printf "%s\t%s\t%s{%ss@%s@%s@%d;}\t%s\n", place[l], path, line, \
        text == code[l] ? "" : "s@" comment[language_of[kind_of[l]]] "@@;", pattern[r], replacement[r], nth, tests
}

function tests_in(path, tests,    room, base)
{
    room = base = path
    sub(/[/][^/]*$/, "", room)
    sub(/.*[/]/, "", base)
    sub(/[.].*/, "", base)
    gsub(/%/, room, tests)
    gsub(/@/, base, tests)
    return tests
}

function is_there(path,    line, there)
{
    there = (getline line < path) >= 0
    close(path)
    return there
}

function unused(    l, language, r, to_see)
{
    for (language in rules)
        for (r = 1; r <= rules[language]; r++)
            to_see[rule[language, r]]
    for (l = 1; l <= lines; l++) {
        language = language_of[kind_of[l]]
        for (r = 1; r <= rules[language]; r++)
            if (rule[language, r] in to_see &&
                uses(rule[language, r], without_comment(code[l], language)))
                delete to_see[rule[language, r]]
    }
    for (r in to_see)
        print pattern[r] "\t" replacement[r]
}

# Park and Miller's generator, started by the seed's characters.
function start(    i)
{
    state = 1
    for (i = 1; i <= length(seed); i++) {
        state = (state * 31 + index("0123456789abcdefghijklmnopqrstuvwxyz", substr(seed, i, 1))) % 2147483646 + 1
        random(2)
    }
}

function random(below)
{
    state = state * 16807 % 2147483647
    return int(state / 2147483647 * below)
}
