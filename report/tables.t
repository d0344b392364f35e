#!/bin/sh
# tables.t - what rows give which numbers: small results by hand. What each machine's rows prove
# stands over them; golden/tables.txt has the answers, which were worked out by hand, too.
# shellcheck source=tests/tap.sh
. tests/tap.sh

command -v sqlite3 >/dev/null || skip_all 'no sqlite3'

cat >"$folder/labs.csv" <<'END'
lab,program,title,sizes_are
lab1_vecadd,vecadd,a sum,vector
lab2_matprod,matprod,a product,product
lab3_bilateral,bilateral,a filter,image
END

# machine NAME [COLUMN,COLUMN...]: a new machine without rows, with more columns than usual. `rows
# LAB` is its file of that lab from lines of: variant kind role parameters size block time_s status
# [more columns].
machine() {
    name=$1 columns=variant,kind,role,parameters,width,height,block_x,block_y,time_s,status
    columns=$columns${2:+,$2}
    mkdir -p "$folder/results/$1"
}
rows() {
    awk -v columns="$columns" '
    BEGIN { n = split(columns, name, ","); print columns }
    {
        for (i = 1; i <= NF; i++) if ($i == "-") $i = ""
        split($5 "x1", s, "x")
        split($6 == "" ? "x" : $6 "x1", b, "x")
        line = $1 "," $2 "," $3 "," $4 "," s[1] "," s[2] "," b[1] "," b[2] "," $7 "," $8
        for (i = 9; i <= n - 2; i++) line = line "," $i
        print line
    }' >"$folder/results/$name/$1.csv"
}

analyse() {
    sh report/analyse.sh --results "$folder/results" --labs "$folder/labs.csv" \
        --out "$folder/out" "$@"
}

# show FILE.csv: to four digits; what is nearly zero, as residuals are, is zero.
show() {
    sed 's/[-0-9.]*e-[0-9]*/0/g; s/-0\.0/0/g' "$1" >"$folder/to_show.csv"
    awk -f tools/csv.awk -f report/markdown.awk -f tools/show.awk "$folder/to_show.csv"
}

