# conditions.awk - of rows measured under several conditions, those that may share a figure.
#
#   awk -v name=lab3_bilateral [-v aside='type transfer'] -f conditions.awk ROWS
#
# A results file may hold the same variant, size and block more than once: with another radius, say,
# or cold and hot caches. A curve must not jump between them. The condition (parameters and cache)
# with the most rows in the lab is drawn, of equals the cold one, then the first; a variant that has
# no rows under it is drawn under its own commonest one. What is left out is told on stderr. The keys
# in `aside` make no condition: a figure that compares types wants all of them.
#
# Rows of another machine (source `past` for 2012, else its name) are left out when they measured
# other work: when a parameter that both name differs, the type aside.
#
# Rows, in and out: source variant kind parameters cache width height block_x block_y time_s speedup
# gb_per_s gflop_per_s end_to_end_s type transfer, separated by tabs.

function tell(text)
{
    print "draw.sh: " name ": " text | "cat 1>&2"
}

# Whether condition a is to be preferred to b.
function better(a, b)
{
    if (b == "" || count[a] != count[b])
        return b == "" || count[a] > count[b]
    return (a ~ /\tcold$/) && !(b ~ /\tcold$/)
}

# The first parameter that both lists name and that differs, as `radius 3, now 5`; or nothing.
function difference(past, now,    i, n, part, at, key, value)
{
    n = split(past, part, ";")
    for (i = 1; i <= n; i++) {
        at = index(part[i], "=")
        value[substr(part[i], 1, at - 1)] = substr(part[i], at + 1)
    }
    n = split(now, part, ";")
    for (i = 1; i <= n; i++) {
        at = index(part[i], "=")
        key = substr(part[i], 1, at - 1)
        if (key != "type" && (key in value) && value[key] != substr(part[i], at + 1))
            return key " " value[key] " then, " substr(part[i], at + 1) " now"
    }
    return ""
}

# Parameters without the keys in `aside`.
function without_aside(text,    n, i, part, kept)
{
    n = split(text, part, ";")
    for (i = 1; i <= n; i++)
        if (index(" " aside " ", " " substr(part[i], 1, index(part[i], "=") - 1) " ") == 0)
            kept = kept (kept == "" ? "" : ";") part[i]
    return kept
}

BEGIN { FS = "\t" }

{
    row[NR] = $0
    source[NR] = $1
    variant[NR] = $2
    parameters = without_aside($4)
    condition[NR] = parameters "\t" $5
    if ($1 == "now") {
        # A CPU row may name no cache state, so a condition is counted within its kind.
        kind[NR] = $3 == "cpu" ? "cpu" : "gpu"
        condition[NR] = kind[NR] "\t" condition[NR]
        count[condition[NR]]++
        has[$2, condition[NR]] = 1
        if (!(condition[NR] in listed)) {
            listed[condition[NR]] = 1
            list[++n_conditions] = condition[NR]
        }
    }
}

END {
    for (i = 1; i <= NR; i++) {
        if (source[i] != "now" || (variant[i] in chosen))
            continue
        best = ""
        for (j = 1; j <= n_conditions; j++)
            if (((variant[i], list[j]) in has) && better(list[j], best))
                best = list[j]
        chosen[variant[i]] = best
    }
    for (i = 1; i <= n_conditions; i++)
        if (better(list[i], commonest[substr(list[i], 1, 3)]))
            commonest[substr(list[i], 1, 3)] = list[i]
    split(commonest["gpu"] == "" ? commonest["cpu"] : commonest["gpu"], part, "\t")
    for (i = 1; i <= NR; i++) {
        if (source[i] == "now") {
            if (condition[i] == chosen[variant[i]])
                print row[i]
            else
                left_out++
            continue
        }
        split(condition[i], past, "\t")
        differs = difference(past[1], part[2])
        if (differs == "")
            print row[i]
        else if (!(source[i] in told)) {
            told[source[i]] = 1
            tell((source[i] == "past" ? "the curves of 2012" : "rows of " source[i]) \
                 " are left out, they measured other work (" differs ")")
        }
    }
    if (left_out)
        tell("not drawn, for their other parameters or cache state: " left_out " rows")
}
