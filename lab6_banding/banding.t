#!/bin/sh
# banding.t - lab 6, the banding-reduction filter: every variant in every mode at awkward sizes and
# blocks, answers that are known beforehand, and what the program refuses.
. tests/tap.sh
known_reasons='bytes of shared memory are more|registers leave room'
known_reasons="$known_reasons|the width is no multiple of 8|no whole warps"
banding=$(cd "$B" && pwd)/banding

# filter IN OUT SIZE OPTION...: one frame through all variants; no OUT unless all agree
filter() {
  in=$1 out=$2 size=$3
  shift 3
  "$banding" "$in" "$out" 8 --sizes "$size" --check-only "$@" >"$folder/log" 2>&1 || rm -f "$out"
}

# noise BYTES: bytes 1..255 that look random, the same ones every time
noise() {
  awk -v n="$1" 'BEGIN {
    s = 12345
    for (i = 0; i < n; i++) {
      s = (s * 69069 + 1) % 4294967296
      printf "%c", 1 + int(s / 65536) % 255
    }
  }'
}

# ---- every variant, every setting ----------------------------------------------------------------

# Values near each other, on both sides of the thresholds; and any 16-bit values, whose differences
# do not fit 16 bits. Rows of 44 pixels are whole words, rows of 77 are not.
noise $((44 * 21)) | od -A n -v -t u1 -w1 | awk '
  { v = $1 / 2; printf "%c\001%c\002%c\003", v + 1, v / 2 + 1, v / 4 + 1 }' >"$folder/near.yc48"
noise $((44 * 21 * 6)) >"$folder/far.yc48"
for mode in 0 1 2; do
  for blur in 0 1; do
    for interlaced in 0 1; do
      set -- --mode $mode --blur-first $blur --interlaced $interlaced
      sweeps "$*" "$banding" '1x1 2x3 13x17 33x21' '1 3x5 32x8' "$@"
      for frame in near far; do
        sweeps "$*, $frame values" "$banding" '44x21 77x12' 8 --range 3 \
          --input "$folder/$frame.yc48" "$@"
      done
    done
  done
  # a difference that has wrapped is below a threshold of 0, too
  sweeps "no thresholds in mode $mode, far values" "$banding" 44x21 8 --range 3 --mode $mode \
    --input "$folder/far.yc48" --threshold-y 0 --threshold-cb 0 --threshold-cr 1
  # an offset of -range and one row more happens often where the range is 1
  sweeps "range 1 in mode $mode, interlaced" "$banding" '33x21 13x18' '1 3x5 8' --pixels yc48 \
    --mode $mode --range 1 --interlaced 1
  for random in table hash; do
    sweeps "range 15 in mode $mode, $random" "$banding" '72x40 37x35' '16x8 12x4' --pixels yc48 \
      --random $random --mode $mode --filter-seed 5
  done
  # (A narrow block takes up a ring of its own, of 127 rows.)
  for part in '140x131 64x5,16' '20x131 64x5,1x8'; do
    sweeps "range 63 in mode $mode, interlaced" "$banding" "${part%,*}" "${part#*,}" --pixels yc48 \
      --mode $mode --range 63 --interlaced 1 --seed 3
  done
done
# on one multiprocessor a block has so many rows that its ring comes round
export OMP_NUM_THREADS=1
for range in 1 15; do
  sweeps "a ring that comes round, range $range" "$banding" '40x150 33x70' '24x16 8x1' \
    --pixels yc48 --range $range --variants 'rolling_tile early_start pixels4'
done
unset OMP_NUM_THREADS
sweeps 'other thresholds, dithers and seeds' "$banding" 33x20 8 --threshold-y 0 --threshold-cb 31 \
  --threshold-cr 1 --dither-y 31 --dither-c 1 --filter-seed 127
sweeps 'a default sweep' "$banding" 17x9 8
is 'has one kind of frames' "$(column parameters "$folder/rows.csv" | sort -u)" \
  'mode=1;range=15;threshold=15/15/15;dither=15/15;blur_first=0;interlaced=0;type=yc48'
sweeps 'a full one' "$banding" 17x9 8 --full
is 'has both kinds of frames and of bytes' "$(column parameters "$folder/rows.csv" | sort -u)" \
  "$(printf 'mode=1;range=15;threshold=15/15/15;dither=15/15;blur_first=0;interlaced=0;type=%s\n' \
    yc48 'yc48;random=hash' yc64)"

# ---- answers that are known beforehand -----------------------------------------------------------

# Each plane of a frame of four pixels is one word. The generator's are as Marsaglia published them:
# 3701687786 and 458299110 are the offsets, the next three the noise of Y, Cb and Cr. Those of
# the hash are fmix32(0x9e3779b9 + 2) and so on, which is 0x514e28b7 for 1.
head -c 24 /dev/zero >"$folder/black.yc48"
for words in 'table 2500872618 3633119408 516391518' 'hash 3024231355 3984711379 1486870344'; do
  filter "$folder/black.yc48" "$folder/noise.yc48" 4x1 --range 0 --dither-y 31 --dither-c 24 \
    --random "${words%% *}"
  is "the noise is the random bytes, from -dither to dither: ${words%% *}" \
    "$(od -A n -v -t d2 -w6 "$folder/noise.yc48" | awk '{ print $1, $2, $3 }')" \
    "$(echo "$words" | awk '{
      for (i = 0; i < 4; i++) {
        print int($2 % 256 * 63 / 256) - 31, int($3 % 256 * 49 / 256) - 24, \
          int($4 % 256 * 49 / 256) - 24
        $2 = int($2 / 256); $3 = int($3 / 256); $4 = int($4 / 256)
      }
    }')"
