#!/bin/sh
# report.t - the report: the committed one is what its rows say, the template's language, texts that
# must not become markup, pages; links in all documents.
# shellcheck source=tests/tap.sh disable=SC2016  # backticks and dollars are meant
. tests/tap.sh

! why=$(lacks sqlite3) || skip_all "$why"
"$MAKE" -s BACKEND="$BACKEND" "$B/labs.csv" >/dev/null || exit 1 # of all labs

# build NAME TEMPLATE-TEXT [OPTION...]: its Markdown to $folder/out/NAME.md.
build() {
    printf '%s\n' "$2" >"$folder/$1.template.md"
    built=$1
    shift 2
    sh report/build.sh --figures "$folder/figures" --out "$folder/out" \
        --template "$folder/$built.template.md" --name "$built" --formats md "$@" \
        >"$folder/said" 2>&1
}

# The committed report -----------------------------------------------------------------------------

recorded=data/reference/nvidia-h200
awk -F , -v folder="$recorded" 'NR == 1 || (getline line < (folder "/" $1 ".csv")) > 0' \
    "$B/labs.csv" >"$folder/labs.csv"
analyse() {
    sh report/analyse.sh --results "$folder/results" --labs "$folder/labs.csv" \
        --out "$folder/out" "$1"
}
ok 'the recorded rows are analysed' analyse nvidia-h200
for lang in en ja; do
    page=report.md shown=figures
    [ "$lang" = en ] || page=report.ja.md shown=figures.ja
    sh report/build.sh --figures docs/report/figures --out "$folder/out" --lang $lang --formats md \
        >/dev/null
    [ "${ACCEPT:-}" != 1 ] || cp "$folder/out/$page" docs/report/
    ok "docs/report/$page is what the rows give; ACCEPT=1 takes what is new" \
        diff docs/report/$page "$folder/out/$page"
    is "every figure that $page shows is there" \
        "$(grep -c 'not drawn\|図なし' docs/report/$page)" 0
    is "docs/report/$shown has those, and no others" \
        "$(find docs/report/$shown -type f -name '*.*' | sort)" \
        "$(sed -n 's/^!\[.*(\(figures.*\))$/docs\/report\/\1/p' docs/report/$page | sort -u)"
done

# Lab 0's rates hold cores.csv to what a card does. (0.5 %: a clock may be a little above its most.)
is 'no rate that was recorded is above its peak' "$(sqlite3 -readonly "$folder/out/results.db" \
    'select measure, peak_percent from lab0_rates where peak_percent > 100.5')" ''

# The committed comparison, in the same way.
ok 'the recorded machines are compared' sh report/analyse.sh --results "$folder/results" \
    --labs "$folder/labs.csv" --out "$folder/compared" --compare tesla-c2050 nvidia-h100 nvidia-h200
for lang in en ja; do
    page=compare.md shown=figures
    [ "$lang" = en ] || page=compare.ja.md shown=figures.ja
    sh report/build.sh --figures docs/compare/figures --out "$folder/compared" --formats md \
        --lang $lang --template report/compare.$lang.md --name compare >/dev/null
    [ "${ACCEPT:-}" != 1 ] || cp "$folder/compared/$page" docs/compare/
    ok "docs/compare/$page is what the rows give" diff docs/compare/$page "$folder/compared/$page"
    is "every figure that $page shows is there" \
        "$(grep -c 'not drawn\|図なし' docs/compare/$page)" 0
    is "docs/compare/$shown has those, and no others" \
        "$(find docs/compare/$shown -type f -name '*.*' | sort)" \
        "$(sed -n 's/^!\[.*(\(figures.*\))$/docs\/compare\/\1/p' docs/compare/$page | sort -u)"
done
for lang in en ja; do
    is "every fact of a comparison is used ($lang), and every one that is used is selected" \
        "$(grep -ho '{{\(pair\|leap\)[.][a-z0-9_]*}}' report/compare.$lang.md | tr -d '{}' |
            sed 's/.*[.]//' | sort -u)" \
        "$(sqlite3 -readonly "$folder/compared/results.db" \
            'select distinct key from told, json_each(facts) order by key')"
done

# Every fact that a template names is one that a select gives, and the other way round; but for those
# that are given of every kernel.
grep -ho '{{[a-z][a-zN0-9_. ]*}}' report/report.??.md report/lab.??.md lab*/report.??.md |
    tr -d '{}' |
    sed 's/^if //; / /d; /^end$/d; s/^[a-zN0-9]*\.//; s/^gain_.*/gain_/' | sort -u >"$folder/used"
sqlite3 -readonly "$folder/out/results.db" 'select key from told, json_each(facts)' |
    sed 's/^gain_.*/gain_/' | sort -u >"$folder/given"
