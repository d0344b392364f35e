# summary.awk - what a run measured, in a few lines: how many rows are right, what is wrong, and
# each lab's best variant beside the best of the vendor's libraries.
#   awk -v since=DATE -v seconds=126 -f tools/csv.awk -f tools/row.awk \
#     -f tools/words.awk -f tools/summary.awk LAB.csv...
# Rows dated before `since` are another run's. A lab has a line for each set of its parameters, of
# the greatest size that a GPU ran, or else a CPU.

!record || csv("date") < since {
    next
}
{
    count[csv("status")]++
    rows++
    checked += csv("kind") == "emulated" && csv("status") ~ /ok|wrong/
}
ARGC > 2 && csv("status") ~ /wrong|failed/ { # of one lab its table has just told
    print csv("status") ": " csv("lab") " " what() " " size() ": " csv("note")
}
csv("status") == "ok" && csv("time_s") + 0 > 0 && csv("role") != "yardstick" {
    take_row(csv("lab"), conditions())
}

function plural(n) {
    return n == 1 ? "" : "s"
}

function what() {
    return csv("variant") (block() == "" ? "" : " " block())
}

# A line is a lab and its parameters. Rows of one line, kind and size compete.
function take_row(lab, parameters,    line, kind, work, i) {
    gsub(/;?(cpu_threads|transfer)=[^;]*/, "", parameters)
    line = lab " " parameters
    if (!(line in known)) {
        known[line]
        lab_of[++n_lines] = lab
        parameters_of[n_lines] = parameters
        count_words(lab, parameters)
    }
    kind = line SUBSEP csv("kind")
    work = csv("width") * csv("height") * (csv("depth") + 0 > 0 ? csv("depth") : 1)
    if (work > most[kind]) {
        most[kind] = work
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

function print_line(lab, parameters,    line, kind, row, vendor, words) {
    line = lab " " parameters
    kind = line SUBSEP ((line, "gpu") in greatest ? "gpu" : "cpu")
    if (!(kind in greatest))
        return
    row = best[kind, greatest[kind]]
    vendor = best[line, "vendor", greatest[kind]]
    words = differing(lab, parameters)
    printf "  %-32s %-14s %-24s %10s%s%s\n", lab (words == "" ? "" : " " words), greatest[kind],
        name[row], duration(time[row]), ties(row) ? " (and " ties(row) " within noise)" : "",
        vendor ? "   " name[vendor] ": " duration(time[vendor]) : ""
}

END {
    if (n_lines)
        printf "  %-32s %-14s %-24s %10s   %s\n", "fastest in", "size", "variant, block", "time",
            "library"
    for (i = 1; i <= n_lines; i++)
        print_line(lab_of[i], parameters_of[i])
    printf "%d row%s in %d min %02d s: %d ok, %d wrong, %d failed, %d skipped\n", rows, plural(rows),
        seconds / 60, seconds % 60, count["ok"], count["wrong"], count["failed"], count["skipped"]
    if (checked)
        printf "No GPU here: kernels were checked on the CPU in %d row%s, without a time.\n%s\n",
            checked, plural(checked), "Figures and report show the recorded NVIDIA H200's beside this CPU."
}
