#!/bin/sh
# cuda_on_cpu.t - CUDA on the CPU finds every planted bug and says where, accepts correct kernels in
# every build and order, answers like the runtime, and takes CUDA C as people write it.
# The builds for checks are large, and left to make test-all.
. tests/tap.sh

! why=$(lacks Boost.Context) || skip_all "$why"
thorough || [ "$BACKEND" = cpu ] || skip_all 'make test-all tries the CPU build on a GPU, too'

programs=$folder
unset CUDA_CPU_STRICT # kernels alone are tested
sources=cuda_on_cpu/tests

# run PROGRAM [ARGUMENT...]: sets output (both streams) and status.
run() {
    output=$(
        exec 2>&1 # the shell's own word on a crash, too
        "$@"
        exit $?
    )
    status=$?
}

says() {
    echo "$output" | grep -q -e "$1"
}

# ends NAME STATUS PATTERN...: the last run had that status (bad: any but 0), and said all of that.
ends() {
    name=$1 good=yes
    case $2 in
    bad) [ "$status" -ne 0 ] || good= ;;
    *) [ "$status" -eq "$2" ] || good= ;;
    esac
    shift 2
    for pattern do
        says "$pattern" || good=
    done
    [ $good ]
    tap_report $? "$name" "status $status, output:
$(echo "$output" | grep -v '^ok' | head -n 40)"
}

# finds BUILD BUG PATTERN: the build fails, says PATTERN, and names the line of the bug where
# bugs.cu marks one, the kernel, the block and the thread.
finds() {
    line=$(grep -n "bug: $2 \*/" $sources/bugs.cu | cut -d: -f1)
    run "$programs/$1/bugs" "$2" </dev/null
    wanted=bad
    ! says RACECHECK || wanted=66
    who="kernel $2 (.*bugs\.cu:.*, block ([0-9]*,0,0)" thread='thread ([0-9]*,0,0)'
    case $3 in *host\ code*) who='in host code' thread= ;; *past*) [ "$1" != plain ] || line= ;; esac
    ends "$1 finds $2" "$wanted" "$3" "$who" "$thread" ${line:+"bugs\.cu:$line\>"}
}

# made FOLDER GOAL-SUFFIX MAKE-VARIABLE...: the programs, or parts of them, built in the folder.
made() {
    built=$1 suffix=$2
    shift 2
    run "$MAKE" "$@" "$built/$sources/bugs$suffix" "$built/$sources/correct$suffix" \
        "$built/$sources/language$suffix" "$built/$sources/api$suffix" "$built/$sources/groups$suffix" \
        "$built/$sources/wmma$suffix" "$built/$sources/textures$suffix" "$built/$sources/assertion$suffix"
    ends "$built: the programs are built" 0
}

builds=plain checks='' orders='reverse 20120' spin=0.05
if thorough; then
    builds='plain asan race' checks='asan race' orders='forward reverse 1 2 20120' spin=0.2
fi
for check in '' $checks; do
    made "build/cpu${check:+-$check}" '' BACKEND=cpu CHECK="$check"
    is "$built: without a warning" "$(echo "$output" | grep warning)" ''
    ln -s "$root/$built/$sources" "$programs/${check:-plain}"
done

# ---- correct programs --------------------------------------------------------------------------

for build in $builds; do
    for program in correct language api groups wmma textures; do
        run "$programs/$build/$program"
        ends "$build: all results of $program are good" 0 '^ok'
        is "$build: and nothing is found in it" \
            "$(echo "$output" | grep -e '^not ok' -e RACECHECK -e ERROR)" ''
    done
done

forward=$("$programs/plain/correct")
for build in $builds; do
    for order in $orders; do
        run env CUDA_CPU_ORDER="$order" OMP_NUM_THREADS=2 "$programs/$build/correct"
        is "$build: the same results in order $order" "$status $output" "0 $forward"
    done
done
for threads in 1 4; do
    run env CUDA_CPU_ORDER=7 OMP_NUM_THREADS=$threads "$programs/plain/correct"
    is "plain: the same results with $threads thread(s)" "$status $output" "0 $forward"
done

# ---- planted bugs ------------------------------------------------------------------------------

bugs=$("$programs/plain/bugs")
ok 'bugs.cu lists its bugs' test "$(echo "$bugs" | wc -l)" -gt 40
export CUDA_CPU_SPIN_SECONDS=$spin
while read -r build bug pattern; do
    case " $builds " in *" $build "*) ;; *) continue ;; esac
    case $build.$pattern in
    plain.*__constant__* | plain.*host\ code*)
        grep -qw ospke /proc/cpuinfo || { skip "$bug" 'no protection keys' && continue; } ;;
    esac
    case $pattern in race*) orders='forward reverse 3' ;; *) orders=forward ;; esac
    for order in $orders; do
        export CUDA_CPU_ORDER="$order"
        finds "$build" "$bug" "$pattern"
    done
