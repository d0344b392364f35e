#!/bin/sh
# gaussian.t - lab 5: small pictures and other settings, the answers that are known beforehand, and
# what the program refuses.
. tests/tap.sh
program=$(cd "$B" && pwd)/gaussian
kernels='naive array constant constant_fixed shared_tile'

# skipped_as PATTERN: which variants the last sweep skipped for this reason.
skipped_as() {
    column variant status note "$folder/rows.csv" | sed -n "s/,skipped,.*$1.*//p" | sort -u |
        tr '\n' ' '
}

# ---- every type, other settings ------------------------------------------------------------------

known_reasons='which this build lacks'
for type in gray rgb24 rgba32; do
    sweeps "$type" "$program" '5x5 6x5 13x17 64x5' '1 3x5 8 32x8 1x33' --type $type
    is "$type: at most a level off" "$(column max_error "$folder/rows.csv" | grep -vE '^[01]?$')" ''
done
known_reasons="$known_reasons|are those of sigma 1 and radius 2|are written for radius 2"
for settings in '--radius 0' '--radius 1' '--radius 8' '--sigma 3' '--sigma 0.1'; do
    # shellcheck disable=SC2086 # words
    sweeps "rgba32 $settings" "$program" '17x17 40x23' '8 32x8' --type rgba32 $settings
done
sweeps 'sigma 0.8' "$program" 13x17 8 --type gray --sigma 0.8
is 'weights in the code are those of sigma 1' "$(skipped_as 'sigma 1 and radius 2')" 'array naive '
sweeps 'radius 3' "$program" 13x17 8 --type gray --radius 3
is 'fixed loops are for radius 2' "$(skipped_as 'written for radius 2')" \
    'constant_fixed shared_tile '

# ---- known answers -------------------------------------------------------------------------------

zeros() {
    head -c "$1" /dev/zero
}

# rows WIDTH BYTES FILE: the last BYTES bytes of a picture file, WIDTH decimal numbers a line.
rows() {
    tail -c "$2" "$3" | od -A n -v -t u1 -w"$1" | sed 's/^ *//; s/  */ /g'
}

# filter IN OUT VARIANT SIZE OPTION...: one variant, one size; no OUT where it fails.
filter() {
    filter_in=$1 filter_out=$2 filter_variant=$3 filter_size=$4
    shift 4
    rm -f "$filter_out"
    "$program" "$filter_in" "$filter_out" --variants "$filter_variant" --sizes "$filter_size" \
        --check-only "$@" >"$folder/log" 2>&1
}

# A single bright pixel gives the filter's own coefficients: 255 w(dx) w(dy), rounded. At a corner
# what would lie outside comes back in: the corner has w(-2) + w(-1) + w(0) along both axes.
{ printf 'P5\n11 13\n255\n'; zeros 71; printf '\377'; zeros 71; } >"$folder/dot.pgm"
{ printf 'P5\n5 5\n255\n\377'; zeros 24; } >"$folder/corner.pgm"
{ printf 'P5\n37 33\n255\n'; zeros 1221 | tr '\0' 'M'; } >"$folder/constant.pgm"
{ printf 'P6\n37 33\n255\n'; zeros 3663 | tr '\0' 'M'; } >"$folder/constant.ppm"
empty='0 0 0 0 0 0 0 0 0 0 0'
coefficients="$empty
$empty
$empty
$empty
0 0 0 1 3 6 3 1 0 0 0
0 0 0 3 15 25 15 3 0 0 0
0 0 0 6 25 41 25 6 0 0 0
0 0 0 3 15 25 15 3 0 0 0
0 0 0 1 3 6 3 1 0 0 0
$empty
$empty
$empty
$empty"
for variant in cpu $kernels; do
    filter "$folder/dot.pgm" "$folder/out.pgm" "$variant" 11x13
    is "$variant: a bright pixel" "$(rows 11 143 "$folder/out.pgm")" "$coefficients"
    filter "$folder/corner.pgm" "$folder/out.pgm" "$variant" 5x5
    is "$variant: a bright corner" "$(rows 5 25 "$folder/out.pgm")" "125 53 10 0 0
53 23 4 0 0
10 4 1 0 0
0 0 0 0 0
0 0 0 0 0"
    filter "$folder/constant.pgm" "$folder/out.pgm" "$variant" 37x33
    ok "$variant: a constant picture stays" cmp "$folder/constant.pgm" "$folder/out.pgm"
    filter "$folder/constant.ppm" "$folder/out.ppm" "$variant" 37x33 --type rgb24
    ok "$variant: in colour, too" cmp "$folder/constant.ppm" "$folder/out.ppm"
    filter "$folder/constant.ppm" "$folder/out.bmp" "$variant" 37x33 --type rgba32
    is "$variant: and alpha" "$(rows 4 $((37 * 33 * 4)) "$folder/out.bmp" | sort -u)" '77 77 77 255'
done

# Equal channels stay equal, and are what gray gives.
awk -v head="$folder/gray" 'BEGIN {
    print "P2\n23 19\n255" >(head ".pgm"); print "P3\n23 19\n255" >(head ".ppm")
    for (i = 0; i < 437; i++) {
        v = i * i * 7 % 256
        print v >(head ".pgm"); print v, v, v >(head ".ppm")
    }
}'
filter "$folder/gray.pgm" "$folder/out.pgm" naive 23x19
filter "$folder/gray.ppm" "$folder/out.ppm" naive 23x19 --type rgb24
filter "$folder/gray.pgm" "$folder/out.bmp" naive 23x19 --type rgba32
rows 1 437 "$folder/out.pgm" >"$folder/expected"
is 'rgb24: three times what gray gives' "$(rows 3 1311 "$folder/out.ppm")" \
    "$(awk '{ print $1, $1, $1 }' "$folder/expected")"
is 'rgba32: the same, alpha opaque' "$(rows 4 1748 "$folder/out.bmp" | sort)" \
    "$(awk '{ print $1, $1, $1, 255 }' "$folder/expected" | sort)"

# ---- what is refused -----------------------------------------------------------------------------

mkdir "$folder/clean"
cd "$folder/clean" || exit 1
refuses 'a picture smaller than the filter' 2 \
    "'4x9' is not a legal size: .*legal are 5x5 to 16384x16384" \
    "$program" --type gray --sizes 4x9 --csv x.csv
refuses 'the same with radius 8' 2 "'16x16' is not a legal size: .*legal are 17x17 to" \
    "$program" --radius 8 --sizes 16x16
refuses 'radius by place and by name' 2 '--radius was given twice' \
    "$program" "$folder/gray.pgm" out.pgm 8 1 2 --radius 2
is 'nothing was left behind' "$(ls -A)" ''
done_testing
