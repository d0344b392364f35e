# summary.awk - what a run measured, in a few lines: how many rows are right, what is wrong, and
# each lab's best variant beside the best of the vendor's libraries.
#   awk -v since=DATE -v seconds=126 -f tools/csv.awk -f tools/summary.awk LAB.csv...
# Rows dated before `since` are another run's. A lab has a line for each set of its parameters, of
# the greatest size that a GPU ran, or else a CPU.

function read_rows(file,    rows) {
    split("", cell)
    rows = csv_read(file, cell)
    for (r = 1; r <= rows; r++)
        if (cell[0, "date"] == "" || value("date") >= since)
            take_row()
}

function value(name) {
    return cell[r, name]
}

function take_row(    key) {
    count[value("status")]++
    emulated += value("kind") == "emulated"
    if (value("status") == "wrong" || value("status") == "failed")
        print value("status") ": " value("lab") " " what() " " size() ": " value("note")
    if (value("status") != "ok" || !(value("time_s") > 0) || value("role") ~ /yardstick|empty/)
        return
    key = value("parameters")
    gsub(/;?(cpu_threads|transfer)=[^;]*/, "", key)
    key = value("lab") " " key
    if (!(key in rows_of))
        keys[++n_keys] = key
    good[++n_good] = what()
    kind[n_good] = value("kind")
    time[n_good] = value("time_s")
    lower[n_good] = value("time_q1_s")
    upper[n_good] = value("time_q3_s")
    work[n_good] = value("width") * value("height") * (value("depth") > 0 ? value("depth") : 1)
    sizes[n_good] = size()
    rows_of[key] = rows_of[key] " " n_good
}

function what() {
    return value("variant") \
        (value("block_x") == "" ? "" : " " value("block_x") "x" value("block_y"))
}

function size() {
    if (value("depth") == value("width") && value("height") == value("width"))
        return value("width")
    return value("width") (value("height") > 1 ? "x" value("height") : "") \
        (value("depth") > 1 ? "x" value("depth") : "")
}

# Of the rows numbered in `list` the fastest of a kind, of that much work, or the most there is.
function fastest(list, a_kind, at_least,    n, i, row, best) {
    n = split(list, row, " ")
    for (i = 1; i <= n; i++)
        if (kind[row[i]] == a_kind && work[row[i]] >= at_least &&
            (!best || work[row[i]] > work[best] ||
             work[row[i]] == work[best] && time[row[i]] < time[best]))
            best = row[i]
    return best
}

# How many others' middle halves of samples reach into the best one's.
function ties(list, best,    n, i, row, found) {
    n = split(list, row, " ")
    for (i = 1; i <= n; i++)
        found += row[i] != best && kind[row[i]] == kind[best] && work[row[i]] == work[best] &&
            lower[row[i]] <= upper[best]
    return found + 0
}

# The words of a lab's parameters that not all its lines have.
function differing(key,    n, i, k, word, text, others) {
    n = split(substr(key, index(key, " ") + 1), word, ";")
    for (i = 1; i <= n; i++)
        for (k = 1; k <= n_keys; k++)
            if (index(keys[k], substr(key, 1, index(key, " "))) == 1 &&
                index(keys[k] ";", word[i] ";") == 0) {
                text = text " " word[i]
                break
            }
    return text
}

function duration(s) {
    if (s < 1e-3)
        return sprintf("%.4g us", 1e6 * s)
    return s < 1 ? sprintf("%.4g ms", 1e3 * s) : sprintf("%.4g s", s)
}

function print_line(key,    list, best, vendor, line) {
    list = rows_of[key]
    best = fastest(list, "gpu", 0)
    if (!best)
        best = fastest(list, "cpu", 0)
    if (!best)
        return
    vendor = fastest(list, "vendor", work[best])
    line = sprintf("  %-32s %-14s %-24s %10s", substr(key, 1, index(key, " ") - 1) differing(key),
        sizes[best], good[best], duration(time[best]))
    if (ties(list, best))
        line = line sprintf(" (and %d within noise)", ties(list, best))
    if (vendor)
        line = line sprintf("   %s: %s", good[vendor], duration(time[vendor]))
    print line
}

BEGIN {
    for (i = 1; i < ARGC; i++)
        read_rows(ARGV[i])
    for (i = 1; i <= n_keys; i++)
        print_line(keys[i])
    for (status in count)
        total += count[status]
    printf "%d rows in %d min %02d s: %d ok, %d wrong, %d failed, %d skipped\n", total,
        seconds / 60, seconds % 60, count["ok"], count["wrong"], count["failed"], count["skipped"]
    if (emulated)
        printf "No GPU here: %d of them are kernels checked on the CPU, without a time.\n%s\n",
            emulated, "Figures and report show the recorded NVIDIA H200's beside this CPU."
}
