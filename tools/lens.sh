# lens.sh - `make lens`: what kernels of a lab do to the memory, counted on the CPU, and a page for each.
#
# usage: CARD=nvidia-h200 [VARIANTS='naive mine'] [SIZES=1024] [BLOCKS=16] [ALL=1] [LENS='naive mine'] \
#          sh tools/lens.sh PROGRAM RESULTS PAGES [OPTION...]
#
# PROGRAM is a lab's of CHECK=lens, OPTIONS its inputs; each variant, size and block has a run of its own.
# The rows go to RESULTS/<machine>/lens_<lab>.csv, beside the lab's: those of a case replace the case's
# older ones. PAGES is where the pages go; with LENS the kernels of these two variants share one.
# Registers and local memory, which the CPU cannot know, are those of the card's recorded rows, where it has some.
#
# With MAKE and NVCC, which are make's and the compiler, the time that they would take is told, too (tools/lens_time.sh).
# SAMPLE is how many blocks of a launch run, 16 where it is not set.
# Exit status: 0; 1 nothing was counted; 2 there is no such card.
# shellcheck shell=sh
set -u
set -f # of what is split into words, nothing is a pattern

die() {
  printf 'lens: %s\n' "$2" >&2
  exit "$1"
}

complain() {
  printf 'lens: %s\n' "$1" >&2
  return 1
}

# columns NAME... FILE
columns() {
  awk -f tools/csv.awk -f tools/column.awk "$@"
}

# known VARIANT BLOCK: registers and bytes of local memory of a thread, where the card has recorded them; a
# block of the variant's own is any.
known() {
  recorded=data/reference/$CARD/$lab.csv
  [ ! -f "$recorded" ] || columns variant block_x block_y registers local_bytes "$recorded" |
    awk -F , -v variant="$1" -v block="$2" '
      BEGIN { n = split(block, side, "x"); x = side[1]; y = n > 1 ? side[2] : "" }
      $1 == variant && $4 != "" {
        any = $4 " " $5
        if ($2 == x && ($3 == y || y == "" && ($3 == x || $3 == 1))) exact = any
      }
      END { print exact == "" ? any : exact }'
}

# run_case VARIANT SIZE BLOCK OPTION...: its rows go to $draft/rows, behind the case's own columns.
run_case() {
  variant=$1 size=$2 block=$3
  shift 3
  rm -f "$draft/row" "$draft/counts"
  known=$(known "$variant" "$block")
  registers=${known% *}
  CUDA_CPU_LENS_CARD="$card" CUDA_CPU_LENS_REGISTERS="$registers" CUDA_CPU_LENS_LOCAL="${known#* }" \
    CUDA_CPU_LENS="$draft/counts" CUDA_CPU_LENS_BLOCKS="$blocks_of_sample" "$program" --check-only --variants "$variant" \
    ${size:+--sizes "$size"} ${block:+--blocks "$block"} "$@" --csv "$draft/row" --fresh \
    >"$draft/said" 2>&1
  [ -s "$draft/row" ] || complain "$variant: $(grep -v ': *[0-9]*% ' "$draft/said" | tail -n 1)" || return
  [ -s "$draft/counts" ] ||
    complain "$variant $size $block: no kernel ran; $(columns note "$draft/row" | tail -n 1)" || return
  columns lost "$draft/counts" | grep -vqx 0 &&
    complain "$variant: too much between two barriers: some of it is not counted"
  awk -v registers="$registers" -v card="$CARD" -f tools/csv.awk -f tools/lens_case.awk \
    "$draft/row" "$draft/counts" >"$draft/case"
  [ -s "$draft/rows" ] && sed -i 1d "$draft/case"
  cat "$draft/case" >>"$draft/rows"
}

# keep FILE: the new rows, and what the file has of other cases.
keep() {
  mkdir -p "${1%/*}"
  [ "$(sed 1q "$1" 2>/dev/null)" = "$(sed 1q "$draft/rows")" ] || : >"$1"
  awk -F , '{ its = $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 "," $8 "," $9 }
    NR == FNR { if (!(its in new) || FNR == 1) new[its]; if (FNR == 1 || $1 != "lab") print; next }
    !(its in new)' "$draft/rows" "$1" >"$draft/all" && mv "$draft/all" "$1"
}

program=$1 results=$2 pages=$3
shift 3
: "${CARD:=nvidia-h200}" "${VARIANTS:=}" "${SIZES:=}" "${BLOCKS:=}" "${ALL:=}" "${LENS:=}"
export CARD
card=$(awk -F '\t' -v card="$CARD" '$1 == card { print $2, $3, $4, $5, $6 }' tools/cards.tsv)
[ -n "$card" ] || die 2 "CARD=$CARD: one of $(sed '/^#/d; s/\t.*//' tools/cards.tsv | paste -s -d ' ')"
blocks_of_sample=${SAMPLE:-16}
case $ALL in '' | 0 | no) ;; *) blocks_of_sample=0 ;; esac
draft=$(mktemp -d) || exit 1
trap 'rm -rf "$draft"' EXIT
trap 'exit 130' HUP INT TERM
lab=$("$program" --describe | columns lab -) machine=$("$program" --print-machine)
: "${VARIANTS:=${LENS:-$("$program" --list | awk '$2 == "gpu" && !/not in this build/ { print $1 }')}}"
for variant in $VARIANTS; do
  for size in ${SIZES:-''}; do
    for block in ${BLOCKS:-''}; do
      run_case "$variant" "${size#\'\'}" "${block#\'\'}" "$@"
    done
  done
done
[ -s "$draft/rows" ] || exit 1
file=$results/$machine/lens_$lab.csv
keep "$file" || exit 1
awk -f tools/csv.awk -f tools/lens_sums.awk "$draft/rows"
[ -z "${MAKE:-}" ] || sh tools/lens_time.sh "$draft/rows" | tee "$draft/times"
echo "rows  $file"
[ -n "$pages" ] || exit 0
mkdir -p "$pages"
awk -v pages="$pages" -v tools=tools -v times="$draft/times" -v side_by_side="$([ "$(echo "$LENS" | wc -w)" -ne 2 ] || echo 1)" \
  -f tools/csv.awk -f tools/lens_page.awk "$draft/rows" | sed 's/^/page  /'
