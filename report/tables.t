#!/bin/sh
# tables.t - what rows give which numbers: small results by hand, in made_up/. What a machine's rows
# prove is said here; golden/tables.txt has the answers, which were worked out by hand, too.
. tests/tap.sh

command -v sqlite3 >/dev/null || skip_all 'no sqlite3'

rows=report/made_up
analyse() {
    sh report/analyse.sh --results "$rows" --labs "$rows/labs.csv" --out "$folder/out" "$@"
}

# show TABLE: to four digits; what is nearly zero, as residuals are, is zero.
show() {
    printf '\n%s: %s\n' "$name" "$1"
    sed 's/[-0-9.]*e-[0-9]*/0/g; s/-0\.0/0/g' "$folder/out/tables/$1.csv" >"$folder/to_show.csv"
    awk -f tools/csv.awk -f report/markdown.awk -f tools/show.awk "$folder/to_show.csv"
}

# tells MACHINE TABLE... - FACT...: that the machine's rows are analysed; these tables and facts of
# them go into the golden text. A fact that is not there is not shown.
tells() {
    name=$1
    ok "the machine $name is analysed" analyse "$name"
    shift
    while [ "$1" != - ]; do
        show "$1"
        shift
    done >>"$folder/shown"
    shift
    for fact; do
        grep "^$fact," "$folder/out/facts.csv"
    done >>"$folder/shown"
}

# Rows that are wrong, skipped or failed give no number, nor does a time that is none; a yardstick
# is never the fastest; emulated rows that are right count as passed. Problems name the first row
# and why, the worst first, and the files that are not there.
tells checks lab2_variants status problems - lab2.fastest_variant rows_ok

# Columns are found by name; a file may have few, and an empty one is none.
tells names lab1_variants -

# Of several conditions the commonest are shown, the CPU with the same work, a variant without them
# with its own; but the fastest is one of those that do the lab's work.
tells conditions lab3_variants - lab3.fastest_variant

# Of as many rows the cold ones, of those the first; of a row that is there twice the last. A
# block and a product have all their sides; the size is one that the recorded host measured, too.
tells ties lab3_variants lab1_variants - lab2.size
tells odd - lab2.size
# ... and that 2012 measured, too, where there is one.
tells beyond - lab2.size

# The lab's size has a kernel and a serial CPU. Blocks: the best, its gain 0.4 / 0.2 and speedup
# 8 / 0.2. The library takes half
# the time. From file to file: read + write = 2, copies = 0.75, so (2 + 8) / (2 + 0.75 + 0.2), at
# most (2 + 8) / 2.75. The roof is the lower of two: 524288 / 49152 FLOP/B = 10.67 is beyond the
# ridge, 5 / 10; work without operations has none. Rows that measure the machine are no lab's. What
# run.json does not know is empty, a line of which 2012 tells nothing either left out. Table 20's
# bytes are arguments and 16 more. A block of 32 x 32 takes 0.5 / 0.4 of the time of one of 16 x 16,
# the smallest as much of the best; `tile` is faster than the plain kernel with three quarters of its
# warps. There is one lab, which has the least and the greatest gain: 4 / 0.2 over all cores.
tells sizes split roofline variants baselines ceilings environment device resources_2012 \
    block_ratio - lab2.size lab2.naive_block lab2.naive_ms lab2.fastest_gain lab2.smallest_block_gain \
    lab2.large_block_most_gain lab2.large_block_least_size lab2.large_block_last_slower_percent \
    lab2.lean_variant lab2.lean_occupancy_percent least_cpu_best_gain most_cpu_best_gain_lab \
    most_serial_gain least_end_to_end_gain lab2.tile_block lab2.tile_occupancy_percent \
    lab2.fastest_speedup lab2.smallest_occupancy_percent lab2.vendor_variant lab2.vendor_gain

# Each rate at its best beside what 10 multiprocessors at 2 GHz can do: 10 x 2 x 128 x 2 = 5120 for
# fma, 2000 x 2 x 4096 / 8 MB/s for the copy, nothing that is known for the L2 cache. A load takes
# 1 / 0.05 ns, 40 clocks. Threads of the CPU are no lab's scaling.
tells ceilings lab0_rates lab0_latency figure_lab0_latency lab0_threads - lab0.l1_ns lab0.memory_ns \
    lab0.alone_us lab0.graph_us lab0.int32_of_fma_percent
