#!/bin/sh
# fault.t - variants that are wrong on purpose (fault/faulty.cu) are found out and never timed, here
# or at the awkward size of 1013 elements; what fails or cannot run has a row that says why.
. tests/tap.sh
export CUDA_CPU_SPIN_SECONDS=0.2 # an endless loop is known by then

ok 'the lab that is wrong on purpose is built' \
    "$MAKE" -s BACKEND="$BACKEND" "$B/faulty"
faulty=$B/faulty
csv=$folder/faulty.csv

sweep() {
    "$faulty" --sizes '1000 1024' --blocks '32 128' --trials 3 --time-cap 0.02 --csv "$csv" "$@"
}

# shown: a row a line, without the carriage returns.
shown() {
    column variant width block_x status trials time_s end_to_end_s gb_per_s speedup max_error note \
        "$csv"
}

# bad: lines of `status variant size block note`: that row has no times, and a note like that.
bad() {
    while read -r status variant size at note; do
        like "$variant, $size elements, block $at: $status, without times, as $note" \
            "$(shown)" "^$variant,$size,${at#-},$status,,,,,,[^,]*,$note\$"
    done
}

# right VARIANT SIZE BLOCK: its row is right; it has times unless it is emulated.
right() {
    times='[1-9][0-9]*,[0-9.e-]*[1-9][0-9.e-]*,'
    case $BACKEND$1 in
    cpucpu*) ;;
    cpu*) times=',,,,,' ;;
    esac
    like "$1, $2 elements, block $3: right" "$(shown)" "^$1,$2,${3#-},ok,$times"
}

# ---- what one check of each finds ----------------------------------------------------------------

# What was not written is still poison, which is NaN. A check alone leaves out the awkward size.
wrong='right_edge writes_nan zeros one_unit whole_blocks cpu_nan'
strays='behind cpu_behind writes_input behind_workspace reads_behind'
skipped='refuses_odd library_refuses needs_library needs_future much_shared much_workspace'
exits 'a check of wrong results exits 1' 1 sweep --sizes 1024 --blocks '32 33' --fresh \
    --check-only --variants "cpu correct $wrong $strays $skipped"
shown | sed "s/\(the device's\) [1-9][0-9]*/\1 N/; s/[0-9.]*e+34/N/g" | sort >"$folder/faults.txt"
golden faults.txt "$folder/faults.txt"
like 'the table on stdout shows it' "$(cat "$folder/out")" \
    '^writes_nan +((gpu|emulated) +)?1024 +32 .*- wrong:$'
like 'and the reason not to run' "$(cat "$folder/out")" '^    needs compute capability 99\.0'
like 'run.json counts the wrong rows' "$(cat "$folder/run.json")" \
    "\"wrong_rows\": $(column status "$csv" | grep -c -x wrong),"
exits 'skipped rows are no failure' 0 sweep --fresh --check-only --variants "correct $skipped"

# ---- red, where there are colours ----------------------------------------------------------------

# on_terminal SETTING...: a run with a right and a wrong row on a terminal, its escapes as words,
# without the progress, which a slow run shows.
on_terminal() {
    script -qec "env $* $faulty --sizes 1024 --blocks 32 --check-only --variants 'correct zeros'" \
        /dev/null </dev/null | tr -d '\r' | sed 's/.*\x1b\[K//; s/\x1b/ESC/g'
}
if why=$(lacks script); then
    skip 'colours' "$why"
else
    red=$(on_terminal TERM=xterm NO_COLOR= | grep 'zeros\|correct\|ESC.0m')
    like 'a wrong row is red' "$red" '^ESC\[31mzeros '
    is 'and nothing else' "$(echo "$red" | grep -c ESC)$(echo "$red" | grep '^correct.*ESC')" 2
    is 'not with NO_COLOR' "$(on_terminal TERM=xterm NO_COLOR=1 | grep ESC)" ''
    is 'nor where the terminal has none' "$(on_terminal TERM=dumb | grep ESC)" ''
fi

# ---- wrong somewhere else, or later --------------------------------------------------------------

exits 'timed at multiples of the block, what is wrong elsewhere is found' 1 \
    sweep --fresh --sizes 1024 --variants 'cpu correct whole_blocks'
right cpu 1024 -
right correct 1024 32
bad <<'END'
wrong whole_blocks 1024 32 21 of 1013 .* x=992 .* \(at 1013x1, which no block divides\)
wrong whole_blocks 1024 128 117 of 1013 .* x=896 .* \(at 1013x1, which no block divides\)
END

exits 'what is wrong in later runs is found' 1 \
    sweep --fresh --sizes 1000 --blocks 128 \
    --variants 'first_launch cpu_first_run cpu_other_bits cpu_unordered'
