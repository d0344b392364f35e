# tables.awk - rows of analyse's tables to bars.
#
#   awk -v figure=split -v folder=DIR -f text.awk -f layout.awk -f tables.awk ROWS
#
#   figure    `split`         the steps' shares of a program's time. Rows: lab, size, variant, total_ms,
#                             limit, read_ms, copy_in_ms, kernel_ms, copy_out_ms, write_ms
#             `profile`       the profiler's counters. Rows: lab, variant, occupancy_percent,
#                             achieved_percent, compulsory_mb, dram_mb, issue_percent
#             `compare`       time of each variant of the lab whose name begins with `lab`, on several
#                             machines. Rows: lab, variant, size, block, a column each machine; the
#                             first row holds the names
#             `compare_best`  the same of all labs, without further types of pixel: the CPU, and the
#                             fastest of the other variants, at the size that most machines have
#
# Out: the files of layout.awk, and on stdout two texts for the lines of the heading, separated by a tab.
# Exit status 1: no bars.

BEGIN {
    MOST_ROWS = 40
    MOST_LINES = 80
    MOST_MACHINES = 10
    SPLIT = "steps of one run; its time, the limit to any kernel's speedup, and the kernel"
    last_tick[SPLIT] = last_tick["occupancy / %"] = last_tick["issue utilisation / %"] = 100
    n_steps = split("read,copy in,kernel,copy out,write", step, ",")
    split("spare3,spare5,spare1,spare6,spare4", step_colour, ",")
    for (i = 1; i <= MOST_MACHINES; i++)
        rank["spare" i] = i # the spare colours of style.gp
}

# Whether a row of so many lines has room; counts those that have not.
function has_room(row, count)
{
    if (row in row_number)
        return 1
    if (n_rows < MOST_ROWS && n_lines + count <= MOST_LINES) {
        n_lines += count
        return 1
    }
    if (!(row in left_out)) {
        left_out[row] = 1
        n_left_out++
    }
    return 0
}

# ---- split ---------------------------------------------------------------------------------------

# Bars of one line, the longest first: the next covers all but its end. A step that was not measured
# takes no part.
function split_row(    i, sum, row, words)
{
    row = $1 SUBSEP $2 SUBSEP $3
    if (!positive($4) || !has_room(row, 1))
        return
    row_text[row] = shortened(shortened($1, 12) ", " crossed($2), 22)
    words = digits3($4) " ms" (positive($5) ? ", limit " digits3($5) times : "") "; " shortened($3, 20)
    for (i = 1; i <= n_steps; i++)
        sum += positive($(i + 5)) ? $(i + 5) * 100 / $4 : 0
    for (i = n_steps; i >= 1; i--)
        if (positive($(i + 5))) {
            atop(SPLIT, row, "part", sum, words, step_colour[i])
            words = ""
            sum -= $(i + 5) * 100 / $4
        }
}

# ---- profile -------------------------------------------------------------------------------------

function percent(value)
{
    return sprintf(value >= 9.95 ? "%.0f" : "%.1f", value)
}

# Achieved occupancy is the dark part of the bar of the possible one.
function profile_row(    row, possible, achieved)
{
    row = $1 SUBSEP $2
    if (!has_room(row, 1))
        return
    row_text[row] = shortened($1, 12) " " shortened($2, 20)
    if (!($2 in rank))
        rank[$2] = ++n_variants
    possible = positive($3) ? $3 + 0 : 0
    achieved = positive($4) ? $4 + 0 : 0
    if (possible && achieved <= possible) {
        bar("occupancy / %", row, "light", possible,
            (achieved ? percent(achieved) " of " : "") percent(possible), $2, achieved)
        legend("light", "possible occupancy")
    } else if (achieved)
        bar("occupancy / %", row, "full", achieved,
            percent(achieved) (possible ? " of " percent(possible) : ""), $2)
    if (achieved)
        legend("full", "achieved occupancy; other counters")
    if (positive($5) && positive($6))
        bar("DRAM / compulsory", row, "full", $6 / $5, digits3($6 / $5) times, $2)
    if (positive($7))
        bar("issue utilisation / %", row, "full", $7 + 0, percent($7), $2)
}

