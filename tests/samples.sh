#!/bin/bash
# samples.sh - NVIDIA's own samples by tools/cpu-nvcc, unchanged: which compile, run to their end and
# find their results right, as the table of docs/try.md.
#
# usage: tests/samples.sh CHECKOUT-OF-cuda-samples [NAME...]       LIMIT=60: seconds a run may take
#
# CPU s are those of all cores: over their number they are what a machine takes that is not busy.
set -u

names="UnifiedMemoryStreams asyncAPI clock cudaOpenMP fp16ScalarProduct matrixMul mergeSort simpleAssert
simpleAtomicIntrinsics simpleAttributes simpleCallback simpleCooperativeGroups simpleHyperQ
simpleMultiCopy simpleMultiGPU simpleOccupancy simplePrintf simpleStreams simpleTemplates simpleTexture
simpleVoteIntrinsics simpleZeroCopy systemWideAtomics template vectorAdd FunctionPointers
convolutionSeparable histogram inlinePTX reduction scalarProd scan shfl_scan sortingNetworks
threadFenceReduction StreamPriorities globalToShmemAsyncCopy newdelete simpleCudaGraphs
warpAggregatedAtomicsCG UnifiedMemoryPerf alignedTypes transpose"
# These only print; the others tell by their exit status, and in words, whether their results are right.
unverified="clock simplePrintf StreamPriorities simpleCooperativeGroups"
wrong='FAIL|not ok|Error|ERROR|MISMATCH'

[ -d "${1:-}/Common" ] || { echo "usage: $0 CHECKOUT-OF-cuda-samples [NAME...]" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
checkout=$(cd "$1" && pwd)
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# took FILE: wall and CPU seconds, from what time -p wrote.
took() {
  awk '/^real/ { real = $2 } /^(user|sys)/ { cpu += $2 } END { printf "%.1f | %.1f", real, cpu }' "$1"
}

# try_sample NAME: a row of the table; its first error, or its last word, is what is missing.
try_sample() {
  folder=$(find "$checkout/Samples" -type d -name "$1" | head -n 1)
  compiles=no runs=no verified=no seconds='- | -' why=
  # shellcheck disable=SC2046  # its files have no blanks
  if [ -n "$folder" ] && cd "$folder" &&
    "$root/tools/cpu-nvcc" -w -I "$checkout/Common" ./*.cu $(ls ./*.cpp 2>/dev/null) \
      -o "$work/program" >"$work/said" 2>&1; then
    compiles=yes
    { time -p timeout "${LIMIT:-60}" "$work/program" </dev/null >"$work/said" 2>&1; } 2>"$work/time"
    status=$?
    seconds=$(took "$work/time")
    case $status in
      0) runs=yes ;;
      124) why="not done after ${LIMIT:-60} s" ;;
      *) why="status $status: $(grep -v '^$' "$work/said" | tail -n 1)" ;;
    esac
    case $runs$unverified in yes*"$1"*) verified=- ;; yes*)
      grep -qE "$wrong" "$work/said" || verified=yes ;;
    esac
  else
    why=$(grep -m 1 -E 'error|undefined reference|cannot find' "$work/said" |
      sed -e 's/.*error: //' -e 's/.*undefined/undefined/')
  fi
  [ -z "${KEEP:-}" ] || cp "$work/said" "$KEEP/$1.txt"
  rm -f "$work/program"
  echo "| $1 | $compiles | $runs | $verified | $seconds | $(echo "$why" | tr '|' / | cut -c 1-70) |"
}

echo '| sample | compiles | runs | verified | seconds | CPU s | what is missing |'
echo '|---|---|---|---|---|---|---|'
# shellcheck disable=SC2086  # a list
[ $# -gt 0 ] || set -- $names
for name; do
  try_sample "$name"
done | tee "$work/rows"
awk -F ' [|] ' '{ n++; c += $2 == "yes"; r += $3 == "yes"; v += $4 == "yes"; none += $4 == "-" }
  END { printf "\n%d samples: %d compile, %d run to the end, %d of them verified, %d without a verification\n",
    n, c, r, v, none }' "$work/rows"
