#!/bin/sh
# run.sh - runs the tests: `make test` calls it with B, BACKEND, MAKE and UNIT_TESTS set.
# usage: tests/run.sh [TEST...]   (default: the unit tests and each room's *.t; without TEST_ALL=1
#                                  those that make test-all alone runs are left out)
#
# Each test prints TAP. Three more run at a time than there are cores (TEST_JOBS), as many wait, what took
# longest last time first, as $B/tests.csv tells; no test looks at how long anything takes. A line each says
# what it counted, with what failed and what was skipped below; the last line counts all. With RECORD=FILE a run
# of all tests leaves that table: file, passed, failed, skipped, seconds, the skips' reasons; and in
# run.json beside it what was tested: COMMIT, and a sum of the GPU's code. Exit status 1 if a test failed.
set -u
: "${OMP_WAIT_POLICY:=passive}" # many short runs: no thread waits by spinning
# The driver makes contexts one after the other, however many programs start: 0.2 s each on an H200 with
# its 8 queues for streams, half of that with 2, which run side by side as well.
: "${CUDA_DEVICE_MAX_CONNECTIONS:=2}"
export OMP_WAIT_POLICY CUDA_DEVICE_MAX_CONNECTIONS
export CUDA_CPU_STRICT=1 # an emulated program fails that keeps memory, or asks for no launch's error

# one TEST: runs it, prints what it counted, and notes that in $work.
if [ "${1:-}" = --one ]; then
  log=$work/$(echo "$2" | tr / _).tap
  started=$(date +%s.%N)
  case $2 in *.t) shell='sh' ;; *) shell='' ;; esac
  # One that waits for ever has failed. In the foreground, so that Ctrl-C reaches it.
  timeout --foreground -k 10 "${TEST_SECONDS:-900}" $shell "$2" >"$log" 2>&1 </dev/null
  awk -v test="$2" -v status=$? -v started="$started" -v ended="$(date +%s.%N)" \
    -v csv="$work/tests.csv" -f tests/run.awk "$log"
  exit 0
fi

work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
export work

named=$#
# shellcheck disable=SC2046,SC2086  # names without blanks
if [ "$named" -eq 0 ]; then
  set -- ${UNIT_TESTS-} $(find ./*/*.t | cut -c 3-)
  [ "${TEST_ALL:-}" = 1 ] ||
    set -- $(for test; do grep -q -s '^thorough_only$' "$test" || echo "$test"; done)
else
  : "${TEST_ALL:=1}" # who names a test wants all of it
fi
export TEST_ALL="${TEST_ALL:-}"

# The tests that took longest in this build's last run, or in the last record, come first; before them
# those that did not run then.
last=${RECORD:-$B/tests.csv} first=''
# Of what takes long on the CPU alone a GPU's record says little.
[ -s "$last" ] || [ "${BACKEND-}" != cpu ] ||
  first='course/handout.t tests/doctor.t cluster/cluster.t tests/make.t tests/try.t tests/notebook.t'
[ -s "$last" ] || last=data/reference/nvidia-h200/tests.csv
[ -s "$last" ] || last=/dev/null
: >"$work/begun"
printf '%s\n' "$@" | awk -F , -v first=" $first " '{ name = $1; sub(/^build.[a-z-]*./, "", name) }
  FILENAME != "-" { seconds[name] = $2 > 0 && !index(first, " " name " ") ? $5 : 999; next }
  { print name in seconds ? seconds[name] : 999, $1 }' "$last" - | sort -s -rn | cut -d ' ' -f 2 |
  xargs -n 1 -P "${TEST_JOBS:-$(($(nproc) + 3))}" sh "$0" --one

# A test that has all built anew, with other flags, takes the programs away from those beside it.
anew=$(find "$B" -maxdepth 1 -name '*_flags' -newer "$work/begun" | wc -l)
[ "$anew" = 0 ] || echo "$B: a test had it built anew, with other flags" >&2

# shellcheck disable=SC2094  # read before it is replaced
sort -o "$work/tests.csv" "$work/tests.csv"
[ "$named" -gt 0 ] || [ -n "${RECORD:-}" ] || cp "$work/tests.csv" "$B/tests.csv"
if [ "$named" -eq 0 ] && [ -n "${RECORD:-}" ]; then
  mkdir -p "$(dirname "$RECORD")"
  { echo file,passed,failed,skipped,seconds,reasons && cat "$work/tests.csv"; } >"$work/record" &&
    mv "$work/record" "$RECORD"
  # A line of run.json, as each lab has one.
  awk -F , -v code="$(sh tests/gpu_code.sh)" -v commit="$COMMIT" -v date="$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
    -v json="${RECORD%/*}/run.json" -v all="${TEST_ALL:-0}" '
    { passed += $2; failed += $3; skipped += $4 }
    END {
      while ((getline line <json) > 0) {
        sub(/[,\r]*$/, "", line)
        if (line ~ /^"/ && line !~ /^"tests":/)
          lines = lines line ",\n"
      }
      printf "{\n%s\"tests\": {\"gpu_code\": \"%s\", \"commit\": \"%s\", \"date\": \"%s\", \"all\": %s, " \
        "\"passed\": %d, \"failed\": %d, \"skipped\": %d}\n}\n", lines, code, commit, date, \
        all ? "true" : "false", passed, failed, skipped
    }' "$work/tests.csv" >"$work/json" && mv "$work/json" "${RECORD%/*}/run.json"
fi
awk -F , -v anew="$anew" '{ passed += $2; failed += $3; skipped += $4 }
  END {
    failed += anew
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed == 0
  }' "$work/tests.csv"
