#!/bin/sh
# draw.sh - draws every figure for which a machine has results, as SVG and PNG, without a window.
#
#   plots/draw.sh [--results data/results] [--reference data/reference] [--tables DIR]
#                 [--out plots/figures] [--formats "svg png"] MACHINE
#   plots/draw.sh --compare --tables DIR [--out plots/figures] [--formats "svg png"] NAME
#
# A lab's CSV is looked for in RESULTS/MACHINE, then in REFERENCE/MACHINE; the figures go to
# OUT/MACHINE. The curves of 2012 come from REFERENCE/tesla-c2050. Where the machine measured no
# kernel (it has no GPU), the GPU's curves come from REFERENCE/nvidia-h200, if that is there, and the
# heading says so. Bars of labs 5 and 6 stand beside those of every other machine in REFERENCE that
# recorded the lab. README.md lists the figures.
#
# Figures of the analysis are drawn from the tables that analyse wrote into --tables; with --compare
# those of several machines, and no others, into OUT/NAME. --formats may hold pdf, too, which is left
# out where gnuplot has no cairo.
#
# Which figures were skipped, and why, is told on stderr. Exit status: 0; 1 when a figure or a file
# failed or the machine has no results; 2 for a wrong command line; 3 without gnuplot. GNUPLOT names
# another gnuplot.

set -u
LC_ALL=C
export LC_ALL
unset CDPATH

plots=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1
gnuplot=${GNUPLOT:-gnuplot}
tab=$(printf '\t')
failures=0
drawn=0

past=tesla-c2050
past_label='Tesla C2050, 2012'
recorded=nvidia-h200
recorded_label='H200 (recorded)'

say() {
    printf 'draw.sh: %s\n' "$*" >&2
}

usage() {
    say "$1"
    say 'usage: draw.sh [--results DIR] [--reference DIR] [--tables DIR] [--out DIR] [--formats LIST] MACHINE'
    say '       draw.sh --compare --tables DIR [--out DIR] [--formats LIST] NAME'
    exit 2
}

# Figures -------------------------------------------------------------------------------------------

# figure NAME SCRIPT ARGUMENT...: runs the script for each format; a failed figure leaves no file.
figure() {
    figure_name=$1
    script=$2
    shift 2
    remove "$figure_name"
    for format in $formats; do
        if (cd "$plots" && LC_ALL=C.UTF-8 "$gnuplot" -d -c "$script" "$work/figure.$format" "$@") </dev/null >&2 &&
            [ -s "$work/figure.$format" ]; then
            [ "$format" != pdf ] || undate "$work/figure.pdf"
            mv "$work/figure.$format" "$out/$figure_name.$format"
        else
            say "$figure_name.$format: $script failed"
            failures=$((failures + 1))
            return
        fi
    done
    drawn=$((drawn + 1))
}

# skip NAME REASON: says so, and removes what an earlier run drew.
skip() {
    say "$1 skipped: $2"
    remove "$1"
}

# remove NAME: what an earlier run drew, whatever formats it was asked for.
remove() {
    rm -f "$out/$1.svg" "$out/$1.png" "$out/$1.pdf"
}

# undate FILE: puts the epoch in the place of the date of a PDF, so that the same results give the same
# bytes. The length stays, on which the file's own index relies.
undate() {
    sed 's|^\( */CreationDate (D:\)[0-9]\{14\}|\119700101000000|' "$1" >"$1.undated" &&
        [ "$(wc -c <"$1.undated")" -eq "$(wc -c <"$1")" ] && mv "$1.undated" "$1"
}

# shellcheck source=plots/analysis.sh
. "$plots/analysis.sh"

# Rows ----------------------------------------------------------------------------------------------

columns=variant,kind,parameters,cache,width,height,block_x,block_y,time_s,speedup,gb_per_s,gflop_per_s
columns=$columns,end_to_end_s,parameters.type,parameters.transfer
filter=''

# select_rows SOURCE FILE WHERE: appends a file's rows, marked with their source, to $rows; only
# those that meet $filter, too. Rows of OpenMP scaling, with a number of CPU threads, are no part of
# these figures.
select_rows() {
    awk -v columns="$columns" -v where="parameters.cpu_threads=${3:+,$3}${filter:+,$filter}" \
        -f "$plots/select.awk" "$2" >"$work/selected" || return 1
    sed "s/^/$1$tab/" "$work/selected" >>"$rows"
}