kernels=$(sqlite3 -readonly "$folder/out/results.db" \
    "select group_concat(variant, '|') from (select distinct variant from row)")
is 'every fact of a template is selected, and every selected one is used' \
    "$(diff "$folder/given" "$folder/used" | grep '^[<>]' |
        grep -Ev "^< ($kernels)_(ms|block|l2_mb|l2_bytes|[a-z0-9]+_percent|by_[a-z0-9]+)$")" ''

# Where a document says what a table computes, it says the same; times in the labs' READMEs are the
# rows', too.
# with_times LAB README.md CSV
with_times() {
    awk -v lab="$1" -v readme="$2" -f tools/csv.awk -f report/markdown.awk -f report/readme.awk "$3"
}
for readme in lab*_*/README*.md; do
    lab=${readme%/*}
    with_times "$lab" "$readme" "$folder/out/tables/best_by_size.csv" >"$folder/README.md"
    [ "${ACCEPT:-}" != 1 ] || cp "$folder/README.md" "$readme"
    ok "$readme has the times that the rows give" diff "$readme" "$folder/README.md"
done
printf '%s\n' 'lab,variant,size,block,time_ms,noise_percent,gb_per_s,gflop_per_s,gop_per_s,speedup' \
    'lab8_other,cpu,8,,9000,,1,1,,1' 'lab9_new,naive,8,32,2,4.9,1,,1234.5,' \
    'lab9_new,copy,16,32,0.0231,5,3.14,,,' >"$folder/best.csv"
printf '%s\n' before '<!-- h200 8 16 -->' old '<!-- end -->' behind >"$folder/README.md"
is 'integer operations have their name, noise has two digits, what was not measured is empty' \
    "$(with_times lab9_new "$folder/README.md" "$folder/best.csv")" 'before
<!-- h200 8 16 -->
| variant | 8 | block | GB/s | GOP/s | speedup | 16 | block | GB/s | GOP/s | speedup |
|---|---|---|---|---|---|---|---|---|---|---|
| `naive` | 2 ms | 32 | 1 | 1230 |  |  |  |  |  |  |
| `copy` |  |  |  |  |  | 23 us | 32 | 3.1 |  |  |
<!-- end -->
behind'
cp "$folder/README.md" "$folder/README.ja.md"
like 'a Japanese README has Japanese headings' \
    "$(with_times lab9_new "$folder/README.ja.md" "$folder/best.csv")" \
    '^\| 実装 \| 8 \| ブロック \| GB/s \| GOP/s \| 速度向上比 \| 16 \| '
column algorithm memory_per_pixel flops_per_pixel "$folder/out/tables/lab7_algorithms.csv" |
    awk '!seen[$0]++' >"$folder/counted"
for readme in lab7_blur/README*.md; do
    is "$readme counts floats and operations as the table does" \
        "$(awk -F '[|` ]+' '$3 $4 ~ /^[0-9]+$/ { print $2 "," $3 "," $4 }' "$readme")" \
        "$(cat "$folder/counted")"
done

# The language -------------------------------------------------------------------------------------

# Numbers to their digits, a line whose fact is missing, sections, tables, figures.
mkdir -p "$folder/figures" && : >"$folder/figures/drawn.png"
cp -R report/made_up/language/. "$folder/out/"
build text "$(cat report/made_up/language/template.md)"
golden language.txt "$folder/out/text.md"
for wrong in '{{table numbers nothing}}' '{{if flag}}' '{{end}}' '{{Unknown thing}}' '{{open'; do
    not build text "$wrong"
    like "$wrong is refused by file and line" "$(cat "$folder/said")" 'text.template.md:1: '
done

# Every label has its Japanese, and so has every cell of the columns whose cells are words; what is
# left in Latin letters are names, and options as one types them.
is 'every label is there in Japanese' "$(
    cut -f 1 report/labels.en.tsv report/labels.ja.tsv report/labels.ja.tsv | sort | uniq -u)" ''
# cells TABLE.csv...: words of their cells in Latin letters.
cells() {
    awk -v labels=report/labels.ja.tsv -f tools/csv.awk -f report/markdown.awk -f - "$@" <<'END'
BEGIN { read_labels(labels) }
record > 0 {
    for (c = 1; c <= columns; c++)
        for (name in column)
            if (column[name] == c && name ~ spoken && name !~ /^(this|past)$/)
                print in_language(field[c], name)
}
END
}
for machine in bounds checks gpus-x4 growth laptop nvidia-h200; do
    sh report/analyse.sh --results report/made_up --labs "$folder/labs.csv" --out "$folder/cells" \
        "$machine"
    cells "$folder"/cells/tables/[!f]*.csv
done | sed 's/--[a-z]* [a-z0-9]*//g' | grep -o '[A-Za-z][A-Za-z_]*' | sort -u | grep -v -x -e 'CPU\|GPU\|DRAM\|FP\|INT' \
    -e 'L\|OS\|B\|SM\|ECC\|CUDA\|Compute\|Capability\|float\|variants\|x' \
    -e 'checks\|growth\|laptop\|nvidia\|h\|Tesla\|C' >"$folder/english"
is 'every word of a cell is Japanese' "$(cat "$folder/english")" ''

# Machines that lack something, and hostile texts --------------------------------------------------

mkdir -p "$folder/results/gpu-only"
cp -R report/made_up/laptop report/made_up/hostile "$folder/results/"
sed '/,cpu,/d' $recorded/lab2_matprod.csv >"$folder/results/gpu-only/lab2_matprod.csv"
for machine in laptop gpu-only; do
    analyse $machine
    ok "the report of $machine, which has rows of one lab" \
        sh report/build.sh --figures "$folder/figures" --out "$folder/out" --formats md
    cp "$folder/out/report.md" "$folder/$machine.md"
done
like 'without a GPU it says whose kernels these are' "$(cat "$folder/laptop.md")" \
    'No GPU was measured.*recorded on an NVIDIA H200 on 2026-[0-9-]* \("nvidia-h200 \(recorded\)"\)'
is 'the error of the FFT is of its own rows' "$(sh report/analyse.sh --out "$folder/errors" \
    --results "$folder/results" --labs "$folder/labs.csv" laptop &&
    grep -c 'lab4\.\(fft_error\|naive_ms\)' "$folder/errors/facts.csv")" 1
