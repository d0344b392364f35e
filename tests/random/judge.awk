# judge.awk - was a run as it must be? Prints `ok OK SKIPPED` (rows), `refused`, or `bad`, why, and
# `again`, the command. `lines`: on stderr, `said`: the first; `sizes` 0: it must be refused.
# usage: awk -v status=N -v sizes=N -v blocks=N -v lines=N -v said="..." -v again="..." \
#          -f tools/csv.awk -f tests/random/judge.awk ROWS.CSV
function demand(condition, else_say)
{
    if (!condition && why == "")
        why = what " " else_say
}

record > 0 {
    what = csv("variant") " " csv("parameters")
    rows[what]++
    block = csv("block_x") "x" csv("block_y")
    different[what] += !seen[what, block]++
    # One block that nobody asked for is the variant's own.
    own[what] = different[what] == 1 && again !~ ("[=, ]" csv("block_x") "(x[0-9]+)?([, ]|$)")
    wanted[what] = sizes * (csv("kind") ~ /^(gpu|emulated)$/ && !own[what] ? blocks : 1)
    count[csv("status")]++
    time = csv("time_s")
    demand(csv("status") == "ok" || (csv("status") == "skipped" && csv("note") != ""), \
        csv("status") ": " csv("note"))
    demand(csv("status") != "ok" || (csv("max_error") != "" && \
        csv("max_error") + 0 <= csv("tolerance") + 0), "is ok with an error of " csv("max_error"))
    demand(csv("status") != "ok" || \
        (time == "") == (csv("kind") == "emulated" || again ~ /--check-only/), "has the time " time)
    demand(time == "" || (csv("time_min_s") > 0 && csv("time_min_s") + 0 <= time + 0 && \
        time + 0 <= csv("time_max_s") + 0), "has a time out of order")
    for (name in column)
        if (index(" lab variant kind role machine parameters cache limiter status note commit " \
            "date ", " " name " ") == 0)
            demand(csv(name) ~ /^([0-9]+(\.[0-9]+)?(e[+-][0-9]+)?)?$/, name " is " csv(name))
}
END {
    for (what in rows)
        demand(rows[what] == wanted[what], "has " rows[what] " rows, not " wanted[what])
    what = "exit status " status
    demand(status == 0 || status == 2, status == 124 || status == 137 ? "no end" : said)
    demand(status != 2 || (lines == 1 && !record), lines " lines on stderr, " record + 0 " rows")
    demand(status != 2 || !sizes || said !~ /number from|is none of|legal (size|block); /, said)
    demand(status != 0 || sizes, "what is illegal is taken")
    demand(status != 0 || (record > 0 && !lines), record > 0 ? said : "no rows")
    print why != "" ? "bad " why ": " again : \
        status ? "refused" : "ok " count["ok"] + 0 " " count["skipped"] + 0
}