# ---- compare -------------------------------------------------------------------------------------

function compare_header(    i)
{
    n_machines = NF - 4 < MOST_MACHINES ? NF - 4 : MOST_MACHINES
    machines_left_out = NF - 4 - n_machines
    for (i = 1; i <= n_machines; i++)
        machine[i] = $(i + 4)
    if (n_machines > 4) {
        LINE = 16
        BAR = 12
    }
}

# Keeps the shortest time of each machine by what stands in one row of the figure.
function compare_row(    i, name)
{
    # Of a further type of pixel, `lab5_f32`, the rows name the type.
    name = figure == "compare" ? $2 substr($1, length(lab) + 1) : \
        shortened($1, 12) ($2 == "cpu" ? " CPU" : " GPU")
    if (!((name, $3) in known)) {
        known[name, $3] = 1
        compared[++n_compared] = name
        size[n_compared] = $3
        several_sizes += n_compared > 1 && $3 != size[1]
    }
    for (i = 1; i <= n_machines; i++)
        if (positive($(i + 4)) && (!((name, $3, i) in least) || $(i + 4) + 0 < least[name, $3, i]))
            least[name, $3, i] = $(i + 4) + 0
}

# The shape of a machine's dots, by its number in style.gp. There are eight colours and as many shapes;
# machines after the eighth have a shape of another colour.
function shape(i)
{
    return i <= 8 ? i : (i + 2) % 8 + 1
}

# How many machines have a time in a row.
function machines_of(row,    i, n)
{
    for (i = 1; i <= n_machines; i++)
        n += (row, i) in least
    return n + 0
}

# Whether another size of the same name has more machines, or as many and comes later.
function has_better(k,    other, more)
{
    for (other = 1; other <= n_compared; other++) {
        more = machines_of(compared[other] SUBSEP size[other]) - machines_of(compared[k] SUBSEP size[k])
        if (compared[other] == compared[k] && (more > 0 || (more == 0 && other > k)))
            return 1
    }
    return 0
}

# A dot for each machine that has a time.
function compare_draw(    k, i, n, row)
{
    for (k = 1; k <= n_compared; k++) {
        row = compared[k] SUBSEP size[k]
        n = machines_of(row)
        if (!n || (figure == "compare_best" && has_better(k)) || !has_room(row, n))
            continue
        row_text[row] = shortened(compared[k], 24) \
            (several_sizes || figure == "compare_best" ? ", " crossed(size[k]) : "")
        for (i = 1; i <= n_machines; i++)
            if ((row, i) in least) {
                bar("time", row, shape(i), least[row, i], digits3(least[row, i]) " ms", "spare" i)
                drawn[i] = 1
            }
    }
    for (i = 1; i <= n_machines; i++)
        if (i in drawn)
            legend(shape(i), shortened(machine[i], 30), "spare" i)
}

# --------------------------------------------------------------------------------------------------

figure == "split" { split_row() }
figure == "profile" { profile_row() }
figure ~ /^compare/ && NR == 1 { compare_header(); next }
figure == "compare" && ($1 == lab || index($1, lab "_") == 1) { compare_row() }
figure == "compare_best" && $1 !~ /_/ && ($2 == "cpu" || $2 !~ /^cpu_/) { compare_row() }

END {
    compare_draw()
    if (!b)
        exit 1
    for (i = 1; figure == "split" && i <= n_steps; i++)
        legend("full", step[i], step_colour[i])
    write_layout()
    print figure == "compare" ? lab_title(lab) ": time" (several_sizes ? "" : ", " crossed(size[1])) : "", \
        (n_left_out ? "; rows not drawn: " n_left_out : "") \
        (machines_left_out > 0 ? "; machines not drawn: " machines_left_out : "")
}
