# drawn.awk - what figures show, as gnuplot wrote them as SVG.
#
#   awk -v parts=FOLDER -f drawn.awk FIGURE.svg...
#
# Prints a line for each figure and kind of element: name, size, kind, how many there are, and from
# where to where they stand, x and y. FOLDER/NAME.KIND gets the elements, each with what it takes
# from the groups around it; the data of images, in base64, go to FOLDER/NAME.png.N.

BEGIN {
    RS = "<" # a record is a tag and the text behind it
    n_kinds = split("texts lines points areas images told", kinds, " ")
    kind_of["text"] = "texts"
    kind_of["path"] = "lines"
    kind_of["use"] = "points"
    kind_of["polygon"] = kind_of["rect"] = "areas"
    kind_of["image"] = "images"
    kind_of["title"] = "told" # under the mouse
}
FNR == 1 {
    end_figure()
    name = FILENAME
    gsub(/.*\/|[.]svg$/, "", name)
}
{
    tag = $0
    sub(/[^\/a-z].*/, "", tag)
}
tag == "svg" { size = number("width") "x" number("height") }
tag == "defs" { in_defs = 1 }
tag == "/defs" { in_defs = 0 }
in_defs { next }
/^g fill=/ { state = $0 }
/^g transform=/ { place = $0 }
tag == "tspan" { add("texts", $0) }
tag in kind_of { draw(kind_of[tag]) }
END { end_figure() }

function draw(kind,    text, x, n, i)
{
    count[kind]++
    text = $0
    if (kind == "images") {
        sub(/.*base64,/, "", text)
        sub(/'.*/, "", text)
        print text >(parts "/" name ".png." count[kind])
        text = $0
        sub(/xlink.*/, "", text)
    } else if (kind == "texts") {
        text = place text
    } else if (kind == "lines") {
        match(state, /stroke-width="[^"]*"/)
        text = ($0 ~ / stroke=/ ? substr(state, RSTART, RLENGTH) : state) text
    }
    add(kind, text)
    if (text ~ /translate/) {
        sub(/.*translate\(/, "", text)
        split(text, x, /[,)]/)
        spread(kind, x[1], x[2])
    } else if (tag == "path" || tag == "polygon") {
        sub(/.*(d=|points = )'[^-0-9]*/, "", text)
        sub(/[^0-9]*'.*/, "", text)
        n = split(text, x, /[^-0-9.]+/)
        for (i = 1; i < n; i += 2)
            spread(kind, x[i], x[i + 1])
    } else if (tag == "use") { # a dot
        spread(kind, number("x"), number("y"))
    } else if (kind != "told") {
        spread(kind, number("x"), number("y"))
        spread(kind, number("x") + number("width"), number("y") + number("height"))
    }
}

# number NAME: the element's attribute.
function number(attribute,    text)
{
    text = $0
    sub(".*[ \n]" attribute "=['\"]", "", text)
    return text + 0
}

function add(kind, text)
{
    gsub(/[ \t\n]+/, " ", text)
    print text >(parts "/" name "." kind)
}

function spread(kind, x, y)
{
    x += 0
    y += 0
    if (!(kind in low_x)) {
        low_x[kind] = high_x[kind] = x
        low_y[kind] = high_y[kind] = y
    }
    if (x < low_x[kind]) low_x[kind] = x
    if (x > high_x[kind]) high_x[kind] = x
    if (y < low_y[kind]) low_y[kind] = y
    if (y > high_y[kind]) high_y[kind] = y
}

function end_figure(    k, kind, i)
{
    for (k = 1; k <= n_kinds; k++) {
        kind = kinds[k]
        if (!(kind in count))
            continue
        close(parts "/" name "." kind)
        for (i = 1; kind == "images" && i <= count[kind]; i++)
            close(parts "/" name ".png." i)
        printf "%s %s %s %d", name, size, kind, count[kind]
        if (kind in low_x)
            printf " %.0f-%.0f %.0f-%.0f", low_x[kind], high_x[kind], low_y[kind], high_y[kind]
        print ""
        delete count[kind]
        delete low_x[kind]
    }
}
