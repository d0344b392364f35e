#!/bin/sh
# reference.t - the recorded tables in data/reference hold what was printed.
#
# The numbers below were typed from the 2012 lab report a second time, column by column (the CSVs
# were typed row by row), and are followed by what its prose says about them. Two sentences of the
# prose disagree with its tables; the tests say so and hold the tables.

# shellcheck source=tests/tap.sh
. tests/tap.sh

reference=data/reference
select=plots/select.awk
tesla=$reference/tesla-c2050

# Shape ---------------------------------------------------------------------------------------------

cr=$(printf '\r')

has_header() {
    [ "$(head -n 1 "$1")" = "$results_header$cr" ]
}

# RFC 4180: every line ends in CRLF, the last one too, and every record has the header's fields.
is_rfc_4180() {
    [ "$(tail -c 2 "$1" | od -A n -t x1 | tr -d ' ')" = 0d0a ] || {
        echo 'the last line does not end in CRLF'
        return 1
    }
    awk '!/\r$/ { print "line " NR " does not end in CRLF"; bad = 1 } END { exit bad }' "$1" &&
        awk -v columns=status -f "$select" "$1" >/dev/null
}

names_itself() {
    lab=$(basename "$1" .csv) machine=$(basename "$(dirname "$1")")
    awk -v columns=lab,machine -f "$select" "$1" | awk -F '\t' -v lab="$lab" -v machine="$machine" '
        $1 != lab || $2 != machine { print "row " NR ": " $0; bad = 1 }
        END { exit bad || NR == 0 }'
}

