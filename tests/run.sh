#!/bin/sh
# run.sh - runs the tests: `make test` calls it with B, BACKEND, MAKE and UNIT_TESTS set.
# usage: tests/run.sh [TEST...]   (default: the unit tests and each room's *.t)
#
# Each test prints TAP. prove, which comes with perl, runs them and shows what fails and why; their
# own lines tell where it is missing.
set -u
: "${OMP_WAIT_POLICY:=passive}" # many short runs: no thread waits by spinning
export OMP_WAIT_POLICY

# shellcheck disable=SC2086  # names without blanks
[ $# -gt 0 ] || set -- ${UNIT_TESTS-} */*.t
# On the CPU two at a time, beside each of those that build something for long one of the rest; a
# GPU is one test's alone.
if command -v prove >/dev/null 2>&1; then
  jobs=2
  [ "${BACKEND:-}" = cpu ] || jobs=1
  exec prove --timer --failures --comments --exec env --jobs $jobs \
    --rules 'seq={cuda_on_cpu/cuda_on_cpu,tests/checked,tests/listing}.t' --rules 'seq=**' "$@"
fi

failed=
for test; do
  echo "$test ..."
  "$test" || failed="$failed $test"
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
