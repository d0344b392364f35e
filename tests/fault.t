#!/bin/sh
# fault.t - variants that are wrong on purpose (fault/faulty.cu) are found out and never timed, here
# or at the awkward size of 1013 elements; what fails or cannot run has a row that says why.
. tests/tap.sh

ok 'the lab that is wrong on purpose is built' \
    "$MAKE" -s BACKEND="$BACKEND" "$B/faulty"
faulty=$B/faulty
csv=$folder/faulty.csv

sweep() {
    "$faulty" --sizes '1000 1024' --blocks '32 128' --trials 3 --time-cap 0.02 --fresh \
        --csv "$csv" "$@"
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

# ---- wrong results -------------------------------------------------------------------------------

wrong='right_edge left_edge last_block writes_nan writes_infinity all_nan zeros one_unit'
wrong="$wrong whole_blocks cpu_nan"
exits 'a check of wrong results exits 1' 1 sweep --check-only --variants "cpu correct $wrong"
is 'it writes a row for each case' "$(shown | wc -l)" $((2 * 2 + 2 * 2 * 10))
# What was not written is still poison, which is NaN. Sums lie in [3, 5): a zero is off by as much,
# one unit in the last place by 2^-22 or 2^-21.
for n in 1000 1024; do
    first="of $n values wrong; the first at"
    bad <<END
wrong cpu_nan $n - 1 $first x=$((n - 1)) y=0: got nan, .*
END
    for block in 32 128; do
        last=$(((n - 1) / block * block))
        bad <<END
wrong right_edge $n $block 1 $first x=$((n - 1)) y=0: got nan, .*
wrong left_edge $n $block 1 $first x=0 y=0: got nan, .*
wrong last_block $n $block $((n - last)) $first x=$last y=0: got nan, .*
wrong writes_nan $n $block 1 $first x=$((n / 2)) y=0: got nan, .*
wrong writes_infinity $n $block 1 $first x=$((n / 2)) y=0: got inf, .*
wrong all_nan $n $block $n $first x=0 y=0: got nan, .*
wrong zeros $n $block $n $first x=0 y=0: got 0, .*
wrong one_unit $n $block 1 $first x=$((n / 2)) y=0: got [0-9.]{7,}, .*
END
        like "correct, $n elements, block $block" "$(shown)" "^correct,$n,$block,ok,,,,,,0,"
        like "zeros, $n elements, block $block: off by 3 to 5" "$(shown)" \
            "^zeros,$n,$block,wrong,,,,,,[34]\."
        like "one_unit, $n elements, block $block: off by one unit" "$(shown)" \
            "^one_unit,$n,$block,wrong,,,,,,(2\.38419|4\.76837)e-07,"
    done
done
bad <<'END'
wrong whole_blocks 1000 32 8 of 1000 values wrong; the first at x=992 .*
wrong whole_blocks 1000 128 104 of 1000 values wrong; the first at x=896 .*
END
like 'cpu: right, and not timed' "$(shown)" '^cpu,1024,,ok,,,,,,0,$'
like 'a check at multiples of the block finds nothing' "$(shown)" '^whole_blocks,1024,32,ok,'
like 'the table on stdout shows it' "$(cat "$folder/out")" \
    '^writes_nan +(gpu|emulated) +1000x1 +32x1 +- +- .* wrong: 1 of 1000 values'
like 'run.json counts the wrong rows' "$(cat "$folder/run.json")" \
    "\"wrong_rows\": $(column status "$csv" | grep -c -x wrong),"

# ---- wrong somewhere else, or later --------------------------------------------------------------

exits 'timed at multiples of the block, what is wrong elsewhere is found' 1 \
    sweep --sizes 1024 --variants 'cpu correct whole_blocks'
right cpu 1024 -
right correct 1024 32
bad <<'END'
wrong whole_blocks 1024 32 21 of 1013 .* x=992 .* \(at 1013x1, which no block divides\)
wrong whole_blocks 1024 128 117 of 1013 .* x=896 .* \(at 1013x1, which no block divides\)
END

exits 'what is wrong in later runs is found' 1 \
    sweep --sizes 1000 --blocks 128 --variants 'first_launch cpu_first_run'
bad <<'END'
wrong cpu_first_run 1000 - 1 of 1000 values .* x=0 y=0: got 0, expected .* \(it was right before\)
END
[ "$BACKEND" = cpu ] || bad <<'END'
wrong first_launch 1000 128 .*\(it was right before\)
END

# ---- memory that is not its own ------------------------------------------------------------------

strays='behind before cpu_behind writes_input cpu_input behind_workspace'
exits 'writing elsewhere is wrong, even at a multiple of the block' 1 \
    sweep --sizes 1024 --blocks 32 --check-only --variants "$strays correct cpu"
bad <<'END'
wrong behind 1024 32 wrote behind buffer C: byte 4096 of 4096
wrong before 1024 32 wrote before buffer C: byte -1
wrong cpu_behind 1024 - wrote behind buffer C: byte 4096 of 4096
wrong writes_input 1024 32 wrote to the input A
wrong cpu_input 1024 - wrote to the input A
wrong behind_workspace 1024 32 wrote behind the workspace: byte 4096 of 4096
END
like 'and spoils no other variant' "$(shown)" '^correct,1024,32,ok,'

# ---- constants -----------------------------------------------------------------------------------

exits 'variants that set one constant differently get their own while they are timed' 0 \
    sweep --variants 'cpu_one cpu_two constant_one constant_two'
for n in 1000 1024; do
    right cpu_one $n -
    right cpu_two $n -
    right constant_one $n 32
    right constant_two $n 128
done

# ---- CUDA errors ---------------------------------------------------------------------------------

exits 'after a CUDA error the sweep goes on, and exits 3' 3 \
    sweep --variants 'cpu bad_launch bad_later cpu_bad_later correct zeros'
for n in 1000 1024; do
    bad <<END
failed bad_launch $n 32 .*faulty.cu:[0-9]*: cudaGetLastError\(\): cudaError[A-Za-z]* \(.*
failed cpu_bad_later $n - .*: cudaSetDevice\(-1\): cudaErrorInvalidDevice \(invalid device ord.*
wrong zeros $n 32 .* of 1013 values wrong.*
END
    [ "$BACKEND" = cpu ] || bad <<END
failed bad_later $n 32 .*cudaError.*
END
    right correct $n 32
done

# ---- one at a time: each is found out by itself, and spoils the exit status ----------------------

for one in right_edge one_unit cpu_nan whole_blocks; do
    exits "$one alone: exit status 1" 1 \
        sweep --sizes 1000 --blocks 128 --check-only --variants "$one"
done
exits 'the right ones alone: exit status 0' 0 sweep --variants 'cpu correct'

# A wrong row is not finished: it is run again, and takes the old one's place.
sweep --variants 'correct zeros' >"$folder/out" 2>&1
exits 'a sweep that is resumed finds what was wrong wrong again' 1 \
    "$faulty" --sizes '1000 1024' --blocks '32 128' --trials 3 --time-cap 0.02 --csv "$csv" \
    --resume --variants 'correct zeros'
is 'with one row for each case' "$(shown | wc -l | tr -d ' ')" 8

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
    "$(limited --fresh --sizes '1000 65536' 2>&1)" '^cpu_slow +cpu +65536x1 .*skipped: predicted'
right cpu_slow 1000 -
exits 'who names it gets it' 0 limited --fresh --sizes 65536 --variants cpu_slow
limited --sizes 65536 --check-only >"$folder/out" 2>&1
right cpu_slow 65536 - # its row stays when it is not named

# ---- what cannot run -----------------------------------------------------------------------------

skipped='cpu correct refuses_odd needs_library needs_future much_shared much_workspace'
exits 'skipped rows are no failure' 0 \
    sweep --sizes 1000 --blocks '32 33' --variants "$skipped some_workspace"
bad <<'END'
skipped refuses_odd 1000 33 the block must be even
skipped needs_library 1000 - needs cuNothing, which this build lacks
skipped needs_future 1000 32 needs compute capability 99\.0
skipped much_shared 1000 32 1073741824 bytes of shared .* more than the device's [1-9][0-9]*
skipped much_workspace 1000 32 the device has no room for the workspace
END
right refuses_odd 1000 32
right some_workspace 1000 32
like 'the table shows the reason' "$(cat "$folder/out")" 'skipped: needs compute capability 99\.0'
done_testing
