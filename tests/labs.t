#!/bin/sh
# labs.t - every variant of every lab against its CPU reference, at awkward sizes and blocks, and
# the answers that are known beforehand. LABS=lab2_matprod runs one lab only.
# shellcheck source=tests/tap.sh
. tests/tap.sh
: "${LABS:=lab0_ceilings lab1_vecadd lab2_matprod lab3_bilateral lab4_template}"

# sweep NAME ROWS PROGRAM OPTION...: checks everything; all rows are there, each ok or skipped for a
# reason in the list of known ones, and each variant that this build can run is ok somewhere
known_reasons='tile is the block|which this build lacks|bytes of shared memory are more|registers leave room|the caches would answer'
sweep() {
  name=$1
  sweeps "$@"
  column variant "$folder/rows.csv" | sort -u >"$folder/all"
  awk -F , 'NR > 1 && !/which this build lacks/ { ran[$2] += / *,ok,/ }
    END { for (v in ran) if (!ran[v]) print v }' "$folder/rows.csv" >"$folder/never"
  is "$name: every variant of this build ran" "$(cat "$folder/never")" ''
}

blocks_2d='1 2 3 4 5 7 8 16 32 32x8 8x32 1x32 64x1 3x5 1x1024'
n_blocks=15

ceilings() {
  # 12 sizes x (copy: 2 on the CPU, memcpy, 10 blocks; fma: 2 on the CPU, 10 blocks)
  sweep 'ceilings' $((12 * (13 + 12))) "$B/ceilings" --sizes '1 2 3 4 5 7 8 9 33 127 1000 65537' \
    --blocks '1 2 4 8 16 31 32 100 256 1024'
  awk 'NR == 1 || /,measure=copy,.*,ok,/' "$folder/rows.csv" >"$folder/copies.csv"
  is 'ceilings: a copy has no arithmetic' \
    "$(column flops "$folder/copies.csv" | sort -u)" 0
  sweep 'ceilings: copies on the CPU' 10 "$B/ceilings" --measure copy --variants 'cpu cpu_omp' \
    --sizes '2^25 33554433 33554434 33554435 33554439'
  is 'ceilings: they all ran' "$(grep -c ',ok,' "$folder/rows.csv")" 10
  refuses 'ceilings: more multiply-adds than a CPU gets done' 2 '2\^25 is the greatest' \
    "$B/ceilings" --measure fma --sizes 33554433
}

vecadd() {
  # 10 sizes x (2 on the CPU + 3 kernels x 10 blocks)
  sweep 'vecadd' 320 "$B/vecadd" --sizes '1 2 3 4 5 31 33 127 1000 65537' \
    --blocks '1 2 4 8 16 31 32 100 256 1024'
  cat >"$folder/table5" <<'END'
A:  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0  1.0
B:  0.0  1.0  2.0  3.0  4.0  5.0  6.0  7.0  8.0  9.0 10.0 11.0 12.0 13.0 14.0 15.0
C:  1.0  2.0  3.0  4.0  5.0  6.0  7.0  8.0  9.0 10.0 11.0 12.0 13.0 14.0 15.0 16.0
END
  "$B/vecadd" 16 16 2>/dev/null | sed -n '/^[ABC]:/p' >"$folder/vectors"
  ok 'vecadd 16 16 prints table 5' cmp "$folder/table5" "$folder/vectors"
  "$B/vecadd" 16 5 2>/dev/null | sed -n '/^[ABC]:/p' >"$folder/vectors"
  ok 'vecadd 16 5: blocks that do not divide the vector' cmp "$folder/table5" "$folder/vectors"
}

