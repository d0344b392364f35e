#!/bin/sh
# draw.sh - draws the figures of a machine, as SVG and PNG, without a window.
#
#   sh plots/draw.sh [--results data/results] --labs LABS.csv [--tables DIR] [--out plots/figures]
#                    [--formats "svg png"] [--lang en] [--list FILE] MACHINE
#   sh plots/draw.sh --compare --labs LABS.csv --tables DIR [--out ...] [--formats ...] NAME
#
# What is drawn stands in tables: plots/figures.tsv, of the whole, and LAB/figures.tsv of each lab;
# a lab without one gets the figures of plots/default.tsv; or in --list, and no others. README.md tells
# what their columns mean. The figures go to OUT/MACHINE, in another language (--lang xx) to
# OUT/MACHINE.xx, with the texts of plots/words.xx.tsv, a phrase and a tab before each.
# tools/stand_in.sh says whose rows tell of the machine and of its GPU. LABS.csv is what the programs say of themselves (--describe). Rows are
# drawn from the tables that report/analyse.sh wrote into --tables, with --compare those of several
# machines. Where all that they were drawn from is as it was, they stay. --formats may hold pdf,
# too, which is left out where gnuplot has no cairo.
#
# Which figures were left out, and why, is told on stderr. Exit status: 0; 1 when a figure failed;
# 2 for a wrong command line or a machine without results; 3 without gnuplot. GNUPLOT names another
# gnuplot.