right cpu_unordered 1000 -
bad <<'END'
wrong cpu_first_run 1000 - 1 of 1000 values .* x=0 y=0: got 0, expected .* \(it was right before\)
wrong cpu_other_bits 1000 - other bits than its first run gave.* \(it was right before\)
END
[ "$BACKEND" = cpu ] || bad <<'END'
wrong first_launch 1000 128 .*\(it was right before\)
END

sweep --fresh --sizes 1000 --blocks 128 --variants 'other_stream works_on' >"$folder/out" 2>&1
# What is late is missing at the awkward size, at this one, or in the batch that is timed.
bad <<'END'
wrong other_stream 1000 128 (1000 of 1000|1013 of 1013) values .*
END
if [ "$BACKEND" = cpu ]; then # which times no emulated kernel
    right works_on 1000 128
else
    bad <<'END'
wrong works_on 1000 128 still at work on another stream [0-9]* us after its clock stopped
END
fi

exits 'variants that set one constant differently get their own while they are timed' 0 \
    sweep --fresh --sizes 1000 --variants 'cpu_one cpu_two constant_one constant_two'
right cpu_one 1000 -
right cpu_two 1000 -
right constant_one 1000 32
right constant_two 1000 128

# ---- CUDA errors ---------------------------------------------------------------------------------

exits 'after a CUDA error the sweep goes on, and exits 3' 3 \
    sweep --fresh --variants 'cpu bad_launch unchecked cpu_bad_later correct zeros'
for n in 1000 1024; do
    bad <<END
failed bad_launch $n 32 .*faulty.cu:[0-9]*: cudaGetLastError\(\): cudaError.*\(at 1013x1, which.*
failed unchecked $n 32 .*: cudaGetLastError\(\), which the launcher does not ask: cudaError.*\(at 1013x1, which.*
failed cpu_bad_later $n - .*: cudaSetDevice\(-1\): cudaErrorInvalidDevice \(invalid device ord.*
wrong zeros $n 32 .* of 1013 values wrong.*
END
    right correct $n 32
done
like 'a wrong row has its error, wherever it is' "$(shown)" '^zeros,1024,32,wrong,,,,,,[0-9]'

# A wrong row is not finished: it is run again, and takes the old one's place.
sweep --fresh --variants 'correct zeros' >"$folder/out" 2>&1
exits 'a sweep that is resumed finds what was wrong wrong again' 1 \
    sweep --resume --variants 'correct zeros'
is 'with one row for each case' "$(shown | wc -l | tr -d ' ')" 8

# ---- kernels that end their process, which on the CPU is one of their own --------------------------

# line_of TEXT: the number of its line in faulty.cu.
line_of() {
    grep -n "$1" tests/fault/faulty.cu | cut -d : -f 1
}

if [ "$BACKEND" = cpu ]; then
    export OMP_NUM_THREADS=4
    exits 'a kernel that crashes or never ends is a failed row, the others go on' 3 \
        sweep --fresh --sizes 1024 --variants 'cpu crashes correct never_ends prints zeros'
    unset OMP_NUM_THREADS
    is 'each is told once, and nothing else' "$(grep -c CUDA "$folder/err")" 4
    for block in 32 128; do
        bad <<END
failed crashes 1024 $block [^,]*faulty.cu:$(line_of 1L): Segmentation fault in kernel add .*
failed never_ends 1024 $block [^,]*faulty.cu:$(line_of 'bool on'): an endless loop .*in kernel add .*
wrong zeros 1024 $block 1013 of 1013 values wrong.*
END
        right correct 1024 "$block"
        right prints 1024 "$block"
    done
    is 'one that prints is heard where others are bad at the awkward size' \
        "$(grep printed "$folder/out" | sort | uniq -c | awk '{ print $1, $4 }')" '2 1013
2 1024'
    sweep --fresh --sizes 1024 --variants 'correct prints' >"$folder/out"
    is 'and else at its own size alone' "$(grep printed "$folder/out")" 'printed of 1024
printed of 1024'
fi

# ---- a CPU variant that takes too long -----------------------------------------------------------

limited() {
    "$faulty" --blocks 32 --trials 1 --time-cap 0 --csv "$csv" --cpu-limit 0.3 "$@"
}

limited --fresh --sizes 65536 >"$folder/out" 2>&1
bad <<'END'
skipped cpu_slow 65536 - predicted to take about 1 s, over --cpu-limit 0.3; name it in --var.*
END
right cpu 65536 -
like 'a smaller size tells how long a larger one takes' \
    "$(limited --fresh --sizes '1000 65536' 2>&1)" '^cpu_slow +(cpu +)?65536 .*- skipped:( as above)?$'
right cpu_slow 1000 -
exits 'who names it gets it' 0 limited --fresh --sizes 65536 --variants cpu_slow
limited --sizes 65536 --check-only >"$folder/out" 2>&1
right cpu_slow 65536 - # its row stays when it is not named
done_testing
