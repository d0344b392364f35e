#!/bin/sh
# pictures.t - the rendered pictures are what the labs need, and the command lines of render and
# picture.
. tests/tap.sh

# squares PICTURE X: the averages of green in the 8 x 8 squares of eight columns from X on, from the
# top down to above the hills: what an eye sees from a distance.
squares() {
  "$B/picture" --crop 8x960+"$2"+0 "$1" "$folder/columns.ppm"
  tail -c 23040 "$folder/columns.ppm" | od -A n -v -t u1 -w24 | awk '
    { for (i = 2; i <= 24; i += 3) sum += $i }
    NR % 8 == 0 { print sum / 64; sum = 0 }'
}

# bands PICTURE: of 1000 steps from a square to the next, in how many nothing changes, and how many
# are of two levels or more; over some columns left of the lighthouse.
bands() {
  for column in 100 300 500 700 900 1100 1300; do
    squares "$1" $column | awk 'NR > 1 { print $1 < last ? last - $1 : $1 - last } { last = $1 }'
  done | awk '{ even += $1 < 0.05; steep += $1 >= 2 }
    END { printf "%.0f %.0f\n", 1000 * even / NR, 1000 * steep / NR }'
}

sky=$folder/sky.bmp
ok 'the sky is rendered' "$B/render" --scene sky "$sky"
ok 'lab 6 filters it' "$B/banding" --variants naive --check-only "$sky" "$folder/after.ppm" \
  --before "$folder/before.ppm" --quantise 5 --range 63 --threshold-y 31 --threshold-cb 31 \
  --threshold-cr 31
# shellcheck disable=SC2046 # two numbers each
set -- $(bands "$folder/before.ppm") $(bands "$folder/after.ppm")
ok "quantised, it has bands: $1 of 1000 steps are none" test "$1" -ge 750
ok "filtered, it has none: $3" test "$3" -le 250
ok "and of $2 steep steps $4 are left" test $((3 * $4)) -le "$2"

ok 'another size' "$B/render" --scene town --size 64x48 "$folder/town.ppm"
is 'has that size' "$(sed -n 2p "$folder/town.ppm")" '64 48'
OMP_NUM_THREADS=1 "$B/render" --scene town --size 64x48 "$folder/again.ppm"
ok 'one thread renders the same' cmp "$folder/town.ppm" "$folder/again.ppm"
for scene in coast town sky; do
  "$B/render" --scene $scene --size 96x64 "$folder/$scene.bmp"
  echo "$scene: $(cksum <"$folder/$scene.bmp")"
done >"$folder/scenes.txt"
# What lies there is rendered whole, at a size at which small things show.
cksum data/images/photo.bmp data/images/image.bmp data/images/sky.bmp data/images/template.bmp \
  >>"$folder/scenes.txt"
golden scenes.txt "$folder/scenes.txt" # the same bytes on every machine
ok 'a part' "$B/picture" --crop 5x4+59+44 "$folder/town.ppm" "$folder/part.ppm"
refuses 'a part that is not inside' 2 'does not lie inside its 64 x 48 pixels' \
  "$B/picture" --crop 5x4+59+45 "$folder/town.ppm" "$folder/part.ppm"
refuses 'nor is this' 2 'does not lie inside its 64 x 48 pixels' \
  "$B/picture" --crop 5x4+60+44 "$folder/town.ppm" "$folder/part.ppm"
refuses 'an unknown scene' 2 'there are coast, town and sky' "$B/render" --scene moon "$sky"
refuses 'a size that is none' 2 '64: give it as WxH' "$B/render" --size 64 "$sky"
refuses 'two files' 2 '2 file names given, 1 needed' "$B/render" a b
# refused NAME PATTERN ARGUMENT...: of picture
refused() {
  name=$1 pattern=$2
  shift 2
  refuses "$name" 2 "$pattern" "$B/picture" "$@"
}
refused 'a side that is none' '64: give it as WxH, W' --resample 64 "$sky" "$folder/part.ppm"
refused 'a side of nothing' '0x4: give it as WxH, W and H 1 to 32768' --resample 0x4 a b
refused 'a part without a place' '6x4: give it as WxH\+X\+Y' --crop 6x4 a b
refused 'two wishes at once' 'exclude each other' --resample 6x4 --crop 1x1+0+0 a b
refused 'no wish' '--crop or --resample is missing' a b
refused 'too few files' '1 file names given, 2 needed' --resample 6x4 "$sky"
refused 'a picture that is none' 'pictures.t: ' --resample 6x4 "$root/tests/pictures.t" "$folder/part.ppm"
refused 'an unknown ending' 'part.txt: unknown ending' --resample 6x4 "$sky" "$folder/part.txt"
done_testing
