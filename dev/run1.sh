O=$OUT
T0=$(date +%s)
t() { echo "== $(( $(date +%s) - T0 )) s: $*"; }
(make -s BACKEND=cuda ARCH=sm_90a lab2_matprod) >$O/build.txt 2>&1 || { tail -30 $O/build.txt; exit 1; }
t built
cp -a . ../dev0; cp -a . ../dev1
(cd ../dev0 && TRUNC=0.0f python3 dev/patch.py && make -s BACKEND=cuda ARCH=sm_90a lab2_matprod >$O/build0.txt 2>&1) &
(cd ../dev1 && python3 dev/patch.py && make -s BACKEND=cuda ARCH=sm_90a lab2_matprod >$O/build1.txt 2>&1) &
P=build/cuda/matprod
timeout 60 $P --sizes 1,7,63,64,65,127,128,129,255,300,513,1000,1025,100x257x513,2050x130x777,64x4096x2048,777x3x1000 --variants cublas,tensor_split --check-only --csv $O/odd.csv >$O/oddlog.txt 2>&1; echo "odd rc $?" 
grep "tensor.*\(wrong\|failed\|skipped\)" $O/oddlog.txt | head -20
t odd
for d in normal positive scaled rows opposite special; do timeout 30 $P --sizes 129,1000,1500x1400x700 --data $d --variants cublas,tensor_split --check-only 2>&1 | grep "cublas\|tensor" | sed "s/^/$d /"; done >$O/kinds.txt; grep "tensor" $O/kinds.txt
t kinds
wait
timeout 100 $P --sizes 1024,2048,4096,8192 --variants cublas,tensor_split --csv $O/times.csv --trials 11 2>&1 | grep 'cublas\|tensor'
t times
timeout 40 $P --sizes 8192 --variants tensor_split --trials 100 2>&1 | tail -2
for c in d2 d1 a2 a1 b2 b1 f2; do CFG=$c timeout 20 ../dev1/build/cuda/matprod --sizes 1024 --variants tensor_split --trials 11 2>&1 | grep "CFG\|tensor" | sort -u; done
t configs1024
for c in e1 c1 a1 b1; do CFG=$c timeout 20 ../dev1/build/cuda/matprod --sizes 2048 --variants tensor_split --trials 11 2>&1 | grep "CFG\|tensor" | sort -u; done
t configs2048
for v in 0 1; do for d in uniform positive normal; do timeout 30 ../dev$v/build/cuda/matprod --sizes 128,256,512,1024,2048,512x512x16384,4096 --data $d --variants cublas,tensor_split --check-only --csv /tmp/bias.csv >/dev/null 2>&1; cat /tmp/bias.csv | sed "s/^/$v,$d,/" >>$O/bias_all.csv; rm /tmp/bias.csv; done; done
t bias
ncu --clock-control none --metrics gpu__time_duration.sum,sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active,lts__t_sectors_op_read.sum,l1tex__m_xbar2l1tex_read_bytes.sum.per_second,dram__bytes.sum -k regex:split --launch-count 14 $P --sizes 1024,2048,4096 --variants tensor_split --check-only 2>&1 | grep -v "^==PROF\|^$" >$O/ncu.txt
t ncu
for tool in memcheck racecheck initcheck synccheck; do (EXACT_BUFFERS=1 timeout 60 compute-sanitizer --tool $tool --error-exitcode 99 --target-processes application-only --print-limit 3 $P --sizes 129,37x333x355,300x260x700 --variants tensor_split --check-only >$O/san_$tool 2>&1; echo "$tool rc $?") & done; wait
(cd $O; for f in build*.txt san_* ; do echo "#### $f"; tail -25 $f; done >logs.txt; rm -f build*.txt san_* run.json bias.csv)
t sanitizer
