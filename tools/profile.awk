# profile.awk - ncu's counters of one variant as a row of profile.csv, for profile.sh.
#
#   awk -v header=1 -v out=FILE -f csv.awk -f profile.awk
#       writes the header
#   awk -v names=1 -f csv.awk -f profile.awk ROWS.csv
#       prints VARIANT:STATUS, one a line
#   awk -v variant=NAME -v metrics=LIST -v status=N -v out=FILE -f csv.awk -f profile.awk \
#       ROWS.csv LOG ERRORS
#       adds a row, and prints it
#   awk -v summary=1 -f csv.awk -f profile.awk PROFILE.csv
#       prints how many rows are measured; exit status 1 if none
#
# ROWS.csv is what the lab's program wrote of a run with one size and one block; LOG what
# `ncu --csv --page raw --print-units base --log-file` left of a run of one variant that ended with
# `status`; ERRORS the standard error of that run. All CSV is RFC 4180.
#
# profile.csv has a row for each variant: what ROWS.csv says of it (block_x and block_y are empty
# for a library's), then
#
#   kernels            how many it launches
#   time_s             their times' sum, in seconds, cold, at the clock that there was
#   achieved_occupancy share of a multiprocessor's warps that were there, while it had any
#   dram_read_bytes, dram_write_bytes, l2_bytes        moved, summed over the kernels
#   issue_utilisation  share of the cycles with a warp in which a scheduler issued an instruction
#   sm_throughput, dram_throughput                     shares of what the hardware sustains
#   status, note       ok; or skipped and why
#
# Shares are 0..1, of several kernels the mean weighted by their times. A counter that the GPU does
# not have is an empty field.

