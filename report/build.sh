#!/bin/sh
# build.sh - writes a machine's report from its template, what analyse.sh made, and the figures.
#
#   sh report/build.sh --figures DIR --out OUT [--lang en|ja] [--template FILE.md] [--name report]
#                      [--formats "md html tex pdf"] [--short]
#
#   OUT/facts.csv, OUT/tables/    what analyse.sh made
#
#   OUT/report.md     for GitHub and every reader of Markdown
#   OUT/report.html   one file that holds its figures
#   OUT/report.pdf    through pdfLaTeX, or LuaLaTeX where letters need it
#   OUT/tex/*.tex     each table, for \input in a document of one's own; its headings are in English
#   OUT/figures/      the figures that the report shows, in every format there is
#
# In Japanese the names are report.ja.md, .html, .pdf (through LuaLaTeX) and figures.ja, and the
# figures come from DIR.ja. --template and --name write another text about the same tables.
# --short is for two pages: no table of contents, narrow margins, smaller figures. Without pandoc, LaTeX
# or a Japanese font a line on stderr tells what was not written. Exit status: 0; 1 where the template is
# wrong or a step failed; 2 for a wrong command line.

here=$(unset CDPATH && cd -- "$(dirname -- "$0")" && pwd) || exit 1
figures='' out='' lang=en template='' name=report formats=''
short='' options='figures out lang template name formats' flags='short'
# shellcheck source=tools/options.sh
. "$here/../tools/options.sh"
[ $# -eq 0 ] || refuse "'$1' is no option"
[ -n "$figures" ] || refuse 'needs --figures DIR'
[ -n "$out" ] || refuse 'needs --out OUT'
case $lang in
    en) suffix='' toc_label=Contents lines='' engine=pdflatex ;;
    ja) suffix=.ja toc_label=目次 lines=+east_asian_line_breaks engine=lualatex ;;
    *) refuse "--lang is en or ja, not '$lang'" ;;
esac
contents='' toc=--toc margin=2cm width=0.62 place=!htb
# The atlas has no text that could fill the pages around floats.
[ "$name" != atlas ] || contents=--toc width=0.52 margin=1.7cm place=H
[ -z "$short" ] || toc='' margin=1.6cm width=0.6
page=$name$suffix figures=$figures$suffix
: "${template:=$here/report.$lang.md}"
for file in "$template" "$out/facts.csv"; do
    [ -r "$file" ] || refuse "cannot read $file"
done

# expand TEMPLATE LANGUAGE [PREFIX [PAGE.md]]: its Markdown, with the labs' parts in the order of their
# numbers; with a page, which numbers its tables and figures have there.
expand() {
    text=$1 language=$2 before=${3:-} counting=${4:-}
    set -- "$here/lab.$language.md"
    for folder in $(cd "$here/.." && ls -vd lab*_*); do
        parts=$here/../$folder/report.$language.md
        [ -r "$parts" ] || parts=''
        set -- "$@" "${folder%%_*}" "$parts"
    done
    OUT=$out FIGURES=$figures awk -v labels="$here/labels.$language.tsv" -v lang="$language" \
        -v numbers="$work/numbers" -v prefix="$before" -v counting="$counting" \
        -f "$here/../tools/csv.awk" -f "$here/markdown.awk" -f "$here/expand.awk" "$text" "$@"
}

copy_figures() {
    mkdir -p "$out/figures$suffix" || return 1
    sed -n 's/^!\[.*](figures[.a-z]*\/\([A-Za-z0-9_]*\)\.png)$/\1/p' "$work/report.md" |
        while read -r shown; do
            cp "$figures/$shown".* "$out/figures$suffix/" || exit 1
        done
}

# to_page MARKDOWN FORMAT FILE OPTION...: through pandoc, where the figures are. It is read in
# GitHub's dialect, so that a page shows what GitHub does; names stay what they are.
to_page() {
    source=$1 format=$2 target=$3
    shift 3
    (cd "$out" && LC_ALL=C.UTF-8 pandoc \
        -f "gfm-autolink_bare_uris-emoji+tex_math_dollars+raw_attribute$lines" -t "$format" \
        --lua-filter "$here/page.lua" "$@" "$source" -o "$work/page") &&
        put "$work/page" "$out/$target"
}

write_md() {
    cp "$work/report.md" "$work/page" && put "$work/page" "$out/$page.md"
}

write_html() {
    embed=--self-contained # until pandoc 2.19
    ! pandoc --help | grep -q -e --embed-resources || embed='--standalone --embed-resources'
    # shellcheck disable=SC2086  # options, or none
    to_page "$work/report.md" html5 "$page.html" $embed $toc --template "$here/report.html" --mathml \
        --toc-depth 3 --columns 10000 -V lang="$lang" -V toc-label="$toc_label"
}

# japanese_font FORM: the first Japanese font whose name has that form, or the first of all.
japanese_font() {
    fc-list :lang=ja family 2>/dev/null | sort |
        awk -F , -v form="$1" 'NR == 1 || (!found && tolower($1) ~ form) {
            name = $1
            found = tolower($1) ~ form
        }
        END { print name }'
}

