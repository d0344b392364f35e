#!/bin/sh
# build.sh - writes a machine's report from its template, tables, facts and figures.
#
#   sh report/build.sh --tables DIR --facts FILE.csv --figures DIR --out DIR [--lang en|ja]
#                      [--template FILE.md] [--name report] [--formats "md html pdf tex"]
#
#   OUT/report.md     for GitHub and every reader of Markdown
#   OUT/report.html   one file that holds its figures
#   OUT/report.pdf    through pdfLaTeX; in English only
#   OUT/tex/*.tex     each table, for \input in a document of one's own; its headings are in English
#   OUT/figures/      the figures that the report shows, in every format there is
#
# In Japanese the names are report.ja.md and report.ja.html. --template and --name write another text
# about the same tables. A template that uses no facts needs no --facts. Without pandoc or pdflatex a line on
# stderr tells what was not written. Exit status: 0; 1 where the template is wrong or a step failed;
# 2 for a wrong command line.

set -u
LC_ALL=C
export LC_ALL
unset CDPATH

here=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1

say() {
    printf 'build.sh: %s\n' "$*" >&2
}

usage() {
    say "$1; build.sh --help tells more"
    exit 2
}

# Command line --------------------------------------------------------------------------------------

tables='' facts='' figures='' out='' lang=en template='' name=report formats=''
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
    esac
    [ $# -gt 1 ] || usage "$1 needs a value"
    case $1 in
        --tables) tables=$2 ;;
        --facts) facts=$2 ;;
        --figures) figures=$2 ;;
        --out) out=$2 ;;
        --lang) lang=$2 ;;
        --template) template=$2 ;;
        --name) name=$2 ;;
        --formats) formats=$2 ;;
        *) usage "unknown option $1" ;;
    esac
    shift 2
done
for given in "tables$tables" "figures$figures" "out$out"; do
    case $given in tables | figures | out) usage "--$given is missing" ;; esac