for file in "$reference"/*/lab*.csv; do
    short=${file#"$reference"/}
    ok "$short has the header" has_header "$file"
    ok "$short is RFC 4180" is_rfc_4180 "$file"
done
for file in "$tesla"/*.csv "$reference"/matmul-wiki/*.csv; do
    ok "${file#"$reference"/} names its lab and machine" names_itself "$file"
done

# Numbers -------------------------------------------------------------------------------------------

# holds FILE VARIANT BLOCK SIZES TIMES: the column of one block size (`-` for the CPU), and no other
# row beside it. Times are compared as numbers, after the speedup as cpu time / gpu time.
holds() {
    awk -v columns=variant,block_x,block_y,threads_per_block,width,height,time_s,speedup \
        -f "$select" "$1" | awk -F '\t' -v variant="$2" -v block="$3" -v sizes="$4" -v times="$5" '
        function near(a, b, tolerance) { return (a - b) ^ 2 <= (tolerance * b) ^ 2 }
        BEGIN {
            n = split(sizes, size, " ")
            if (split(times, time, " ") != n)
                bad = 1
            for (i = 1; i <= n; i++)
                expected[size[i]] = time[i] + 0
            if (block == "-")
                block = ""
        }
        $1 == "cpu" { cpu[$5 "x" $6] = $7 }
        $1 == variant && $2 == block {
            at = $5 "x" $6
            if (!(at in expected) || !near($7, expected[at], 1e-9)) {
                print at ": " $7 ", typed again: " expected[at]
                bad = 1
            }
            if ($3 != block || $4 != (block == "" ? "" : block * block)) {
                print at ": block " $2 "x" $3 ", " $4 " threads"
                bad = 1
            }
            if (block == "" ? $8 != "" : !near($8, cpu[at] / $7, 6e-6)) {
                print at ": speedup " $8
                bad = 1
            }
            rows++
        }
        END {
            if (rows != n)
                print rows + 0 " rows, not " n
            exit bad || rows != n
        }'
}

rows_are() {
    n=$(awk -v columns=time_s -v where="$3" -f "$select" "$1" | wc -l)
    [ "$n" -eq "$2" ] || { echo "$n rows" && return 1; }
}

# table FILE SIZES: checks the columns on standard input, `table block time...`, the CPU's first.
table() {
    while read -r number block times; do
        variant=naive
        [ "$block" != - ] || variant=cpu
        ok "table $number of the report, block $block" holds "$1" "$variant" "$block" "$2" "$times"
    done
}

file=$tesla/lab2_matprod.csv
ok 'matrix product: 42 rows' rows_are "$file" 42 ''
ok 'matrix product: 6 of them of the CPU' rows_are "$file" 6 'kind=cpu,variant=cpu,block_x='
ok 'matrix product: all of 3 trials, f32' rows_are "$file" 42 'trials=3,parameters=type=f32'
table "$file" '32x32 64x64 128x128 256x256 512x512 1024x1024' <<'END'
9 - 2134e-7 1733e-6 1546e-5 1292e-4 1076e-3 4817e-2
10 1 9640e-8 4706e-7 6252e-6 5033e-5 4306e-4 4099e-3
10 2 6763e-8 2063e-7 1715e-6 1345e-5 1198e-4 1097e-3
10 4 5666e-8 1187e-7 5660e-7 4023e-6 3832e-5 3541e-4
10 8 5635e-8 7033e-8 2077e-7 1143e-6 1144e-5 9731e-5
10 16 5404e-8 6700e-8 1403e-7 6640e-7 5958e-6 4853e-5
10 32 5770e-8 7272e-8 1590e-7 6293e-7 6177e-6 5127e-5
END

file=$tesla/lab3_bilateral.csv
parameters='radius=3;sigma_space=30;sigma_range=30;passes=1;type=f32'
ok 'bilateral filter: 42 rows' rows_are "$file" 42 ''
ok 'bilateral filter: 36 of them of the GPU' rows_are "$file" 36 'kind=gpu,variant=naive'
ok 'bilateral filter: the work' rows_are "$file" 42 "trials=3,parameters=$parameters"
table "$file" '32x24 64x48 128x96 256x192 512x384 1024x768' <<'END'
13 - 2167e-5 8681e-5 3464e-4 1389e-3 5547e-3 2246e-2
14 1 2800e-7 9687e-7 3724e-6 1476e-5 5907e-5 2397e-4
14 2 1127e-7 2933e-7 1012e-6 3881e-6 1570e-5 6567e-5
14 4 8003e-8 1203e-7 3160e-7 1115e-6 4555e-6 1944e-5
14 8 7963e-8 8663e-8 1503e-7 4397e-7 1648e-6 6386e-6
14 16 7963e-8 9934e-8 1507e-7 4160e-7 1555e-6 5917e-6
14 32 4729e-8 1530e-7 1543e-7 4797e-7 1636e-6 5951e-6
END

file=$tesla/lab4_template.csv
ok 'template matching: 28 rows' rows_are "$file" 28 ''
ok 'template matching: the work' rows_are "$file" 28 \
    'trials=3,parameters=template=64x64;measure=ssd;type=f32'
table "$file" '128x96 256x192 512x384 1024x768' <<'END'
17 - 1085e-4 1369e-3 8199e-3 3861e-2
18 1 2592e-5 3635e-4 2166e-3 1055e-2
18 2 8320e-6 1028e-4 6050e-4 2901e-3
18 4 4664e-6 3403e-5 1962e-4 9316e-4
18 8 2565e-6 1041e-5 5339e-5 2544e-4
18 16 1728e-6 6216e-6 2694e-5 1352e-4
18 32 2677e-6 5337e-6 2676e-5 1261e-4
END

file=$reference/matmul-wiki/lab2_matprod.csv
sizes='16x16 160x160 1600x1600'
ok 'matmul-wiki: 9 rows, one trial each' rows_are "$file" 9 'trials=1,parameters=type=f32'
ok 'matmul-wiki: CPU' holds "$file" cpu - "$sizes" '0.010e-3 12.58e-3 21245e-3'
ok 'matmul-wiki: naive' holds "$file" naive 16 "$sizes" '0.085e-3 0.42e-3 398e-3'
ok 'matmul-wiki: shared_tile' holds "$file" shared_tile 16 "$sizes" '0.086e-3 0.15e-3 36e-3'

# Prose ---------------------------------------------------------------------------------------------

# ratio FILE WIDTH BLOCK PERCENT: GPU time is PERCENT of the CPU's, to the digits given.
ratio() {
    awk -v columns=speedup -v where="kind=gpu,width=$2,block_x=$3" -f "$select" "$1" |
        awk -v stated="$4" '
            { digits = length(stated) - index(stated, "."); got = sprintf("%." digits "f", 100 / $1) }
            END { if (got != stated) print got " %"; exit got != stated }'
}

# block_32_exceeds_16_at FILE WIDTHS: at these sizes, and at no others.
block_32_exceeds_16_at() {
    awk -v columns=width,block_x,time_s -v where='block_x=16|32' -f "$select" "$1" |
        awk -v stated="$2" '
            $2 == 16 { small = $3 }
            $2 == 32 && $3 > small { found = found (found == "" ? "" : " ") $1 }
            END { if (found != stated) print found; exit found != stated }'
}

times_grow_with_size() {
    awk -v columns=block_x,width,time_s -f "$select" "$1" | awk -F '\t' '
        ($1 in time) && !($2 > width[$1] && $3 > time[$1]) { print "block " $1 " at " $2; bad = 1 }
        { width[$1] = $2; time[$1] = $3 }
        END { exit bad }'
}

# best_at_1024 FILE BLOCK: at the largest size no block is faster than this one.
best_at_1024() {
    awk -v columns=speedup,block_x -v where='kind=gpu,width=1024' -f "$select" "$1" |
        awk -v block="$2" '$1 > best { best = $1; at = $2 } END { print at; exit at != block }'
}

file=$tesla/lab2_matprod.csv
ok 'result 2: 45.2 % at N = 32, block 1' ratio "$file" 32 1 45.2
ok 'result 2: 0.10 % at N = 1024, block 16' ratio "$file" 1024 16 0.10
ok 'result 2: block 16 is the best at N = 1024' best_at_1024 "$file" 16
ok 'result 2: block 32 slower than 16, but not at 256' block_32_exceeds_16_at "$file" \
    '32 64 128 512 1024'
ok 'result 2: time grows with N' times_grow_with_size "$file"

file=$tesla/lab3_bilateral.csv
ok 'result 3: 1.29 % at 32x24, block 1' ratio "$file" 32 1 1.29
ok 'result 3: 0.03 % at 1024x768, block 32' ratio "$file" 1024 32 0.03
ok 'result 3: block 32 slower than 16, but not at 32x24' block_32_exceeds_16_at "$file" \
    '64 128 256 512 1024'
ok 'result 3: time grows with the image' times_grow_with_size "$file"
ok 'result 3: the launch that cannot have run is marked' rows_are "$file" 1 \
    'width=32,block_x=32,note=table 14 of the 2012 lab report; the grid was 1x0 blocks so no kernel can have run'

file=$tesla/lab4_template.csv
ok 'result 4: 23.9 % at 128x96, block 1' ratio "$file" 128 1 23.9
ok 'result 4: 0.33 % at 1024x768, block 32 (the prose says 0.44 %)' ratio "$file" 1024 32 0.33
ok 'result 4: block 32 slower than 16 at 128x96 only (the prose: everywhere)' \
    block_32_exceeds_16_at "$file" 128
ok 'result 4: time grows with the image' times_grow_with_size "$file"

done_testing
