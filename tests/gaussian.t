#!/bin/sh
# gaussian.t - lab 5: every variant and type at awkward sizes and blocks, the answers that are known
# beforehand, what the program refuses, and the table that algorithms.awk makes of a results file.
# shellcheck source=tests/tap.sh
. tests/tap.sh
gaussian=$B/gaussian

# sweep NAME ROWS OPTION...: checks everything; all rows are there, each ok or skipped for a reason
# in the list of known ones, and nothing is timed
known_reasons='which this build lacks|bytes of shared memory are more|registers leave room'
sweep() {
  name=$1 rows=$2
  shift 2
  sweeps "$name" "$rows" "$gaussian" "$@"
}

# ran: which variants have an ok row in the last sweep
ran() {
  awk -F , '/,ok,/ { print $2 }' "$folder/rows.csv" | sort -u | tr '\n' ' '
}

# skipped_as PATTERN: which variants the last sweep skipped for this reason
skipped_as() {
  grep ",skipped,.*$1" "$folder/rows.csv" | cut -d , -f 2 | sort -u | tr '\n' ' '
}

# ---- sizes and blocks ----------------------------------------------------------------------------

sizes='5x5 5x7 6x5 13x17 33x20 64x5 31x33'
blocks='1 3x5 8 32x8 16 1x33 64x1'
of_bytes='array constant constant_fixed cpu cpu_omp naive'
for type in gray rgb24 rgba32; do
  # (2 on the CPU + NPP + 5 kernels x 7 blocks) x 7 sizes
  sweep "$type" $((7 * (3 + 5 * 7))) --type $type --sizes "$sizes" --blocks "$blocks"
  like "$type: every variant ran" "$(ran)" "^$of_bytes (npp )?shared_tile \$"
  is "$type: at most a level off" "$(column max_error "$folder/rows.csv" | grep -cvE '^(0|1|)$')" 0
done
of_floats='conv2d copy cpu cpu_omp recursive separable '
# (2 on the CPU + 4 kernels x 7 blocks) x 5 sizes
sweep f32 $((5 * (2 + 4 * 7))) --type f32 --sizes '31x31 33x40 64x31 40x65 97x33' --blocks "$blocks"
is 'f32: every variant ran' "$(ran)" "$of_floats"
is 'f32: copy copies to the last bit' \
  "$(grep ',copy,' "$folder/rows.csv" >"$folder/copy"; head -n 1 "$folder/rows.csv" | cat - "$folder/copy" >"$folder/copy.csv"; column max_error "$folder/copy.csv" | sort -u)" 0
is 'f32: every recursive row tells how far it is from the Gaussian' \
  "$(grep -c 'recursive.*up to [0-9.e-]* levels from the Gaussian of 31 taps' "$folder/rows.csv")" 35

# ---- other settings ------------------------------------------------------------------------------

known_reasons="$known_reasons|are those of sigma 1 and radius 2|are written for radius 2|sigma of 0.5"
for settings in '--radius 0' '--radius 1' '--radius 8' '--sigma 3' '--sigma 0.1'; do
  for type in gray rgb24 rgba32; do
    # shellcheck disable=SC2086
    sweep "$type $settings" $((2 * (3 + 5 * 2))) --type $type $settings --sizes '17x17 40x23' \
      --blocks '8 32x8'
    like "$type $settings: constant ran" "$(ran)" 'constant '
  done
done
sweep 'sigma 0.8' $((3 + 5)) --type gray --sigma 0.8 --sizes 13x17 --blocks 8
is 'weights in the code are those of sigma 1' "$(skipped_as 'sigma 1 and radius 2')" 'array naive '
sweep 'radius 3' $((3 + 5)) --type gray --radius 3 --sizes 13x17 --blocks 8
is 'fixed loops are for radius 2' "$(skipped_as 'written for radius 2')" 'constant_fixed shared_tile '
for settings in '--radius 0' '--radius 1 --sigma 0.5' '--sigma 1' '--sigma 2.5' '--sigma 16' '--radius 50'; do
  # shellcheck disable=SC2086
  sweep "f32 $settings" $((2 * (2 + 4 * 2))) --type f32 $settings --sizes '101x101 120x103' \
    --blocks '8 32x8'
  is "f32 $settings: every variant ran" "$(ran)" "$of_floats"
