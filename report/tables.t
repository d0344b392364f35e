#!/bin/sh
# tables.t - what rows give which numbers: small results by hand, in made_up/. What a machine's rows
# prove is said here; golden/tables.txt has the answers, which were worked out by hand, too.
. tests/tap.sh

! why=$(lacks sqlite3) || skip_all "$why"

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

# Rows that are wrong, skipped or failed give no number, nor does a time that is none, a failure; a yardstick
# is never the fastest; emulated rows that are right count as passed. Problems name the first row
# and why, the worst first, and the files that are not there.
tells checks lab2_variants status problems - lab2.fastest_variant rows_ok

# What is held to a wider bound of error than the plain kernel, half as wide again, is not the fastest, nor the
# library; a bound is the same to a thousandth.
tells exact - lab2.fastest_variant lab2.vendor_variant

# Columns are found by name; a file may have few, and an empty one is none.
tells names lab1_variants -

# The commonest of several conditions are shown, the CPU with the same work, a variant without them
# with its own; but the fastest is one of those that do the lab's work.
tells conditions lab3_variants - lab3.fastest_variant

# The cold ones of as many rows, of those the first; the last of a row that is there twice. A
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
# run.json does not know is empty (of labs of one date the last one tells), a line of which 2012 tells nothing either left out. Table 20's
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
ok 'ceilings are no scaling' not_there amdahl

# Amdahl's law: S(2) = 1.6, S(4) = 2.2857, that is P = 0.75 exactly; a work with fewer rows is
# passed over. Without a row of one thread a speedup is over the serial program; P is 1 at most.
# No P fits a lab that gains nothing from two threads and everything from four.
tells threads amdahl -

# Powers: t = n^2 throughout; flat up to n = 8 and n^3 from there, two lines that meet where it
# bends; three points, which are too few; times up and down, which no line fits. The fitted times are the measured ones. Where it is flat
# one takes 1 s, less than two empty launches of 0.6 s in a graph, the other 2 s. Of the bytes that
# memory moves, 10^9 a second, the one takes 400 in 512 s at the largest size, the other 600 in 1024.
tells growth exponents fit_points -

# Counters stand beside the row of their case, of all its sides; of a case without one they are left
# out, as are those that were not measured. Of loads that a kernel has not there are no conflicts
# each. In the figure labs have the order of their numbers; the fullest unit is marked, the first of equals,
# unless all are empty.
tells profiled profile figure_profile -
# What bounds a kernel. Memory moves 100 GB/s (the highest); times of lab 1 are 1 s. By bytes: memory
# from 60 % on, nothing below, and where nothing is known. By the lens its model's unit, as the report calls it,
# where the time lies in the range of that very case, its ends included; nothing where the range is above or below;
# without an estimate, or with that of other work, by bytes. Where the
# profiler ran (lab 2) its shares count, in the case that it ran, whatever the lens says; below 60 % it is latency;
# what was skipped is the lens's, what has no shares but memory's, or is another work, by bytes. Memory's share is of what
# it moves in a copy: 40 GB in 0.5 s are 80 %, and name it beside an L2 that is up to a ninth busier,
# 85 %, but not 95 %. Ten multiprocessors hold
# 20480 threads (lab 3): 143 x 143 are fewer, but no fewer than 10240, which is latency unless the lens knows better;
# a launch takes 1 us. By its name a program is on tensor cores: it has no share of the FP32 units' roof.
tells bounds diagnosis roofline ceilings - bound_by_transfers bound_by_units \
    bound_by_waiting diagnosed not_told lab1.fastest_float_percent lab1.fastest_dram_percent

# Streams: times that are right, the largest tells; 4 s a frame are 1.6 of the slower copy's 2.5, and
# within a twentieth of both copies at once. The figure has the last size of a GPU's, the fifth frame
# in the first one's slot; steps that were emulated have an order, and no time.
tells streams figure_timeline lab5_variants transfers - lab5.stream_size lab5.stream_ms \
    lab5.stream_of_bus lab5.stream_per_s lab5.stream_kernel_percent lab5.stream_by_bus

