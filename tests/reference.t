#!/bin/sh
# reference.t - the recorded tables in data/reference hold what was printed.
#
# The numbers below were typed from the 2012 lab report a second time, column by column (the CSVs
# were typed row by row). Where its prose disagrees with its tables, the tables count: template
# matching at 1024x768 with blocks of 32 takes 0.33 % of the CPU's time (the prose: 0.44 %), and
# block 32 is slower than 16 at 128x96 only (the prose: everywhere).
# shellcheck source=tests/tap.sh
. tests/tap.sh

reference=data/reference
tesla=$reference/tesla-c2050

# ---- shape ---------------------------------------------------------------------------------------

# RFC 4180: every line ends in CRLF, the last one too.
ends_in_crlf() {
    [ "$(tail -c 2 "$1" | od -A n -t x1 | tr -d ' ')" = 0d0a ] && ! grep -vq "$(printf '\r')\$" "$1"
}

for file in "$reference"/*/lab*.csv; do
    short=${file#"$reference"/}
    ok "$short: its lines end in CRLF" ends_in_crlf "$file"
    is "$short: its rows name the lab" "$(column lab "$file" | sort -u)" "$(basename "$file" .csv)"
    is "$short: and the machine" "$(column machine "$file" | sort -u)" \
        "$(basename "$(dirname "$file")")"
    is "$short: each has a status" \
        "$(column status "$file" | grep -vxE 'ok|wrong|skipped|failed')" ''
done

# ---- numbers -------------------------------------------------------------------------------------

# holds FILE VARIANT BLOCK SIZES TIMES: the column of one block size (`-` for the CPU), and no other
# row beside it. Times are compared as numbers, after the speedup as cpu time / gpu time.
holds() {
    column variant block_x block_y threads_per_block width height time_s speedup "$1" |
        awk -F , -v variant="$2" -v block="${3#-}" -v sizes="$4" -v times="$5" '
        function near(a, b, tolerance) { return (a - b) ^ 2 <= (tolerance * b) ^ 2 }
        BEGIN {
            n = split(sizes, size, " ")
            split(times, time, " ")
            for (i = 1; i <= n; i++)
                expected[size[i]] = time[i] + 0
        }
        $1 == "cpu" { cpu[$5 "x" $6] = $7 }
        $1 == variant && $2 == block {
            at = $5 "x" $6
            threads = block == "" ? "" : block * block
            good = at in expected && near($7, expected[at], 1e-9) && $3 == block && $4 == threads
            if (!good || (block == "" ? $8 != "" : !near($8, cpu[at] / $7, 6e-6)))
                print $0 ", typed again: " expected[at]
            delete expected[at]
        }
        END { for (at in expected) print "no row of " at }'
}

# table FILE SIZES: checks the columns on standard input, `table block time...`, the CPU's first.
table() {
    while read -r number block times; do
        variant=naive
        [ "$block" != - ] || variant=cpu
        is "table $number, block $block" "$(holds "$1" "$variant" "$block" "$2" "$times")" ''
    done
}

# rows FILE COLUMN...: how often which values of these columns are there.
counts() {
    file=$1
    shift
    column "$@" "$file" | sort | uniq -c | sed 's/^ *//'
}

product=$tesla/lab2_matprod.csv
is 'matrix product: its rows' "$(counts "$product" variant trials parameters)" '6 cpu,3,type=f32
36 naive,3,type=f32'
table "$product" '32x32 64x64 128x128 256x256 512x512 1024x1024' <<'END'
9 - 2134e-7 1733e-6 1546e-5 1292e-4 1076e-3 4817e-2
10 1 9640e-8 4706e-7 6252e-6 5033e-5 4306e-4 4099e-3
10 2 6763e-8 2063e-7 1715e-6 1345e-5 1198e-4 1097e-3
10 4 5666e-8 1187e-7 5660e-7 4023e-6 3832e-5 3541e-4
10 8 5635e-8 7033e-8 2077e-7 1143e-6 1144e-5 9731e-5
10 16 5404e-8 6700e-8 1403e-7 6640e-7 5958e-6 4853e-5
10 32 5770e-8 7272e-8 1590e-7 6293e-7 6177e-6 5127e-5
END

bilateral=$tesla/lab3_bilateral.csv
work='radius=3;sigma_space=30;sigma_range=30;passes=1;type=f32'
is 'bilateral filter: its rows' "$(counts "$bilateral" variant trials parameters)" "6 cpu,3,$work
36 naive,3,$work"
table "$bilateral" '32x24 64x48 128x96 256x192 512x384 1024x768' <<'END'
13 - 2167e-5 8681e-5 3464e-4 1389e-3 5547e-3 2246e-2
14 1 2800e-7 9687e-7 3724e-6 1476e-5 5907e-5 2397e-4
14 2 1127e-7 2933e-7 1012e-6 3881e-6 1570e-5 6567e-5
14 4 8003e-8 1203e-7 3160e-7 1115e-6 4555e-6 1944e-5
14 8 7963e-8 8663e-8 1503e-7 4397e-7 1648e-6 6386e-6
14 16 7963e-8 9934e-8 1507e-7 4160e-7 1555e-6 5917e-6
14 32 4729e-8 1530e-7 1543e-7 4797e-7 1636e-6 5951e-6
END

template=$tesla/lab4_template.csv
work='template=64x64;measure=ssd;type=f32'
is 'template matching: its rows' "$(counts "$template" variant trials parameters)" "4 cpu,3,$work
24 naive,3,$work"
table "$template" '128x96 256x192 512x384 1024x768' <<'END'
17 - 1085e-4 1369e-3 8199e-3 3861e-2
18 1 2592e-5 3635e-4 2166e-3 1055e-2
18 2 8320e-6 1028e-4 6050e-4 2901e-3
18 4 4664e-6 3403e-5 1962e-4 9316e-4
18 8 2565e-6 1041e-5 5339e-5 2544e-4
18 16 1728e-6 6216e-6 2694e-5 1352e-4
18 32 2677e-6 5337e-6 2676e-5 1261e-4
END

wiki=$reference/matmul-wiki/lab2_matprod.csv
sizes='16x16 160x160 1600x1600'
is 'matmul-wiki: CPU' "$(holds "$wiki" cpu - "$sizes" '0.010e-3 12.58e-3 21245e-3')" ''
is 'matmul-wiki: naive' "$(holds "$wiki" naive 16 "$sizes" '0.085e-3 0.42e-3 398e-3')" ''
is 'matmul-wiki: shared_tile' "$(holds "$wiki" shared_tile 16 "$sizes" '0.086e-3 0.15e-3 36e-3')" ''

like 'the launch that cannot have run is marked' \
    "$(column width block_x note "$bilateral" | grep '^32,32,')" \
    '1x0 blocks so no kernel can have run'
done_testing
