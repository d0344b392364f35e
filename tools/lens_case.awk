# lens_case.awk - a case's rows of the lens, for lens.sh: what the case's row of results says of it, the
# card and the registers of a thread, then what was counted.
# usage: awk -v registers=N -v card=NAME -f csv.awk -f lens_case.awk ROW.csv COUNTS.csv
BEGIN {
    names = split("lab variant machine parameters width height depth block_x block_y", own, " ")
}
FILENAME == ARGV[1] && record > 0 {
    for (i = 1; i <= names; i++)
        value[i] = csv(own[i])
}
FILENAME == ARGV[2] {
    line = ""
    for (i = 1; i <= names; i++)
        line = line (record ? value[i] : own[i]) ","
    print line (record ? card "," registers : "card,registers") "," text "\r"
}
