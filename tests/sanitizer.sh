#!/bin/sh
# sanitizer.sh - `make test-sanitizer`: NVIDIA's compute-sanitizer over all GPU variants of labs, at
# small sizes that blocks do not divide; buffers are exactly as long as they are (EXACT_BUFFERS). A
# run has one lab and one tool: memcheck with its search for leaks, racecheck, initcheck, synccheck.
# Libraries' kernels (kind vendor) get memcheck alone: initcheck accuses cuBLAS and NPP of reading
# what they then do not use, and their synchronisation is not ours. Calls are checked by the program
# itself, so memcheck need not report what CUDA's libraries try in vain.
#
# usage: tests/sanitizer.sh LAB...      with B, SANITIZER (the tool's path), RUN in the environment
#
# Exit status 1 at the first error, with what the tool said of it and the command that repeats it.
# shellcheck shell=sh
set -u
LC_ALL=C
export LC_ALL
tools='memcheck racecheck initcheck synccheck'
total=0

die() {
  printf 'test-sanitizer: %s\n' "$*" >&2
  exit 1
}

column() {
  awk -f tools/csv.awk -f tools/column.awk "$@"
}

# variants KIND...: the program's variants of these kinds.
variants() {
  # shellcheck disable=SC2086  # RUN is a command and its arguments
  ${RUN:-} "$program" --list </dev/null |
    awk -v kinds=" $* " 'index(kinds, " " $2 " ") { printf "%s%s", comma, $1; comma = "," }'
}

# shape: the sizes and blocks for what the lab's sizes are.
shape() {
  # shellcheck disable=SC2086
  ${RUN:-} "$program" --describe </dev/null >"$draft/lab.csv"
  case $(column sizes_are block_dimensions "$draft/lab.csv") in
    vector,*) echo --sizes 1,33,1013 --blocks 33,256 ;;
    product,*) echo --sizes 1,37x33x35 --blocks 8,16,7x5 ;;
    *) echo --sizes 67x71,131x99 --blocks 8,32x8,7x5 ;;
  esac
}

# says TOOL: the tool's first error, or what else ended the run.
says() {
  sed -n 's/^=========  *//p' "$draft/log" 2>/dev/null | grep -v -e '^COMPUTE-SANITIZER' -e '^$' |
    head -n 8
  tail -n 1 "$draft/errors"
}

# never_right VARIANTS: those that no row is right of, but for what this build or card lacks.
never_right() {
  column variant status note "$draft/rows.csv" |
    grep -E '^[^,]*,ok|,skipped,needs .*(this build lacks|compute capability)' >"$draft/right"
  echo "$1" | tr , '\n' | while read -r name; do
    grep -q "^$name," "$draft/right" || printf ' %s' "$name"
  done
}

# sanitize TOOL VARIANTS
sanitize() {
  extra=''
  [ "$1" != memcheck ] || extra='--leak-check full --report-api-errors no'
  command="${RUN:-} env EXACT_BUFFERS=1 $SANITIZER --tool $1 $extra --error-exitcode 99"
  command="$command --target-processes application-only --print-limit 3"
  options="$program $(shape) --check-only --variants $2"
  rm -f "$draft/log" "$draft/rows.csv"
  # shellcheck disable=SC2086
  $command --log-file "$draft/log" $options --csv "$draft/rows.csv" </dev/null >"$draft/out" \
    2>"$draft/errors"
  status=$?
  if [ $status -ne 0 ] || ! grep -q -E 'SUMMARY: 0 (errors|hazards)' "$draft/log"; then
    says "$1" >&2
    die "$1 of $lab, status $status; again: $command $options"
  fi
  never=$(never_right "$2")
  [ -z "$never" ] || die "$1 of $lab never ran$never; again: $command $options"
  right=$(sed -n 's/,ok.*//p' "$draft/right" | sort -u | tr '\n' ' ')
  echo "$1 $(echo "$right" | wc -w) $(grep -c '^[^,]*,ok' "$draft/right")" >>"$draft/counts"
  printf '%-16s %-10s %s: no error\n' "$lab" "$1" "${right% }"
}

command -v "$SANITIZER" >/dev/null 2>&1 ||
  die "there is no $SANITIZER: it comes with the CUDA Toolkit; SANITIZER=PATH says where it is"
draft=$(mktemp -d "$B/sanitizer.XXXXXX") || exit # where RUN's machine sees it, too
trap 'rm -rf "$draft"' EXIT
trap 'exit 130' HUP INT TERM
started=$(date +%s)
for lab; do
  program=$B/${lab##*_}
  for tool in $tools; do
    kinds=gpu
    [ "$tool" != memcheck ] || kinds='gpu vendor'
    # shellcheck disable=SC2086
    names=$(variants $kinds)
    [ -n "$names" ] || die "$program --list names no GPU variant"
    sanitize "$tool" "$names"
    total=$((total + 1))
  done
done
for tool in $tools; do
  awk -v tool="$tool" '$1 == tool { variants += $2; rows += $3 }
    END { printf "%-10s %3d variants, %4d rows: 0 errors\n", tool, variants, rows }' "$draft/counts"
done
echo "test-sanitizer: $total runs, 0 errors, $(($(date +%s) - started)) s"
