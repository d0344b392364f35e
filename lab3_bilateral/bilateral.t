#!/bin/sh
# bilateral.t - lab 3: radii, types, passes and sigmas; pictures smaller than the filter; a constant
# one.
. tests/tap.sh
program=$B/bilateral
known_reasons='bytes of shared memory are more|registers leave room|are unrolled for radii|are whole'
known_reasons="$known_reasons|rule for the border spreads|which this build lacks"

sweeps 'pictures smaller than the filter' "$program" '1x1 2x2 3x3 1x7 7x1 13x17' '1 3x5 8 32x8'
for radius in 0 1 2 7 8 16; do
    sweeps "radius $radius" "$program" '1x1 13x17 40x30' '1 16 32x8' --radius $radius
done
sweeps 'strips side by side, warps one below the other' "$program" '257x41 244x90' '8x4 16x4 16' \
    --variants 'register_rows exp2_scaled symmetric'
sweeps 'bytes' "$program" '1x1 3x3 13x17 250x40' '8 16x4' --type u8
sweeps 'bytes, several passes' "$program" '13x17 40x30' '8 16x4' --type u8 --passes 3
sweeps 'several passes' "$program" '13x17 40x30' '8 16x4' --passes 3
sweeps 'noise, whose errors grow with each pass' "$program" 40x30 8 --passes 12 --sigma-range 20 \
    --seed 5
sweeps 'small sigmas' "$program" 40x30 16 --sigma-space 0.5 --sigma-range 1
"$program" --sizes 40x30 --sigma-space 5 --variants cpu --check-only --fresh \
    --csv "$folder/space.csv" >"$folder/out"
like 'one of them alone is its own' "$(column parameters "$folder/space.csv")" \
    'sigma_space=5;sigma_range=30;'
sweeps 'a tile over shared memory' "$program" 3x3 32 --radius 100
{ printf 'P5\n37 29\n255\n'; head -c 1073 /dev/zero | tr '\0' 'M'; } >"$folder/constant.pgm"
for type in f32 u8; do
    ok 'a constant picture' "$program" "$folder/constant.pgm" "$folder/same.pgm" 16 1 3 30 37 29 \
        --type $type
    ok "stays as it is: $type" cmp "$folder/constant.pgm" "$folder/same.pgm"
done
# Equation (1) by awk, of 4 x 3 pixels.
pixels='10 200 60 90 1 255 30 120 80 40 220 160'
{ echo P5 4 3 255; echo "$pixels" | awk '{ while (k++ < NF) printf "%c", $k + 0 }'; } \
    >"$folder/small.pgm"
equation=$(echo "$pixels" | awk -v w=4 -v h=3 -v space=2 -v range=50 '{
    for (p = 0; p < w * h; p++) {
        sum = weights = 0
        for (j = -1; j <= 1; j++)
            for (i = -1; i <= 1; i++) {
                x = p % w + i; y = int(p / w) + j; apart = i * i + j * j
                q = x < 0 || x >= w || y < 0 || y >= h ? p : y * w + x
                weights += weight = exp(-apart / (2 * space ^ 2)) * \
                    exp(-($(p + 1) - $(q + 1)) ^ 2 / (2 * range ^ 2))
                sum += weight * $(q + 1)
            }
        printf " %3d", sum / weights + 0.5
    }
}')
for type in f32 u8; do
    ok 'a small picture' "$program" "$folder/small.pgm" "$folder/out.pgm" 8 1 1 50 4 3 \
        --check-only --sigma-space 2 --type $type
    is "is filtered as equation (1) says: $type" \
        "$(tail -c 12 "$folder/out.pgm" | od -A n -v -t u1 -w12)" "$equation"
done
done_testing
