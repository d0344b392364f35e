# latency.gp - the time of a load that depends on the one before, against the bytes that the loads
# go over: a step where they outgrow a cache, of which points tell only between which two it is.
# Dotted: the size of the L2 cache, where it is known, and the largest set that takes no longer than
# the least.
machines = gpu_words # no CPU program
stats table using (l1 = column("l1_bytes"), \
    l2 = strlen(strcol("l2_bytes")) ? column("l2_bytes") : 0) nooutput
stats table using (column("set_bytes")):(column("load_ns")) name "s" nooutput
load "canvas.gp"
eval heading
set xlabel said("working set / bytes")
set ylabel said("time of a load / ns")
set logscale x 2
set xrange [s_min_x / 1.5 : greater(s_max_x, l2) * 1.5]
set yrange [0 : s_max_y * 1.12]
set xtics ("4 Ki" 2**12, "16 Ki" 2**14, "64 Ki" 2**16, "256 Ki" 2**18, "1 Mi" 2**20, \
    "4 Mi" 2**22, "16 Mi" 2**24, "64 Mi" 2**26, "256 Mi" 2**28, "1 Gi" 2**30, "4 Gi" 2**32)
do for [k = 1 : 2] {
    end = k == 1 ? l1 : l2
    if (end > 0) {
        set arrow k from end, graph 0 to end, graph 1 nohead linewidth 1 dashtype (4, 5) \
            linecolor rgb grey
        set label said(k == 1 ? "L1 cache, by these times" : "L2 cache") at end, graph 0.6 left \
            offset 0.6,0 font small_font
    }
}
plot table using (column("set_bytes")):(column("load_ns")) with points \
    linecolor rgb ink(1) pointsize 0.9 pointtype shape(1) notitle, \
    table using (column("set_bytes")):(column("load_ns")):(digits3(column("load_ns"))) with labels \
    offset 0,0.9 font small_font notitle
