#!/bin/sh
# random.sh - runs programs of labs, which check themselves, with options drawn at random: `make
# test-random`. What goes wrong is shown with the command that repeats it, and the exit status is 1.
# usage: N=1000 SEED=1 tests/random.sh PROGRAM...
# shellcheck shell=sh
set -uf
: "${N:=1000}" "${SEED:=1}" "${RUN:=}" "${LIMIT:=300}" # seconds of a run
case $N$SEED in *[!0-9]*) echo "N=$N SEED=$SEED: whole numbers" >&2 && exit 2 ;; esac
folder=$(mktemp -d) || exit
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' HUP INT TERM
csv=$folder/rows.csv

# What each program says of itself; of a wrong value it says an option's range.
for program; do
  echo "program $program $("$program" --describe | awk -f tools/csv.awk -f tools/column.awk \
    sizes_are block_dimensions size_max - | tr , ' ')"
  "$program" --list | sed 's/^/variant /'
  "$program" --help | sed -n 's/^  --/--/p' | while read -r name help; do
    echo "option $name $help | $("$program" "$name=?" --list 2>&1 >/dev/null)"
  done
done | awk -v n="$N" -v seed="$SEED" -f tests/random/draw.awk >"$folder/draws"

while read -r program sizes blocks options; do
  rm -f "$csv"
  # shellcheck disable=SC2086  # lists of words without blanks
  timeout -k 5 "$LIMIT" $RUN "$program" --csv="$csv" $options >/dev/null 2>"$folder/err" </dev/null
  status=$?
  [ -f "$csv" ] || : >"$csv"
  sed -i '/: *[0-9]*% /d' "$folder/err" # progress
  awk -v status=$status -v sizes="$sizes" -v blocks="$blocks" -v lines="$(wc -l <"$folder/err")" \
    -v said="$(head -n 1 "$folder/err")" -v again="$RUN $program --csv=rows.csv $options" \
    -f tools/csv.awk -f tests/random/judge.awk "$csv"
done <"$folder/draws" | awk -v n="$N" -v seed="$SEED" '
  { count[$1]++; rows += $2; skipped += $3 }
  $1 == "bad" { print }
  END {
    bad = n - count["ok"] - count["refused"]
    printf "%d configurations (SEED=%s): %d ran (%d rows ok, %d skipped), %d refused, %d bad\n", n,
      seed, count["ok"], rows, skipped, count["refused"], bad
    exit bad != 0
  }'
