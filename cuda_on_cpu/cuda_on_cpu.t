#!/bin/sh
# cuda_on_cpu.t - CUDA on the CPU finds every planted bug and says where, accepts correct kernels in
# every build and order, answers like the runtime, and takes CUDA C as people write it.
# shellcheck source=tests/tap.sh
. tests/tap.sh

printf '#include <boost/context/detail/fcontext.hpp>\nint main() {}\n' |
    g++ -x c++ -o /dev/null - -lboost_context 2>/dev/null || skip_all 'no Boost.Context: make setup'

case ${BUILD:=build} in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
programs=$BUILD/cuda_on_cpu/tests
sources=cuda_on_cpu/tests
output=
status=0

# result PASSED NAME: one result, and what was seen where it is bad.
result() {
    if [ "$1" = yes ]; then
        tap_pass "$2"
    else
        tap_fail "$2" "status $status, output:
$(echo "$output" | head -40)"
    fi
}

# run PROGRAM [ARGUMENT...]: sets output (both streams) and status.
run() {
    output=$(
        exec 2>&1 # the shell's own word on a crash, too
        "$@"
        exit $?
    )
    status=$?
}

# says PATTERN: is it in the output?
says() {
    echo "$output" | grep -q -e "$1"
}

# finds BUILD BUG PATTERN: the build fails, says PATTERN, and names the line of the bug where
# bugs.cu marks one, the kernel, the block and the thread.
finds() {
    line=$(grep -n "bug: $2 \*/" $sources/bugs.cu | cut -d: -f1)
    run "$programs/$1/bugs" "$2"
    passed=no
    if [ $status -ne 0 ] && says "$3" && says "kernel .*bugs\.cu:.*, block ([01],0,0)" &&
        says "thread ([0-9]*,0,0)" && { [ -z "$line" ] || says "bugs\.cu:$line\>"; }; then
        passed=yes
    fi
    if [ "$1" = race ] && says RACECHECK && [ $status -ne 66 ]; then
        case $2 in null_pointer) ;; *) passed=no ;; esac
    fi
    result $passed "$1 finds $2"
}

# passes BUILD PROGRAM: all its results are good, counted one by one.
passes() {
    run "$programs/$1/$2"
    passed=no
    [ $status -eq 0 ] && passed=yes
    results=$output
    if ! says '^ok' || says RACECHECK || says ERROR; then
        passed=no
    fi
    while IFS= read -r text; do
        case $text in
        'ok - '*) result yes "$1: ${text#ok - }" ;;
        'not ok - '*) result no "$1: ${text#not ok - }" ;;
        esac
    done <<END
$results
END
    result $passed "$1: $2 ends well"
}

# agrees BUILD ORDER THREADS: correct.cu prints what it printed in the forward order.
agrees() {
    run env CUDA_CPU_ORDER="$2" OMP_NUM_THREADS="$3" "$programs/$1/correct"
    passed=no
    [ $status -eq 0 ] && [ "$output" = "$forward" ] && passed=yes
    result $passed "$1: the same results in order $2 with $3 thread(s)"
}

# rewrite TEXT: what the rewriter makes of it.
rewrite() {
    printf '%s\n' "$1" | awk -v src=x.cu -f cuda_on_cpu/cu2cpp.awk | sed 1d
}

run make -s -j2 -C $sources B="$programs" CPU="$PWD/cuda_on_cpu" all
[ $status -eq 0 ] && [ -z "$output" ] && passed=yes || passed=no
result "$passed" "three builds, without a warning"
if [ $status -ne 0 ]; then
    done_testing
    exit
fi

# ---- correct programs --------------------------------------------------------------------------

for build in plain asan race; do
    for program in correct language api api_c; do
        passes $build $program
    done
done

forward=$("$programs/plain/correct")
for build in plain asan race; do
    for order in forward reverse 1 2 20120; do
        agrees $build $order 2
    done
done
agrees plain 7 1
agrees plain 7 4

# ---- planted bugs ------------------------------------------------------------------------------

for build in plain asan race; do
    finds $build runaway_recursion 'stack.overflow'
    finds $build divergent_branch 'divergent __syncthreads()'
    finds $build early_return 'not reached by all threads'
    finds $build divergent_loop 'not reached by all threads'
    finds $build half_a_warp 'wait for their warp'
    finds $build mask_without_caller 'mask .* lacks the lane'
    finds $build different_masks 'different masks'
done
CUDA_CPU_SPIN_SECONDS=0.2 finds plain lock_never_released 'lock is never released'
run "$programs/plain/bugs" null_pointer
[ $status -ne 0 ] && says 'Segmentation fault in kernel .*, block (0,0,0), thread (0,0,0)' &&
    passed=yes || passed=no
