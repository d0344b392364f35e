# run.awk - what a test counted, from its TAP: a line for people, with what failed and why, and what
# was skipped and why, below it; and one for the record. A test whose plan does not fit what it
# printed, that ends badly without saying why, or that checks nothing, has failed once.

BEGIN { OFS = "," }

# show LINE: below the test's own line.
function show(line)
{
    shown = shown "\n  " line
}

# skip LINE: "[NAME ]# SKIP WHY"
function skip(line)
{
    skipped++
    show(line)
    sub(/ # SKIP /, ": ", line)
    sub(/^# SKIP /, "", line)
    gsub(/"/, "'", line)
    reasons = reasons (reasons == "" ? "" : "; ") line
}

/^(not )?ok / {
    count++
    telling = 0
    if (/^not ok/) {
        failed++
        telling = 12 # lines of what was wrong
        show($0)
    } else if (/# SKIP/) {
        sub(/^ok [0-9]+ - /, "")
        skip($0)
    } else
        passed++
    next
}
/^1\.\./ {
    planned = substr($1, 4) + 0
    has_plan = 1
    if (/^1\.\.0.*# SKIP/) {
        sub(/^1\.\.0 */, "")
        skip($0)
    }
    next
}
/^#   / && telling-- > 0 { show($0) }
{ last = $0 }

END {
    if (!failed && (!has_plan || planned != count || status != 0 || !count && !skipped)) {
        failed++
        show(sprintf("it ended with status %d after %d of %s tests: %s", status, count,
            has_plan ? planned : "unknown", last))
    }
    seconds = ended - started
    print test, passed + 0, failed + 0, skipped + 0, sprintf("%.1f", seconds), "\"" reasons "\"" >>csv
    printf "%-36s %s%d passed%s  %.1f s%s\n", test, failed ? failed " FAILED, " : "", passed,
        skipped ? ", " skipped " skipped" : "", seconds, shown
}
