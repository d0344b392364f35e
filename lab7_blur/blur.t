#!/bin/sh
# blur.t - lab 7: other sigmas and radii, the answers that are known beforehand, and the recursive
# filter's shape.
. tests/tap.sh
program=$B/blur
known_reasons='sigma of 0.5 or more|bytes of shared memory are more|registers leave room|radius of 16 or less|too small for half precision'

# ---- settings ------------------------------------------------------------------------------------

sweeps 'sigma 5' "$program" '31x31 33x40 97x33' '1 3x5 8 32x8 1x33'
is 'copy copies to the last bit' \
    "$(column variant max_error "$folder/rows.csv" | grep '^copy,' | sort -u)" copy,0
is 'every recursive row tells how far it is from the Gaussian' \
    "$(column variant note "$folder/rows.csv" | grep '^recursive,' |
        grep -v 'up to [0-9.e-]* levels from the Gaussian of 31 taps a line (at most 13.1)')" ''

# skipped: which variants the last sweep skipped.
skipped() {
    column variant status "$folder/rows.csv" | sed -n 's/,skipped$//p' | sort -u
}
while IFS=: read -r settings without; do
    # shellcheck disable=SC2086 # words
    sweeps "$settings" "$program" '101x101 120x103' '8 32x8' $settings
    is "$settings: skipped is '$without'" "$(skipped)" "$without"
done <<'end'
--radius 0:
--radius 1 --sigma 0.5:
--sigma 2.5:
--radius 16 --sigma 8:
--radius 16 --sigma 2:separable_tensor
--sigma 16:separable_tensor
--radius 50:separable_tensor
end
sweeps 'sigma 0.4' "$program" 33x31 8 --sigma 0.4
is 'the recursive filter starts at sigma 0.5' "$(skipped | grep recursive)" 'recursive
recursive_chunks'
# Chunks of a line beyond those that are loaded together, strips and blocks side by side and below
# each other, pictures narrower than any of them.
ok 'long lines, narrow pictures' "$program" --sizes '1100x3 3x1100 1x1 5x1 517x39 300x230' --sigma 20 \
    --radius 0 --variants 'separable_fused separable_tensor recursive_chunks' --check-only --fresh \
    --csv "$folder/rows.csv"
ok 'the same with all taps' "$program" --sizes '1100x31 31x1100 517x39 300x230' \
    --variants 'separable_fused separable_tensor recursive_chunks' --check-only --fresh \
    --csv "$folder/rows.csv"
sweeps 'tiles over 48 KiB' "$program" 31x1030 1x1024
like 'separable says so' "$(skipped)" '^separable$'
refuses 'a picture smaller than the filter' 2 "'30x31' is not a legal size: .*legal are 31x31 to" \
    "$program" --sizes 30x31

# ---- known answers -------------------------------------------------------------------------------

# blurred IN SIZE OPTION...: the picture through all variants, into $folder/out.pgm; none unless each
# is right.
blurred() {
    blurred_in=$1 blurred_size=$2
    shift 2
    rm -f "$folder/out.pgm"
    "$program" "$blurred_in" "$folder/out.pgm" --sizes "$blurred_size" --check-only --fresh \
        --csv "$folder/rows.csv" "$@" >"$folder/log" 2>&1 || rm -f "$folder/out.pgm"
}

# dot SIDE: a square picture, a single bright pixel in its middle.
dot() {
    half=$((($1 * $1 - 1) / 2))
    printf 'P5\n%d %d\n255\n' "$1" "$1"
    head -c $half /dev/zero
    printf '\377'
    head -c $half /dev/zero
}

# It gives the filter's own coefficients: 255 w(dx) w(dy), rounded.
dot 5 >"$folder/dot.pgm"
blurred "$folder/dot.pgm" 5x5 8 1 2 1
is 'the coefficients' "$(tail -c 25 "$folder/out.pgm" | od -A n -v -t u1 -w5 | tr -s ' ')" \
    ' 1 3 6 3 1
 3 15 25 15 3
 6 25 41 25 6
 3 15 25 15 3
 1 3 6 3 1'
blurred "$folder/dot.pgm" 5x5 --variants copy --sigma 1 --radius 2
ok 'copy: itself' cmp "$folder/dot.pgm" "$folder/out.pgm"

# The recursive filter's q has a formula below sigma 2.5 and another one above. The Gaussian's middle
# is 7.0 and 6.0 levels high.
dot 41 >"$folder/dot.pgm"
for sigma in 2.4 2.6; do
    blurred "$folder/dot.pgm" 41x41 --variants recursive --sigma $sigma
    is "recursive: near the Gaussian of sigma $sigma" "$(column note "$folder/rows.csv" |
        awk '!/^up to [0-9.e-]+ levels/ || $3 > 0.6')" ''
done
{ printf 'P5\n37 33\n255\n'; head -c 1221 /dev/zero | tr '\0' 'M'; } >"$folder/constant.pgm"
blurred "$folder/constant.pgm" 37x33
ok 'a constant picture stays' cmp "$folder/constant.pgm" "$folder/out.pgm"
like 'recursive: it is off by nothing at all' "$(column note "$folder/rows.csv")" \
    'up to [0-9.]*e-1[0-9] levels from'
done_testing
