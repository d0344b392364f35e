#!/bin/sh
# checked.t - the labs' kernels under tools that see what a right result hides: races and missing
# barriers, reads of memory never written, accesses out of bounds, undefined behaviour. On the CPU
# the two instrumented builds (CHECK=race, CHECK=asan); on a GPU NVIDIA's compute-sanitizer.
# shellcheck source=tests/tap.sh
. tests/tap.sh

# clean NAME RUNNER: the labs' kernels at a few awkward sizes and blocks; RUNNER PROGRAM ARGUMENT...
clean() {
  name=$1 runner=$2
  blocks='1 3x5 8 16x2 16'
  ok "ceilings: $name" "$runner" ceilings --check-only --sizes '1 7 33 1000' --blocks '1 32 100'
  ok "vecadd: $name" "$runner" vecadd --check-only --sizes '1 33 1000' --blocks '1 32 100'
  ok "matprod: $name" "$runner" matprod --check-only --sizes '1 17 33' --blocks "$blocks"
  ok "bilateral: $name" "$runner" bilateral --check-only --sizes '1x1 17x9 33x20' --blocks "$blocks" \
    --passes 2
  ok "template: $name" "$runner" template --check-only --sizes '5x4 21x18 40x19' --blocks "$blocks" \
    --template-width 5 --template-height 4
  ok "gaussian: $name" "$runner" gaussian --check-only --sizes '5x6 17x9 33x40' --blocks "$blocks"
  ok "banding: $name" "$runner" banding --check-only --sizes '3x2 17x9 33x20' --blocks "$blocks" \
    --range 7
}

race() {
  program=$1
  shift
  "build/cpu-race/$program" "$@"
}

asan() {
  program=$1
  shift
  "build/cpu-asan/$program" "$@"
}

# Our own kernels only: what a vendor's library does is not ours to check.
memcheck() {
  program=$1
  shift
  compute-sanitizer --tool memcheck --error-exitcode 66 "$B/$program" "$@" \
    --variants "$("$B/$program" --list | awk '$2 == "gpu" { printf "%s ", $1 }')"
}

if [ "$BACKEND" = cpu ]; then
  for check in race asan; do
    ok "the $check build" "$MAKE" -j2 lab0_ceilings lab1_vecadd lab2_matprod lab3_bilateral lab4_template lab5_gaussian lab6_banding BACKEND=cpu CHECK=$check
  done
  clean 'no race, nothing unset is read' race
  clean 'no bad access' asan
elif command -v compute-sanitizer >/dev/null 2>&1; then
  clean 'no bad access' memcheck
else
  skip_all 'neither the CPU backend nor compute-sanitizer'
fi
done_testing
