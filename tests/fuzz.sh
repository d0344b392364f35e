#!/bin/sh
# fuzz.sh - `make test-fuzz`: tests/fuzz/fuzz.c under libFuzzer, some seconds for each of the targets
# there, and a table. An input that crashes a reader, hangs it, leaks, or costs over 256 MB is kept in
# build/cpu-fuzz/found/; the exit status is 1 if there was one. usage: tests/fuzz.sh SECONDS [TARGET...]
set -u
seconds=$1
shift
case $seconds in '' | *[!0-9]*) echo "SECONDS=$seconds: a whole number" >&2 && exit 2 ;; esac
command -v clang >/dev/null || {
  echo "test-fuzz: clang is missing; \`make setup-dev\` installs it" >&2
  exit 1
}
root=$(pwd)
built=$root/build/cpu-fuzz
"${MAKE:-make}" -s "${built#"$root"/}/fuzz" BACKEND=cpu CHECK=fuzz || exit
[ $# -gt 0 ] || set -- $(cd tests/fuzz && echo */)
mkdir -p "$built/found"
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit # where files cost least
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
cd "$work" || exit
export ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=0 TARGET # fuzz.c sees leaks itself

for TARGET; do
  TARGET=${TARGET%/}
  mkdir -p "$built/corpus/$TARGET"
  "$built/fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
    -malloc_limit_mb=256 -detect_leaks=0 -close_fd_mask=1 -print_final_stats=1 \
    -artifact_prefix="$built/found/$TARGET-" "$built/corpus/$TARGET" "$root/tests/fuzz/$TARGET" \
    >log 2>&1 </dev/null || {
    grep -a -m 5 'ERROR\|not so\|error:\|fuzz.c' log
    echo "again: TARGET=$TARGET $built/fuzz $(sed -n 's/^.*Test unit written to //p' log)"
    : >fell
  } >&2
  awk -v target="$TARGET" -v fell="$(grep -a -c 'Test unit written' log)" '
    /^stat::number_of/ { runs = $2 }
    /^stat::peak/ { peak = $2 }
    END { printf "%-10s %12d executions %3d fell, %5d MB at most\n", target, runs, fell, peak }' log
done
[ ! -e fell ]
