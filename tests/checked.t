#!/bin/sh
# checked.t - the labs' kernels under tools that see what a right result hides: races and missing
# barriers, reads of memory never written, accesses out of bounds, undefined behaviour. On the CPU
# the two instrumented builds (CHECK=race, CHECK=asan); on a GPU NVIDIA's compute-sanitizer.
# LABS="lab2_matprod" tries some labs only.
. tests/tap.sh
thorough_only
. tests/settings.sh
: "${LABS:=$(echo lab*_*/ | tr -d /)}"

# sizes_for KIND: awkward ones, which no block divides; a picture is larger than lab 4's template.
sizes_for() {
  case $1 in
    vector) echo '1 33 1000' ;;
    image) echo '67x65' ;;
    *) echo '1 17 33 5x3x130 64x128x16 64x128x20' ;;
  esac
}

# clean NAME FOLDER [TOOL...]: each lab's own kernels, of the programs in FOLDER. What a vendor's
# library does is not ours to check.
clean() {
  name=$1 programs=$2
  shift 2
  for lab in $LABS; do
    program=$programs/${lab##*_}
    "$program" --describe >"$folder/lab.csv"
    sizes=$(sizes_for "$(column sizes_are "$folder/lab.csv")")
    own=$("$program" --list | awk '$2 != "vendor" { printf "%s ", $1 }')
    while read -r setting; do
      # shellcheck disable=SC2086  # options
      ok "$lab: $name${setting:+, $setting}" "$@" "$program" --check-only --sizes "$sizes" \
        --blocks '3x5 8 16 16x2 32' --variants "$own" $setting
    done <<END
$(settings_for "$lab")
END
  done
}

if [ "$BACKEND" = cpu ]; then
  for check in race asan; do
    # shellcheck disable=SC2086  # a list
    ok "the $check build" "$MAKE" -j2 $LABS BACKEND=cpu CHECK=$check
  done
  build/cpu-race/vecadd --sizes 16 --variants cpu --results "$folder/results" >"$folder/out" 2>&1
  ok 'a build for checks leaves no rows' test ! -e "$folder/results"
  is 'and says so' "$(grep -c "for checks .*nothing goes to $folder/results" "$folder/out")" 1
  clean 'no race, nothing unset is read' build/cpu-race
  clean 'no bad access' build/cpu-asan
  { echo lab,symbol,architecture,registers,shared_bytes,local_bytes,constant_bytes
    echo lab2_matprod,_Z5naivePKfS0_Pf5shape,sm_86,2147483647,2147483647,0,0; } >"$folder/most.csv"
  exits 'no overflow where a kernel takes more than any card has' 0 build/cpu-asan/matprod \
    --occupancy-of sm_86 --resources "$folder/most.csv" --variants naive
elif command -v compute-sanitizer >/dev/null 2>&1; then
  clean 'no bad access' "$B" compute-sanitizer --tool memcheck --error-exitcode 66
else
  skip_all "$(lacks compute-sanitizer)"
fi
done_testing