not_there() {
    test ! -e "$folder/out/tables/$1.csv"
}
ok 'ceilings are no scaling' not_there scaling

# Amdahl's law: S(2) = 1.6, S(4) = 2.2857, that is P = 0.75 exactly; a work with fewer rows is
# passed over. Without a row of one thread a speedup is over the serial program; P is 1 at most.
# No P fits a lab that gains nothing from two threads and everything from four.
tells threads scaling amdahl -

# Powers: t = n^2 throughout; flat up to n = 8 and n^3 from there, two lines that meet where it
# bends; three points, which are too few; times up and down, which no line fits. The fitted times are the measured ones. Where it is flat
# one takes 1 s, less than two empty launches of 0.6 s in a graph, the other 2 s. Of the loads that
# can be issued, 10^9 a second, the one takes 400 in 512 s at the largest size, the other 600 in
# 1024.
tells growth exponents fit_points -

# Counters stand beside the row of their case, of all its sides; of a case without one they are left
# out, as are those that were not measured. Of loads that a kernel has not there are no conflicts
# each. In the figure the fullest unit is marked, the first of equals, unless all are empty.
tells profiled profile figure_profile -
# What bounds a kernel. The rates of the units: 100 GB/s (the highest), 10^10 words, 10^11 FP32
# instructions, as many issue slots, 5 10^10 INT32 instructions, 5 10^9 exponentials a second. By
# the model (lab 1) times are 1 s: the leading unit by name from 60 % on; of FP32 and issue slots,
# both 70 %, the one that comes first; nothing below 60 %, and where nothing is known. Where the
# profiler ran (lab 2) its shares count, in the case that it ran; below 60 % it is latency; what was
# skipped, has no shares but memory's, or is another work, is the model's. Memory's share is of what
# it moves in a copy: 40 GB in 0.5 s are 80 %, and name it beside an L2 that is up to a ninth busier,
# 85 %, but not 95 %. Ten multiprocessors hold
# 20480 threads (lab 3): 143 x 143 are fewer, but no fewer than 10240; a launch takes 1 us.
tells bounds diagnosis roofline ceilings limits - bound_by_transfers bound_by_units \
    bound_by_waiting diagnosed not_told lab1.fastest_float_percent lab1.fastest_dram_percent

# What the H200 was seen to do: lab 4's two loads a tap, lab 2's two loads a product and lab 5's 25
# loads take 0.664, 0.257 and 0.090 ms of 0.716, 0.253 and 0.163 where a multiprocessor loads 32
# words a clock, 132 of them at 1.98 GHz; lab 3 fills 89 % of the issue slots.
tells known diagnosis lab4_variants - lab4.fastest_integer_percent lab2.fastest_float_percent

# Of compute capability 8.0 a multiprocessor has half as many FP32 lanes as issue slots: 60 and
# (60 + 10) / 200. 60 % is enough to bound.
tells older diagnosis -

# Without a kernel of its own a machine has the recorded card's, and the past is 2012: tables mark
# machines, a speedup is of one machine, a time of 2012 stands beside this machine's CPU.
tells laptop lab2_variants lab2_cpu - lab2.past_cpu_gain lab2.cpu_here_ms
refuses 'an unknown machine: which there are' 2 'there are: .*laptop.*nvidia-h200' analyse nobody

# Several machines: each variant at the size that most were measured at.
name='conditions, laptop, sizes'
ok 'machines beside each other' analyse --compare conditions laptop sizes
is 'a card that stands in for a machine is none of them' \
    "$(sed -n 's/^multiprocessors//p' "$folder/out/tables/cards.csv")" ',,,10,,'
show compare >>"$folder/shown"
golden tables.txt "$folder/shown"

# A card that moves twice the bytes a second, and has more of integer units: the kernel that memory
# bounds takes half the time on it. Of 20 kernels one was profiled at another block; of the others
# memory bounds one on both cards, the L2 two, units inside the multiprocessors 11; the rest have
# none, wait, or are bound by another unit now. Lab 3 does other work now.
mkdir -p "$folder/cards" && cp -R $rows/bounds "$folder/cards/old" &&
    cp -R $rows/bounds "$folder/cards/new"