# Whether $rows holds a measured kernel; says which variant the figures by block show.
block_variant() {
    awk -F '\t' '
        $1 == "now" && $3 == "gpu" && $10 > 0 && ($2 == "naive" || variant == "") { variant = $2 }
        END { print variant; exit variant == "" }' "$rows"
}

# Whether a file holds a measured kernel, $filter aside.
has_kernel() {
    awk -v columns=kind -v where='kind=gpu' -f "$plots/select.awk" "$1" | awk 'END { exit !NR }'
}

# read_rows LAB: fills $rows with what this machine measured, or, where it has no GPU, with its CPU's
# rows and the recorded kernels'. Sets $machine_label, $gpu_label, $speedup_label and $variant.
read_rows() {
    rows=$work/$1.all
    : >"$rows"
    own=$results/$machine/$1.csv
    [ -f "$own" ] || own=$reference/$machine/$1.csv
    if [ ! -f "$own" ]; then
        say "$1: no $1.csv for $machine"
        return 1
    fi
    if ! select_rows now "$own" ''; then
        failures=$((failures + 1))
        return 1
    fi
    machine_label=$machine
    gpu_label=$machine
    speedup_label=$machine
    if ! variant=$(block_variant) && ! has_kernel "$own"; then
        machine_label="CPU: $machine"
        file=$reference/$recorded/$1.csv
        if [ -f "$file" ]; then
            : >"$rows"
            select_rows now "$own" 'kind=cpu|vendor' &&
                select_rows now "$file" 'kind=gpu|vendor,variant!=cpu|cpu_omp|cpu_blas' ||
                failures=$((failures + 1))
            if variant=$(block_variant); then
                machine_label="GPU: $recorded_label, CPU: $machine"
                gpu_label=$recorded_label
                speedup_label="$recorded_label over its own CPU"
            fi
        fi
    fi
}

# collect LAB: fills $work/LAB.rows for the lab's figures of curves, and sets $past_key.
collect() {
    read_rows "$1" || return 1
    file=$reference/$past/$1.csv
    if [ "$machine" != "$past" ] && [ -f "$file" ]; then
        select_rows past "$file" '' || failures=$((failures + 1))
    fi
    past_key=$past_label
    [ "${variant:=naive}" = naive ] || past_key="$past_label, naive"
    awk -v name="$1" -f "$plots/conditions.awk" "$rows" >"$work/$1.rows" || return 1
}

# curves LAB FILE CURVE X Y: the points of a figure, sorted, to FILE; fails where there are none.
curves() {
    awk -v curve="$3" -v x="$4" -v y="$5" -v size="$size" -v only="$variant" \
        -f "$plots/series.awk" "$work/$1.rows" |
        sort -t "$tab" -k 1,1n -k 6,6 -k 2,2 -k 3,3n >"$2"
    grep -q "${tab}now$tab" "$2"
}

# Labs ----------------------------------------------------------------------------------------------

# by_variant LAB NAME Y WHAT Y_TITLE: each variant at its best block, against size.
by_variant() {
    if curves "$1" "$work/data" variant size "$3"; then
        figure "$2" single.gp "$work/data" "$title: $4, best block of each variant" \
            "$machine_label" "$axis" "$5" variant ''
    else
        skip "$2" "no measured rows with $4"
    fi
}

