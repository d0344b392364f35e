#!/bin/sh
# reduction.t - lab 8: sums of known numbers, tiles and totals of several levels, blocks in any order.
. tests/tap.sh
program=$B/reduction
known_reasons='blocks are of whole warps|which this build lacks'

for op in sum scan; do
    sweeps "$op: around the ends of warps, fours and tiles" "$program" \
        '1 3 31 33 127 129 511 513 1000 4095 4097' '1 31 32 100 256 1024' --op $op
    sweeps "$op: several levels of totals" "$program" "65537 $(thorough && echo 1048577)" '32 96 1024' --op $op
    for order in reverse 7; do
        export CUDA_CPU_ORDER=$order
        sweeps "$op, blocks and threads in order $order" "$program" '1000 70001' '32 128' --op $op
    done
    unset CUDA_CPU_ORDER
done
sweeps 'both, where none is named' "$program" 1000 64
is 'each has its variants' "$(column parameters variant "$folder/rows.csv" | sort -u | tr '\n' ' ')" \
    "op=scan;type=u32,cpu op=scan;type=u32,cpu_omp op=scan;type=u32,cub_scan $(
    )op=scan;type=u32,scan_lookback op=scan;type=u32,scan_shuffle op=scan;type=u32,scan_steps $(
    )op=sum;type=u32,atomic op=sum;type=u32,cpu op=sum;type=u32,cpu_omp op=sum;type=u32,cub_sum $(
    )op=sum;type=u32,grid_stride op=sum;type=u32,last_block op=sum;type=u32,shuffle $(
    )op=sum;type=u32,tree_interleaved op=sum;type=u32,tree_sequential op=sum;type=u32,vector4 "
is 'a sum writes one number, a scan all' "$(column parameters bytes "$folder/rows.csv" |
    grep -v ',$' | sort -u)" \
    'op=scan;type=u32,8000
op=sum;type=u32,4004'
done_testing
