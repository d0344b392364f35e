#!/bin/sh
# listing.t - make resources and make ptx: what the compiler made of the kernels.
# shellcheck source=tests/tap.sh
. tests/tap.sh
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip_all 'nvcc is not here'

ok 'make resources' "$MAKE" resources BACKEND="$BACKEND"
csv=build/resources.csv
is 'its header' "$(head -n 1 $csv)" \
  'lab,kernel,architecture,registers,shared_bytes,constant_bytes,local_bytes,spill_stores_bytes,spill_loads_bytes,symbol'
is 'each kernel of lab 2 has a row' "$(grep -c '^lab2_matprod,' $csv)" 7
is 'a tile of 16 x 16 floats, twice, is 2048 bytes of shared memory' \
  "$(awk -F , '$2 == "shared_tile<16>" { print $5 }' $csv)" 2048
is 'no kernel spills' "$(awk -F , 'NR > 1 && ($(NF - 2) > 0 || $(NF - 1) > 0)' $csv)" ''
ok 'make ptx' "$MAKE" ptx BACKEND="$BACKEND"
like 'the PTX of a tile has barriers' "$(cat build/ptx/matprod.ptx)" 'bar\.sync'
done_testing
