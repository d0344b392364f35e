# lens_counters.sh - the lens beside a card's recorded profile and rows. `make lens-counters` has it count every
# kernel of the profile that the CPU runs, at the profile's size and block, and prints its counts beside Nsight
# Compute's; `make lens-score` every block of the recorded rows at the profile's size and at the largest, and prints how
# far the time model is from the recorded times.
#
# usage: CARD=nvidia-h200 [RECORDED=1 DESCRIBED=labs.csv] sh tools/lens_counters.sh LAB PROGRAM OPTION...
#                                                                     counts a lab's kernels
#        CARD=nvidia-h200 [RECORDED=1] sh tools/lens_counters.sh      prints the table
#
# With RECORDED, which needs sqlite3, the report's rungs are counted, too; DESCRIBED is what programs say of themselves. What
# bounds a kernel is told by the report's rule (report/diagnosis.sql) from the profile. Each estimate is kept in
# data/reference/CARD/estimates.csv, from where the report has what it expects of a kernel.
# The programs are those of CHECK=lens; the lens's rows stay in build/lens. docs/lens.md names the reasons of what
# differs, and the sum of the model's sources that the scores there are of: of another model no score is printed.
# shellcheck shell=sh
set -u
: "${CARD:=nvidia-h200}"
: "${SAMPLE:=32}" # blocks of a launch; the counters are of all
: "${CUDA_CPU_LENS_MILLIONS:=1600}" # of events: half a minute at most
export CARD SAMPLE CUDA_CPU_LENS_MILLIONS
results=build/lens/counters/$CARD profile=data/reference/$CARD/profile.csv
list=cases
[ -z "${RECORDED:-}" ] || list=recorded results=build/lens/recorded/$CARD SAMPLE=16 CUDA_CPU_LENS_MILLIONS=25
[ -f "$profile" ] || {
  echo "lens-counters: there is no $profile" >&2
  exit 2
}
[ -z "${RECORDED:-}" ] || command -v sqlite3 >/dev/null || {
  echo "lens-score: it needs sqlite3, which make setup installs" >&2
  exit 2
}

# as_options: of lines variant,width,height,depth,block_x,block_y the variant, size and block as options have them.
as_options() {
  awk -F , '!seen[$0]++ {
    print $1, $4 == "" ? ($3 > 1 ? $2 "x" $3 : $2) : $3 "x" $2 "x" $4, ($3 > 1 ? $5 "x" $6 : $5) }'
}

# cases LAB: those of the profile.
cases() {
  awk -f tools/csv.awk -f tools/column.awk variant width height depth block_x block_y lab status "$profile" |
    awk -F , -v lab="$1" '$7 == lab && $8 == "ok" && $5 != ""' | cut -d , -f 1-6 | as_options
}

# recorded LAB: those of the lab's rows with the profile's inputs (another card's where this one's has none), at its
# size and at the largest.
recorded() {
  for of_card in "$profile" data/reference/*/profile.csv; do
    inputs=$(awk -f tools/csv.awk -f tools/column.awk parameters width lab status "$of_card" |
      awk -F , -v lab="$1" '$3 == lab && $4 == "ok" { print $1 "," $2; exit }')
    [ -z "$inputs" ] || break
  done
  awk -f tools/csv.awk -f tools/column.awk variant width height depth block_x block_y status kind gpus parameters \
    "data/reference/$CARD/$1.csv" | awk -F , -v inputs="$inputs" '
      BEGIN { split(inputs, of, ",") }
      $7 == "ok" && $8 == "gpu" && $9 + 0 < 2 && $5 != "" && $10 == of[1] {
        row[++rows] = $0
        width[rows] = $2
        if ($2 + 0 > largest) largest = $2 + 0
      }
      END {
        for (r = 1; r <= rows; r++)
          if (width[r] == of[2] || width[r] == largest) print row[r]
      }' | cut -d , -f 1-6 | as_options
}

# rungs LAB: those of the report, each with its best block.
rungs() {
  rows=$results/report/results.db
  [ -n "$(find "$rows" -newer "data/reference/$CARD/run.json" 2>/dev/null)" ] ||
    sh report/analyse.sh --results data/reference --labs "$DESCRIBED" --out "${rows%/*}" "$CARD" || return
  sqlite3 -readonly -csv "$rows" "select variant, width, height, depth, block_x, block_y
    from rung where lab = '$1' and kind = 'gpu' and gpus is null" | tr -d '\r' | as_options
}

if [ $# -eq 0 ] && [ -n "${RECORDED:-}" ]; then
  scored=$(sed -n 's/.*time model \([0-9a-f]\{16\}\).*/\1/p' docs/lens.md | sed q)
  model=$(sh tools/source_sum.sh tools/lens_time)
  [ "$model" = "$scored" ] || {
    echo "lens-score: the time model is $model, the scores in docs/lens.md are of $scored" >&2
    exit 2
  }
  NVDISASM=$(sh tools/lens_time.sh)
  [ -x "$NVDISASM" ] || {
    echo "lens-score: $NVDISASM" >&2
    exit 2
  }
  export NVDISASM
  estimates=data/reference/$CARD/estimates.csv
  for rows in "$results"/*/lens_*.csv; do
    lab=${rows##*/lens_} lab=${lab%.csv}
    python3 tools/lens_time/estimate.py --score "$CARD" "$rows" build/sass/"$lab"/*.cubin
  done | awk 'NR == 1 || !/^lab,/' >"$estimates"
  sqlite3 -readonly -csv -header "$results/report/results.db" "select lab, variant, parameters, width, height, depth,
    block_x, block_y, bound from examined where basis = 'counters' and kind = 'gpu'" >"$results/diagnosis.csv" &&
    python3 tools/lens_time/score.py "$estimates" "$results/diagnosis.csv"
  exit
fi
[ $# -gt 0 ] || exec awk -f tools/csv.awk -f tools/lens_counters.awk "$profile" "$results"/*/lens_*.csv
lab=$1 program=$2
shift 2
rm -f "$results"/*/lens_"$lab".csv # of other sizes, perhaps, or an earlier commit
{
  "$list" "$lab"
  [ -z "${RECORDED:-}" ] || rungs "$lab"
} | sort -u | while read -r variant size block; do
  VARIANTS=$variant SIZES=$size BLOCKS=$block sh tools/lens.sh "$program" "$results" '' "$@" >/dev/null
done
