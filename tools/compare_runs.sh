#!/bin/sh
# compare_runs.sh - two runs of one machine, row by row: faster, slower, or the same?
#
#   sh tools/compare_runs.sh [OPTION...] A B
#   sh tools/compare_runs.sh [OPTION...] --results data/results/MACHINE [A]
#
# A run is a folder with results, lab*.csv; or, of the history in --results, the name of a folder or
# the name that HISTORY=NAME gave, of which the last one counts. A is the older one. Without B the
# results themselves are the newer one. Without A, too, the results are compared with the newest run
# of the history if they are not the same, and else the two newest runs of the history.
#
#   --threshold PERCENT   a difference of so much or less is none (10)
#   --kinds "gpu vendor"  the kinds of rows that are judged; others are only counted
#   --all                 the rows that are the same are shown, too
#   --across              A and B may be of two machines
#
# What a difference is tells compare_runs.awk. Exit status: 0; 1 where a row is slower, or was ok
# and is no longer; 2 for bad input.

here=$(unset CDPATH && cd -- "$(dirname -- "$0")" && pwd) || exit 1
threshold=10 kinds='gpu vendor' results='' all='' across=''
options='threshold kinds results' flags='all across'
# shellcheck source=tools/options.sh
. "$here/options.sh"
[ $# -le 2 ] || refuse 'two runs at most'
printf '%s\n' "$threshold" | grep -qxE '[0-9]+([.][0-9]*)?|[.][0-9]+' ||
    refuse "the threshold '$threshold' is no number of percent, such as 5"
judged=''
for kind in $kinds; do
    case $kind in cpu | gpu | vendor) ;; *) refuse "'$kind' is no kind: cpu, gpu, vendor" ;; esac
    judged=$judged${judged:+ }$kind
done
[ -n "$judged" ] || refuse 'of which kinds? Some of: cpu, gpu, vendor'

has_rows() {
    set -- "$1"/lab*.csv
    [ -f "$1" ]
}

# find_run NAME: its folder, in $run.
find_run() {
    run=$1
    if [ ! -d "$1" ] && [ -n "$results" ]; then
        for folder in "$results/history/$1" "$results"/history/????????T??????Z_"$1"; do
            [ ! -d "$folder" ] || run=$folder
        done
    fi
    [ -d "$run" ] || refuse "'$1' is neither a folder nor a run${results:+ in $results/history}"
    has_rows "$run" || refuse "there are no results, lab*.csv, in $run"
}

# is_stray FILE: is it no lab's? A line says why.
is_stray() {
    ! awk -f "$here/csv.awk" -f "$here/stray.awk" "$1"
}

# Are the results' rows others than those of the folder?
is_newer_than() {
    for rows in "$results"/lab*.csv; do
        cmp -s "$rows" "$1/${rows##*/}" || is_stray "$rows" >/dev/null || return 0
    done
    return 1
}

# find_newest: the two to compare where none is named, in $old and $new.
find_newest() {
    old='' new=''
    for folder in "$results"/history/*/; do
        has_rows "$folder" || continue
        old=$new new=${folder%/}
    done
    [ -n "$new" ] || refuse "no run is kept in $results/history: HISTORY=1 keeps those to come"
    if has_rows "$results" && is_newer_than "$new"; then
        old=$new new=$results
    fi
    [ -n "$old" ] || refuse "the one run in $results/history is what the results are; name another"
}

if [ $# -eq 0 ]; then
    [ -n "$results" ] || refuse 'which runs? A and B are folders with results'
    find_newest
else
    find_run "$1" && old=$run
    [ $# -eq 2 ] || [ -n "$results" ] || refuse "with which run? B is a folder with results"
    find_run "${2:-$results}" && new=$run
fi
[ "$(cd "$old" && pwd -P)" != "$(cd "$new" && pwd -P)" ] ||
    refuse "A and B are the same folder, $old"

# take RUN FOLDER: its rows, to $work/rows.
take() {
    for rows in "$2"/lab*.csv; do
        ! why=$(is_stray "$rows") || { say "$2: $why" && continue; }
        why=$(awk -v run="$1" -v across="$across" -f "$here/csv.awk" -f "$here/row.awk" \
            -f "$here/run_rows.awk" "$rows" 2>&1 >>"$work/rows") || refuse "$why"
    done
}

# machines RUN: their names.
machines() {
    awk -F '\t' -v run="$1" '$1 == run { print $6 }' "$work/rows" | sort -u | tr '\n' ' '
}

take A "$old"
take B "$new"
a=$(machines A) b=$(machines B)
[ -n "$across" ] || [ "$a" = "$b" ] ||
    refuse "A is of ${a% }, B of ${b% }; ACROSS=1 (--across) compares two machines"

RUN_A=$old RUN_B=$new awk -v threshold="$threshold" -v kinds="$judged" -v all="$all" \
    -f "$here/words.awk" -f "$here/compare_runs.awk" "$work/rows"
