#!/bin/sh
# ceilings.t - lab 0: a copy has no operations, copies on the CPU run where they leave the caches,
# no more multiply-adds are asked of a CPU than it gets done, and each measure has sizes and blocks
# of its own, unless others are given.
. tests/tap.sh
program=$B/ceilings

sweeps 'a copy' "$program" '1000 4097' '32 100' --measure copy
is 'it has no operations' "$(column flops "$folder/rows.csv" | grep -v '^0*$')" ''
known_reasons='under 2\^25 floats the caches would answer'
sweeps 'short copies on the CPU' "$program" '1000 33554431' 32 --measure copy \
    --variants 'cpu cpu_omp'
is 'none of them ran' "$(column status "$folder/rows.csv" | sort -u)" skipped
sweeps 'long copies on the CPU' "$program" '2^25 33554433 33554434 33554435 33554439' 32 \
    --measure copy --variants 'cpu cpu_omp'
is 'they all ran' "$(column status "$folder/rows.csv" | sort -u)" ok
refuses 'more multiply-adds than a CPU gets done' 2 '2\^25 is the greatest' \
    "$program" --measure fma --sizes 33554433
refuses 'but not 2^25 of them' 2 'nothing to run' \
    "$program" --measure fma --sizes 33554432 --variants memcpy

# shapes OPTION...: what a checked run has rows of
shapes() {
    "$program" --check-only --csv "$folder/shapes.csv" --fresh "$@" >/dev/null 2>&1
    column parameters width block_x status "$folder/shapes.csv" | tr '\n' ' '
}
is 'measures have sizes and blocks of their own' "$(shapes --variants 'graph chase')" \
    "measure=launch,1,32,ok $(for size in 4096 16384 65536 262144 1048576; do
        printf 'measure=latency,%d,1024,ok ' $size
    done)"
is 'those given stand for all of them' \
    "$(shapes --variants 'l2 shared_16 load graph' --sizes 5 --blocks 8)" \
    'measure=l2,5,8,ok measure=shared,5,8,ok measure=loads,5,8,ok measure=launch,5,8,ok '
is 'threads are for copies and multiply-adds' "$(shapes --cpu-threads 1)" \
    "measure=copy,67108864,,ok measure=copy;cpu_threads=1,67108864,,ok \
measure=fma,1048576,,ok measure=fma;cpu_threads=1,1048576,,ok "
sweeps 'a tile that a block fills together' "$program" 1000 256 --measure shared
sweeps 'a ring that memory is to answer for' "$program" 4194305 256 --measure latency
ring() {
    "$B/tests/check_ceilings" --check-only --measure latency --sizes 1000 --blocks 8 "$@" |
        sed -n 's/.*inputs//p'
}
ok 'another ring for another seed' [ "$(ring)" != "$(ring --seed 2)" ]

# The figure of made-up loads of 20 and 100 ns, with an L2 cache of 4 MiB.
if command -v sqlite3 >/dev/null && command -v "${GNUPLOT:-gnuplot}" >/dev/null; then
    rows=report/made_up
    sh report/analyse.sh --results $rows --labs $rows/labs.csv --out "$folder/made_up" ceilings
    exits 'figures of made-up rows' 0 sh plots/draw.sh --results $rows --labs $rows/labs.csv \
        --tables "$folder/made_up/tables" --out "$folder" --formats svg ceilings
    is 'each load has its time, the L2 cache its line' "$(grep -o '>\(20.0\|100\|L2 cache\)<' \
        "$folder/ceilings/lab0_latency.svg" | tr -d '\n')" '>L2 cache<>20.0<>100<'
else
    skip 'a figure of made-up rows' 'no sqlite3 or no gnuplot'
fi
done_testing
