#!/bin/sh
# draw.sh - draws the figures of a machine, as SVG and PNG, without a window.
#
#   sh plots/draw.sh [--results data/results] --labs LABS.csv [--tables DIR] [--out plots/figures]
#                    [--formats "svg png"] MACHINE
#   sh plots/draw.sh --compare --labs LABS.csv --tables DIR [--out ...] [--formats ...] NAME
#
# What is drawn stands in tables: plots/figures.tsv, of the whole, and LAB/figures.tsv of each lab;
# a lab without one gets the figures of plots/default.tsv. README.md tells what their columns mean.
# The figures go to OUT/MACHINE. tools/stand_in.sh says whose rows tell of the machine, of its GPU
# and of the past. LABS.csv is what the programs say of themselves (--describe). Figures of a
# select are drawn from the tables that report/analyse.sh wrote into --tables, with --compare those
# of several machines. One that was drawn from the same files stays. --formats may hold
# pdf, too, which is left out where gnuplot has no cairo.
#
# Which figures were left out, and why, is told on stderr. Exit status: 0; 1 when a figure failed;
# 2 for a wrong command line or a machine without results; 3 without gnuplot. GNUPLOT names another
# gnuplot.

set -u
LC_ALL=C
export LC_ALL
unset CDPATH

plots=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1
root=$(dirname -- "$plots")
gnuplot=${GNUPLOT:-gnuplot}

say() {
    printf 'draw.sh: %s\n' "$*" >&2
}

refuse() {
    say "$1"
    exit 2
}

results=$root/data/results out=$plots/figures
labs='' tables='' formats='svg png' compare='' machine=''
while [ $# -gt 0 ]; do
    case $1 in
        --compare) compare=yes && shift && continue ;;
        -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit 0 ;;
        --*) [ $# -gt 1 ] || refuse "$1 needs a value" ;;
        *)
            [ -z "$machine" ] || refuse 'one machine at a time'
            machine=$1 && shift && continue
            ;;
    esac
    case $1 in
        --results) results=$2 ;;
        --labs) labs=$2 ;;
        --tables) tables=$2 ;;
        --out) out=$2 ;;
        --formats) formats=$2 ;;
        *) refuse "unknown option '$1'; --help lists them" ;;
    esac
    shift 2
done
case $machine in '' | */* | .*) refuse "'$machine' is not the name of a machine's folder" ;; esac
[ -r "$labs" ] || refuse "cannot read '$labs', what --labs names"
[ -z "$compare" ] || [ -n "$tables" ] || refuse '--compare needs --tables'
for format in $formats; do
    case $format in svg | png | pdf) ;; *) refuse "'$format' is no format: svg, png, pdf" ;; esac
done
if ! command -v "$gnuplot" >/dev/null 2>&1; then
    say 'gnuplot is missing: run "make setup" or "apt-get install gnuplot-nox", then draw again'
    exit 3
fi
"$gnuplot" -e 'set print "-"; print GPVAL_TERMINALS' </dev/null 2>/dev/null |
    grep -q -w pdfcairo || formats=$(echo " $formats " | sed 's/ pdf / /')

absolute() {
    (cd -- "$1" 2>/dev/null && pwd) || echo "$1"
}

own='' gpu='' past=''
if [ -z "$compare" ]; then
    folders=$(sh "$root/tools/stand_in.sh" --results "$(absolute "$results")" "$machine") || exit 2
    own=$(echo "$folders" | sed -n 1p)
    gpu=$(echo "$folders" | sed -n 2p)
    past=$(echo "$folders" | sed -n 3p)
fi
labs=$(absolute "$(dirname -- "$labs")")/$(basename -- "$labs")
[ -z "$tables" ] || tables=$(absolute "$tables")
out=$out/$machine
mkdir -p "$out/.drawn" && out=$(absolute "$out") || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/draw.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# The labs that have rows of 2012 and of the machine.
labs_of_past=$(for csv in "$past"/lab*.csv; do
    [ ! -f "$own/${csv##*/}" ] || basename "$csv" .csv
done | tr '\n' ' ')

# settings FILE: the variables of a figure's script, in gnuplot's words. In single quotes only a
# single quote means something to gnuplot; two stand for one, but not at the beginning.
settings() {
    sed "s/'/''/g; s/^\([a-z_]*\)=\(.*\)/\1 = ' \2'[2:*]/" <<END
output=$1
root=$root
labs=$labs
own=$own
gpu=$gpu
past=$past
pictures=$own/pictures
table=$tables/$source.csv
labs_of_past=$labs_of_past
machine=$machine
gpu_name=$(basename -- "$gpu")
past_name=Tesla C2050, 2012
lab=$lab
title=$title
x=$x
y=$y
curve=$curve
filter=$filter
END
    echo "load '$script'"
}

