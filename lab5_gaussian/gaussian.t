#!/bin/sh
# gaussian.t - lab 5: small pictures and other settings, the answers that are known beforehand, and
# what the program refuses.
. tests/tap.sh
program=$(cd "$B" && pwd)/gaussian

# skipped_as PATTERN: which variants the last sweep skipped for this reason.
skipped_as() {
    column variant status note "$folder/rows.csv" | sed -n "s/,skipped,.*$1.*//p" | sort -u |
        tr '\n' ' '
}

# ---- every type, other settings ------------------------------------------------------------------

known_reasons='which this build lacks|blocks are of whole warps'
for type in gray rgb24 rgba32; do
    sweeps "$type" "$program" '5x5 6x5 13x17 64x5' '1 3x5 8 32x8 1x33' --type $type
    # strips of rows and stretches of bytes: rows of whole words, and some that begin between them
    sweeps "$type, strips" "$program" '64x37 45x33 8x16 528x37' '3x5 32x8' --type $type
    is "$type: at most a level off" "$(column max_error "$folder/rows.csv" | grep -vE '^[01]?$')" ''
done
known_reasons="$known_reasons|are those of sigma 1 and radius 2|are written for radius 2"
known_reasons="$known_reasons|no whole numbers of 16 bits"
for settings in '--radius 0' '--radius 1' '--radius 8' '--sigma 3' '--sigma 0.1'; do
    # shellcheck disable=SC2086 # words
    sweeps "rgba32 $settings" "$program" '17x17 40x23' '8 32x8' --type rgba32 $settings
done
sweeps 'sigma 0.8' "$program" 13x17 8 --type gray --sigma 0.8
is 'weights in the code are those of sigma 1' "$(skipped_as 'radius 2')" 'array naive '
sweeps 'radius 3' "$program" 13x17 8 --type gray --radius 3
is 'fixed loops are for radius 2' "$(skipped_as 'written for radius 2')" \
    'async_rows constant_fixed flat_bytes integer_dp2a register_rows separable shared_tile '

# Whole weights: at 0.58, 2.21 and 12.8 among the farthest that are taken; beyond, they are refused.
for sigma in 0.1 0.55 0.58 1.06 2.21 12.8 80; do
    sweeps "radius 2, sigma $sigma" "$program" 97x71 8 --radius 2 --sigma $sigma \
        --variants 'cpu integer_dp2a async_rows'
    is "whole weights for sigma $sigma" "$(skipped_as 'whole numbers')" ''
done
for sigma in 0.4 14 90; do
    sweeps "radius 2, sigma $sigma" "$program" 8x8 8 --radius 2 --sigma $sigma
    is "no whole weights for sigma $sigma" "$(skipped_as 'whole numbers')" \
        'async_rows integer_dp2a '
done

# ---- known answers -------------------------------------------------------------------------------

# filtered IN ENDING SIZE WIDTH OPTION...: the picture through all variants, its last SIZE bytes as
# numbers, WIDTH a line; none unless all variants agree.
filtered() {
    filtered_in=$1 filtered_out=$folder/out.$2 filtered_size=$3 filtered_width=$4
    shift 4
    "$program" "$filtered_in" "$filtered_out" --check-only "$@" >"$folder/log" 2>&1 &&
        tail -c "$filtered_size" "$filtered_out" | od -A n -v -t u1 -w"$filtered_width" |
        sed 's/^ *//; s/  */ /g'
}

# A single bright pixel gives the filter's own coefficients: 255 w(dx) w(dy), rounded. At a corner
# what would lie outside comes back in: a corner has w(-2) + w(-1) + w(0) along both axes.
{ printf 'P5\n7 5\n255\n'; head -c 17 /dev/zero; printf '\377'; head -c 17 /dev/zero; } \
    >"$folder/dot.pgm"
{ printf 'P5\n6 5\n255\n\377'; head -c 28 /dev/zero; printf '\377'; } >"$folder/corners.pgm"
is 'a bright pixel' "$(filtered "$folder/dot.pgm" pgm 35 7 --sizes 7x5)" '0 1 3 6 3 1 0
0 3 15 25 15 3 0
0 6 25 41 25 6 0
0 3 15 25 15 3 0
0 1 3 6 3 1 0'
is 'bright corners' "$(filtered "$folder/corners.pgm" pgm 30 6 --sizes 6x5)" '125 53 10 0 0 0
53 23 4 0 0 0
10 4 1 1 4 10
0 0 0 4 23 53
0 0 0 10 53 125'

is 'of sigma 2 and radius 1: exp(-1/8) of the middle beside it' \
    "$(filtered "$folder/dot.pgm" pgm 35 7 8 1 1 2 7 5)" '0 0 0 0 0 0 0
