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
#   tests/faults.sh writes HOW [FILE]        each file that is written where there is little room:
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
  printf '%s' "fell $kind $status: $1; again: sh tests/faults.sh $again" | tr '\n' ' '
  echo
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

# completed FOLDER COMMAND...: why the run of which rows.csv are the rest is not completed by --resume.
completed() {
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
# known, an error that was told is cleared, the end is there; and what finds no room at the awkward size is checked at
# its own.
harmless='cudaStreamBeginCapture cudaDeviceGetPCIBusId cudaGetLastError cudaDeviceReset'
no_room='cudaMalloc cudaHostAlloc cudaMallocManaged'

# told: is the failure of call $name where it must be? A launch's comes with the next question.
told() {
  [ "$name" != cudaLaunchKernel ] || name=cudaGetLastError
  lines=$(grep -v '%' "$here/err")
  if [ "$status" -eq 3 ] && [ -n "$lines" ]; then
    [ "$(echo "$lines" | wc -l)" -eq 1 ] && echo "$lines" | grep -q ": ${name%_v[0-9]}"
  elif [ "$status" -eq 3 ]; then
    # After 700 the next call fails, too, and is the one that is told of.
    [ "$error" -ne 700 ] || ! echo " $harmless " | grep -q " $name " || name=cuda
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
  why="$why$(completed "$here" "$@")"
  if [ -z "$why" ]; then stood; else fell "$name: $why"; fi
}

calls() {
  name_of_all=$1 error=$2 n=$3 each=${4:-0} here=$folder/run
  # shellcheck disable=SC2046  # words without blanks
  set -- $(echo "$configurations" | sed -n "s|^$1 |$B/fault/|p") --trials 1 --time-cap 0
  timeout 60 "$@" --csv "$folder/whole.csv" >"$folder/out" 2>&1 && cases "$folder/whole.csv" >"$here.whole"
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
  "$@" --csv "$folder/whole.csv" >"$folder/out" 2>&1 && cases "$folder/whole.csv" >"$here.whole"
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
    why="$why$(completed "$here" "$@")"
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
  echo lab,kernel,architecture,registers,shared_bytes,constant_bytes,local_bytes,symbol \
    >"$folder/resources.csv"
  for lab in lab*_*/ render; do
    lab=${lab%/}
    while read -r words; do
      case $lab,$words in render,--help | lab*) ;; *) continue ;; esac
      # shellcheck disable=SC2086  # options without blanks
      "$B/${lab##*_}" $words >/dev/full 2>"$folder/err"
      status=$?
      verdict 2 "$(grep -v 'standard output: some' "$folder/err" | sed "s|^|$lab $words: |")"
    done <<END_OF_MODES
--help
--list
--describe
--print-machine
--occupancy-of sm_80 --resources $folder/resources.csv
--variants cpu --sizes 128 --check-only
END_OF_MODES
  done
  "$B/matprod" 64 8 1 >/dev/full 2>"$folder/err"
  status=$?
  verdict 2 ''
}

# What is written, by which command, of all or of the one that writes $file first; a program writes
# into the folder where it runs.
writers() {
  single='--sizes 64x48 --variants cpu --check-only'
  grep "^$file" <<END_OF_WRITERS
rows.csv run.json|vecadd --variants cpu --sizes "100 200" --check-only --csv rows.csv
out.bmp|bilateral "$in/image.pgm" out.bmp $single
out.png|gaussian "$in/image.pgm" out.png $single
out.ppm before.ppm|banding "$in/image.ppm" out.ppm --before before.ppm $single
out.pgm|blur "$in/image.pgm" out.pgm $single
map.dat map.pgm match.txt gray.pgm|template "$in/image.ppm" "$in/small.pgm" --template-width 8 \
  --template-height 8 --dat map.dat \
  --map map.pgm --match match.txt --gray gray.pgm $single
scene.bmp|render --size 64x48 scene.bmp
crop.png|render --crop 20x20+1+1 "$in/image.ppm" crop.png
facts.csv|sh "$root/report/analyse.sh" --results "$in" --labs "$root/$B/labs.csv" --out . here
report.md|cp -R "$in/tables" "$in/facts.csv" . && sh "$root/report/build.sh" --figures "$in/here" \
  --out . --formats md
here/split.svg here/exponents.svg|sh "$root/plots/draw.sh" --results "$in" --out . \
  --labs "$root/$B/labs.csv" --tables "$in/tables" --formats svg here
END_OF_WRITERS
}

# write COMMAND: where there is $limit. Its stderr goes through a pipe, to which none applies.
write() {
  {
    (cd "$place" && $limit && eval "$1" 2>&1 >/dev/null)
    echo $? >"$folder/status"
  } | cat >"$folder/err"
  status=$(cat "$folder/status")
}

# look FILE...: what is neither as it was before nor as it is where there is room.
look() {
  for written; do
    now=$place/$written
    ! cmp -s "$now" "$folder/good/$written" || continue
    [ "$status" -eq 0 ] || ! cmp -s "$now" "$folder/old/$written" || continue
    case $written in
      rows.csv)
        unsound "$now"
        cases "$now" >"$folder/cases"
        if [ "$status" -eq 0 ]; then right=good; else right=old; fi
        cases "$folder/$right/$written" | comm -23 - "$folder/cases" | sed 's/^/lost: /'
        ;;
      run.json) [ "$(tail -c 2 "$now")" = '}' ] || echo "half of $written" ;;
      report.md) [ ! -e "$now" ] || echo "half of $written" ;; # an old one is removed
      *) echo "half of $written" ;;
    esac
  done
}

