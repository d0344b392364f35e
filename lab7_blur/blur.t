#!/bin/sh
# blur.t - lab 7: other sigmas and radii, the answers that are known beforehand, and the recursive
# filter's shape.
. tests/tap.sh
program=$B/blur
known_reasons='sigma of 0.5 or more|bytes of shared memory are more|registers leave room'

# ---- settings ------------------------------------------------------------------------------------

sweeps 'sigma 5' "$program" '31x31 33x40 97x33' '1 3x5 8 32x8 1x33'
is 'copy copies to the last bit' \
    "$(column variant max_error "$folder/rows.csv" | grep '^copy,' | sort -u)" copy,0
is 'every recursive row tells how far it is from the Gaussian' \
    "$(column variant note "$folder/rows.csv" | grep '^recursive,' |
        grep -v 'up to [0-9.e-]* levels from the Gaussian of 31 taps')" ''
for settings in '--radius 0' '--radius 1 --sigma 0.5' '--sigma 2.5' '--sigma 16' '--radius 50'; do
    # shellcheck disable=SC2086 # words
    sweeps "$settings" "$program" '101x101 120x103' '8 32x8' $settings
    is "$settings: all of it ran" "$(column status "$folder/rows.csv" | sort -u)" ok
done

# skipped: which variants the last sweep skipped.
skipped() {
    column variant status "$folder/rows.csv" | sed -n 's/,skipped$//p' | sort -u
}
sweeps 'sigma 0.4' "$program" 33x31 8 --sigma 0.4
is 'the recursive filter starts at sigma 0.5' "$(skipped)" recursive
sweeps 'tiles over 48 KiB' "$program" 31x1030 1x1024
like 'separable says so' "$(skipped)" '^separable$'
refuses 'a picture smaller than the filter' 2 "'30x31' is not a legal size: .*legal are 31x31 to" \
    "$program" --sizes 30x31

# ---- known answers -------------------------------------------------------------------------------

zeros() {
    head -c "$1" /dev/zero
}

# rows WIDTH FILE: the pixels of a square or other gray picture, WIDTH decimal numbers a line.
rows() {
    tail -n +4 "$2" | od -A n -v -t u1 -w"$1" | sed 's/^ *//; s/  */ /g'
}

# blurred IN VARIANT SIZE OPTION...: one variant, one size, into $folder/out.pgm.
blurred() {
    blurred_in=$1 blurred_variant=$2 blurred_size=$3
    shift 3
    rm -f "$folder/out.pgm"
    "$program" "$blurred_in" "$folder/out.pgm" --variants "$blurred_variant" \
        --sizes "$blurred_size" --check-only --fresh --csv "$folder/rows.csv" "$@" \
        >"$folder/log" 2>&1
}

# A single bright pixel gives the filter's own coefficients: 255 w(dx) w(dy), rounded.
{ printf 'P5\n7 5\n255\n'; zeros 17; printf '\377'; zeros 17; } >"$folder/dot.pgm"
for variant in cpu cpu_omp conv2d separable; do
    blurred "$folder/dot.pgm" $variant 7x5 --sigma 1 --radius 2
    is "$variant: the coefficients" "$(rows 7 "$folder/out.pgm")" "0 1 3 6 3 1 0
0 3 15 25 15 3 0
0 6 25 41 25 6 0
0 3 15 25 15 3 0
0 1 3 6 3 1 0"
done
blurred "$folder/dot.pgm" copy 7x5 --sigma 1 --radius 2
ok 'copy: itself' cmp "$folder/dot.pgm" "$folder/out.pgm"
{ printf 'P5\n37 33\n255\n'; zeros 1221 | tr '\0' 'M'; } >"$folder/constant.pgm"
for variant in cpu copy conv2d separable recursive; do
    blurred "$folder/constant.pgm" $variant 37x33
    ok "$variant: a constant picture stays" cmp "$folder/constant.pgm" "$folder/out.pgm"
done
like 'recursive: it is off by nothing at all' "$(column note "$folder/rows.csv")" \
    'up to [0-9.]*e-1[0-9] levels from'

# A bright pixel through the recursive filter: symmetric and near the Gaussian.
{ printf 'P5\n41 41\n255\n'; zeros 840; printf '\377'; zeros 840; } >"$folder/dot.pgm"
blurred "$folder/dot.pgm" recursive 41x41 --sigma 1.5
is 'recursive: symmetric in x, y and the diagonal, its middle that of a Gaussian' \
    "$(rows 41 "$folder/out.pgm" | awk '
        { for (x = 1; x <= 41; x++) p[x, NR] = $x }
        END {
            for (y = 1; y <= 41; y++)
                for (x = 1; x <= 41; x++) {
                    d = p[x, y] - p[42 - x, y]; e = p[x, y] - p[x, 42 - y]; f = p[x, y] - p[y, x]
                    if (d * d > 1 || e * e > 1 || f * f > 1)
                        print "not symmetric at " x " " y
                }
            middle = 255 / (2 * 3.14159265 * 1.5 * 1.5)
            if (p[21, 21] < 0.9 * middle || p[21, 21] > 1.1 * middle)
                print "the middle is " p[21, 21]
        }')" ''

# A bright column: every row's profile is the same, symmetric, and all of the light is there.
awk 'BEGIN { printf "P2\n41 41\n255\n"; for (i = 0; i < 1681; i++) print i % 41 == 20 ? 255 : 0 }' \
    >"$folder/line.pgm"
blurred "$folder/line.pgm" recursive 41x41 --sigma 1.5
rows 41 "$folder/out.pgm" | sort -u >"$folder/profile"
is 'recursive: one profile for all rows' "$(wc -l <"$folder/profile" | tr -d ' ')" 1
is 'recursive: symmetric, its sum 255' "$(awk '{
        for (x = 1; x <= 41; x++) { sum += $x; if ($x != $(42 - x)) print "not symmetric at " x }
        if (sum < 253 || sum > 257) print "the sum is " sum
    }' "$folder/profile")" ''
done_testing
