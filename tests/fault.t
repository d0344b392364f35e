#!/bin/sh
# fault.t - variants that are wrong on purpose (fault/faulty.cu) are found out and never timed, here
# or at the awkward size of 1013 elements; what fails or cannot run has a row that says why.
# shellcheck source=tests/tap.sh
. tests/tap.sh

ok 'the lab that is wrong on purpose is built' \
    "$MAKE" -s -f tests/fault/Makefile BACKEND="$BACKEND" "$B/faulty"
faulty=$B/faulty
csv=$folder/faulty.csv

# rows VARIANT [SIZE [BLOCK]]: the columns below of its rows, `-` for an empty one, one row a line.
columns=status,trials,time_s,end_to_end_s,gb_per_s,speedup,max_error,note
rows() {
    awk -F, -v names="$columns" -v variant="$1" -v size="${2:-}" -v block="${3:-}" '
        { sub(/\r$/, ""); gsub(/"/, ""); gsub(/, /, "; ") }
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["variant"] != variant { next }
        size != "" && $column["width"] != size { next }
        block != "" && $column["block_x"] != block { next }
        {
            n = split(names, name, ",")
            for (i = 1; i <= n; i++)
                printf "%s%s", ($column[name[i]] == "" ? "-" : $column[name[i]]), i < n ? "|" : "\n"
        }' "$csv"
}

# status_of COMMAND...: its exit status.
status_of() {
    "$@" >"$folder/out" 2>"$folder/err"
    echo $?
}

sweep() {
    "$faulty" --sizes '1000 1024' --blocks '32 128' --trials 3 --time-cap 0.02 --fresh \
        --csv "$csv" "$@"
}

# is_bad STATUS VARIANT SIZE BLOCK PATTERN: its row has the status, no times, and a note like that.
is_bad() {
    like "$2, $3 elements, block ${4:--}: $1, without times, as $5" "$(rows "$2" "$3" "$4")" \
        "^$1\|-\|-\|-\|-\|-\|[^|]*\|$5\$"
}

# is_timed VARIANT SIZE BLOCK: its row is right; it has times unless it is emulated.
is_timed() {
    times='\|[1-9][0-9]*\|[0-9.e-]*[1-9][0-9.e-]*\|'
    case $BACKEND$1 in
    cpucpu*) ;;
    cpu*) times='\|-\|-\|-\|-\|-\|' ;;
    esac
    like "$1, $2 elements, block ${3:--}: right" "$(rows "$1" "$2" "$3")" "^ok$times"
}

# ---- wrong results -------------------------------------------------------------------------------

wrong='right_edge left_edge last_block writes_nan writes_infinity all_nan zeros one_unit'
wrong="$wrong whole_blocks cpu_nan"
is 'a check of wrong results exits 1' \
    "$(status_of sweep --check-only --variants "cpu correct $wrong")" 1
is 'it writes a row for each case' "$(awk 'END { print NR - 1 }' "$csv")" $((2 * 2 + 2 * 2 * 10))
for n in 1000 1024; do
    middle=$((n / 2))
    is "cpu, $n elements: right, and not timed" "$(rows cpu $n | cut -d '|' -f 1-6)" 'ok|-|-|-|-|-'
    is_bad wrong cpu_nan $n '' "1 of $n values wrong; the first at x=$((n - 1)) y=0: got nan; .*"
    for block in 32 128; do
        last=$(((n - 1) / block * block))
        is "correct, $n elements, block $block" "$(rows correct $n $block | cut -d '|' -f 1)" ok
        at() {
            is_bad wrong "$1" $n $block "$2 of $n values wrong; the first at x=$3 y=0: got $4; .*"
        }
        # what was not written is still poison, which is NaN
        at right_edge 1 $((n - 1)) nan
        at left_edge 1 0 nan
        at last_block $((n - last)) $last nan
        at writes_nan 1 $middle nan
        at writes_infinity 1 $middle inf
        at all_nan $n 0 nan
        at zeros $n 0 0
        at one_unit 1 $middle '[0-9.]{7,}'
        # sums lie in [3, 5): a zero is off by as much, one unit in the last place by 2^-22 or 2^-21
        like "zeros, $n elements, block $block: off by 3 to 5" \
            "$(rows zeros $n $block | cut -d '|' -f 7)" '^[34]\.'
        like "one_unit, $n elements, block $block: off by one unit" \
            "$(rows one_unit $n $block | cut -d '|' -f 7)" '^(2\.38419|4\.76837)e-07$'
    done