sed -i 's/ok,100,,/ok,200,,/; s/ok,,,100$/ok,,,110/' "$folder/cards/new/lab0_rates.csv"
sed -i '/^dram,/{s/,1,ok/,0.5,ok/; s/5e9/1e9/;}' "$folder/cards/new/lab1_vecadd.csv"
sed -i 's/n=1/n=2/' "$folder/cards/new/lab3_bilateral.csv"
ok 'a card and the one before it' sh report/analyse.sh --results "$folder/cards" \
    --labs $rows/labs.csv --out "$folder/out" --compare old new
is 'each kernel gains what its unit does' \
    "$(grep ',dram,\|,int32,\|,nothing,\|,stream,' "$folder/out/tables/gains.csv")" \
    'old,new,lab1_vecadd,dram,1048576,1000.0,500.0,2.0,DRAM,DRAM,2.0
old,new,lab1_vecadd,int32,1048576,1000.0,1000.0,1.0,INT32,INT32,1.1
old,new,lab1_vecadd,nothing,1048576,1000.0,1000.0,1.0,,,
old,new,lab2_matprod,stream,1024,1000.0,1000.0,1.0,DRAM,L2,'
is 'they are counted by it, libraries and yardsticks aside' "$(sed -n \
    's/^pair\.\(copy_ratio\|multiprocessors\|same_inside\|[a-z0-9]*_kernels\|kernels\|near_[a-z]*\),\([^/]*\),[^,]*$/\1 \2/p' \
    "$folder/out/facts.csv")" 'copy_ratio 2.0,3
multiprocessors 10,
dram_kernels 1,
inside_kernels 11,
l2_kernels 2,
other_kernels 5,
kernels 19,
near_lanes "lab2 few (1.00)",
near_memory "lab1 dram (2.00)",'

# What the profiler said of a unit that lab 0 kept busy; no kernel's profile has a line of it.
sed -n '1p; /,l2,/{s/lab2_matprod,l2,n=1,1024,1024,1024,16,16/lab0_rates,l2,measure=l2,64,1,,8,1/p
  s/,measure=l2,/,measure=none,/p;}' $rows/bounds/profile.csv >"$folder/cards/new/profile.csv"
sed 1d $rows/bounds/profile.csv >>"$folder/cards/new/profile.csv"
ok 'a profile with lab 0' sh report/analyse.sh --results "$folder/cards" --labs $rows/labs.csv \
    --out "$folder/out" new
is 'calibrates a share' "$(sed 1d "$folder/out/tables/calibration.csv")" \
    'l2,l2,64,8,L2,70.0,10.0,long_scoreboard,80.0'
is 'and is no other lab' "$(grep -c lab0 "$folder/out/tables/profile.csv")" 0

# Quartiles that are 50, 20 and 5 % of the median apart, and of two samples, which have none.
mkdir "$folder/cards/noisy"
printf '%s\n' variant,kind,role,parameters,width,height,trials,time_s,time_q1_s,time_q3_s,noise,status \
    cpu,cpu,serial,type=a,8,1,9,1,0.9,1.1,0.2,ok cpu,cpu,serial,type=a,16,1,9,2,1.5,2.5,,ok \
    cpu,cpu,serial,type=a,32,1,9,3,,,0.05,ok one,cpu,tuned,type=a,8,1,2,1,,,0.9,ok \
    two,cpu,tuned,type=a,8,1,3,1,,,0.1,ok >"$folder/cards/noisy/lab1_vecadd.csv"
ok 'rows that vary' sh report/analyse.sh --results "$folder/cards" --labs $rows/labs.csv \
    --out "$folder/out" noisy
is 'are named where they vary by more than a tenth' "$(sed 1d "$folder/out/tables/noisy.csv")" \
    'lab1_vecadd,cpu,2,3,16,"",,a,2000.0,50.0'

# A case that stands twice counts once, as the last row has it, and that is told.
mkdir -p "$folder/twice/names" && cp $rows/names/* "$folder/twice/names"
sed -n '2s/,2,/,3,/p' $rows/names/lab1_vecadd.csv >>"$folder/twice/names/lab1_vecadd.csv"
rows=$folder/twice
refuses 'a doubled row is told' 0 '^analyse.sh: lab1_vecadd.csv: 1 rows? of a case' \
    sh report/analyse.sh --results "$rows" --labs report/made_up/labs.csv --out "$folder/out" names
is 'the last one counts' \
    "$(column time_ms "$folder/out/tables/lab1_variants.csv" | head -n 1)" 3000.0

done_testing
