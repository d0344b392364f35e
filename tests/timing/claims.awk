# claims.awk - compares the rows of timing.sh's files (csv.awk); -v l2=BYTES. Writes points.csv:
#
#   claim, time_s, bytes   what is compared, a run's time and the bytes that it moves
#   value, least, most     and what came of it, with its limits, which may be empty
#
# and claims.csv, a line for each claim: how many points, the values' range, and the verdict. Exit
# status 1 if a row is not ok.

BEGIN {
    l2 += 0
    claims = split("same_short same busy profiler_short profiler writing unwritten single asleep " \
                   "forked hot_in hot_out in_out end_to_end", order, " ")
    say["same_short"] = "one kernel as two variants, under 20 us: difference / %"
    say["same"] = "the same, 20 us or more / %"
    say["busy"] = "on a busy host / %"
    say["profiler_short"] = "beside the profiler, under 20 us / us"
    say["profiler"] = "the same, 20 us or more / %"
    say["writing"] = "beside the profiler, a fifth written / us"
    say["unwritten"] = "of which it saw unwritten / MB"
    say["single"] = "launched singly, not in batches / us"
    say["asleep"] = "asleep: time beyond the sleep / us"
    say["forked"] = "the same on another stream, joined / us"
    say["hot_in"] = "cold over hot time, half of L2 or less"
    say["hot_out"] = "cold over hot time, four times L2 or more"
    say["in_out"] = "copies in over out, 64 to 1 in bytes"
    say["end_to_end"] = "end to end over copies and kernel"
    print "claim,time_s,bytes,value,least,most" >"points.csv"
}
FNR == 1 {
    file = FILENAME
    sub(/\.csv$/, "", file)
}
record == 0 {
    next
}
file == "profiler" {
    key = csv("file") SUBSEP csv("width")
    run[key, ++runs[key]] = csv("time_s") + 0
    written[key] = csv("dram_write_bytes") + 0
    next
}
csv("status") != "ok" || csv("time_s") == "" {
    print "a row of " FILENAME " is " csv("status") ": " csv("note") >"/dev/stderr"
    failed = 1
    next
}
{
    t = csv("time_s") + 0
    n = csv("width") + 0
    moved = csv("bytes") + 0
}
file == "asleep" {
    us = csv("parameters")
    sub(/.*sleep=/, "", us)
    us /= 1000
    point(csv("variant") == "sleep" ? "asleep" : "forked", 1e6 * t - us, 0, 5)
    if (csv("variant") == "sleep") {
        slept[++sleeps] = us
        asleep[sleeps] = t
    }
}
file == "pinned" {
    point("in_out", csv("copy_in_s") / csv("copy_out_s"), 54, 74)
    point("end_to_end", csv("end_to_end_s") / (csv("copy_in_s") + t + csv("copy_out_s")), 0.9, 1.1)
}
{
    name = csv("variant") == "second" ? "second" : file
    sizes += !((name, n) in time)
    time[name, n] = t
    bytes[name, n] = moved
    size[sizes] = n
    of[sizes] = name
}
END {
    for (i = 1; i <= sizes; i++) {
        n = size[i]
        t = time[of[i], n]
        moved = bytes[of[i], n]
        if (of[i] == "quiet")
            compare()
        else if (of[i] == "writing")
            compare_writing()
    }
    moved = 0
    for (i = 1; i <= sleeps; i++) {
        t = asleep[i]
        beside_profiler(slept[i] SUBSEP 1024)
    }
    print "claim,points,from,to,least,most,verdict" >"claims.csv"
    for (i = 1; i <= claims; i++)
        verdict(order[i])
    exit failed
}

# A size's quiet time beside the others.
function compare()
{
    if (t < 20e-6)
        point("same_short", percent(time["second", n], t), -3, 3)
    else
        point("same", percent(time["second", n], t), -1, 1)
    point("busy", percent(time["busy", n], t), -2, 2)
    beside_profiler("quiet" SUBSEP n)
    point("single", 1e6 * (time["single", n] - t), "", "")
    if (moved <= l2 / 2 && moved >= l2 / 4)
        point("hot_in", t / time["hot", n], 1.2, "")
    else if (moved >= 4 * l2)
        point("hot_out", t / time["hot", n], 0.97, 1.03)
    else
        point("hot", t / time["hot", n], "", "")
}

# What a kernel wrote and left in L2 is written back in its successors' time.
function compare_writing(   key)
{
    key = "writing" SUBSEP n
    if (!(key in runs))
        return
    point("writing", 1e6 * (t - median(key)), "", "")
    point("unwritten", 1e-6 * (4 * n - written[key]), "", "")
}

# To a kernel the profiler adds about as much as a launch in a batch takes, or a little more.
function beside_profiler(key)
{
    if (!(key in runs))
        return
    if (t < 20e-6)
        point("profiler_short", 1e6 * (t - median(key)), -1.5, 1.5)
    else
        point("profiler", percent(t, median(key)), -3, 3)
}

function percent(a, b)
{
    return 100 * (a / b - 1)
}

function median(key,   i, k, swap)
{
    for (i = 2; i <= runs[key]; i++)
        for (k = i; k > 1 && run[key, k] < run[key, k - 1]; k--) {
            swap = run[key, k]
            run[key, k] = run[key, k - 1]
            run[key, k - 1] = swap
        }
    return run[key, int((runs[key] + 1) / 2)]
}

# Gives a claim's point: a value, and the least and the most that it may be.
function point(claim, value, least, most)
{
    print claim "," t "," moved "," value "," least "," most >"points.csv"
    if (!points[claim]++ || value < from[claim])
        from[claim] = value
    if (points[claim] == 1 || value > to[claim])
        to[claim] = value
    low[claim] = least
    high[claim] = most
    if ((least != "" && value < least) || (most != "" && value > most))
        missed[claim]++
}

function verdict(claim,   word)
{
    word = low[claim] high[claim] == "" ? "" : "kept"
    if (!points[claim])
        word = "missed: not measured"
    else if (missed[claim])
        word = "missed at " missed[claim]
    printf "\"%s\",%d,%.3g,%.3g,%s,%s,%s\n", say[claim], points[claim], from[claim], to[claim],
        low[claim], high[claim], word >"claims.csv"
}
