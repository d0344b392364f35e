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

# The paper's equations in double precision, along a line that goes on far beyond its end.
recursion() {
    echo "$2" | awk -v sigma="$1" '{
        q = sigma < 2.5 ? 3.97156 - 4.14554 * sqrt(1 - 0.26891 * sigma) : 0.98711 * sigma - 0.96330
        b0 = 1.57825 + q * (2.44413 + q * (1.4281 + q * 0.422205))
        b1 = q * (2.44413 + q * (2.85619 + q * 1.26661)) / b0
        b2 = -q * q * (1.4281 + q * 1.26661) / b0
        b3 = 0.422205 * q * q * q / b0
        w[0] = w[-1] = w[-2] = $1
        whole = NF + 50 * sigma
        for (i = 1; i <= whole; i++)
            w[i] = (1 - b1 - b2 - b3) * $(i < NF ? i : NF) + b1 * w[i - 1] + b2 * w[i - 2] + b3 * w[i - 3]
        o[i] = o[i + 1] = o[i + 2] = $NF
        while (--i > 0)
            o[i] = (1 - b1 - b2 - b3) * w[i] + b1 * o[i + 1] + b2 * o[i + 2] + b3 * o[i + 3]
        for (i = 1; i <= NF; i++)
            printf "%d\n", o[i] + 0.5
    }'
}
line="$(awk 'BEGIN { for (i = 0; i < 39; i++) printf "%d ", i * 97 % 256; print 255 }')"
{ printf 'P5\n40 1\n255\n'; echo "$line" | tr ' ' '\n' | awk '{ printf "\\%03o", $1 }' | xargs -0 printf; } \
    >"$folder/line.pgm"
for sigma in 0.7 5 100; do
    blurred "$folder/line.pgm" 40x1 --variants recursive --sigma $sigma --radius 0
    is "recursive: a line by its equations, sigma $sigma" \
        "$(tail -c 40 "$folder/out.pgm" | od -A n -v -t u1 -w1 | tr -d ' ')" \
        "$(recursion $sigma "$line")"
done

{ printf 'P5\n37 33\n255\n'; head -c 1221 /dev/zero | tr '\0' 'M'; } >"$folder/constant.pgm"
blurred "$folder/constant.pgm" 37x33
ok 'a constant picture stays' cmp "$folder/constant.pgm" "$folder/out.pgm"
like 'recursive: it is off by nothing at all' "$(column note "$folder/rows.csv")" \
    'up to [0-9.]*e-1[0-9] levels from'
done_testing
