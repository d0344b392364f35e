# draw.awk - draws command lines of the labs' programs, the same from a seed with any awk.
# usage: awk -v n=1000 -v seed=1 -f tests/random/draw.awk ABOUT
#
# ABOUT is what the programs say of themselves (tests/random.sh). A line of the output is
#
#   PROGRAM SIZES BLOCKS OPTION...    how many different sizes and blocks; 0: it must be refused

# Park and Miller's generator, whose numbers are exact in every awk: 0 .. count - 1.
function below(count)
{
    state = state * 16807 % 2147483647
    return int(state / 2147483647 * count)
}

# Returns one of the first words, up to the `last`, without those `skipped`.
function one_of(words, skipped, last,    word, count)
{
    count = split(words, word, " ")
    count = last && last < count ? last : count
    return word[1 + skipped + below(count - skipped)]
}

# The numbers that an option is tried with: at the ends of its range, and others within or beyond.
function add_numbers(o, from, to, step, format,    ends, i, number, count)
{
    ends = sprintf(" %.17g %.17g %.17g %.17g", from + step, to - step, from - step, to + step)
    count = split(from " " to ends " 0 1e-30 0.0009 0.1 0.5 1.7 2 3 5 7.3 13 31 64.5 100 129 " \
        "1021 1e7 1e30", number, " ")
    for (i = 1; i <= count; i++)
        if (number[i] + 0 >= from && number[i] + 0 <= to)
            legal[o] = legal[o] " " sprintf(format, number[i])
        else
            illegal[o] = illegal[o] " " sprintf(format, number[i])
}

# Some of the options first .. last, with values.
function draw_options(first, last, most,    o, value, list)
{
    for (; most > 0 && first <= last; most--) {
        o = first + below(last - first + 1)
        value = legal[o] == "" ? "" : one_of(legal[o])
        list = list " " name[o] (value == "" ? "" : "=" value)
        large += o >= first_own[p] && value > 20 && value < 1000
    }
    return list
}

# The smallest first: after a large value, whose square may be what a pixel costs, no others.
function sizes()
{
    if (sizes_are[p] == "vector")
        return "1 2 3 5 7 31 33 127 1000 1021 8191 65537 " 34 + below(7000)
    if (sizes_are[p] == "product")
        return "1 2 3x1x5 7 17x1x2 1x33x5 31 33 61x64x65 65x2x129 1x1x" size_max[p] " " \
            2 + below(60) "x" 2 + below(70) "x" 2 + below(80)
    return "1x1 1x2 3x1 5x7 1x97 16x11 64x64 67x65 97x71 130x110 257x129 1021x2 33x31 " \
        2 + below(99) "x" 2 + below(99) " " size_max[p] "x1"
}

# A list of up to three, of which `drawn` are different.
function draw_list(words, skipped, last,    list, item, there, i)
{
    drawn = 0
    for (i = large ? 1 : 1 + below(3); i > 0; i--) {
        item = one_of(words, skipped, last)
        drawn += !(item in there)
        there[item]
        list = list (list == "" ? "" : ",") item
    }
    return list
}

# The last of two options of one name counts.
function draw_illegal(    what, o)
{
    what = below(4)
    o = first[p] + below(last_option[p] - first[p] + 1)
    return what == 0 ? "--sizes=" one_of("0 -1 1e3 0x10 1x 2^41 1x2x3x4 x " size_max[p] + 1) : \
        what == 1 ? "--blocks=" one_of("0 -1 1025 33x32 1x1025 16x16x1 x8 8x 1e2 2^11") : \
        what == 2 ? "--variants=cpu," one_of("none CPU cpu_ 0 -") : \
        name[o] "=" one_of(illegal[o] " nan -inf 0x10 +5 1e 1.5.5 ? x= -")
}

# What is timed is timed shortly.
function draw_line(    options, n_sizes, last, i)
{
    large = 0
    options = "--trials=2" draw_options(first_own[p], last_option[p], below(5)) \
        draw_options(first[p], first_own[p] - 1, below(4)) " --time-cap=0"
    last = !large ? 99 : large > 1 ? 3 : below(3) ? 11 : 6
    options = options (large ? " --check-only" : "") (below(9) ? "" : " --cpu-threads=2,1") \
        " --sizes=" draw_list(sizes(), last > 6 && below(4) ? 6 : 0, last)
    n_sizes = drawn
    options = options " --blocks=" draw_list(flat[p] ? \
        "1 2 3 7 31 32 33 100 256 1000 1023 1024 " 34 + below(60) : \
        "1 2 3 7 16 31 32 3x5 13x8 32x8 8x32 1x32 1x1024 1024x1 33x31 " 4 + below(9) "x19")
    for (i = below(3); i > 0; i--)
        options = options (options ~ /--var/ ? "," : " --variants=") variant[p, below(variants[p])]
    i = below(8)
    print program[p], i ? n_sizes : 0, drawn, options, i ? "" : draw_illegal()
}

$1 == "program" {
    program[++p] = $2
    sizes_are[p] = $3
    flat[p] = $4 == 1
    size_max[p] = $5
    first[p] = count + 1
}
$1 == "variant" {
    variant[p, variants[p]++] = $2
}
# --NAME HELP | what the program says to a value of `?`. (--transfer has its stream, too, of a number
# of frames that ends.)
$1 == "option" && $2 != "--stream" && !/ and stop/ && /takes no value$|number from .* to |is none of / {
    name[++count] = $2
    last_option[p] = count
    if (/number from /)
        add_numbers(count, $(NF - 2), $NF, / whole number from/ ? 1 : $(NF - 2) / 100 + 0.0001, \
            / whole number from/ ? "%.0f" : "%.9g")
    else if (match($0, /is none of /))
        legal[count] = substr($0, RSTART + RLENGTH)
    gsub(",", "", legal[count])
}
$2 == "--help" { # the last option that all have
    first_own[p] = count + 1
}
END {
    programs = p
    for (state = seed % 2147483646 + 1; i++ < n; draw_line())
        p = 1 + i % programs
}
