#!/bin/sh
# listing.t - make resources and ptx: what the compiler made of the kernels.
# shellcheck source=tests/tap.sh
. tests/tap.sh
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip_all 'nvcc is not here'

ok 'make resources' "$MAKE" resources BACKEND="$BACKEND"
csv=build/resources.csv
# Kernels are templates for some variants, so that names are compared up to their `<`.
column lab kernel "$csv" | sed -n 's/^lab2_matprod,\([a-z_0-9]*\).*/\1/p' | sort -u \
  >"$folder/kernels"
"$B/matprod" --list | awk '$2 == "gpu" { print $1 }' | sort >"$folder/variants"
ok 'each variant of lab 2 has a kernel with a row' cmp "$folder/variants" "$folder/kernels"
is 'no kernel spills' \
  "$(column spill_stores_bytes spill_loads_bytes kernel "$csv" | grep -v '^0,0,')" ''
ok 'make ptx' "$MAKE" ptx BACKEND="$BACKEND" LABS=lab2_matprod
like 'the PTX of a tile has barriers' "$(cat build/ptx/matprod.ptx)" 'bar\.sync'
done_testing