is 'labs that were not measured have no section' \
    "$(sed -n 's/^### 4\.//p' "$folder/laptop.md")" '2 Matrix product'
is 'without a CPU no sentence compares with one' "$(grep -c 'CPU thread\|the CPU takes' \
    "$folder/gpu-only.md")" "$(grep -c 'CPU times are those of one thread' "$folder/gpu-only.md")"

analyse hostile
build hostile '# Hostile

{{table problems}}

Code `{{machine}}`.' --formats 'md html'
hostile='<b>&amp; `c` *e* _f_ [g](h) $x$ | \\ {{machine}} http://i.j %20 #k ~l~'

# Pages --------------------------------------------------------------------------------------------

analyse nvidia-h200
cp docs/report/figures/split.png "$folder/figures/"
# Two figures that tell of their points, and name them alike.
for name in one two; do
    cp docs/report/figures/split.png "$folder/figures/$name.png"
    printf '%s\n' '<?xml version="1.0"?>' '<svg xmlns="http://www.w3.org/2000/svg"' \
        ' xmlns:xlink="http://www.w3.org/1999/xlink">' \
        '<defs><circle id="p" cx="60" cy="60" r="9"/></defs>' \
        "<path fill='url(#p)'/><g><title>$name, 32" "1 ms</title><use xlink:href='#p'/></g></svg>" \
        >"$folder/figures/$name.svg"
done
build page '# A title

{{figure one The first "one"}}

{{figure two The second}}

{{table lab2_occupancy}}

{{figure split Where the time goes}}' --formats 'md html pdf tex'
# Of the tables that no document shows: a column's name and its heading.
for table in lab2_occupancy fit_points scaling split ceilings roofline lab2_ladder; do
    build headings "{{table $table}}"
    head -n 1 "$folder/out/tables/$table.csv"
    grep -m 1 '^|' "$folder/out/headings.md"
done >"$folder/headings.txt"
golden headings.txt "$folder/headings.txt"
if command -v pandoc >/dev/null; then
    is 'a hostile text is shown as it is' "$(pandoc -f html -t plain --wrap none \
        "$folder/out/hostile.html" | tr -s ' -' | grep -cF "$hostile")" 1
    is 'and becomes neither markup nor link' "$(grep -c '<b>\|<em>\|<math\|href="h' \
        "$folder/out/hostile.html")" 0
    page=$folder/out/page.html
    is 'the page holds its figure, style and script' \
        "$(grep -c 'src="data:image/png\|<style>\|<script>' "$page")" 3
    ok 'its title, table and caption are what they are called' sh -c '
        grep -q "<h1>A title</h1>" "$1" && grep -q "<div class=\"table\">" "$1" &&
        grep -q "<figcaption>" "$1" && ! grep -q "href=\"http\|src=\"http" "$1"' sh "$page"
    is 'figures that tell of their points are in the page itself, each with names of its own' \
        "$(tr '\n' ' ' <"$page" | grep -o -e 'aria-label="The [^"]*"' -e 'id="[a-z]*-p"' \
            -e '#[a-z]*-p\b' -e '<g><title>[^/]*' | tr '\n' ' ')" "$(printf '%s ' \
            'aria-label="The first one" id="one-p" #one-p <g><title>one, 32 1 ms< #one-p' \
            'aria-label="The second" id="two-p" #two-p <g><title>two, 32 1 ms< #two-p')"
    if command -v chromium >/dev/null; then
        # The page, and a script that looks for what is under a point's middle.
        sed '/<\/body>/,$d' "$page" >"$folder/probe.html"
        cat >>"$folder/probe.html" <<'END'
