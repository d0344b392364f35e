# profile.awk - ncu's counters of one variant as a row of profile.csv, for profile.sh.
#   awk -v row=TEXT -v metrics=LIST -v why=TEXT -v out=FILE -f csv.awk -f profile.awk TABLE.csv
# TABLE.csv is what `ncu --csv --page raw --print-units base` printed: names, units, then a record
# for each kernel. `row` is the beginning of the variant's row; `why` says what went wrong, if
# anything did: the row is skipped then. The row is added to `out`, and printed in short.

function fail(text) {
    if (why == "")
        why = text
}

# A kernel's value of a metric, in seconds, bytes or 0..1; empty if there is none ("n/a").
function measured(i,    text) {
    text = csv(metric[i])
    gsub(/,/, "", text)
    if (text !~ /^[-+]?[0-9]+[.]?[0-9]*([eE][-+]?[0-9]+)?$/)
        return ""
    if (!(unit[i] in scale))
        fail("ncu gives " metric[i] " in '" unit[i] "', not in a base unit")
    return text * scale[unit[i]]
}

# Of all kernels: bytes and times add up; a share counts for as long as its kernel runs.
function total(i) {
    if (i in missing)
        return ""
    return unit[i] == "%" ? sum[i] / sum[1] : sum[i]
}

BEGIN {
    n_metrics = split(metrics, metric, ",")
    scale["ns"] = scale["nsecond"] = 1e-9 # ncu's name for it has changed
    scale["byte"] = 1
    scale["%"] = 0.01
}
record == 1 {
    for (i = 1; i <= n_metrics; i++)
        unit[i] = csv(metric[i])
}
record > 1 {
    kernels++
    if (fields != columns)
        fail("ncu's table has a row of " fields " fields under " columns " columns")
    for (i = 1; i <= n_metrics; i++) {
        if ((number = measured(i)) == "")
            missing[i]
        sum[i] += number * (unit[i] == "%" ? measured(1) : 1)
    }
}
END {
    if (!kernels)
        fail("ncu saw no kernel")
    if (sum[1] <= 0)
        fail("ncu gave no " metric[1])
    row = row "," (why == "" ? kernels : "")
    for (i = 1; i <= n_metrics; i++)
        row = row "," (why != "" || total(i) == "" ? "" : sprintf("%.12g", total(i)))
    text = "skipped: " why
    gsub(/"/, "\"\"", why)
    printf "%s,%s\r\n", row, why == "" ? "ok," : "skipped,\"" why "\"" >> out
    if (why == "")
        text = sprintf("%d kernel%s, %.4g us", kernels, kernels == 1 ? "" : "s", 1e6 * total(1)) \
            (2 in missing ? "" : sprintf(", achieved occupancy %.3g %%", 100 * total(2))) \
            (3 in missing ? "" : sprintf(", DRAM %.4g MB", 1e-6 * (total(3) + total(4))))
    split(row, own, ",")
    printf "%-16s %-20s %s\n", own[1], own[2], text
}
