# compare_runs.awk - what became of each row from run A, the older, to run B. For compare_runs.sh:
#   RUN_A=FOLDER RUN_B=FOLDER awk -v threshold=10 -v kinds="gpu vendor" -v all= \
#     -f tools/words.awk -f tools/compare_runs.awk ROWS
# ROWS are lines of run_rows.awk. Exit status: 0; 1 where a row is slower, or was ok and is no
# longer; 2 where A and B have no row in common.
#
# A row is slower or faster if the medians differ by more than the threshold and by more than the
# noise of A and of B together, noise being the interquartile range over the median.
# - The interquartile range of normal noise is 1.35 standard deviations. Two single samples lie
#   further apart than two such ranges in one case of 18, and medians of many are nearer to each
#   other: what exceeds the noise does not come from the samples.
# - It may still come from the runs: clocks, temperature, where in memory the data lies. No spread
#   within a run knows of it; the threshold is for that. Rows of the CPU, which share its cores and
#   caches with all else that runs, differ by more, and are judged only where they are asked for.
# What is beyond the threshold is not known if the noise is not.

BEGIN {
    FS = "\t"
    columns = split("run case lab variant kind machine parameters size block status time shown " \
        "noise note commit date", name, " ")
    for (n = split(kinds, word, " "); n > 0; n--)
        is_judged[word[n]]
    unchanged = "^(same|not measured again|without a time|ok in neither)$"
}
{
    take_row($1, $2)
}
END {
    for (i = 1; i <= cases; i++)
        compare(order[i])
    if (!in_both) {
        print "compare_runs.sh: A and B have no row in common" >"/dev/stderr"
        exit 2
    }
    print_run("A")
    print_run("B")
    print ""
    print_table()
    print_missing("A")
    print_missing("B")
    print_counts()
    exit print_end()
}

# The row of a case as an array by the columns' names; empty where there is none.
function get(run, key, record,    field, c) {
    split(row[run, key], field, "\t")
    for (c = 1; c <= columns; c++)
        record[name[c]] = field[c]
}

# Takes a row; of a case that is there twice the later one counts.
function take_row(run, key,    r) {
    passed_over[run] += (run, key) in row
    row[run, key] = $0
    if (!(key in known)) {
        known[key]
        order[++cases] = key
    }
    get(run, key, r)
    rows[run]++
    if (!((run, r["commit"]) in commit)) {
        commit[run, r["commit"]]
        commits[run] = commits[run] " " r["commit"]
    }
    if (r["date"] != "" && (first[run] == "" || r["date"] < first[run]))
        first[run] = r["date"]
    if (r["date"] > last[run])
        last[run] = r["date"]
    if (r["kind"] in is_judged)
        count_words(r["lab"], r["parameters"])
}

# ---- what became of a row -----------------------------------------------------------------------

function compare(key,    a, b, what) {
    get("A", key, a)
    get("B", key, b)
    if (a["run"] == "" || b["run"] == "") {
        miss(a["run"] b["run"], a["lab"] b["lab"], a["variant"] b["variant"], a["kind"] b["kind"])
        return
    }
    in_both++
    what = fate(a, b)
    if (what ~ /^(faster|slower|same|unknown)$/)
        count_row(b["lab"], b["kind"], what, log(b["time"] / a["time"]),
            is_noise(b["time"] / a["time"] - 1, a["noise"], b["noise"]))
    else
        others[what]++
    if (what == "no longer ok")
        show(a, b, what ": " (b["status"] == "ok" ? "it has no time" : b["status"] ": " b["note"]))
    else if (what == "ok again" || b["kind"] in is_judged && (all != "" || what !~ unchanged))
        show(a, b, what)
}

# An emulated kernel has a status, but no time.
function fate(a, b) {
    if (a["status"] == "ok" && (b["status"] != "ok" || a["time"] != "" && b["time"] == ""))
        return "no longer ok"
    if (a["status"] != "ok")
        return b["status"] == "ok" ? "ok again" : "ok in neither"
    if (a["time"] == "" || b["time"] == "")
        return "without a time"
    if (a["date"] != "" && a["date"] == b["date"] && a["time"] == b["time"])
        return "not measured again"
    return verdict(b["time"] / a["time"] - 1, a["noise"], b["noise"])
}

function verdict(change, noise_a, noise_b) {
    if (size_of(change) <= threshold / 100)
        return "same"
    if (noise_a == "" || noise_b == "")
        return "unknown"
    if (is_noise(change, noise_a, noise_b))
        return "same"
    return change < 0 ? "faster" : "slower"
}

function is_noise(change, noise_a, noise_b) {
    return noise_a != "" && noise_b != "" && size_of(change) <= noise_a + noise_b
}

# The counts have a line for the judged rows of each lab, one for all of these, and one for each
# kind that is not judged.
function count_row(lab, kind, what, log_ratio, in_noise) {
    if (kind in is_judged) {
        if (!timed[lab])
            lab_at[++labs] = lab
        count_in(lab, what, log_ratio, in_noise)
        count_in(kinds, what, log_ratio, in_noise)
    } else {
        count_in(kind ", not judged", what, log_ratio, in_noise)
    }
}