done
sweep 'f32 sigma 0.4' $((2 + 4)) --type f32 --sigma 0.4 --sizes 33x31 --blocks 8
is 'the recursive filter starts at sigma 0.5' "$(skipped_as 'sigma of 0.5 or more')" 'recursive '
sweep 'f32 with tiles over 48 KiB' $((2 + 4)) --type f32 --sizes 31x1030 --blocks 1x1024
is 'separable says so' "$(skipped_as 'bytes of shared memory are more')" 'separable '

# ---- known answers -------------------------------------------------------------------------------

# zeros N: N zero bytes
zeros() {
  head -c "$1" /dev/zero
}

# rows WIDTH BYTES FILE: the last BYTES bytes of a picture file, WIDTH decimal numbers a line
rows() {
  tail -c "$2" "$3" | od -A n -v -t u1 -w"$1" | sed 's/^ *//; s/  */ /g'
}

# run IN OUT VARIANT SIZE OPTION...: one variant, one size, the result as a picture
run() {
  in=$1 out=$2 variant=$3 size=$4
  shift 4
  "$gaussian" "$in" "$out" --variants "$variant" --sizes "$size" --check-only "$@"
}

# A single bright pixel gives the filter's own coefficients: 255 w(dx) w(dy), rounded.
{ printf 'P5\n11 13\n255\n'; zeros 71; printf '\377'; zeros 71; } >"$folder/dot.pgm"
awk 'BEGIN {
  for (d = -2; d <= 2; d++) total += exp(-d * d / 2)
  for (y = 0; y < 13; y++)
    for (x = 0; x < 11; x++) {
      dx = x - 5; dy = y - 6
      inside = dx * dx <= 4 && dy * dy <= 4
      w = inside ? exp(-(dx * dx + dy * dy) / 2) / (total * total) : 0
      printf "%d%s", int(255 * w + 0.5), x < 10 ? " " : "\n"
    }
}' >"$folder/coefficients"
is 'which are those of the slides' "$(sed -n 7p "$folder/coefficients")" '0 0 0 6 25 41 25 6 0 0 0'
for variant in cpu cpu_omp naive array constant constant_fixed shared_tile; do
  ok "a bright pixel through $variant" run "$folder/dot.pgm" "$folder/out.pgm" $variant 11x13
  is "$variant: the coefficients" "$(rows 11 143 "$folder/out.pgm")" "$(cat "$folder/coefficients")"
  rm -f "$folder/out.pgm"
done
for variant in cpu conv2d separable; do
  ok "a bright pixel through $variant, floats" run "$folder/dot.pgm" "$folder/out.pgm" $variant 11x13 \
    --type f32 --sigma 1 --radius 2
  is "$variant: the coefficients" "$(rows 11 143 "$folder/out.pgm")" "$(cat "$folder/coefficients")"
  rm -f "$folder/out.pgm"
done
ok 'a bright pixel through copy' run "$folder/dot.pgm" "$folder/out.pgm" copy 11x13 --type f32 --sigma 1
ok 'copy: itself' cmp "$folder/dot.pgm" "$folder/out.pgm"

# A bright pixel at a corner: what would lie outside comes back in, so the corner has the weight of
# w(-2) + w(-1) + w(0) along both axes, 0.7012 squared.
{ printf 'P5\n5 5\n255\n\377'; zeros 24; } >"$folder/corner.pgm"
for variant in cpu naive shared_tile; do
  ok "a bright corner through $variant" run "$folder/corner.pgm" "$folder/out.pgm" $variant 5x5
  is "$variant: the border is repeated" "$(rows 5 25 "$folder/out.pgm")" "125 53 10 0 0
53 23 4 0 0
10 4 1 0 0
0 0 0 0 0
0 0 0 0 0"
done

# A bright pixel through the recursive filter: symmetric and near the Gaussian.
{ printf 'P5\n41 41\n255\n'; zeros 840; printf '\377'; zeros 840; } >"$folder/dot.pgm"
ok 'a bright pixel through recursive' run "$folder/dot.pgm" "$folder/out.pgm" recursive 41x41 \
  --type f32 --sigma 1.5