done
is_bad wrong whole_blocks 1000 32 '8 of 1000 values wrong; the first at x=992 .*'
is_bad wrong whole_blocks 1000 128 '104 of 1000 values wrong; the first at x=896 .*'
is 'a check at multiples of the block finds nothing' \
    "$(rows whole_blocks 1024 32 | cut -d '|' -f 1)" ok
like 'the table on stdout shows it' "$(cat "$folder/out")" \
    '^writes_nan +(gpu|emulated) +1000x1 +32x1 +- +- .* wrong: 1 of 1000 values'
wrong_rows=$(column status "$csv" | grep -c -x wrong)
like 'run.json counts the wrong rows' "$(cat "$folder/run.json")" "\"wrong_rows\": $((wrong_rows)),"

# ---- before it is timed, a variant is checked where no block divides the size --------------------

is 'timed at multiples of the block, what is wrong elsewhere is found' \
    "$(status_of sweep --sizes 1024 --variants 'cpu correct whole_blocks')" 1
is_timed cpu 1024 ''
is_timed correct 1024 32
is_bad wrong whole_blocks 1024 32 '21 of 1013 .* x=992 .* \(at 1013x1; which no block divides\)'
is_bad wrong whole_blocks 1024 128 '117 of 1013 .* x=896 .* \(at 1013x1; which no block divides\)'

# ---- wrong from the second run on ----------------------------------------------------------------

is 'what is wrong in later runs is found' \
    "$(status_of sweep --sizes 1000 --blocks 128 --variants 'first_launch cpu_first_run')" 1
[ "$BACKEND" = cpu ] || is_bad wrong first_launch 1000 128 '.*\(it was right before\)'
is_bad wrong cpu_first_run 1000 '' \
    '1 of 1000 values wrong; the first at x=0 y=0: got 0; expected .* \(it was right before\)'

# ---- memory that is not its own ------------------------------------------------------------------

strays='behind before cpu_behind writes_input cpu_input behind_workspace'
is 'writing elsewhere is wrong, even at a multiple of the block' \
    "$(status_of sweep --sizes 1024 --blocks 32 --check-only --variants "$strays correct cpu")" 1
is_bad wrong behind 1024 32 'wrote behind buffer C: byte 4096 of 4096'
is_bad wrong before 1024 32 'wrote before buffer C: byte -1'
is_bad wrong cpu_behind 1024 '' 'wrote behind buffer C: byte 4096 of 4096'
is_bad wrong writes_input 1024 32 'wrote to the input A'
is_bad wrong cpu_input 1024 '' 'wrote to the input A'
is_bad wrong behind_workspace 1024 32 'wrote behind the workspace: byte 4096 of 4096'
is 'and spoils no other variant' "$(rows correct 1024 32 | cut -d '|' -f 1)" ok

# ---- constants -----------------------------------------------------------------------------------

is 'variants that set one constant differently get their own while they are timed' \
    "$(status_of sweep --variants 'cpu_one cpu_two constant_one constant_two')" 0
for n in 1000 1024; do
    is_timed cpu_one $n ''
    is_timed cpu_two $n ''
    is_timed constant_one $n 32
    is_timed constant_two $n 128
done

# ---- CUDA errors ---------------------------------------------------------------------------------

