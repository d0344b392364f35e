# judge.awk - was a run of a lab's program as it must be? Prints `ok OK SKIPPED` (the rows),
# `refused`, or `bad` and why.
# usage: awk -v status=STATUS -v sizes=N -v blocks=N -v options="..." -v lines=N -v said="..." \
#          -f tools/csv.awk -f tests/random/judge.awk ROWS.CSV
# `sizes` 0: it must be refused; `said` is the first of the `lines` on stderr.

function bad(what)
{
    if (why == "")
        why = what
}

# Texts aside, what stands there is a decimal number, not below 0.
function look_at_numbers(    name)
{
    for (name in column)
        if (name !~ /^(lab|variant|kind|role|machine|parameters|cache|limiter|status|note|commit|date)$/ &&
            csv(name) !~ /^([0-9]+(\.[0-9]+)?(e[+-][0-9]+)?)?$/)
            bad(name " is " csv(name))
}

function look_at_times(    time)
{
    time = csv("time_s") + 0
    if (!(csv("time_min_s") > 0 && csv("time_min_s") + 0 <= csv("time_q1_s") + 0 &&
          csv("time_q1_s") + 0 <= time && time <= csv("time_q3_s") + 0 &&
          csv("time_q3_s") + 0 <= csv("time_max_s") + 0))
        bad("time_s " time " and its quartiles are not in order")
    if ((csv("gb_per_s") * time * 1e9 - csv("bytes")) ^ 2 > (1e-4 * csv("bytes")) ^ 2)
        bad("gb_per_s " csv("gb_per_s") " is not bytes over time_s")
}

record > 0 {
    what = csv("variant") " " csv("parameters")
    on_gpu = csv("kind") ~ /^(gpu|emulated)$/
    rows[what]++
    wanted[what] = sizes * (on_gpu ? blocks : 1)
    count[csv("status")]++
    look_at_numbers()
    if (csv("status") !~ /^(ok|skipped)$/ || (csv("status") == "skipped" && csv("note") == ""))
        bad(csv("variant") ": " csv("status") ": " csv("note"))
    if (csv("status") == "ok" && !(csv("max_error") != "" && csv("max_error") + 0 <= csv("tolerance") + 0))
        bad(csv("variant") ": max_error " csv("max_error") " of " csv("tolerance") " is ok")
    if (csv("time_s") != "")
        look_at_times()
    else if (csv("status") == "ok" && csv("kind") != "emulated" && options !~ /--check-only/)
        bad(csv("variant") " has no time")
}
END {
    for (what in rows)
        if (rows[what] != wanted[what])
            bad(what ": " rows[what] " rows, not " wanted[what])
    if (status == 2 && (lines != 1 || count["ok"] + count["skipped"]))
        why = "refused in " lines + 0 " lines, after " record + 0 " rows"
    else if (status == 2 && sizes && said ~ /number from|is none of|legal (size|block); /)
        why = "refuses what is legal: " said
    else if (status != 2 && !sizes)
        why = "what is illegal is taken: exit status " status
    else if (status == 124 || status == 137)
        why = "did not end"
    else if (status != 0 && status != 2)
        why = "exit status " status ": " (why == "" ? said : why)
    else if (status == 0 && (lines || record < 1))
        bad(lines ? "said " said : "has no rows")
    print why != "" ? "bad " why : status == 2 ? "refused" : "ok " count["ok"] + 0 " " count["skipped"] + 0
}