done <<EOF
$bugs
EOF
unset CUDA_CPU_ORDER CUDA_CPU_SPIN_SECONDS

for build in ${builds% race}; do
    run "$programs/$build/bugs" null_pointer
    ends "$build: what a kernel printed before a crash comes out" bad '^told before'
done
run "$programs/plain/bugs" early_return
ends 'threads that wait no more have returned' bad '^  4 of [0-9]* threads have returned'
run env CUDA_CPU_STACK_KB=20000 OMP_NUM_THREADS=1 sh -c 'ulimit -v 400000; exec "$@"' sh \
    "$programs/plain/bugs" early_return
ends "a thread's stack that cannot be had is said" 2 "^CUDA on the CPU: a thread's stack"
if thorough; then
    while read -r bug pattern; do
        run "$programs/race/bugs" "$bug"
        ends "race says what $bug does" 66 "$pattern"
    done <<'EOF'
race_on_variable : write to this memory in
race_between_blocks : read of this memory in
race_between_blocks : written before by thread
missing_second_barrier : read before by thread
uninitialised_atomic : atomic on this memory in
EOF
    run "$programs/asan/bugs" never_freed
    ends 'asan finds never_freed' bad LeakSanitizer 'bugs\.cu'
fi
run env CUDA_CPU_STRICT=1 "$programs/plain/bugs" never_freed
ends 'CUDA_CPU_STRICT=1 counts what was not released' 66 '^CUDA on the CPU: not released: 4 all'
run env CUDA_CPU_STRICT=1 "$programs/plain/bugs" stream_kept
ends 'a stream, too' 66 '^CUDA on the CPU: not released: 0 allocations, 1 streams'
for wait in '' all stream; do
    run env CUDA_CPU_STRICT=1 "$programs/plain/bugs" never_asked $wait
    ends "and finds a launch whose error nobody asks for $wait" bad \
        'bugs\.cu:[0-9]*: nobody asks for the err'
done
run env CUDA_CPU_STRICT=0 "$programs/plain/bugs" never_freed never
ends 'a program that ends without waiting for a launch is told so' 0 \
    '^CUDA on the CPU: .*bugs\.cu:[0-9]*: the program ends without waiting for this launch: it did not run$'
run env CUDA_CPU_STRICT=1 "$programs/plain/bugs" never_freed never
ends 'and fails with CUDA_CPU_STRICT=1' 66 'bugs\.cu:[0-9]*: the program ends without waiting'
run env OMP_NUM_THREADS=2 "$programs/plain/bugs" blocks_meet
ends 'two blocks run at a time where the host has two threads' 0
run env OMP_NUM_THREADS=1 CUDA_CPU_SPIN_SECONDS=$spin "$programs/plain/bugs" blocks_meet
ends 'and one after the other where it has one' bad 'an endless loop'
run "$programs/plain/bugs" runaway_recursion
is 'of many calls three lines are named' "$(echo "$output" | grep -o '[.]cu:[0-9]*' | wc -l)" 4
run env OMP_THREAD_LIMIT=1 "$programs/plain/groups"
ends 'blocks of a cooperative launch want a thread each' bad 'groups\.cu:[0-9]*: too few threads for the blocks'
run env CUDA_CPU_RETURNED_OK=1 "$programs/plain/bugs" early_return
ends 'CUDA_CPU_RETURNED_OK=1 lets returned threads count as arrived' 0
for order in forward,01230123 reverse,32103210; do
    is "threads come in this order, behind a barrier, too: ${order%,*}" \
        "$(CUDA_CPU_ORDER=${order%,*} "$programs/plain/bugs" order)" "${order#*,}"
done
is 'shuffled, in another one' "$(for seed in 1 2 3 4 5 6; do
    CUDA_CPU_ORDER=$seed "$programs/plain/bugs" order
    echo
done | awk 'substr($0, 1, 4) != substr($0, 5) { n++ } END { print (n > 1) }')" 1
run env CUDA_CPU_ORDER=sideways "$programs/plain/bugs" early_return
ends 'an order that is none is refused' 2 'CUDA_CPU_ORDER=sideways'
run env CUDA_CPU_STACK_KB=4096 "$programs/plain/bugs" runaway_recursion
ends 'a larger stack overflows, too' bad 'stack overflow'

# ---- failed assertions ---------------------------------------------------------------------------

line=$(grep -n ' assert(i != 3' $sources/assertion.cu | cut -d: -f1)
where="assertion[.]cu:$line: void fails(int\*, waiting): block: \[1,0,0\], thread: \[3,0,0\]"
told="an assertion fails in kernel fails (launched at .*assertion[.]cu:[0-9]*), block (1,0,0), thread (3,0,0)"
for build in $builds; do
    waits='block warp lock grid'
    [ "$build" = plain ] || waits='block warp lock' # one block at a time
    for way in $waits; do
        run env OMP_NUM_THREADS=2 CUDA_CPU_SPIN_SECONDS=$spin "$programs/$build/assertion" "$way"
        ends "$build: an assertion that fails while others wait for the $way" 0 \
            "$where Assertion \`i != 3 || blockIdx.x == 0\` failed[.]\$" "$told; at .*assertion[.]cu:$line\$"
        is "$build: the runtime's answers, while others wait for the $way" \
            "$(echo "$output" | grep -c '^ok'), $(echo "$output" | grep '^not ok')" '21, '
    done
