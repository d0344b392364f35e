#!/bin/sh
# gpu_code.sh - has what GPU builds are made of changed since all tests last passed on a GPU? One
# line, for CI, which has none.
# usage: tests/gpu_code.sh SUM RUN.JSON SOURCE...
set -u
sum=$1 json=$2
shift 2
record=$(sed -n 's/^"tests": //p' "$json")
# field NAME: of the record
field() {
  printf '%s\n' "$record" | sed -n "s/.*\"$1\": \"*\([^\",}]*\).*/\1/p"
}
if [ -z "$record" ]; then
  echo "gpu-code: no run of the tests on a GPU is recorded in $json"
elif [ "$(field failed)" != 0 ]; then
  echo "gpu-code: the recorded run of the tests on a GPU had $(field failed) failures"
elif [ "$(field gpu_code)" = "$sum" ]; then
  echo "gpu-code: unchanged since all $(field passed) tests passed on a GPU ($(field date))"
else
  changed=$(git diff --name-only "$(field commit | sed 's/-dirty//')" -- "$@" 2>/dev/null | tr '\n' ' ')
  echo "gpu-code: changed since the tests passed on a GPU at $(field commit): ${changed:-unknown files}"
fi
