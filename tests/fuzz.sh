#!/bin/sh
# fuzz.sh - `make test-fuzz`: gives each of tests/fuzz/'s targets made-up inputs for some seconds,
# beginning with those of its folders and of earlier runs, and ends with a table. An input that
# crashes a reader, hangs it, leaks or costs too much memory is kept in build/cpu-fuzz/found/; the
# exit status is 1 if there was one. usage: tests/fuzz.sh [SECONDS [PROGRAM/FOLDER...]]
set -u
seconds=${1:-60}
[ $# -eq 0 ] || shift
case $seconds in '' | *[!0-9]*) echo "test-fuzz: SECONDS=$seconds: a whole number" >&2 && exit 2 ;; esac
command -v clang >/dev/null || {
  echo "test-fuzz: clang is missing; \`make setup-dev\` installs it" >&2
  exit 1
}
"${MAKE:-make}" -s fuzzers BACKEND=cpu CHECK=fuzz || exit
[ $# -gt 0 ] || set -- tests/fuzz/*/*/
root=$(pwd)
built=$root/build/cpu-fuzz
mkdir -p "$built/found"
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit # where files cost least
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
cd "$work" || exit
export ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=0 # tests/fuzz/fuzz.c knows better

# said NAME: a figure that libFuzzer gave at its end.
said() {
  sed -n "s/^stat::$1: *//p" log | tail -n 1
}

status=0
for seeds; do
  program=$(basename "$(dirname "$seeds")") name=$(basename "$seeds")
  mkdir -p "$built/corpus/$name"
  "$built/tests/fuzz/$program" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
    -rss_limit_mb=1024 -malloc_limit_mb=256 -detect_leaks=0 -close_fd_mask=1 \
    -print_final_stats=1 -artifact_prefix="$built/found/$name-" "$built/corpus/$name" \
    "$root/$seeds" >log 2>&1 </dev/null
  fell=$?
  echo "$name $(said number_of_executed_units) $((fell != 0)) $(said peak_rss_mb)" >>table
  [ $fell -eq 0 ] && continue
  status=1
  sed -n '/ERROR\|not so/,/^SUMMARY/p' log | head -n 20
  echo "again: $built/tests/fuzz/$program $(sed -n 's/^.*Test unit written to //p' log)"
done
awk 'BEGIN { printf "%-12s %12s %8s %18s\n", "target", "executions", "fell", "peak memory / MB" }
  { printf "%-12s %12s %8d %18s\n", $1, $2, $3, $4 }' table
exit $status
