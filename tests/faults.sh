#!/bin/sh
# faults.sh - `make test-faults`: what a run leaves behind when a call of the CUDA runtime fails, a
# write does, or the whole run is killed. Whatever happens, it ends with one line that says what
# failed and a status that tells, rows that were saved can be read, none has a time without a passed
# check, no half file is left and no temporary one; and the same with --resume completes the rows to
# those of an undisturbed run. Exit status 1 if anything fell; a line tells what repeats it.
#
#   tests/faults.sh                          everything, counted
#   tests/faults.sh calls NAME ERROR N [K]   the Nth call of one configuration fails; with K each Kth
#                                            one from there to the last
#   tests/faults.sh kills N [K]              SIGKILL at the Nth of 50 moments; with K each Kth
#   tests/faults.sh stdout                   every program, every mode, printing to a full disk
#   tests/faults.sh writes HOW [N]           what is written where there is little room: HOW is
#                                            limit (ulimit -f), disk (full), folder (read-only)
. tests/tap.sh
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
moments=50

configurations='pageable vecadd --sizes 999 --blocks 32 --variants cpu,naive
pinned_hot vecadd --sizes 999 --blocks 32 --variants naive --transfer pinned --hot
mapped vecadd --sizes 999 --blocks 32 --variants naive --transfer mapped
unified vecadd --sizes 999 --blocks 32 --variants naive --transfer unified
constant gaussian --sizes 20x16 --blocks 8 --variants constant --type gray
workspace banding --sizes 20x16 --blocks 8 --variants packed4 --mode 1
copies faulty --sizes 999 --blocks 32 --variants with_copies,constant_one'

# ---- verdicts ------------------------------------------------------------------------------------

# fell and stood: a line of KIND STATUS; of what fell also why and what repeats it.
stood() {
  echo "stood $kind $status"
}

fell() {
  echo "fell $kind $status: $1; again: sh tests/faults.sh $again"
}

cat >"$folder/rows.awk" <<'END_OF_AWK'
record > 0 && (fields != columns || $0 !~ /\r$/) { print "half a row, " record }
record > 0 && csv("time_s") != "" && csv("status") != "ok" { print "a time without a check" }
record > 0 && there[csv("variant"), csv("width"), csv("block_x"), csv("cache")]++ { print "doubled" }
END { if (NR && open) print "an open quote" }
END_OF_AWK
# unsound FILE: what is wrong with its rows, if there is such a file.
unsound() {
  [ ! -e "$1" ] || awk -f tools/csv.awk -f "$folder/rows.awk" "$1"
}

# cases FILE: its rows, but for what a run measures.
cases() {
  column variant parameters width height block_x block_y cache status "$1" | sort
}

# leftovers FOLDER: what a writer did not take away with it.
leftovers() {
  find "$1" -name '*.tmp-*' -o -name 'times.*'
}

# complete FOLDER COMMAND...: why the run of which rows.csv are the rest is not completed by --resume.
complete() {
  here=$1
  shift
  timeout 60 "$@" --csv "$here/rows.csv" --resume >"$here/out" 2>"$here/err" ||
    echo "resumed, it exits $?: $(tail -n 1 "$here/err")"
  unsound "$here/rows.csv"
  cases "$here/rows.csv" | cmp -s - "$here.whole" || echo 'resumed, it has other rows'
  leftovers "$here"
}

# ---- calls ---------------------------------------------------------------------------------------

# Calls whose failure nobody needs to hear of: launches are timed one by one then, the clock is not
# known, an error that was told is cleared; and what finds no room at the awkward size is checked at
# its own.
harmless='cudaStreamBeginCapture cudaDeviceGetPCIBusId cudaGetLastError'
no_room='cudaMalloc cudaHostAlloc cudaMallocManaged'

# told: is the failure of call $name where it must be? A launch's comes with the next question.
told() {
  [ "$name" != cudaLaunchKernel ] || name=cudaGetLastError
  lines=$(grep -v '%' "$here/err")
  if [ "$status" -eq 3 ] && [ -n "$lines" ]; then
    [ "$(echo "$lines" | wc -l)" -eq 1 ] && echo "$lines" | grep -q ": ${name%_v[0-9]}"
  elif [ "$status" -eq 3 ]; then
    column status note "$here/rows.csv" | grep -q "^failed,.*${name%_v[0-9]}"
  elif [ "$error" -eq 2 ] && column status "$here/rows.csv" | grep -q '^skipped'; then
    ! column status note "$here/rows.csv" | grep -v '^ok,' | grep -q -v -E ',.*(memory|no room)'
  else
    [ "$error" -ne 2 ] || harmless="$harmless $no_room"
    echo " $harmless " | grep -q " $name " && cases "$here/rows.csv" | cmp -s - "$here.whole"
  fi
}

