#!/bin/sh
# promise.t - lab 2: FP32's accuracy by the ways that matprod.t does not try, tensor_fp32's above all; and that
# bugs planted in each way are found by the promise's check.
. tests/tap.sh
program=$B/matprod
# shellcheck source=lab2_matprod/promise.sh
. lab2_matprod/promise.sh

if ! runs tensor_split_mma; then
    skip 'FP32 accuracy by the fastest way' "$(column note "$folder/rows.csv")"
elif [ -z "$only_hopper" ]; then
    accurate_alone tensor_fp32 '64 300x300x100' uniform 'in FP32, without tensor cores'
    skip 'which way tensor_fp32 takes, tensor_mixed' 'needs compute capability 9.0'
else
    accurate_alone tensor_fp32 '64 300x300x100' uniform 'in FP64: it is small, or k is short'
    # Small tiles, with and without parts of k, large ones, whole and in shares; one rounding of any data.
    for kind in uniform special cancel constant powers; do
        accurate_alone tensor_fp64 \
            '64 300x301x100 130x260x200 65x129x4097 100x200x5000 65x129x20000 700x650x600 1056 3000x2902x99' $kind ''
        is "$kind: each result is rounded once" \
            "$(column variant max_error "$folder/rows.csv" | awk -F , '
                $1 == "tensor_fp64" && !($2 <= 2 ^ -24 * (1 + 2 ^ -12))')" ''
    done
    # Few tiles, whose k is divided, and many; ends of a row that are judged, and that are not.
    for kind in uniform positive constant image cancel runs; do
        accurate_alone tensor_mixed '500x600x4096 1400x1500x4107 300x200x16500' $kind 'as FP16 and bytes'
    done
    accurate_alone tensor_mixed '1400x1500x3072 2100x2000x3107 1500x1300x4351' uniform 'as FP16 and bytes'
    accurate_alone tensor_mixed '500x600x4096 3000x2900x4100' normal "$uneven"
    accurate_alone tensor_mixed 500x600x4096 bytes "$exact"
    accurate_alone tensor_mixed 500x600x4096 special 'a number is out of range'
    accurate_alone tensor_mixed '500x600x3071 64x64x2000' uniform 'k is short'
    # Wide tiles, whose batches are of 64 of k from 4096 on.
    for kind in uniform positive phases bf16; do
        accurate_alone tensor_split '5100x3301x1024 4200x4300x2100 4200x4300x4096' $kind 'as FP16'
    done
    # Tiles whose k blocks share: of two parts and of more, with edges, exact sums and thirds.
    for kind in uniform positive constant image cancel; do
        accurate_alone tensor_split '1500x1600x700 1100x1101x8000 2500x2600x900' $kind 'as FP16'
    done
    for kind in uniform positive; do
        accurate_alone tensor_int8_slices '1500x1600x700 1100x1101x8000 2500x2600x900' $kind 'as int8 slices'
    done
    accurate_alone tensor_split 1500x1600x700 triangular "$uneven"
    accurate_alone tensor_int8_slices 1500x1600x700 special 'a number is out of range'
    # Large products go by a sample of the data, whose edges have a tile's part.
    large=5100x3301x4200
    accurate_alone tensor_fp32 '64 512 130x260x200' uniform 'in FP64: it is small'
    accurate_alone tensor_fp32 '640 1400x1500x777' uniform 'as FP16 parts'
    accurate_alone tensor_fp32 5100x3301x600 uniform 'as FP16 parts'
    for kind in uniform positive; do
        accurate_alone tensor_fp32 3000x2900x3700 "$kind" 'as int8 slices'
        accurate_alone tensor_fp32 $large "$kind" 'as FP16 and bytes'
    done
    for kind in normal normal_b; do
        accurate_alone tensor_fp32 "3000x2900x4096 $large" "$kind" 'as int8 slices'
    done
    accurate_alone tensor_fp32 3000x2900x4095 normal 'as FP16 parts'
    # Pairs of tiles, of digits below one another, of bytes beside one another, would be half empty.
    accurate_alone tensor_fp32 300x21800x4100 uniform 'as FP16 and bytes'
    accurate_alone tensor_fp32 21800x300x4100 uniform 'as int8 slices'
    accurate_alone tensor_fp32 '300x21800x4100 21800x300x4100' unmatched "$uneven"
    accurate_alone tensor_fp32 3000x2900x3200 uniform 'as int8 slices'
    accurate_alone tensor_split '100x31000x512 300x21800x512' uniform 'as FP16 parts'
    accurate_alone tensor_int8_slices 300x21800x1024 uniform 'as int8 slices'
    accurate_alone tensor_split 100x31000x512 cauchy "$uneven"
    accurate_alone tensor_fp32 $large outliers 'as FP16 parts'
    # One factor of FP16's numbers: by bytes from k of 4096 on.
    for kind in fp16_a bf16_a; do
        accurate_alone tensor_fp32 "3000x2900x4096 $large" $kind 'as FP16 and bytes of B'
    done
    for kind in fp16_b bytes_b; do
        accurate_alone tensor_fp32 "3000x2900x4096 $large" $kind 'as FP16 and bytes of A'
    done
    accurate_alone tensor_fp32 3000x2900x4095 fp16_b 'as FP16 parts of A'
    accurate_alone tensor_fp32 $large bytes 'as FP16 numbers'
    accurate_alone tensor_fp32 $large opposite "$uneven"
    accurate_alone tensor_fp32 $large special 'a number is out of range'
fi

# ---- bugs planted in each way --------------------------------------------------------------------

