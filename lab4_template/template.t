#!/bin/sh
# template.t - lab 4: small templates and images, each measure, the matches that are known, and that
# files are written where they are asked for and nowhere else; what OpenCV makes of it, if it is
# there.
. tests/tap.sh
program=$(cd "$B" && pwd)/template
known_reasons='bytes of shared memory are more|registers leave room|which this build lacks'
known_reasons="$known_reasons|compute capability|its sums have 32 bits|larger than constant memory"
known_reasons="$known_reasons|needs --measure|needs a run without --top"

sweeps 'small images' "$program" '5x3 6x3 5x4 7x11 20x18 64x5' '1 3x5 8 32x8' \
    --template-width 5 --template-height 3
sweeps 'a template of one pixel' "$program" '1x1 2x3 33x31' '8 16x4' \
    --template-width 1 --template-height 1
sweeps 'a template of several pieces' "$program" '350x67 70x70' '3x5 8' \
    --template-width 70 --template-height 67
sweeps 'the largest template, as large as the image' "$program" 512x512 8 --template-width 512 \
    --template-height 512 --variants 'naive integer_dp4a'
sweeps 'zncc, where R has 64 bits' "$program" '338x197 337x196' 8 --template-width 337 \
    --template-height 196 --measure zncc --variants 'cpu naive integer_dp4a tensor_int8'
for measure in sad ncc zncc; do
    sweeps "$measure of small images" "$program" '5x3 7x11 20x18 64x5' '3x5 8' \
        --template-width 5 --template-height 3 --measure $measure --top 3
    sweeps "$measure of one pixel" "$program" '1x1 33x5' 8 --template-width 1 --template-height 1 \
        --measure $measure
    sweeps "$measure by pieces" "$program" '75x76' '3x5' --template-width 70 --template-height 67 \
        --measure $measure
done

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
picture 3 2 '9 80 255 200 100 7' >first.pgm
"$program" pixels.pgm first.pgm 8 1 6 4 3 2 --variants 'cpu naive' --check-only --map first_map.pgm >small.out 2>&1
is 'where the first value is the smallest, it is black' "$(tail -c 12 first_map.pgm | od -A n -v -t u1 -N 1 | tr -d ' ')" 0

# measured MEASURE: the values of equation (2)'s counterparts for the 3 x 2 template in 6 x 4 pixels.
measured() {
    echo "$1 $pixels $pattern" | awk '{
        for (p = 0; p < 12; p++) {
            sad = it = i = ii = t = tt = 0
            for (k = 0; k < 6; k++) {
                a = $(2 + (int(p / 4) + int(k / 3)) * 6 + p % 4 + k % 3)
                b = $(26 + k)
                sad += a > b ? a - b : b - a
                it += a * b; i += a; ii += a * a; t += b; tt += b * b
            }
            ncc = it / sqrt(ii * tt)
            zncc = (6 * it - i * t) / sqrt((6 * ii - i * i) * (6 * tt - t * t))
            printf "%.9f\n", $1 == "sad" ? sad : $1 == "ncc" ? ncc : zncc
        }
    }'
}
# alike FILE FILE: as many lines, whose numbers differ by 1e-6 at most.
alike() {
    paste "$1" "$2" | awk '{ d = $1 - $2; if (NF != 2 || d > 1e-6 || d < -1e-6) exit 1 }
        END { if (NR == 0) exit 1 }'
}
for measure in sad ncc zncc; do
    measured $measure >expected.dat
    for variant in cpu naive; do
        "$program" pixels.pgm pattern.pgm 8 1 6 4 3 2 --variants $variant --check-only \
            --measure $measure --dat small.dat >small.out 2>&1
        ok "$measure, line by line, by $variant" alike expected.dat small.dat
    done
done

# The best positions by their definition, from the map in a file: WIDTH, TEMPLATE's sides, k, and
# whether the largest is the best. Of 10 x 7 positions with few different values many are equal.
best_of() {
    awk -v width="$2" -v w="$3" -v h="$4" -v k="$5" -v sign="$6" '
        function apart(p,    i, dx, dy) {
            for (i = 1; i <= n; i++) {
                dx = p % width - best[i] % width
                dy = int(p / width) - int(best[i] / width)
                if (2 * (dx < 0 ? -dx : dx) < w && 2 * (dy < 0 ? -dy : dy) < h)
                    return 0
            }
            return 1
        }
        { value[NR - 1] = sign * $1 }
        END {
            for (n = 0; n < k; n++) {
                found = -1
                for (p = 0; p < NR; p++)
                    if (apart(p) && (found < 0 || value[p] > value[found]))
                        found = p
                if (found < 0)
                    exit
                best[n + 1] = found
                print found % width, int(found / width), w, h
            }
        }' "$1"
}
few='0 9 0 9 0 0 9 0 9 0 7 7' # in turn, row after row
picture 12 11 "$(awk -v few="$few" 'BEGIN {
    split(few, v, " "); for (i = 0; i < 132; i++) printf "%d ", v[(i * 5 + int(i / 29)) % 12 + 1] }')" \
    >few.pgm
picture 3 5 '0 9 0 9 0 0 9 0 9 0 7 7 0 9 0' >three.pgm
for measure in ssd sad ncc zncc; do
    sign=1
    case $measure in s*) sign=-1 ;; esac
    for variant in cpu naive integer_dp4a sad_words; do
        rm -f found.txt
        "$program" few.pgm three.pgm 8 1 12 11 3 5 --measure $measure --top 64 --check-only \
            --variants $variant --dat few.dat --match found.txt >few.out 2>&1
        [ -e found.txt ] || continue # it has not this measure
        best_of few.dat 10 3 5 64 $sign >expected.txt
        ok "the best of $measure by $variant, apart" cmp expected.txt found.txt
        is 'and no more than there are' "$(grep -c 'no position is left' few.out)" \
            "$((64 - $(wc -l <expected.txt)))"
    done
