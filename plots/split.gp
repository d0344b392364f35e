# split.gp - the shares of a run's time, from file to file, that its steps take; beside each bar the
# time and the limit that all but the kernel set to any kernel's speedup. Source: the table `split`.
load "style.gp"
load "tables.gp"
load "bars.gp"
steps = "read copy_in kernel copy_out write"
step_ink(i) = PALETTE[(i == 3 ? 1 : i == 1 ? 7 : i == 2 ? 5 : i == 4 ? 2 : 3)]
x_title = "share of the total time / %"
dummy = panel("")
P_LAST[1] = 100
name(i) = word(steps, i) . "_ms"
has_step(i) = strlen(strcol(name(i))) > 0
share(i) = i == 0 ? 0 : share(i - 1) + (has_step(i) ? column(name(i)) * 100 / column("total_ms") \
    : 0)
words_beside(x) = digits3(column("total_ms")) . " ms" \
    . (strlen(strcol("limit")) ? ", limit " . digits3(column("limit")) . "×" : "") \
    . "; " . shortened(strcol("variant"), 20)
# Bars on one line, the longest first: the next covers all but its end.
part(i) = has_step(i) ? bar(1, n_rows, "part", share(i), i == 5 ? words_beside(0) : "", \
    step_ink(i)) : 0
rest_of(i) = i == 0 ? 1 : (i < 5 ? atop(0) : 0, part(i), rest_of(i - 1))
stats table using (row(short(strcol("lab")) . ", " . crossed(strcol("size"))), rest_of(5)) nooutput
do for [i = 1 : 5] { dummy = entry("full", word("read 'copy in' kernel 'copy out' write", i), \
    step_ink(i)) }
load "draw_bars.gp"