<script>addEventListener("load", function () {
  var use = document.querySelectorAll("figure svg use")[1];
  use.scrollIntoView({ block: "center" });
  var box = use.getBoundingClientRect();
  var found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  document.title = "told: " + found.closest("g").querySelector("title").textContent;
});</script></body></html>
END
        is 'in a browser the row is what is under the mouse' "$(chromium --headless --no-sandbox \
            --disable-gpu --user-data-dir="$folder/chromium" --dump-dom "$folder/probe.html" \
            2>/dev/null | sed -n '/<title>told: /,/<\/title>/s/<[^>]*>//gp')" \
            "$(printf 'told: two, 32\n1 ms')"
    else
        skip 'a browser' "$(lacks chromium)"
    fi
    # size_of COLUMNS WORD: of a table of that word in LaTeX.
    size_of() {
        awk -v columns="$1" -v word="$2" 'BEGIN {
            for (row = 0; row < 3; row++) {
                for (c = 0; c < columns; c++)
                    printf "|%s", row == 1 ? "---" : word
                print "|"
            }
        }' | pandoc -f gfm -t latex --lua-filter report/page.lua | grep -o 'tiny\|[a-z]*size\|small'
    }
    is 'a narrow table is small, one twice as wide by its Japanese smaller, one for no size tiny' \
        "$(size_of 10 words; size_of 10 日本語の字; size_of 20 unbroken)" \
        "$(printf '%s\n' small scriptsize tiny)"
    like 'a table for LaTeX says what it needs' "$(cat "$folder/out/tex/lab2_occupancy.tex")" \
        'longtable,booktabs'
    ! command -v pdflatex >/dev/null ||
        like 'the PDF is one' "$(head -c 5 "$folder/out/page.pdf")" '^%PDF-'
else
    skip 'pages' "$(lacks pandoc)"
fi
mkdir "$folder/bin"
for tool in sh awk sed sqlite3 cp mv rm mkdir mktemp dirname basename grep sort cat ls; do
    ln -s "$(command -v $tool)" "$folder/bin/"
done
mkdir -p "$folder/out/tex" && touch "$folder/out/report.html" "$folder/out/report.pdf"
out=$(PATH=$folder/bin sh report/build.sh --figures "$folder/figures" --out "$folder/out" 2>&1)
like 'without pandoc there is Markdown, and a word on the rest' "$out" \
    'not written: report.html .*report.pdf .*make setup-report'
is 'and nothing of an earlier run' "$(cd "$folder/out" && ls -d report.md report.html report.pdf tex 2>/dev/null)" report.md
# A Japanese PDF, where one thing after the other is there.
there() {
    printf '#!/bin/sh\n%s\n' "$2" >"$folder/bin/$1" && chmod +x "$folder/bin/$1"
}
needs() {
    like "a Japanese PDF without $1 says so" "$(PATH=$folder/bin sh report/build.sh --lang ja \
        --figures "$folder/figures" --out "$folder/out" --name page --formats pdf \
        --template "$folder/page.template.md" 2>&1)" "page.ja.pdf .needs $1"
}
there pandoc 'echo tex_math_dollars'
needs lualatex
there lualatex ''
needs texlive-luatex
there kpsewhich ''
needs 'a Japanese font'
rm "$folder/bin/sqlite3"
like 'without sqlite3 one line says what to install' "$(PATH=$folder/bin sh report/analyse.sh \
    --results r --labs "$folder/labs.csv" --out "$folder/o" m 2>&1)" 'sqlite3; make setup'

# Links --------------------------------------------------------------------------------------------

# Every relative link and picture of a document leads to a file. Templates have none of their own.
grep -roH --include='*.md' --exclude-dir=build --exclude-dir=output --exclude-dir=results \
    '\]([^()]*)' . | sed 's/:\](/ /; s/[#)].*//' | while read -r document link; do
    case $link in
        '' | *://* | *'{'*) ;;
        *) [ -e "$(dirname "$document")/$link" ] || echo "$document: $link" ;;
    esac
done >"$folder/broken"
is 'all links lead somewhere' "$(cat "$folder/broken")" ''

done_testing
