# class.awk - rows of grades.csv with the columns `names` in that order, all quoted, behind tools/csv.awk.
# What no file of grades has ends it with status 2.
function broken(what)
{
    printf "class.sh: %s: no grades: %s\n", file, what | "cat 1>&2"
    bad = 2
    exit
}
function quoted(text)
{
    gsub(/[\001-\037\177]+/, " ", text)
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}
record == 0 {
    count = split(names, name, " ")
    for (i = 1; i <= 5; i++)
        if (!(name[i] in column))
            broken("its heading has no " name[i])
}
record > 0 {
    if (fields != columns)
        broken("row " record " has " fields " fields, its heading " columns)
    if (csv("exercise") !~ /^[A-Za-z0-9._-]+$/)
        broken("row " record " is of the exercise '" csv("exercise") "'")
    for (i = 1; i <= count; i++) {
        text = csv(name[i])
        if ((name[i] == "marks" || name[i] == "of" || name[i] ~ /_us$/) && text !~ /^([0-9.]+(e[-+]?[0-9]+)?)?$/)
            broken("row " record ": " name[i] " is no number")
        printf "%s%s", quoted(text), i < count ? "," : "\n"
    }
}
END {
    exit bad
}