# by_block LAB LETTERS: time and speedup by block; LETTERS are those of figure 10's two panels.
by_block() {
    lab=${1%%_*}
    what="$title, $variant kernel"
    if curves "$1" "$work/data" block size time; then
        figure "${lab}_time_vs_size" single.gp "$work/data" "$what: time by block size" \
            "$machine_label" "$axis" 'time / s' block "$past_key"
    else
        skip "${lab}_time_vs_size" 'no measured rows'
    fi
    if curves "$1" "$work/${2% *}.tsv" block size speedup &&
        curves "$1" "$work/${2#* }.tsv" size threads speedup; then
        figure "${lab}_speedup_vs_size" single.gp "$work/${2% *}.tsv" \
            "$what: speedup against size" "$speedup_label" "$axis" "$speedup_title" block "$past_key"
        figure "${lab}_speedup_vs_block" single.gp "$work/${2#* }.tsv" \
            "$what: speedup against block size" "$speedup_label" "$block_title" "$speedup_title" \
            size "$past_key"
        printf '%s\n' "$what" "$axis" block >"$work/${2% *}.txt"
        printf '%s\n' "$what" "$block_title" size >"$work/${2#* }.txt"
        panels="$panels $2"
        [ "$past_key" = "$past_label" ] || past_panels=$past_key
        case $panel_machines in
        '' | "$speedup_label") panel_machines=$speedup_label ;;
        *) panel_machines="$machine or $recorded_label" ;;
        esac
    else
        skip "${lab}_speedup_vs_size" 'no kernel has a speedup'
        skip "${lab}_speedup_vs_block" 'no kernel has a speedup'
    fi
}

# bars LAB NAME FIGURE FILTER WHAT X_TITLE SCALE ASIDE: a figure of bars, of the rows that meet FILTER;
# bars.awk knows FIGURE, conditions.awk ASIDE. The size that was chosen follows WHAT in the heading.
bars() {
    filter=$4
    rm -f "$work/bars.tsv" "$work/rows.tsv" "$work/panels.txt" "$work/key.tsv"
    if ! read_rows "$1"; then
        filter=''
        skip "$2" "no results of $1"
        return
    fi
    for file in "$reference"/*/"$1.csv"; do
        name=${file%/*}
        name=${name##*/}
        case $name in
        "$machine" | "$recorded" | '*') ;;
        *) select_rows "$name" "$file" '' || failures=$((failures + 1)) ;;
        esac
    done
    filter=''
    if [ -n "$variant" ] &&
        awk -v name="$2" -v aside="$8" -f "$plots/conditions.awk" "$rows" >"$work/$1.rows" &&
        facts=$(now=$gpu_label awk -v figure="$3" -v folder="$work" \
            -f "$plots/text.awk" -f "$plots/layout.awk" -f "$plots/bars.awk" "$work/$1.rows"); then
        words=${facts#*"$tab"}
        figure "$2" bars.gp "$work" "$5, ${facts%%"$tab"*}" "$machine_label${words:+; $words}" "$6" "$7"
    else
        skip "$2" 'no measured rows for it, or of no common size'
    fi
}

# several_sizes LAB NAME FILTER: time of each variant against size, of the rows that meet FILTER.
several_sizes() {
    filter=$3
    if collect "$1"; then
        if curves "$1" "$work/data" variant size time &&
            [ "$(awk -F '\t' '$2 == "now" { print $3 }' "$work/data" | sort -u | wc -l)" -gt 1 ]; then
            by_variant "$1" "$2" time time 'time / s'
        else
            skip "$2" 'fewer than two sizes measured'
        fi
    else
        skip "$2" "no results of $1"
    fi
    filter=''
}

# missing LAB NAMES: whether the machine has no results of a lab, or broken ones; then its figures are
# skipped.
missing() {
    why="no results of $1"
    own=$results/$machine/$1.csv
    [ -f "$own" ] || own=$reference/$machine/$1.csv
    if [ ! -f "$own" ]; then
        say "$1: no $1.csv for $machine"
    elif awk -v columns="$columns" -f "$plots/select.awk" "$own" >/dev/null; then
        return 1
    else
        failures=$((failures + 1))
        why="$1.csv cannot be read"
    fi
    for name in $2; do
        skip "$name" "$why"
    done
}

# gaussian, banding: the figures of labs 5 and 6.
gaussian() {
    lab=lab5_gaussian size=pixels axis='image size / pixels'
    missing $lab 'lab5_cpu_gpu lab5_variants lab5_pixel_types lab5_transfers lab5_algorithms
        lab5_time_vs_size_variants lab5_time_vs_size_algorithms' && return
    gray='parameters.type=gray,parameters.transfer='
    floats='parameters.type=f32,parameters.transfer='
    title='Gaussian filter of gray pixels'
    bars $lab lab5_cpu_gpu cpu_gpu "$gray" "$title: CPU and GPU" 'time / ms' log ''
    bars $lab lab5_variants variants "$gray" "$title: each variant" 'time / ms' linear ''
    bars $lab lab5_pixel_types types 'parameters.type!=f32,parameters.transfer=' \
        'Gaussian filter: types of pixel' 'time / ms' linear type
    bars $lab lab5_transfers transfers 'parameters.type=gray,variant=naive' \
        "$title: ways of transfer" 'time / ms' linear transfer
    several_sizes $lab lab5_time_vs_size_variants "$gray"
    title='Gaussian filter of floats'
    bars $lab lab5_algorithms algorithms "$floats" "$title: algorithms" 'MPixel/s' log ''
    several_sizes $lab lab5_time_vs_size_algorithms "$floats"
}

