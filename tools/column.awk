# column.awk - prints columns of a CSV file by name, as lines of `value,value`.
# usage: awk -f tools/csv.awk -f tools/column.awk NAME... FILE
# A column that is not there is empty.
BEGIN {
    names = ARGC - 2
    for (i = 1; i <= names; i++) {
        name[i] = ARGV[i]
        ARGV[i] = "" # not a file
    }
}
record > 0 {
    for (i = 1; i <= names; i++)
        printf "%s%s", csv(name[i]), i < names ? "," : "\n"
}