# inputs: pictures, a machine's results, tables and figures, in $in; in $folder old outputs and good.
inputs() {
  PATH=$(cd "$B" && pwd):$PATH in=$folder/in
  mkdir -p "$in/here" "$folder/old/here"
  "$B/render" --size 64x48 "$in/image.ppm" && "$B/render" --resample 64x48 "$in/image.ppm" \
    "$in/image.pgm" && "$B/render" --crop 8x8+20+20 "$in/image.ppm" "$in/small.pgm"
  cp data/reference/nvidia-h200/lab1_vecadd.csv data/reference/nvidia-h200/run.json "$in/here"
  case $file in
    '' | report.md | here/*)
      sh report/analyse.sh --results "$in" --labs "$B/labs.csv" --out "$in" here
      ;;
  esac
  "$B/vecadd" --variants cpu --sizes 50 --check-only --csv "$folder/old/rows.csv" >"$folder/out"
  writers | while IFS='|' read -r files command; do
    for written in $files; do
      [ -e "$folder/old/$written" ] || echo old >"$folder/old/$written"
    done
  done
  cp -R "$folder/old" "$folder/good"
  place=$folder/good limit=true
  writers | while IFS='|' read -r files command; do
    write "$command"
    again="writes $how ${files%% *}"
    [ "$status" -eq 0 ] || fell "with room enough: $(tail -n 1 "$folder/err")"
  done
}

# give N: $place, with that much room, a number of steps, and the old outputs in it.
give() {
  limit=true
  case $how in
    limit)
      rm -rf "$place" && cp -R "$folder/old" "$place"
      limit="ulimit -f $1"
      ;;
    disk | folder)
      umount "$place" 2>/dev/null
      mount -t tmpfs -o "size=$((80 + $1 * 4))k" none "$place" && cp -R "$folder/old/." "$place"
      [ "$how" = disk ] || mount -o remount,ro "$place"
      ;;
  esac
}

writes() {
  how=$1 kind=$1 file=${2:-}
  inputs
  place=$folder/place
  mkdir "$place"
  writers | while IFS='|' read -r files command; do
    n=0 status=1
    while [ "$status" -ne 0 ] && [ "$n" -lt 5000 ]; do
      again="writes $how ${files%% *} # $n: $command"
      give "$n"
      write "$command"
      # shellcheck disable=SC2086  # names without blanks
      why=$(look $files)$(leftovers "$place")
      [ "$status" -eq 0 ] || [ -s "$folder/err" ] || why="$why without a word"
      case $status,$command in
        0,* | [1-9]*,sh* | [1-9]*,cp*) if [ -z "$why" ]; then stood; else fell "$why"; fi ;;
        *) verdict 2 "$why" ;;
      esac
      [ "$how" != folder ] || break
      n=$((n * 3 / 2 + 1))
    done
  done
  umount "$place" 2>/dev/null
}

# ---- all of it -----------------------------------------------------------------------------------

# parts: a line of arguments each. 999 and 2 hit every call; 700, which stays, one in three. Where a
# run takes a second, on a GPU, that would be hours: there it is one in fifty.
parts() {
  each=1 some=3
  [ "$BACKEND" = cpu ] || each=50 some=50
  echo "$configurations" | while read -r name words; do
    printf 'calls %s %s 1 %s\n' "$name" 999 $each "$name" 2 $each "$name" 700 $some
  done
  for half in 1 2; do
    echo kills $half 2
  done
  printf '%s\n' stdout 'writes limit'
  if unshare -m true 2>/dev/null; then
    printf '%s\n' 'writes disk' 'writes folder'
  else
    echo "no tmpfs may be mounted here: no full disk, no read-only folder" >&2
  fi
}

case ${1:-} in
  calls | kills | stdout)
    "$@"
    exit
    ;;
  writes)
    # Only in a mount namespace of its own something is mounted.
    [ "$2" = limit ] || [ -n "${UNSHARED:-}" ] || UNSHARED=1 exec unshare -m sh "$0" "$@"
    "$@"
    exit
    ;;
esac
started=$(date +%s)
# More at a time than there are cores: runs sleep between their CPU variants.
parts | xargs -P $((2 * $(nproc))) -I '{}' sh -c "exec sh tests/faults.sh {}" >"$folder/all"
grep '^fell' "$folder/all"
grep -E '^(stood|fell) ' "$folder/all" | awk -v seconds=$(($(date +%s) - started)) '
  { n[$2]++; exits[$2, $3 + 0]++; fell += $1 == "fell" }
  END {
    for (kind in n) {
      printf "%-7s %5d runs:", kind, n[kind]
      for (status = 0; status < 256; status++)
        if ((kind, status) in exits)
          printf " %d exit %d,", exits[kind, status], status
      print ""
    }
    printf "%d faults, %d fell, %d s\n", NR, fell, seconds
    exit !NR || fell
  }'
