# run.sh - runs labs one after the other and says at the end what came of them. For recipes:
#
#   . tools/run.sh
#   begin_runs RESULTS FIGURES LAB...   what will run
#   run_lab LAB COMMAND...              each of them, in that order
#   run_again COMMAND...                its variants for several GPUs, behind it
#   after_runs COMMAND...               what is made of the rows of $machine, if there are any
#   end_runs                            the summary; the shell ends with 0 or the worst status
#
# HISTORY asks for a copy of the results: 1, or a name for it. keep_results() tells where. The last of
# VARIANTS is the variant asked about.
#
# A failure keeps nothing else from running; status 130, an interrupted program, ends all. The folder
# of the machine is the one where the lab has written last (another machine may write there, too): asking
# the program for the machine's name would be a job of its own under srun.
# shellcheck shell=sh

begin_runs() {
  # A recipe that calls make is run even by make -n, -q and -t.
  flags=${MAKEFLAGS:-}
  case ${flags%% *} in *[nqt]*) exit 0 ;; esac
  results=$1 figures=$2
  shift 2
  labs=$* count=$# at=0 status=0 folder='' measured=''
  started=$(date +%s) since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  trap interrupted INT
  trap 'exit 129' HUP
  trap 'exit 143' TERM
  mkdir -p "$results" || exit
  find "$results"/.run-* -prune -mtime +1 -exec rm -rf {} + 2>/dev/null # of killed runs
  stamp=$results/.run-$$
  trap 'rm -rf "$stamp" "$stamp".*' EXIT
  # Rows are of this run by their date, in whole seconds: none before may have the same.
  touch -d "$since" "$stamp"
  if [ -n "$(find "$results"/*/lab*.csv -newer "$stamp" 2>/dev/null)" ]; then
    sleep 1
    since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  fi
}

run_lab() {
  lab=$1
  shift
  at=$((at + 1))
  if [ "$count" -gt 1 ]; then
    echo "---- lab $at of $count: $lab$(time_left)"
    set -- "$@" --step "lab $at of $count"
  fi
  run_program "$@"
}

run_again() {
  echo "---- $lab over several GPUs"
  run_program "$@"
}

run_program() {
  : >"$stamp"
  "$@" || failed $?
  file=$(find "$results"/*/"$lab.csv" -newer "$stamp" -exec ls -t {} + 2>/dev/null | head -n 1)
  [ -n "$file" ] || return 0
  folder=${file%/*}
  case " $measured " in *" $lab "*) ;; *) measured="$measured $lab" ;; esac
  machine=${folder##*/}
}

# What this lab and those behind it took here the last time.
time_left() {
  [ -f "$folder/run.json" ] || return 0
  echo "$labs" | tr ' ' '\n' | tail -n "+$at" | sed 's/.*/"&":/' |
    awk 'NR == FNR { left[$1]; next }
      $1 in left && match($0, /"seconds": [0-9.]+/) { s += substr($0, RSTART + 11, RLENGTH - 11) }
      END { if (s >= 1) printf ", about %d min %02d s left, as the last time\n", s / 60, s % 60 }' \
      - "$folder/run.json"
}

interrupted() {
  echo "Interrupted: RESUME=1 goes on where this stopped." >&2
  exit 130
}

# The worst status is the last word.
failed() {
  [ "$1" -ne 130 ] || interrupted
  [ "$1" -le "$status" ] || status=$1
}

after_runs() {
  [ -z "$folder" ] || "$@" || failed $?
}

end_runs() {
  [ -n "$folder" ] || exit "$status"
  set --
  for lab in $measured; do
    set -- "$@" "$folder/$lab.csv"
  done
  asked=$(echo "${VARIANTS:-}" | sed 's/[, ]*$//; s/.*[, ]//')
  [ -z "$asked" ] || bounds >"$stamp"
  awk -v since="$since" -v seconds=$(($(date +%s) - started)) -v asked="$asked" \
    -f tools/csv.awk -f tools/row.awk -f tools/words.awk -f tools/summary.awk "$stamp" "$@"
  keep_results || { copy='' && failed 1; }
  what_next
  exit "$status"
}

# What bounds the kernels of the rows, as the report judges it; nothing where sqlite3, a GPU's times
# or lab 0's rates are missing.
bounds() {
  grep -q ',gpu,' "$folder/lab0_ceilings.csv" 2>/dev/null && command -v sqlite3 >/dev/null || return 0
  echo lab,sizes_are >"$stamp.labs"
  sh report/analyse.sh --results "$results" --labs "$stamp.labs" --out "$stamp.out" "$machine" 2>/dev/null &&
    sqlite3 -csv -header "$stamp.out/results.db" \
      "select lab, line, bound from judged where origin = 'own' and bound is not null"
  rm -rf "$stamp.labs" "$stamp.out"
}

# Copies, if HISTORY asks for it, rows, timelines, run.json and profile.csv as they are now to a folder
# of their own beside them, history/20261122T055702Z or, with a name, 20261122T055702Z_NAME. Folders
# by name are runs by time: if this second has one, the next is waited for.
keep_results() {
  [ -n "${HISTORY:-}" ] || return 0
  case $HISTORY in 1 | yes) name='' ;; *) name=_$HISTORY ;; esac
  mkdir -p "$folder/history" || return
  tries=5
  until make_copy_folder; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { echo "cannot make $copy" >&2; return 1; }
    sleep 1
  done
  for file in "$folder"/lab*.csv "$folder"/timeline_*.csv \
    "$folder/run.json" "$folder/profile.csv"; do
    [ ! -f "$file" ] || cp "$file" "$copy/" || { rm -rf "$copy"; return 1; }
  done
}

make_copy_folder() {
  copy=$folder/history/$(date -u +%Y%m%dT%H%M%SZ)
  set -- "$copy"*
  copy=$copy$name
  [ ! -e "$1" ] && mkdir "$copy" 2>/dev/null
}

# Tells where everything is, and what to type.
what_next() {
  echo "rows      $folder/"
  [ -z "${copy:-}" ] || echo "kept      $copy/, for make compare-runs"
  if [ -n "$(find "$figures/$machine" -name '*.svg' -newer "$folder/run.json" 2>/dev/null)" ]; then
    echo "figures   $figures/$machine/"
  else
    echo "figures   make plots$(needs gnuplot)"
  fi
  echo "report    make report$(needs sqlite3 pandoc)"
}

# needs COMMAND...: which of them are missing
needs() {
  missing=$(for tool; do command -v "$tool" >/dev/null 2>&1 || printf ' %s' "$tool"; done)
  [ -z "$missing" ] || echo " (needs$missing, which \`make setup setup-report\` installs)"
}
