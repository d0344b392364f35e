#!/bin/sh
# drawings.t - the drawings of the labs' rungs: there is one for each kernel, and it is what the sources'
# constants give; a README is read in one sitting. (What READMEs say of rows is for report/report.t.)
. tests/tap.sh
"$MAKE" -s BACKEND="$BACKEND" "$B/labs.csv" >/dev/null || exit 1 # of all labs

# draw LAB FOLDER: from where it is called.
draw() {
    mkdir -p "$2" && awk -v lab="$1" -v out="$2" -f "$root/report/rungs.awk" -f "$root/report/drawings.awk"
}

for table in lab*_*/drawings.tsv; do
    lab=${table%/*} program=${table#*_}
    program=$B/${program%/*}
    "$program" --list | awk '$2 == "gpu" { print $1 }' | sort >"$folder/kernels"
    is "$lab: each kernel has a line in drawings.tsv" \
        "$(awk -F '\t' 'NF == 13 && $1 != "rung" { print $1 }' "$table" | sort)" "$(cat "$folder/kernels")"
    ok "$lab: its drawings are made" draw "$lab" "$folder/drawn"
    for readme in "$lab/README.md" "$lab/README.ja.md"; do
        is "$readme shows all of them" \
            "$(sed -n 's/^<!-- rungs\{0,1\} \([a-z0-9_ ]*\) -->$/\1/p' "$readme" | tr ' ' '\n' | sort)" "$(cat "$folder/kernels")"
    done
done
for readme in lab*_*/README.md; do
    ok "$readme has 1500 words at most" test "$(wc -w <"$readme")" -le 1500
done
ok 'docs/drawings has these, and no others; make drawings takes what is new' \
    diff -r "$folder/drawn" docs/drawings
is 'none has more than 8 KiB' "$(find docs/drawings -size +16)" ''
is 'no text reaches the one beside it' "$(grep -lE 'x="12" y="[0-9]*">[^<]{43}' docs/drawings/*.svg)" ''

# A changed constant changes the drawings of the kernels that have it, and no others.
mkdir "$folder/copy" && cp -R lab2_matprod "$folder/copy"
sed -i 's/constexpr int DEPTH_2D = 8/constexpr int DEPTH_2D = 4 * 4/' "$folder/copy/lab2_matprod/matprod.cu"
(cd "$folder/copy" && draw lab2_matprod drawn)
is 'a deeper slab changes two drawings' \
    "$(cd "$folder/copy/drawn" && for file in *; do cmp -s "$file" "$root/docs/drawings/$file" || echo "$file"; done)" \
    'lab2_register_tile_2d.svg
lab2_vector_loads.svg'
like 'which say so' "$(cat "$folder/copy/drawn/lab2_register_tile_2d.svg")" 'reads 16 steps of k at a time'

# Expressions: whole numbers in a source, others in the table; a name of two files, or of none.
mkdir "$folder/copy/lab9_new" && cd "$folder/copy" || exit 1
printf '%s\n' 'constexpr int WIDE = 7, HALF = WIDE / 2 * 2; /* SIDE = 3 */ // SIDE = 4' \
    'enum { ROUNDED = (WIDE + 3) / 4 * 4, SIDE = WIDE > 6 ? 8 : 16 };' \
    'constexpr tiling large = {.rows = 128, .columns = 2 * SIDE};' \
    '    .single = {.size = "64", .block = "16x8", .trials = "3"},' >lab9_new/new.cu
echo 'enum { SIDE = 5 };' >lab9_new/new.h
# value EXPRESSION
value() {
    awk -v lab=lab9_new -f "$root/report/rungs.awk" -f /dev/stdin 2>&1 <<END
BEGIN {
    read_constants(lab)
    print short(value_of("$1"))
}
END
}
is 'are as C and as arithmetic have them' \
    "$(for text in HALF WIDE/2 ROUNDED new.cu:SIDE new.h:SIDE+1 large.rows/large.columns \
        'block.x * block.y' lanes.y 'int(7/2) * (1 - 3)'; do value "$text"; done | tr '\n' ' ')" \
    '6 3.5 8 8 6 8 128 2 -6 '
like 'a name of two files has to say which' "$(value SIDE)" 'SIDE: not one of new.cu and new.h'
like 'and one of none is an error' "$(value NOWHERE)" 'NOWHERE: no constant'
printf 'set\tA\t1\nshort\t1\t2\n' >lab9_new/drawings.tsv
like 'a rung that lacks columns is named' \
    "$(echo 'BEGIN { read_rungs("lab9_new") }' | awk -f "$root/report/rungs.awk" -f /dev/stdin 2>&1)" \
    'lab9_new/drawings.tsv: short: 3 columns, not 13'
cd "$root" || exit 1
done_testing
