#!/bin/sh
# lab_checks.t - each lab's check() refuses wrong outputs and accepts right ones, with each setting
# of the lab's options; sizes, parameters, bytes, operations, expected values and bounds are as in
# the lab's golden/work.txt, if it has one (`make test-accept TESTS=tests/lab_checks.t` makes it).
# LABS=lab2_matprod tests one lab only. `make test` spoils 13 elements of each output, else 25, and takes every
# second setting where each start of a program sets up a GPU.
. tests/tap.sh
thorough || export FEW=1
: "${LABS:=$(echo lab*_*/ | tr -d /)}"

# run SIZE OPTION...: what check/lab_checks.c says of $lab, on stdout and in $mine/out. A setting that
# is refused needs others beside it.
run() {
    "$program" --check-only --blocks 8 --sizes "$@" >"$mine/out" 2>"$mine/err" </dev/null
    case $? in
    0) ;;
    2) sed "s/^/refused /" "$mine/err" >"$mine/out" ;;
    *) { echo "with --sizes $*:" && head -n 3 "$mine/err"; } >>"$mine/wrong" ;;
    esac
    echo "setting $*"
    echo "refusals $(grep '^refusal ' "$mine/out" | cksum)"
    grep -v '^refusal ' "$mine/out"
}

# look_at LAB: notes in the lab's folder, $mine, what its runs said.
look_at() {
    lab=$1 mine=$folder/$1 program=$B/tests/check_${1#*_}
    mkdir "$mine"
    "$B/${lab#*_}" --describe | tail -n 1 >"$mine/work"
    echo "declared: $("$program" --declared | cksum)" >>"$mine/work"
    size=97x71 large=''
    case $("$B/${lab#*_}" --describe | column sizes_are -) in
    vector) size=1003 ;;
    product) size=37x41x29 large=515x521x509 ;; # so large that check() may sample
    esac
    {
        [ -z "$large" ] || OMP_NUM_THREADS=1 run $large --variants cpu_omp
        # shellcheck disable=SC2086  # an option and its value
        { echo && "$program" | if thorough || [ "$BACKEND" = cpu ]; then cat; else awk 'NR % 2'; fi; } | while read -r setting; do OMP_NUM_THREADS=1 run "$size" $setting; done
    } | c++filt -p | awk -f tests/check/work.awk >>"$mine/work"
    for order in forward 7; do
        CUDA_CPU_ORDER=$order OMP_NUM_THREADS=3 run "$size" >/dev/null
        grep '^bits' "$mine/out" >"$mine/bits-$order"
    done
    STALE=1 "$program" --check-only --blocks 8 --sizes "$size" >"$mine/out" 2>&1
    echo $? >"$mine/status"
}

# unnamed FILE: its lines without what variants for a GPU add: kernels, refusals, what they declare.
unnamed() {
    sed '/^declared:/d; s/ = [^|[]*[^|[ ]//g
        s/ | kernels [^|]* | / | /; s/ | refusals [^|]* | / | /' "$1"
}

# each FILE: its lines for the settings that were run, a line each.
each() {
    awk '
        function place(i) { return settings[i] ~ /^--/ ? size " " settings[i] : settings[i] }
        {
            named = $0
            n = sub(/ [|] .*/, "", named) ? split(named, settings, ", ") : 1
            if (named == $0)
                settings[1] = named
            size = settings[1]
            sub(/ .*/, "", size)
            for (i = 1; i <= n; i++) {
                if (NR == FNR)
                    ran[++runs] = place(i)
                else
                    told[place(i)] = substr($0, length(named) + 1)
            }
        }
        END { for (i = 1; i <= runs; i++) print (ran[i] in told) ? ran[i] told[ran[i]] : "not " ran[i] }' "$mine/work" "$1"
}

# The labs at the same time: on a GPU most of it is waiting for programs to begin.
for lab in $LABS; do
    look_at "$lab" &
done
wait
for lab in $LABS; do
    mine=$folder/$lab
    is "$lab: check() says what it should" "$(grep -s "" "$mine/wrong" | head -n 20)" ''
    ok "$lab: the same bits in another order" cmp "$mine/bits-forward" "$mine/bits-7"
    is "$lab: check() looks at its reference" "$(cat "$mine/status")" 0
    # On a GPU more variants name their kernels.
    if [ "$BACKEND" = cpu ] && ! thorough; then
        is "$lab: the work, bounds and values of all settings" "$(each "$mine/work")" \
            "$(each "$lab/golden/work.txt")"
    elif [ "$BACKEND" = cpu ]; then
        golden "../../$lab/golden/work.txt" "$mine/work"
    else
        unnamed "$lab/golden/work.txt" >"$mine/golden"
        unnamed "$mine/work" >"$mine/unnamed" && mv "$mine/unnamed" "$mine/work"
        is "$lab: the work, bounds and values of the CPU build" "$(each "$mine/work")" \
            "$(each "$mine/golden")"
    fi
done
done_testing
