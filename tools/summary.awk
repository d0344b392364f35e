# summary.awk - what a run measured, in a few lines: how many rows are right, what is wrong, and
# each lab's best variant beside the best of the vendor's libraries.
#   awk -v since=DATE -v seconds=126 [-v asked=VARIANT] -f tools/csv.awk -f tools/row.awk \
#     -f tools/words.awk -f tools/summary.awk [BOUNDS.csv] LAB.csv...
# Rows dated before `since` are another run's. A lab has a line for each set of its parameters, of
# the greatest size that a GPU ran, or else a CPU; the variant asked about a sentence, in which any
# run's rows stand beside it. BOUNDS.csv has `lab`, `line` (of its file) and `bound`.

!record {
    next
}
"bound" in column {
    bound[csv("lab"), csv("line")] = csv("bound")
    next
}
asked != "" && is_timed() && csv("kind") ~ /gpu|vendor/ {
    take_rival(csv("lab") SUBSEP conditions() SUBSEP csv("cache") SUBSEP size())
}
csv("date") < since {
    next
}
{
    count[csv("status")]++
    rows++
    checked += csv("kind") == "emulated" && csv("status") ~ /ok|wrong/
}
csv("status") ~ /wrong|failed/ { # its table has told the rest
    bad[csv("status") ": " csv("lab") " " csv("variant")]++
}
is_timed() {
    take_row(csv("lab"), conditions())
}

function is_timed() {
    return csv("status") == "ok" && csv("time_s") + 0 > 0 && csv("role") != "yardstick"
}

function work() {
    return csv("width") * csv("height") * (csv("depth") + 0 > 0 ? csv("depth") : 1)
}

# Keeps each variant's best time under these conditions, and which are those of the asked one.
function take_rival(under,    i) {
    i = under SUBSEP csv("variant")
    if (!(i in rival))
        rivals[++n_rivals] = i
    if (!(i in rival) || csv("time_s") + 0 < rival[i]) {
        rival[i] = csv("time_s") + 0
        kind_of[i] = csv("kind")
        case_of[i] = size() (block() == "" ? "" : " in blocks of " block())
        bound_of[i] = bound[csv("lab"), record + 1]
    }
    if (csv("variant") == asked && csv("date") >= since && work() > asked_work[csv("lab")]) {
        asked_work[csv("lab")] = work()
        asked_under[csv("lab")] = under
    }
}

# The asked variant beside the next slower kernel, or else the next faster, and the first library.
function compared(under,    mine, time, i, k, beside, peer, text) {
    mine = under SUBSEP asked
    time = rival[mine]
    for (k = 1; k <= n_rivals; k++) {
        i = rivals[k]
        if (i == mine || index(i, under SUBSEP) != 1)
            continue
        if (kind_of[i] == "vendor")
            peer = peer == "" ? i : peer
        else if (beside == "" || nearer(rival[i], rival[beside], time))
            beside = i
    }
    text = asked ": " duration(time)
    if (beside != "")
        text = asked ": " rounded(rival[beside] / time) " times as fast as " name_of(beside)
    if (peer != "")
        text = text ", " rounded(100 * rival[peer] / time) " % of " name_of(peer)
    if (bound_of[mine] != "")
        text = text ", bound by " bound_of[mine]
    return text ", at " case_of[mine]
}

# Is x a better neighbour of this time than y?
function nearer(x, y, time) {
    return y < time ? x > y : x >= time && x < y
}

function name_of(i) {
    sub(".*" SUBSEP, "", i)
    return i
}

function rounded(x) {
    return sprintf(x < 100 ? "%.3g" : "%.0f", x)
}

function plural(n) {
    return n == 1 ? "" : "s"
}

function what() {
    return csv("variant") (block() == "" ? "" : " " block())
}

# A line is a lab and its parameters. Rows of one line, kind and size compete.
function take_row(lab, parameters,    line, kind, i) {
    gsub(/;?(cpu_threads|transfer)=[^;]*/, "", parameters)
    line = lab " " parameters
    if (!(line in known)) {
        known[line]
        lab_of[++n_lines] = lab
        parameters_of[n_lines] = parameters
        count_words(lab, parameters)
    }
    kind = line SUBSEP csv("kind")
    if (work() > most[kind]) {
        most[kind] = work()
        greatest[kind] = size()
    }
    group[++n_rows] = kind SUBSEP size()
    name[n_rows] = what()
    time[n_rows] = csv("time_s") + 0
    lower[n_rows] = csv("time_q1_s") + 0
    upper[n_rows] = csv("time_q3_s") + 0
    i = best[group[n_rows]]
    if (!i || time[n_rows] < time[i])
        best[group[n_rows]] = n_rows
}

# How many others' middle halves of samples reach into the best one's.
function ties(row,    i, found) {
    for (i = 1; i <= n_rows; i++)
        found += i != row && group[i] == group[row] && lower[i] <= upper[row]
    return found
}

# The best variant of the lab and, below it, who else is as fast, and the library's.
function print_line(lab, parameters,    line, kind, row, vendor, words) {
    line = lab " " parameters
    kind = line SUBSEP ((line, "gpu") in greatest ? "gpu" : "cpu")
    if (!(kind in greatest))
        return
    row = best[kind, greatest[kind]]
    vendor = best[line, "vendor", greatest[kind]]
    words = differing(lab, parameters)
    if (words != "")
        sub(/_.*/, " " words, lab)
    printf line_format, lab, greatest[kind], name[row], duration(time[row])
    if (ties(row))
        print "      within noise of " ties(row) " more"
    if (vendor)
        print "      library: " name[vendor] ", " duration(time[vendor])
}

BEGIN {
    line_format = " %-33s %-9s %-26s %8s\n"
}
END {
    if (n_lines)
        printf line_format, "fastest in", "size", "variant, block", "time"
    for (i = 1; i <= n_lines; i++)
        print_line(lab_of[i], parameters_of[i])
    for (i = 1; i <= n_lines; i++)
        if (lab_of[i] in asked_under && !told[lab_of[i]]++)
            print compared(asked_under[lab_of[i]]) | "fold -s -w 80 | sed 's/ *$//'"
    close("fold -s -w 80 | sed 's/ *$//'")
    for (text in bad)
        print text ", " bad[text] " row" plural(bad[text]) | "sort"
    close("sort")
    printf "%d row%s in %d min %02d s: %d ok, %d wrong, %d failed, %d skipped\n", rows, plural(rows),
        seconds / 60, seconds % 60, count["ok"], count["wrong"], count["failed"], count["skipped"]
    if (checked)
        printf "No GPU here: kernels were checked on the CPU in %d row%s, without a time.\n%s\n%s\n",
            checked, plural(checked),
            "Plain builds seldom show races between blocks; make doctor LAB= VARIANTS= does.",
            "Figures and report show a recorded GPU beside this CPU, and say which."
}