# strange_letters PAGE.md: the codes of those that pdfLaTeX does not set: neither Latin, nor punctuation and
# signs, nor named in report.tex.
strange_letters() {
    sed -n 's/.*DeclareUnicodeCharacter{\([^}]*\)}.*/0000\1/p' "$here/report.tex" >"$work/named"
    iconv -f UTF-8 -t UTF-32BE "$1" 2>/dev/null | od -A n -v -t x1 | tr -s ' ' '\n' | sed '/^$/d' |
        paste -d '\0' - - - - | tr a-f A-F | sort -u | grep -vxF -f "$work/named" |
        awk '$0 > "00000180" && ($0 < "00002000" || $0 > "00002BFF") && !/^0000FE0/ { sub(/^0+/, ""); print }' |
        paste -s -d ' ' -
}

# choose_engine: for letters of other scripts LuaLaTeX with $strange, a font that has them all. Without one
# they are question marks, which a line tells.
choose_engine() {
    letters=$(strange_letters "$work/report.md")
    [ -n "$letters" ] || return
    if command -v lualatex >/dev/null && kpsewhich luaotfload.sty >/dev/null; then
        strange=$(fc-list ":charset=$letters" family 2>/dev/null | sed 's/,.*//' | sort | tail -n 1)
    fi
    if [ -n "$strange" ]; then
        engine=lualatex
    else
        say "$page.pdf has ? for letters of other scripts, as no font here has them all for LaTeX: U+$(
            echo "$letters" | cut -d ' ' -f 1-4 | sed 's/ / U+/g'); $page.md has them"
    fi
}

# pdf_needs: what a PDF lacks here.
pdf_needs() {
    if ! command -v "$engine" >/dev/null; then
        echo "$engine"
    elif [ "$lang" = ja ] && ! kpsewhich luaotfload.sty >/dev/null; then
        echo 'texlive-luatex'
    elif [ "$lang" = ja ] && [ -z "$(japanese_font .)" ]; then
        echo 'a Japanese font, fonts-ipaexfont say'
    fi
}

write_pdf() {
    strange=''
    [ "$lang" = ja ] || choose_engine
    : >"$work/fonts.tex"
    [ "$lang" != ja ] || printf '\\newcommand{\\%s}{%s}\n' \
        mincho "$(japanese_font 'mincho|serif.* jp')" gothic "$(japanese_font 'gothic|sans.* jp')" \
        >"$work/fonts.tex"
    [ -z "$strange" ] || printf '\\newcommand{\\%s}{%s}\n' mincho "$strange" gothic "$strange" >"$work/fonts.tex"
    echo "\\setkeys{Gin}{width=$width\\linewidth}" >"$work/width.tex"
    # shellcheck disable=SC2086  # an option, or none
    to_page "$work/report.md" pdf "$page.pdf" $contents --standalone --quiet --pdf-engine "$engine" \
        --include-in-header "$work/fonts.tex" --include-in-header "$here/report.tex" \
        --include-in-header "$work/width.tex" \
        --shift-heading-level-by -1 --toc-depth 2 \
        -M lang="$lang" -M place="$place" -V papersize=a4 -V geometry:margin=$margin \
        -V colorlinks=true -V linkcolor=black -V urlcolor=black
}

# All tables in one run of pandoc, a mark before each.
write_tex() {
    # shellcheck disable=SC2016  # backticks of Markdown
    (cd "$out/tables" && printf '%s\n' *.csv) |
        sed '/^figure_/d; s/\.csv$//; s/.*/```{=latex}\n%%% &\n```\n\n{{table &}}\n/' \
            >"$work/tables.md"
    expand "$work/tables.md" en >"$work/all.md" && mkdir "$out/tex" &&
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

# A page's tables are numbered by themselves, the atlas's A.1 and so on; every page may refer to those.
: >"$work/numbers"
prefix=''
[ "$name" != atlas ] || prefix=A.
expand "$here/atlas.$lang.md" "$lang" A. "atlas$suffix.md" >"$work/count" &&
    expand "$template" "$lang" "$prefix" "$page.md" | sed "s/$page.md#/#/" >>"$work/count" || exit 1
mv "$work/count" "$work/numbers"
expand "$template" "$lang" "$prefix" >"$work/report.md" && copy_figures || exit 1
# What cannot be made here is told in one line; what an earlier run made of it would be out of date.
missing=''
for format in ${formats:-md html tex pdf}; do
    file=$page.$format needs=''
    [ "$format" != tex ] || file='tex/*.tex'
    case $format in
        md) ;;
        html | tex | pdf)
            pandoc --list-extensions=gfm 2>/dev/null | grep -q tex_math_dollars ||
                needs='pandoc 2.17 or later'
            [ "$format" != pdf ] || needs=${needs:-$(pdf_needs)}
            ;;
        *) refuse "unknown format '$format'" ;;
    esac
    rm -rf "${out:?}/${file%/*}"
    if [ -n "$needs" ]; then
        missing="$missing${missing:+, }$file (needs $needs)"
    elif "write_$format"; then
        echo "$out/$file"
    else
        say "$file was not written"
        exit 1
    fi
done
[ -z "$missing" ] ||
    say "not written: $missing; make setup-report installs what they need"
