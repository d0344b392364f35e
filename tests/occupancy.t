#!/bin/sh
# occupancy.t - --occupancy-of: how the kernels would fill a multiprocessor of a card.
. tests/tap.sh
bin=$(cd "$B" && pwd)

for card in gtx-9999 sm_ sm_19 sm_99 sm_90b 'sm_ 90' sm_-20 sm_0090 H200 90 sm_90aa; do
  refuses 'an unknown card' 2 "--occupancy-of: '$card' is none of sm_20, .*, sm_90, .*, rtx-5090" \
    "$bin/matprod" --occupancy-of "$card"
done
refuses '--resources alone' 2 '--resources needs --occupancy-of' "$bin/matprod" --resources x.csv
refuses 'a missing file' 2 'missing.csv: ' \
  "$bin/matprod" --occupancy-of sm_20 --resources "$folder/missing.csv"
mkfifo "$folder/pipe.csv"
refuses 'a pipe' 2 'pipe.csv: is not a regular file' \
  timeout 10 "$bin/matprod" --occupancy-of sm_20 --resources "$folder/pipe.csv"
is "a card's architecture" "$("$bin/matprod" --occupancy-of rtx-3090 --print-machine)" sm_86

# Figures of the report's table 20 under the names of our kernels: table 21 must come out.
cat >"$folder/report.csv" <<'END'
symbol,lab,architecture,local_bytes,registers,constant_bytes,shared_bytes
_Z5naivePKfS0_Pf5shape,lab1_vecadd,sm_20,0,63,0,0
_Z5naivePKfS0_Pf5shape,lab2_matprod,sm_20,0,9,4,2092
END
text=$("$bin/matprod" --occupancy-of tesla-c2050 --resources "$folder/report.csv" \
  --variants naive --blocks '1 2 4 8 16 32' --wide --csv "$folder/21.csv")
like 'the heading names card and capability' "$text" \
  '^lab2_matprod on tesla-c2050 \(compute capability 2\.0\)'
like 'and a line the architecture' "$(echo "$text" | tr -s '\n ' ' ')" "compiled for sm_20, from $folder/report.csv"
like 'and one what it has' "$text" 'has 48 warps, 32768 registers, 48 KiB of shared memory'
is 'table 21: blocks and occupancy' \
  "$(echo "$text" | awk '$1 == "naive" { printf "%s %s ", $8, $11 }')" \
  '8 17 8 17 8 17 8 33 6 100 1 67 '
is 'table 21: blocks, warps, threads' \
  "$(column blocks_per_sm warps_per_sm threads_per_sm "$folder/21.csv" | tr '\n' ' ')" \
  '8,8,256 8,8,256 8,8,256 8,16,512 6,48,1536 1,32,1024 '
is 'nothing was timed' "$(column time_s "$folder/21.csv" | tr -d '\n')" ''
like 'a kernel that the file lacks is told' \
  "$("$bin/matprod" --occupancy-of sm_20 --resources "$folder/report.csv" --blocks 16 \
    --variants register_sum)" "its kernel is not in $folder/report.csv"
sed '3s/,9,/,x,/' "$folder/report.csv" >"$folder/broken.csv"
# What size and ptxas say becomes such a record.
is 'frame, stores and loads of spilled registers have their columns' \
  "$(printf '%s\n' '.nv.constant3  64  0' "ptxas info : Compiling entry function '_Z5naivePKf' for 'sm_80'" \
    '40 bytes stack frame, 24 bytes spill stores, 16 bytes spill loads' \
    'ptxas info : Used 32 registers, 1024 bytes smem, 400 bytes cmem[0]' |
    awk -v lab=lab9 -v architecture=sm_80 -f tools/resources.awk)" \
  'lab9,naive,sm_80,32,1024,64,40,24,16,_Z5naivePKf'
exits 'make occupancy: a program that fails is a failure' 1 \
  env NVCC=/none MAKE=make sh tools/occupancy.sh sm_20 false true
like 'LAB= is the one lab that is compiled for it' "$("$MAKE" -n occupancy LAB=lab1 BACKEND=cpu)" "LABS='lab1_vecadd' sh tools/"
refuses 'a broken record' 2 'broken.csv: not a file of .make resources' \
  "$bin/matprod" --occupancy-of sm_20 --resources "$folder/broken.csv"

# Without nvcc's figures those of the recorded rows: of naive, too, at a block that has none, less
# what a tile of this block takes; of a kernel that this build lacks; of no other configuration.
if [ "$BACKEND" = cpu ]; then
  mkdir "$folder/tree" && ln -s "$root/data" "$folder/tree"
  text=$(cd "$folder/tree" && "$bin/matprod" --occupancy-of nvidia-h100 --blocks '8 16x2' \
    --variants 'naive shared_tile tensor_split' --wide)
  is 'recorded registers and shared memory' \
    "$(echo "$text" | awk '$2 ~ /^[0-9]+x/ && $4 + 0 { print $1, $2, $4, $5 }')" \
    "$(column variant block_x registers shared_bytes data/reference/nvidia-h200/lab2_matprod.csv |
      awk -F , '$2 == 8 || $1 == "tensor_split" { has[$1] = $3 " " $4 } END {
        print "naive 8x8", has["naive"] "\nnaive 16x2", has["naive"]
        print "shared_tile 8x8", has["shared_tile"] "\ntensor_split 384x1", has["tensor_split"] }')"
  like 'whose they are' "$(echo "$text" | tr -s '\n ' ' ')" 'compiled for sm_90a, from data/reference/nvidia-h200/lab2_matprod.csv'
fi
# A build of its own, since it has other flags; what it shares with the CPU build it has from there.
if ! thorough; then
  :
elif why=$(lacks Boost.Context); then
  skip 'the labs that are asked for' "$why"
else
  take_build build/cpu "$folder/built"
  is 'the labs that are asked for' "$("$MAKE" -s occupancy BACKEND=cpu B="$folder/built" NVCC= \
    CUDA_HOME="$(realpath /usr/local/cuda)" CARD=sm_80 LABS=lab1_vecadd | grep -o '^lab[^ ]* on [^ ]*')" 'lab1_vecadd on sm_80'
fi
done_testing
