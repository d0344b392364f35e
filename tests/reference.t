#!/bin/sh
# reference.t - the recorded tables in data/reference: their shape, and the numbers that no report
# shows. Those of 2012 are in docs/report, and report.t holds them to it.
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

is 'matmul-wiki: its times' \
    "$(column variant width time_s "$reference/matmul-wiki/lab2_matprod.csv" | tr '\n' ' ')" \
    'cpu,16,1.0e-05 naive,16,8.5e-05 shared_tile,16,8.6e-05 '\
'cpu,160,1.258e-02 naive,160,4.2e-04 shared_tile,160,1.5e-04 '\
'cpu,1600,2.1245e+01 naive,1600,3.98e-01 shared_tile,1600,3.6e-02 '
like 'the launch that cannot have run is marked' \
    "$(column width block_x note "$reference/tesla-c2050/lab3_bilateral.csv" | grep '^32,32,')" \
    '1x0 blocks so no kernel can have run'
done_testing
