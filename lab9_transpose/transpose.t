#!/bin/sh
# transpose.t - lab 9: sides that no tile divides, sides that are multiples of 4 and not, long narrow
# matrices; more than one tile either way.
. tests/tap.sh
program=$B/transpose
known_reasons='as wide as a power of two|which this build lacks'

sweeps 'sides that nothing divides' "$program" '1x1 31x33 67x65 3x130 130x3' '1 3x5 32x8 8x32 16'
is 'only swizzled_tile refuses a block' "$(column variant block_x block_y status "$folder/rows.csv" |
    sed -n 's/,skipped$//p' | grep -v cublas | sort -u)" 'swizzled_tile,3,5'
# Aligned in A and not in B, the other way round, and in both, with several tiles either way.
sweeps 'rows that begin at multiples of 16 bytes' "$program" '4x4 4x3 3x4 100x64 64x100 132x580' '32x8 8'
sweeps 'a million elements' "$program" 1000x1001 32x8
is 'an element is read and written once' "$(column bytes "$folder/rows.csv" | sort -u | tr -d '\n')" 8.008e+06
refuses 'a side beyond 32768' 2 'not a legal size' "$program" --sizes 32769x1
done_testing
