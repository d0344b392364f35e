#!/bin/sh
# claims.sh FOLDER - what the rows there, which timing.sh measured, say of each claim: points.csv, a
# line for each comparison, claims.csv, which is shown, and with gnuplot timing.png. Exit status 1 if
# a limit was missed.
set -eu
root=$(unset CDPATH && cd -- "$(dirname -- "$0")/../.." && pwd)
cd "$1"
l2=$(sed -n 's/.*"l2_bytes": \([0-9]*\).*/\1/p' run.json | head -n 1)
awk -v l2="$l2" -f "$root/tools/csv.awk" -f "$root/tests/timing/claims.awk" \
    asleep.csv busy.csv hot.csv pinned.csv profiler.csv quiet.csv single.csv writing.csv
awk -f "$root/tools/csv.awk" -f "$root/report/markdown.awk" -f "$root/tools/show.awk" claims.csv
if command -v gnuplot >/dev/null; then
    gnuplot -e "folder='.'; root='$root'; machine='$(basename "$(dirname "$PWD")")'" \
        -e "l2=$l2.0; output='timing.png'" "$root/tests/timing/figure.gp"
fi
! grep -q missed claims.csv