0 0 26 29 26 0 0
0 0 29 33 29 0 0
0 0 26 29 26 0 0
0 0 0 0 0 0 0'
is 'the weights in the code are the formula, to nine digits' \
    "$(sed -n '/define WEIGHTS_5X5/,/^$/p' lab5_gaussian/gaussian.cu | grep -o '0\.[0-9]*f')" \
    "$(awk 'BEGIN {
        for (i = -2; i <= 2; i++)
            sum += w[i] = exp(-i * i / 2)
        for (j = -2; j <= 2; j++)
            for (i = -2; i <= 2; i++)
                printf "%.9gf\n", w[i] * w[j] / sum ^ 2
    }')"

# Along a row integer_dp2a adds up to 255 S, which must stay below 2^24.
{ printf 'P5\n19 17\n255\n'; head -c 323 /dev/zero | tr '\0' '\377'; } >"$folder/white.pgm"
is 'white stays white' "$(filtered "$folder/white.pgm" pgm 323 1 --sizes 19x17 | sort -u)" 255

# A constant picture stays as it is, its alpha too.
{ printf 'P6\n37 33\n255\n'; head -c 3663 /dev/zero | tr '\0' 'M'; } >"$folder/constant.ppm"
is 'rgb24: a constant picture' \
    "$(filtered "$folder/constant.ppm" ppm 3663 3 --sizes 37x33 --type rgb24 | sort -u)" '77 77 77'
is 'rgba32: a constant picture' \
    "$(filtered "$folder/constant.ppm" bmp 4884 4 --sizes 37x33 --type rgba32 | sort -u)" \
    '77 77 77 255'

# ---- several passes ------------------------------------------------------------------------------

# 255 w of 1 and 4 and 9 pixels' distance, rounded, and once more: what the first pass gives is the
# second one's input.
is 'a bright pixel, twice' "$(filtered "$folder/dot.pgm" pgm 35 7 --sizes 7x5 --passes 2)" \
    "$("$program" "$folder/dot.pgm" "$folder/once.pgm" --sizes 7x5 --check-only >/dev/null &&
        filtered "$folder/once.pgm" pgm 35 7 --sizes 7x5)"
for type in gray rgba32; do
    sweeps "$type, 3 passes" "$program" '97x71 64x45' 32x4 --type $type --passes 3
done
is 'which the rows say' "$(column parameters flops "$folder/rows.csv" | sort -u)" \
    "$(printf 'type=rgba32;sigma=1;radius=2;passes=3,%s\n' 1.296e+06 3.09915e+06)"
is 'the library has one' "$(column variant "$folder/rows.csv" | grep -c npp)" 0

# ---- several GPUs --------------------------------------------------------------------------------

# frame N FILE [WIDTH]: a picture of 48 rows, of bytes that no other has.
frame() {
    printf 'P5\n%d 48\n255\n' "${3:-64}" >"$2"
    tail -c +$((1000 * $1 + 1)) lab5_gaussian/gaussian.cu | head -c $((48 * ${3:-64})) >>"$2"
}

# over GPUS PASSES SIZES OPTION...: by `bands` and `deep_bands`; how many rows are right, for each
# number of GPUs.
over() {
    over_gpus=$1 over_passes=$2 over_sizes=$3
    shift 3
    rm -f "$folder/rows.csv"
    "$divided" --gpus "$over_gpus" --passes "$over_passes" --sizes "$over_sizes" --blocks 32x4 \
        --variants 'bands deep_bands' --check-only --csv "$folder/rows.csv" "$@" \
        >"$folder/log" 2>&1
    column gpus status "$folder/rows.csv" | sort | uniq -c | tr -s ' \n' ' '
}

if use_ranks 4 2; then
    divided=$programs/gaussian
    # 5x9: bands of two and three rows; 97x71: of all edges; 528x133: of 33, over three of 44 and 45
    # deep halos: of one pass, of ten at most, of all five; and of 20 passes of 16 at most
    is 'bands' "$(over "$(seq -s ' ' "$ranks")" 5 '5x9 97x71 528x133')" \
        "$(seq "$ranks" | sed 's/.*/ 6 &,ok/' | tr -d '\n') "
    is 'a single pass' "$(over "$few" 1 '97x71 64x128')" " 4 $few,ok "
    is '20 passes' "$(over 2 20 '32x31 33x128')" ' 4 2,ok '
    is 'of colours, two' "$(over "$few" 2 '98x101' --type rgb24 --seed 7)" " 2 $few,ok "
    if [ "$ranks" -ge 3 ]; then # the least picture has five rows
        is 'a band lower than a halo' "$(over "$ranks" 2 "64x$((2 * ranks - 1)) 64x$((2 * ranks))")" \
            " 2 $ranks,ok 2 $ranks,skipped "
        like 'which is said' "$(cat "$folder/rows.csv")" "a band has fewer rows than its neighbour's halo"
    else
        skip 'a band lower than a halo' 'needs 3 GPUs'
    fi
    is 'rows of each GPU' "$(over "$few" 2 64x40 --weak; column height "$folder/rows.csv" | uniq)" \
        " 2 $few,ok $((40 * few))"
    frame 2 "$folder/tall.pgm"
    made_by() {
        "$divided" "$folder/tall.pgm" "$folder/$1.pgm" 32x4 1 --sizes 96x101 --passes 4 \
            --check-only --variants "$@" >"$folder/log" 2>&1
    }
    made_by async_rows
    for variant in bands deep_bands; do
        made_by $variant --gpus "$few"
        ok "$variant: the bytes of one GPU" cmp "$folder/async_rows.pgm" "$folder/$variant.pgm"
    done
