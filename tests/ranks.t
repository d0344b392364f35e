#!/bin/sh
# ranks.t - several GPUs, one process each, as mpirun starts them: rows of 1 to 4 of them are right,
# what is wrong is said once, and a rank that dies takes the others with it, not the rows. What the
# variants do the labs' own tests know, and of one process test_ranks.
. tests/tap.sh

if ! use_ranks 4 2; then
    if [ "$BACKEND" != cpu ] || ! pkg-config --exists ompi-c 2>/dev/null; then skip_all "$why"; fi
    ok 'MPI is here, and the build has it' false
    done_testing
    exit
fi
[ "$programs" != "$root/build/cpu" ] || B=build/cpu BACKEND=cpu
like 'GPUs are counted' "$(devices)" '^[1-9]'
rows=$folder/rows.csv

# ---- rows ----------------------------------------------------------------------------------------

exits 'a run before' 0 "$B/vecadd" --variants naive --check-only --sizes 64 --csv "$rows"
exits "1 to $ranks GPUs, one run after the other" 0 "$B/vecadd" --gpus "$(seq -s ' ' "$ranks")" --check-only \
    --sizes '16 1003 65536' --csv "$rows" --fresh
is 'each has its rows, and nothing else is there' "$(column gpus nodes width status "$rows" | sort | tr '\n' ' ')" \
    "$(for n in $(seq "$ranks"); do printf '%s,1,%s,ok ' "$n" 1003 "$n" 16 "$n" 65536; done)"
exits 'mpirun by hand' 0 start -n "$few" "$B/matprod" --check-only --sizes 37x41x43 --csv "$rows" --fresh
is 'runs what is for several' "$(column variant gpus status "$rows" | sort | tr '\n' ' ')" \
    "$(status=ok && [ "$BACKEND" != cpu ] || status=skipped
        for of in cublas_xt,$few,$status replicated_b,$few,ok ring,$few,ok tensor_ring,$few,$status; do
            printf '%s ' "$of"
        done)"
exits 'the positional form' 0 start -n 2 "$B/matprod" 24 16 1
like 'has them, too' "$(cat "$folder/out")" '^ring .* 24x24 .* ok'
is 'rank 0 alone prints' "$(grep -c '^ring' "$folder/out")" 1
exits 'sizes of one GPU' 0 "$B/vecadd" --gpus "$few" --weak --check-only --sizes 100 --csv "$rows" --fresh
is 'grow with their number' "$(column width gpus "$rows")" "$((few * 100)),$few"
exits 'by itself a program' 0 "$B/vecadd" --check-only --sizes 64 --csv "$rows" --fresh
is 'leaves them out' "$(column variant "$rows" | grep -c divided)" 0
exits 'unless they are asked for' 0 \
    "$B/vecadd" --variants divided --check-only --sizes 64 --csv "$rows" --fresh
is 'as one GPU' "$(column variant gpus status "$rows" | sort -u)" 'divided,1,ok'

# Times of one rank are agreed upon: three that took samples on their own would wait for each other.
exits 'a library that the first rank calls' 0 start -n "$few" "$B/faulty" --variants on_first \
    --sizes '1000 2^20' --trials 5 --time-cap 0.1 --csv "$rows" --fresh
is 'has its rows, timed on the host' "$(column variant kind cache gpus status "$rows" | sort -u)" \
    "on_first,vendor,hot,$few,ok"
is 'of five samples or more' "$(column trials time_s "$rows" |
    awk -F , '$1 < 5 || $2 == ""')" ''

exits 'finished rows' 0 "$B/vecadd" --gpus 2 --check-only --sizes 16,64 --csv "$rows" --fresh
cp "$rows" "$folder/before"
sleep 1 # a row's date has seconds
exits 'are kept with --resume' 0 "$B/vecadd" --gpus 2 --check-only --sizes 16,64,80 --csv "$rows" --resume
is 'as they were' "$(head -n 3 "$rows" | cmp - "$folder/before" 2>&1)" ''
is 'and those that are missing come' "$(column width "$rows" | tr '\n' ' ')" '16 64 80 '

# ---- what is wrong ---------------------------------------------------------------------------------

refuses 'less work than GPUs' 2 "size [37]x1 leaves some of $ranks GPUs without work for divided" \
    start -n "$ranks" "$B/vecadd" --sizes $((ranks == 2 ? 3 : 7))
exits 'an element that is in no part' 1 "$B/faulty" --gpus 2 --variants 'on_first parts' --sizes 1000 --blocks 32 \
    --check-only --csv "$rows" --fresh
is 'is not what another variant left there' "$(column variant status "$rows" | sort | tr '\n' ' ')" \
    'on_first,ok parts,wrong '
refuses 'no number of GPUs' 2 "--gpus: '0' is not a whole number" "$B/vecadd" --gpus 0
refuses 'a lab without variants for several' 2 '--gpus: lab6_banding has no variants for several GPUs' \
    "$B/banding" --gpus 2
