#!/bin/sh
# listing.t - make resources, ptx and occupancy: what the compiler made of the kernels.
. tests/tap.sh
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip_all 'nvcc is not here'

ok 'make resources' "$MAKE" resources BACKEND="$BACKEND"
csv=build/resources.csv
# Kernels are templates for some variants, so that names are compared up to their `<`.
column lab kernel "$csv" | sed -n 's/^lab2_matprod,\([a-z_0-9]*\).*/\1/p' | sort -u \
  >"$folder/kernels"
"$B/matprod" --list | awk '$2 == "gpu" { print $1 }' | sort >"$folder/variants"
is 'each variant of lab 2 has a kernel with a row' \
  "$(comm -23 "$folder/variants" "$folder/kernels")" ''
is 'no kernel spills' \
  "$(column spill_stores_bytes spill_loads_bytes kernel "$csv" | grep -v '^0,0,')" ''
ok 'make ptx' "$MAKE" ptx BACKEND="$BACKEND" LABS=lab2_matprod
like 'the PTX of a tile has barriers' "$(cat build/ptx/matprod.ptx)" 'bar\.sync'

text=$("$MAKE" occupancy CARD=nvidia-h200 BACKEND="$BACKEND")
is 'make occupancy finds every kernel' "$(echo "$text" | grep 'its kernel is not')" ''
echo lab*_*/ | tr -d / | tr ' ' '\n' >"$folder/labs"
is 'each lab has its table' "$(echo "$text" | sed -n 's/ on nvidia-h200.*//p' | uniq)" \
  "$(cat "$folder/labs")"
like 'the template of 256 x 256 bytes is constant memory' "$text" \
  '^constant_template +16x16 +256 +[0-9]+ +0 +0 +65536 '
like 'a card that nvcc no longer knows' \
  "$("$MAKE" occupancy CARD=tesla-c2050 BACKEND="$BACKEND" 2>&1)" \
  '^nvcc does not compile for sm_20; registers are those of sm_[0-9]+$'
done_testing
