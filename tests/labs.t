#!/bin/sh
# labs.t - every variant of every lab against its CPU reference, at sizes that no block divides.
# The programs tell what there is to be tested. LABS=lab2_matprod tests one lab only.
# shellcheck disable=SC2016  # backticks of Markdown
. tests/tap.sh
: "${LABS:=$(echo lab*_*/ | tr -d /)}"

# described COLUMN: what the program says of itself.
described() {
    column "$1" "$folder/described.csv"
}

for lab in $LABS; do
    program=$B/${lab#*_}
    "$program" --describe >"$folder/described.csv"
    is "$lab: the program knows its name" "$(described lab)" "$lab"
    case $(described sizes_are) in
    vector) sizes='1 2 3 4 5 7 8 9 31 33 127 1000 65537' ;;
    image) sizes='64x64 67x65 97x71' ;;
    *) sizes='1 2 3 4 5 7 8 9 15 16 17 33 61' ;;
    esac
    blocks='1 2 3 4 5 7 8 16 32 32x8 8x32 1x32 64x1 3x5 1x1024'
    [ "$(described block_dimensions)" = 2 ] || blocks='1 2 4 8 16 31 32 100 256 1024'
    # `make test` leaves out sizes that tell what others of them tell.
    thorough || case $sizes in
    *x*) sizes='67x65 97x71' ;;
    *) sizes=$(echo "$sizes" | sed 's/ 3 4 5 7 8 / 3 8 /; s/ 31 33 127 / 33 /; s/ 15 16 17 33 / 17 33 /') ;;
    esac
    many=''
    case $sizes in *\ 65537) many=65537 sizes=${sizes% *} ;; esac # more blocks than a grid has rows
    [ -z "$many" ] || sweeps "$lab, many blocks" "$program" "$many" '1 1024' --full
    sweeps "$lab" "$program" "$sizes" "$blocks" --full
    awk '$2 == "gpus" { print $1 }' "$folder/list" >"$folder/several" # whose rows ranks.t wants
    is "$lab: a multiprocessor's threads are those of its blocks, in whole warps" \
        "$(column kind threads_per_block blocks_per_sm threads_per_sm "$folder/rows.csv" |
            awk -F , '$1 == "gpu" && $3 != "" && $4 != $3 * 32 * int(($2 + 31) / 32)' | head -n 3)" ''
    column variant "$folder/rows.csv" | sort -u | grep -v -x -F -f "$folder/several" \
        >"$folder/with_rows"
    is "$lab: every variant has rows" "$(cat "$folder/with_rows")" \
        "$(awk '$2 != "gpus" { print $1 }' "$folder/list" | sort)"
    column variant status note "$folder/rows.csv" | awk -F , '
        !/which this build lacks|the caches would answer|needs --/ { ran[$1] += $2 == "ok" }
        END { for (v in ran) if (!ran[v]) print v }' >"$folder/never"
    is "$lab: every variant of this build ran" "$(cat "$folder/never")" ''

    # The documents name what there is: README.md all kernels and libraries, the lab's own all variants.
    for language in '' .ja; do
        grep -q "^| \[$lab\]" README$language.md || continue # a lab of one's own
        is "$lab: README$language.md has its kernels" \
            "$(grep "^| \[$lab\]" README$language.md | grep -o '`[a-z0-9_]*`' | tr -d '`' | sort)" \
            "$(awk '$2 == "gpu" || $2 == "vendor" { print $1 }' "$folder/list" | sort)"
        grep '^|' "$lab/README$language.md" | grep -o '`[a-z0-9_]*`' | tr -d '`' | sort -u >"$folder/named"
        is "$lab: its README$language.md names all variants" \
            "$(awk '{ print $1 }' "$folder/list" | sort | grep -vxF -f "$folder/named")" ''
    done
done
done_testing