function count_in(line, what, log_ratio, in_noise) {
    timed[line]++
    count[line, what]++
    logs[line] += log_ratio
    within[line] += in_noise
    insert(line, timed[line], size_of(exp(log_ratio) - 1))
}

# The sizes of the changes of a line of the counts, in ascending order.
function insert(line, n, size) {
    for (; n > 1 && sizes[line, n - 1] > size; n--)
        sizes[line, n] = sizes[line, n - 1]
    sizes[line, n] = size
}

# The smallest size that so large a share of the line's rows does not exceed.
function quantile(line, share,    n) {
    n = share * timed[line]
    return sizes[line, int(n) + (n > int(n))]
}

function size_of(change) {
    return change < 0 ? -change : change
}

# A row that is in one run only; whether a kernel was emulated there, too, says nothing.
function miss(run, lab, variant, kind) {
    if (kind == "emulated")
        return
    missed[run]++
    if (!missing[run, lab, variant]++)
        group[run, ++groups[run]] = lab SUBSEP variant
}

# ---- what is shown ------------------------------------------------------------------------------

function print_run(run) {
    printf "%s  %s\n   %d rows", run, ENVIRON["RUN_" run], rows[run]
    if (passed_over[run])
        printf ", %d of a case that has a later one", passed_over[run]
    if (commits[run] ~ /[^ ]/)
        printf ", commit%s", commits[run]
    if (first[run] != "")
        printf ", %s%s", first[run], (first[run] == last[run] ? "" : " to " last[run])
    print ""
}

# A line of the table of rows, its cells separated by tabs.
function put(lab, cells,    c) {
    lab_of[++shown] = lab
    cells_of[shown] = cells
    split(cells, cell, "\t")
    for (c = 1; c <= 10; c++)
        if (length(cell[c]) > width[c])
            width[c] = length(cell[c])
}

function show(a, b, what,    change) {
    if (!shown)
        put("", "\tsize\tblock\t\tA\tnoise\tB\tnoise\tchange\t")
    if (a["time"] != "" && b["time"] != "")
        change = signed_percent(b["time"] / a["time"] - 1)
    put(a["lab"], a["variant"] "\t" a["size"] "\t" a["block"] "\t" \
        differing(a["lab"], a["parameters"]) "\t" a["shown"] "\t" percent(a["noise"]) "\t" \
        b["shown"] "\t" percent(b["noise"]) "\t" change "\t" what)
}

function percent(share) {
    return share == "" ? "" : sprintf("%.1f %%", 100 * share)
}

function signed_percent(share,    text) {
    text = sprintf("%+.1f %%", 100 * share)
    return text + 0 == 0 ? "0.0 %" : text
}

function print_table(    n, c, line) {
    for (n = 1; n <= shown; n++) {
        if (lab_of[n] != lab_of[n - 1])
            print lab_of[n]
        split(cells_of[n], cell, "\t")
        line = ""
        for (c = 1; c <= 10; c++)
            if (width[c])
                line = line "  " sprintf("%" (c <= 4 || c == 10 ? "-" : "") width[c] "s", cell[c])
        sub(/ +$/, "", line)
        print line
    }
    if (shown)
        print ""
}

function print_missing(run,    n, part, lab) {
    if (!missed[run])
        return
    printf "rows only in %s: %d", run, missed[run]
    for (n = 1; n <= groups[run]; n++) {
        split(group[run, n], part, SUBSEP)
        printf "%s %s %d", (part[1] == lab ? "," : "\n  " part[1] ":"), part[2],
            missing[run, part[1], part[2]]
        lab = part[1]
    }
    print "\n"
}

function print_counts(    n, word) {
    printf "%-18s %6s %7s %7s %7s %8s %8s %8s %8s %8s\n", "rows", "timed", "faster", "slower",
        "same", "unknown", "in noise", "half", "19 in 20", "B / A"
    for (n = 1; n <= labs; n++)
        print_line(lab_at[n])
    print_line(kinds)
    for (n = split("cpu gpu vendor", word, " "); n > 0; n--)
        print_line(word[n] ", not judged")
    for (n = split("not measured again,without a time,ok in neither,ok again", word, ",");
        n > 0; n--)
        if (others[word[n]])
            printf "%s: %d\n", word[n], others[word[n]]
}

# `in noise` are the rows that differ by no more than the noise of both, whatever the threshold; half
# of the rows, and 19 of 20, differ by no more than so many percent; B / A is the geometric mean of
# the ratios of the times.
function print_line(line) {
    if (timed[line])
        printf "%-18s %6d %7d %7d %7d %8d %8d %6.1f %% %6.1f %% %8.3f\n", line, timed[line],
            count[line, "faster"], count[line, "slower"], count[line, "same"],
            count[line, "unknown"], within[line], 100 * quantile(line, 0.5),
            100 * quantile(line, 0.95), exp(logs[line] / timed[line])
}

# The last lines say what the exit status, which is returned, is for.
function print_end(    slower, broken) {
    slower = count[kinds, "slower"] + 0
    broken = others["no longer ok"] + 0
    if (timed[kinds])
        printf "%d slower by more than %s %% and more than the noise of both runs\n", slower,
            threshold
    else
        printf "no row of the kinds %s is timed in both runs: none is judged\n", kinds
    if (broken)
        printf "%d no longer ok\n", broken
    return slower + broken > 0
}