# What the H200 was seen to do: lab 3 fills 89 % of the issue slots. Of what the lens expected: lab 2 lies in the
# range, so that L1 bounds it; lab 3 took 54 where 20 us were the most, lab 5 163 where 200 were the least, so that
# nothing does; of lab 4 it cannot tell; another block is another case.
tells known diagnosis expected lab4_variants - lab4.fastest_integer_percent lab2.fastest_float_percent

# 60 % is enough to bound. A multiprocessor of compute capability 8.0 has half as many FP32 lanes as issue slots, so
# 2 10^11 a second: in 35 % of them 7 10^10 instructions of lanes are issued in a second.
tells older diagnosis -
is 'instructions by the slots that they took' \
    "$(sqlite3 -readonly "$folder/out/results.db" 'select issued from examined')" 70000000000.0

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
# memory bounds one on both cards, the L2 two, units inside the multiprocessors three; the rest have
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
inside_kernels 3,
l2_kernels 2,
other_kernels 14,
kernels 20,
unknown_kernels 12,
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

# 20 10^9 operations in a tenth of a second are as much as the units can, in less they are more.
cp -R $rows/bounds "$folder/cards/over"
for time in 0.1 0.09 9e-5; do
    echo "over$time,gpu,,n=1,1024,1024,1024,8,8,$time,ok,2048,1,1e6,20e9,"
done >>"$folder/cards/over/lab2_matprod.csv"
ok 'more than the units can' sh report/analyse.sh --results "$folder/cards" \
    --labs $rows/labs.csv --out "$folder/out" over
is 'is no share of them' "$(column variant units_percent roof_percent "$folder/out/tables/roofline.csv" |
    grep '^over' | tr '\n' ' ')" 'over0.1,100.0,100.0 over0.09,, over9e-5,, '

is 'under the mouse a time has its unit' "$(sqlite3 -readonly "$folder/out/results.db" \
    "select about from told_of where about glob 'over*' order by about")" \
    'over0.09| 1024| 8×8\n{90} ms
over0.1| 1024| 8×8\n{100} ms
over9e-5| 1024| 8×8\n{90} µs'

# The copies of both ways at once take 3.7 s, 4 s a frame are more by more than a twentieth.
cp -R $rows/streams "$folder/cards/streams" && sed -i 's/,3\.9,/,3.7,/' "$folder/cards/streams/"*
ok 'a slower stream' sh report/analyse.sh --results "$folder/cards" --labs $rows/labs.csv \
    --out "$folder/out" streams
is 'is not as fast as the copies' "$(grep -o 'stream_of_bus\|stream_by_bus' "$folder/out/facts.csv")" \
    stream_of_bus

# A block starts in a nanosecond, of 32 threads as of 64; those of 128 start faster.
mkdir "$folder/cards/starts"
printf '%s\n' variant,kind,width,height,block_x,threads_per_block,blocks_per_sm,time_s,status \
    naive,gpu,1024,1,32,32,32,32e-9,ok naive,gpu,1024,1,64,64,16,16e-9,ok \
    naive,gpu,1024,1,128,128,8,6.6e-9,ok >"$folder/cards/starts/lab1_vecadd.csv"
ok 'how many blocks start' sh report/analyse.sh --results "$folder/cards" --labs $rows/labs.csv \
    --out "$folder/out" starts
is 'is told of those alike' "$(sed -n 's/^lab1.blocks_\([a-z_]*,[0-9.]*\).*/\1/p' \
    "$folder/out/facts.csv" | sort)" 'fewest,16
largest,64
most,32
per_ns,1.0'

