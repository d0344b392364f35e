# rungs.awk - a lab's drawings.tsv, and the constants of its sources that the table is written in.
#
# A line of the table is a rung; its columns, by tabs:
#
#   rung      the kernel
#   against   the rung that it improves on, or -
#   threads   of a block
#   tile      width and height of what a block makes
#   reads     of a product: how many steps of k at a time; of a picture: columns to the left, rows
#             above, columns to the right, rows below what a block makes; - none
#   warp      width and height of what a warp makes of the tile; then, where that lies apart, how many
#             times side by side and below each other, and how far apart
#   thread    what a thread makes of the warp's, in the same way
#   l2        bytes that are read from L2 (or answered by L1) for a unit, and stored, but for results
#   shared    bytes that threads load for a unit, of what has shared memory between; - none
#   tensor    operations of tensor cores (or of INT32 units, four bytes each) for a unit, `wgmma_fp16=6`:
#             rates of arithmetic.sql, by blanks; - none
#   what lies in registers of a thread, in shared memory of a block, in L2 and global memory
#
# `set NAME VALUE` gives a parameter of the ladder, `unit ENGLISH JAPANESE COUNT` what is counted for,
# and how many of these a row's work is: by width, height, flops, int_ops. Numbers are expressions of
# such names and of constants of the lab's sources, NAME or FILE:NAME, {braces} hold one in a text; block.x
# and block.y are a single run's default block, lanes.x and lanes.y a warp of it. int(...) cuts off.

function read_rungs(lab,    file, line, cell, n, i)
{
    read_constants(lab)
    file = lab "/drawings.tsv"
    while ((getline line < file) > 0) {
        n = split(line, cell, "\t")
        if (line ~ /^#/ || cell[1] == "rung")
            continue
        else if (cell[1] == "set")
            parameter[cell[2]] = value_of(cell[3])
        else if (cell[1] == "unit") {
            unit["en"] = cell[2]
            unit["ja"] = cell[3]
            unit_count = cell[4]
        } else if (n != 13)
            die(file ": " cell[1] ": " n " columns, not 13")
        else {
            rung[++rungs] = cell[1]
            for (i = 1; i <= n; i++)
                of[cell[1], i] = cell[i]
        }
    }
    close(file)
}

# Columns of a rung's line.
BEGIN {
    AGAINST = 2; THREADS = 3; TILE = 4; READS = 5; WARP = 6; THREAD = 7
    L2 = 8; SHARED = 9; TENSOR = 10; IN_REGISTERS = 11; IN_SHARED = 12; IN_L2 = 13
}

# Numbers of a cell to v[1..]; returns how many.
function numbers_of(name, column, v,    word, n, i)
{
    if (of[name, column] == "-")
        return 0
    n = split(of[name, column], word, " ")
    for (i = 1; i <= n; i++)
        v[i] = value_of(word[i])
    return n
}

# A text with the values of its {expressions}.
function with_values(text,    at)
{
    while ((at = index(text, "{")) > 0)
        text = substr(text, 1, at - 1) short(value_of(substr(text, at + 1, index(text, "}") - at - 1))) \
            substr(text, index(text, "}") + 1)
    return text
}

# Two digits behind the point at most, three digits in all.
function short(value)
{
    return value == int(value) ? value "" : sprintf("%.3g", value) + 0 ""
}

# ---- constants ------------------------------------------------------------------------------------

function read_constants(lab,    list, path)
{
    list = "ls " lab "/*.cu " lab "/*.cuh " lab "/*.h 2>/dev/null"
    while ((list | getline path) > 0)
        read_source(path)
    close(list)
}

# Takes NAME = VALUE of a source, in capitals, and the fields of a constexpr struct.
function read_source(path,    line, text, file, part, n, i, head)
{
    file = path
    sub(/.*\//, "", file)
    while ((getline line < path) > 0) {
        sub(/[/][/].*/, "", line)
        text = text " " line
    }
    close(path)
    if (match(text, /[.]single *= *[{][^}]*[}]/)) { # size, block, trials in quotes
        split(substr(text, RSTART, RLENGTH), part, "\"")
        n = split(part[4], part, "x")
        parameter["block.x"] = part[1]
        parameter["block.y"] = part[n]
        parameter["lanes.x"] = part[1] < 32 ? part[1] : 32
        parameter["lanes.y"] = 32 / parameter["lanes.x"]
    }
    while (match(text, /[/][*]([^*]|[*]+[^*/])*[*]+[/]/))
        text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
    n = split(text, part, /[,;{}]/)
    for (i = 1; i <= n; i++) {
        if (part[i] ~ /constexpr [a-z_]+ [a-z_]+ *= *$/) {
            head = part[i]
            sub(/ *= *$/, "", head)
            sub(/.* /, "", head)
        }
        if (match(part[i], /[.][a-z_]+ = /))
            define(file, head substr(part[i], RSTART, RLENGTH - 3), substr(part[i], RSTART + RLENGTH))
        else if (match(part[i], /(^|[^A-Za-z_])[A-Z][A-Z_0-9]+ = /)) {
            line = substr(part[i], RSTART, RLENGTH - 3)
            sub(/^[^A-Z]/, "", line)
            define(file, line, substr(part[i], RSTART + RLENGTH))
        }
    }
}

function define(file, name, text)
{
    if ((file, name) in constant)
        return
    constant[file, name] = text
    if (name in home)
        file = home[name] " and " file
    home[name] = file
}

# ---- expressions ----------------------------------------------------------------------------------

# The value of an expression; of a source's constant in whole numbers, as C has them.
function value_of(text, file,    outer, outer_file, value)
{
    outer = rest
    outer_file = within
    rest = text
    within = file
    value = choice()
    if (rest !~ /^ *$/)
        die("`" text "`: cannot read `" rest "`")
    rest = outer
    within = outer_file
    return value
}

function next_is(pattern)
{
    sub(/^ +/, "", rest)
    if (!match(rest, "^(" pattern ")"))
        return 0
    found = substr(rest, 1, RLENGTH)
    rest = substr(rest, RLENGTH + 1)
    return 1
}

function choice(    value, yes, no)
{
    value = sum()
    if (next_is(">"))
        value = value > sum()
    if (!next_is("[?]"))
        return value
    yes = choice()
    next_is(":")
    no = choice()
    return value ? yes : no
}

function sum(    value)
{
    value = product()
    while (next_is("[-+]"))
        value = found == "+" ? value + product() : value - product()
    return value
}

function product(    value, divisor)
{
    value = factor()
    while (next_is("[*/]"))
        if (found == "*")
            value *= factor()
        else {
            divisor = factor()
            value = within == "" ? value / divisor : int(value / divisor)
        }
    return value
}

function factor(    value)
{
    if (next_is("(int)?[(]")) {
        value = found == "(" ? choice() : int(choice())
        next_is("[)]")
        return value
    }
    if (next_is("[0-9.]+"))
        return found + 0
    if (next_is("[A-Za-z_][A-Za-z_0-9.]*(:[A-Za-z_0-9.]+)?"))
        return named(found)
    die("`" rest "`: no number")
}

function named(name,    file)
{
    if (name in parameter)
        return parameter[name]
    if (split(name, part_of_name, ":") == 2) {
        file = part_of_name[1]
        name = part_of_name[2]
    } else
        file = (within, name) in constant ? within : home[name]
    if (!((file, name) in constant))
        die(name ": " (file == "" ? "no constant of the lab's sources" : "not one of " file))
    return value_of(constant[file, name], file)
}

function die(what)
{
    print "rungs.awk: " what | "cat >&2"
    exit 1
}
