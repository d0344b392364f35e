#!/bin/sh
# steps.t - the steps around a run and OpenMP scaling, from the command line: the rows of
# --cpu-threads, how many threads really ran, reading and writing beside each time.
. tests/tap.sh

bin=$(cd "$B" && pwd)
csv=$folder/rows.csv

# run PROGRAM OPTION...: its rows alone are in the CSV.
run() {
    program=$1
    shift
    "$bin/$program" --csv "$csv" --fresh "$@"
}

# steps_there: has every right CPU row a time to read and a time to write?
steps_there() {
    column status kind read_s write_s "$csv" | grep '^ok,cpu,' | awk -F , '
        !($3 >= 1e-9 && $3 <= 1 && $4 >= 1e-9 && $4 <= 1) { print; bad = 1 }
        END { exit bad || NR == 0 }'
}

# ---- OpenMP scaling ------------------------------------------------------------------------------

exits "--cpu-threads '1 2'" 0 run gaussian --cpu-threads '1 2' --sizes 160x120 --trials 3 \
    --time-cap 0.05
work='type=gray;sigma=1;radius=2'
is 'these rows, and no others' "$(column role width height parameters status "$csv")" \
    "serial,160,120,$work,ok
scales,160,120,$work;cpu_threads=1,ok
scales,160,120,$work;cpu_threads=2,ok"
like 'the table on stdout tells the threads' "$(cat "$folder/out")" \
    '^cpu_omp 2 threads +(cpu +)?160x120 '
export OMP_THREAD_LIMIT=1
exits 'a limit of OpenMP is no failure' 0 run matprod --cpu-threads '1 2' --sizes 100 --trials 1
unset OMP_THREAD_LIMIT
is 'but a row that says so, without steps' \
    "$(column variant status note read_s "$csv" | tail -n 1)" \
    'cpu_omp,skipped,OMP_THREAD_LIMIT is 1,'

# The faulty lab tells how many threads its OpenMP variant got.
ok 'the faulty lab is built' "$MAKE" -s BACKEND="$BACKEND" "$B/faulty"
FAULTY_THREADS=$folder/threads
OMP_NUM_THREADS=6
CUDA_CPU_SPIN_SECONDS=0.2 # one never ends
export FAULTY_THREADS OMP_NUM_THREADS CUDA_CPU_SPIN_SECONDS

# threads_run: with which numbers of threads it ran more often than to be checked.
threads_run() {
    sort "$FAULTY_THREADS" | uniq -c | awk '$1 > 3 { printf "%s ", $2 }'
}

scaling='cpu_omp,1024,type=f32;cpu_threads'
exits 'a sweep without options, of wrong variants, too' 3 run faulty --trials 4 --time-cap 0.01
is 'ends with 1, 2, 4 and all threads' \
    "$(column variant width parameters status "$csv" | tail -n 4 | tr '\n' ' ')" \
    "$scaling=1,ok $scaling=2,ok $scaling=4,ok $scaling=6,ok "
is 'so many ran' "$(threads_run)" '1 2 4 6 '
is 'a speedup is the time of the serial row over its own' \
    "$(column role width parameters time_s speedup read_s "$csv" | awk -F , '
        $1 == "serial" { serial[$2] = $4; read[$2] = $6 }
        $3 ~ /threads/ && (($5 * $4 / serial[$2] - 1) ^ 2 > 1e-6 || $6 != read[$2])')" ''
grep ',ok,' "$csv" | grep -v 'threads=2,' >"$folder/kept"
sed -i '/threads=2,/d' "$csv"
deleted=$(sed -n '/,needs_library,/{s//,deleted,/p;q;}' "$csv")
echo "$deleted" >>"$csv"
: >"$FAULTY_THREADS"
exits 'resumed without its row of two threads' 3 \
    "$bin/faulty" --trials 4 --time-cap 0.01 --csv "$csv" --resume
is 'it runs that again, and no other' "$(threads_run)" '2 '
is 'it keeps the others byte for byte' "$(grep -cxF -f "$folder/kept" "$csv")" \
    "$(wc -l <"$folder/kept")"
is 'and none of a variant that is deleted' "$(column variant "$csv" | grep -c deleted)" 0
like 'which it says' "$(cat "$folder/err")" 'rows.csv: 1 row of variants that the lab no longer has'
unset OMP_NUM_THREADS

# ---- reading and writing -------------------------------------------------------------------------

exits 'a sweep over CPU and GPU' 0 run matprod --variants 'cpu cpu_omp naive' --sizes '64 256' \
    --blocks '16 33x1' --trials 2
ok 'every row that is timed has both' steps_there
is 'all rows of a size the same' "$(column time_s width read_s write_s "$csv" | grep -v '^,' |
    cut -d , -f 2- | sort -u | wc -l)" 2
is 'CPU rows have no copies' "$(column kind copy_in_s copy_out_s "$csv" | grep '^cpu' | sort -u)" \
    cpu,,
if [ "$BACKEND" = cpu ]; then
    is 'an emulated kernel has no times at all' "$(column kind time_s trials copy_in_s read_s \
        speedup "$csv" | grep '^emulated' | sort -u)" emulated,,,,,
else
    is 'kernels have both copies' "$(column status kind copy_in_s copy_out_s "$csv" |
        grep -E '^ok,(gpu|vendor)' | awk -F , '!($3 > 0 && $3 < 1 && $4 > 0 && $4 < 1)')" ''
fi

exits '--check-only' 0 run matprod --variants 'cpu naive' --sizes 64 --blocks 16 --check-only
is 'measures none' "$(column status read_s copy_in_s copy_out_s write_s "$csv" | sort -u)" ok,,,,
done_testing
