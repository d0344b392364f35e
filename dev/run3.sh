O=$OUT
T0=$(date +%s)
t() { echo "== $(( $(date +%s) - T0 )) s: $*"; }
cp -a . ../dev0; cp -a . ../dev1
M="make -s BACKEND=cuda ARCH=sm_90a lab2_matprod"
($M >$O/build.txt 2>&1) & (cd ../dev0 && python3 dev/patch.py && $M >$O/build0.txt 2>&1) & (cd ../dev1 && DEFS="PINGPONG" python3 dev/patch.py && $M >$O/build1.txt 2>&1) & wait
P=build/cuda/matprod; D0=../dev0/build/cuda/matprod; D1=../dev1/build/cuda/matprod
[ -x $P ] || { cat $O/build.txt; exit 1; }
t built
V=cublas,tensor_tf32,tensor_tf32_hopper,tensor_split
timeout 40 $P --sizes 1,7,63,64,65,127,128,129,255,300,513,1000,1025,100x257x513,2050x130x777,64x4096x2048,777x3x1000 --variants $V --check-only >$O/odd.txt 2>&1; echo "odd rc $?" 
grep "tensor.*\(wrong\|failed\|skipped\)" $O/odd.txt | cut -c1-220 | head -20
timeout 20 $D1 --sizes 129,1000,1025x1100x4097 --variants tensor_split --check-only 2>&1 | grep tensor | cut -c1-220
t odd
for d in normal positive scaled rows opposite special; do timeout 30 $P --sizes 129,1500x1400x700 --data $d --variants $V --check-only 2>&1 | grep "cublas\|tensor" | sed "s/^/$d /"; done >$O/kinds.txt; grep "tensor.*\(wrong\|failed\|skipped\)" $O/kinds.txt | cut -c1-250 
t kinds
W=cublas,cublas_tf32,tensor_tf32,tensor_tf32_hopper,tensor_split
timeout 60 $D0 --sizes 256,512,1024,2048,4096,8192 --variants $W --csv $O/times.csv --trials 11 2>&1 | grep 'cublas\|tensor' | cut -c1-200
t times
timeout 40 $D1 --sizes 512,1024,2048,4096,8192 --variants cublas,tensor_split --trials 11 2>&1 | grep 'tensor' | cut -c1-200
t pingpong
for D in $D0 $D1; do timeout 40 $D --sizes 8192 --variants tensor_split --trials 100 2>&1 | grep tensor | cut -c1-120; done
for D in $D0 $D1; do timeout 40 $D --sizes 1024,2048,4096 --variants tensor_split --trials 15 2>&1 | grep tensor | cut -c1-120; done
t again
for d in uniform positive normal; do timeout 30 $D0 --sizes 128,256,512,1024,2048,512x512x16384,4096 --data $d --variants cublas,tensor_split --check-only --csv /tmp/bias.csv >/dev/null 2>&1; cat /tmp/bias.csv | sed "s/^/$d,/" >>$O/bias.csv; rm /tmp/bias.csv; done
t bias
ncu --clock-control none --set full -k regex:"split|hopper" --launch-count 6 $P --sizes 1024,4096 --variants tensor_split,tensor_tf32_hopper --check-only >$O/ncu.txt 2>&1
t ncu
for tool in memcheck racecheck initcheck synccheck; do (EXACT_BUFFERS=1 timeout 60 compute-sanitizer --tool $tool --error-exitcode 99 --target-processes application-only --print-limit 3 $P --sizes 129,37x333x355,300x260x700 --variants tensor_split,tensor_tf32,tensor_tf32_hopper --check-only >$O/san_$tool 2>&1; echo "$tool rc $?") & done; wait
(EXACT_BUFFERS=1 timeout 60 compute-sanitizer --tool racecheck --error-exitcode 99 --target-processes application-only --print-limit 3 $D1 --sizes 300x600x700 --variants tensor_split --check-only >$O/san_pp 2>&1; echo "pingpong race rc $?")
(cd $O; for f in build*.txt san_* ; do echo "#### $f"; tail -25 $f; done >logs.txt; rm -f build*.txt san_* run.json)
t sanitizer
