#!/bin/sh
# run.sh - runs the tests: `make test` calls it with B, BACKEND, MAKE and UNIT_TESTS set.
# usage: tests/run.sh [TEST...]   (default: the unit tests and each *.t here and in the other rooms)
#
# Each test prints TAP. prove runs them where perl has it, and shows what fails and why; elsewhere a
# few lines of awk count.
set -u
: "${B:=build/cpu}" "${UNIT_TESTS:=}"
: "${OMP_WAIT_POLICY:=passive}" # many short runs: no thread waits by spinning
export B OMP_WAIT_POLICY

if [ $# -eq 0 ]; then
  # shellcheck disable=SC2086  # names without blanks
  set -- $UNIT_TESTS tests/*.t
  for file in [!.]*/*.t; do
    case $file in tests/*) ;; *) [ ! -f "$file" ] || set -- "$@" "$file" ;; esac
  done
fi

if command -v prove >/dev/null 2>&1; then
  exec prove --timer --failures --comments --exec env "$@"
fi

passed=0
failed=0
for test; do
  printf '%s ...\n' "$test"
  output=$("$test" 2>&1)
  status=$?
  counts=$(printf '%s\n' "$output" | awk '
    /^ok /     { passed++ }
    /^not ok / { failed++ }
    /^1\.\.[0-9]+/ { split($1, range, "\\.\\."); planned = range[2]; seen = 1 }
    END { if (!seen || planned != passed + failed) failed++; print passed + 0, failed + 0 }')
  passed=$((passed + ${counts% *}))
  bad=${counts#* }
  [ "$status" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
  failed=$((failed + bad))
  [ "$bad" -ne 0 ] && printf '%s\n' "$output" | grep -v '^ok '
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
