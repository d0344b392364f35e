# compare.gp - times on several machines, from the table `compare`, which has a column for each.
# Without `lab` the CPU and the fastest kernel of each lab, else each of the lab's variants.
one_lab = lab
load "style.gp"
machines = ""
header = line_of(table, 1)
# The fields of a line of CSV without quotes; a machine's name is a folder's, and holds no comma.
after(text, at) = at == 0 ? "" : text[at + 1:*]
before(text, at) = at == 0 ? text : text[1:at - 1]
array FIELD[30]
n_fields = 0
while (strlen(header) && n_fields < 14) {
    n_fields = n_fields + 1
    FIELD[n_fields] = before(header, strstrt(header, ","))
    header = after(header, strstrt(header, ","))
}
n_machines = n_fields - 4

# What the lab's variants are, the rows of the first two machines tell.
folder(m) = m > n_machines ? "" : is_file(results . "/" . FIELD[m + 4] . "/" . first_lab . ".csv") \
    ? results . "/" . FIELD[m + 4] : reference . "/" . FIELD[m + 4]
first_lab = before(line_of(table, 2), strstrt(line_of(table, 2), ","))
own = folder(1)
gpu = folder(2)
load "tables.gp"
load "bars.gp"
is_log = 1
x_title = "time / ms"
dummy = panel("")
SHAPES = "dot square ring frame 9 13 11 8 3 2"
style_of(m) = word(SHAPES, (m - 1) % 10 + 1)
ms_of(m) = strlen(strcol(FIELD[m + 4])) ? column(FIELD[m + 4]) : NaN
dots(m) = m == 0 ? 1 : (dots(m - 1), ms_of(m) > 0 ? bar(1, n_rows, style_of(m), ms_of(m), \
    digits3(ms_of(m)) . " ms", ink(m)) + entry(style_of(m), FIELD[m + 4], ink(m)) : 0, 1)

# The rows of one lab are its variants. Of the whole: of each lab the serial program, its first on
# the CPU, and of the kernels the first of those that most machines have, of equals the fastest.
is_cpu_row(x) = (v = variant_of(strcol("lab") . "/" . strcol("variant"), 1), \
    v == 0 ? strcol("variant") eq "cpu" : V_IS_CPU[v])
array CPU_OF[n_labs]
array BEST_OF[n_labs]
array COUNT_OF[n_labs]
array TIME_OF[n_labs]
do for [p = 1 : n_labs] { CPU_OF[p] = ""; BEST_OF[p] = ""; COUNT_OF[p] = 0; TIME_OF[p] = 0 }
count(m) = m == 0 ? 0 : count(m - 1) + (ms_of(m) > 0)
total_time(m) = m == 0 ? 0 : total_time(m - 1) + (ms_of(m) > 0 ? ms_of(m) : 0)
is_better(p) = count(n_machines) > COUNT_OF[p] \
    || (count(n_machines) == COUNT_OF[p] && total_time(n_machines) < TIME_OF[p])
consider(p) = is_cpu_row(0) ? (CPU_OF[p] = CPU_OF[p] eq "" ? strcol("variant") : CPU_OF[p], 1) \
    : is_better(p) && !(v > 0 ? V_IS_YARDSTICK[greater(v, 1)] : 0) \
        ? (BEST_OF[p] = strcol("variant"), COUNT_OF[p] = count(n_machines), \
        TIME_OF[p] = total_time(n_machines), 1) : 0
if (one_lab eq "") { stats table using (consider(lab_of(strcol("lab"), 1))) nooutput }
is_row(name) = strcol("variant") eq name
lab_words(kind) = short(strcol("lab")) . kind . ", " . crossed(strcol("size"))
draw(p) = one_lab ne "" ? (strcol("lab") eq one_lab \
        ? (row(strcol("variant") . ", " . crossed(strcol("size"))), dots(n_machines)) : 0) \
    : is_row(CPU_OF[p]) ? (row(lab_words(" CPU")), dots(n_machines)) \
    : is_row(BEST_OF[p]) ? (row(lab_words(" GPU")), dots(n_machines)) : 0
stats table using (draw(lab_of(strcol("lab"), 1))) nooutput
reason = "no row has a time"
load "draw_bars.gp"
