#!/bin/sh
# report.t - the report: the committed one is what its rows say, what other machines' says, the
# template's language; links in all documents.
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
awk -v folder="$recorded" -f report/recorded.awk "$B/labs.csv" >"$folder/labs.csv"
analyse() {
    sh report/analyse.sh --results "$folder/results" --labs "$folder/labs.csv" \
        --out "$folder/out" "$1"
}
ok 'the recorded rows are analysed' analyse "$(basename "$recorded")"
cp -R "$folder/out" "$folder/recorded"
for lang in en ja; do
    suffix=''
    [ "$lang" = en ] || suffix=.ja
    for name in report atlas; do
        page=$name$suffix.md
        sh report/build.sh --figures docs/report/figures --out "$folder/out" --lang $lang --formats md \
            --name $name --template report/$name.$lang.md >/dev/null
        [ "${ACCEPT:-}" != 1 ] || cp "$folder/out/$page" docs/report/
        ok "docs/report/$page is what the rows give; ACCEPT=1 takes what is new" \
            diff docs/report/$page "$folder/out/$page"
        is "every figure that $page shows is there" \
            "$(grep -c 'not drawn\|図なし' docs/report/$page)" 0
    done
    is "docs/report/figures$suffix has those, and no others" \
        "$(find docs/report/figures$suffix -type f -name '*.*' | sort)" \
        "$(sed -n 's/^!\[.*(\(figures.*\))$/docs\/report\/\1/p' docs/report/report$suffix.md \
            docs/report/atlas$suffix.md | sort -u)"
done

# Lab 0's rates hold cores.csv to what a card does. (0.5 %: a clock may be a little above its most.)
is 'no rate that was recorded is above its peak' "$(sqlite3 -readonly "$folder/out/results.db" \
    'select measure, peak_percent from lab0_rates where peak_percent > 100.5')" ''

# The committed comparison, in the same way. (tables.t compares small machines.)
if thorough; then
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
fi

# Every fact that a template names is one that a select gives, and the other way round; but for those
# that are given of every kernel.
grep -ho '{{[a-z][a-zN0-9_. ]*}}' report/report.??.md report/atlas.??.md report/lab.??.md \
    lab*/report.??.md | tr -d '{}' |
    sed 's/^if //; / /d; /^end$/d; /^\(table\|figure\)[.]/d; s/^[a-zN0-9]*\.//; s/^gain_.*/gain_/' | sort -u >"$folder/used"
# (An H200 has not measured all that an H100 has, nor the other way round.)
sh report/analyse.sh --results data/results --labs "$B/labs.csv" --out "$folder/other" nvidia-h100 >/dev/null
for out in out other; do
    sqlite3 -readonly "$folder/$out/results.db" 'select key from told, json_each(facts)'
done |
    sed 's/^gain_.*/gain_/' | sort -u >"$folder/given"
kernels=$(for out in out other; do
    sqlite3 -readonly "$folder/$out/results.db" 'select distinct variant from row'
done | sort -u | paste -s -d '|')
is 'every fact of a template is selected, and every selected one is used' \
    "$(diff "$folder/given" "$folder/used" | grep '^[<>]' |
        grep -Ev "^< ($kernels)_(ms|block|l2_mb|l2_bytes|[a-z0-9]+_percent|by_[a-z0-9]+)$")" ''

# What the templates say of other machines alone: each fact is its own name here, once where there
# are the facts, tables and figures of the recorded machine and once where there are all.
mkdir -p "$folder/all" "$folder/drawn"
cp -R "$folder/recorded" "$folder/same"
cp -R "$folder/recorded/tables" "$folder/all/"
cp docs/report/figures/*.png "$folder/drawn"
cp -R "$folder/drawn" "$folder/drawn.all"
cat report/report.??.md report/atlas.??.md report/lab.??.md lab*/report.??.md >"$folder/lines"
name_facts() {
    sort -u | awk 'BEGIN { print "name,value,digits,source" } { print $0 "," $0 ",," }'
}
grep -o '{{\(if \)*[a-z][A-Za-z0-9_.]*}}' "$folder/lines" | sed 's/.*[{ ]//; s/}}//; /^end$/d; /^table[.]/d; /^figure[.]/d' |
    name_facts >"$folder/all/facts.csv"
