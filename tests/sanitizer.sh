#!/bin/sh
# sanitizer.sh - `make test-sanitizer`: NVIDIA's compute-sanitizer over all GPU variants of labs, at
# small sizes that blocks do not divide, in buffers no longer than they must be (EXACT_BUFFERS). A
# run has a lab and a tool; libraries' kernels (kind vendor) get memcheck alone: initcheck accuses
# cuBLAS and NPP of reading what they then do not use, and how they synchronise is not ours.
# Memcheck looks for leaks, too; calls the program checks itself, and libraries make some in vain.
#
# usage: tests/sanitizer.sh LAB...      with B, SANITIZER (the tool's path), RUN in the environment
#
# Exit status 1 at the first error, with what the tool says of it and the command that repeats it.
# shellcheck shell=sh disable=SC2086  # RUN is a command and its arguments, as are others here
set -u
# shellcheck source=tests/settings.sh
. tests/settings.sh

die() {
  printf 'test-sanitizer: %s\n' "$*" >&2
  exit 1
}

column() {
  awk -f tools/csv.awk -f tools/column.awk "$@" "$draft/csv"
}

# sanitize TOOL OPTIONS KIND...: one run over the lab's variants of these kinds.
sanitize() {
  tool=$1 options=$2
  shift 2
  variants=$($RUN "$program" --list </dev/null | awk -v kinds=" $* " \
    'index(kinds, " " $2 " ") { printf "%s%s", comma, $1; comma = "," }')
  command="$RUN env EXACT_BUFFERS=1 $SANITIZER --tool $tool $options --error-exitcode 99 \
--target-processes application-only --print-limit 3 --log-file $draft/log $program $shape \
--check-only --variants $variants"
  rm -f "$draft"/*
  $command --csv "$draft/csv" </dev/null >"$draft/out" 2>"$draft/errors"
  status=$?
  if [ $status -ne 0 ] || ! grep -q -E 'SUMMARY: 0 (errors|hazards)' "$draft/log"; then
    sed -n 's/^=========  *//p' "$draft/log" | grep -v COMPUTE-SANITIZER | head -n 8 >&2
    tail -n 1 "$draft/errors" >&2
    die "$tool of $lab, status $status; again: $command"
  fi
  # Each must have run, but for what this build or card lacks.
  column variant status note | grep -E '^[^,]*,ok|,skipped,needs ' | sed 's/,.*//' >"$draft/done"
  never=$(echo "$variants" | tr , '\n' | grep -v -x -F -f "$draft/done")
  [ -z "$never" ] || die "$tool of $lab never ran $never; again: $command"
  counted="$counted$tool $(echo "$variants" | tr , '\n' | wc -l) $(column status | grep -c ok)
"
  echo "$lab, $tool: no error in $variants"
}

command -v "$SANITIZER" >/dev/null 2>&1 ||
  die "there is no $SANITIZER: it comes with the CUDA Toolkit; SANITIZER=PATH says where it is"
: "${RUN:=}"
draft=$(mktemp -d "$B/sanitizer.XXXXXX") || exit # where RUN's machine sees it, too
trap 'rm -rf "$draft"' EXIT
trap 'exit 130' HUP INT TERM
started=$(date +%s) counted=''
for lab; do
  program=$B/${lab##*_}
  $RUN "$program" --describe </dev/null >"$draft/csv"
  case $(column sizes_are) in
    vector) shape='--sizes 1,33,1013 --blocks 33,256' ;;
    product) shape='--sizes 1,37x33x35,131x67x579 --blocks 8,16,7x5' ;;
    *) shape='--sizes 67x71,131x99 --blocks 8,32x8,7x5' ;;
  esac
  plain=$shape
  while read -r setting; do
    shape="$plain $setting"
    sanitize memcheck '--leak-check full --report-api-errors no' gpu vendor
    sanitize racecheck '' gpu
    sanitize initcheck '' gpu
    sanitize synccheck '' gpu
  done <<END
$(settings_for "$lab")
END
done
printf '%s' "$counted" | sort | awk -v seconds=$(($(date +%s) - started)) '
  { runs++; tool[$1]; variants[$1] += $2; rows[$1] += $3 }
  END {
    for (name in tool)
      printf "%-10s %3d variants, %4d rows: 0 errors\n", name, variants[name], rows[name]
    printf "test-sanitizer: %d runs, 0 errors, %d s\n", runs, seconds
  }'
