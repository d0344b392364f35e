#!/bin/sh
# interrupt.t - a sweep that is interrupted keeps its finished rows and can be resumed; a results
# file that cannot be read stops a program before it starts to work. What a file keeps from run to
# run test_store knows.
. tests/tap.sh

matprod=$B/matprod
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

# has_rows CSV N: are there so many rows at least?
has_rows() {
    [ -f "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]
}

# unfinished CSV: rows of cases that are not ok, or not timed where a time means something.
unfinished() {
    column status kind time_s "$1" | grep -vE '^ok,(emulated,.*|(cpu|gpu),[0-9.e-]+)$'
}

# The cases, sorted: variant, size and block.
cases() {
    column variant width height block_x block_y "$1" | sort
}

# begins_with FILE START: are the first bytes of the file those of the other?
begins_with() {
    head -c "$(wc -c <"$2")" "$1" | cmp - "$2"
}

exits 'an uninterrupted sweep exits 0' 0 sweep "$folder/whole.csv" --check-only
is 'it has all cases' "$(cases "$folder/whole.csv" | wc -l | tr -d ' ')" 63

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
    is "$signal: the file holds finished rows only" "$(unfinished "$csv")" ''
    kept=$(cases "$csv" | wc -l | tr -d ' ')
    ok "$signal: it did come before the end, after $kept rows" test "$kept" -lt 63
    is "$signal: the last line on stderr says what is kept" "$(tail -n 1 "$folder/err")" \
        "lab2_matprod: interrupted; $kept finished rows are kept in $csv; the same with --resume \
(make: RESUME=1) goes on"

    cp "$csv" "$folder/before.csv"
    exits "$signal: resumed, it exits 0" 0 sweep "$csv" --resume
    ok 'the finished rows are kept byte for byte' begins_with "$csv" "$folder/before.csv"
    is 'all rows are finished' "$(unfinished "$csv")" ''
    is 'it has the cases of an uninterrupted sweep, each once' "$(cases "$csv")" \
        "$(cases "$folder/whole.csv")"
    is 'no temporary file stays' "$(ls -A "$here")" 'rows.csv
run.json'
done

cp "$csv" "$folder/before.csv"
exits 'a complete sweep that is resumed exits 0' 0 sweep "$csv" --resume
ok 'and leaves its rows byte for byte' cmp "$csv" "$folder/before.csv"
# A row without a speedup is not finished once there is a serial time.
"$matprod" --variants cpu_omp --sizes 16 --trials 2 --csv "$folder/speedup.csv" >"$folder/out"
"$matprod" --variants cpu --sizes 16 --trials 2 --csv "$folder/speedup.csv" >"$folder/out"
is 'no speedup without a serial time' "$(column variant speedup "$folder/speedup.csv")" 'cpu_omp,
cpu,1'
"$matprod" --variants cpu_omp --sizes 16 --csv "$folder/speedup.csv" --resume >"$folder/out"
like 'but when it is resumed with one' "$(column variant speedup "$folder/speedup.csv")" \
    '^cpu_omp,[0-9]'
exits 'resumed with a larger block' 0 sweep "$csv" --resume --sizes 16 --blocks '4 8'
ok 'the rows that were there are there' begins_with "$csv" "$folder/before.csv"
is 'and one more' "$(column variant width block_x "$csv" | sed 1,63d)" naive,16,8

# Rows of one case, as of two files that were put together: the last one counts.
{ cat "$csv" && sed -n 2p "$csv" | sed 's/,ok,[^,]*/,ok,later/'; } >"$folder/doubled.csv"
sweep "$folder/doubled.csv" --resume >"$folder/out" 2>"$folder/err"
is 'a doubled row is told' "$(cat "$folder/err")" \
    "matprod: $folder/doubled.csv: 1 row of a case that has a later one: dropped"
is 'and dropped' "$(cases "$folder/doubled.csv" | uniq -d)$(wc -l <"$folder/doubled.csv")" \
    "$(wc -l <"$csv")"
is 'the last one stays, in its place' "$(column note "$folder/doubled.csv" | head -n 1)" later

# Rows without a time are not finished for a sweep that times.
checked=$folder/checked.csv
sweep "$checked" --check-only --sizes '16 17' >"$folder/out"
exits 'checked rows are resumed to be timed' 0 sweep "$checked" --resume --sizes '16 17'
is 'they have times then' "$(unfinished "$checked")" ''

# ---- a case that takes long ----------------------------------------------------------------------

FAULTY_SLOW=$folder/slow "$B/faulty" --variants cpu_slow --sizes 2^20 --csv "$folder/slow.csv" \
    >"$folder/out" 2>"$folder/err" &
pid=$!
ok 'a run of 10 s has begun' wait_until 30 test -e "$folder/slow"
kill -s INT $pid
waiting='^waits for cpu_slow 1048576x1 to end; Ctrl-C again stops at once$'
ok 'the first Ctrl-C says what is waited for' wait_until 5 grep -q "$waiting" "$folder/err"
kill -s INT $pid
wait $pid
is 'the second one stops at once' $? 130

for signal in TERM INT; do
    [ "$BACKEND" = cpu ] || break
    rm "$folder/slow"
    FAULTY_SLOW=$folder/slow CUDA_CPU_SPIN_SECONDS=20 "$B/faulty" --variants 'correct never_ends' \
        --sizes 1000 --check-only --csv "$folder/endless.csv" --fresh >"$folder/out" 2>"$folder/err" &
    pid=$!
    ok "$signal: a kernel that never ends has begun" wait_until 30 test -e "$folder/slow"
    kill -s $signal $pid
    wait $pid
    is "$signal: it is not waited for" "$? $(head -n 1 "$folder/err" | cut -d ';' -f 1)" \
        '130 faulty: interrupted'
    is "$signal: what was right before is kept" "$(column variant block_x status "$folder/endless.csv")" \
        'correct,32,ok
correct,128,ok'
done

"$B/gaussian" --stream 1000000 --sizes 64 --variants separable --blocks 8 --csv "$folder/stream.csv" \
    >"$folder/out" 2>"$folder/err" &
pid=$!
# Before it has asked for the signal, a program in the background does not get it: with a GPU that takes
# seconds. Then the stream begins.
ok 'a stream begins' wait_until 30 grep -q '^SigCgt:.*[2367abef]$' "/proc/$pid/status"
sleep 1
kill -s INT $pid
wait $pid
is 'a stream that is interrupted has no row' \
    "$? $(column variant status "$folder/stream.csv" 2>/dev/null)" '130 '

# ---- a file to resume from -----------------------------------------------------------------------

sed -n '1,2p; 3s/,[^,]*,[^,]*$//p' "$csv" >"$folder/broken.csv"
cp "$folder/broken.csv" "$folder/copy"
# A product that takes half a minute at least is not even begun.
refuses 'resuming from a file that was cut off' 2 \
    'broken.csv: not a results file.* record [2-9]' timeout 10 \
    "$matprod" --variants cpu --sizes 4000 --check-only --resume --csv "$folder/broken.csv"
ok 'it stays as it is' cmp "$folder/broken.csv" "$folder/copy"
exits 'resuming from no file is a first run' 0 \
    "$matprod" --variants cpu --sizes 16 --check-only --resume --csv "$folder/none.csv"
done_testing
