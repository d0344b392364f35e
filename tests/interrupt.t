#!/bin/sh
# interrupt.t - a sweep that is interrupted keeps its finished rows and can be resumed; a results
# file that cannot be written or read stops a program before it starts to work.
# shellcheck source=tests/tap.sh
. tests/tap.sh

matprod=$B/matprod
[ -x "$matprod" ] || "$MAKE" -s BACKEND="$BACKEND" lab2_matprod >/dev/null || exit 1
sizes="$(awk 'BEGIN { for (n = 16; n < 36; n++) printf "%d ", n }')480" # the last one takes a while

# become_sweep CSV OPTION...: this shell becomes a sweep of 63 cases, some seconds of work, so
# that a signal for the one reaches the other.
become_sweep() {
    sweep_csv=$1
    shift
    exec "$matprod" --variants 'cpu naive' --sizes "$sizes" --blocks '4 16x2' --trials 3 \
        --time-cap 0.07 --csv "$sweep_csv" "$@"
}

sweep() {
    (become_sweep "$@")
}

status_of() {
    "$@" >"$folder/out" 2>"$folder/err"
    echo $?
}

# ---- what a results file is ----------------------------------------------------------------------

# has_rows CSV N: are there so many rows at least?
has_rows() {
    [ -f "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]
}

# fields FILE NAME...: those columns of its rows, with blanks between them.
fields() {
    fields_file=$1
    shift
    awk -F, -v names="$*" '
        { sub(/\r$/, "") }
        NR == 1 { for (i = 1; i <= NF; i++) place[$i] = i; n = split(names, name, " "); next }
        { for (i = 1; i <= n; i++) printf "%s%s", $place[name[i]], i < n ? " " : "\n" }' \
        "$fields_file"
}

# Whole records with every field, all of them of finished cases: ok, and timed where a time means
# something.
is_sound() {
    [ "$(tail -c 2 "$1" | od -A n -t x1 | tr -d ' ')" = 0d0a ] || {
        echo 'the last line has no end'
        return 1
    }
    awk -F, 'NR == 1 { columns = NF } !/\r$/ || /"/ || NF != columns { print; bad = 1 }
        END { exit bad || NR < 2 }' "$1" || return 1
    ! fields "$1" status kind time_s | grep -vE '^ok (emulated .*|cpu [0-9.e-]+)$'
}

# The cases, sorted: variant, size and block.
cases() {
    fields "$1" variant width height block_x block_y | sort
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
    if command -v sqlite3 >/dev/null; then
        query="select json_extract(readfile('$1'), '$.lab2_matprod.backend')"
        [ "$(sqlite3 :memory: "$query")" = "$BACKEND" ]
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
is 'it has all cases' "$(cases "$folder/whole/rows.csv" | wc -l | tr -d ' ')" 63

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
    ok "$signal: it did come before the end, after $kept rows" test "$kept" -lt 63
    ok "$signal: rows.csv and run.json are there, and no temporary file" \
        holds_only "$here" rows.csv run.json
    ok "$signal: run.json is JSON" is_json "$here/run.json"
    is "$signal: the last line on stderr says what is kept" "$(tail -n 1 "$folder/err")" \
        "lab2_matprod: interrupted; $kept finished rows are kept in $csv; the same with --resume \
(make: RESUME=1) goes on"

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
cases "$folder/before.csv" >"$folder/before"
is 'which is one row' "$(cases "$csv" | comm -13 "$folder/before" -)" 'naive 16 16 8 8'

# Rows without a time are not finished for a sweep that times.
checked=$folder/checked.csv
is 'a sweep that was only checked exits 0' \
    "$(status_of sweep "$checked" --check-only --sizes '16 17')" 0
is 'resumed to be timed, too' "$(status_of sweep "$checked" --resume --sizes '16 17')" 0
ok 'its rows have times then' is_sound "$checked"
is 'checked again' "$(status_of sweep "$checked" --check-only --sizes '16 17')" 0
ok 'it keeps them' is_sound "$checked"

# ---- a case that takes long ----------------------------------------------------------------------

ok 'a lab with a slow variant is built' \
    "$MAKE" -s -f tests/fault/Makefile BACKEND="$BACKEND" "$B/faulty"
"$B/faulty" --variants cpu_slow --sizes 2^20 --csv "$folder/slow.csv" >"$folder/out" \
    2>"$folder/err" &
pid=$!
sleep 0.5 # it is in a run of 10 s
kill -s INT $pid
waiting='^waits for cpu_slow 1048576x1 to end; Ctrl-C again stops at once$'
ok 'the first Ctrl-C says what is waited for' wait_until 5 grep -q "$waiting" "$folder/err"
kill -s INT $pid
wait $pid
is 'the second one stops at once' $? 130

# ---- files that cannot be written ----------------------------------------------------------------

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

# ---- files that cannot be resumed from -----------------------------------------------------------

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
sed '1s/variant/kernel/' "$sound" >"$broken"
will_not_resume 'a file whose rows have no names' 'rows.csv: not a results file.* record 1'
sed '4s/,ok,/,ok,,/' "$sound" >"$broken"
will_not_resume 'a file with a field too many' 'rows.csv: not a results file.* record 3'

# A file of an older version: columns are known by name, and those that it lacks are empty.
awk -F, -v OFS=, '{ sub(/\r$/, ""); print $2, $1, $3, $5, $6, $7, $8, $9, $10, $11, $24, $41 }' \
    "$sound" | tee "$folder/old.csv" >"$broken"
is 'a file with fewer columns, in another order, is resumed' \
    "$(status_of sweep "$broken" --resume --check-only)" 0
ok 'and has all cases already' cmp "$broken" "$folder/old.csv"

rm "$broken"
is 'resuming from no file is a first run' "$(status_of single --resume --csv "$broken")" 0
is 'with all its rows' "$(cases "$broken" | wc -l | tr -d ' ')" 2

# ---- what a later run keeps ----------------------------------------------------------------------

results=$folder/no/such/yet
rows=$results/here/lab2_matprod.csv
is '--results makes the folder' "$(status_of single --results "$results" --machine here)" 0
ok 'of the machine, with rows and run.json' holds_only "$results/here" lab2_matprod.csv run.json
is 'a run of one block' "$(status_of single --results "$results" --machine here --blocks 8)" 0
is 'keeps the other rows' "$(cases "$rows")" 'cpu 16 16  
naive 16 16 4 4
naive 16 16 8 8'
is 'two runs at once' "$(
    single --results "$results" --machine here --blocks '1 2 3 4 5 6' >/dev/null 2>&1 &
    single --results "$results" --machine here --blocks '7 8 9 10 11 12' >/dev/null 2>&1
    wait $!
    echo $?
)" 0
is 'lose none of theirs' "$(cases "$rows" | wc -l | tr -d ' ')" 13
is '--fresh' "$(status_of single --results "$results" --machine here --fresh)" 0
is 'starts anew' "$(cases "$rows" | wc -l | tr -d ' ')" 2

done_testing
