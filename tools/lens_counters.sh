# lens_counters.sh - the lens beside Nsight Compute: every kernel of a card's recorded profile that the CPU
# runs, at the profile's size and block. `make lens-counters` calls it.
#
# usage: CARD=nvidia-h200 sh tools/lens_counters.sh LAB PROGRAM OPTION...   counts a lab's kernels
#        CARD=nvidia-h200 sh tools/lens_counters.sh                         prints the table
#
# The programs are those of CHECK=lens; the lens's rows stay in build/lens/counters. docs/lens.md names the reasons of what differs.
# shellcheck shell=sh
set -u
: "${CARD:=nvidia-h200}"
: "${SAMPLE:=32}" # blocks of a launch; the counters are of all
: "${CUDA_CPU_LENS_MILLIONS:=400}" # of events: a quarter of a minute at most
export CARD SAMPLE CUDA_CPU_LENS_MILLIONS
results=build/lens/counters profile=data/reference/$CARD/profile.csv
[ -f "$profile" ] || {
  echo "lens-counters: there is no $profile" >&2
  exit 2
}

# cases LAB: lines of a variant, size and block of the profile.
cases() {
  awk -f tools/csv.awk -f tools/column.awk lab variant width height depth block_x block_y status "$profile" |
    awk -F , -v lab="$1" '$1 == lab && $8 == "ok" && $6 != "" {
      print $2, $5 == "" ? ($4 > 1 ? $3 "x" $4 : $3) : $4 "x" $3 "x" $5, ($4 > 1 ? $6 "x" $7 : $6) }'
}

[ $# -gt 0 ] || exec awk -f tools/csv.awk -f tools/lens_counters.awk "$profile" "$results"/*/lens_*.csv
lab=$1 program=$2
shift 2
cases "$lab" | while read -r variant size block; do
  VARIANTS=$variant SIZES=$size BLOCKS=$block sh tools/lens.sh "$program" "$results" '' "$@" >/dev/null
done
