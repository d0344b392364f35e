#!/bin/sh
# stand_in.sh - whose rows tell of a machine, of its GPU and of the past.
#
#   sh tools/stand_in.sh --results DIR MACHINE
#
# prints three folders, a line each: that of the machine's own rows, DIR/MACHINE or else
# data/reference/MACHINE; that of the rows that tell of its GPU, which is its own where it measured
# a kernel and else the recorded H200's; and that of 2012. Exit status: 0; 2 for a machine without
# rows, with a line that names those there are.

set -u
unset CDPATH

tools=$(dirname -- "$0")
reference=$(cd -- "$tools/../data/reference" && pwd) || exit 2

refuse() {
    printf 'stand_in.sh: %s\n' "$1" >&2
    exit 2
}

has_rows() {
    set -- "$1"/lab*.csv
    [ -f "$1" ]
}

# The names of all machines with rows, on one line.
machines() {
    for folder in "$results"/*/ "$reference"/*/; do
        has_rows "$folder" && basename "$folder"
    done | sort -u | tr '\n' ' '
}

# Whether a folder holds a time of a GPU kernel.
has_kernel() {
    for rows in "$1"/lab*.csv; do
        awk -f "$tools/csv.awk" -f "$tools/column.awk" kind status time_s "$rows"
    done | grep -q '^gpu,ok,.'
}

results=$2 # behind --results
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
