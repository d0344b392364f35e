#!/bin/sh
# gpu_code.sh - has what GPU builds are made of changed since all tests last passed on a GPU? One
# line, for CI, which has none. Of make's parts those count that build, not those that run, report or
# test.
# usage: tests/gpu_code.sh RUN.JSON...      of several cards those with today's code count, or the latest
#        tests/gpu_code.sh             the sum that run.json has of it
set -u
export LC_ALL=C
jsons=$*
made_of='config.mk make/flags.mk make/build.mk common/*.[ch] common/*.cuh common/*/*.[ch] common/*/*.cu
  common/*/*.cuh lab*_*/*.cu lab*_*/*.cuh lab*_*/*.h lab*_*/lab.mk make/lib.mk fp32_gemm/*'
# shellcheck disable=SC2086  # names
sum=$(cat $made_of | sha256sum | cut -c 1-16)
if [ -z "$jsons" ]; then
  echo "$sum"
  exit
fi
# field NAME: of the record
field() {
  printf '%s\n' "$record" | sed -n "s/.*\"$1\": \"*\([^\",}]*\).*/\1/p"
}
said="gpu-code: no run of the tests on a GPU is recorded in $jsons"
latest='' passed=''
for json in $jsons; do
  record=$(sed -n 's/^"tests": //p' "$json")
  [ -n "$record" ] || continue
  card=$(basename "$(dirname "$json")") date=$(field date)
  if [ "$(field gpu_code)" != "$sum" ] && expr "$date" '<' "$latest" >/dev/null; then continue; fi
  latest=$date
  if [ "$(field failed)" != 0 ]; then
    said="gpu-code: the recorded run of the tests on $card had $(field failed) failures"
  elif [ "$(field gpu_code)" = "$sum" ]; then
    [ "$(field all)" = true ] && rest=-all || rest=''
    passed="$passed${passed:+, }make test$rest on $card ($(field passed), $date)"
  else
    # By their patterns, so that files that went are named, too.
    # shellcheck disable=SC2086  # names
    changed=$(set -f && git diff --name-only "$(field commit | sed 's/-dirty//')" -- $made_of 2>/dev/null | tr '\n' ' ')
    said="gpu-code: changed since the tests passed on $card at $(field commit): ${changed:-unknown files}"
  fi
done
[ -z "$passed" ] || said="gpu-code: unchanged since this passed: $passed"
echo "$said"
