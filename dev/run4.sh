O=$OUT
T0=$(date +%s)
t() { echo "== $(( $(date +%s) - T0 )) s: $*"; }
M="make -s BACKEND=cuda ARCH=sm_90a lab2_matprod"
for i in 0 1 2 3; do cp -a . ../dev$i; (cd ../dev$i && sed -i "1i #define OFFSET $i" lab2_matprod/matprod.cu && python3 dev/patch.py && $M >$O/build$i.txt 2>&1) & done
($M >$O/build.txt 2>&1) & wait
P=build/cuda/matprod; D=../dev0/build/cuda/matprod
[ -x $P ] || { cat $O/build.txt; exit 1; }
[ -x $D ] || { cat $O/build0.txt; exit 1; }
t built
V=cublas,tensor_tf32,tensor_tf32_hopper,tensor_split
timeout 40 $P --sizes 1,7,63,64,65,127,128,129,255,300,513,1000,1025,100x257x513,2050x130x777,64x4096x2048,777x3x1000,4097 --variants $V --check-only >$O/odd.txt 2>&1; echo "odd rc $?" 
grep "tensor.*\(wrong\|failed\|skipped\)" $O/odd.txt | cut -c1-220 | head -20
for d in normal positive scaled rows opposite special; do timeout 30 $P --sizes 129,1500x1400x700 --data $d --variants $V --check-only 2>&1 | grep "cublas\|tensor" | sed "s/^/$d /"; done >$O/kinds.txt; grep "tensor.*\(wrong\|failed\|skipped\)\|tensor_split" $O/kinds.txt | cut -c1-50,110-250
t kinds
for r in 1 2; do for i in 0 1 2 3; do echo "offset $i"; timeout 40 ../dev$i/build/cuda/matprod --sizes 512,1024,2048,4096,8192 --variants tensor_split --trials 11 2>&1 | grep 'tensor.*ok' | cut -c22-75; done; done
t offsets
timeout 60 $P --sizes 1024,2048,4096,8192 --variants cublas,tensor_split --csv $O/times.csv --trials 11 2>&1 | grep 'cublas.*ok\|tensor.*ok' | cut -c1-120
timeout 60 $P --sizes 1024,4096 --data rows --variants cublas,tensor_split --trials 5 2>&1 | grep 'cublas.*ok\|tensor.*ok' | cut -c1-150
t times
ncu --clock-control none --cache-control none --metrics gpu__time_duration.sum,sm__cycles_elapsed.avg.per_second,sm__cycles_elapsed.max,smsp__inst_executed.sum,sm__inst_executed_pipe_tensor.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed,l1tex__m_xbar2l1tex_read_bytes.sum,dram__bytes_read.sum,dram__bytes_write.sum -k regex:"split" --launch-count 48 $P --sizes 1024,2048,4096,8192 --variants tensor_split --trials 2 >$O/ncu.txt 2>&1
t ncu
for tool in memcheck racecheck initcheck synccheck; do (EXACT_BUFFERS=1 timeout 60 compute-sanitizer --tool $tool --error-exitcode 99 --target-processes application-only --print-limit 3 $P --sizes 129,37x333x355,300x260x700 --variants tensor_split,tensor_tf32,tensor_tf32_hopper --check-only >$O/san_$tool 2>&1; echo "$tool rc $?") & done; wait
(cd $O; for f in build*.txt san_* ; do echo "#### $f"; tail -25 $f; done >logs.txt; rm -f build*.txt san_* run.json)
t sanitizer
