#!/bin/sh
# template.t - lab 4: small templates and images, the match that is known, and that files are
# written where they are asked for and nowhere else.
. tests/tap.sh
program=$(cd "$B" && pwd)/template
known_reasons='bytes of shared memory are more|registers leave room|which this build lacks'
known_reasons="$known_reasons|compute capability|its sums have 32 bits|larger than constant memory"

sweeps 'small images' "$program" '5x3 6x3 5x4 7x11 20x18 64x5' '1 3x5 8 32x8' \
    --template-width 5 --template-height 3
sweeps 'a template of one pixel' "$program" '1x1 2x3 33x31' '8 16x4' \
    --template-width 1 --template-height 1
sweeps 'a template of several pieces' "$program" '350x67 70x70' '3x5 8' \
    --template-width 70 --template-height 67

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
    echo "$@" | awk '{ print "P5\n" $1, $2 "\n255"; for (k = 3; k <= NF; k++) printf "%c", $k + 0 }'
}
pattern='255 1 130 7 250 90'
pixels='9 80 255 1 130 33 200 100 7 250 90 1 2 3 2 255 1 130 60 70 80 7 250 90'
picture 6 4 "$pixels" >pixels.pgm
picture 3 2 "$pattern" >pattern.pgm
"$program" pixels.pgm pattern.pgm 8 1 6 4 3 2 --variants 'cpu naive' --check-only --dat small.dat \
    --map small.pgm --match small.txt --gray gray.pgm >small.out 2>&1
echo "$pixels $pattern" | awk '{
    for (p = 0; p < 12; p++) {
        sum = 0
        for (k = 0; k < 6; k++)
            sum += ($(1 + (int(p / 4) + int(k / 3)) * 6 + p % 4 + k % 3) - $(25 + k)) ^ 2
        print sum ".000000"
    }
}' >expected.dat
ok 'the sums of equation (2), line by line' cmp expected.dat small.dat
ok 'the image in gray is itself' cmp pixels.pgm gray.pgm
is 'of two equal matches the first' "$(cat small.txt)" '2 0 3 2'
is 'the map from black to white, rounded' "$(tail -c 12 small.pgm | od -A n -v -t u1 -w12)" \
    "$(awk '{ r[NR] = $1; if ($1 > most) most = $1 }
        END { for (i = 1; i <= 12; i++) printf " %3d", 255 * r[i] / most + 0.5 }' expected.dat)"
# Black in white, one column and one row wider: w h 255^2 is the largest sum there can be.
# plain GRAY WIDTH HEIGHT: a picture of one gray, an octal number.
plain() {
    printf 'P5\n%d %d\n255\n' "$2" "$3"
    head -c $(($2 * $3)) /dev/zero | tr '\0' "\\$1"
}
for template in 369x179 337x196; do
    width=${template%x*} height=${template#*x}
    plain 0 "$width" "$height" >black.pgm
    plain 377 $((width + 1)) $((height + 1)) >white.pgm
    sweeps "the largest sum of $template" "$program" $((width + 1))x$((height + 1)) '2 8' \
        --input white.pgm --template black.pgm --template-width "$width" --template-height "$height"
    column variant note "$folder/rows.csv" | grep -c ',its sums have 32 bits' >"narrow-$template"
    "$program" white.pgm black.pgm 8 1 $((width + 1)) $((height + 1)) "$width" "$height" \
        --variants naive --check-only --dat white.dat >white.out 2>&1
    is "and its value" "$(sort -u white.dat)" $((width * height * 65025)).000000
done
is 'sums that do not fit 32 bits go to those of 64' "$(cat narrow-369x179 narrow-337x196)" "$(
    printf '0\n8')"
for size in 4x3 5x2; do
    refuses "a 5x3 template in $size pixels" 2 'the 5x3 template is larger' \
        "$program" --sizes $size --template-width 5 --template-height 3
done
done_testing
