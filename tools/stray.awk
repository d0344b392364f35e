# stray.awk - is a file among results a copy that somebody keeps there? It has another name than its rows' lab.
#   awk -f tools/csv.awk -f tools/stray.awk LAB.csv
# Of a stray file it says so in a line, and ends with status 3.

function look(    name) {
    name = FILENAME
    gsub(/.*\/(timeline_)?|[.]csv$/, "", name)
    if (name !~ /[^A-Za-z0-9_]/ && (!record || csv("lab") == "" || csv("lab") == name))
        return
    gsub(/[^ -~]/, "?", name)
    print name ".csv is passed over: no lab has that name"
    stray = 3
    exit stray
}
record < 2 {
    look()
}
record > 1 && !whole { # nothing further down is looked at
    exit
}