# Ladders. Of lab 2 the size with the most kernels, not the largest, each at its best block; a step is
# over the fastest kernel before it, a share of the first library, or, in lab 4, of NPP, which is not
# the first. `move` does not do the work. cuBLAS's error is 2 of `fine`'s and a 20th of `tile`'s.
# What bounds them, on 10 multiprocessors at 1 GHz: 8 10^9 operations by 2 x 128 a clock, or on tensor
# cores 2 x 1024 and 2 x 2048; 900 exponentials by 16, or half as many; 57 x 41 positions of 64 taps;
# the bytes by lab 0's copy. `bytes` does other work, and moves half of them; `global_sum`, which is
# 2012's, was not measured at the ladder's size. The fastest is told of as small errors as the
# library's. Where the longest bar is 100 times the shortest, points stand for the ends.
mkdir "$folder/cards/ladder" && cp $rows/bounds/lab0_rates.csv "$folder/cards/ladder"
cat >"$folder/cards/ladder/run.json" <<'END'
{"lab0_rates": {"gpu": "A", "date": "2026-01-01T00:00:00Z", "multiprocessors": 10,
  "compute_capability": "9.0", "sm_clock_max_mhz": 1000}}
END
cat >"$folder/cards/ladder/lab2_matprod.csv" <<'END'
variant,kind,role,width,height,depth,block_x,block_y,time_s,status,flops,gflop_per_s,max_error
naive,gpu,,64,64,64,8,8,0.9,ok,8e9,8.9,4e-7
naive,gpu,,64,64,64,16,16,0.8,ok,8e9,10,4e-7
slow,gpu,,64,64,64,8,8,1.6,ok,8e9,5,4e-7
tile,gpu,,64,64,64,8,8,0.2,ok,8e9,40,8e-6
tile,gpu,,256,256,256,8,8,1.6,ok,64e9,40,8e-6
tile,gpu,,1,1,1,8,8,0.001,ok,2,0.1,1e-7
fine,gpu,,64,64,64,8,8,0.4,ok,8e9,20,2e-7
fine,gpu,,256,256,256,8,8,1.6,ok,64e9,40,2e-7
move,gpu,yardstick,64,64,64,8,8,0.01,ok,8e9,800,0
wrong,gpu,,64,64,64,8,8,0.01,wrong,8e9,800,0
cublas,vendor,,64,64,64,,,0.4,ok,8e9,20,4e-7
cublas,vendor,,256,256,256,,,3.2,ok,64e9,20,4e-7
quick,vendor,,64,64,64,,,0.1,ok,8e9,80,8e-6
END
cat >"$folder/cards/ladder/lab3_bilateral.csv" <<'END'
variant,kind,parameters,width,height,block_x,block_y,time_s,status,bytes
naive,gpu,radius=1,10,10,8,8,2,ok,2e9
next,gpu,radius=1,10,10,8,8,1,ok,2e9
bytes,gpu,radius=1;type=u8,10,10,8,8,0.5,ok,1e9
END
cat >"$folder/cards/ladder/lab4_template.csv" <<'END'
variant,kind,parameters,width,height,block_x,block_y,time_s,status,bytes,cache
naive,gpu,template=8x8;measure=ssd,64,48,8,8,0.9,ok,1e9,cold
naive,gpu,template=8x8;measure=ssd,64,48,16,16,0.8,ok,1e9,cold
integer_dp4a,gpu,template=8x8;measure=ssd,64,48,16,16,0.1,ok,1e9,cold
integer_dp4a,gpu,template=16x16;measure=ssd,64,48,16,16,0.2,ok,1e9,cold
integer_dp4a,gpu,template=16x16;measure=ssd,64,48,16,16,0.01,ok,1e9,hot
integer_dp4a,gpu,template=32x32;measure=ssd,64,48,16,16,0.4,ok,1e9,cold
integer_dp4a,gpu,template=32x32;measure=sad,64,48,16,16,0.01,ok,1e9,cold
integer_dp4a,gpu,template=32x16;measure=ssd,64,48,16,16,0.01,ok,1e9,cold
integer_dp4a,gpu,template=40x40;measure=ssd,64,48,16,16,0.5,ok,1e9,cold
integer_dp4a,gpu,template=8x8;measure=ssd,128,96,16,16,0.9,ok,1e9,cold
integer_dp4a,gpu,template=16x16;measure=ssd,128,96,16,16,0.9,ok,1e9,cold
integer_dp4a,gpu,template=32x32;measure=ssd,128,96,16,16,0.9,ok,1e9,cold
fft,vendor,template=8x8;measure=ssd,64,48,,,0.3,ok,1e9,cold
fft,vendor,template=16x16;measure=ssd,64,48,,,0.3,ok,1e9,cold
fft,vendor,template=32x32;measure=ssd,64,48,,,0.3,ok,1e9,cold
npp,vendor,template=8x8;measure=ssd,64,48,,,20,ok,1e9,cold
global_sum,gpu,template=8x8;measure=ssd,32,24,8,8,0.9,ok,1e9,cold
END
sed 's/^lab3_bilateral,.*/&\nlab4_template,template,a match,image/' $rows/labs.csv >"$folder/labs.csv"
ok 'ladders' sh report/analyse.sh --results "$folder/cards" --labs "$folder/labs.csv" \
    --out "$folder/out" ladder
