#!/bin/sh
# banding.t - lab 6, the banding-reduction filter: every variant in every mode at awkward sizes and
# blocks, answers that are known beforehand, the random planes and the whole filter against a second
# implementation where there is Python, and what the program refuses.
# shellcheck source=tests/tap.sh
. tests/tap.sh
known_reasons='bytes of shared memory are more|registers leave room'
banding=$(cd "$B" && pwd)/banding

# filter IN OUT SIZE OPTION...: one frame through all variants; no OUT unless all agree
filter() {
  in=$1 out=$2 size=$3
  shift 3
  "$banding" "$in" "$out" 8 --sizes "$size" --check-only "$@" >"$folder/log" 2>&1 || rm -f "$out"
}

# values FILE: the signed 16-bit values of a raw frame, one a line
values() {
  od -A n -v -t d2 -w2 "$1" | tr -d ' '
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

for mode in 0 1 2; do
  for blur in 0 1; do
    for interlaced in 0 1; do
      sweeps "mode $mode, blur first $blur, interlaced $interlaced" "$banding" \
        '1x1 2x3 13x17 33x21' '1 3x5 32x8' \
        --mode $mode --blur-first $blur --interlaced $interlaced
    done
  done
  # an offset of -range and one row more happens often where the range is 1
  sweeps "range 1 in mode $mode, interlaced" "$banding" '33x21 13x18' '1 3x5 8' --pixels yc48 \
    --mode $mode --range 1 --interlaced 1
  sweeps "range 63 in mode $mode, interlaced" "$banding" '140x131 64x5' '16 1x8' --pixels yc48 \
    --mode $mode --range 63 --interlaced 1 --seed 3
done
sweeps 'other thresholds, dithers and seeds' "$banding" 33x20 8 --threshold-y 0 --threshold-cb 31 \
  --threshold-cr 1 --dither-y 31 --dither-c 1 --filter-seed 127
sweeps 'a default sweep' "$banding" 17x9 8
is 'has both kinds of frames' "$(column parameters "$folder/rows.csv" | sort -u)" \
  "$(printf 'mode=1;range=15;threshold=15/15/15;dither=15/15;blur_first=0;interlaced=0;type=%s\n' \
    yc48 yc64)"

# ---- answers that are known beforehand -----------------------------------------------------------

{ printf 'P6\n37 29\n255\n'; head -c 3219 /dev/zero | tr '\0' 'M'; } >"$folder/constant.ppm"
for mode in 0 1 2; do
  filter "$folder/constant.ppm" "$folder/same.ppm" 37x29 --mode $mode --dither-y 0 --dither-c 0
  ok "mode $mode: a constant picture stays as it is" cmp "$folder/constant.ppm" "$folder/same.ppm"
done
noise $((33 * 20 * 6)) >"$folder/noise.yc48"
{ printf 'P6\n40 25\n255\n'; noise 3000; } >"$folder/noise.ppm"
for mode in 0 1 2; do
  set -- --mode $mode --range 0 --dither-y 0 --dither-c 0 --blur-first 1
  filter "$folder/noise.yc48" "$folder/same.yc48" 33x20 "$@"
  ok "mode $mode: range 0 without noise leaves a frame alone" \
    cmp "$folder/noise.yc48" "$folder/same.yc48"
  filter "$folder/noise.ppm" "$folder/same.ppm" 40x25 "$@"
  ok "mode $mode: and a picture, there and back" cmp "$folder/noise.ppm" "$folder/same.ppm"
done
filter "$folder/noise.yc48" "$folder/filtered.yc48" 33x20
filter "$folder/noise.yc48" "$folder/same.yc48" 33x20 --pixels yc64
ok 'packed frames give the same' cmp "$folder/filtered.yc48" "$folder/same.yc48"

filter "$folder/noise.yc48" "$folder/dithered.yc48" 33x20 --range 0 --dither-y 7 --dither-c 3
values "$folder/noise.yc48" >"$folder/in"
values "$folder/dithered.yc48" | paste "$folder/in" - | awk '
  { d = $2 - $1; c = NR % 3 == 1 ? "y" : "c" }
  d > 32767 { d -= 65536 }
  d < -32768 { d += 65536 }
  !(c in low) || d < low[c] { low[c] = d }
  !(c in high) || d > high[c] { high[c] = d }
  END { print low["y"], high["y"], low["c"], high["c"] }' >"$folder/got"
is 'noise reaches the dither both ways and no further' "$(cat "$folder/got")" '-7 7 -3 3'

filter "$folder/noise.ppm" "$folder/same.ppm" 40x25 --range 0 --dither-y 0 --dither-c 0 \
  --quantise 1 --before "$folder/before.ppm"
ok 'the picture before the filter is written' cmp "$folder/same.ppm" "$folder/before.ppm"
is 'one bit a channel: black and full' "$(tail -c 3000 "$folder/before.ppm" | od -A n -v -t u1 -w1 |
  sort -nu | tr -d ' ' | tr '\n' ' ')" '0 255 '
filter "$folder/noise.ppm" "$folder/gray.pgm" 40x25
is 'a gray picture of the result' "$(head -c 8 "$folder/gray.pgm" | tr '\n' ' ')" 'P5 40 25'

# ---- a second implementation of the whole filter -------------------------------------------------

