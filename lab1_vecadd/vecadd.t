#!/bin/sh
# vecadd.t - lab 1: the five steps print table 5 of the 2012 report.
. tests/tap.sh

cat >"$folder/table5" <<'END'
A:  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0
B:  0.0  1.0  2.0  3.0  4.0  5.0  6.0  7.0  8.0  9.0 10.0 11.0 12.0 13.0 14.0 15.0
C:  1.0  2.0  3.0  4.0  5.0  6.0  7.0  8.0  9.0 10.0 11.0 12.0 13.0 14.0 15.0 16.0
END
for block in 16 5; do
    "$B/vecadd" 16 $block 2>/dev/null | sed -n '/^[ABC]:/p' >"$folder/vectors"
    ok "vecadd 16 $block prints table 5" cmp "$folder/table5" "$folder/vectors"
done
sweeps 'in parts, copies and kernels overlapped' "$B/vecadd" '1 1000 4099 100000' '32 256' \
    --transfer overlapped
is 'by each kernel' "$(column status variant "$folder/rows.csv" | sed -n 's/^ok,//p' | sort -u |
    grep -v cub | tr '\n' ' ')" 'grid_stride naive vector4 '
done_testing
