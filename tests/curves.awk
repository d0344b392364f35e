# curves.awk - what gnuplot plotted, as its tables have it: a line a panel.
#
#   awk -v sums=FILE -f sum.awk -f curves.awk NUMBERS
#
# A line of NUMBERS that begins with a letter names the figure whose panels follow; `axes`, behind a
# panel's curves, has the base of the logarithm (10, too, where there is none), from and to. Of a
# curve stand its name in the key, how many points it has, of each column the least and the greatest
# value, of texts and colours the first and the last, and a sum of all, to four digits; of curves
# with neither points nor name how many they are.

/^# Curve [0-9]/ { end_curve(); in_curve = 1 }
/^# Curve title:/ && !/[(]/ { title = substr($0, 16) }
/^# x y/ { split(substr($0, 3), heading, " ") }
/^[^#a-z]/ { take_point() }
/^axes / {
    end_curve()
    say_empty()
    printf "%s | x %g: %.4g..%.4g y %g: %.4g..%.4g%s\n", figure, $2, $4, $5, $3, $6, $7, line
    line = ""
    next
}
/^[a-z]/ {
    figure = $0
    gsub(/ +/, " ", figure)
    sub(/ $/, "", figure)
}

# The last field is the point's type, or a text in quotes, which may have blanks.
function take_point(    label, c)
{
    points++
    columns = NF - 1
    if (match($0, / ".*/)) {
        label = substr($0, RSTART + 1)
        $0 = substr($0, 1, RSTART)
        $(columns = NF + 1) = label
    }
    for (c = 1; c <= columns; c++)
        take(c, $c ~ /^("|0x|NaN)/ ? $c : sprintf("%.4g", $c))
}

function take(c, value)
{
    all = all value "\n"
    if (value == "NaN")
        return
    if (!(c in least))
        least[c] = most[c] = value
    else if (value ~ /^("|0x)/ || value + 0 > most[c] + 0)
        most[c] = value
    else if (value + 0 < least[c] + 0)
        least[c] = value
}

function end_curve(    part, c)
{
    if (in_curve && !points && title == "")
        empty++
    else if (in_curve) {
        say_empty()
        part = title (title && points ? " " : "") (points ? points ":" : "")
        for (c = 1; points && c <= columns; c++)
            part = part " " heading[c] " " range(c)
        line = line " | " part (points ? " " sum_of(all) : "")
    }
    in_curve = points = 0
    title = all = ""
    split("", least)
    split("", most)
}

function range(c)
{
    return !(c in least) ? "NaN" : least[c] == most[c] ? least[c] : least[c] ".." most[c]
}

function say_empty()
{
    if (empty)
        line = line " | " empty " empty"
    empty = 0
}
