#!/bin/sh
# interrupt.t - a sweep that is interrupted keeps its finished rows and can be resumed; a results
# file that cannot be written or read stops a program before it starts to work.
# shellcheck source=tests/tap.sh
. tests/tap.sh

matprod=$B/matprod
[ -x "$matprod" ] || "$MAKE" -s BACKEND="$BACKEND" lab2_matprod >/dev/null || exit 1
sizes="$(awk 'BEGIN { for (n = 16; n < 36; n++) printf "%d ", n }')256" # the last takes a while

# become_sweep CSV OPTION...: this shell becomes a sweep of 63 cases, a second or more of work, so
# that a signal for the one reaches the other.
become_sweep() {
    sweep_csv=$1
    shift
    exec "$matprod" --variants 'cpu naive' --sizes "$sizes" --blocks '4 16x2' --trials 3 \
        --time-cap 0.05 --csv "$sweep_csv" "$@"
}

sweep() {
    (become_sweep "$@")
}

# ---- what a results file is ----------------------------------------------------------------------

# has_rows CSV N: are there so many rows at least?
has_rows() {
    [ -f "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]
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
    ! column status kind time_s "$1" | grep -vE '^ok,(emulated,.*|(cpu|gpu),[0-9.e-]+)$'
}

# The cases, sorted: variant, size and block.
cases() {
    column variant width height block_x block_y "$1" | sort
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

# begins_with FILE START: are the first bytes of the file those of the other?
begins_with() {
    head -c "$(wc -c <"$2")" "$1" | cmp - "$2"
}

mkdir "$folder/whole"
exits 'an uninterrupted sweep exits 0' 0 sweep "$folder/whole/rows.csv" --check-only
is 'it has all cases' "$(cases "$folder/whole/rows.csv" | wc -l | tr -d ' ')" 63

# ---- a signal, and the run that goes on from there -----------------------------------------------

for signal in TERM INT; do
    here=$folder/$signal
    csv=$here/rows.csv
    mkdir "$here"
    become_sweep "$csv" >"$folder/out" 2>"$folder/err" &
    pid=$!
    ok "$signal: some rows are there before the end" wait_until 20 has_rows "$csv" 5
    kill -s $signal $pid
    wait $pid
    is "$signal: exit status 130" $? 130
    ok "$signal: the file is sound and holds finished rows only" is_sound "$csv"
    kept=$(cases "$csv" | wc -l | tr -d ' ')
    ok "$signal: it did come before the end, after $kept rows" test "$kept" -lt 63
    ok "$signal: rows.csv and run.json are there, and no temporary file" \
        holds_only "$here" rows.csv run.json
    is "$signal: the last line on stderr says what is kept" "$(tail -n 1 "$folder/err")" \
        "lab2_matprod: interrupted; $kept finished rows are kept in $csv; the same with --resume \
(make: RESUME=1) goes on"
done

cp "$csv" "$folder/before.csv"
exits 'resumed, it exits 0' 0 sweep "$csv" --resume
ok 'the finished rows are kept byte for byte' begins_with "$csv" "$folder/before.csv"
ok 'the file is sound' is_sound "$csv"
is 'it has the cases of an uninterrupted sweep, each once' "$(cases "$csv")" \
    "$(cases "$folder/whole/rows.csv")"
ok 'no temporary file stays' holds_only "$here" rows.csv run.json

cp "$csv" "$folder/before.csv"
exits 'a complete sweep that is resumed exits 0' 0 sweep "$csv" --resume
ok 'and leaves its rows byte for byte' cmp "$csv" "$folder/before.csv"
exits 'resumed with a larger block' 0 sweep "$csv" --resume --sizes 16 --blocks '4 8'
ok 'the rows that were there are there' begins_with "$csv" "$folder/before.csv"
is 'and one more' "$(column variant width block_x "$csv" | sed 1,63d)" naive,16,8

# Rows without a time are not finished for a sweep that times.
checked=$folder/checked.csv
sweep "$checked" --check-only --sizes '16 17' >"$folder/out"
exits 'checked rows are resumed to be timed' 0 sweep "$checked" --resume --sizes '16 17'
ok 'they have times then' is_sound "$checked"
sweep "$checked" --check-only --sizes '16 17' >"$folder/out"
ok 'and keep them when they are checked again' is_sound "$checked"

# ---- a case that takes long ----------------------------------------------------------------------

ok 'a lab with a slow variant is built' \
    "$MAKE" -s BACKEND="$BACKEND" "$B/faulty"
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

# ---- files that cannot be written, or resumed from -----------------------------------------------

single() {
    "$matprod" --variants 'cpu naive' --sizes 16 --blocks 4 --check-only "$@"
}

mkdir "$folder/none"
refuses 'a file as folder' 2 'Makefile/rows.csv: .*Not a directory' single --csv Makefile/rows.csv
refuses 'an empty name' 2 'empty' single --csv ''
refuses 'a device' 2 '/dev/null: ' single --csv /dev/null
# A product that takes half a minute at least is not even begun.
refuses 'before any work' 2 'No such file' timeout 10 \
    "$matprod" --variants cpu --sizes 4000 --check-only --csv "$folder/none/missing/rows.csv"
ok 'nothing is left' holds_only "$folder/none" ''
chmod a-w "$folder/none"
if [ -w "$folder/none" ]; then
    skip 'a folder without leave to write' 'root may write anywhere'
else
    refuses 'a folder without leave to write' 2 'Permission denied' \
        single --csv "$folder/none/rows.csv"
fi

# What a broken file is test_result knows.
broken=$folder/broken/rows.csv
mkdir "$folder/broken"
head -c 1500 "$csv" >"$broken"
cp -p "$broken" "$folder/copy"
refuses 'resuming from a file that was cut off' 2 'rows.csv: not a results file.* record [2-9]' \
    single --resume --csv "$broken"
ok 'it stays as it is' cmp "$broken" "$folder/copy"
ok 'it is not written anew' test ! "$broken" -nt "$folder/copy"
ok 'nothing is left beside it' holds_only "$folder/broken" rows.csv

# A file of an older version: columns are known by name, and those that it lacks are empty.
awk -F, -v OFS=, '{ sub(/\r$/, ""); print $2, $1, $3, $5, $6, $7, $8, $9, $10, $11, $24, $41 }' \
    "$csv" | tee "$folder/old.csv" >"$broken"
exits 'a file with fewer columns, in another order, is resumed' 0 \
    sweep "$broken" --resume --check-only
ok 'and has all cases already' cmp "$broken" "$folder/old.csv"
rm "$broken"
exits 'resuming from no file is a first run' 0 single --resume --csv "$broken"

# ---- what a later run keeps ----------------------------------------------------------------------

results=$folder/no/such/yet
rows=$results/here/lab2_matprod.csv
here() {
    single --results "$results" --machine here "$@"
}

exits '--results makes the folder' 0 here
ok 'of the machine, with rows and run.json' holds_only "$results/here" lab2_matprod.csv run.json
exits 'a run of one block' 0 here --blocks 8
is 'keeps the other rows' "$(cases "$rows" | tr '\n' ' ')" \
    'cpu,16,16,, naive,16,16,4,4 naive,16,16,8,8 '
here --blocks '1 2 3 4 5 6' >/dev/null 2>&1 &
exits 'two runs at once' 0 here --blocks '7 8 9 10 11 12'
wait $!
is 'lose none of theirs' "$(cases "$rows" | wc -l | tr -d ' ')" 13
exits '--fresh' 0 here --fresh
is 'starts anew' "$(cases "$rows" | wc -l | tr -d ' ')" 2
done_testing