done

filter "$folder/far.yc48" "$folder/filtered.yc48" 77x12
filter "$folder/far.yc48" "$folder/same.yc48" 77x12 --pixels yc64
ok 'packed frames give the same' cmp "$folder/filtered.yc48" "$folder/same.yc48"
{ printf 'P6\n200 50\n255\n'; noise 30000; } >"$folder/noise.ppm"
set -- --range 0 --dither-y 0 --dither-c 0
filter "$folder/far.yc48" "$folder/same.yc48" 77x12 "$@"
ok 'range 0 without noise leaves a frame alone' cmp "$folder/far.yc48" "$folder/same.yc48"
filter "$folder/noise.ppm" "$folder/same.ppm" 200x50 "$@" --before "$folder/before.yc48"
ok 'and a picture, there and back' cmp "$folder/noise.ppm" "$folder/same.ppm"

# fixed X: of 65536ths, nearest X: the nearest whole number of so many; triples are lines of three.
awk_functions='function nearest(x) { x += 32768; return (x - (x % 65536 + 65536) % 65536) / 65536 }
  function fixed(x) { return int(65536 * x + (x < 0 ? -0.5 : 0.5)) }
  function byte(x) { x = nearest(x); return x < 0 ? 0 : x > 255 ? 255 : x }'
bytes() { tail -c "$1" "$2" | od -A n -v -t u1 -w3 | awk '{ print $1, $2, $3 }'; }
words() { od -A n -v -t d2 -w6 "$1" | awk '{ print $1, $2, $3 }'; }
is 'in between are Y, Cb and Cr of BT.601' "$(words "$folder/before.yc48" | cksum)" \
  "$(bytes 30000 "$folder/noise.ppm" | awk "$awk_functions"'
    BEGIN {
      s = 4096 / 255; yr = fixed(0.299 * s); yg = fixed(0.587 * s); yb = fixed(0.114 * s)
      br = fixed(-0.299 * s / 1.772); bg = fixed(-0.587 * s / 1.772); most = fixed(0.5 * s)
      rg = fixed(-0.587 * s / 1.402); rb = fixed(-0.114 * s / 1.402)
    }
    { print nearest(yr * $1 + yg * $2 + yb * $3), nearest(br * $1 + bg * $2 + most * $3), \
        nearest(most * $1 + rg * $2 + rb * $3) }' | cksum)"
filter "$folder/far.yc48" "$folder/far.ppm" 77x12 "$@"
is 'and any others as R, G and B, cut off' "$(bytes 2772 "$folder/far.ppm" | cksum)" \
  "$(words "$folder/far.yc48" | awk "$awk_functions"'
    BEGIN {
      s = 255 / 4096; y = fixed(s); r = fixed(1.402 * s); b = fixed(1.772 * s)
      gb = fixed(-0.114 * 1.772 / 0.587 * s); gr = fixed(-0.299 * 1.402 / 0.587 * s)
    }
    { print byte(y * $1 + r * $3), byte(y * $1 + gb * $2 + gr * $3), byte(y * $1 + b * $2) }' |
    cksum)"
for bits in '1 0 255' '3 0 36 73 109 146 182 219 255'; do
  filter "$folder/noise.ppm" "$folder/noisy.ppm" 200x50 --before "$folder/before.ppm" \
    --quantise "${bits%% *}"
  is "levels of so many bits: $bits" "$(tail -c 30000 "$folder/before.ppm" |
    od -A n -v -t u1 -w1 | sort -nu | tr -d ' ' | tr '\n' ' ')" "${bits#* } "
done

# ---- a stream of frames --------------------------------------------------------------------------

mkdir "$folder/in" "$folder/filtered" "$folder/before"
for n in 0 1 2 3 4 5; do
  { printf 'P6\n40 24\n255\n'; noise 20000 | tail -c +$((2000 * n + 1)) | head -c 2880; } \
    >"$folder/in/$n.ppm"
done
exits 'six frames, filtered and as they were' 0 "$banding" --input "$folder/in/%d.ppm" --output \
  "$folder/filtered/%03d.yc48" --before "$folder/before/%d.ppm" --stream 6 --quantise 5
for n in 0 1 2 3 4 5; do
  filter "$folder/in/$n.ppm" "$folder/one.yc48" 40x24 --quantise 5 --before "$folder/one.ppm"
  ok "frame $n is what a run of its own gives" cmp "$folder/one.yc48" "$folder/filtered/00$n.yc48"
  ok 'and was what is filtered there' cmp "$folder/one.ppm" "$folder/before/$n.ppm"
done

# ---- bad input -----------------------------------------------------------------------------------

mkdir "$folder/clean"
cd "$folder/clean" || exit 1
refuses '--quantise without a picture' 2 'needs --input' "$banding" --quantise 6 --sizes 16x16
head -c 35 /dev/zero >../odd.yc48
refuses 'a frame that is cut off' 2 "'3x2' is not a legal size: .* 36 bytes, .* 35" \
  "$banding" ../odd.yc48 out.yc48 8 1 3 2
refuses 'a missing frame' 2 'no.yc48: ' "$banding" ../no.yc48 out.yc48 8 1 3 2
refuses 'a frame of none of the default sizes' 2 'nothing to run' "$banding" --input ../far.yc48
refuses 'a missing folder for what was filtered' 2 'no/before.ppm' \
  "$banding" ../far.yc48 out.yc48 8 1 44 21 --before no/before.ppm
is 'nothing was left behind' "$(ls -A .)" ''
done_testing