refuses 'a bad option is said once' 2 "'abc' is not a legal size" start -n "$few" "$B/vecadd" --sizes abc
refuses 'OpenMP scaling' 2 'are for one process' start -n 2 "$B/vecadd" --cpu-threads 2
refuses 'a stream' 2 'are for one process' "$B/vecadd" --gpus 2 --stream 3
refuses 'GPUs of their own for processes that there are' 2 'starts mpirun itself; without it' \
    start -n 2 "$B/vecadd" --gpus 2
refuses 'too large a size for each' 2 '--weak: .* on each of 2 GPUs is more than' \
    start -n 2 "$B/vecadd" --weak --sizes '2^30'
refuses 'too few GPUs' 2 '2 processes on this node, which has 1 GPU from --device 0 on; start one' \
    start -n 2 "$B/tests/test_exchange" 1
refuses 'two programs' 2 'the processes are of different builds' \
    start -n 1 "$B/vecadd" --sizes 64 : -n 1 "$B/matprod" --sizes 64
printf '#!/bin/sh\nenv | grep RUN_AS_ROOT | sort\n' >"$folder/mpirun"
chmod +x "$folder/mpirun"
is 'root may start it, unless told otherwise' \
    "$(OMPI_ALLOW_RUN_AS_ROOT=0 MPIRUN=$folder/mpirun "$B/vecadd" --gpus 2)" \
    'OMPI_ALLOW_RUN_AS_ROOT=0
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1'
printf '#!/bin/sh\nprintf "%%s\\n" "$*"\n' >"$folder/mpirun"
is 'both ways to write the list are left out' "$(for way in '--gpus 2' --gpus=2; do # shellcheck disable=SC2086
    MPIRUN=$folder/mpirun "$B/vecadd" --sizes 9 $way --check-only; done | sed 's|[^ ]*/vecadd|P|')" \
    '-n 2 P --divided --sizes 9 --check-only
-n 2 P --divided --sizes 9 --check-only'
refuses 'no mpirun' 2 "cannot start 'no-mpirun'" env MPIRUN=no-mpirun "$B/vecadd" --gpus 2
refuses 'processes that MPI does not know of' 2 'MPI sees 1' \
    env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 "$B/vecadd" --sizes 64

# ---- a rank that dies ------------------------------------------------------------------------------

# has_row: is the first size finished?
has_row() {
    [ -f "$rows" ] && column width "$rows" | grep -q -x 64
}

# run_until_killed: kills rank 1 of its own run, beside which others may be, and what it may have forked,
# once the first size has its row; the others take a while. A slow machine shows its progress besides.
run_until_killed() {
    rm -f "$rows"
    timeout 60 "$B/matprod" --gpus 2 --variants ring --check-only --sizes "64 $(seq -s ' ' 1500 1509)" --csv "$rows" \
        2>"$folder/killed" &
    wait_until 20 has_row
    pids=$(pgrep -f "^$B/matprod --divided.* $rows" | while read -r p; do
        tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -q -x OMPI_COMM_WORLD_RANK=1 && echo "$p"
    done)
    # shellcheck disable=SC2086  # numbers
    kill -KILL $pids
    wait $!
    status=$?
    grep -v '^lab2_matprod: *[0-9]*% ' "$folder/killed" >&2
    return $status
}
refuses 'a rank that is killed' 3 'one of 2 processes ended before its time' run_until_killed
finished=$(column width status "$rows")
is 'leaves the finished rows' "$finished" \
    "$({ echo 64 && seq 1500 1508; } | head -n "$(echo "$finished" | wc -l)" | sed 's/$/,ok/')"

# stopped SIGNAL: of a run over one GPU, and then two, whose mpirun waits.
cat >"$folder/waiting" <<'E'
trap 'echo told; exit 1' INT TERM
echo started
for _ in $(seq 100); do sleep 0.1; done
echo 'waited in vain'
E
stopped() {
    MPIRUN="sh $folder/waiting" timeout 30 "$B/vecadd" --gpus '1 2' --sizes 64 >"$folder/waited" 2>&1 &
    wait_until 20 grep -q -s started "$folder/waited"
    kill -"$1" "$(pgrep -P $!)"
    wait $!
    echo "$? $(tr '\n' ' ' <"$folder/waited")"
    rm "$folder/waited"
}
for signal in INT TERM; do
    is "$signal ends a run over several GPUs, whose mpirun is told" "$(stopped $signal)" '130 started told '
done

refuses 'a CUDA error on one rank' 3 'rank 1 of 2: .*cudaErrorLaunchFailure' \
    start -n 1 "$B/fault/vecadd" --check-only --sizes 64,99 --csv "$rows" : -n 1 \
    env FAULT_AT=60 FAULT_ERROR=719 "$B/fault/vecadd" --check-only --sizes 64,99
done_testing
