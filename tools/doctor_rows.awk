# doctor_rows.awk - a line for each row of results: status, size, block, note, with tabs between.
# usage: awk -f tools/csv.awk -f tools/doctor_rows.awk ROWS.csv
record == 0 {
    for (c = 1; c <= columns; c++)
        at[field[c]] = c
}
record > 0 {
    size = field[at["width"]] "x" field[at["height"]]
    if (field[at["depth"]] != "")
        size = field[at["height"]] "x" field[at["width"]] "x" field[at["depth"]]
    block = field[at["block_x"]] == "" ? "-" : field[at["block_x"]] "x" field[at["block_y"]]
    print field[at["status"]] "\t" size "\t" block "\t" field[at["note"]]
}