failing='bad_launch bad_later cpu_bad_later'
is 'after a CUDA error the sweep goes on, and exits 3' \
    "$(status_of sweep --variants "cpu $failing correct zeros")" 3
for n in 1000 1024; do
    is_bad failed bad_launch $n 32 \
        '.*faulty.cu:[0-9]*: cudaGetLastError\(\): cudaError[A-Za-z]* \(.*'
    is_bad failed cpu_bad_later $n '' \
        '.*faulty.cu:[0-9]*: cudaSetDevice\(-1\): cudaErrorInvalidDevice \(invalid device ordinal\)'
    [ "$BACKEND" = cpu ] || is_bad failed bad_later $n 32 '.*cudaError.*'
    is_timed correct $n 32
    is_bad wrong zeros $n 32 '.* of 1013 values wrong.*'
done

# ---- one at a time: each is found out by itself, and spoils the exit status ----------------------

for variant in right_edge one_unit cpu_nan whole_blocks; do
    is "$variant alone: exit status 1" \
        "$(status_of sweep --sizes 1000 --blocks 128 --check-only --variants "$variant")" 1
done
is 'the right ones alone: exit status 0' "$(status_of sweep --variants 'cpu correct')" 0

# A wrong row is not finished: it is run again, and takes the old one's place.
status_of sweep --variants 'correct zeros' >"$folder/status"
is 'a sweep that is resumed finds what was wrong wrong again' \
    "$(status_of "$faulty" --sizes '1000 1024' --blocks '32 128' --trials 3 --time-cap 0.02 \
        --csv "$csv" --resume --variants 'correct zeros')" 1
is 'with one row for each case' "$(awk 'END { print NR - 1 }' "$csv")" 8

# ---- a CPU variant that takes too long -----------------------------------------------------------

limited() {
    "$faulty" --blocks 32 --trials 1 --time-cap 0 --csv "$csv" --fresh "$@"
}

limited --sizes 65536 --cpu-limit 0.3 >"$folder/out" 2>&1
note='predicted to take about 1 s; over --cpu-limit 0.3; name it in --variants to run it'
is_bad skipped cpu_slow 65536 '' "$note"
is_timed cpu 65536 ''
like 'a smaller size tells how long a larger one takes' \
    "$(limited --sizes '1000 65536' --cpu-limit 0.3 2>&1)" '^cpu_slow +cpu +65536x1 .*skipped: pred'
is_timed cpu_slow 1000 ''
is 'who names it gets it' \
    "$(status_of limited --sizes 65536 --cpu-limit 0.3 --variants cpu_slow)" 0
is_timed cpu_slow 65536 ''
is 'its row stays when it is not named' "$(
    "$faulty" --blocks 32 --trials 1 --time-cap 0 --csv "$csv" --sizes 65536 --cpu-limit 0.3 \
        --check-only >"$folder/out" 2>&1
    rows cpu_slow 65536 | cut -d '|' -f 1,2
)" 'ok|2'

# ---- what cannot run -----------------------------------------------------------------------------

skipped='cpu correct refuses_odd needs_library needs_future much_shared much_workspace'
is 'skipped rows are no failure' "$(status_of "$faulty" --sizes 1000 --blocks '32 33' --trials 3 \
    --time-cap 0.02 --csv "$csv" --fresh --variants "$skipped some_workspace")" 0
is_timed refuses_odd 1000 32
is_bad skipped refuses_odd 1000 33 'the block must be even'
is_bad skipped needs_library 1000 '' 'needs cuNothing; which this build lacks'
is_bad skipped needs_future 1000 32 'needs compute capability 99\.0'
is_bad skipped much_shared 1000 32 \
    "1073741824 bytes of shared memory are more than the device's [1-9][0-9]*"
is_bad skipped much_workspace 1000 32 'the device has no room for the workspace'
is_timed some_workspace 1000 32
like 'the table shows the reason' "$(cat "$folder/out")" 'skipped: needs compute capability 99\.0'

done_testing
