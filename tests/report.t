#!/bin/sh
# report.t - from a template, tables and facts to the report: Markdown, HTML, PDF and LaTeX tables.
# shellcheck disable=SC2016 # backticks are Markdown's here, and dollars LaTeX's
# shellcheck source=tests/tap.sh
. tests/tap.sh

tables=$folder/tables
figures=$folder/figures
mkdir -p "$tables" "$figures"

# A name that is markup, a link, HTML, maths, LaTeX and a table's end, if anyone takes it for that.
hostile='<b>*x*</b> [l](http://h.invalid/) `c` _u_ $a_1$ \textbf{z} a|b www.h.invalid m@h.invalid ~~s~~ &lt; # % ^ --no {y} "q"'

# quoted TEXT: as a CSV field
quoted() {
    printf '"%s"' "$(printf '%s\n' "$1" | sed 's/"/""/g')"
}

printf 'name,value,source\nmachine,my-card,run.json:1\ngain,4.2,a.csv:2\nflag,1,a.csv:2\nvariant,shared_tile,a.csv:3\nhostile,%s,a.csv:4\n' \
    "$(quoted "$hostile")" >"$folder/facts.csv"
printf 'variant,time_ms,mine\r\nnaive,10,a\r\nshared_tile,9.5,\r\n"a,b",,"says ""hi""\r\nand goes on"\r\n' >"$tables/small.csv"
printf 'lab,rows\n' >"$tables/empty.csv"
{
    echo lab,status,count,variant,where,note
    printf 'lab2_matprod,wrong,3,%s,1024 16x16,%s\n' "$(quoted "$hostile")" "$(quoted "$hostile $hostile
second line, 100 %, × · µ ² 漢字 $(printf '\377')")"
    printf '%s,failed,1,"- item","# heading","1. one"\n' "$(quoted '\input{/etc/passwd}')"
} >"$tables/problems.csv"
awk 'BEGIN {
    print "variant,block,threads_per_block,registers,shared_bytes,local_bytes,constant_bytes,blocks_per_sm," \
        "warps_per_sm,threads_per_sm,occupancy_percent,limiter,time_ms"
    for (i = 1; i <= 57; i++)
        print "constant_template,32x32,1024,32,16384,0,65536,2,64,2048,100,registers and warps," i * 1.37
}' >"$tables/wide.csv"
cp docs/report/figures/lab1_time_vs_size.png "$figures/curve.png"
cat >"$figures/curve.svg" <<'END'
<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" viewBox="0 0 400 300"><rect width="400" height="300" fill="#36c"/></svg>
END

# expand AWK [-v NAME=VALUE]... : the template on standard input
expand() {
    expand_awk=$1
    shift
    cat >"$folder/t.md"
    # shellcheck disable=SC2086  # `busybox awk` is two words
    $expand_awk -v tables="$tables" -v facts="$folder/facts.csv" -v figures="$figures" -v labels=report/labels.en.tsv "$@" \
        -f tools/csv.awk -f report/table.awk -f report/expand.awk "$folder/t.md" "$folder/t.md"
}

# expands NAME EXPECTED [-v ...]: the template on standard input, with the system's awk
expands() {
    expands_name=$1
    expands_to=$2
    shift 2
    is "$expands_name" "$(expand awk "$@")" "$expands_to"
}

# wrong NAME PATTERN: the template on standard input is refused, its file and line named
wrong() {
    cat >"$folder/wrong.md"
    refuses "$1" 1 "t.md:$2" sh -c 'cp "$1" "$2"; shift 2; "$@"' - "$folder/wrong.md" "$folder/t.md" \
        awk -v tables="$tables" -v facts="$folder/facts.csv" -v figures="$figures" -v labels=report/labels.en.tsv \
        -f tools/csv.awk -f report/table.awk -f report/expand.awk "$folder/t.md" "$folder/t.md"
}

# The language ----------------------------------------------------------------------------------------

expands 'a fact is put in; in backticks it is code' 'On my-card 4.2 times, `shared_tile`, shared\_tile' <<'END'
On {{machine}} {{gain}} times, `{{variant}}`, {{variant}}
END