banding() {
    lab=lab6_banding size=pixels axis='image size / pixels' title='Banding reduction, mode 1'
    missing $lab 'lab6_variants lab6_time_vs_size_variants' && return
    mode='parameters.mode=1,parameters.transfer='
    bars $lab lab6_variants banding "$mode" "$title" 'time / ms' linear ''
    several_sizes $lab lab6_time_vs_size_variants "$mode"
}

# lab LAB: all figures of one lab that come from its CSV.
lab() {
    case $1 in
    lab1_vecadd) title='Vector addition' size=width axis='length n' ;;
    lab2_matprod) title='Matrix product' size=width axis='matrix size N' ;;
    lab3_bilateral) title='Bilateral filter' size=pixels axis='image size / pixels' ;;
    lab4_template) title='Template matching' size=pixels axis='image size / pixels' ;;
    esac
    if ! collect "$1"; then
        for name in $2; do
            skip "$name" "no results of $1"
        done
        return
    fi
    case $1 in
    lab1_vecadd)
        by_variant "$1" lab1_time_vs_size time time 'time / s'
        by_variant "$1" lab1_bandwidth_vs_size gb 'memory bandwidth' 'GB/s'
        return
        ;;
    lab2_matprod)
        by_block "$1" 'a b'
        by_variant "$1" lab2_gflops_vs_size gflop 'arithmetic rate' 'GFLOP/s'
        ;;
    lab3_bilateral) by_block "$1" 'c d' ;;
    lab4_template) by_block "$1" 'e f' ;;
    esac
    by_variant "$1" "${1%%_*}_time_vs_size_variants" time time 'time / s'
}

# Pictures ------------------------------------------------------------------------------------------

# pnm FILE: prints width, height, length of the header and values a pixel of a binary 8-bit PGM or
# PPM; or fails.
pnm() {
    [ -f "$1" ] && od -A n -v -t u1 -N 512 "$1" | awk -v bytes="$(wc -c <"$1")" '
        { for (i = 1; i <= NF; i++) byte[n++] = $i }
        END {
            if (byte[0] != 80 || (byte[1] != 53 && byte[1] != 54))
                exit 1
            values = byte[1] == 53 ? 1 : 3
            for (at = 2; at < n && found < 3; at++) {
                if (byte[at] == 35) # a comment, to the end of its line
                    while (at < n && byte[at] != 10)
                        at++
                else if (byte[at] >= 48 && byte[at] <= 57) {
                    value = 0
                    while (byte[at] >= 48 && byte[at] <= 57)
                        value = 10 * value + byte[at++] - 48
                    number[++found] = value
                }
            }
            # The loop has stepped over the one white space that ends the header.
            if (found < 3 || number[3] != 255 || number[1] * number[2] == 0 ||
                bytes < at + values * number[1] * number[2])
                exit 1
            print number[1], number[2], at, values
        }'
}

# pgm FILE: the same, for gray pictures only.
pgm() {
    pnm "$1" | grep ' 1$'
}

# crop SHARE ABOVE WIDTH HEIGHT [X Y WIDTH HEIGHT]: the part of a picture to magnify; by default a
# SHARE of it each way, in the middle, with the share ABOVE of the rest above it.
crop() {
    echo "$@" | awk '
        function least(a, b) { return a < b ? a : b }
        function most(a, b) { return a > b ? a : b }
        {
            w = least($3, NF >= 8 ? most(int($7), 1) : most(24, int($3 * $1)))
            h = least($4, NF >= 8 ? most(int($8), 1) : most(18, int($3 * $1 * 3 / 4)))
            x = most(0, least($3 - w, NF >= 8 ? int($5) : int(($3 - w) / 2)))
            y = most(0, least($4 - h, NF >= 8 ? int($6) : int(($4 - h) * $2)))
            print x, y, w, h
        }'
}

