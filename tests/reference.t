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

is 'no median there is above the largest error' "$(grep -o '[0-9.]* / [0-9.]*' docs/accuracy.md |
    awk '$3 > $1')" ''

like 'the launch that cannot have run is marked' \
    "$(column width block_x note "$reference/tesla-c2050/lab3_bilateral.csv" | grep '^32,32,')" \
    '1x0 blocks so no kernel can have run'
done_testing