# cells TABLE COLUMN...: a line a row.
cells() {
    table=$folder/out/tables/$1.csv
    shift
    column "$@" "$table" | sed 's/"//g'
}
is 'each rung gains over the fastest before it, beside the library' \
    "$(cells lab2_ladder size variant block time_ms step_gain peer_percent)" \
    '64,naive,16x16,800.0,,50.0
64,slow,8x8,1600.0,0.5,25.0
64,tile,8x8,200.0,4.0,200.0
64,fine,8x8,400.0,0.5,100.0
64,cublas,,400.0,,100.0
64,quick,,100.0,,400.0'
is 'NPP is what lab 4 is held against' "$(cells lab4_ladder variant peer_percent)" 'naive,2500.0
integer_dp4a,20000.0
fft,6666.66666666667
npp,100.0'
is 'what a ladder tells' "$(sed -n \
    's/^\(lab[24]\.\(ladder\|accurate\|fft_from\|template_p\)[^,]*,[^,]*\),.*/\1/p' \
    "$folder/out/facts.csv" | LC_ALL=C sort)" 'lab2.accurate_error_gain,2.0
lab2.accurate_gain,1.0
lab2.accurate_variant,fine
lab2.ladder_size,64
lab4.fft_from_integer_dp4a,32
lab4.ladder_size,64x48
lab4.template_picture,64x48'
is 'bars in their order, whose they are, and lines' "$(column lab chart what n y style ink value text \
    "$folder/out/tables/figure_bars.csv" | sed 's/"//g' |
    sed -n '/,ladder/{/lab2.*ladder_rate/p; /lab2/d; /,title,/d; p;}' | LC_ALL=C sort)" \
    'lab2_matprod,ladder_rate,bar,1,1.0,light,4,0.01,{0.01} TFLOP/s
