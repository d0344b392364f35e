O=$OUT
T0=$(date +%s)
t() { echo "== $(( $(date +%s) - T0 )) s: $*"; }
M="make -s BACKEND=cuda ARCH=sm_90a lab2_matprod"
F=lab2_matprod/tensor_split.cuh
mut() { cp -a . ../m$1; (cd ../m$1 && sed -E -i "$3" $2 && ! cmp -s $2 ../t/$2 && $M >build.txt 2>&1 || echo "mutant $1 not built") & }
mut 1 $F 's/multiply_fp16\(sums, a \+ at, b \+ at \+ LOW, 1\);//'
mut 2 $F 's/int e = -scale_exponent\(magnitude\);/int e = 1 - scale_exponent(magnitude);/'
mut 3 $F 's/products_wait<1>\(\);//'
mut 4 lab2_matprod/hopper.cuh 's/r->phase \^= 1;//'
mut 5 $F '/create_ring\(&r, T::STAGES/,/fast =/s/wait_for_kernel_before\(\);//'
mut 6 $F 's/return large < count - count \/ 4 - 4;/return false;/'
mut 7 $F 's/part = 0; part < parts;/part = 0; part < parts - 1;/'
cp -a . ../dev0; (cd ../dev0 && sed -i '/^p=.lab2_matprod.tensor_split/,$d' dev/patch.py && python3 dev/patch.py && $M >build.txt 2>&1) &
($M >$O/build.txt 2>&1) & wait
P=build/cuda/matprod; D=../dev0/build/cuda/matprod
[ -x $P ] || { cat $O/build.txt; exit 1; }
t built
W=cublas,cublas_tf32,tensor_tf32,tensor_tf32_hopper,tensor_split
timeout 60 $D --sizes 1024,2048,4096,8192 --variants $W --csv $O/times.csv 2>&1 | grep 'cublas.*ok\|tensor.*ok' | cut -c1-120
timeout 60 $P --sizes 1024,4096 --data rows --variants cublas,tensor_split --trials 5 2>&1 | grep 'cublas.*ok\|tensor.*ok' | cut -c1-140
for i in 1 2; do timeout 40 $P --sizes 1024,2048,4096,8192 --variants cublas,tensor_split 2>&1 | grep 'cublas.*ok\|tensor.*ok' | cut -c1-75; done
timeout 40 $P --sizes 8192 --variants tensor_split --trials 150 2>&1 | grep 'tensor.*ok' | cut -c1-75
t times
B=build/cuda BACKEND=cuda MAKE=make timeout 60 sh lab2_matprod/matprod.t >$O/matprod_t.txt 2>&1; grep -v "^ok" $O/matprod_t.txt | head -30
LABS=lab2_matprod B=build/cuda BACKEND=cuda MAKE=make timeout 60 sh tests/labs.t 2>&1 | grep -v "^ok" | head -20
t tests
for i in 1 2 3 4 5 6 7; do (cd ../m$i && sed -i '/^# ---- a kernel of one/,/^done_testing/{/done_testing/!d}' lab2_matprod/matprod.t && B=build/cuda BACKEND=cuda MAKE=make timeout 50 sh lab2_matprod/matprod.t >t.txt 2>&1; echo "mutant $i: rc $?, $(grep -c '^not ok' t.txt) failed: $(grep '^not ok' t.txt | head -3 | tr '\n' ';')") & done; wait
t mutants
ncu --clock-control none --cache-control none --metrics gpu__time_duration.sum,sm__cycles_elapsed.avg.per_second,smsp__inst_executed.sum,sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,sm__warps_active.avg.pct_of_peak_sustained_active,lts__t_bytes.sum,dram__bytes_read.sum,dram__bytes_write.sum -k regex:"split|tf32" --launch-count 8 $P --sizes 4096 --variants tensor_tf32,tensor_tf32_hopper,tensor_split --check-only >$O/ncu.txt 2>&1
t ncu
for tool in memcheck racecheck initcheck synccheck; do (EXACT_BUFFERS=1 timeout 60 compute-sanitizer --tool $tool --error-exitcode 99 --target-processes application-only --print-limit 3 $P --sizes 1,129,37x333x355,300x260x700 --variants tensor_split,tensor_tf32,tensor_tf32_hopper --check-only >$O/san_$tool 2>&1; echo "$tool rc $?") & done; wait
(cd $O; for f in build*.txt san_* ; do echo "#### $f"; tail -25 $f; done >logs.txt; rm -f build*.txt san_* run.json)
t sanitizer
