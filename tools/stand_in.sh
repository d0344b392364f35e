#!/bin/sh
# stand_in.sh - whose rows tell of a machine, of its GPU and of the past.
#
#   sh tools/stand_in.sh --results DIR MACHINE
#
# prints three folders, a line each: that of the machine's own rows, DIR/MACHINE or else
# data/reference/MACHINE; that of the rows that tell of its GPU, which is its own where it measured
# a kernel and else the recorded H200's; and that of 2012. Exit status: 0; 2 for a wrong command
# line or a machine without rows, with a line that names those there are.

set -u
LC_ALL=C
export LC_ALL
unset CDPATH

reference=$(cd -- "$(dirname -- "$0")/../data/reference" && pwd) || exit 2

refuse() {
    printf 'stand_in.sh: %s\n' "$1" >&2
    exit 2
}

has_rows() {
    for rows in "$1"/lab*.csv; do
        [ ! -f "$rows" ] || return 0
    done
    return 1
}

# The names of all machines with rows, on one line.
machines() {
    for folder in "$results"/*/ "$reference"/*/; do
        has_rows "$folder" && basename "$folder"
    done | sort -u | tr '\n' ' '
}

# Whether a folder holds a time of a GPU kernel. Texts in quotes, which may hold commas, are none
# of the columns that are looked at.
has_kernel() {
    awk -F , '
        { gsub(/"[^"]*"|\r$/, "") }
        FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i }
        $at["kind"] == "gpu" && $at["status"] == "ok" && $at["time_s"] + 0 > 0 { found = 1; exit }
        END { exit !found }' "$1"/lab*.csv
}

if [ $# -ne 3 ] || [ "$1" != --results ]; then
    refuse 'needs --results DIR MACHINE'
fi
results=$2
machine=$3
case $machine in
    '' | .* | */*) refuse "'$machine' is not the name of a machine's folder" ;;
esac

own=$results/$machine
has_rows "$own" || own=$reference/$machine
has_rows "$own" || refuse "no results for '$machine'; there are: $(machines)"
gpu=$own
has_kernel "$own" || gpu=$reference/nvidia-h200
printf '%s\n' "$own" "$gpu" "$reference/tesla-c2050"
