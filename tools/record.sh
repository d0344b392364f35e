#!/bin/sh
# record.sh - what a recording of this machine takes, one part after the other (`make record`).
# usage: MAKE=... record.sh COMMIT RESULTS/MACHINE RECORDED/MACHINE PART...
#
# A part is a goal of make, with settings: "run-lab1_vecadd FULL=1". Those that sweep (run-...,
# accuracy) are begun anew with FRESH=1. RESULTS/MACHINE/recording notes what has begun and ended, so
# that a recording that was cut goes on where it stopped, a sweep with RESUME=1; with another commit
# or on another host it begins anew. When all is done the rows, the counters and the tests' record
# are copied to RECORDED/MACHINE, and what several GPUs gave beside it. Exit status: 0; 1 a part
# failed, which ends it: nothing is recorded whose tests or checks did not pass; 2 the tree is not
# one commit.
set -eu
# A recipe that calls make is run even by make -n, -q and -t.
flags=${MAKEFLAGS:-}
case ${flags%% *} in *[nqt]*) exit 0 ;; esac
commit=$1 results=$2 recorded=$3
shift 3
case $commit in
unknown | '')
  echo "record: a recording is of one commit, which git does not tell here; COMMIT=NAME does" >&2
  exit 2
  ;;
*-dirty)
  echo "record: a recording is of one commit, and here are changes that are in none ($commit)" >&2
  exit 2
  ;;
esac

notes=$results/recording here="$commit on $(uname -n)"
mkdir -p "$results"
[ "$(sed -n 1p "$notes" 2>/dev/null)" = "$here" ] ||
  { echo "$here" >"$notes" && : >"$notes.begun"; }

# noted WORD PART: is the part begun, or ended?
noted() {
  grep -qFx "$1 $2" "$notes"
}

at=0
for part; do
  at=$((at + 1))
  if noted ended "$part"; then
    echo "==== part $at of $#, $part: done before"
    continue
  fi
  case $part in
  run-* | accuracy) if noted begun "$part"; then way=RESUME=1; else way=FRESH=1; fi ;;
  *) way='' ;;
  esac
  noted begun "$part" || echo "begun $part" >>"$notes"
  echo "==== part $at of $#: $part"
  eval "\"\$MAKE\" $part $way" || { # a goal and its settings, with their quotes
    status=$?
    [ "$status" -ne 130 ] || exit 130
    echo "record: 'make $part' failed; make record goes on there" >&2
    exit 1
  }
  echo "ended $part" >>"$notes"
done

for folder in "$results" "$results"-x*; do
  # of several GPUs only what this recording measured
  [ "$folder" = "$results" ] || [ -n "$(find "$folder/run.json" -newer "$notes.begun" 2>/dev/null)" ] ||
    continue
  to=$recorded${folder#"$results"}
  mkdir -p "$to"
  for file in "$folder"/lab*.csv "$folder"/timeline_*.csv "$folder"/accuracy_*.csv "$folder/run.json" \
    "$folder/profile.csv" "$folder/tests.csv"; do
    [ ! -f "$file" ] || cp "$file" "$to/"
  done
  echo "recorded: $to"
done
