# counters.awk - reads the table counters.txt, for profile.sh and profile.awk. Of column i = 1 ..
# n_columns there are name[i], rule[i] and word[i, 1 .. words[i]]; of metric m = 1 .. n_metrics its
# name metric[m], and base[its name], the unit that ncu gives it in, empty if that does not matter.
#   awk -v counters=tools/counters.txt -v list=columns -f counters.awk
# prints the columns' names with commas between them, list=metrics those of the metrics.

# Lines that begin with a blank go on with the one above.
function read_counters(path,    line, part, parts, k)
{
    while ((getline line < path) > 0) {
        parts = line ~ /^#/ ? 0 : split(line, part, " ")
        k = 1
        if (parts && line ~ /^[^ ]/) {
            name[++n_columns] = part[1]
            rule[n_columns] = part[2]
            k = 3
        }
        for (; k <= parts; k++)
            word[n_columns, ++words[n_columns]] = part[k]
    }
    close(path)
}

# What ncu calls a metric of a column.
function full(i, short)
{
    if (rule[i] == "leader")
        return "smsp__warps_issue_stalled_" short ".sum"
    return short (rule[i] == "share" ? ".avg.pct_of_peak_sustained_elapsed" \
        : rule[i] == "active" ? ".avg.pct_of_peak_sustained_active" : ".sum")
}

function add_metrics(i,    k, t, part, parts)
{
    for (k = 1; k <= words[i]; k++) {
        parts = split(word[i, k], part, "-")
        for (t = 1; t <= parts; t++) {
            metric[++n_metrics] = full(i, part[t])
            base[metric[n_metrics]] = rule[i] == "seconds" ? "ns" : rule[i] == "bytes" ? "byte" \
                : rule[i] ~ /^(share|active)$/ ? "%" : ""
        }
    }
}

BEGIN {
    read_counters(counters)
    for (i = 1; i <= n_columns; i++)
        add_metrics(i)
    if (list == "columns")
        for (i = 1; i <= n_columns; i++)
            printf "%s%s", name[i], i < n_columns ? "," : "\n"
    if (list == "metrics")
        for (m = 1; m <= n_metrics; m++)
            printf "%s%s", metric[m], m < n_metrics ? "," : "\n"
}
