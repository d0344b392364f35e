#!/bin/sh
# tables.t - what rows give which numbers: small results by hand, with answers worked out by hand.
# shellcheck source=tests/tap.sh
. tests/tap.sh

command -v sqlite3 >/dev/null || skip_all 'no sqlite3'

cat >"$folder/labs.csv" <<'END'
lab,program,title,sizes_are
lab1_vecadd,vecadd,a sum,vector
lab2_matprod,matprod,a product,product
lab3_bilateral,bilateral,a filter,image
END

# machine NAME: a new machine without rows; `rows LAB` appends to its file of that lab what comes on
# stdin, lines of: variant kind role parameters size block time_s status [more columns of $extra].
machine() {
    name=$1
    mkdir -p "$folder/results/$1"
}
extra=''
rows() {
    file=$folder/results/$name/$1.csv
    [ -f "$file" ] ||
        echo "variant,kind,role,parameters,width,height,block_x,block_y,time_s,status$extra" \
            >"$file"
    awk '{
        for (i = 1; i <= NF; i++) if ($i == "-") $i = ""
        split($5 "x1", s, "x")
        split($6 == "" ? "x" : $6 "x1", b, "x")
        printf "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s", $1, $2, $3, $4, s[1], s[2], b[1], b[2], $7, $8
        for (i = 9; i <= NF; i++) printf ",%s", $i
        print "" }' >>"$file"
}

analyse() {
    sh report/analyse.sh --results "$folder/results" --labs "$folder/labs.csv" \
        --out "$folder/out" "$@"
}

# ask SELECT: the answer, columns with a blank between, numbers to four digits, rows with a comma.
ask() {
    sqlite3 -readonly -separator ' ' "$folder/out/results.db" "$1" | awk '{
        for (i = 1; i <= NF; i++)
            if ($i ~ /^-?[0-9]+\.[0-9]*(e.*)?$/) $i = sprintf("%.4g", $i)
        printf "%s%s", (NR > 1 ? "," : ""), $0 }'
}

fact() {
    ask "select value from fact where name = '$1'"
}

# Which rows give numbers --------------------------------------------------------------------------

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
ok 'a machine with rows of every kind is analysed' analyse checks
is 'wrong, skipped and failed rows give no number, nor does a time that is none' \
    "$(ask "select variant, block, time_ms, speedup from lab2_variants where kind <> 'cpu'")" \
    'naive 32x32 4000 2,copy 32x32 500'
is 'rows are counted by status' "$(ask 'select * from status')" 'lab2_matprod 9 5 1 1 1 1'
is 'a yardstick is never the fastest' "$(fact lab2.fastest_variant)" naive
is 'problems name the first row and why, the worst first' \
    "$(ask 'select lab, status, count, "where" from problems limit 1')" \
    'lab2_matprod wrong 1 lab2_matprod.csv:3'
is 'files that are not there are problems' \
    "$(ask "select count(*) from problems where status = 'missing'")" 3
is 'a row with an emulated check counts as passed' "$(fact rows_ok)" 6

# Columns by name ----------------------------------------------------------------------------------

machine names
printf 'status,time_s,height,width,kind,variant,extra\nok,2,1,1024,cpu,"a, b",1\n' \
    >"$folder/results/names/lab1_vecadd.csv"
: >"$folder/results/names/lab2_matprod.csv"
ok 'files of any columns, and empty ones, are read' analyse names
is 'columns are found by name' \
    "$(ask "select variant, size, time_s from good where origin = 'own'")" 'a, b 1024 2'

# Of several conditions ----------------------------------------------------------------------------

machine conditions
extra=,cache
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
extra=''
ok 'rows of several works and cache states' analyse conditions
is 'the commonest are shown, the CPU with the same work, a variant without them with its own' \
    "$(ask 'select variant, block, time_ms, speedup from lab3_variants')" \
    'cpu 9000 1,naive 16x1 1500 6,other 8x1 4000 5'

# The lab's size, blocks ---------------------------------------------------------------------------

