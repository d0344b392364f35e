#!/bin/sh
# fuzz.sh - `make test-fuzz`: libFuzzer over the targets of tests/fuzz/fuzz.c, and a table. What
# crashes one, hangs it, leaks or costs over 256 MB is kept in build/cpu-fuzz/found/; exit status 1
# if anything is. usage: tests/fuzz.sh SECONDS [TARGET...]   (0: 2000 executions each)
set -u

# one TARGET: fuzzes it, in $work, and says how often.
if [ "$1" = --one ]; then
  TARGET=${2%/}
  export TARGET
  mkdir -p "$work/$TARGET" "$built/found" "$built/corpus/$TARGET" && cd "$work/$TARGET" || exit
  "$built/fuzz" -max_total_time="$seconds" -runs=$((seconds == 0 ? 2000 : -1)) -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
    -detect_leaks=0 -print_final_stats=1 "$built/corpus/$TARGET" "$root/tests/fuzz/$TARGET" \
    -artifact_prefix="$built/found/$TARGET-" >log 2>&1 </dev/null
  fell=$?
  awk -v target="$TARGET" -v fell=$fell '
    /^stat::number_of/ { runs = $2 }
    /^stat::peak/ { peak = $2 }
    fell && /ERROR|not so|error:|unit written to/ { print substr($0, 1, 200) }
    END {
      printf "%-10s %10d executions, %d fell, %4d MB at most\n", target, runs, fell != 0, peak
      exit fell != 0
    }' log
  exit
fi

case $1 in '' | *[!0-9]*) echo "SECONDS=$1: a whole number" >&2 && exit 2 ;; esac
seconds=$1 root=$(pwd) built=$(pwd)/build/cpu-fuzz
shift
command -v clang >/dev/null ||
  { echo "test-fuzz: clang is missing; \`make setup-dev\` installs it" >&2 && exit 1; }
"${MAKE:-make}" -s build/cpu-fuzz/fuzz BACKEND=cpu CHECK=fuzz || exit
# shellcheck disable=SC2046  # names without blanks
[ $# -gt 0 ] || set -- $(cd tests/fuzz && echo */)
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit # files cost least in memory
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
export ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=0 # fuzz.c sees leaks itself
export seconds root built work
printf '%s\n' "$@" | xargs -n 1 -P "$(nproc)" sh "$root/tests/fuzz.sh" --one || exit 1
