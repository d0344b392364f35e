# shellcheck shell=sh disable=SC2034,SC2154  # set for, and by, who sources it
# promise.sh - FP32's accuracy on tensor cores, for matprod.t and promise.t, which source it.
#
# On a GPU of compute capability 9.0; tensor_split_mma alone on others from 8.0 on.
#
# The promise, against cuBLAS in the same run: the largest error is no larger than cuBLAS's or 4 u,
# the median no larger than cuBLAS's or u. What must be exact the check itself demands.

accurate_sizes='512 700x900x2000 1400x1500x777'

# keeps_promise KIND VARIANT=WAY...: in the rows; a way is a part of the note, of all sizes.
keeps_promise() {
    kind=$1
    shift
    is "$late$kind numbers have FP32's accuracy: $*" \
        "$(column variant max_error width height note "$folder/rows.csv" | awk -F , \
            -v ways="$(printf '%s|' "$@")" -v sizes="$(echo "$accurate_sizes" | wc -w)" '
            BEGIN { u = 2 ^ -24; n = split(ways, part, "|") - 1
                    for (i = 1; i <= n; i++) { split(part[i], w, "="); way[w[1]] = w[2] } }
            match($5, /median error [-0-9.e+]*/) { median = substr($5, RSTART + 13, RLENGTH - 13) }
            $1 == "cublas" { max[$3, $4] = $2; middle[$3, $4] = median; next }
            { line[++rows] = $0; size[rows] = $3 SUBSEP $4; largest[rows] = $2; own[rows] = median }
            way[$1] != "" && !index($0, way[$1]) { print "not " way[$1] ": " $0 }
            function most(x, y) { return x + 0 > y ? x + 0 : y }
            END {
                if (rows != sizes * n)
                    print rows + 0 " rows of " sizes * n
                for (i = 1; i <= rows; i++)
                    if (!(size[i] in max) || largest[i] + 0 > most(max[size[i]], 4 * u) ||
                        own[i] + 0 > most(middle[size[i]], u))
                        print line[i]
            }')" ''
}

# runs VARIANT: can it? Else the row's note says why not.
runs() {
    "$program" --sizes 128 --variants "$1" --check-only --fresh --csv "$folder/rows.csv" \
        >"$folder/out" 2>&1
    [ "$(column status "$folder/rows.csv")" != skipped ]
}

late='' only_hopper=''
! runs tensor_split || only_hopper='tensor_split tensor_int8_slices'
# accurate_alone VARIANT SIZES KIND WAY: tensor_mixed, which takes long k, or tensor_fp32, which takes the
# way by itself.
accurate_alone() {
    usual=$accurate_sizes accurate_sizes=$2
    ok "$late$1: $3 numbers pass, $2" "$program" --data "$3" --sizes "$2" --check-only --fresh \
        --variants "cublas $1" --csv "$folder/rows.csv"
    keeps_promise "$3" "$1=$4"
    accurate_sizes=$usual
}

uneven='little beside its largest' exact='sums may be exact' # why thirds, or FP64
