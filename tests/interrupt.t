#!/bin/sh
# interrupt.t - a sweep that is interrupted keeps its finished rows and can be resumed; a results
# file that cannot be written or read stops a program before it starts to work.
# shellcheck source=tests/tap.sh
. tests/tap.sh

matprod=$B/matprod
[ -x "$matprod" ] || "$MAKE" -s BACKEND="$BACKEND" lab2_matprod >/dev/null || exit 1
sizes="$(awk 'BEGIN { for (n = 16; n < 55; n++) printf "%d ", n }')480" # the last one takes a while

# become_sweep CSV OPTION...: this shell becomes a sweep of 120 cases, some seconds of work, so
# that a signal for the one reaches the other.
become_sweep() {
    sweep_csv=$1
    shift
    exec "$matprod" --variants 'cpu naive' --sizes "$sizes" --blocks '4 16x2' --trials 3 --time-cap 0.07 \
        --csv "$sweep_csv" "$@"
}

sweep() {
    (become_sweep "$@")
}

status_of() {
    "$@" >"$folder/out" 2>"$folder/err"
    echo $?
}

# ---- what a results file is ------------------------------------------------------------------------

# has_rows CSV N: are there so many rows at least?
has_rows() {
    [ -f "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]
}

# Whole records with every field, all of them of finished cases: ok, and timed.
is_sound() {
    [ "$(tail -c 2 "$1" | od -A n -t x1 | tr -d ' ')" = 0d0a ] || {
        echo 'the last line has no end'
        return 1
    }
    awk -F, -v header="$results_header" '
        NR == 1 { columns = split(header, name); for (i = 1; i <= columns; i++) if (name[i] == "status") s = i }
        !/\r$/ || /"/ || NF != columns { print "line " NR ": " $0; bad = 1 }
        NR > 1 && ($s != "ok" || !($12 > 0) || !($11 > 0)) { print "row " NR - 1 ": " $0; bad = 1 }
        END { exit bad || NR < 2 }' "$1"
}

# The cases, sorted: variant, size and block.
cases() {
    awk -F, 'NR > 1 { print $2, $6, $7, $8, $9 }' "$1" | sort
}

# holds_only DIRECTORY NAME...: these files and no others, hidden ones included.
holds_only() {
    found=$(ls -A "$1")
    shift
    expected=$(printf '%s\n' "$@")
    [ "$found" = "$expected" ] || {
        printf 'found: %s\n' "$found"
        return 1
    }
}

is_json() {
    if python3 -c '' 2>/dev/null; then
        python3 -c 'import json, sys; sys.exit("lab2_matprod" not in json.load(open(sys.argv[1])))' "$1"
    else
        grep -q '^"lab2_matprod": {.*}$' "$1" && [ "$(tail -n 1 "$1")" = '}' ]
    fi
}

# begins_with FILE START: are the first bytes of the file those of the other?
begins_with() {
    head -c "$(wc -c <"$2")" "$1" | cmp - "$2"
}

mkdir "$folder/whole"
is 'an uninterrupted sweep exits 0' "$(status_of sweep "$folder/whole/rows.csv" --check-only)" 0
is 'it has all cases' "$(cases "$folder/whole/rows.csv" | wc -l | tr -d ' ')" 120

# ---- a signal, and the run that goes on from there -----------------------------------------------

interrupt() {
    signal=$1
    here=$folder/$signal
    csv=$here/rows.csv
    mkdir "$here"

    become_sweep "$csv" >"$folder/out" 2>"$folder/err" &
    pid=$!
    ok "$signal: some rows are there before the end" wait_until 20 has_rows "$csv" 5
    kill -s "$signal" "$pid"
    wait "$pid"
    is "$signal: exit status 130" "$?" 130
    ok "$signal: the file is sound and holds finished rows only" is_sound "$csv"
    kept=$(cases "$csv" | wc -l | tr -d ' ')
    ok "$signal: it did come before the end, after $kept rows" test "$kept" -lt 120
    ok "$signal: rows.csv and run.json are there, and no temporary file" \
        holds_only "$here" rows.csv run.json
    ok "$signal: run.json is JSON" is_json "$here/run.json"
    is "$signal: the last line on stderr says what is kept" "$(tail -n 1 "$folder/err")" \
        "lab2_matprod: interrupted; $kept finished rows are kept in $csv"

    cp "$csv" "$folder/before.csv"
    is "$signal: resumed, it exits 0" "$(status_of sweep "$csv" --resume)" 0
    ok "$signal: the finished rows are kept byte for byte" begins_with "$csv" "$folder/before.csv"
    ok "$signal: the file is sound" is_sound "$csv"
    is "$signal: it has the cases of an uninterrupted sweep, each once" "$(cases "$csv")" \
        "$(cases "$folder/whole/rows.csv")"
    ok "$signal: no temporary file stays" holds_only "$here" rows.csv run.json
}

interrupt INT
interrupt TERM

cp "$csv" "$folder/before.csv"
is 'a complete sweep that is resumed exits 0' "$(status_of sweep "$csv" --resume)" 0
ok 'and leaves its rows byte for byte' cmp "$csv" "$folder/before.csv"
is 'resumed with a larger block, only that is new' \
    "$(status_of sweep "$csv" --resume --sizes 16 --blocks '4 8')" 0
is 'the rows that were there are there' "$(sort "$csv" "$folder/before.csv" | uniq -d | wc -l)" \
    "$(wc -l <"$folder/before.csv")"
is 'which is one row' "$(sort "$csv" "$folder/before.csv" | uniq -u | cut -d , -f 2,6-9)" \
    naive,16,16,8,8

# Rows without a time are not finished for a sweep that times.
is 'a sweep that was only checked exits 0' \
    "$(status_of sweep "$folder/whole/rows.csv" --check-only --sizes '16 17')" 0
is 'resumed to be timed, too' "$(status_of sweep "$folder/whole/rows.csv" --resume --sizes '16 17')" 0
ok 'its rows have times then' is_sound "$folder/whole/rows.csv"

# ---- files that cannot be written ------------------------------------------------------------------

single() {
    "$matprod" --variants 'cpu naive' --sizes 16 --blocks 4 --check-only "$@"
}

mkdir "$folder/none" "$folder/none/inner"
refuses 'a directory as CSV file' 2 "none/inner: .*directory" single --csv "$folder/none/inner"
refuses 'a missing folder' 2 "missing/rows.csv: .*No such file" \
    single --csv "$folder/none/missing/rows.csv"
refuses 'a file as folder' 2 'Makefile/rows.csv: .*Not a directory' single --csv Makefile/rows.csv
refuses 'an empty name' 2 'empty' single --csv ''
refuses 'a device' 2 '/dev/null: ' single --csv /dev/null
# A product that takes half a minute at least is not even begun.
refuses 'before any work' 2 'No such file' timeout 10 \
    "$matprod" --variants cpu --sizes 4000 --check-only --csv "$folder/none/missing/rows.csv"
ok 'nothing is left' holds_only "$folder/none" inner
ok 'anywhere' holds_only "$folder/none/inner" ''
chmod a-w "$folder/none/inner"
if [ -w "$folder/none/inner" ]; then
    skip 'a folder without leave to write' 'root may write anywhere'
else
    refuses 'a folder without leave to write' 2 'Permission denied' \
        single --csv "$folder/none/inner/rows.csv"
fi

# ---- files that cannot be resumed from -------------------------------------------------------------

mkdir "$folder/broken"
broken=$folder/broken/rows.csv

# will_not_resume NAME PATTERN: the file stays as it is, down to its time.
will_not_resume() {
    cp -p "$broken" "$folder/copy"
    refuses "resuming from $1" 2 "$2" single --resume --csv "$broken"
    ok "$1: the file stays as it is" cmp "$broken" "$folder/copy"
    ok "$1: it is not written anew" test ! "$broken" -nt "$folder/copy"
    ok "$1: nothing is left beside it" holds_only "$folder/broken" rows.csv
}

sound=$folder/INT/rows.csv
echo 'not a results file' >"$broken"
will_not_resume 'another file' 'rows.csv: not a results file.* record 1'
: >"$broken"
will_not_resume 'an empty file' 'rows.csv: not a results file.* record 1'
head -c 1500 "$sound" >"$broken"
will_not_resume 'a file that was cut off' 'rows.csv: not a results file.* record [2-9]'
sed '3s/,/,"/' "$sound" >"$broken"
will_not_resume 'a file with an open quote' 'rows.csv: not a results file.* record 2'
sed '1s/time_s/time_ms/' "$sound" >"$broken"
will_not_resume 'a file with other columns' 'rows.csv: not a results file.* record 1'
sed '4s/,ok,/,ok,,/' "$sound" >"$broken"
will_not_resume 'a file with a field too many' 'rows.csv: not a results file.* record 3'

rm "$broken"
is 'resuming from no file is a first run' "$(status_of single --resume --csv "$broken")" 0
is 'with all its rows' "$(cases "$broken" | wc -l | tr -d ' ')" 2

done_testing
