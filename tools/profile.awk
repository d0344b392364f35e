# profile.awk - ncu's counters of one variant as a row of profile.csv, for profile.sh.
#   awk -v counters=tools/counters.txt -v row=TEXT -v why=TEXT -v out=FILE \
#     -f csv.awk -f counters.awk -f profile.awk TABLE.csv
# TABLE.csv is what `ncu --csv --page raw --print-units base` printed: names, units, then a record
# for each kernel. `row` is the beginning of the variant's row; `why` says what went wrong, if
# anything did: the row is skipped then. The row is added to `out`, and printed in short.

function fail(reason)
{
    if (why == "")
        why = reason
}

# A kernel's value of a metric, in seconds, bytes, 0..1 or as counted; empty if there is none, "n/a"
# or no column.
function measured(id,    value)
{
    value = csv(id)
    gsub(/,/, "", value)
    if (value !~ /^[-+]?[0-9]+[.]?[0-9]*([eE][-+]?[0-9]+)?$/)
        return ""
    if (base[id] != "" && unit[id] != base[id])
        fail("ncu gives " id " in '" unit[id] "', not in a base unit")
    return value * scale[base[id]]
}

# Sums over all kernels: what is counted adds up; a share counts for as long as its kernel runs.
function total(id)
{
    if (id in missing)
        return ""
    return base[id] == "%" ? sum[id] / sum[time] : sum[id]
}

# Returns the value of column i's k-th word: a metric's, or one less another.
function term(i, k,    part, a, b)
{
    a = split(word[i, k], part, "-") > 1 ? total(full(i, part[2])) : 0
    b = total(full(i, part[1]))
    return a == "" || b == "" ? "" : b - a
}

# The place of the greatest of a column's terms, 0 if there is none; `all` is their sum.
function greatest(i,    k, value, place)
{
    place = all = 0
    for (k = 1; k <= words[i]; k++) {
        if ((value = term(i, k)) == "")
            continue
        all += value
        if (!place || value > term(i, place))
            place = k
    }
    return place
}

function ratio(a, b)
{
    return a == "" || b == "" || b == 0 ? "" : a / b
}

# The value of column i, empty if there is none.
function value_of(i,    k)
{
    if (rule[i] == "its_share")
        return leading_share
    if (rule[i] == "ratio")
        return ratio(term(i, 1), term(i, 2))
    k = greatest(i)
    if (rule[i] == "leader") {
        leading_share = k ? ratio(term(i, k), all) : ""
        return leading = leading_share == "" ? "" : word[i, k]
    }
    return !k ? "" : rule[i] == "sectors" ? 32 * term(i, k) : term(i, k)
}

# What is printed: the time, what is used most, what warps wait for.
function in_short(    i, most, short)
{
    for (i = 1; i <= n_columns; i++)
        if (rule[i] == "share" && cell[i] != "" && (!most || cell[i] > cell[most]))
            most = i
    short = sprintf("%d kernel%s, %.4g us", kernels, kernels == 1 ? "" : "s", 1e6 * sum[time])
    if (most)
        short = short sprintf(", %s %.3g %%", name[most], 100 * cell[most])
    if (leading != "")
        short = short sprintf(", %.3g %% of the waiting: %s", 100 * leading_share, leading)
    return short
}

BEGIN {
    time = "gpu__time_duration.sum"
    scale["ns"] = 1e-9
    scale["%"] = 0.01
    scale["byte"] = scale[""] = 1
}
record == 1 {
    for (m = 1; m <= n_metrics; m++) {
        unit[metric[m]] = csv(metric[m])
        sub(/^nsecond$/, "ns", unit[metric[m]]) # the older name
    }
}
record > 1 {
    kernels++
    if (fields != columns)
        fail("ncu's table has a row of " fields " fields under " columns " columns")
    for (m = 1; m <= n_metrics; m++) {
        if ((number = measured(metric[m])) == "")
            missing[metric[m]]
        sum[metric[m]] += number * (base[metric[m]] == "%" ? measured(time) : 1)
    }
}
END {
    if (!kernels)
        fail("ncu saw no kernel")
    if (sum[time] <= 0)
        fail("ncu gave no " time)
    row = row "," (why == "" ? kernels : "")
    for (i = 1; i <= n_columns; i++) {
        cell[i] = why == "" ? value_of(i) : ""
        row = row "," (rule[i] == "leader" || cell[i] == "" ? cell[i] : sprintf("%.12g", cell[i]))
    }
    split(row, own, ",")
    printf "%-16s %-20s %s\n", own[1], own[2], why == "" ? in_short() : "skipped: " why
    gsub(/"/, "\"\"", why)
    printf "%s,%s\r\n", row, why == "" ? "ok," : "skipped,\"" why "\"" >> out
}