cat >"$folder/filter.py" <<'END'
import struct, sys
path, out = sys.argv[1:3]
width, height, mode, blur, interlaced, seed = map(int, sys.argv[3:])
values = struct.unpack("<%dh" % (3 * width * height), open(path, "rb").read())
def xorshift(seed, length):
    state, table = [123456789 - seed, 362436069, 521288629, 88675123], b""
    while len(table) < length:
        t = (state[0] ^ state[0] << 11) & 0xffffffff
        state = state[1:] + [state[3] ^ state[3] >> 19 ^ t ^ t >> 8]
        table += struct.pack("<I", state[3])
    return table
# The first outputs as Marsaglia published them.
published = 3701687786, 458299110, 2500872618, 3633119408, 516391518
assert xorshift(0, 20) == struct.pack("<5I", *published)
table = xorshift(seed, 5 * width * height)
def short(v): return (v + 32768) % 65536 - 32768
def offset(plane, i, n): return (table[plane * width * height + i] * (2 * n + 1) >> 8) - n
def at(x, y):
    assert 0 <= x < width and 0 <= y < height
    return values[3 * (y * width + x):][:3]
def down(y, d):
    d = d & ~1 if interlaced else d
    rows = [y + d, y - d] if mode else [y + d]
    return d if all(0 <= row < height for row in rows) else 0
result = []
for y in range(height):
    for x in range(width):
        i, own = y * width + x, at(x, y)
        n = min(15, x, y, width - 1 - x, height - 1 - y)
        a, b = offset(0, i, n), offset(1, i, n)
        near = [at(x + b, y + down(y, a))]
        if mode > 0:
            near.append(at(x - b, y - down(y, a)))
        if mode > 1:
            near += [at(x + a, y - down(y, b)), at(x - a, y + down(y, b))]
        for c in range(3):
            mean = sum(p[c] for p in near)
            mean = (mean + len(near) // 2) // len(near)
            apart = [mean] if blur and mode else [p[c] for p in near]
            apart = max(short(abs(own[c] - v)) for v in apart)
            limit = 15 * (2 if blur and mode else 4)
            result.append(short((mean if apart < limit else own[c]) + offset(2 + c, i, 15)))
open(out, "wb").write(struct.pack("<%dh" % len(result), *result))
END
# Values near each other, on both sides of the thresholds; and any 16-bit values, whose differences
# do not fit 16 bits.
noise $((33 * 21)) | od -A n -v -t u1 -w1 | awk '
  { v = $1 / 2; printf "%c\001%c\002%c\003", v + 1, v / 2 + 1, v / 4 + 1 }' >"$folder/near.yc48"
noise $((33 * 21 * 6)) >"$folder/far.yc48"
if command -v python3 >/dev/null 2>&1; then
  for mode in 0 1 2; do
    for blur in 0 1; do
      for interlaced in 0 1; do
        for frame in near far; do
          filter "$folder/$frame.yc48" "$folder/got.yc48" 33x21 --mode $mode --blur-first $blur \
            --interlaced $interlaced --filter-seed 9
          python3 "$folder/filter.py" "$folder/$frame.yc48" "$folder/expected.yc48" 33 21 \
            $mode $blur $interlaced 9
          ok "mode $mode, blur $blur, interlaced $interlaced: Python agrees on $frame values" \
            cmp "$folder/expected.yc48" "$folder/got.yc48"
        done
      done
    done
  done
else
  skip 'a second implementation agrees' 'no python3'
fi

# ---- bad input -----------------------------------------------------------------------------------

mkdir "$folder/clean"
cd "$folder/clean" || exit 1
refuses '--quantise without a picture' 2 'needs --input' "$banding" --quantise 6 --sizes 16x16
head -c 35 /dev/zero >../odd.yc48
head -c 36 /dev/zero >../good.yc48
: >../empty.yc48
refuses 'an odd length' 2 'odd.yc48: 35 bytes are no yc48 frame' \
  "$banding" ../odd.yc48 out.yc48 8 1 3 2
refuses 'an empty frame' 2 'empty.yc48: 0 bytes' "$banding" ../empty.yc48 out.yc48 8 1 3 2
refuses 'a missing frame' 2 'no.yc48: ' "$banding" ../no.yc48 out.yc48 8 1 3 2
refuses 'a frame of another size' 2 '3x3.* is not a legal size: .* 54 bytes, .* 36' \
  "$banding" ../good.yc48 out.yc48 8 1 3 3
refuses 'a frame of none of the default sizes' 2 '36 bytes are none of the default sizes' \
  "$banding" --input ../good.yc48
refuses 'a raw frame quantised' 2 'good.yc48 is a raw frame' \
  "$banding" ../good.yc48 out.yc48 8 1 3 2 --quantise 6
refuses 'a missing folder for what was filtered' 2 'no/before.ppm' \
  "$banding" ../good.yc48 out.yc48 8 1 3 2 --before no/before.ppm
cp ../odd.yc48 ../odd.bmp
refuses 'a broken picture' 2 'odd.bmp: ' "$banding" ../odd.bmp out.bmp
is 'nothing was left behind' "$(ls -A .)" ''
ok 'and the good frame is taken' "$banding" ../good.yc48 out.yc48 8 1 3 2 --variants cpu
done_testing
