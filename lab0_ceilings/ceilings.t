#!/bin/sh
# ceilings.t - lab 0: a copy has no operations, copies on the CPU run where they leave the caches,
# and no more multiply-adds are asked of a CPU than it gets done.
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
done_testing
