#!/bin/sh
# lab_checks.t - each lab's check() refuses wrong outputs and accepts right ones, with each setting
# of the lab's options; sizes, parameters, bytes, operations, expected values and bounds are as in
# the lab's golden/work.txt, if it has one (`make test-accept TESTS=tests/lab_checks.t` makes it).
# LABS=lab2_matprod tests one lab only.
. tests/tap.sh
: "${LABS:=$(for source in lab*_*/*.cu; do dirname "$source"; done)}"

# run SIZE OPTION...: what check/lab_checks.c says of the lab; variants with the same figures have
# one line. A setting that is refused needs others beside it.
run() {
    "$program" --check-only --blocks 8 --sizes "$@" >"$folder/out" 2>"$folder/err" </dev/null
    case $? in
    0) ;;
    2) sed "s/^/$lab $* /" "$folder/err" >>"$folder/work" ;;
    *) { echo "with --sizes $*:" && head -n 3 "$folder/err"; } >>"$folder/wrong-$lab" ;;
    esac
    awk -v what="$lab $*" '
        /^parameters/ { print what ": " $2, $3, $4 }
        /^work/ { name = $NF; sub(/^work/, what ":"); sub(/ [^ ]*$/, ""); names[$0] = names[$0] " " name }
        END { for (figures in names) print figures names[figures] }' "$folder/out" | sort
}

for lab in $LABS; do
    program=$B/tests/check_${lab#*_}
    {
        "$B/${lab#*_}" --describe | tail -n 1
        case $("$B/${lab#*_}" --describe | column sizes_are -) in
        vector) size=1003 ;;
        image) size=97x71 ;;
        *) size=37x41x29 && run 515x521x509 --variants cpu_omp ;; # so large that check() may sample
        esac
        # shellcheck disable=SC2086  # an option and its value
        { echo && "$program"; } | while read -r setting; do run "$size" $setting; done
    } >"$folder/work"
    is "$lab: check() says what it should" "$(grep -s "" "$folder/wrong-$lab" | head -n 20)" ''
    for order in forward 7; do
        CUDA_CPU_ORDER=$order OMP_NUM_THREADS=3 run "$size" >/dev/null
        grep '^bits' "$folder/out" >"$folder/bits-$order"
    done
    ok "$lab: the same bits in another order" cmp "$folder/bits-forward" "$folder/bits-7"
    exits "$lab: check() looks at its reference" 0 env STALE=1 "$program" --check-only \
        --blocks 8 --sizes "$size"
    # On a GPU more variants name their kernels.
    if [ "$BACKEND" = cpu ]; then
        golden "../../$lab/golden/work.txt" "$folder/work"
    else
        is "$lab: the work, bounds and values of the CPU build" "$(sed 's/=_Z[^ []*//g' "$folder/work")" \
            "$(sed 's/=_Z[^ []*//g' "$lab/golden/work.txt")"
    fi
done
done_testing
