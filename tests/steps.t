#!/bin/sh
# steps.t - the steps around a run and OpenMP scaling, from the command line: the rows of
# --cpu-threads, what their speedups are, reading and writing beside each time, and no file left in
# TMPDIR, whatever ends the program.
# shellcheck source=tests/tap.sh
. tests/tap.sh

bin=$(cd "$B" && pwd)
csv=$folder/rows.csv
TMPDIR=$folder/tmp
export TMPDIR
mkdir "$TMPDIR"

# values COLUMN...: these columns of the CSV, joined by `|`, an empty one as `-`.
values() {
    awk -F, -v names="$*" '
        { sub(/\r$/, "") }
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; n = split(names, name, " "); next }
        {
            for (i = 1; i <= n; i++)
                printf "%s%s", ($column[name[i]] == "" ? "-" : $column[name[i]]), i < n ? "|" : "\n"
        }' "$csv"
}

# run PROGRAM OPTION...: its rows alone are in the CSV.
run() {
    program=$1
    shift
    "$bin/$program" --csv "$csv" --fresh "$@"
}

# Is the last column of standard input between LOW and HIGH in every line? There is a line.
between() {
    awk -F '|' -v low="$1" -v high="$2" '
        !($NF >= low && $NF <= high) { print; bad = 1 } END { exit bad || NR == 0 }'
}

# Have the CPU's rows reading and writing times between LOW and HIGH?
steps_between() {
    for step in read_s write_s; do
        values status kind "$step" | grep '^ok|cpu' | between "$1" "$2" || return 1
    done
}

# The time of the serial row over each row's own equals its speedup.
speedups_hold() {
    values role time_s speedup | awk -F '|' '
        $1 == "serial" { serial = $2 }
        !($3 > 0) || $3 * $2 / serial > 1.0001 || $3 * $2 / serial < 0.9999 { print; bad = 1 }
        END { exit bad || NR < 2 }'
}

# ---- OpenMP scaling ------------------------------------------------------------------------------

for case in 'matprod 200x200 type=f32' 'vecadd 100000x1 type=f32' \
    'gaussian 160x120 type=gray;sigma=1;radius=2'; do
    # shellcheck disable=SC2086 # words
    set -- $case
    size=${2%x200}
    ok "$1 --cpu-threads '1 2'" run "$1" --cpu-threads '1 2' --sizes "${size%x1}" --trials 3 \
        --time-cap 0.05
    is "$1: these rows, and no others" "$(values role kind parameters block_x status)" \
        "serial|cpu|$3|-|ok
scales|cpu|$3;cpu_threads=1|-|ok
scales|cpu|$3;cpu_threads=2|-|ok"
    is "$1: of this size" "$(values width height | sort -u)" "$(echo "$2" | tr x '|')"
    ok "$1: a speedup is the serial time over the row's" speedups_hold
    ok "$1: reading and writing have a time" steps_between 1e-9 1
done

output=$("$bin/matprod" --cpu-threads '1 2' --sizes 100 --trials 1)
like 'the table on stdout tells the threads' "$output" '^cpu_omp 2 threads +cpu +100x100 '
ok 'by place, too' run matprod 100 8 1 --cpu-threads 2
is 'with their rows' "$(values variant parameters)" 'cpu|type=f32
cpu_omp|type=f32;cpu_threads=2'
ok 'a limit of OpenMP is no failure' env OMP_THREAD_LIMIT=1 "$bin/matprod" --cpu-threads '1 2' \
    --sizes 100 --trials 1 --csv "$csv" --fresh
is 'but a row that says so, without steps' "$(values variant status note read_s | tail -n 1)" \
    'cpu_omp|skipped|OMP_THREAD_LIMIT is 1|-'

# ---- reading and writing -------------------------------------------------------------------------

sweep() {
    "$bin/matprod" --variants 'cpu cpu_omp naive' --sizes '64 256' --blocks '16 33x1' --trials 2 \
        --csv "$csv" "$@"
}

ok 'a sweep over CPU and GPU' sweep --fresh
ok 'every row that is timed has both' steps_between 1e-9 1
steps=$(values time_s width read_s write_s | grep -v '^-' | cut -d '|' -f 2- | sort -u)
is 'all rows of a size the same' "$(echo "$steps" | wc -l)" 2
is 'larger files take longer' "$(echo "$steps" | sort -t '|' -k 1,1n |
    awk -F '|' 'NR == 1 { r = $2; w = $3 } NR == 2 { print ($2 > r) ($3 > w) }')" 11
is 'CPU rows have no copies' "$(values kind copy_in_s copy_out_s | grep '^cpu' | sort -u)" 'cpu|-|-'
if [ "$BACKEND" = cpu ]; then
    is 'an emulated kernel has no times at all' \
        "$(values kind time_s trials copy_in_s read_s speedup | grep '^emu' | sort -u)" \
        'emulated|-|-|-|-|-'
else
    for step in copy_in_s copy_out_s; do
        ok "kernels have their $step" sh -c "$(values status kind "$step" | grep '^ok|[gv]' |
            awk -F '|' '!($3 > 0 && $3 < 1) { bad = 1 } END { print "exit", bad || NR == 0 }')"
    done
fi

cp "$csv" "$folder/before.csv"
ok 'resumed' sweep --resume
ok 'the rows keep theirs' cmp "$csv" "$folder/before.csv"
ok 'a lab with wrong variants is built' \
    "$MAKE" -s -f tests/fault/Makefile BACKEND="$BACKEND" "$B/faulty"
run faulty --sizes 1000 --blocks 32 --trials 2 --variants 'cpu cpu_nan cpu_first_run' \
    >"$folder/out" 2>&1
is 'wrong rows have none, right ones do' \
    "$(values status read_s write_s | sed 's/|[0-9][^|]*/|number/g' | sort | uniq -c | tr -s ' ')" \
    ' 1 ok|number|number
 2 wrong|-|-'
ok '--check-only' run matprod --variants 'cpu naive' --sizes 64 --blocks 16 --check-only
is 'measures none' "$(values status read_s copy_in_s copy_out_s write_s | sort -u)" 'ok|-|-|-|-'
ok 'a TMPDIR that is not there is no failure' env TMPDIR="$folder/none" "$bin/matprod" \
    --variants 'cpu naive' --sizes 64 --blocks 16 --trials 1 --csv "$csv" --fresh
is 'the columns are empty then' "$(values status read_s write_s | sort -u)" 'ok|-|-'
is 'no file is left' "$(ls -A "$TMPDIR")" ''

# ---- signals -------------------------------------------------------------------------------------

# 128 MiB of inputs, 64 MiB of outputs: some tenths of a second of reading and writing.
for signal in INT TERM KILL; do
    for delay in 0.2 0.5; do
        "$bin/vecadd" --variants cpu --sizes 2^24 --time-cap 0 --trials 1 >"$folder/out" 2>&1 &
        pid=$!
        sleep $delay
        kill -s $signal $pid 2>/dev/null
        wait $pid 2>/dev/null
        is "$signal after $delay s leaves no file" "$(ls -A "$TMPDIR")" ''
    done
done
done_testing