else
    skip 'bands' "$why"
fi

# ---- a stream of frames --------------------------------------------------------------------------

# stream N OPTION...: the frames of $folder/in to $folder/filtered, which is empty before.
stream() {
    rm -rf "$folder/filtered" && mkdir "$folder/filtered" || return
    "$program" --input "$folder/in/%04d.pgm" --output "$folder/filtered/%04d.pgm" \
        --stream "$@"
}

# is_stream FIRST LAST: are these files there, and no others, each what a run of its own gives?
is_stream() {
    [ "$(find "$folder/filtered" -type f | wc -l)" -eq $(($2 - $1 + 1)) ] || return
    for n in $(seq -f %04.0f "$1" "$2"); do
        cmp "$folder/alone/$n.pgm" "$folder/filtered/$n.pgm" || return
    done
}

mkdir "$folder/in" "$folder/alone"
for n in $(seq 0 9); do
    frame "$n" "$folder/in/000$n.pgm"
    "$program" "$folder/in/000$n.pgm" "$folder/alone/000$n.pgm" --check-only --sizes 64x48 \
        --variants constant_fixed >/dev/null
done
for n in 1 3 10; do
    exits "frames from 0 on: $n" 0 stream "$n"
    ok 'each is there, and itself' is_stream 0 $((n - 1))
done
rm "$folder/in/0000.pgm"
exits 'frames from 1 on' 0 stream 9
ok 'each is there, and itself, too' is_stream 1 9
is 'how fast it was is said' "$(stream 9 2>/dev/null |
    grep -c '^9 frames read, filtered, checked and written: ')" 1
exits 'of another size they are resampled' 0 stream 2 --sizes 32x24
is 'to it' "$(head -n 2 "$folder/filtered/0002.pgm" | tail -n 1)" '32 24'

# What is bad in the middle ends it behind the frames before it.
frame 5 "$folder/in/0005.pgm" 60
refuses 'a frame of another size' 2 '/in/0005.pgm: is 60x48; .* first one.s size, 64x48' stream 9
ok 'the frames before it are written' is_stream 1 4
head -c 500 "$folder/alone/0005.pgm" >"$folder/in/0005.pgm"
refuses 'a frame cut off' 2 '/in/0005.pgm: ' stream 9
ok 'and those before it' is_stream 1 4
rm "$folder/in/0005.pgm"
refuses 'a frame that is missing' 2 '/in/0005.pgm: cannot open: No such file' stream 9
ok 'and those before that' is_stream 1 4
exits 'as many as there are' 0 stream 4
refuses 'one file for all frames' 2 "one.pgm' is one file; .* such as out/%04d.png" \
    "$program" --input "$folder/in/%04d.pgm" --output "$folder/one.pgm" --stream 4
refuses 'files for frames that have none' 2 "%04d.pgm' names a file a frame; so must --input" \
    "$program" --output "$folder/filtered/%04d.pgm" --stream 4
refuses 'files for how many frames?' 2 "%04d.pgm' names a file a frame; --stream N says how many" \
    "$program" --input "$folder/in/%04d.pgm"

# Pictures made of one; rows, and when the steps were.
exits 'nine frames of one picture' 0 "$program" --input "$folder/in/0001.pgm" --stream 9 \
    --sizes 64x48 --type rgb24 --csv "$folder/stream.csv"
is 'a row' "$(column variant width parameters frames status "$folder/stream.csv")" \
    'async_rows,64,type=rgb24;sigma=1;radius=2;transfer=stream,9,ok'
is 'three steps of the first eight' "$(column frame step "$folder/timeline_stream.csv" | sort |
    uniq -c | awk '$1 == 1' | wc -l)" 24

# ---- what is refused -----------------------------------------------------------------------------

for size in 16x17 17x16; do
    refuses "$size pixels, fewer than the filter's" 2 \
        "'$size' is not a legal size: .*legal are 17x17 to 65536x65536" \
        "$program" --radius 8 --sizes $size
done
refuses 'more bytes than an int counts' 2 "'32768x32769' .*a picture has 2.30 bytes at most" \
    "$program" --sizes 32768x32769
refuses 'as many in colours' 2 "'32768x8193' .*a picture has 2.30 bytes at most" \
    "$program" --type rgba32 --sizes 32768x8193
known_reasons="$known_reasons|more rows of blocks than a grid has"
sweeps 'blocks of a row' "$program" 5x65536 '32x1 32x4' --variants 'constant naive'
is 'of which a grid has fewer' "$(skipped_as 'rows of blocks')" 'constant naive '
sweeps 'as many as it has' "$program" 5x65535 32x1 --variants naive
is 'run' "$(skipped_as 'rows of blocks')" ''
done_testing
