# field.awk - a column of the exercises' tables, by the name in their header.
#
#   awk -v exercise=2.3 -v column=variant -f course/field.awk lab*/exercises.tsv
#
# Without an exercise: that of all, each behind its number and a blank.

BEGIN { FS = "\t" }
$1 == "exercise" {
    split("", at)
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
!(column in at) { next }
exercise == "" { print $1, $at[column] }
$1 "" == exercise "" { print $at[column] }