# call N COMMAND...: its Nth call fails; false if there is none.
call() {
  again="calls $name_of_all $error $1" kind=call
  rm -rf "$here" && mkdir "$here"
  status=0
  n=$1
  shift
  FAULT_AT=$n FAULT_ERROR=$error FAULT_LOG=$here/name timeout 60 "$@" --csv "$here/rows.csv" \
    >"$here/out" 2>"$here/err" || status=$?
  [ -f "$here/name" ] || return
  name=$(cat "$here/name")
  case $status in
    0 | 3) why=$(unsound "$here/rows.csv")$(leftovers "$here") ;;
    *) why="ended so, $(tail -n 1 "$here/err")" ;;
  esac
  told || why="$why nobody was told of it"
  why="$why$(complete "$here" "$@")"
  if [ -z "$why" ]; then stood; else fell "$name: $why"; fi
}

calls() {
  name_of_all=$1 error=$2 n=$3 each=${4:-0} here=$folder/run
  # shellcheck disable=SC2046  # words without blanks
  set -- $(echo "$configurations" | sed -n "s|^$1 |$B/fault/|p") --trials 1 --time-cap 0
  timeout 60 "$@" --csv "$folder/whole.csv" >"$folder/out" && cases "$folder/whole.csv" >"$here.whole"
  while call "$n" "$@" && [ "$each" -gt 0 ]; do
    n=$((n + each))
  done
  return 0
}

# ---- kills ---------------------------------------------------------------------------------------

# Many sizes, so that there are many saves.
kills() {
  n=$1 each=${2:-0} here=$folder/run kind=kill
  set -- "$B/matprod" --variants cpu,naive --blocks '4 8' --trials 2 --time-cap 0.02 --sizes \
    "$(awk 'BEGIN { for (n = 16; n < 40; n++) print n }' | tr '\n' ' ')"
  started=$(date +%s%N)
  "$@" --csv "$folder/whole.csv" >"$folder/out" && cases "$folder/whole.csv" >"$here.whole"
  length=$((($(date +%s%N) - started) / 1000000))
  while [ "$n" -le "$moments" ]; do
    again="kills $n" status=0
    rm -rf "$here" && mkdir "$here"
    "$@" --csv "$here/rows.csv" >"$here/out" 2>"$here/err" &
    pid=$!
    sleep "$(echo "$length $n $moments" | awk '{ print $1 * $2 / $3 / 1000 }')"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null || status=$?
    why=$(unsound "$here/rows.csv")
    cp "$here/rows.csv" "$folder/kept.csv" 2>/dev/null || : >"$folder/kept.csv"
    why="$why$(complete "$here" "$@")"
    head -c "$(wc -c <"$folder/kept.csv")" "$here/rows.csv" | cmp -s - "$folder/kept.csv" ||
      why="$why a row that was there has changed"
    if [ -z "$why" ]; then stood; else fell "$why"; fi
    [ "$each" -gt 0 ] || break
    n=$((n + each))
  done
}

# ---- writes --------------------------------------------------------------------------------------

# verdict STATUS WHY: of a command that could not write all; it says so in one line.
verdict() {
  [ "$status" -eq "$1" ] || set -- "$1" "$2 status $status, not $1;"
  [ "$(wc -l <"$folder/err")" -eq 1 ] || set -- "$1" "$2 not one line on stderr"
  if [ -z "$2" ]; then stood; else fell "$2"; fi
}

stdout() {
  again=stdout kind=stdout
  echo lab,kernel,architecture,registers,shared_bytes >"$folder/resources.csv"
  for lab in lab*_*/ render; do
    lab=${lab%/}
    while read -r words; do
      case $lab,$words in render,--help | lab*) ;; *) continue ;; esac
      # shellcheck disable=SC2086  # options without blanks
      "$B/${lab##*_}" $words >/dev/full 2>"$folder/err"
      status=$?
      verdict 2 "$(grep -v 'standard output: some' "$folder/err" | sed "s/^/$lab $words: /")"
    done <<END_OF_MODES
--help
--list
--describe
--print-machine
--occupancy-of sm_80 --resources $folder/resources.csv
--variants cpu --sizes 80 --check-only
END_OF_MODES
  done
  "$B/matprod" 64 8 1 >/dev/full 2>"$folder/err"
  status=$?
  verdict 2 ''
}

case ${1:-all} in
  calls | kills | stdout | writes)
    "$@"
    exit
    ;;
esac