machine sizes
extra=,occupancy,gb_per_s,gflop_per_s,bytes,flops,read_s,copy_in_s,copy_out_s,write_s,end_to_end_s
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
extra=''
ok 'sizes, blocks and steps' analyse sizes
is "the lab's size has a kernel and a serial CPU" "$(fact lab2.size)" 64
is 'the best block, its gain and speedup' "$(fact lab2.naive_block) $(fact lab2.naive_ms)
$(fact lab2.fastest_gain) $(fact lab2.fastest_speedup)" '16x16 400
2 40'
is 'the largest block is 25 % slower than the best' \
    "$(fact lab2.largest_block) $(fact lab2.largest_slower_percent)" '32x32 25'
is 'a smaller occupancy tells blocks apart' "$(fact lab2.smallest_occupancy_percent)
$(ask "select count(*) from fact where name = 'lab2.occupancy_same'")" '50
0'
is 'the library is faster' "$(fact lab2.vendor_variant) $(fact lab2.vendor_gain)" 'blas 2'
# read + write = 2, copies = 0.75, CPU 8: (2 + 8) / (2 + 0.75 + 0.2), (2 + 8) / 2.75
is 'from file to file: speedup and limit' \
    "$(ask 'select variant, total_speedup, "limit" from split')" \
    'tile 3.39 3.636'
# 524288 / 49152 FLOP/B = 10.67 is beyond the ridge, 5 / 10
is 'the roof is the lower of two' "$(ask "select flop_per_byte, roof_percent, bound from roofline
    where variant = 'tile'")" '10.67 52.4 arithmetic'
is 'rows that measure the machine are no lab' \
    "$(ask "select count(*) from mine where id = 'lab0'")" 0

# OpenMP -------------------------------------------------------------------------------------------

# S(2) = 1.6, S(4) = 2.2857: the law with P = 0.75 exactly; and a work with fewer rows, passed over.
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
ok 'OpenMP rows' analyse threads
is "Amdahl's law" "$(ask "select size, cpu_threads_max, speedup_max, parallel_percent, \"limit\",
    round(rms_percent, 9) from amdahl where lab = 'lab1_vecadd'")" '1024 4 2.286 75 4 0'
is 'without a row of one thread it is over the serial program; P is 1 at most' \
    "$(ask "select speedup_max, parallel_percent, \"limit\" from amdahl
        where lab <> 'lab1_vecadd'")" \
    '8 100'

# Exponents ----------------------------------------------------------------------------------------

# t = n^2 throughout; flat up to n = 8 and n^3 from there; three points, which are too few.
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
ok 'times by size' analyse growth
is 'one line, or two that meet where it bends' \
    "$(ask 'select variant, theory_2012, round(exponent_small, 9), round(exponent_large, 9),
        bend_size, points, round(rms_percent, 4), why from exponents')" \
    'cpu 3 2 6 0,naive 1 0 3 8 6 0 launch'
is 'the fitted times are the measured ones' \
    "$(ask 'select max(abs(fit_ms / time_ms - 1)) < 1e-9, count(*) from fit_points')" '1 12'

# A stand-in, and 2012 -----------------------------------------------------------------------------

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
ok 'a machine with CPU rows only' analyse laptop
is 'a table marks machines; a speedup is of one machine' \
    "$(ask "select machine, variant, speedup from lab2_variants
        where variant in ('cpu', 'naive')")" \
    'laptop cpu 1,nvidia-h200 (recorded) cpu 1,nvidia-h200 (recorded) naive 4844'
is "a time of 2012 beside this machine's CPU" \
    "$(fact lab2.past_cpu_gain) $(fact lab2.cpu_here_ms)" '24.09 2000'
is 'the first table of 2012 as it is printed' \
    "$(ask "select size, past_cpu_ms from lab2_cpu where size = '1024'")" '1024 4.817e+04'

# Several machines ---------------------------------------------------------------------------------

ok 'two machines beside each other' analyse --compare conditions laptop sizes
is 'each variant at the size that most were measured at' \
    "$(ask 'select * from compare where lab = '"'lab2_matprod'")" \
    'lab2_matprod cpu 64 8000,lab2_matprod naive 64 16x16 400,lab2_matprod tile 64 16x16 200'

done_testing
