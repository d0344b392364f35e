#!/bin/sh
# bilateral.t - lab 3: radii, types, passes and sigmas; pictures smaller than the filter; a constant
# one.
. tests/tap.sh
program=$B/bilateral
known_reasons='bytes of shared memory are more|registers leave room|are unrolled for radii|are whole'
known_reasons="$known_reasons|rule for the border spreads|which this build lacks|gray pictures"
known_reasons="$known_reasons|rule alone|no numbers|needs --type u8|NPP_MASK_SIZE_ERROR|after each pass|a pass is off"

sweeps 'pictures smaller than the filter' "$program" '1x1 2x2 3x3 1x7 7x1 13x17' '1 3x5 8 32x8'
for radius in 0 1 2 4 7 8 9 16; do
    sweeps "radius $radius" "$program" '1x1 13x17 40x30' '1 16 32x8' --radius $radius
done
sweeps 'strips side by side, warps one below the other' "$program" '257x41 244x90 116x41' '8x4 16x4 16' \
    --variants 'register_rows exp2_scaled symmetric'
export OMP_NUM_THREADS=2 # a small picture is one of 16384 pixels a multiprocessor: here, a thread
sweeps 'warps that hand nothing up' "$program" '601x90 600x91' 16x4 --variants 'symmetric table8'
sweeps 'many rows for most warps, few for the last' "$program" 1204x700 16 --radius 1 --type u8 \
    --variants 'symmetric table8'
unset OMP_NUM_THREADS
sweeps 'bytes' "$program" '1x1 3x3 13x17 250x40' '8 16x4' --type u8
sweeps 'bytes, several passes' "$program" '13x17 40x30' '8 16x4' --type u8 --passes 3
ok 'table8 by several passes is refused' "$program" --type u8 --passes 2 --variants table8 --sizes 40x30 \
    --blocks 16x4 --check-only --fresh --csv "$folder/passes.csv"
is 'with a reason' "$(column status note "$folder/passes.csv")" \
    'skipped,a pass is off by a level, several by nobody knows how many'
sweeps 'several passes' "$program" '13x17 40x30' '8 16x4' --passes 3
sweeps 'noise, whose errors grow with each pass' "$program" 40x30 8 --passes 12 --sigma-range 20 \
    --seed 5
sweeps 'small sigmas' "$program" 40x30 16 --sigma-space 0.5 --sigma-range 1
sweeps 'a small sigma of space for bytes' "$program" 40x30 16 --type u8 --sigma-space 1
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
for border in replicate reflect; do
    sweeps "pictures smaller than the filter, $border" "$program" '1x1 2x3 1x7 13x17' '8 16x4' \
        --border $border --radius 7
    sweeps "several passes, $border" "$program" '13x17' 8 --border $border --passes 2 --type u8
done
sweeps 'colours' "$program" '1x1 3x3 13x17 40x30' '8 16x4' --type rgb24
sweeps 'colours, several passes' "$program" 13x17 8 --type rgb24 --passes 3 --border reflect
sweeps 'no numbers among the pixels' "$program" '1x1 13x17 40x30' '8 16x4' --not-finite 3
sweeps 'a picture of no numbers' "$program" 3x3 8 --not-finite 1000
refuses 'bytes are numbers' 2 'bytes are finite' "$program" --type u8 --not-finite 1

# Equation (1) by awk, of 4 x 3 pixels: equation CHANNELS BORDER VALUES, the values in a line.
equation() {
    echo "$3" | awk -v channels="$1" -v border="$2" -v w=4 -v h=3 -v space=2 -v range=50 '
        function there(i, n) {
            if (border == "middle") return i < 0 || i >= n ? -1 : i
            if (border == "replicate") return i < 0 ? 0 : i >= n ? n - 1 : i
            while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i
            return i
        }
        function value(p, c) { return $(p * channels + c) }
        {
            for (p = 0; p < w * h; p++) {
                for (c = 1; c <= channels; c++) sum[c] = 0
                weights = 0
                for (j = -5; j <= 5; j++)
                    for (i = -5; i <= 5; i++) {
                        x = there(p % w + i, w); y = there(int(p / w) + j, h)
                        q = x < 0 || y < 0 ? p : y * w + x
                        distance = 0
                        for (c = 1; c <= channels; c++) distance += (value(q, c) - value(p, c)) ^ 2
                        weight = exp(-(i * i + j * j) / (2 * space ^ 2) - distance / (2 * range ^ 2))
                        weights += weight
                        for (c = 1; c <= channels; c++) sum[c] += weight * value(q, c)
                    }
                for (c = 1; c <= channels; c++) printf " %3d", sum[c] / weights + 0.5
            }
        }'
}
gray='10 200 60 90 1 255 30 120 80 40 220 160'
colours="$gray 0 17 255 201 90 33 140 66 12 240 181 74 250 128 9 61 199 105 222 47 156 83 135 19"
# picture P5|P6 VALUES: a picture of them.
picture() {
    echo "$1" 4 3 255
    echo "$2" | awk '{ while (k++ < NF) printf "%c", $k + 0 }'
}
picture P5 "$gray" >"$folder/gray.pnm"
picture P6 "$colours" >"$folder/colours.pnm"
for border in middle replicate reflect; do
    for type in f32 u8 rgb24; do
        name=gray values=$gray channels=1 suffix=pgm
        [ $type = rgb24 ] && name=colours values=$colours channels=3 suffix=ppm
        ok 'a small picture' "$program" "$folder/$name.pnm" "$folder/out.$suffix" 8 1 5 50 4 3 \
            --check-only --sigma-space 2 --type $type --border $border
        is "is filtered as equation (1) says: $type, $border" \
            "$(tail -c $((12 * channels)) "$folder/out.$suffix" |
                od -A n -v -t u1 -w$((12 * channels)))" "$(equation $channels $border "$values")"
    done
done
done_testing
