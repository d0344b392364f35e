# part.awk - the marked part of an exercise: a line `/* [exercise 2.3] */`, the part, `/* [end 2.3] */`.
#
#   awk -v exercise=2.3 -f course/part.awk FILE                 prints the part
#   awk -v exercise=2.3 -v part=FILE2 -f course/part.awk FILE   prints FILE with FILE2 in its place
#
# Markers that FILE2 has itself are left out. Exit status 1 where FILE lacks the two markers, has them
# twice, or FILE2 cannot be read: then what was printed is of no use.

function is_marker(line)
{
    return line ~ /^(\357\273\277)?[ \t]*\/\* \[(exercise|end) [0-9]+\.[0-9]+\] \*\/[ \t\r]*$/
}

# marks LINE, WORD: is it that marker of the exercise?
function marks(line, word)
{
    return is_marker(line) && index(line, "[" word " " exercise "]")
}

function put_part(    line, got)
{
    while ((got = (getline line <part)) > 0)
        if (!is_marker(line)) {
            sub(/\r$/, "", line)
            print line
        }
    if (got < 0)
        wrong = 1
}

marks($0, "exercise") {
    begun++
    inside = 1
    if (part != "") {
        print
        put_part()
    }
    next
}
marks($0, "end") {
    if (!inside)
        wrong = 1
    ended++
    inside = 0
}
part == "" ? inside : !inside
END { exit wrong || begun != 1 || ended != 1 }