rows 41 1681 "$folder/out.pgm" >"$folder/blob"
is 'recursive: symmetric in x, y and the diagonal, its middle that of a Gaussian' \
  "$(awk '
    { for (x = 1; x <= 41; x++) p[x, NR] = $x }
    END {
      for (y = 1; y <= 41; y++)
        for (x = 1; x <= 41; x++) {
          d = p[x, y] - p[42 - x, y]; e = p[x, y] - p[x, 42 - y]; f = p[x, y] - p[y, x]
          if (d * d > 1 || e * e > 1 || f * f > 1) print "not symmetric at " x " " y
        }
      middle = 255 / (2 * 3.14159265 * 1.5 * 1.5)
      if (p[21, 21] < 0.9 * middle || p[21, 21] > 1.1 * middle) print "the middle is " p[21, 21]
    }' "$folder/blob")" ''

# A bright column: every row's profile is the same, symmetric, and all of the light is there.
awk 'BEGIN { printf "P2\n41 41\n255\n"; for (i = 0; i < 1681; i++) print i % 41 == 20 ? 255 : 0 }' \
  >"$folder/line.pgm"
ok 'a bright column through recursive' run "$folder/line.pgm" "$folder/out.pgm" recursive 41x41 \
  --type f32 --sigma 1.5
rows 41 1681 "$folder/out.pgm" | sort -u >"$folder/profile"
is 'recursive: one profile for all rows' "$(wc -l <"$folder/profile" | tr -d ' ')" 1
is 'recursive: symmetric, its sum 255' "$(awk '{
    for (x = 1; x <= 41; x++) { sum += $x; if ($x != $(42 - x)) print "not symmetric at " x }
    if (sum < 253 || sum > 257) print "the sum is " sum
  }' "$folder/profile")" ''

# A constant picture stays as it is, whatever its type.
{ printf 'P5\n37 33\n255\n'; zeros 1221 | tr '\0' 'M'; } >"$folder/constant.pgm"
{ printf 'P6\n37 33\n255\n'; zeros 3663 | tr '\0' 'M'; } >"$folder/constant.ppm"
for variant in cpu naive array constant constant_fixed shared_tile; do
  ok "a constant picture through $variant" run "$folder/constant.pgm" "$folder/out.pgm" $variant 37x33
  ok "$variant: gray stays" cmp "$folder/constant.pgm" "$folder/out.pgm"
  ok "a constant picture through $variant, rgb24" run "$folder/constant.ppm" "$folder/out.ppm" \
    $variant 37x33 --type rgb24
  ok "$variant: rgb24 stays" cmp "$folder/constant.ppm" "$folder/out.ppm"
  ok "a constant picture through $variant, rgba32" run "$folder/constant.ppm" "$folder/out.bmp" \
    $variant 37x33 --type rgba32
  is "$variant: rgba32 stays, alpha too" "$(rows 4 $((37 * 33 * 4)) "$folder/out.bmp" | sort -u)" \
    '77 77 77 255'
done
for variant in cpu copy conv2d separable recursive; do
  ok "a constant picture through $variant, floats" run "$folder/constant.pgm" "$folder/out.pgm" \
    $variant 37x33 --type f32
  ok "$variant: floats stay" cmp "$folder/constant.pgm" "$folder/out.pgm"
done
ok 'a constant picture through recursive, exactly' "$gaussian" "$folder/constant.pgm" "$folder/out.pgm" \
  --type f32 --variants recursive --sizes 37x33 --check-only --csv "$folder/rows.csv"
like 'is off by nothing at all' "$(cat "$folder/rows.csv")" 'up to [0-9.]*e-1[0-9] levels from'

# Equal channels stay equal, and are what gray gives.
awk 'BEGIN { printf "P2\n23 19\n255\n"; for (i = 0; i < 437; i++) print i * i * 7 % 256 }' >"$folder/gray.pgm"
awk 'BEGIN { printf "P3\n23 19\n255\n"; for (i = 0; i < 437; i++) { v = i * i * 7 % 256; print v, v, v } }' \
  >"$folder/gray.ppm"
ok 'a gray picture' run "$folder/gray.pgm" "$folder/out.pgm" naive 23x19
ok 'as rgb24' run "$folder/gray.ppm" "$folder/out.ppm" naive 23x19 --type rgb24
ok 'as rgba32' run "$folder/gray.pgm" "$folder/out.bmp" naive 23x19 --type rgba32
rows 1 437 "$folder/out.pgm" >"$folder/expected"
is 'rgb24: three times what gray gives' "$(rows 3 1311 "$folder/out.ppm")" \
  "$(awk '{ print $1, $1, $1 }' "$folder/expected")"