done
# Over several GPUs: bands of 7 rows of the map, of 4 to 1, with equal ones in all of them.
if use_ranks 4 2; then
    divided=$programs/template
    exits "maps and matches of 1 to $ranks GPUs" 0 "$divided" --gpus "$(seq -s ' ' "$ranks")" \
        --check-only --input few.pgm --template three.pgm --template-width 3 --template-height 5 \
        --top 16 --sizes '3x8 12x11 350x67' --csv several.csv
    is 'are right' "$(column gpus status several.csv | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
        "$(seq "$ranks" | sed 's/.*/ 3 &,ok;/' | tr -d '\n')"
    rm -f found.txt
    start -n "$few" "$divided" few.pgm three.pgm 8 1 12 11 3 5 --measure zncc --top 64 --check-only \
        --dat divided.dat --match found.txt >few.out 2>&1
    "$divided" few.pgm three.pgm 8 1 12 11 3 5 --measure zncc --check-only --variants tensor_int8 \
        --dat few.dat >few.out 2>&1
    best_of few.dat 10 3 5 64 1 >expected.txt
    ok "the best of zncc of $few GPUs" cmp expected.txt found.txt
    ok 'and their map is that of one' cmp few.dat divided.dat
    exits 'sums of 64 bits' 0 "$divided" --gpus "$few" --check-only --sizes 338x199 \
        --template-width 337 --template-height 196 --top 2 --csv several.csv
    refuses 'fewer rows of the map than GPUs' 2 \
        "leaves some of $ranks GPUs without work for divided" \
        start -n "$ranks" "$divided" --sizes 9x$((5 + ranks)) --template-width 9 --template-height 7
else
    skip 'several GPUs' "$why"
fi
"$program" --sizes 700x90 --template-width 9 --template-height 7 --top 40 --check-only --csv top.csv \
    --variants 'naive tensor_int8' --blocks 32x8 --fresh >top.out 2>&1
is 'the best of several tiles' "$(column parameters status top.csv | sort -u)" \
    'template=9x7;measure=ssd;type=u8;top=40,ok'

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
# The squares' sum takes 33 bits, R 31.
plain 200 256 256 >gray.pgm
plain 377 257 258 >white.pgm
sweeps 'squares that do not fit the 32 bits of their difference' "$program" 257x258 8 \
    --input white.pgm --template gray.pgm --template-width 256 --template-height 256
# Flat regions: one gray in one gray. zncc has nothing to compare, ncc has nothing but if all is black.
plain 100 9 7 >gray.pgm
plain 0 9 7 >black.pgm
plain 377 4 3 >white.pgm
# flat MEASURE IMAGE TEMPLATE VALUE
flat() {
    for variant in cpu naive tensor_int8 sad_words; do
        rm -f flat.dat
        "$program" "$2.pgm" "$3.pgm" 8 1 9 7 4 3 --measure "$1" --variants $variant --check-only \
            --dat flat.dat >flat.out 2>&1
        [ -e flat.dat ] && is "$1 of $3 in $2 by $variant" "$(sort -u flat.dat)" "$4"
    done
}
flat zncc gray white 0.000000
flat ncc gray white 1.000000
flat ncc black white 0.000000
flat zncc black white 0.000000
flat sad black white 3060.000000

# OpenCV, whose sums are in FP32. Its values where something is flat are its own: there is none here.
"$program" "$images/image.bmp" "$images/template.bmp" 8 1 192 144 40 30 --variants cpu \
    --check-only --gray scene.pgm >opencv.out 2>&1
{
    printf 'P5\n40 30\n255\n'
    for y in $(seq 60 89); do
        tail -c $((192 * (144 - y) - 70)) scene.pgm | head -c 40
    done
} >cut.pgm
for measure in ssd ncc zncc; do
    "$program" scene.pgm cut.pgm 8 1 192 144 40 30 --variants cpu --check-only \
        --measure $measure --dat $measure.dat >opencv.out 2>&1
    like "$measure finds what was cut out" "$(cat opencv.out)" '\(70,60\)'
    is "$measure is what OpenCV has" "$(awk -v measure=$measure '
        BEGIN { scale = measure == "ssd" ? 40 * 30 * 255 * 255 : 1 }
        function apart(x, y) { return x - y > 1e-4 || y - x > 1e-4 }
        FILENAME != "-" { if ($1 == measure) { theirs[$2] = $3; n++ } next }
        {
            sum += $1 / scale
            if ((FNR - 1) in theirs && apart($1 / scale, theirs[FNR - 1]))
                print FNR - 1, $1 / scale, theirs[FNR - 1]
            seen += (FNR - 1) in theirs
        }
        END {
            if (apart(sum / FNR, theirs["mean"]))
                print "mean", sum / FNR, theirs["mean"]
            print FNR, seen, n
        }' "$root/lab4_template/golden/opencv.txt" - <$measure.dat)" '17595 20 21'
done
for size in 4x3 5x2; do
    refuses "a 5x3 template in $size pixels" 2 'the 5x3 template is larger' \
        "$program" --sizes $size --template-width 5 --template-height 3
done
done_testing