lab2_matprod,ladder_rate,bar,1,2.5,full,2,0.005,{0.005} TFLOP/s
lab2_matprod,ladder_rate,bar,1,4.0,full,2,0.04,{0.04} TFLOP/s
lab2_matprod,ladder_rate,bar,1,5.5,full,2,0.02,{0.02} TFLOP/s
lab2_matprod,ladder_rate,bar,1,7.0,hatched,1,0.02,{0.02} TFLOP/s
lab2_matprod,ladder_rate,bar,1,8.5,hatched,1,0.08,{0.08} TFLOP/s
lab2_matprod,ladder_rate,key,,,full,2,,kernels of this suite
lab2_matprod,ladder_rate,key,,,hatched,1,,libraries
lab2_matprod,ladder_rate,key,,,light,4,,kernels of the sources
lab2_matprod,ladder_rate,line,0.02,,,1,,cublas: {0.02} TFLOP/s
lab2_matprod,ladder_rate,line,13.6533333333333,,,0,,FP16 tensor peak / 3: {13.6533333} TFLOP/s
lab2_matprod,ladder_rate,line,2.56,,,0,,FP32 units: {2.56} TFLOP/s
lab2_matprod,ladder_rate,line,20.48,,,0,,TF32 tensor peak: {20.48} TFLOP/s
lab2_matprod,ladder_rate,note,1,,,,,; fastest of its exactness: fine| {1} times cublas
lab2_matprod,ladder_rate,title,1,,,,,| 64
lab3_bilateral,ladder,bar,1,1.0,light,4,2000.0,{2000} ms
lab3_bilateral,ladder,bar,1,2.5,full,2,1000.0,{1000} ms
lab3_bilateral,ladder,bar,1,4.0,full,2,500.0,{500} ms| 1e+07 bytes a pixel
lab3_bilateral,ladder,key,,,full,2,,kernels of this suite
lab3_bilateral,ladder,key,,,light,4,,kernels of the sources
lab3_bilateral,ladder,line,2.8125e-06,,,0,,exponentials| one a pair: {2.8125e-06} ms
lab3_bilateral,ladder,line,20.0,,,0,,memory| 2e+07 bytes a pixel: {20} ms
lab3_bilateral,ladder,line,5.625e-06,,,0,,exponentials| one a tap: {5.625e-06} ms
lab3_bilateral,ladder,note,1,,,,,; fastest: next| {2} times naive
lab4_template,ladder,bar,1,1.0,dot,2,800.0,{800} ms
lab4_template,ladder,bar,1,2.5,dot,2,100.0,{100} ms
lab4_template,ladder,bar,1,4.0,square,1,300.0,{300} ms
lab4_template,ladder,bar,1,5.5,square,1,20000.0,{20000} ms
lab4_template,ladder,key,,,dot,2,,kernels of this suite
lab4_template,ladder,key,,,square,1,,libraries
lab4_template,ladder,line,0.0002337,,,0,,multiply-adds| INT32 units: {0.0002337} ms
lab4_template,ladder,line,0.0009348,,,0,,loads| two a tap: {0.0009348} ms
lab4_template,ladder,line,10.0,,,0,,memory| 3.26e+05 bytes a pixel: {10} ms
lab4_template,ladder,line,20000.0,,,1,,npp: {20000} ms
lab4_template,ladder,line,3.6515625e-06,,,0,,multiply-adds| int8 tensor peak: {3.6515625e-06} ms
lab4_template,ladder,note,1,,,,,; fastest: integer_dp4a| {200} times npp
lab4_template,ladder,note,2,,,,,; not at this size: global_sum'
like 'a rung of other work says so' "$(column row "$folder/out/tables/figure_bars.csv")" \
    'bytes \(type=u8\)'
is 'curves that reach the largest size, under tensor cores; times by template' \
    "$(column lab family name ink x time_s gflop_per_s "$folder/out/tables/figure_curves.csv" |
    grep 'leading\|,template,\|tensor')" \
    'lab2_matprod,ceiling,TF32 tensor peak: {20480} GFLOP/s,2,,,20480.0
lab2_matprod,ceiling,FP16 tensor peak / 3: {13653.3333} GFLOP/s,3,,,13653.3333333333
lab2_matprod,leading,tile,3,64,0.2,40.0
lab2_matprod,leading,tile,3,256,1.6,40.0
lab2_matprod,leading,fine,4,64,0.4,20.0
lab2_matprod,leading,fine,4,256,1.6,40.0
lab2_matprod,leading,cublas,7,64,0.4,20.0
lab2_matprod,leading,cublas,7,256,3.2,20.0
lab2_matprod,leading note,; fastest at 256: tile| {2} times cublas,,,,
lab4_template,template,integer_dp4a,2,8,0.1,
lab4_template,template,integer_dp4a,2,16,0.2,
lab4_template,template,integer_dp4a,2,32,0.4,
lab4_template,template,integer_dp4a,2,40,0.5,
lab4_template,template,fft,3,8,0.3,
lab4_template,template,fft,3,16,0.3,
lab4_template,template,fft,3,32,0.3,'
is 'speed and error, names apart' "$(column variant whose x y point_y label_y \
    "$folder/out/tables/figure_accuracy.csv" | sed 's/[0-9]\{12\},/,/; s/[0-9]\{12\}$//')" \
    'quick,3,8.0e-06,0.08,0.0484,0.0484