column name "$folder/recorded/facts.csv" | name_facts >"$folder/same/facts.csv"
sed -n 's/^{{\(if \)*table[: ]\([a-z0-9_]*\).*/tables\/\2.csv/p
    s/^{{\(if \)*figure[: ]\([a-z0-9_]*\).*/figures\/\2.png/p' "$folder/lines" | sort -u |
    while read -r name; do
        case $name in
            tables/*) : >>"$folder/all/$name" ;;
            *) : >>"$folder/drawn.all/${name#*/}" ;;
        esac
    done
for lang in en ja; do
    page=report.md
    [ "$lang" = en ] || page=report.ja.md
    for what in drawn drawn.all; do
        [ "$lang" = en ] || cp -R "$folder/$what" "$folder/$what.$lang"
    done
    sh report/build.sh --figures "$folder/drawn" --out "$folder/same" --lang $lang --formats md
    sh report/build.sh --figures "$folder/drawn.all" --out "$folder/all" --lang $lang --formats md
    diff "$folder/same/$page" "$folder/all/$page" | sed -n '/^> .[^|]/s/^> //p' \
        >>"$folder/unshown.txt"
done >/dev/null
golden unshown.txt "$folder/unshown.txt"

# Both languages say the same: line by line the same directives and facts, in whatever order, and in
# each section the same numbers of two digits or more. (10 billion, 24 months and the year of the first
# report have other words in Japanese.)
# said FILE
said() {
    awk '
        # A line of the keys of `words`, in order, each with how often it is there.
        function tell(what,    word, n, i, list)
        {
            for (word in words) {
                for (i = ++n; i > 1 && list[i - 1] > word; i--)
                    list[i] = list[i - 1]
                list[i] = word
            }
            for (i = 1; i <= n; i++)
                what = what " " list[i] (words[list[i]] > 1 ? " x" words[list[i]] : "")
            if (n)
                print what
            split("", words)
        }
        function end_section(    number)
        {
            for (number in numbers)
                words[number] = 1
            tell("numbers:")
            split("", numbers)
        }
        {
            gsub(/`[^`{]*`/, "")
            is_directive = /^[{][{](if|table|include|part|end)/
            if (is_directive || /^#/)
                end_section()
            if (/^[{][{]figure /)
                words[$2]++
            for (line = $0; match(line, /[{][{][^}]*[}][}]/);
                line = substr(line, 1, RSTART - 1) "@" substr(line, RSTART + RLENGTH)) {
                word = substr(line, RSTART + 2, RLENGTH - 4)
                sub(is_directive ? " [|] .*" : " .*", "", word)
                words[word]++
            }
            tell("line:")
            for (; match(line, /[0-9]+([.][0-9]+)?/); line = substr(line, RSTART + RLENGTH)) {
                number = substr(line, RSTART, RLENGTH)
                if (length(number) > 1 && number !~ /^(10|24|2012)$/)
                    numbers[number]
            }
        }
        END { end_section() }' "$1"
}
for english in report/*.en.md lab*/report.en.md; do
    said "$english" >"$folder/english"
    said "${english%.en.md}.ja.md" >"$folder/japanese"
    ok "$english and its Japanese name the same facts and numbers" \
        diff "$folder/english" "$folder/japanese"
done

# A document that says what a table computes says the same; times in the labs' READMEs are the
# rows', too.
# with_times LAB README.md CSV
with_times() {
    awk -v lab="$1" -v readme="$2" -f tools/csv.awk -f report/markdown.awk -f report/rungs.awk \
        -f report/readme.awk "$3"
}
sqlite3 -readonly -csv -header "$folder/out/results.db" <report/arithmetic.sql \
    >"$folder/out/tables/arithmetic.csv"
for readme in lab*_*/README*.md lab*_*/NOTES*.md; do
    with_times "${readme%/*}" "$readme" "$folder/out/tables/best_by_size.csv" >"$folder/README.md"
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
like 'an {{end}} too many is one' "$(build text '{{end}}'; cat "$folder/said")" \
    'end.. without [{]'
cp "$folder/out/facts.csv" "$folder/facts.csv"
printf 'lab9.whole,%s,,\n' 123456 123457 >>"$folder/out/facts.csv"
not build text ''
like 'a fact is told once, or has one value' "$(cat "$folder/said")" \
    'facts.csv: lab9.whole is told twice: 123456 and 123457'
cp "$folder/facts.csv" "$folder/out/facts.csv"

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
for machine in bounds checks gpus-x4 growth laptop; do
    sh report/analyse.sh --results report/made_up --labs "$folder/labs.csv" --out "$folder/cells" \
        "$machine"
    cells "$folder"/cells/tables/[!f]*.csv "$folder"/recorded/tables/[!f]*.csv
done | sed 's/--[a-z]* [a-z0-9]*//g' | grep -o '[A-Za-z][A-Za-z_]*' | sort -u | grep -v -x -e 'CPU\|GPU\|DRAM\|FP\|INT' \
    -e 'L\|OS\|B\|SM\|ECC\|CUDA\|Compute\|Capability\|float\|variants\|x' \
    -e 'checks\|growth\|laptop\|nvidia\|h\|Tesla\|C' >"$folder/english"
is 'every word of a cell is Japanese' "$(cat "$folder/english")" ''

# The labels that no document shows; of the Japanese ones, which are sentences, the sum.
# unseen LANGUAGE DOCUMENT...
unseen() {
    lang=$1
    shift
    grep -h '^|' "$@" | tr '|' '\n' | sed 's/^ //; s/ $//; s/\\//g' |
        awk -F '\t' 'FILENAME == "-" { cell[$0]; next } !($2 in cell)' - "report/labels.$lang.tsv"
}
unseen en docs/report/report.md docs/report/atlas.md docs/compare/compare.md >"$folder/labels.txt"
unseen ja docs/report/report.ja.md docs/report/atlas.ja.md docs/compare/compare.ja.md \
    >"$folder/japanese"
echo "$(wc -l <"$folder/japanese") in Japanese: $(cksum <"$folder/japanese" | cut -d ' ' -f 1)" \
    >>"$folder/labels.txt"
golden labels.txt "$folder/labels.txt"

# Machines that lack something ----------------------------------------------------------------------

# of_one_lab MACHINE: its report, by the tables that were analysed last.
of_one_lab() {
    ok "the report of $1, which has rows of one lab" \
        sh report/build.sh --figures "$folder/figures" --out "$folder/cells" --formats md
    cp "$folder/cells/report.md" "$folder/$1.md"
}
of_one_lab laptop
mkdir -p "$folder/results/gpu-only"
sed '/,cpu,/d' $recorded/lab2_matprod.csv >"$folder/results/gpu-only/lab2_matprod.csv"
sh report/analyse.sh --results "$folder/results" --labs "$folder/labs.csv" --out "$folder/cells" gpu-only
of_one_lab gpu-only
for why in failed nothing; do
    mkdir "$folder/results/$why"
    sed "1q" $recorded/lab1_vecadd.csv >"$folder/results/$why/lab1_vecadd.csv"
done
sed -n 's/,ok,/,failed,/p' $recorded/lab1_vecadd.csv >>"$folder/results/failed/lab1_vecadd.csv"
for why in failed nothing; do
    sh report/analyse.sh --results "$folder/results" --labs "$folder/labs.csv" --out "$folder/cells" $why
    of_one_lab $why
    is "where $why was measured, no time of another machine stands as a result" \
        "$(grep -c 'No row of this machine has a time' "$folder/$why.md") $(grep -c 'Its CPU\|times as fast as\|vector4' "$folder/$why.md")" '1 0'
done
mkdir "$folder/results/semicolons"
tr , ';' <$recorded/lab1_vecadd.csv >"$folder/results/semicolons/lab1_vecadd.csv"
refuses 'a file that is none of rows' 1 'semicolons/lab1_vecadd.csv: its heading has no variant' \
    sh report/analyse.sh --results "$folder/results" --labs "$folder/labs.csv" --out "$folder/cells" semicolons
mkdir "$folder/results/narrow"
awk -f tools/csv.awk -f tools/column.awk lab variant kind time_s status $recorded/lab1_vecadd.csv |
    sed '1s/^/lab,variant,kind,time_s,status\n/' >"$folder/results/narrow/lab1_vecadd.csv"
refuses 'rows without their sizes' 1 'narrow/lab1_vecadd.csv: its heading has no width' \
    sh report/analyse.sh --results "$folder/results" --labs "$folder/labs.csv" --out "$folder/cells" narrow
like 'without a GPU it says whose kernels these are' "$(cat "$folder/laptop.md")" \
    'No GPU was measured.*recorded on an NVIDIA H200 on 2026-[0-9-]* \("nvidia-h200 \(recorded\)"\)'
is 'labs that were not measured have no section' \
    "$(sed -n 's/^### 3\.//p' "$folder/laptop.md")" '2 Matrix product'
is 'without a CPU no sentence compares with one' "$(grep -c 'one CPU thread\|as fast as the CPU' \
    "$folder/gpu-only.md")" 0

# Links --------------------------------------------------------------------------------------------

# Every relative link and picture of a document leads to a file. Templates have none of their own.
grep -roH --include='*.md' --exclude-dir=build --exclude-dir=output --exclude-dir=results \
    '\]([^()]*)' . | sed 's/:\](/ /; s/[#)].*//' | while read -r document link; do
    case $document:$link in
        *: | *://* | *'{'* | ./report/*.md:atlas.*md | ./report/*.md:report.*md) ;;
        *) [ -e "$(dirname "$document")/$link" ] || echo "$document: $link" ;;
    esac
done >"$folder/broken"
is 'all links lead somewhere' "$(cat "$folder/broken")" ''

done_testing