expands 'if, else and end, nested, on lines of their own' 'one
three
four' <<'END'
{{if flag}}
one
{{if absent}}
two
{{if flag}}
two, too
{{else}}
nor this
{{end}}
{{else}}
three
{{end}}
{{else}}
{{if flag}}
never
{{end}}
{{end}}
{{if !absent}}
four
{{end}}
END

expands 'and within a line, or from one line into another' 'It is so, and more.
After.
 Then.
Last.' <<'END'
It is so{{if flag}}, and {{if absent}}less{{else}}more{{end}}{{end}}.
After.{{if absent}} Gone
and {{absent}} gone.{{end}}{{if flag}} Then.{{end}}
Last.
END

expands 'blank lines around what is left out become one' 'a

b' <<'END'

a

{{if absent}}
x

{{end}}

b
END

expands 'but in a code block they stay' '```
a


b
```' <<'END'
```
a


b
```
END

expands 'a table, its labels, numbers to the right' '| variant | time / ms | mine |
|:---|---:|:---|
| naive | 10 | a |
| shared\_tile | 9.5 |  |
| a,b |  | says "hi" and goes on |' <<'END'
{{table small}}
END

expands 'columns that are asked for, in that order' '| time / ms | variant |
|---:|:---|
| 10 | naive |
| 9.5 | shared\_tile |
|  | a,b |' <<'END'
{{table small time_ms variant}}
END

expands 'Japanese labels' '| 時間 / ms |
|---:|
| 10 |
| 9.5 |
|  |' -v lang=ja -v labels=report/labels.ja.tsv <<'END'
{{table small time_ms}}
END

expands 'a table that is missing or empty' '*(not measured)*

*(not measured)*' <<'END'
{{table none}}

{{table empty}}
END

expands 'and a figure; in Japanese' '*（未計測）*

*（図なし）*' -v lang=ja <<'END'
{{table none}}

{{figure none What it would show}}
END

expands 'a figure and its caption, with facts' '![Time on my-card, `shared_tile`](figures/curve.png)

*Time on my-card, `shared_tile`*' <<'END'
{{figure curve Time on {{machine}}{{if absent}}!{{end}}, `{{variant}}`}}
END

expands 'tables and figures as conditions' 'yes
yes
yes
yes' <<'END'
{{if table:small}}
yes
{{end}}
{{if table:empty}}
no
{{end}}
{{if !table:none}}
yes
{{end}}
{{if figure:curve}}
yes
{{end}}
{{if !figure:none}}
yes
{{end}}
END

expands 'of several conditions all must hold' 'both
not all' <<'END'
{{if flag table:small !absent}}
both
{{end}}
{{if flag absent}}
{{else}}
not all
{{end}}
END

wrong 'an unknown fact names template and line' "2: there is no fact 'gian'" <<'END'
On {{machine}}
{{gian}}
END
wrong 'an if without end names its line' '2: .*if.* without' <<'END'
a
{{if flag}}
{{if flag}}
{{end}}
b
END
wrong 'an end without if' '1: .*end.* without' <<'END'
{{end}}
END
wrong 'a second else' '3: a second' <<'END'
{{if flag}}
{{else}}
{{else}}
{{end}}
END
wrong 'an unknown column' "1: the table small has no column 'times'" <<'END'
{{table small times}}
END
wrong 'an unknown directive' "1: '.*' is not a directive" <<'END'
{{tabel small}}
END
wrong 'a table within a line' '1: .*line of its own' <<'END'
See {{table small}}
END
wrong 'a directive that is not closed' '1: ' <<'END'
{{machine
END
is 'an unknown fact in what is left out is none of its business' "$(printf '{{if absent}}\n{{gian}}\n{{end}}\nx\n' | expand awk)" x

printf '%s\n' '# Title {{hostile}}' '{{hostile}}' '{{table problems}}' '{{table wide}}' '{{figure curve C}}' >"$folder/all.md"
for format in md html tex; do
    expand awk -v format=$format <"$folder/all.md" >"$folder/expected"
    for other in gawk mawk 'busybox awk' original-awk; do
        if command -v "${other%% *}" >/dev/null 2>&1; then
            expand "$other" -v format=$format <"$folder/all.md" >"$folder/got"
            ok "$other expands to the same $format" cmp "$folder/got" "$folder/expected"
        else
            skip "$other expands to the same $format" "no $other"
        fi
    done
done

# Hostile names ---------------------------------------------------------------------------------------

dialect=gfm-autolink_bare_uris-emoji+tex_math_dollars
have_pandoc=''
if pandoc --list-extensions=gfm 2>/dev/null | grep -q tex_math_dollars; then have_pandoc=1; fi

# plain FILE: the HTML's text
plain() {
    sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' "$1"
}

# no_markup FILE: whether an HTML file holds paragraphs, tables, spans and nothing else
no_markup() {
    ! sed -E 's/<\/?(p|span|table|thead|tbody|tr|th|td)( (align|style|class)="[^"]*")*>//g' "$1" | grep '<'
}

echo '{{hostile}}' | expand awk >"$folder/hostile.md"
expand awk >"$folder/cells.md" <<'END'
{{table problems variant}}
END
expand awk -v lang=en >"$folder/starts.md" <<'END'
{{table problems where}}
END
if [ -n "$have_pandoc" ]; then
    pandoc -f "$dialect" -t html --wrap none --mathml "$folder/hostile.md" >"$folder/hostile.html"
    is 'a hostile name is text to pandoc' "$(plain "$folder/hostile.html")" "$hostile"
    ok 'and nothing else' no_markup "$folder/hostile.html"
    pandoc -f "$dialect" -t html --wrap none --mathml --columns 10000 "$folder/cells.md" >"$folder/cells.html"
    is 'so it is in a table' "$(plain "$folder/cells.html" | sed -n '/textbf/p')" "$hostile"
    ok 'and nothing else there' no_markup "$folder/cells.html"
else
    skip 'a hostile name is text to pandoc' 'no pandoc'
fi
if command -v cmark-gfm >/dev/null 2>&1; then
    for file in hostile cells; do
        cmark-gfm --unsafe -e autolink -e table -e strikethrough "$folder/$file.md" >"$folder/$file.cmark.html"
        is "$file: text to GitHub's reader" "$(plain "$folder/$file.cmark.html" | sed -n '/textbf/p')" "$hostile"
        ok "$file: and nothing else" no_markup "$folder/$file.cmark.html"
    done
else
    skip "a hostile name is text to GitHub's reader" 'no cmark-gfm'
fi
for start in '- item' '# heading' '1. one' '+ plus' '> quote' '=== rule' ':::'; do
    printf 'name,value\nx,%s\n' "$start" >"$folder/start.csv"
    if [ -n "$have_pandoc" ]; then
        is "'$start' at a line's start is text" "$(echo '{{x}}' | expand awk -v facts="$folder/start.csv" |
            pandoc -f "$dialect" -t html --wrap none)" "<p>$(echo "$start" | sed 's/>/\&gt;/')</p>"
    else
        skip "'$start' at a line's start is text" 'no pandoc'
    fi
done

# The report ------------------------------------------------------------------------------------------

cat >"$folder/own.md" <<'END'
# A report on {{machine}}

It is {{hostile}}, and `{{hostile}}`. See [what is wrong](#wrong).

## Results × · µ 10⁻⁵ ≤ σ²

Inline $x^2$, and

$$S(N) = \frac{1}{(1-P) + P/N}$$

{{table small}}

{{figure curve The curve of `{{variant}}`}}

{{figure none}}

| memory | where | size | speed | who sees it |
|---|---|---|---|---|
| global memory | device memory, through L1 and L2 | all of it | slow; best when the threads of a warp read neighbours | all threads and the host |

## Wrong

{{table wide}}

{{table problems}}
END

# build OUT [OPTION...]
build() {
    build_out=$1
    shift
    sh report/build.sh --tables "$tables" --facts "$folder/facts.csv" --figures "$figures" --out "$build_out" \
        --template "$folder/own.md" "$@"
}

refuses 'an option without a value' 2 'needs a value' sh report/build.sh --tables
refuses 'an unknown language' 2 'en or ja' sh report/build.sh --tables t --figures f --out o --lang de

out=$folder/out
ok 'Markdown and LaTeX tables are written' build "$out" --formats 'md tex'
like 'the title' "$(head -n 1 "$out/report.md")" '^# A report on my-card$'
ok 'the figures that it shows, in every format' test -s "$out/figures/curve.png" -a -s "$out/figures/curve.svg"
ok 'a fragment for each table that has rows' test -s "$out/tex/small.tex" -a -s "$out/tex/wide.tex" -a ! -e "$out/tex/empty.tex"
like 'its comment tells how to use it' "$(head -n 3 "$out/tex/small.tex")" '\\input\{small\}'
ok 'bytes that are not UTF-8 are left out' iconv -f UTF-8 -t UTF-8 "$out/report.md"
cp "$out/report.md" "$folder/first.md"
build "$out" --formats md >/dev/null
ok 'written again it is the same to the byte' cmp "$out/report.md" "$folder/first.md"
ok 'and the same as with another time of day and zone' sh -c 'TZ=Asia/Tokyo SOURCE_DATE_EPOCH=1 "$@" >/dev/null' - \
    sh report/build.sh --tables "$tables" --facts "$folder/facts.csv" --figures "$figures" --out "$folder/zone" --template "$folder/own.md" --formats md
ok 'byte for byte' cmp "$folder/zone/report.md" "$folder/first.md"

# Only what the Markdown needs is on this PATH.
mkdir -p "$folder/bin"
for tool in sh awk sed sort iconv mktemp mkdir cp mv rm cat wc grep basename dirname; do
    ln -s "$(command -v $tool)" "$folder/bin/$tool"
done
PATH=$folder/bin build "$folder/bare" >"$folder/bare.log" 2>&1
is 'without pandoc and LaTeX the exit status is 0' $? 0
ok 'the Markdown is there all the same' cmp "$folder/bare/report.md" "$folder/first.md"
is 'one line tells how to get the rest' "$(grep -c 'make setup-report' "$folder/bare.log")" 1
ok 'which is not there' test ! -e "$folder/bare/report.html" -a ! -e "$folder/bare/report.pdf"

printf '# T\n\n{{gian}}\n' >"$folder/bad.md"
refuses 'a wrong template stops it' 1 'bad.md:3: ' build "$folder/bad" --template "$folder/bad.md"
ok 'and nothing is written' test ! -e "$folder/bad/report.md"

# HTML ------------------------------------------------------------------------------------------------

count() {
    grep -o -e "$1" "$2" | wc -l | tr -d ' '
}

html=$out/report.html
if [ -z "$have_pandoc" ]; then
    skip 'HTML' 'no pandoc'
else
    ok 'HTML is written' build "$out" --formats 'md html'
    is 'every image is in the file' "$(count '<img' "$html") $(count '<img[^>]*src="data:image/[a-z+]*;base64,' "$html")" '1 1'
    is 'the smaller of SVG and PNG' "$(count 'src="data:image/svg+xml' "$html")" 1
    is 'nothing is fetched' "$(grep -c -E '(src|href)="(https?:|//|[a-z/.]*\.(css|js|png|svg))' "$html")" 0
    is 'formulas are MathML' "$(count '<math' "$html")" 2
    is 'tables stand in a box that scrolls' "$(count '<div class="table">' "$html") $(count '<table' "$html")" '3 4'
    like 'it has a title' "$(cat "$html")" '<title>A report on my-card</title>'
    like 'a language' "$(cat "$html")" '<html lang="en">'
    like 'a table of contents' "$(cat "$html")" '<a href="#wrong"[^>]*>Wrong</a>'
    like 'and fits a phone' "$(cat "$html")" '<meta name="viewport"'
    is 'a hostile name is no element' "$(grep -c '<b>' "$html")" 0
    ok 'in Japanese' build "$out" --lang ja --formats 'md html'
    like 'with its own language' "$(cat "$out/report.ja.html")" '<html lang="ja">'
fi

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ] || [ -z "$have_pandoc" ]; then
    skip 'a browser shows it' 'no chromium'
else
    # shown FILE.html FILE.png
    shown() {
        HOME=$folder "$browser" --headless --no-sandbox --disable-gpu --window-size=1200,1600 \
            --screenshot="$2" "file://$1" >/dev/null 2>&1 && [ -s "$2" ]
    }
    echo '<!DOCTYPE html><title>blank</title>' >"$folder/blank.html"
    ok 'a browser shows it' shown "$html" "$folder/page.png"
    ok 'and an empty page' shown "$folder/blank.html" "$folder/blank.png"
    ok 'the page is not empty' test "$(wc -c <"$folder/page.png")" -gt $((3 * $(wc -c <"$folder/blank.png")))
    # click TIMES: the first column of the first table after so many clicks on its second heading
    click() {
        { cat "$html"; echo "<script>for (var i = 0; i < $1; i++) document.querySelectorAll('.table th')[1].firstChild.click()</script>"; } >"$folder/click.html"
        HOME=$folder "$browser" --headless --no-sandbox --disable-gpu --dump-dom "file://$folder/click.html" 2>/dev/null |
            awk '/<div class="table">/ { n++ } n == 1 && !/<div/ { page = page $0 } /<\/div>/ { n++ } END {
                gsub(/<\/tr>/, "\n", page); print page }' | sed -n 's/.*<tr[^>]*><td[^>]*>\([^<]*\)<.*/\1/p' | tr '\n' ' '
    }
    is 'a click on a heading sorts by number, empty cells last' "$(click 1)" 'shared_tile naive a,b '
    is 'a second one the other way round' "$(click 2)" 'naive shared_tile a,b '
fi

# LaTeX -----------------------------------------------------------------------------------------------

if ! command -v pdflatex >/dev/null 2>&1; then
    skip 'LaTeX' 'no pdflatex'
else
    # compiles NAME: the fragment, in a document that holds nothing else
    compiles() {
        printf '%s\n' '\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs}\usepackage{graphicx}' \
            '\begin{document}\begin{table}\centering\caption{A table}' "\\input{$1}" '\end{table}\end{document}' \
            >"$out/tex/minimal.tex"
        (cd "$out/tex" && pdflatex -interaction nonstopmode -halt-on-error -output-directory "$folder" minimal.tex)
    }
    for name in small wide problems; do
        ok "the fragment $name compiles in a document of one's own" compiles "$name"
    done
    if [ -z "$have_pandoc" ]; then
        skip 'PDF' 'no pandoc'
    else
        ok 'PDF is written, hostile names or not' build "$out" --formats pdf
        if command -v pdftotext >/dev/null 2>&1; then
            like 'its text' "$(pdftotext "$out/report.pdf" -)" 'A report on my-card'
            # The page is 595 points wide, its margins 68.
            is 'nothing runs off the page' "$(pdftotext -bbox "$out/report.pdf" - | sed -n 's/.*xMax="\([0-9.]*\)".*/\1/p' |
                awk '$1 > 530 { n++ } END { print n + 0 }')" 0
        else
            skip 'nothing runs off the page' 'no pdftotext'
        fi
    fi
fi

# make ------------------------------------------------------------------------------------------------

like 'make run-all report runs first, then reports' "$($MAKE -n -j 4 run-all report BACKEND=cpu 2>/dev/null |
    sed -n 's/.*vecadd --csv.*/run/p; s/.*report\/build.sh.*/report/p' | tr '\n' ' ')" 'run report $'

# The suite's own texts: for every machine that is recorded, however little of it is, and for one that
# has no GPU and measured other sizes than the recorded one.
mkdir -p "$folder/results/pc"
awk -F , 'NR == 1 || ($3 == "cpu" && $6 < 100000)' data/reference/nvidia-h200/lab1_vecadd.csv \
    >"$folder/results/pc/lab1_vecadd.csv"
for machine in data/reference/*/ pc; do
    machine=$(basename "$machine")
    if [ ! -x "$B/analyse" ]; then
        skip "the report of $machine" "no $B/analyse"
        continue
    fi
    ok "$machine is analysed" "$B/analyse" --results "$folder/results" --out "$folder/$machine" "$machine"
    for lang in en ja; do
        ok "and reported ($lang)" sh report/build.sh --tables "$folder/$machine/tables" --lang $lang --formats md \
            --facts "$folder/$machine/facts.csv" --figures docs/report/figures --out "$folder/$machine"
    done
done

done_testing