tile,2,8.0e-06,0.04,0.198,0.198
fine,2,2.0e-07,0.02,0.349,0.349
cublas,3,4.0e-07,0.02,0.349,0.396
naive,1,4.0e-07,0.01,0.5,0.5
slow,2,4.0e-07,0.005,0.650,0.650'

# Lines of device code: of the kernel and of what it uses, of the lab's own; of its launcher's kernels
# where none has its name. A brace in a text or a comment is none.
mkdir "$folder/lab9_new"
cat >"$folder/lab9_new/new.cu" <<'END'
/* a comment of
   two lines */
__constant__ float weights[4];

// another
__device__ static float weighted(float x)
{
    return x * weights[0]; /* { */
}

template <int N> __global__ void __launch_bounds__(N * (2))
    mine(float *out)
{

    out[0] = weighted(1);
}

__global__ void other(float *out)
{
    out[0] = '{';
}

static void launch_apart(float *out)
{
    other<<<1, 1>>>(out);
}

static const variant variants[] = {
    GPU_VARIANT("mine", "as fast as other()", launch_apart, .kernel = (const void *)mine<32>),
    GPU_VARIANT("apart", "of its launcher", launch_apart),
    VENDOR_VARIANT("theirs", "no code of ours", launch_apart),
};
END
is 'lines of device code' "$(awk -f report/effort.awk "$folder/lab9_new/new.cu" | LC_ALL=C sort)" \
    'lab,variant,lines
lab9_new,apart,4
lab9_new,mine,10'

# A case that stands twice counts once, as the last row has it, and that is told.
mkdir -p "$folder/twice/names" && cp $rows/names/* "$folder/twice/names"
sed -n '2s/,2,/,3,/p' $rows/names/lab1_vecadd.csv >>"$folder/twice/names/lab1_vecadd.csv"
cp $rows/labs.csv "$folder/twice"
rows=$folder/twice
refuses 'a doubled row is told' 0 '^analyse.sh: lab1_vecadd.csv: 1 row of a case' analyse names
is 'the last one counts' \
    "$(sqlite3 -readonly "$folder/out/results.db" "select time_s from good where origin = 'own'
        and lab = 'lab1_vecadd'")" 3.0

cp -R "$folder/twice/names" "$folder/twice/others"
is 'of each machine' "$(analyse --compare names others 2>&1 | grep 'of a case')" \
    'analyse.sh: names/lab1_vecadd.csv: 1 row of a case that has a later one: passed over
analyse.sh: others/lab1_vecadd.csv: 1 row of a case that has a later one: passed over'
rm -r "$folder/twice/others"

# A copy that somebody keeps is no lab's; a file that was cut off is none of rows.
mkdir -p "$folder/kept/copy"
sed 4q data/reference/nvidia-h200/lab1_vecadd.csv >"$folder/kept/copy/lab1_vecadd.csv"
cp "$rows/labs.csv" "$folder/kept"
rows=$folder/kept
ok 'a lab by itself' analyse copy
cp -R "$folder/out/tables" "$folder/alone"
for name in 'lab1_vecadd (copy)' lab1_vecadd_old "lab1_vecadd's"; do
    cp "$rows/copy/lab1_vecadd.csv" "$rows/copy/$name.csv"
    refuses "$name" 0 '^analyse.sh: lab1_vecadd.*[.]csv is passed over: no lab has that name' analyse copy
    ok 'the tables are the same' diff -r "$folder/alone" "$folder/out/tables"
    rm "$rows/copy/$name.csv"
done
sed '$s/\(.*\),ok,.*/\1/' "$rows/copy/lab1_vecadd.csv" | head -c -1 >"$folder/cut.csv"
mv "$folder/cut.csv" "$rows/copy/lab1_vecadd.csv"
refuses 'a row that was cut off' 1 '^analyse.sh: .*copy/lab1_vecadd.csv: its last row is cut off' analyse copy
rows=$folder/twice

