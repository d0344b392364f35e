#!/bin/sh
# histogram.t - lab 10: all kinds of bytes, lengths around 16 and beyond a grid of resident threads, blocks
# of less than a warp.
. tests/tap.sh
program=$B/histogram
known_reasons='which this build lacks'

for data in uniform one image; do
    sweeps "$data" "$program" '1 15 16 17 33 1000 70001' '1 16 32 100 256 1024' --data $data
    is "$data: rows say so" "$(column parameters "$folder/rows.csv" | sort -u)" "type=u8;data=$data"
done
sweeps 'another value' "$program" '1048579' '256 512' --data one --seed 1000
is 'a byte is read once' "$(column bytes int_ops "$folder/rows.csv" | grep '[0-9]' | sort -u)" 1.0496e+06,1.04858e+06
refuses 'no such data' 2 'none of uniform, one, image' "$program" --data none
done_testing
