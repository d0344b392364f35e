#!/bin/sh
# reference.t - the shape of the recorded tables in data/reference. The numbers of 2012 are in
# docs/report, and report.t holds them to it.
. tests/tap.sh

reference=data/reference

# RFC 4180: every line ends in CRLF, the last one too.
ends_in_crlf() {
    [ "$(tail -c 2 "$1" | od -A n -t x1 | tr -d ' ')" = 0d0a ] && ! grep -vq "$(printf '\r')\$" "$1"
}

for file in "$reference"/*/lab*.csv; do
    short=${file#"$reference"/}
    ok "$short: its lines end in CRLF" ends_in_crlf "$file"
    is "$short: its rows name the lab and the machine" "$(column lab machine "$file" | sort -u)" \
        "$(basename "$file" .csv),$(basename "$(dirname "$file")")"
    is "$short: each has a status" \
        "$(column status "$file" | grep -vxE 'ok|wrong|skipped|failed')" ''
done

# docs/trust.md tells why a test may skip something on a GPU.
for test in $(column file skipped "$reference/nvidia-h200/tests.csv" | sed -n 's/,[1-9].*//p'); do
    ok "$test: docs/trust.md says what it skips on a GPU" \
        grep -q "^|.*\`$(echo "$test" | sed 's|^build/[^/]*/tests/||')\`" docs/trust.md
done

is 'docs/accuracy.md has the recorded errors' "$(awk -f tools/csv.awk -f tools/accuracy.awk \
    "$reference"/nvidia-h200/accuracy_*.csv)" "$(cat docs/accuracy.md)"

sed '/^lab2_matprod,tensor_split,.*data=normal,2048,/s/,ok,/,failed,/' \
    "$reference/nvidia-h200/accuracy_1.csv" >"$folder/failed.csv"
is 'who failed has no error, and keeps no promise' "$(awk -f tools/csv.awk -f tools/accuracy.awk "$folder/failed.csv" \
    "$reference/nvidia-h200/accuracy_2.csv" |
    awk '/^## N = / { size = $4 } size == 2048 && (/^[|] normal [|]/ || /keep/)' |
    sed 's/^[|] normal [|][^|]*[|] \([^|]*\) [|].*/\1/; s/.*not/not/' | tr '\n' ' ')" 'failed not normal by tensor_split. '

# What lab 2's notes and answers, and docs/lens.md, say of the H200, by its rows: times in us by variant, N, block.
column variant width block_x cache time_s "$reference/nvidia-h200/lab2_matprod.csv" | awk -F , '
    function us(variant, n, block) { return time[variant, n, block] * 1e6 }
    function range(from, to, by) { # by so many % a block of 32x32 is slower (by 1) or faster (-1) than one of 16x16
        for (least = 100 + (most = 0); from <= to; from *= 2)
            for (v in squares) {
                gain = sprintf("%.0f", by * (us(v, from, 32) / us(v, from, 16) - 1) * 100) + 0
                least = gain < least ? gain : least
                most = gain > most ? gain : most
            }
        return least " to " most
    }
    $4 == "cold" && $5 != "" && !(($1, $2, $3) in time) { time[$1, $2, $3] = $5 }
    END {
        squares["register_sum"]; squares["shared_tile"]
        printf "by %s %% up to N = 256", range(32, 256, 1)
        printf "|by %s %%, at 1040", range(512, 4096, -1)
        printf " slower by %s[.]", range(1040, 1040, 1)
        printf "|`cublas_tf32` is %.1f times as fast as `cublas`", us("cublas", 4096) / us("cublas_tf32", 4096)
        printf "|%.0f us where `cublas` takes %.0f[.]", us("slice_k", 1024, 256), us("cublas", 1024)
        printf "|%.2f ms, against %.1f of `shared_tile`: %.0f TFLOP/s", us("tensor_tf32", 4096, 256) / 1e3,
            us("shared_tile", 4096, 32) / 1e3, 2 * 4096 ^ 3 / us("tensor_tf32", 4096, 256) / 1e6
        for (n = 2048; n <= 8192; n *= 2)
            printf "%s %.0f", n == 2048 ? "|on an H200" : n < 8192 ? "," : " and",
                100 * us("cublas_tf32", n) / us("tensor_tf32_hopper", n, 384)
        v = "tensor_split_mma"
        printf "[.]|on an H200 %.0f us, %.3f ms and %.2f, as many", us(v, 1024, 256), us(v, 2048, 256) / 1e3,
            us(v, 4096, 256) / 1e3
        printf "|that is %.1f ms and %.1f ms on an H200", us("naive", 4096, 16) / 1e3,
            us("register_sum", 4096, 32) / 1e3
        printf "|%.2f to %.2f ms at", us("vector_loads", 4096, 256) / 1e3, us("double_buffer", 4096, 256) / 1e3
        printf "|`shared_tile` takes %.0f us at 1024 in blocks of 16x16", us("shared_tile", 1024, 16)
    }' | tr '|' '\n' >"$folder/said"
notes=$(cat lab2_matprod/NOTES.md lab2_matprod/answers.md docs/lens.md | tr -s '\n ' ' ')
while read -r sentence || [ -n "$sentence" ]; do
    like "lab 2: $sentence" "$notes" "$sentence"
done <"$folder/said"

is 'no median there is above the largest error' "$(grep -o '[0-9.]* / [0-9.]*' docs/accuracy.md |
    awk '$3 > $1')" ''

like 'the launch that cannot have run is marked' \
    "$(column width block_x note "$reference/tesla-c2050/lab3_bilateral.csv" | grep '^32,32,')" \
    '1x0 blocks so no kernel can have run'
done_testing