# So does a case that was profiled twice; one that differs in any column is another.
mkdir -p "$folder/twice/profiled" && awk -F , -v OFS=, '
    NR == 1 { print; next }
    NR == 2 {
        print
        for (c = 4; c <= 9; c++) { was = $c; $c = c == 4 ? "type=f64" : $c + 1; print; $c = was }
        $11 = 7; print
        $2 = "other"; print
        $1 = "lab5_gaussian"; print
    }' report/made_up/profiled/profile.csv >"$folder/twice/profiled/profile.csv"
cp report/made_up/profiled/lab*.csv "$folder/twice/profiled"
ok 'cases that were profiled twice' analyse profiled
is 'are one, with the last counters' "$(sqlite3 -readonly -separator ' ' "$folder/out/results.db" "
    select lab, variant, parameters, width, height, depth, block_x, block_y, time_s from counters
    where origin = 'own' order by line")" "$(awk -F , 'NR > 2 {
        print $1, $2, $4, $5, $6, $7, $8, $9, $11 + 0 == 7 ? "7.0" : $11 }' "$folder/twice/profiled/profile.csv")"

# A run.json that is none, or has a number that is none, is named; the report has all the rest.
good='{"date": "2026-01-01T00:00:00Z", "multiprocessors": 7'
cp report/made_up/older/lab1_vecadd.csv "$rows/names" # a GPU's own: no other stands in
for json in '{"lab1_vecadd": "text"}' "{\"lab1_vecadd\": $good, \"l2_bytes\": 1e999}}" text; do
    echo "$json" >"$rows/names/run.json"
    refuses "run.json: $json" 0 '^analyse.sh: run.json: not what a run writes' analyse names
done
echo "{\"lab1_vecadd\": $good}, \"lab2_matprod\": 1}" >"$rows/names/run.json"
refuses 'one record of two' 0 '^analyse.sh: run.json: not what' analyse names
is 'the other counts' "$(sqlite3 "$folder/out/results.db" \
    "select value from run where of = 'cpu' and key = 'multiprocessors'")" 7

# Rows of two recordings are told apart, with the host of each lab's last run; those of one are not.
rows=$folder/parts
mkdir -p "$rows/parts"
echo '{"lab1_vecadd": {"commit": "new", "host": "h1"}, "lab2_matprod": {"commit": "new", "host": "h2"}}' \
    >"$rows/parts/run.json"
printf '%s\n' variant,kind,width,height,commit,date,status,time_s naive,gpu,1,1,old,2026-01-01T01:02:03Z,ok,1 \
    next,gpu,1,1,new,2026-01-02T01:02:03Z,ok,1 | tee "$rows/parts/lab1_vecadd.csv" |
    sed 3d >"$rows/parts/lab2_matprod.csv"
# recordings: of the machine `parts`
recordings() {
    sh report/analyse.sh --results "$rows" --labs report/made_up/labs.csv --out "$folder/out" parts &&
        { [ ! -f "$folder/out/tables/recordings.csv" ] || sed 1d "$folder/out/tables/recordings.csv"; }
}
is 'rows of two commits' "$(recordings)" 'lab1_vecadd,1,old,2026-01-01,
lab1_vecadd,1,new,2026-01-02,h1
lab2_matprod,1,old,2026-01-01,'
sed -i 's/,old,/,new,/' "$rows/parts"/*.csv
is 'rows of two hosts' "$(recordings)" 'lab1_vecadd,2,new,2026-01-02,h1
lab2_matprod,1,new,2026-01-01,h2'
sed -i 's/h2/h1/' "$rows/parts/run.json"
is 'rows of one recording' "$(recordings)" ''

done_testing
