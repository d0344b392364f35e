#!/bin/sh
# new_lab.t - a lab added as one folder: in a copy of the tree new_lab/lab99_sum is put beside the
# other labs, and nothing else. It is run, drawn, reported and tested as they are.
. tests/tap.sh
thorough_only

# What is built comes along, with its times, so that little has to be built again.
mkdir "$folder/tree"
tar -cf - --exclude=./.git --exclude=./build --exclude=./data/results --exclude=./plots/figures \
  --exclude=./report/output . | tar -xf - -C "$folder/tree"
tar -cf - --exclude="$B/try" "$B" | tar -xf - -C "$folder/tree"
cp -r tests/new_lab/lab99_sum "$folder/tree/"
commit=$(cat "$B/COMMIT") # what is built stays as it is
cd "$folder/tree" || exit 1

# makes WORD...: with what it said, where it failed
makes() {
  "$MAKE" BACKEND="$BACKEND" COMMIT="$commit" MACHINE=here TRIALS=2 OPTIONS='--time-cap 0.02' \
    SIZES='1000 4096' BLOCKS='32 100' "$@" >"$folder/said" 2>&1 ||
    { tail -n 20 "$folder/said"; return 1; }
}

ok 'make run-lab99' makes run-lab99
rows=data/results/here/lab99_sum.csv
is 'each variant has right rows' \
  "$(column variant status "$rows" | sort -u | tr '\n' ' ')" \
  'atomic,ok cpu,ok shared_tree,ok '
like 'the summary names it' "$(cat "$folder/said")" '^ lab99_sum '
like 'make help knows it' "$("$MAKE" help)" 'lab99_sum'

if command -v gnuplot >/dev/null 2>&1 && command -v sqlite3 >/dev/null 2>&1; then
  # Without the figures of other labs, and without pandoc, which takes its time for the PDF.
  ok 'make plots' makes plots LABS=lab99_sum
  ok 'its figure is drawn' test -s plots/figures/here/lab99_time_vs_size.svg
  report=report/output/here
  ok 'the report is written' sh report/build.sh --figures plots/figures/here --out $report \
    --formats md
  like 'the report has its section' "$(cat $report/report.md)" '^### 3.99 '
  sed -n '/^### 3[.]99 /,/^## /p' $report/report.md >"$folder/section"
  like 'with the table of its rows' "$(cat "$folder/section")" '^\| here \| cpu '
  like 'and its figure' "$(cat "$folder/section")" 'lab99_time_vs_size'
else
  skip 'its figure, its section of the report' "$(lacks sqlite3 gnuplot)"
fi
ok 'make -C lab99_sum test' "$MAKE" -C lab99_sum test BACKEND="$BACKEND" COMMIT="$commit"

# The example at the top of lab.h is a whole lab.
mkdir lab98_twice
{
  printf '#include %s\n' '<cuda_runtime.h>' '<stdio.h>' '"lab.h"' '"random.h"'
  sed -n 's/^ \*     //p' common/lab.h
} >lab98_twice/twice.cu
ok "lab.h's example is built" "$MAKE" lab98_twice BACKEND="$BACKEND" COMMIT="$commit"
exits 'and right' 0 "$B/twice" --check-only --sizes '1 1000 1024' --blocks '32 100' \
  --csv "$folder/twice.csv"
is 'at each size and block' "$(column status "$folder/twice.csv" | tr '\n' ' ')" 'ok ok ok ok ok ok '

# ---- what nvcc and ptxas refuse -------------------------------------------------------------------

if why=$(lacks Boost.Context); then
  skip 'what a CPU build refuses' "$why"
  done_testing
  exit
fi
cp lab99_sum/sum.cu "$folder/sum.cu"

# planted CHECK NVCC CODE...: compiles the lab with these lines for the CPU.
planted() {
  check=$1 nvcc=$2
  shift 2
  { cat "$folder/sum.cu" && printf '%s\n' "$@"; } >lab99_sum/sum.cu
  "$MAKE" "build/cpu${check:+-$check}/lab99_sum/sum.o" BACKEND=cpu CHECK="$check" NVCC="$nvcc"
}

shared='__global__ void tiles(float *a) { __shared__ float s[6145], t[6144]; s[0] = t[0] = *a; }'
exits '4 bytes of static shared memory more than there are: not compiled' 2 planted '' '' "$shared"
like 'as the compiler says' "$(cat "$folder/err")" \
  'sum.cu: tiles\(float\*\) uses too much static shared memory \(49156 bytes, 49152 at most\)'
ok 'all of it: compiled' planted '' '' "$(echo "$shared" | sed s/5/4/)"
PATH=$PATH:/usr/local/cuda/bin
nvcc=$(command -v nvcc)
set -- '__global__ void varies(float *a) { float of[blockDim.x]; of[0] = *a; *a = of[0]; }'
ok 'g++ takes an array whose length varies' planted race '' "$@"
if [ -n "$nvcc" ]; then
  ok 'nvcc takes the lab' planted race "$nvcc" ''
  exits 'but not such an array' 2 planted race "$nvcc" "$@"
  like 'as it says' "$(cat "$folder/err")" 'must have a constant value'
else
  skip 'what nvcc finds in the race build' "$(lacks nvcc)"
fi
cd "$root" || exit 1
done_testing
