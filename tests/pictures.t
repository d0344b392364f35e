#!/bin/sh
# pictures.t - the input pictures are what the labs need; how they are unpacked, cut and resampled.
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

# ---- what make images unpacks --------------------------------------------------------------------

cksum data/images/photo.bmp data/images/image.bmp data/images/sky.bmp data/images/template.bmp \
  >"$folder/sums"
golden pictures.txt "$folder/sums"

# A tree in which one packed picture is cut off, one has another byte and one is missing.
images="$folder/my images"
mkdir -p "$folder/tree/data/pictures" "$images"
for name in *; do
  [ "$name" = data ] || ln -s "$root/$name" "$folder/tree/"
done
head -c 100000 data/pictures/photo.bmp.gz >"$folder/tree/data/pictures/photo.bmp.gz"
{
  head -c 100000 data/pictures/sky.bmp.gz
  echo x
  tail -c +100003 data/pictures/sky.bmp.gz
} >"$folder/tree/data/pictures/sky.bmp.gz"
echo old >"$images/sky.bmp"
touch -d @0 "$images/sky.bmp"

# unpack NAME: what make says of it there, in so many lines.
unpack() {
  (cd "$folder/tree" &&
    "$MAKE" BACKEND=cpu B="$folder/b" IMAGES="$images" "$images/$1.bmp" 2>&1 | grep -v '^make')
}
is 'one line tells that a picture is cut off' "$(unpack photo)" \
  'gzip: data/pictures/photo.bmp.gz: unexpected end of file'
like 'that it is damaged' "$(unpack sky)" '^gzip: data/pictures/sky.bmp.gz: invalid compressed data'
like 'that it is missing' "$(unpack image)" '^gzip: data/pictures/image.bmp.gz: No such file'
is 'and no half picture is left, but the one before' "$(find "$images" -type f -exec cat {} +)" old
cp data/pictures/* "$folder/tree/data/pictures"
is 'whole ones are unpacked without a word' "$(unpack photo)" ''
ok 'and are there' cmp data/images/photo.bmp "$images/photo.bmp"

# ---- the sky -------------------------------------------------------------------------------------

sky=data/images/sky.bmp
ok 'lab 6 filters it' "$B/banding" --variants naive --check-only "$sky" "$folder/after.ppm" \
  --before "$folder/before.ppm" --quantise 5 --range 63 --threshold-y 31 --threshold-cb 31 \
  --threshold-cr 31
# shellcheck disable=SC2046 # two numbers each
set -- $(bands "$folder/before.ppm") $(bands "$folder/after.ppm")
ok "quantised, it has bands: $1 of 1000 steps are none" test "$1" -ge 750
ok "filtered, it has none: $3" test "$3" -le 250
ok "and of $2 steep steps $4 are left" test $((3 * $4)) -le "$2"

# ---- picture -------------------------------------------------------------------------------------

small=$folder/small.ppm
ok 'another size' "$B/picture" --resample 64x48 data/images/photo.bmp "$small"
is 'has that size' "$(sed -n 2p "$small")" '64 48'
"$B/picture" --resample 1024x768 data/images/photo.bmp "$folder/same.bmp"
ok 'its own size changes nothing' cmp data/images/photo.bmp "$folder/same.bmp"
part=$folder/part.ppm
ok 'a part' "$B/picture" --crop 5x4+59+44 "$small" "$part"

# refused NAME PATTERN ARGUMENT...: of picture
refused() {
  name=$1 pattern=$2
  shift 2
  refuses "$name" 2 "$pattern" "$B/picture" "$@"
}
refused 'a part that is not inside' 'does not lie inside its 64 x 48 pixels' \
  --crop 5x4+59+45 "$small" "$part"
refused 'nor is this' 'does not lie inside its 64 x 48 pixels' --crop 5x4+60+44 "$small" "$part"
refused 'a size that is none' '64: give it as WxH, W' --resample 64 "$sky" "$part"
refused 'a side of nothing' '0x4: give it as WxH, W and H 1 to 32768' --resample 0x4 a b
refused 'a part without a place' '6x4: give it as WxH\+X\+Y' --crop 6x4 a b
refused 'two wishes at once' 'exclude each other' --resample 6x4 --crop 1x1+0+0 a b
refused 'no wish' '^picture: --crop or --resample is missing' a b
like 'help' "$("$B/picture" --help 2>/dev/null)" '^usage: picture --crop WxH'
ok 'which is no mistake' "$B/picture" --help
refused 'too few files' '1 file names given, 2 needed' --resample 6x4 "$sky"
refused 'a picture that is none' 'pictures.t: ' --resample 6x4 "$root/tests/pictures.t" "$part"
refused 'an unknown ending' 'part.txt: unknown ending' --resample 6x4 "$sky" "$folder/part.txt"
done_testing
