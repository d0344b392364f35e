#!/bin/sh
# fault.t - kernels that are wrong on purpose (fault/faulty.cu) are found out and never timed; what
# cannot run is skipped and says why.
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
        { sub(/\r$/, "") }
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

# is_wrong VARIANT SIZE BLOCK ERROR HOW_MANY FIRST: its row is wrong, has no time and says where.
is_wrong() {
    is "$1, $2 elements, block ${3:--}: $5 wrong, the first at $6" "$(rows "$1" "$2" "$3")" \
        "wrong|-|-|-|-|-|$4|$5 of $2 values wrong; the first at x=$6 y=0"
}

# is_timed VARIANT SIZE BLOCK: its row is right and has times.
is_timed() {
    like "$1, $2 elements, block ${3:--}: right, and timed" "$(rows "$1" "$2" "$3" | cut -d '|' -f 1-4)" \
        '^ok\|[1-9][0-9]*\|[0-9.e-]*[1-9][0-9.e-]*\|'
}

# ---- all variants that run -----------------------------------------------------------------------

wrong='right_edge left_edge last_block writes_nan writes_infinity all_nan zeros one_unit'
wrong="$wrong whole_blocks first_launch cpu_first_run cpu_nan"
sweep() {
    "$faulty" --sizes '1000 1024' --blocks '32 128' --trials 3 --time-cap 0.02 --csv "$csv" "$@"
}

is 'a sweep with wrong results exits 1' "$(status_of sweep --variants "cpu correct $wrong")" 1
is 'it writes a row for each case' "$(awk 'END { print NR - 1 }' "$csv")" $((2 * 3 + 2 * 2 * 11))
is 'no field needs quotes, so that the fields below are the fields' "$(grep -c '"' "$csv")" 0

for n in 1000 1024; do
    is_timed cpu $n ''
    middle=$((n / 2))
    for block in 32 128; do
        is_timed correct $n $block
        blocks=$(((n + block - 1) / block))
        last=$(((blocks - 1) * block))
        # an element that was not written is still poison, which is NaN: no error is the largest
        is_wrong right_edge $n $block - 1 $((n - 1))
        is_wrong left_edge $n $block - 1 0
        is_wrong last_block $n $block - $((n - last)) $last
        is_wrong writes_nan $n $block - 1 $middle
        is_wrong writes_infinity $n $block inf 1 $middle
        is_wrong all_nan $n $block - $n 0
    done
done
for n in 1000 1024; do
    for block in 32 128; do
        # sums lie in [3, 5): a zero is off by as much, one unit in the last place by 2^-22 or 2^-21
        like "zeros, $n elements, block $block: all wrong, by 3 to 5" "$(rows zeros $n $block)" \
            "^wrong\|-\|-\|-\|-\|-\|[34]\.[0-9]*\|$n of $n values wrong; the first at x=0 y=0\$"
        like "one_unit, $n elements, block $block: one unit of one element" "$(rows one_unit $n $block)" \
            "^wrong\|-\|-\|-\|-\|-\|(2\.38419|4\.76837)e-07\|1 of $n values wrong; the first at x=$((n / 2)) y=0\$"
    done
done
is_wrong whole_blocks 1000 32 - 8 992
is_wrong whole_blocks 1000 128 - 104 896
is_timed whole_blocks 1024 32
is_timed whole_blocks 1024 128
is_wrong cpu_nan 1000 '' - 1 999
is_wrong cpu_nan 1024 '' - 1 1023

# The first launch is right: the first row is all the same only as good as the launches that were
# timed. An emulated kernel is timed by that one launch.
if [ "$BACKEND" = cpu ]; then
    is_timed first_launch 1000 32
else
    like 'first_launch: right at first, wrong while it is timed' "$(rows first_launch 1000 32)" \
        '^wrong\|-\|-\|-\|-\|-\|'
fi
is_wrong first_launch 1000 128 - 500 500
is_wrong first_launch 1024 32 - 512 512
is_wrong first_launch 1024 128 - 512 512
like 'cpu_first_run: right at first, wrong while it is timed' "$(rows cpu_first_run 1000)" \
    '^wrong\|-\|-\|-\|-\|-\|.*1 of 1000 values wrong; the first at x=0 y=0 \(it was right before\)$'
like 'cpu_first_run: wrong from then on' "$(rows cpu_first_run 1024)" \
    '^wrong\|-\|-\|-\|-\|-\|.*1 of 1024 values wrong; the first at x=0 y=0$'

like 'the table on stdout shows it' "$(cat "$folder/out")" \
    '^writes_nan +(gpu|emulated) +1000x1 +32x1 +- +- .* wrong: 1 of 1000 values'
wrong_rows=$(column status "$csv" | grep -c -x wrong)
like 'run.json counts the wrong rows' "$(cat "$folder/run.json")" "\"wrong_rows\": $((wrong_rows)),"

# ---- one at a time: each is found out by itself, and spoils the exit status -----------------------

for variant in right_edge last_block writes_nan writes_infinity zeros one_unit cpu_nan; do
    is "$variant alone: exit status 1" \
        "$(status_of "$faulty" --sizes 1000 --blocks 128 --check-only --variants "$variant")" 1
done
is 'the right ones alone: exit status 0' "$(status_of sweep --variants 'cpu correct')" 0
is 'checked only, what is wrong is wrong, too' \
    "$(status_of sweep --check-only --variants 'correct right_edge')" 1
is_wrong right_edge 1000 32 - 1 999
is 'and what is right has no time' "$(rows correct 1000 32 | cut -d '|' -f 1-3)" 'ok|-|-'
is 'whole_blocks at multiples of the block alone: exit status 0' \
    "$(status_of sweep --sizes '1024 2048' --variants whole_blocks)" 0

# A wrong row is not finished: it is run again, and takes the old one's place.
status_of sweep --variants 'correct zeros' >"$folder/status"
is 'a sweep that is resumed finds what was wrong wrong again' \
    "$(status_of sweep --resume --variants 'correct zeros')" 1
is 'with one row for each case' "$(awk 'END { print NR - 1 }' "$csv")" 8

# ---- what cannot run ------------------------------------------------------------------------------

# is_skipped VARIANT BLOCK REASON
is_skipped() {
    like "$1, block ${2:--}: skipped, with the reason" "$(rows "$1" 1000 "$2")" \
        "^skipped\|-\|-\|-\|-\|-\|-\|$3\$"
}

is 'variants that cannot run: exit status 0' "$(status_of "$faulty" --sizes 1000 --blocks '32 33' \
    --time-cap 0.02 --csv "$csv" \
    --variants 'correct refuses_odd needs_library needs_future much_shared much_workspace')" 0
is_skipped refuses_odd 33 'the block must be even'
is_timed refuses_odd 1000 32
like 'needs_library: skipped, with the reason' "$(cat "$csv")" \
    '^faulty,needs_library,vendor,.*,,,.*,skipped,"needs cuNothing, which this build lacks"'
is_skipped needs_future 32 'needs compute capability 99\.0'
is_skipped much_shared 32 \
    "1073741824 bytes of shared memory are more than the device's [1-9][0-9]*"
is_skipped much_workspace 32 'the device has no room for the workspace'
is_timed correct 1000 32
is_timed correct 1000 33
is 'skipped alone: exit status 0' \
    "$(status_of "$faulty" --sizes 1000 --blocks 32 --variants needs_future)" 0
like 'the table shows the reason' "$(cat "$folder/out")" 'skipped: needs compute capability 99\.0'

done_testing
