# draw.awk - draws command lines of the labs' programs, the same from a seed with any awk.
# usage: awk -v n=1000 -v seed=1 -f tests/random/draw.awk ABOUT
#
# ABOUT is what the programs say of themselves (tests/random.sh), and each line of the output is
#
#   PROGRAM LEGAL SIZES BLOCKS OPTION...    LEGAL 0: it must be refused; else so many sizes and blocks
#
# Values are the ends of what is legal, small, or anywhere; one line in eight has one just beyond.

# Park and Miller's generator, whose numbers are exact in every awk: 0 .. count - 1.
function below(count)
{
    state = state * 16807 % 2147483647
    return int(state / 2147483647 * count)
}

function one_of(words,    word)
{
    return split(words, word, " ") ? word[below(split(words, word, " ")) + 1] : ""
}

function least(a, b)
{
    return a < b ? a : b
}

# ---- options -------------------------------------------------------------------------------------

function whole(from, to,    how)
{
    how = below(5)
    return how < 2 ? (how ? from : to) : from + below(how < 4 ? least(9, to - from + 1) : to - from + 1)
}

# Tiny and huge ones among them, legal or (of a gap above 0) refused with a reason.
function real(from, to,    how, value)
{
    how = below(6)
    if (how < 2)
        return how ? from : to
    value = (1 + below(900) / 100) * 10 ^ (how == 2 ? -30 : below(8) - 4)
    return value < from ? from * 1.001 : value > to ? to * 0.999 : value
}

function legal_value(o)
{
    if (type[o] == "whole")
        return sprintf("%.0f", whole(from[o], to[o]))
    return type[o] == "real" ? sprintf("%.9g", real(from[o], to[o])) : one_of(words[o])
}

function illegal_value(o)
{
    if (type[o] == "whole" && below(3))
        return sprintf("%.0f", below(2) ? from[o] - 1 : to[o] < 2 ^ 53 ? to[o] + 1 : 2 * to[o])
    if (type[o] == "real" && below(3))
        return sprintf("%.9g", below(2) ? from[o] - 0.0001 : to[o] * 1.001)
    return one_of("nan inf -inf 0x10 +5 1e 1.5.5 99999999999999999999 ? x= -") # a flag takes none
}

# Large values make the sizes small, for some cost a pixel as much as their square.
function add_option(o, value)
{
    line = line " " name[o] (type[o] == "flag" && value == "" ? "" : "=" value)
    if (!own[o] || type[o] !~ /whole|real/)
        return
    value += 0
    if (value > 300)
        return
    reach = value > reach ? int(value) : reach
    large += value > 20
    room /= value > 20 ? value : 1
}

# Some of the options first .. last; each once.
function add_options(first, last, most,    o, taken)
{
    for (; most > 0 && first <= last; most--) {
        o = first + below(last - first + 1)
        if (!(o in taken))
            add_option(o, type[o] == "flag" ? "" : legal_value(o))
        taken[o]
    }
}

# ---- sizes and blocks ----------------------------------------------------------------------------

# One, a prime, a power of two, beside such, or anything, up to `most`.
function side(most,    how, value)
{
    how = below(6)
    if (how == 0)
        value = 1
    else if (how == 1)
        value = one_of("2 3 5 7 13 31 61 97 127 251 1021 8191 65537")
    else if (how == 2)
        value = 2 ^ below(17) + below(3) - 1
    else
        value = 1 + below(how < 5 ? 100 : most)
    return value < 1 ? 1 : value > most ? 1 + below(most) : value
}

# A size, in one of the forms that it may be given in; what it comes to goes to `size`.
function draw_size(    w, h, d)
{
    if (least_side && sizes_are[p] == "image")
        return size = least_side + below(below(2) ? 3 : 40) "x" least_side + below(below(2) ? 3 : 40)
    w = side(least(size_max[p], below(3) ? 1 + int(sqrt(room)) : 4 * room))
    if (sizes_are[p] == "vector") {
        size = w
        return below(2) || w != 1024 ? w : "2^10"
    }
    h = below(8) || w * w > room ? side(least(size_max[p], 1 + int(room / w))) : w > 1 ? int(w * 3 / 4) : 1
    if (sizes_are[p] == "image") {
        size = w "x" h
        return h == (w > 1 ? int(w * 3 / 4) : 1) ? w : size
    }
    if (w * w <= room && below(2))
        return (size = w "x" w "x" w) ? w : ""
    d = side(least(size_max[p], 1 + int(8 * room / (w * h))))
    return size = w "x" h "x" d
}

