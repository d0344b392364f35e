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
done_testing
