#!/bin/sh
# gpu_code.sh - has what GPU builds are made of changed since all tests last passed on a GPU? One
# line, for CI, which has none. Of make's parts those count that build, not those that run, report or
# test.
# usage: tests/gpu_code.sh RUN.JSON
#        tests/gpu_code.sh             the sum that run.json has of it
set -u
export LC_ALL=C
json=${1-}
set -- config.mk make/flags.mk make/build.mk common/*.[ch] common/*.cuh common/*/*.[ch] \
  common/*/*.cuh lab*_*/*.cu lab*_*/*.cuh lab*_*/*.h lab*_*/lab.mk
sum=$(cat "$@" | sha256sum | cut -c 1-16)
if [ -z "$json" ]; then
  echo "$sum"
  exit
fi
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