# part FILE PICTURE_WIDTH HEIGHT HEADER VALUES X Y WIDTH HEIGHT: the gray values of a part of a
# picture, a row a line.
part() {
    od -A n -v -t u1 -j "$(($4 + $7 * $2 * $5))" -N "$(($9 * $2 * $5))" "$1" |
        awk -v picture="$2" -v values="$5" -v x="$6" -v width="$8" '
            BEGIN { # the weights of ITU-R BT.601
                weight[0] = values == 1 ? 1 : 0.299
                weight[1] = 0.587
                weight[2] = 0.114
            }
            {
                for (i = 1; i <= NF; i++) {
                    gray += weight[value] * $i
                    if (++value < values)
                        continue
                    if (column >= x && column < x + width)
                        line = line " " gray
                    gray = value = 0
                    if (++column == picture) {
                        print line
                        line = ""
                        column = 0
                    }
                }
            }'
}

# magnify [LOW CONTRAST]: rows of numbers larger, each pixel a square of them, so that no viewer blurs
# it. Gray LOW becomes black.
magnify() {
    awk -v low="${1:-0}" -v contrast="${2:-1}" '{
        times = int(400 / NF) + 1
        line = ""
        for (i = 1; i <= NF; i++) {
            gray = ($i - low) * contrast
            gray = gray < 0 ? 0 : gray > 255 ? 255 : int(gray + 0.5)
            for (k = 0; k < times; k++)
                line = line " " gray
        }
        for (k = 0; k < times; k++)
            print line
    }'
}

# show FILES CROP_FILE SHARE ABOVE: for pictures of these names (without .pgm or .ppm) that are there,
# lists names and facts in $names and $facts; copies them and writes their parts; sets $cropped.
show() {
    names='' facts='' cropped='' asked=$(head -n 1 "$folder/$2" 2>/dev/null)
    for name in $1; do
        for file in "$folder/$name.pgm" "$folder/$name.ppm"; do
            [ -f "$file" ] || continue
            if fact=$(pnm "$file"); then
                size=${fact% * *}
                # shellcheck disable=SC2086 # words
                [ -n "$cropped" ] || cropped=$(crop "$3" "$4" $size $asked)
                cp "$file" "$work/$name.pnm"
                # shellcheck disable=SC2086 # words
                part "$file" $fact $cropped >"$work/$name.part"
                names="$names $name" facts="$facts $fact"
                break
            fi
            say "${file##*/} is not a whole binary PGM or PPM of 8 bits"
        done
    done
}