is 'rgba32: the same, alpha opaque' "$(rows 4 1748 "$folder/out.bmp" | sort)" \
  "$(awk '{ print $1, $1, $1, 255 }' "$folder/expected" | sort)"

# ---- what is refused -----------------------------------------------------------------------------

mkdir "$folder/clean"
program=$(cd "$B" && pwd)/gaussian
for sigma in 0 -1 nan inf 101 1x; do
  refuses "sigma $sigma" 2 "--sigma: '$sigma' is not a number from 0.1 to 100" \
    "$program" --sigma $sigma --csv "$folder/clean/x.csv"
done
for radius in -1 51 2.5 x; do
  refuses "radius $radius" 2 "--radius: '$radius' is not a whole number from 0 to 50" \
    "$program" --radius $radius --csv "$folder/clean/x.csv"
done
refuses 'an unknown type' 2 "--type: 'rgb' is none of gray, rgb24, rgba32, f32" "$program" --type rgb
for size in 4x9 9x4 1x1; do
  refuses "size $size" 2 "'$size' is not a legal size: .*legal are 5x5 to 16384x16384" \
    "$program" --type gray --sizes $size --csv "$folder/clean/x.csv"
done
refuses 'size 30x31 of floats' 2 "'30x31' is not a legal size: .*legal are 31x31 to" \
  "$program" --type f32 --sizes 30x31 --csv "$folder/clean/x.csv"
refuses 'size 16x16 with radius 8' 2 "'16x16' is not a legal size: .*legal are 17x17 to" \
  "$program" --radius 8 --sizes 16x16
refuses 'a side over 16384' 2 "'16385x5' is not a legal size" "$program" --type gray --sizes 16385x5
refuses 'one argument' 2 'first 2 arguments are needed' "$program" in.pgm
refuses 'a missing picture' 2 'missing.pgm' "$program" "$folder/missing.pgm" "$folder/clean/out.pgm"
refuses 'an unknown ending' 2 'out.jpg' "$program" "$folder/gray.pgm" "$folder/clean/out.jpg"
refuses 'radius by place and by name' 2 '--radius was given twice' \
  "$program" "$folder/gray.pgm" "$folder/clean/out.pgm" 8 1 2 --radius 2
is 'nothing was left behind' "$(ls -A "$folder/clean")" ''

# ---- the table of algorithms ---------------------------------------------------------------------

# Made-up rows of 1000x1000 floats: copy at 14,200 MPixel/s as in the blog post, and others.
row() {
  printf 'lab5_gaussian,%s,%s,made-up,type=f32;sigma=5;radius=15,1000,1000,%s,%s,%s,ok,\r\n' "$@"
}
{
  printf 'lab,variant,kind,machine,parameters,width,height,block_x,block_y,time_s,status,note\r\n'
  row cpu cpu '' '' 1
  row copy gpu 32 32 1e-4
  row copy gpu 32 8 7.042254e-05
  row conv2d gpu 32 8 0.01
  row separable gpu 32 8 1e-3
  row recursive gpu 32 8 1e-3
  row recursive gpu 16 16 2e-3
  row separable emulated 8 8 1e-9
} >"$folder/made_up.csv"
is 'algorithms.awk gives table 1 of the blog post back' \
  "$(awk -f lab5_gaussian/algorithms.awk "$folder/made_up.csv" | tr -d '\r')" \
  'machine,parameters,width,height,algorithm,block_x,block_y,memory_per_pixel,flops_per_pixel,ratio,estimated_mp_per_s,measured_mp_per_s
made-up,type=f32;sigma=5;radius=15,1000,1000,copy,32,8,2,0,0,14200,14200
made-up,type=f32;sigma=5;radius=15,1000,1000,conv2d,32,8,962,1922,1.998,29.52,100
made-up,type=f32;sigma=5;radius=15,1000,1000,separable,32,8,64,124,1.938,443.7,1000
made-up,type=f32;sigma=5;radius=15,1000,1000,recursive,32,8,12,28,2.333,2367,1000'
refuses 'algorithms.awk without floats measured on a GPU' 1 'no float row' \
  awk -f lab5_gaussian/algorithms.awk data/reference/tesla-c2050/lab2_matprod.csv

done_testing