bugs='
low_parts_are_zero|fp16_parts.cuh|s/const __half2 both = .*/const __half2 both = __float2half2_rn(0);/|
low_by_low|fp16_parts.cuh|s/a \+ LOWS \+ k, b \+ k/a + LOWS + k, b + LOWS + k/|
low_by_low_by_mma|tensor_split_mma.cu|s/batch, a\[1\], b\[0\]/batch, a[1], b[1]/|
no_low_part_is_seen|fp16_parts.cuh|s/[xy]_seen->remainder .= .*/;/|
a_digit_is_dropped|int8_slices.cuh|/sums->low, a \+ k, b \+ STAGE/d|
middle_digits_by_half|int8_slices.cuh|s/0x1p-8f/0x1p-9f/|
a_spread_stays|split_scale.cuh|s/return fmaf\(x, fmaf\(-d, x, 1\), x\)/return 1/|
second_by_third|tensor_thirds.cuh|s/low, a, b, 1, 1\)/low, a, b, 1, 2)/|--data banded
third_by_third|tensor_thirds.cuh|s/low, a, b, 2, 0\)/low, a, b, 2, 2)/|--identity 1
first_by_second_twice|tensor_thirds.cuh|s/low, a, b, 0, 2\)/low, a, b, 0, 1)/|--data opposite
nothing_in_fp64|split_product.cuh|s/if \(taken == BY_FP64\)/if (taken == BY_INT8)/|--data special
half_a_slab_in_fp64|fp64_tile.cuh|s/k < FP64_K; k \+= 16/k < FP64_K - 16; k += 16/|--variants tensor_fp64
sums_are_off|fp64_tile.cuh|s/v\[j\] = \(float\)sums/v[j] = (1 + 0x1p-19f) * (float)sums/|--variants tensor_fp64 --data positive
a_part_is_left_out|fp64_tile.cuh|s/part < now.parts; part/part < now.parts - 1; part/|--variants tensor_fp64
a_group_is_left_out|fp64_small.cuh|s/other < SMALL_GROUPS/other < SMALL_GROUPS - 1/|--variants tensor_fp64 --sizes 500x400x300
a_part_of_k_is_left_out|fp64_small.cuh|s/part < parts; part/part < parts - 1; part/|--variants tensor_fp64 --sizes 130x260x200
rows_are_even|split_scale.cuh|s/return \(count >=/return false \& (count >=/|--data opposite
small_numbers_are_not_counted|fp16_parts.cuh|s/least < small/false/|--data unmatched
pairs_are_not_judged|split_pairs.cuh|s/return all.e2 > /return false \& all.e2 > /|--data features
a_share_is_left_out|split_shares.cuh|s/int part = 1; part < now.parts/int part = 2; part < now.parts/|--variants tensor_split
a_share_of_digits_is_left_out|split_shares.cuh|s/__stcg\(to \+ i/__stcg(to + 0 * i/|--variants tensor_int8_slices
low_bytes_are_dropped|mixed_parts.cuh|/sums, a \+ LOWS/d|--variants tensor_mixed --sizes 500x600x4096
rough_bytes_count_less|mixed_parts.cuh|s/UNIT = 1/UNIT = 0.9f/|--variants tensor_mixed --sizes 500x600x4096
an_fp16_step_is_dropped|mixed_parts.cuh|s/k < BATCH \/ 16/k < BATCH \/ 16 - 1/|--variants tensor_mixed --sizes 500x600x4096
one_low_part_is_dropped|one_low.cuh|s/IS_LOW \? byte_at_random\(rest\[j\]/IS_LOW ? byte_at_random(0/|--variants tensor_fp32 --data fp16_a --sizes 3000x2900x4096
rough_ones_count_less|one_low.cuh|s/one_low_parts::ROUGH, one/0.9f * one_low_parts::ROUGH, one/|--variants tensor_fp32 --data fp16_b --sizes 3000x2900x4096'
echo "$bugs" | sed 1d >"$folder/bugs"
is 'each bug changes its file' "$(while IFS='|' read -r name file script _; do
    sed -E "$script" "$root/lab2_matprod/$file" | cmp -s - "$root/lab2_matprod/$file" && echo "$name"
done <"$folder/bugs")" ''

if ! thorough; then # what follows builds the lab for each
    done_testing
    exit
fi

# plant NAME FILE SCRIPT OPTIONS: builds a copy with the bug, which the promise's check must find.
plant() {
    tree=$folder/planted/$1
    mkdir -p "$tree/$B" && cd "$root" && cp -a Makefile config.mk make common tools lab2_matprod "$tree" &&
        cd "$B" && cp -a build_flags common libcommon.a lab2_matprod "$tree/$B" && cd "$tree" || return 9
    sed -i -E "$3" "lab2_matprod/$2"
    ! cmp -s "lab2_matprod/$2" "$root/lab2_matprod/$2" || { echo 'changes nothing' && return 8; }
    "$MAKE" -s BACKEND="$BACKEND" lab2_matprod || return 7
    # shellcheck disable=SC2086  # options
    "$B/matprod" --check-only --variants "tensor_split_mma $only_hopper" --sizes '1000 1536' $4
    [ $? -eq 1 ]
}

if [ -n "$only_hopper" ]; then
    while IFS='|' read -r name file script options; do
        (plant "$name" "$file" "$script" "$options" >"$folder/$name" 2>&1 </dev/null
            echo $? >"$folder/$name.status") &
    done <"$folder/bugs"
    wait
    while IFS='|' read -r name _; do
        ok "a bug is wrong by the promise: $name" sh -c "tail -n 5 '$folder/$name'; exit $(cat "$folder/$name.status")"
    done <"$folder/bugs"
    rm -rf "$folder/planted"
else
    skip 'bugs in each way' 'needs compute capability 9.0'
fi
done_testing
