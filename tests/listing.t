#!/bin/sh
# listing.t - make resources, ptx and occupancy: what the compiler made of the kernels.
. tests/tap.sh
thorough_only
PATH=$PATH:/usr/local/cuda/bin
! why=$(lacks nvcc) || skip_all "$why"

csv=build/resources.csv
ls -vd lab*_* >"$folder/labs"
for labs in "$(cat "$folder/labs")" lab0_ceilings "$(cat "$folder/labs")"; do
  ok 'make resources' "$MAKE" resources BACKEND="$BACKEND" LABS="$(echo "$labs" | tr '\n' ' ')"
  is 'of these labs' "$(column lab "$csv" | uniq)" "$labs"
done
# Kernels are templates for some variants, so that names are compared up to their `<`; two variants
# are another one's kernel with a type of their own, and one splits by a kernel of its own alone.
column lab kernel "$csv" | sed -n 's/tensor_split<int8_slices/tensor_int8_slices</; s/tensor_split<mixed_parts/tensor_mixed</
  s/split_either/tensor_fp32/
  s/^lab2_matprod,\([a-z_0-9]*\).*/\1/p' | sort -u \
  >"$folder/kernels"
"$B/matprod" --list | awk '$2 == "gpu" { print $1 }' | sort >"$folder/variants"
is 'each variant of lab 2 has a kernel with a row' \
  "$(comm -23 "$folder/variants" "$folder/kernels")" ''
# CUB's own, and some kernels keep words of a thread in memory: table8 has 24 warps on a multiprocessor for it,
# tensor_fp64 32 bytes, the product of thirds 4.
# Whether they would be faster without is not measured.
known='cub::.*|table8<unsigned char, [34]>|tensor_fp64|tensor_split<bf16_thirds, 128, 2, 1, (shape|panel), true, false>'
column spill_stores_bytes spill_loads_bytes kernel "$csv" | grep -v '^0,0,' >"$folder/spills"
is 'no kernel spills but those that are known' "$(grep -Ev ",\"?($known)\"?\$" "$folder/spills")" ''
is 'and these spill little' "$(awk -F , '$1 > 256 || $2 > 256' "$folder/spills")" ''
ok 'make ptx' "$MAKE" ptx BACKEND="$BACKEND" LABS=lab0_ceilings
like 'the PTX of shared memory has barriers' "$(cat build/ptx/lab0_ceilings/reads.ptx)" 'bar\.sync'

text=$("$MAKE" occupancy CARD=nvidia-h200 WIDE=1 BACKEND="$BACKEND")
is 'make occupancy finds every kernel' "$(echo "$text" | grep 'its kernel is not')" ''
is 'each lab has its table' "$(echo "$text" | sed -n 's/ on nvidia-h200.*//p' | uniq)" \
  "$(cat "$folder/labs")"
like 'the template of 256 x 256 bytes is constant memory' "$text" \
  '^constant_template +16x16 +256 +[0-9]+ +0 +0 +65536 '
like 'a card that nvcc no longer knows' \
  "$("$MAKE" occupancy CARD=tesla-c2050 BACKEND="$BACKEND" LABS=lab0_ceilings 2>&1)" \
  '^nvcc does not compile for sm_20; registers are those of sm_[0-9]+$'
done_testing
