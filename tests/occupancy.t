#!/bin/sh
# occupancy.t - --occupancy-of: how the kernels would fill a multiprocessor of a card.
. tests/tap.sh
bin=$(cd "$B" && pwd)

refuses 'an unknown card' 2 "--occupancy-of: 'gtx-9999' is none of sm_20, .*, sm_90, .*, rtx-5090" \
  "$bin/matprod" --occupancy-of gtx-9999
refuses '--resources alone' 2 '--resources needs --occupancy-of' "$bin/matprod" --resources x.csv
refuses 'a missing file' 2 'missing.csv: ' \
  "$bin/matprod" --occupancy-of sm_20 --resources "$folder/missing.csv"
echo 'lab,kernel' >"$folder/short.csv"
refuses 'a file of another kind' 2 'short.csv: not a file of .make resources' \
  "$bin/matprod" --occupancy-of sm_20 --resources "$folder/short.csv"
is "a card's architecture" "$("$bin/matprod" --occupancy-of rtx-3090 --print-machine)" sm_86

# Figures of the report's table 20 under the names of our kernels: table 21 must come out.
symbols() {
  echo 'symbol,lab,architecture,local_bytes,registers,constant_bytes,shared_bytes'
  echo '_Z5naivePKfS0_Pf5shape,lab2_matprod,sm_20,0,9,4,2092'
  echo '_Z5naivePKfS0_Pf5shape,lab1_vecadd,sm_20,0,63,0,0'
}
symbols >"$folder/report.csv"
table_21() {
  "$bin/matprod" --occupancy-of tesla-c2050 --resources "$folder/report.csv" --variants naive \
    --blocks '1 2 4 8 16 32' --csv "$folder/21.csv"
}
text=$(table_21)
like 'the heading names card and capability' "$text" \
  '^lab2_matprod on tesla-c2050 \(compute capability 2\.0\)'
like 'and a line the architecture' "$text" "compiled for sm_20, from $folder/report.csv"
is 'table 21: occupancy' "$(echo "$text" | awk '$1 == "naive" { printf "%s ", $11 }')" \
  '17 17 17 33 100 67 '
is 'table 21: blocks, warps, threads' \
  "$(column blocks_per_sm warps_per_sm threads_per_sm "$folder/21.csv" | tr '\n' ' ')" \
  '8,8,256 8,8,256 8,8,256 8,16,512 6,48,1536 1,32,1024 '
is 'nothing was timed' "$(column time_s "$folder/21.csv" | tr -d '\n')" ''
like 'a kernel that the file lacks is told' \
  "$("$bin/matprod" --occupancy-of sm_20 --resources "$folder/report.csv" --blocks 16 \
    --variants register_sum)" "its kernel is not in $folder/report.csv"
sed '2s/,9,/,x,/' "$folder/report.csv" >"$folder/broken.csv"
refuses 'a broken record' 2 'broken.csv: not a file of .make resources' \
  "$bin/matprod" --occupancy-of sm_20 --resources "$folder/broken.csv"

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ ! -x "$nvcc" ]; then
  skip 'figures from nvcc' 'nvcc is not here'
  done_testing
  exit
fi

text=$("$MAKE" occupancy CARD=nvidia-h200 BACKEND="$BACKEND")
is 'make occupancy finds every kernel' "$(echo "$text" | grep 'its kernel is not')" ''
echo lab*_*/ | tr -d / | tr ' ' '\n' >"$folder/labs"
is 'each lab has its table' "$(echo "$text" | sed -n 's/ on nvidia-h200.*//p' | uniq)" \
  "$(cat "$folder/labs")"
like 'a tile of 16 x 16 floats, twice, is 2048 bytes' "$text" \
  '^shared_tile +16x16 +256 +[0-9]+ +2048 '
like 'the template of 256 x 256 bytes is constant memory' "$text" \
  '^constant_template +16x16 +256 +[0-9]+ +0 +0 +65536 '
like 'a card that nvcc no longer knows' \
  "$("$MAKE" occupancy CARD=tesla-c2050 BACKEND="$BACKEND" 2>&1)" \
  '^nvcc does not compile for sm_20; registers are those of sm_[0-9]+$'
done_testing