# What a figure is drawn from, as a number.
fingerprint() {
    {
        settings "$formats"
        cat "$plots"/*.gp "$labs"
        case $source in
            rows) cat "$own/${lab:-lab}"*.csv "$gpu/${lab:-lab}"*.csv ;;
            pictures) cat "$own"/pictures/* ;;
            ?*) cat "$tables/$source.csv" ;;
        esac
    } 2>/dev/null | cksum
}

# draw FORMAT: runs the script; the figure goes to $work. gnuplot's status 4 is that of a figure
# that has nothing to draw. The date of a PDF becomes the epoch, so that the same results give the
# same bytes; its length stays, on which the file's own index relies.
draw() {
    settings "$work/$name.$1" >"$work/$1.gp"
    # (Left alone, gnuplot takes a blank for a decimal point in some locales.)
    (cd "$plots" && LC_ALL=C.UTF-8 "$gnuplot" -d "$work/$1.gp") </dev/null >"$work/$1.said" 2>&1
    echo $? >"$work/$1.status"
    [ "$1" != pdf ] || sed -i 's|^\( */CreationDate (D:\)[0-9]\{14\}|\119700101000000|' \
        "$work/$name.pdf"
}

# leave_out NAME REASON: says so, and removes what an earlier run drew.
leave_out() {
    say "$1 left out: $2"
    rm -f "$out/$1.svg" "$out/$1.png" "$out/$1.pdf" "$out/.drawn/$1"
}

# is_there PATH REASON: whether it is; or the figure is left out for that reason.
is_there() {
    [ -e "$1" ] || ! leave_out "$name" "$2"
}

drawn=0 kept=0 failures=0 without_tables=''

are_there() {
    for format in $formats; do
        [ -s "$out/$name.$format" ] || return 1
    done
}

# figure: draws the figure whose words a line of a table holds, all formats at a time.
figure() {
    case $source:$tables in
        rows:* | :*) ;;
        pictures:*) is_there "$own/pictures" 'no pictures; make pictures writes them' || return ;;
        *:) without_tables="$without_tables $name" && return ;;
        *) is_there "$tables/$source.csv" "there is no table $source" || return ;;
    esac
    print=$(fingerprint)
    if [ "$(cat "$out/.drawn/$name" 2>/dev/null)" = "$print" ] && are_there; then
        kept=$((kept + 1))
        return
    fi
    for format in $formats; do
        draw "$format" &
    done
    wait
    for format in $formats; do
        case $(cat "$work/$format.status") in
            0) mv "$work/$name.$format" "$out/$name.$format" ;;
            4) leave_out "$name" "$(sed -n 's/^nothing: //p' "$work/$format.said")" && return ;;
            *)
                say "$name.$format: $script failed: $(grep . "$work/$format.said" | tail -n 1)"
                failures=$((failures + 1))
                return
                ;;
        esac
    done
    sed -n "s/^note: /draw.sh: $name: /p" "$work/$format.said" >&2
    echo "$print" >"$out/.drawn/$name"
    drawn=$((drawn + 1))
}

# figures TABLE LAB: all figures of a table; LAB is empty for those of the whole. A name that begins
# with {lab} is one for each lab, lab2 for lab2_matprod.
figures() {
    lab=$2
    # `read` takes several tabs for one; another character is not a blank to it.
    tr '\t' '\037' <"$1" >"$work/figures"
    while IFS=$(printf '\037') read -r name script source x y curve filter title; do
        case $lab:$name in
            *: | *:\#* | *:name | :*"{lab}"*) continue ;;
            *"{lab}"*) name=${name%%"{lab}"*}${lab%%_*}${name##*"{lab}"} ;;
            ?*) [ -z "$compare" ] || [ -z "$lab" ] || continue ;;
        esac
        figure </dev/null
    done <"$work/figures"
}

whole=figures.tsv
[ -z "$compare" ] || whole=compare.tsv
figures "$plots/$whole" ''
for folder in "$root"/lab*_*/; do
    lab=$(basename "$folder")
    table=$folder/figures.tsv
    [ -f "$table" ] || table=$plots/default.tsv
    if [ -n "$compare" ]; then
        figures "$plots/compare.tsv" "$lab"
    elif [ -f "$own/$lab.csv" ]; then
        figures "$table" "$lab"
    else
        say "$lab: no rows of $machine"
        rm -f "$out/${lab%%_*}_"* "$out/.drawn/${lab%%_*}_"*
    fi
done
[ -z "$without_tables" ] \
    || say "left out, as they need sqlite3 and the tables of report/analyse.sh:$without_tables"
say "$drawn figures drawn, $kept as they were, in $out"
[ "$failures" -eq 0 ]
