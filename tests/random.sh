#!/bin/sh
# random.sh - runs the labs' programs with options drawn at random, each of which checks itself:
# `make test-random`. A bad run is shown with the command that repeats it; the exit status is 1 if
# there was one. usage: N=1000 SEED=1 tests/random.sh PROGRAM...
# shellcheck shell=sh
set -uf
: "${N:=1000}" "${SEED:=1}" "${RUN:=}" "${LIMIT:=300}" # seconds of a run
case $N$SEED in *[!0-9]*) echo "random.sh: N=$N SEED=$SEED: whole numbers" >&2 && exit 2 ;; esac
folder=$(mktemp -d) || exit
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' HUP INT TERM
csv=$folder/rows.csv

# about PROGRAM: what it says of itself, for draw.awk. A wrong value tells an option's range.
about() {
  echo "program $1 $("$1" --describe | awk -f tools/csv.awk -f tools/column.awk \
    sizes_are block_dimensions size_max - | tr , ' ')"
  "$1" --list | sed 's/^/variant /'
  "$1" --help | sed -n 's/^  --/--/p' | while read -r name help; do
    echo "option $name $help | $("$1" "$name=?" --list 2>&1 >/dev/null)"
  done
}

for program; do
  about "$program"
done >"$folder/about"
awk -v n="$N" -v seed="$SEED" -f tests/random/draw.awk "$folder/about" >"$folder/draws"
[ "${DRAW_ONLY:-}" ] && exec cat "$folder/draws"

while read -r program sizes blocks options; do
  rm -f "$csv"
  # shellcheck disable=SC2086  # lists of words without blanks
  timeout -k 5 "$LIMIT" $RUN "$program" --csv="$csv" $options >/dev/null 2>"$folder/err" </dev/null
  status=$?
  sed -i '/: *[0-9]*% /d' "$folder/err" # progress
  verdict=$([ -f "$csv" ] || csv=/dev/null
    awk -v status=$status -v sizes="$sizes" -v blocks="$blocks" -v options="$options" \
      -v lines="$(wc -l <"$folder/err")" -v said="$(head -n 1 "$folder/err")" \
      -f tools/csv.awk -f tests/random/judge.awk "$csv")
  echo "$verdict"
  case $verdict in
    ok*|refused) ;;
    *) echo "${verdict:-bad: no verdict}: $RUN $program --csv=rows.csv $options" >&2 ;;
  esac
done <"$folder/draws" >"$folder/verdicts"

awk -v seed="$SEED" '
  { n[$1]++; rows += $2; skipped += $3 }
  END {
    printf "%d configurations (SEED=%s): %d ran (%d rows ok, %d skipped), %d refused, %d bad\n", NR,
      seed, n["ok"], rows, skipped, n["refused"], NR - n["ok"] - n["refused"]
    exit NR != n["ok"] + n["refused"]
  }' "$folder/verdicts"