done
run "$programs/plain/assertion" forked
ends 'a process that was forked for it ends' 0 "$where" '^ok - the child ends' '^ok - its parent has no error'
run "$programs/plain/assertion" host
ends "the host's assertions are the C library's" bad "Assertion .strcmp(way, \"host\")' failed"

# ---- the rewriter ------------------------------------------------------------------------------

run "$programs/plain/language"
ends '__LINE__ is the line of the .cu file' 0 \
    "# this is line $(grep -n 'this is line' $sources/language.cu | cut -d: -f1)\$"

# ---- device code with what is the host's, kernels called like functions --------------------------

# The lines that the last run refused, each with the name of the function or variable.
refused() {
    echo "$output" | sed -n 's/.*refused\.cu[:(]\([0-9]*\).*error: [^"]*"\([^"]*\)".*/\1 \2/p' | sort -n
}
wanted=$(grep -n '/\* refused: ' $sources/refused.cu | sed 's/:.*refused: \([^ ]*\).*/ \1/')
if "${CXX:-g++}" --version | grep -q clang; then
    skip "the host's functions and variables in device code" 'clang cannot tell'
else
    for check in '' $checks; do
        built=build/cpu${check:+-$check}
        run "$MAKE" BACKEND=cpu CHECK="$check" "$built/$sources/refused.o"
        ends "$built: device code with the host's functions and variables is not built" 2 \
            '("twice") from .* ("calls") is not allowed' '"counter" is undefined in device code' \
            'a __global__ function call must be configured ("allowed"'
        is "$built: each is named, with its line, and nothing else" "$(refused)" "$wanted"
        ok "$built: no object is left" test ! -e "$built/$sources/refused.o"
    done
    for optimise in -O0 -O2; do
        run tools/cpu-nvcc $optimise -c $sources/refused.cu -o "$folder/refused.o"
        is "cpu-nvcc $optimise refuses it, too" "$status $(refused)" "1 $wanted"
    done
    run tools/cpu-nvcc --expt-relaxed-constexpr -c $sources/refused.cu -o "$folder/refused.o"
    ends 'but not with the option that gives constexpr functions to kernels' 0
fi

# ---- where the guard lies ------------------------------------------------------------------------

# Where there were bytes between a program's shared arrays and the guard, nobody would see an access to these.
# shellcheck disable=SC2016  # awk's
gap='function number(hex,  i, n) {
        for (i = 1; i <= length(hex); i++)
            n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
        return n
    }
    $4 == "TLS" { at[$8] = number($2); bytes[$8] = $3; part[$8] = $7 }
    $8 ~ /guard_zone/ { guard = $8 }
    END {
        for (name in at)
            if (part[name] == part[guard] && at[name] < at[guard] && at[name] + bytes[name] > end)
                end = at[name] + bytes[name]
        if (guard == "" || end && end != at[guard])
            print program ": " at[guard] - end " bytes"
    }'
is 'no gap lies between shared arrays and what is looked at behind them' "$(
    for program in bugs correct groups textures; do
        program=build/cpu/$sources/$program
        readelf -sW "$program" | awk -v program="$program" "$gap"
    done)" ''

# ---- nvcc --------------------------------------------------------------------------------------

if ! thorough; then
    :
elif [ -x "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" ]; then
    # Nobody runs them: both compilers are to take them. sm_80 is where BF16 and TF32 begin.
    export NVCC_APPEND_FLAGS='-Xcicc -O0 -Xptxas -O0 -D_GLIBCXX_BITS_SPECFUN_H -Xcompiler -g0'
    made build/nvcc .o BACKEND=cuda ARCH=sm_80 B=build/nvcc OPTIMISE=-O0
    unset NVCC_APPEND_FLAGS
    for launched in '' -DLAUNCHED; do
        # shellcheck disable=SC2086  # no or one word
        run "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" -std=c++20 -allow-unsupported-compiler -ptx \
            $launched -o "$folder/refused.ptx" $sources/refused.cu
        echo "$output" | sed -n 's/.*refused\.cu(\([0-9]*\).*: error: .*/\1/p' | sort -nu
    done >"$folder/refused"
    is "nvcc refuses the same lines" "$(sort -n "$folder/refused")" "$(echo "$wanted" | cut -d ' ' -f 1)"
else
    skip 'nvcc takes the same sources' "$(lacks nvcc)"
fi

done_testing
