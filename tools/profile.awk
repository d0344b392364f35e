# profile.awk - ncu's counters of one variant as a row of profile.csv, for profile.sh.
#   awk -v variant=NAME -v metrics=LIST -v why=TEXT -v out=FILE -f csv.awk -f profile.awk \
#       ROWS.csv TABLE.csv
# ROWS.csv is what the lab's program wrote, TABLE.csv what `ncu --csv --page raw --print-units base`
# printed: names, units, then a record for each kernel. `why` says what went wrong, if anything did:
# the row is skipped then. The row is added to `out`, and printed in short. With an empty `variant`
# only the header is written.
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

function quote(text) {
    if (text !~ /[",\r\n]/)
        return text
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

function fail(text) {
    if (why == "")
        why = text
}

# A kernel's value of a metric, in seconds, bytes or 0..1; empty if there is none ("n/a").
function value_of(kernel, name,    text, unit) {
    text = table[kernel + 1, name]
    unit = table[1, name]
    gsub(/,/, "", text)
    if (text !~ /^[-+]?[0-9]+[.]?[0-9]*([eE][-+]?[0-9]+)?$/)
        return ""
    if (!(unit in scale))
        fail("ncu gives " name " in '" unit "', not in a base unit")
    return text * scale[unit]
}

# Bytes and times add up; a share counts for as long as its kernel runs.
function total(name,    k, value, sum) {
    for (k = 1; k <= kernels; k++) {
        value = value_of(k, name)
        if (value == "")
            return ""
        sum += value * (is_share(name) ? value_of(k, metric[1]) : 1)
    }
    return is_share(name) ? sum / total(metric[1]) : sum
}

function is_share(name) {
    return table[1, name] == "%"
}

function measure(    i, k) {
    kernels = csv_read(ARGV[2], table) - 1 # the first record below the names has the units
    for (k = 1; k <= kernels; k++)
        if (table["fields", k + 1] != table["columns"])
            fail("ncu's table has a row of " table["fields", k + 1] " fields under " \
                table["columns"] " columns")
    if (kernels < 1)
        fail("ncu saw no kernel")
    else if (why == "" && total(metric[1]) <= 0)
        fail("ncu gave no " metric[1])
    for (i = 1; i <= n_metrics && why == ""; i++)
        result[i] = total(metric[i])
}

function write_row(    r, i, n, name, text) {
    for (r = 1; rows[r, "variant"] != variant; r++)
        ;
    n = split(own, name, ",")
    for (i = 1; i <= n; i++)
        text = text quote(rows[r, name[i]]) ","
    text = text (why == "" ? kernels : "")
    for (i = 1; i <= n_metrics; i++)
        text = text "," (why != "" || result[i] == "" ? "" : sprintf("%.12g", result[i]))
    printf "%s,%s,%s\r\n", text, why == "" ? "ok" : "skipped", quote(why) >> out
    text = "skipped: " why
    if (why == "")
        text = sprintf("%d kernel%s, %.4g us", kernels, kernels == 1 ? "" : "s", 1e6 * result[1]) \
            (result[2] == "" ? "" : sprintf(", achieved occupancy %.3g %%", 100 * result[2])) \
            (result[3] == "" ? "" : sprintf(", DRAM %.4g MB", 1e-6 * (result[3] + result[4])))
    printf "%-16s %-20s %s\n", rows[r, "lab"], variant, text
}

BEGIN {
    own = "lab,variant,machine,parameters,width,height,depth,block_x,block_y"
    if (variant == "") {
        printf "%s,%s,%s,%s\r\n", own,
            "kernels,time_s,achieved_occupancy,dram_read_bytes,dram_write_bytes,l2_bytes",
            "issue_utilisation,sm_throughput,dram_throughput", "status,note" > out
        exit
    }
    n_metrics = split(metrics, metric, ",")
    scale["ns"] = scale["nsecond"] = 1e-9 # ncu's name for it has changed
    scale["byte"] = 1
    scale["%"] = 0.01
    csv_read(ARGV[1], rows)
    if (why == "")
        measure()
    write_row()
}
