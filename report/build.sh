#!/bin/sh
# build.sh - writes a machine's report from its template, what analyse.sh made, and the figures.
#
#   sh report/build.sh --figures DIR --out OUT [--lang en|ja] [--template FILE.md] [--name report]
#                      [--formats "md html pdf tex"]
#
#   OUT/results.db    what analyse.sh made: facts and tables
#   OUT/report.md     for GitHub and every reader of Markdown
#   OUT/report.html   one file that holds its figures
#   OUT/report.pdf    through pdfLaTeX; in English only
#   OUT/tex/*.tex     each table, for \input in a document of one's own; its headings are in English
#   OUT/figures/      the figures that the report shows, in every format there is
#
# In Japanese the names are report.ja.md and report.ja.html. --template and --name write another
# text about the same tables. Without pandoc or pdflatex a line on stderr tells what was not
# written. Exit status: 0; 1 where the template is wrong or a step failed; 2 for a wrong command
# line.

set -u
LC_ALL=C
export LC_ALL
unset CDPATH

here=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1

refuse() {
    printf 'build.sh: %s\n' "$1" >&2
    exit 2
}

figures='' out='' lang=en template='' name=report formats=''
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || refuse "$1 needs a value"
    case $1 in
        --figures) figures=$2 ;;
        --out) out=$2 ;;
        --lang) lang=$2 ;;
        --template) template=$2 ;;
        --name) name=$2 ;;
        --formats) formats=$2 ;;
        *) refuse "unknown option $1" ;;
    esac
    shift 2
done
for given in "figures$figures" "out$out"; do
    case $given in figures | out) refuse "--$given is missing" ;; esac
done
case $lang in
    en) page=$name toc_label=Contents lines='' ;;
    ja) page=$name.ja toc_label=目次 lines=+east_asian_line_breaks ;;
    *) refuse "--lang is en or ja, not '$lang'" ;;
esac
[ -n "$template" ] || template=$here/report.$lang.md
if [ -z "$formats" ]; then
    formats='md html tex'
    [ "$lang" = ja ] || formats="$formats pdf"
fi
for file in "$template" "$out/results.db"; do
    [ -r "$file" ] || refuse "cannot read $file"
done
command -v sqlite3 >/dev/null || refuse 'the report needs sqlite3; make setup installs it'
DB=$(cd "$out" && pwd)/results.db
export DB

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# expand TEMPLATE LANGUAGE: its Markdown, without bytes that are not UTF-8.
expand() {
    HOME=$work awk -v root="$here/.." -v figures="$figures" -v labels="$here/labels.$2.tsv" \
        -v lang="$2" -f "$here/markdown.awk" -f "$here/expand.awk" "$1" >"$work/expanded" ||
        return 1
    iconv -c -f UTF-8 -t UTF-8 "$work/expanded" || [ $? -eq 1 ]
}

copy_figures() {
    mkdir -p "$out/figures" || return 1
    sed -n 's/^!\[.*](figures\/\([A-Za-z0-9_]*\)\.png)$/\1/p' "$work/report.md" |
        while read -r shown; do
            for extension in png svg pdf; do
                from=$figures/$shown.$extension
                [ ! -f "$from" ] || cp "$from" "$out/figures/" || exit 1
            done
        done
}

# GitHub's Markdown, so that a page shows what GitHub does; names stay what they are.
dialect=gfm-autolink_bare_uris-emoji+tex_math_dollars+raw_attribute

# to_page MARKDOWN FORMAT FILE OPTION...: through pandoc, where the figures are.
to_page() {
    source=$1 format=$2 target=$3
    shift 3
    (cd "$out" && LC_ALL=C.UTF-8 pandoc -f "$dialect$lines" -t "$format" \
        --lua-filter "$here/page.lua" "$@" "$source" -o "$work/page") &&
        mv "$work/page" "$out/$target"
}

write_md() {
    cp "$work/report.md" "$out/$page.md"
}

write_html() {
    embed=--self-contained # until pandoc 2.19
    if pandoc --help | grep -q -e --embed-resources; then
        embed='--standalone --embed-resources'
    fi
    # shellcheck disable=SC2086  # two options
    to_page "$work/report.md" html5 "$page.html" $embed --template "$here/report.html" --mathml \
        --toc --toc-depth 3 --columns 10000 -V lang="$lang" -V toc-label="$toc_label"
}

write_pdf() {
    to_page "$work/report.md" pdf "$page.pdf" --standalone --quiet --pdf-engine pdflatex \
        --include-in-header "$here/report.tex" --shift-heading-level-by -1 --toc --toc-depth 2 \
        -M lang="$lang" -V papersize=a4 -V geometry:margin=2.2cm \
        -V colorlinks=true -V linkcolor=black -V urlcolor=black
}

# All tables in one run of pandoc, a mark before each.
write_tex() {
    sqlite3 -readonly "$DB" "select name from filled where name not glob 'figure_*' order by name" \
        >"$work/names" || return 1
    while read -r table; do
        # shellcheck disable=SC2016  # backticks of Markdown
        printf '```{=latex}\n%%%%%% %s\n```\n\n{{table %s}}\n\n' "$table" "$table"
    done <"$work/names" >"$work/tables.md"
    expand "$work/tables.md" en >"$work/all.md" && rm -rf "$out/tex" && mkdir "$out/tex" &&
        to_page "$work/all.md" latex tex/all || return 1
    awk -v out="$out/tex" '
        /^%%% / {
            close(file)
            file = out "/" $2 ".tex"
            print "% " $2 ".tex, written by make report: \\input{" $2 "}. In the preamble:" >file
            print "% \\usepackage[T1]{fontenc}, \\usepackage{longtable,booktabs,array,calc}." >file
            next
        }
        { print >file }' "$out/tex/all" && rm "$out/tex/all"
}

# What cannot be made here is told in one line; what an earlier run made of it would be out of date.
missing=''
lacks() {
    missing="$missing${missing:+, }$1 (needs $2)"
}

make_page() {
    if "write_$1"; then
        echo "$out/$2"
    else
        printf 'build.sh: %s was not written\n' "$2" >&2
        exit 1
    fi
}

expand "$template" "$lang" >"$work/report.md" && copy_figures || exit 1
for format in $formats; do
    file=$page.$format
    [ "$format" != tex ] || file='tex/*.tex'
    [ "$format" = md ] || rm -f "$out/$page.$format"
    case $format in
        md) make_page md "$file" ;;
        html | tex | pdf)
            if ! pandoc --list-extensions=gfm 2>/dev/null | grep -q tex_math_dollars; then
                lacks "$file" 'pandoc 2.17 or later'
            elif [ "$format" = pdf ] && ! command -v pdflatex >/dev/null; then
                lacks "$file" pdflatex
            else
                make_page "$format" "$file"
            fi
            ;;
        *) refuse "unknown format '$format'" ;;
    esac
done
[ -z "$missing" ] ||
    printf 'build.sh: not written: %s; make setup-report installs what they need\n' "$missing" >&2