# tells TABLE... - FACT...: that the machine's rows are analysed, and these tables and facts of
# them, for the golden text. A fact that is not there is not shown.
tells() {
    ok "the machine $name is analysed" analyse "$name"
    while [ "$1" != - ]; do
        printf '\n%s: %s\n' "$name" "$1"
        show "$folder/out/tables/$1.csv"
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
machine checks
rows lab2_matprod <<'END'
cpu cpu serial type=f32 64x64 - 8 ok
naive gpu - type=f32 64x64 8x8 1 wrong
naive gpu - type=f32 64x64 16x16 1 skipped
naive gpu - type=f32 64x64 4x4 1 failed
naive gpu - type=f32 64x64 1x1 nonsense ok
naive gpu - type=f32 64x64 32x32 4 ok
copy gpu yardstick type=f32 64x64 32x32 0.5 ok
naive emulated - type=f32 32x32 8x8 - ok
late gpu - type=f32 64x64 8x8 - ok
END
tells lab2_variants status problems - lab2.fastest_variant rows_ok

# Columns are found by name; a file may have few, and an empty one is none.
machine names
printf 'status,time_s,height,width,kind,variant,extra,role\nok,2,1,1024,cpu,"a, b",1,serial\n' \
    >"$folder/results/names/lab1_vecadd.csv"
: >"$folder/results/names/lab2_matprod.csv"
tells lab1_variants -

# Of several conditions the commonest are shown, the CPU with the same work, a variant without them
# with its own.
machine conditions cache
rows lab3_bilateral <<'END'
cpu cpu serial radius=3 40x30 - 9 ok hot
cpu cpu serial radius=5 40x30 - 20 ok hot
naive gpu - radius=5 40x30 8 3 ok cold
naive gpu - radius=3 40x30 8 2 ok cold
naive gpu - radius=3 40x30 16 1.5 ok cold
naive gpu - radius=3 40x30 32 1.6 ok cold
naive gpu - radius=3 40x30 8 1 ok hot
naive gpu - radius=3;transfer=pinned 40x30 8 0.1 ok cold
other gpu - radius=5 40x30 8 4 ok cold
cpu_omp cpu scales radius=3;cpu_threads=1 40x30 - 10 ok hot
END
tells lab3_variants -

# The lab's size has a kernel and a serial CPU. Blocks: the best, its gain 0.4 / 0.2 and speedup
# 8 / 0.2; the largest is 25 % slower; a smaller occupancy tells them apart. The library takes half
# the time. From file to file: read + write = 2, copies = 0.75, so (2 + 8) / (2 + 0.75 + 0.2), at
# most (2 + 8) / 2.75. The roof is the lower of two: 524288 / 49152 FLOP/B = 10.67 is beyond the
# ridge, 5 / 10. Rows that measure the machine are no lab's.
machine sizes \
    occupancy,gb_per_s,gflop_per_s,bytes,flops,read_s,copy_in_s,copy_out_s,write_s,end_to_end_s
rows lab2_matprod <<'END'
cpu cpu serial n=1 32x32 - 1 ok - - - 12288 65536
cpu cpu serial n=1 64x64 - 8 ok - - - 49152 524288
naive gpu - n=1 64x64 8x8 0.5 ok 0.5 - 1.05 49152 524288 1 0.5 0.25 1 10
naive gpu - n=1 64x64 16x16 0.4 ok 1 - 1.31 49152 524288 1 0.5 0.25 1 2
naive gpu - n=1 64x64 32x32 0.5 ok 1 - 1.05 49152 524288 1 0.5 0.25 1 10
tile gpu - n=1 64x64 16x16 0.2 ok 0.75 - 2.62 49152 524288 1 0.5 0.25 1 4
naive gpu - n=1 128x128 16x16 3 ok 1
blas vendor - n=1 64x64 - 0.1 ok
END
rows lab0_rates <<'END'
copy gpu - measure=copy 64 8 1 ok - 10
fma gpu - measure=fma 64 8 1 ok - - 5
END
tells split roofline variants - lab2.size lab2.naive_block lab2.naive_ms lab2.fastest_gain \
    lab2.fastest_speedup lab2.largest_block lab2.largest_slower_percent \
    lab2.smallest_occupancy_percent lab2.occupancy_same lab2.vendor_variant lab2.vendor_gain

# Amdahl's law: S(2) = 1.6, S(4) = 2.2857, that is P = 0.75 exactly; a work with fewer rows is
# passed over. Without a row of one thread a speedup is over the serial program; P is 1 at most.
machine threads
rows lab1_vecadd <<'END'
omp cpu scales n=1;cpu_threads=1 1024 - 8 ok
omp cpu scales n=1;cpu_threads=2 1024 - 5 ok
omp cpu scales n=1;cpu_threads=4 1024 - 3.5 ok
omp cpu scales n=1;cpu_threads=2 4096 - 1 ok
END
rows lab2_matprod <<'END'
cpu cpu serial n=1 64x64 - 8 ok
omp cpu scales n=1;cpu_threads=4 64x64 - 1 ok
END
tells scaling amdahl -

# Powers: t = n^2 throughout; flat up to n = 8 and n^3 from there, two lines that meet where it
# bends; three points, which are too few. The fitted times are the measured ones.
machine growth
rows lab2_matprod <<'END'
cpu cpu serial n=1 2x2 - 4 ok
cpu cpu serial n=1 4x4 - 16 ok
cpu cpu serial n=1 8x8 - 64 ok
cpu cpu serial n=1 16x16 - 256 ok
cpu cpu serial n=1 32x32 - 1024 ok
cpu cpu serial n=1 64x64 - 4096 ok
naive gpu - n=1 2x2 1 1 ok
naive gpu - n=1 4x4 1 1 ok
naive gpu - n=1 8x8 1 1 ok
naive gpu - n=1 16x16 1 8 ok
naive gpu - n=1 32x32 1 64 ok
naive gpu - n=1 64x64 1 512 ok
three gpu - n=1 16x16 1 1 ok
three gpu - n=1 32x32 1 2 ok
three gpu - n=1 64x64 1 3 ok
END
tells exponents fit_points -

# Without a kernel of its own a machine has the recorded card's, and the past is 2012: tables mark
# machines, a speedup is of one machine, a time of 2012 stands beside this machine's CPU.
machine laptop
rows lab2_matprod <<'END'
cpu cpu serial type=f32 1024x1024 - 2 ok
naive emulated - type=f32 32x32 8x8 - ok
END
is 'the stand-in is the recorded card, the past 2012' \
    "$(sh tools/stand_in.sh --results "$folder/results" laptop | sed 's/.*\///' | tr '\n' ' ')" \
    'laptop nvidia-h200 tesla-c2050 '
is 'with a kernel of its own a machine needs none' \
    "$(sh tools/stand_in.sh --results "$folder/results" sizes | sed -n '2s/.*\///p')" sizes
refuses 'an unknown machine: which there are' 2 'there are: .*laptop.*nvidia-h200' analyse nobody
tells lab2_variants lab2_cpu - lab2.past_cpu_gain lab2.cpu_here_ms

# Several machines: each variant at the size that most were measured at.
ok 'machines beside each other' analyse --compare conditions laptop sizes
{ printf '\nsizes, laptop, conditions: compare\n' && show "$folder/out/tables/compare.csv"; } \
    >>"$folder/shown"
golden tables.txt "$folder/shown"

done_testing