# pictures: the filtered pictures side by side, and the dissimilarity map beside the match.
pictures() {
    folder=$results/$machine/pictures
    [ -d "$folder" ] || folder=$reference/$machine/pictures
    show 'bilateral_0 bilateral_1 bilateral_2 bilateral_3' bilateral_crop.txt 0.1 0.5
    case $names in
    ' bilateral_0 '*)
        for name in $names; do
            magnify <"$work/$name.part" >"$work/$name.txt"
        done
        figure lab3_pictures bilateral_pictures.gp "$work" "$names" "$facts" "$cropped" "$machine"
        ;;
    *) skip lab3_pictures 'no pictures/bilateral_0.pgm with a filtered one beside it' ;;
    esac

    if map=$(pgm "$folder/template_map.pgm") && input=$(pgm "$folder/template_input.pgm") &&
        match=$(awk 'NR == 1 && NF >= 4 && $0 !~ /[^0-9. \t\r]/ { print $1, $2, $3, $4; found = 1 }
            END { exit !found }' "$folder/template_match.txt" 2>/dev/null); then
        cp "$folder/template_map.pgm" "$folder/template_input.pgm" "$work"
        figure lab4_template_map template_map.gp "$work" "$map" "$input" "$match" "$machine"
    else
        skip lab4_template_map \
            'no whole pictures/template_map.pgm, template_input.pgm and template_match.txt'
    fi

    show 'banding_before banding_after' banding_crop.txt 0.3 0.1
    # shellcheck disable=SC2086 # words
    if [ "$names" = ' banding_before banding_after' ] && same_size $facts; then
        # What lies between the 1st and the 99th of a hundred grays before becomes black to white.
        stretch=$(tr -s ' ' '\n' <"$work/banding_before.part" | grep . | sort -n | awk '
            { gray[NR] = $1 }
            END {
                low = gray[int(NR / 100) + 1]
                range = gray[NR - int(NR / 100)] - low
                margin = range / 10 + 1
                print low - margin, int(10 * 255 / (range + 2 * margin)) / 10
            }')
        for name in $names; do
            # shellcheck disable=SC2086 # words
            magnify $stretch <"$work/$name.part" >"$work/$name.txt"
        done
        figure lab6_pictures banding_pictures.gp "$work" "$names" "$facts" "$cropped" "$machine" \
            "${stretch#* }"
    else
        skip lab6_pictures \
            'no whole pictures/banding_before and banding_after, .pgm or .ppm, of one size'
    fi
}

# same_size FACTS: whether two pictures are equally large.
same_size() {
    [ "$1x$2" = "$5x$6" ]
}

# Main ----------------------------------------------------------------------------------------------

results=$plots/../data/results
reference=$plots/../data/reference
out=$plots/figures
tables=''
formats='svg png'
compare=''
machine=''
while [ $# -gt 0 ]; do
    case $1 in
    --results | --reference | --tables | --out | --formats)
        [ $# -ge 2 ] || usage "$1 needs a value"
        case $1 in
        --results) results=$2 ;;
        --reference) reference=$2 ;;
        --tables) tables=$2 ;;
        --out) out=$2 ;;
        --formats) formats=$2 ;;
        esac
        shift
        ;;
    --compare) compare=1 ;;
    -h | --help)
        sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    -*) usage "unknown option '$1'" ;;
    *)
        [ -z "$machine" ] || usage 'one machine at a time'
        machine=$1
        ;;
    esac
    shift
done
case $machine in
'') usage 'which machine?' ;;
*/* | . | ..) usage "'$machine' is not the name of a folder in $results" ;;
esac
[ -z "$compare" ] || [ -n "$tables" ] || usage '--compare needs --tables'
for format in $formats; do
    case $format in
    svg | png | pdf) ;;
    *) usage "'$format' is no format: svg, png, pdf" ;;
    esac
done
if ! command -v "$gnuplot" >/dev/null 2>&1; then
    say 'gnuplot is missing: run "make setup" or "apt-get install gnuplot-nox", then draw again'
    exit 3
fi
case " $formats " in
*" pdf "*)
    if ! "$gnuplot" -e 'set print "-"; print GPVAL_TERMINALS' </dev/null 2>/dev/null | grep -q -w pdfcairo; then
        formats=$(echo " $formats " | sed 's/ pdf / /g')
    fi
    ;;
esac
if [ -z "$compare" ] && [ ! -d "$results/$machine" ] && [ ! -d "$reference/$machine" ]; then
    say "no results for '$machine' in $results or $reference"
    exit 1
fi

out=$out/$machine
mkdir -p "$out" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/draw.XXXXXX") || exit 1
work=$(cd "$work" && pwd) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

if [ -n "$compare" ]; then
    comparison
    say "$drawn figures in $out"
    [ "$failures" -eq 0 ]
    exit
fi

speedup_title='speedup over one CPU thread'
block_title='block size'
panels='' past_panels=$past_label panel_machines=''
lab lab1_vecadd 'lab1_time_vs_size lab1_bandwidth_vs_size'
for name in lab2_matprod lab3_bilateral lab4_template; do
    short=${name%%_*}
    lab "$name" "${short}_time_vs_size ${short}_time_vs_size_variants ${short}_speedup_vs_size
        ${short}_speedup_vs_block"
done
gaussian
banding
if [ -n "$panels" ]; then
    cat "$work"/[a-f].tsv | grep -q "${tab}past$tab" || past_panels=''
    figure figure10 figure10.gp "$work" "$panels" "$panel_machines" "$past_panels"
else
    skip figure10 'no kernel of labs 2 to 4 has a speedup'
fi
pictures
analysis

say "$drawn figures in $out"
[ "$failures" -eq 0 ]