result $passed "plain finds null_pointer"
finds plain failed_assertion 'Illegal instruction'

finds asan out_of_bounds_global 'AddressSanitizer: heap-buffer-overflow'
finds asan out_of_bounds_shared 'index 64 out of bounds'
finds asan out_of_bounds_pointer 'global-buffer-overflow\|insufficient space'
finds asan out_of_bounds_dynamic 'AddressSanitizer: heap-buffer-overflow'
finds asan out_of_bounds_local 'out of bounds\|stack-buffer-overflow'
finds asan undefined_shift 'shift exponent 32 is too large'
finds asan null_pointer 'null pointer'
finds asan failed_assertion 'AddressSanitizer: ILL'

for order in forward reverse 3; do
    export CUDA_CPU_ORDER=$order
    finds race missing_barrier 'RACECHECK: race on shared memory'
    finds race missing_barrier_hidden 'RACECHECK: race on shared memory'
    finds race missing_second_barrier 'RACECHECK: race on shared memory'
    finds race missing_barrier_dynamic 'RACECHECK: race on shared memory'
    finds race reduction_without_barrier 'RACECHECK: race on shared memory'
    finds race missing_syncwarp 'RACECHECK: race on shared memory'
    finds race race_between_blocks 'RACECHECK: race on global memory'
    finds race race_on_variable 'RACECHECK: race on global memory'
    finds race read_of_another_block 'RACECHECK: race on global memory'
done
unset CUDA_CPU_ORDER
finds race uninitialised_shared 'shared memory that the block has never written'
finds race uninitialised_dynamic 'shared memory that the block has never written'
finds race uninitialised_global 'device memory never written'
finds race uninitialised_atomic 'device memory never written'
finds race out_of_bounds_global 'outside every allocation'
finds race host_pointer "touches the host's memory"

run "$programs/asan/bugs" never_freed
[ $status -ne 0 ] && says 'LeakSanitizer' && says 'bugs\.cu' && passed=yes || passed=no
result $passed "asan finds never_freed"

run env CUDA_CPU_RETURNED_OK=1 "$programs/plain/bugs" early_return
[ $status -eq 0 ] && passed=yes || passed=no
result $passed "CUDA_CPU_RETURNED_OK=1 lets returned threads count as arrived"
run env CUDA_CPU_ORDER=sideways "$programs/plain/bugs" early_return
[ $status -eq 2 ] && says 'CUDA_CPU_ORDER=sideways' && passed=yes || passed=no
result $passed "an order that is none is refused"
run env CUDA_CPU_STACK_KB=4096 "$programs/plain/bugs" runaway_recursion
says 'stack overflow' && passed=yes || passed=no
result $passed "a larger stack overflows, too"

# ---- the rewriter ------------------------------------------------------------------------------

text='f("a<<<1, 2>>>(b)"); // c<<<1, 2>>>(d)'
is 'strings and comments stay' "$(rewrite "$text")" "$text"
text="int x = a << 3 >> b; if (a<b) c = d>e; y = 1 <<'<';"
is 'shifts and comparisons stay' "$(rewrite "$text")" "$text"
is 'dynamic shared memory is a pointer' "$(rewrite 'extern __shared__ __align__(16) float s[];')" \
    'float *s = (float *)cuda_cpu::dynamic_shared();'
is 'of rows, a pointer to rows' "$(rewrite 'extern __shared__ int s[][8];')" \
    'int (*s)[8] = (int (*)[8])cuda_cpu::dynamic_shared();'
is 'a pragma to unroll goes' "$(rewrite '#pragma unroll 4')" ''
is "a launch has the kernel's name" "$(rewrite 'for (;;) k<1, (2 > 1)>
    <<<g, b>>>(x);' | sed -n 's/.*cuda_cpu::launch("\([^"]*\)", .*/\1/p')" 'k<1, (2 > 1)>'
line=$(grep -n 'this is line' $sources/language.cu | cut -d: -f1)
run "$programs/plain/language"
says "# this is line $line\$" && passed=yes || passed=no
result $passed "__LINE__ is the line of the .cu file"
for program in bugs correct language api; do
    before=$(wc -l <$sources/$program.cu) after=$(wc -l <"$programs/plain/$program.cu.cpp")
    [ "$before" -eq $((after - 1)) ] && passed=yes || passed=no
    result $passed "$program.cu has as many lines after the rewriter as before"
done

# ---- nvcc --------------------------------------------------------------------------------------

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    run make -s -j2 -C $sources B="$programs" NVCC="$nvcc" nvcc
    [ $status -eq 0 ] && passed=yes || passed=no
    result $passed "nvcc takes the same sources"
else
    skip "nvcc takes the same sources" 'no nvcc'
fi

done_testing