done
case $name in
    '' | */* | .*) usage "'$name' is not a file's name" ;;
esac
case $lang in
    en) page=$name toc_label=Contents lines='' ;;
    ja) page=$name.ja toc_label=目次 lines=+east_asian_line_breaks ;;
    *) usage "--lang is en or ja, not '$lang'" ;;
esac
[ -n "$template" ] || template=$here/report.$lang.md
if [ -z "$formats" ]; then
    formats='md html tex'
    [ "$lang" = ja ] || formats="$formats pdf"
fi
for format in $formats; do
    case $format in
        md | html | tex) ;;
        pdf) [ "$lang" = en ] || usage 'the PDF is in English only' ;;
        *) usage "unknown format '$format'" ;;
    esac
done
for file in "$template" ${facts:+"$facts"}; do
    [ -r "$file" ] || usage "cannot read $file"
done
mkdir -p "$out/figures" || exit 1
if [ "$(cd "$figures" 2>/dev/null && pwd)" = "$(cd "$out/figures" && pwd)" ]; then
    usage '--figures is OUT/figures, which is for copies'
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

wanted() {
    case " $formats " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

# Markdown ------------------------------------------------------------------------------------------

# A file's text without the bytes that are not UTF-8. iconv's status then is 1.
utf8() {
    iconv -c -f UTF-8 -t UTF-8 "$1" || [ $? -eq 1 ]
}

# expand FORMAT: the template's text to standard output.
expand() {
    awk -v tables="$tables" -v facts="$facts" -v figures="$figures" -v lang="$lang" -v format="$1" \
        -v labels="$here/labels.$lang.tsv" \
        -f "$here/../tools/csv.awk" -f "$here/table.awk" -f "$here/expand.awk" "$template" "$template" >"$work/expanded" || return 1
    utf8 "$work/expanded"
}

# The figures that a Markdown file shows, by name.
shown_figures() {
    sed -n 's/^!\[.*](figures\/\([A-Za-z0-9_]*\)\.png)$/\1/p' "$1" | sort -u
}

write_md() {
    cp "$work/report.md" "$out/$page.md"
}

copy_figures() {
    for shown in $(shown_figures "$work/report.md"); do
        for extension in png svg pdf; do
            rm -f "$out/figures/$shown.$extension"
            [ ! -f "$figures/$shown.$extension" ] || cp "$figures/$shown.$extension" "$out/figures/" || return 1
        done
    done
}

# LaTeX fragments -----------------------------------------------------------------------------------

write_tex() {
    mkdir -p "$out/tex" && rm -f "$out/tex"/*.tex || return 1
    for table in "$tables"/*.csv; do
        fragment=$(basename "$table" .csv)
        awk -v table="$table" -v name="$fragment" -v labels="$here/labels.en.tsv" \
            -f "$here/../tools/csv.awk" -f "$here/table.awk" -f "$here/fragment.awk" >"$work/fragment" || continue
        utf8 "$work/fragment" >"$out/tex/$fragment.tex" || return 1
    done
}

# Pages ---------------------------------------------------------------------------------------------

# GitHub's Markdown, so that a page shows what GitHub does; names stay what they are.
dialect=gfm-autolink_bare_uris-emoji+tex_math_dollars+yaml_metadata_block

# smaller FILE OTHER: whether FILE is there and not the larger of the two.
smaller() {
    [ -f "$1" ] && [ "$(wc -c <"$1")" -le "$(wc -c <"$2")" ]
}

# page_source FORMAT: the Markdown for pandoc in $work/FORMAT.md, its figures in the form that suits
# the page: HTML takes the SVG of curves and bars, which is sharp and small, and the PNG of pictures,
# whose SVG is larger; LaTeX the PDF where there is one.
page_source() {
    expand "$1" >"$work/page.md" || return 1
    mkdir -p "$work/figures"
    : >"$work/rename.sed"
    for shown in $(shown_figures "$work/page.md"); do
        extension=png
        case $1 in
            html) smaller "$figures/$shown.svg" "$figures/$shown.png" && extension=svg ;;
            tex) [ ! -f "$figures/$shown.pdf" ] || extension=pdf ;;
        esac
        cp "$figures/$shown.$extension" "$work/figures/" || return 1
        echo "/^!\\[/s|](figures/$shown\\.png)\$|](figures/$shown.$extension)|" >>"$work/rename.sed"
    done
    sed -f "$work/rename.sed" "$work/page.md" >"$work/$1.md"
}

write_html() {
    page_source html || return 1
    embed=--self-contained # until pandoc 2.19
    if pandoc --help | grep -q -e --embed-resources; then
        embed='--standalone --embed-resources'
    fi
    # shellcheck disable=SC2086  # two options
    (cd "$work" && LC_ALL=C.UTF-8 pandoc -f "$dialect$lines" -t html5 $embed --template "$here/report.html" --mathml --toc \
        --toc-depth 3 --columns 10000 -V lang="$lang" -V toc-label="$toc_label" html.md -o page.html) &&
        mv "$work/page.html" "$out/$page.html"
}

write_pdf() {
    page_source tex || return 1
    (cd "$work" && LC_ALL=C.UTF-8 pandoc -f "$dialect+raw_attribute" -t latex --standalone --quiet --pdf-engine pdflatex \
        --lua-filter "$here/columns.lua" --include-in-header "$here/report.tex" --shift-heading-level-by -1 \
        --toc --toc-depth 2 -M lang="$lang" -V papersize=a4 -V geometry:margin=2.4cm \
        -V colorlinks=true -V linkcolor=black -V urlcolor=black tex.md -o page.pdf) &&
        mv "$work/page.pdf" "$out/$page.pdf"
}

# What cannot be made here is told in one line; what an earlier run made of it would be out of date.
missing=''
lacks() {
    missing="$missing${missing:+, }$page.$1 (needs $2)"
    rm -f "$out/$page.$1"
}

# make_page FORMAT NAME: writes OUT/NAME and says so.
make_page() {
    if "write_$1"; then
        echo "$out/$2"
    else
        say "$2 was not written"
        exit 1
    fi
}

have_pandoc() {
    pandoc --list-extensions=gfm 2>/dev/null | grep -q tex_math_dollars
}

expand md >"$work/report.md" || exit 1
copy_figures || exit 1
! wanted md || make_page md "$page.md"
! wanted tex || make_page tex 'tex/*.tex'
if wanted html; then
    if have_pandoc; then make_page html "$page.html"; else lacks html 'pandoc 2.17 or later'; fi
fi
if wanted pdf; then
    if have_pandoc && command -v pdflatex >/dev/null 2>&1; then
        make_page pdf "$page.pdf"
    else
        lacks pdf 'pandoc 2.17 or later and pdflatex'
    fi
fi
[ -z "$missing" ] || say "not written: $missing; make setup-report installs what they need"