plots=$(unset CDPATH && cd -- "$(dirname -- "$0")" && pwd) || exit 1
root=$(dirname -- "$plots")
gnuplot=${GNUPLOT:-gnuplot}
results=$root/data/results out=$plots/figures labs='' tables='' formats='svg png' lang=en list='' compare=''
options='results labs tables out formats lang list' flags='compare'
# shellcheck source=tools/options.sh
. "$root/tools/options.sh"
[ $# -le 1 ] || refuse 'one machine at a time'
machine=${1:-}
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

words=$plots/words.$lang.tsv
[ -f "$words" ] || words=''
[ "$lang" = en ] || [ -n "$words" ] || refuse "there are no words for --lang $lang"
if [ -n "$words" ] && command -v fc-list >/dev/null && [ -z "$(fc-list ":lang=$lang")" ]; then
    say "no font has the letters of --lang $lang (make setup-report installs a Japanese one): the
figures' words stay English"
    words=''
fi

own='' gpu=''
if [ -z "$compare" ]; then
    folders=$(sh "$root/tools/stand_in.sh" --results "$results" "$machine") || exit 2
    { read -r own && read -r gpu; } <<END
$folders
END
fi
out=$out/$machine
[ "$lang" = en ] || out=$out.$lang
mkdir -p "$out" || exit 1

# fingerprint: of all that figures are drawn from, and of those that are there.
fingerprint() {
    {
        echo "$formats $words $tables"
        ls "$out"
        cat "$plots"/*.* "$root"/lab*_*/*.tsv "$root"/lab*_*/README.md "$labs" \
            "$own"/pictures/* "$tables"/figure_*.csv
    } 2>/dev/null | cksum
}
if [ "$(cat "$out/.drawn_from" 2>/dev/null)" = "$(fingerprint)" ]; then
    say "the figures in $out are those of these results"
    exit 0
fi

# settings FILE: the variables of a figure's script, in gnuplot's words. In single quotes only a
# single quote means something to gnuplot; two stand for one, but not at the beginning.
settings() {
    sed "s/'/''/g; s/^\([a-z_]*\)=\(.*\)/\1 = ' \2'[2:*]/" <<END
output=$1
plots=$plots
root=$root
labs=$labs
own=$own
gpu=$gpu
table=$tables/$source.csv
words_file=$words
machine=$machine
gpu_name=$(basename -- "$gpu")
past_name=Tesla C2050, 2012
lab=$lab
script=$script
title=$title
x=$x
y=$y
curve=$curve
filter=$filter
set loadpath plots
load "style.gp"
load script
END
}

# draw FORMAT: the figure, in $work; the status is gnuplot's.
draw() {
    settings "$work/$name.$1" >"$work/$1.gp"
    # (Left alone, gnuplot takes a blank for a decimal point in some locales. pango takes the
    # language's own letters where several have one code.)
    LC_ALL=C.UTF-8 PANGO_LANGUAGE=$lang "$gnuplot" -d "$work/$1.gp"
}

# The text of a point under the mouse (gnuplot's hypertext) becomes the title that browsers show, of
# as many lines as it has; other titles, gnuplot's own, would be shown, too.
with_titles() {
    sed "s|<title>[^<]*</title>||g
        s|<g onmousemove=\"gnuplot_svg.showHypertext(evt,'\(.*\)')\" [^>]*>|<g><title>\1</title>|
        /^[[:blank:]]*<g><title>/s|\\\\n|\\
|g" "$1"
}

# leave_out REASON: says so, and removes what an earlier run drew. Few machines have the rows of a
# figure that is not `missed`.
leave_out() {
    [ -z "$missed" ] || say "$name left out: $1"
    rm -f "$out/$name.svg" "$out/$name.png" "$out/$name.pdf"
}

drawn=0 failures=0 without_tables=''

# figure: draws the figure whose words a line of a table holds, all formats at a time. A script that
# has nothing to draw ends with status 4.
figure() {
    missed=yes
    case $source in *'?') missed='' source=${source%?} ;; esac
    case $source:$tables in
        pictures:* | :*) ;;
        *:) without_tables="$without_tables $name" && return ;;
        *) [ -f "$tables/$source.csv" ] || { leave_out "there is no table $source" && return; } ;;
    esac
    jobs='' status=0
    for format in $formats; do
        draw "$format" >"$work/$format.said" 2>&1 &
        jobs="$jobs $!"
    done
    for job in $jobs; do
        wait "$job" || status=$?
    done
    case $status in
        0)
            for format in $formats; do
                [ "$format" != svg ] || { with_titles "$work/$name.svg" >"$work/titled" &&
                    mv "$work/titled" "$work/$name.svg"; }
                put "$work/$name.$format" "$out/$name.$format"
            done
            sed -n "s/^note: /draw.sh: $name: /p" "$work/$format.said" >&2
            drawn=$((drawn + 1))
            ;;
        4) leave_out "$(sed -n 's/^nothing: //p' "$work/$format.said")" ;;
        *)
            say "$name: $script failed: $(grep -h . "$work"/*.said | tail -n 1)"
            failures=$((failures + 1))
            ;;
    esac
}

# figures TABLE LAB: all figures of a table; LAB is empty for those of the whole. {lab} in a name is
# lab2 for lab2_matprod.
figures() {
    lab=$2
    # `read` takes several tabs for one; another character is not a blank to it.
    tr '\t' '\037' <"$1" >"$work/figures"
    while IFS=$(printf '\037') read -r name script source x y curve filter title; do
        case $name in name | \#*) continue ;; esac
        name=$(echo "$name" | sed "s/{lab}/${lab%%_*}/")
        figure </dev/null
    done <"$work/figures"
}

whole=${list:-$plots/figures.tsv}
[ -z "$compare" ] || whole=${list:-$plots/compare.tsv}
figures "$whole" ''
for lab in $(cd "$root" && ls -vd lab*_*); do # by number
    [ -z "$list" ] || break
    table=$root/$lab/figures.tsv
    [ -f "$table" ] || table=$plots/default.tsv
    if [ -n "$compare" ]; then
        figures "$plots/compare_lab.tsv" "$lab"
    elif [ -f "$own/$lab.csv" ]; then
        figures "$table" "$lab"
    else
        say "$lab: no rows of $machine"
        rm -f "$out/${lab%%_*}_"*
    fi
done
[ -z "$without_tables" ] \
    || say "left out, as they need sqlite3 and the tables of report/analyse.sh:$without_tables"
say "$drawn figures drawn, in $out"
[ "$failures" -eq 0 ] && fingerprint >"$out/.drawn_from"
