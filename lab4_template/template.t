#!/bin/sh
# template.t - lab 4: small templates and images, the match that is known, and that files are
# written where they are asked for and nowhere else.
. tests/tap.sh
program=$(cd "$B" && pwd)/template
known_reasons='bytes of shared memory are more|registers leave room'

sweeps 'small images' "$program" '5x3 6x3 5x4 7x11 20x18 64x5' '1 3x5 8 32x8' \
    --template-width 5 --template-height 3
sweeps 'a template of one pixel' "$program" '1x1 2x3 33x31' '8 16x4' \
    --template-width 1 --template-height 1

images=$PWD/data/images
mkdir "$folder/clean"
cd "$folder/clean" || exit 1
ok 'a single run' "$program" "$images/image.bmp" "$images/template.bmp" 8 1 64 48 8 8 --check-only
is 'no file is written unasked' "$(ls -A)" ''
"$program" "$images/image.bmp" "$images/template.bmp" 16 --variants 'cpu naive' --check-only \
    --dat map.dat --map map.pgm --match match.txt \
    --gray gray.pgm >../out 2>&1
is 'the template is found at (582,450), on CPU and GPU' \
    "$(grep -c 'min(R_SSD): (582,450)  R = 0 ' ../out)" 2
is 'the match' "$(cat match.txt)" '582 450 64 64'
is 'a value for each of 961 x 705 positions' "$(wc -l <map.dat | tr -d ' ')" $((961 * 705))
is 'the one that is 0 lies at (582,450)' "$(grep -n '^0\.000000$' map.dat)" \
    "$((450 * 961 + 582 + 1)):0.000000"
is 'the picture has that size' "$(sed -n 2p map.pgm | head -c 15)" '961 705'
is 'and the image in gray its own' "$(head -n 2 gray.pgm | tr '\n' ' ')" 'P5 1024 768 '

# The map by awk, of a 3 x 2 template in 6 x 4 pixels that fits at (2,0) and (3,2).
cd "$folder" || exit 1
# picture VALUE...: width, height, pixels.
picture() {
    echo "$@" | awk '{ print "P5", $1, $2, 255; for (k = 3; k <= NF; k++) printf "%c", $k + 0 }'
}
pattern='255 1 130 7 250 90'
pixels='9 80 255 1 130 33 200 100 7 250 90 1 2 3 2 255 1 130 60 70 80 7 250 90'
picture 6 4 "$pixels" >pixels.pgm
picture 3 2 "$pattern" >pattern.pgm
"$program" pixels.pgm pattern.pgm 8 1 6 4 3 2 --variants 'cpu naive' --check-only --dat small.dat \
    --map small.pgm --match small.txt >small.out 2>&1
echo "$pixels $pattern" | awk '{
    for (p = 0; p < 12; p++) {
        sum = 0
        for (k = 0; k < 6; k++)
            sum += ($(1 + (int(p / 4) + int(k / 3)) * 6 + p % 4 + k % 3) - $(25 + k)) ^ 2
        print sum ".000000"
    }
}' >expected.dat
ok 'the sums of equation (2), line by line' cmp expected.dat small.dat
is 'of two equal matches the first' "$(cat small.txt)" '2 0 3 2'
is 'the map from black to white, rounded' "$(tail -c 12 small.pgm | od -A n -v -t u1 -w12)" \
    "$(awk '{ r[NR] = $1; if ($1 > most) most = $1 }
        END { for (i = 1; i <= 12; i++) printf " %3d", 255 * r[i] / most + 0.5 }' expected.dat)"
{ printf 'P5\n256 256\n255\n'; head -c 65536 /dev/zero; } >black.pgm
tr '\0' '\377' <black.pgm >white.pgm
"$program" white.pgm black.pgm 8 1 256 256 256 256 --check-only --dat white.dat >white.out 2>&1
is 'the largest sum there can be' "$(cat white.dat)" 4261478400.000000
for size in 4x3 5x2; do
    refuses "a 5x3 template in $size pixels" 2 'the 5x3 template is larger' \
        "$program" --sizes $size --template-width 5 --template-height 3
done
done_testing
