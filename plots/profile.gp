# profile.gp - the profiler's counters beside theory: possible and achieved occupancy, DRAM bytes
# over those that the task needs, issue utilisation. Source: the table `profile`.
load "style.gp"
machines = gpu_words
load "tables.gp"
load "bars.gp"
dummy = panel("occupancy / %") + panel("DRAM / compulsory bytes") + panel("issue utilisation / %")
P_LAST[1] = 100
P_LAST[3] = 100
last_lab = ""
number(name) = strlen(strcol(name)) ? column(name) : 0
next(name, v) = (last_lab = strcol("lab"), row(short(strcol("lab")) . " " . shortened(name, 22)), \
    tint = lab_ink(strcol("lab"), name), 1)
occupancy(possible, achieved) = possible > 0 && achieved <= possible \
    ? bar(1, n_rows, "light", possible, (achieved > 0 ? percent(achieved) . " of " : "") \
        . percent(possible), tint) + inner(achieved) + entry("light", "possible occupancy", grey) \
    : achieved > 0 ? bar(1, n_rows, "full", achieved, percent(achieved), tint) : 0
ratio(dram, compulsory) = dram > 0 && compulsory > 0 \
    ? bar(2, n_rows, "full", dram / compulsory, digits3(dram / compulsory) . "×", tint) : 0
issue(value) = value > 0 ? bar(3, n_rows, "full", value, percent(value), tint) : 0
stats table using (next(strcol("variant"), 0) \
    + occupancy(number("occupancy_percent"), number("achieved_percent")) \
    + ratio(number("dram_mb"), number("compulsory_mb")) + issue(number("issue_percent"))) nooutput
dummy = entry("full", "achieved occupancy; other counters", grey)
load "draw_bars.gp"