function quote(text)
{
    if (text !~ /[",\r\n]/)
        return text
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

# "1,234.5" as a number; empty for what is none, such as ncu's n/a
function number(text)
{
    gsub(/,/, "", text)
    return text ~ /^[-+]?[0-9]+[.]?[0-9]*([eE][-+]?[0-9]+)?$/ ? text + 0 : ""
}

# ---- ROWS.csv and PROFILE.csv ---------------------------------------------------------------------

function read_row(n,    i)
{
    if (!("variant" in row_column))
        for (i = 1; i <= n; i++)
            row_column[field[i]] = i
    else if (names)
        print field[row_column["variant"]] ":" field[row_column["status"]]
    else if (summary) {
        measured += field[row_column["status"]] == "ok"
        skipped += field[row_column["status"]] != "ok"
        if (first_note == "")
            first_note = field[row_column["note"]]
    } else if (field[row_column["variant"]] == variant)
        for (i in row_column)
            row[i] = field[row_column[i]]
}

# ---- ncu's table ----------------------------------------------------------------------------------

# Its first record names the columns, the second the units (its ID is empty), the others are kernels.
function read_kernel(n,    i)
{
    if (!n_columns) {
        n_columns = n
        for (i = 1; i <= n; i++)
            kernel_column[field[i]] = i
    } else if (n != n_columns)
        fail("ncu's table has a row of " n " fields under " n_columns " columns")
    else if (field[kernel_column["ID"]] == "") {
        for (i = 1; i <= n_metrics; i++)
            unit[i] = metric[i] in kernel_column ? field[kernel_column[metric[i]]] : ""
    } else
        add_kernel()
}

function add_kernel(    i, value, seconds)
{
    kernels++
    seconds = value_of(1)
    for (i = 1; i <= n_metrics; i++) {
        value = value_of(i)
        if (value == "")
            lacks[i] = 1
        else
            total[i] += unit[i] == "%" ? value * seconds : value
    }
}

# A kernel's value of the i-th metric, in seconds, bytes or 0..1; empty if there is none.
function value_of(i,    value)
{
    value = metric[i] in kernel_column ? number(field[kernel_column[metric[i]]]) : ""
    if (value != "" && !(unit[i] in scale))
        fail("ncu gives " metric[i] " in '" unit[i] "', not in a base unit")
    return value == "" || !(unit[i] in scale) ? "" : value * scale[unit[i]]
}

# ---- the row --------------------------------------------------------------------------------------

function fail(text)
{
    if (note == "")
        note = text
}

# Why there are no numbers: what the lab's row says, or else ncu, or else the last line on stderr.
function reason()
{
    if (row["status"] != "ok")
        return row["status"] == "skipped" ? row["note"] : row["status"] ": " row["note"]
    if (error != "")
        return error
    if (status != 0)
        return last_line != "" ? last_line : "ncu ended with status " status
    if (note != "")
        return note
    if (!kernels)
        return warning != "" ? warning : "ncu saw no kernel"
    return lacks[1] || total[1] <= 0 ? "ncu gave no " metric[1] : ""
}

function result(i)
{
    if (lacks[i])
        return ""
    if (unit[i] == "%")
        return sprintf("%.6g", total[i] / total[1])
    return sprintf(unit[i] == "byte" ? "%.0f" : "%.9g", total[i])
}

function write_row(    i, text, why, n, name)
{
    n = split("lab,variant,machine,parameters,width,height,block_x,block_y", name, ",")
    for (i = 1; i <= n; i++)
        text = text quote(row[name[i]]) ","
    why = reason()
    text = text (why == "" ? kernels : "")
    for (i = 1; i <= n_metrics; i++)
        text = text "," (why == "" ? result(i) : "")
    text = text "," (why == "" ? "ok" : "skipped") "," quote(why)
    printf "%s\r\n", text >> out
    if (why != "")
        text = "skipped: " why
    else
        text = kernels " kernel" (kernels == 1 ? "" : "s") sprintf(", %.4g us", 1e6 * total[1]) \
            (lacks[2] ? "" : sprintf(", achieved occupancy %.3g %%", 100 * result(2))) \
            (lacks[3] || lacks[4] ? "" : sprintf(", DRAM %.4g MB", 1e-6 * (total[3] + total[4])))
    printf "%-16s %-20s %s\n", row["lab"], variant, text
}

BEGIN {
    if (header) {
        printf "%s,%s,%s,%s\r\n", "lab,variant,machine,parameters,width,height,block_x,block_y",
            "kernels,time_s,achieved_occupancy,dram_read_bytes,dram_write_bytes,l2_bytes",
            "issue_utilisation,sm_throughput,dram_throughput", "status,note" > out
        exit
    }
    n_metrics = split(metrics, metric, ",")
    scale["ns"] = scale["nsecond"] = 1e-9 # ncu's name for it has changed
    scale["byte"] = 1
    scale["%"] = 0.01
}

FNR == 1 { file++ }

# Between ncu's messages and behind them lies its table: the lines that start with a quote.
!open_quote && file > 1 && !/^"/ {
    sub(/\r$/, "")
    if (/^==ERROR== / && (error == "" || error ~ /^An error was reported by [a-z ]*:?$/))
        error = substr($0, 11) # the first that says something
    else if (/^==WARNING== / && warning == "")
        warning = substr($0, 13)
    else if ($0 != "" && !/^==/)
        last_line = $0
    next
}

# A record goes on over a line's end while a quote is open.
{
    record = open_quote ? record "\n" $0 : $0
    open_quote = gsub(/"/, "\"", record) % 2
    if (open_quote)
        next
    sub(/\r$/, "", record)
    if (file == 1)
        read_row(csv_split(record, field))
    else
        read_kernel(csv_split(record, field))
}

END {
    if (out != "" && !header)
        write_row()
    if (summary && measured)
        printf "profile: %d variants measured, %d skipped\n", measured, skipped
    if (summary && !measured) {
        printf "profile: nothing could be measured: %s\n", first_note | "cat 1>&2"
        close("cat 1>&2")
        exit 1
    }
}