function draw_block(    x, y)
{
    x = below(4) ? one_of("1 2 3 4 5 7 8 13 16 31 32") : whole(1, 1024)
    y = below(3) ? whole(1, int(1024 / x)) : x * x <= 1024 ? x : 1
    size = flat[p] ? x * y : x "x" y
    return x == y && !flat[p] ? x : y == 1 && flat[p] ? x : x "x" y
}

# A list of up to three, `drawn` of them different.
function draw_list(of_sizes,    list, text, there, i)
{
    drawn = 0
    for (i = large ? 1 : whole(1, 3); i > 0; i--) {
        text = of_sizes ? draw_size() : draw_block()
        drawn += !(size in there)
        there[size]
        list = list (list == "" ? "" : ",") text
    }
    return list
}

# ---- a line --------------------------------------------------------------------------------------

# What must be refused takes the place of what is legal: the last of two counts.
function add_illegal(    what, o)
{
    what = below(4)
    if (what == 0)
        return " --sizes=" one_of("0 -1 1e3 0x10 1x 2^41 1x2x3x4 x 3.5 " sprintf("%.0f", size_max[p] + 1))
    if (what == 1)
        return " --blocks=" one_of("0 -1 1025 33x32 1x1025 1024x2 16x16x1 x8 8x 1e2 2^11")
    if (what == 2)
        return " --variants=cpu," one_of("none CPU cpu_ 0 -")
    do
        o = first[p] + below(last[p] - first[p] + 1)
    while (type[o] == "flag" && below(4))
    return " " name[o] "=" illegal_value(o)
}

# Each program gets its turn; what is timed is timed shortly.
function draw_line(    blocks, sizes, n_sizes, chosen, i, o)
{
    room = 6000
    line = ""
    large = reach = 0
    for (o = first_own[p]; o <= last[p]; o++)
        if (preset[o] <= 300 && preset[o] > reach)
            reach = preset[o]
    for (i = below(3); i > 0; i--)
        chosen = chosen (chosen == "" ? "" : ",") variant[p, below(variants[p])]
    add_options(first_own[p], last[p], below(5))
    add_options(first[p], first_own[p] - 1, below(4))
    least_side = 0
    if (large < 2 && below(3) > large)
        least_side = large ? least(reach * one_of("1 2"), reach > 110 ? reach : 110) \
                           : least(reach * one_of("1 2 6"), 200)
    sizes = draw_list(1)
    n_sizes = drawn
    blocks = draw_list(0)
    line = " --trials=2" line " --time-cap=0" (large ? " --check-only" : "") (chosen == "" ? "" : " --variants=" chosen) \
        (below(9) ? "" : " --cpu-threads=" one_of("1 2,1 3")) " --sizes=" sizes " --blocks=" blocks
    i = below(8)
    print program[p], i ? n_sizes : 0, i ? drawn : 0, line (i ? "" : add_illegal())
}

# ---- what there is -------------------------------------------------------------------------------

$1 == "program" {
    program[++p] = $2
    sizes_are[p] = $3
    flat[p] = $4 == 1
    size_max[p] = $5
    first[p] = count + 1
    after_help = 0
}
$1 == "variant" {
    variant[p, variants[p]++] = $2
}
# --NAME HELP | what the program says to a value of `?`
$1 == "option" {
    is_own = after_help
    after_help = after_help || $2 == "--help"
    if (after_help && !is_own)
        first_own[p] = count + 1
    if (/ and stop/ || !/(takes no value|number from .* to .*|is none of .*)$/)
        next
    name[++count] = $2
    own[count] = is_own
    preset[count] = match($0, /\(default [0-9]+\)/) ? substr($0, RSTART + 9) + 0 : 0
    match($0, /(takes|number from|is none of)/)
    said = substr($0, RSTART)
    split(said, word, " ")
    type[count] = said ~ /^takes/ ? "flag" : said ~ /^is/ ? "choice" : /whole/ ? "whole" : "real"
    from[count] = word[3]
    to[count] = word[5]
    gsub(/^is none of |,/, "", said)
    words[count] = said
    last[p] = count
}
END {
    state = seed % 2147483646 + 1
    programs = p
    for (i = 0; i < 10; i++)
        below(2) # small seeds begin alike
    for (i = 0; i < n; i++) {
        p = 1 + i % programs
        draw_line()
    }
}
