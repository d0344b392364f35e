# column.awk - prints columns of a CSV file by name, as lines of `value,value`.
# usage: awk -f tools/csv.awk -f tools/column.awk NAME... FILE
# A column that is not there is empty.
BEGIN {
    rows = csv_read(ARGV[ARGC - 1], cell)
    for (r = 1; r <= rows; r++)
        for (i = 1; i < ARGC - 1; i++)
            printf "%s%s", cell[r, ARGV[i]], i < ARGC - 2 ? "," : "\n"
}