matprod() {
  # (3 on the CPU + cublas + 3 kernels x blocks) x 13 sizes
  sweep 'matprod' $((13 * (4 + 3 * n_blocks))) "$B/matprod" \
    --sizes '1 2 3 4 5 7 8 9 15 16 17 33 61' --blocks "$blocks_2d"
  sweep 'matprod at another seed' $((4 + 3)) "$B/matprod" --sizes 100 --blocks 16 --seed 7
  sweep 'matprod beyond the full check' $((4 + 3)) "$B/matprod" --sizes 513 --blocks 32
  sweep 'matprod by the identity' $((2 * (4 + 3 * 2))) "$B/matprod" --identity 1 --sizes '31 64' \
    --blocks '8 16'
  is 'matprod by the identity gives A to the last bit' \
    "$(column max_error "$folder/rows.csv" | grep -v '^$' | sort -u)" 0
}

bilateral() {
  sizes='1x1 2x2 3x3 1x7 7x1 13x17 15x15 16x16 17x17 31x33 64x5'
  sweep 'bilateral' $((11 * (2 + 3 * n_blocks))) "$B/bilateral" --sizes "$sizes" --blocks "$blocks_2d"
  for radius in 0 1 8; do
    sweep "bilateral of radius $radius" $((3 * (2 + 3 * 3))) "$B/bilateral" --radius $radius \
      --sizes '1x1 13x17 40x30' --blocks '1 16 32x8'
  done
  sweep 'bilateral in several passes' $((2 * (2 + 3 * 2))) "$B/bilateral" --passes 3 \
    --sizes '13x17 40x30' --blocks '8 16x4'
  sweep 'bilateral with small sigmas' $((2 + 3)) "$B/bilateral" --sigma-space 0.5 --sigma-range 1 \
    --sizes '40x30' --blocks 16
  sweep 'bilateral with a tile over shared memory' $((2 + 3)) "$B/bilateral" --radius 100 \
    --sizes '3x3' --blocks 32
  { printf 'P5\n37 29\n255\n'; head -c 1073 /dev/zero | tr '\0' 'M'; } >"$folder/constant.pgm"
  ok 'bilateral of a constant picture' "$B/bilateral" "$folder/constant.pgm" "$folder/same.pgm" 16 1 3 30 \
    37 29
  ok 'a constant picture stays as it is' cmp "$folder/constant.pgm" "$folder/same.pgm"
}

template() {
  sweep 'template' $((7 * (2 + 5 * n_blocks))) "$B/template" --template-width 5 --template-height 3 \
    --sizes '5x3 6x3 5x4 7x11 20x18 36x35 64x5' --blocks "$blocks_2d"
  sweep 'template of one pixel' $((3 * (2 + 5 * 2))) "$B/template" --template-width 1 \
    --template-height 1 --sizes '1x1 2x3 33x31' --blocks '8 16x4'
  sweep 'template as large as the image' $((2 + 5)) "$B/template" --sizes 64x64 --blocks 16
  images=data/images
  if [ -f $images/image.bmp ]; then
    variants='cpu naive'
    (cd "$folder" && "$OLDPWD/$B/template" "$OLDPWD/$images/image.bmp" "$OLDPWD/$images/template.bmp" 16 \
      --variants "$variants" --check-only --match match.txt) >"$folder/out" 2>&1
    is 'the template is found at (582,450), on CPU and GPU' \
      "$(grep -c 'min(R_SSD): (582,450)  R = 0 ' "$folder/out")" 2
    is 'the match is written' "$(cat "$folder/match.txt")" '582 450 64 64'
    is 'the map has a value for each of 961 x 705 positions' \
      "$(wc -l <"$folder/result.dat" | tr -d ' ')" $((961 * 705))
    is 'one of them is 0' "$(grep -c '^0\.000000$' "$folder/result.dat")" 1
    is 'it lies at (582,450)' "$(sed -n "$((450 * 961 + 582 + 1))p" "$folder/result.dat")" 0.000000
    is 'the map is a picture of that size' \
      "$(head -c 15 "$folder/result.pgm" | sed -n 2p)" '961 705'
  else
    skip 'the template is found' 'no pictures: make images'
  fi
}

for lab in $LABS; do
  "${lab#*_}"
done
done_testing
