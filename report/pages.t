#!/bin/sh
# pages.t - the report's pages: HTML with what it holds, a browser, LaTeX, PDF; texts that must not
# become markup; what is said where a tool is missing.
# shellcheck source=tests/tap.sh disable=SC2016  # backticks and dollars are meant
. tests/tap.sh

! why=$(lacks sqlite3) || skip_all "$why"
"$MAKE" -s BACKEND="$BACKEND" "$B/labs.csv" >/dev/null || exit 1 # of all labs

mkdir -p "$folder/figures"
# build NAME TEMPLATE-TEXT OPTION...: its pages to $folder/out/NAME.*.
build() {
    printf '%s\n' "$2" >"$folder/$1.template.md"
    built=$1
    shift 2
    sh report/build.sh --figures "$folder/figures" --out "$folder/out" \
        --template "$folder/$built.template.md" --name "$built" "$@" >"$folder/said" 2>&1
}
# analyse MACHINE
analyse() {
    sh report/analyse.sh --results report/made_up --labs "$B/labs.csv" --out "$folder/out" "$1"
}

analyse hostile
build hostile '# Hostile

{{table problems}}

Code `{{machine}}`.' --formats 'md html'
hostile='<b>&amp; `c` *e* _f_ [g](h) $x$ | \\ {{machine}} http://i.j %20 #k ~l~'

analyse sizes
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
        }' | sed '1i *A caption.*\n' | pandoc -f gfm -t latex --lua-filter report/page.lua |
            grep -o 'landscape\|[a-z]*size\|.small' | sed 's/^.small/small/'
    }
    is 'a narrow table is small, one twice as wide by its Japanese smaller, one for no size on its side' \
        "$(size_of 10 words; size_of 9 日本語の字; size_of 20 unbroken)" \
        "$(printf '%s\n' small footnotesize landscape footnotesize landscape)"
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
    --results r --labs "$B/labs.csv" --out "$folder/o" m 2>&1)" 'sqlite3; make setup'

# ---- two pages to hand in ------------------------------------------------------------------------

for questions in lab*_*/questions.md; do
    like "$questions: 4 to 6 questions" "$(grep -c '^[0-9][.] ' "$questions")" '^[456]$'
done
is 'each lab has questions' "$(for lab in lab*_*/; do test -s "$lab/questions.md" || echo "$lab"; done)" ''
refuses 'handin: no such lab' 2 'handin: LAB=lab99: one of lab0' "$MAKE" handin BACKEND="$BACKEND" LAB=lab99
# hand_in OPTION...: of the recorded rows, in which a kernel has the student's name.
hand_in() {
    sh tools/handin.sh --results "$folder/rows" --labs "$B/labs.csv" --lab lab2_matprod \
        --out "$folder/handin" "$@" student
}
# hand_in_by FOLDER NAME: with the tools there before all others.
hand_in_by() {
    (PATH=$folder/$1:$PATH && hand_in --name "$2" --number 1815) >"$folder/said" 2>&1
}
mkdir -p "$folder/rows/student"
cp data/reference/nvidia-h200/run.json data/reference/nvidia-h200/lab0_ceilings.csv "$folder/rows/student"
sed 's/^lab2_matprod,slice_k,/lab2_matprod,mine,/
    s/,[-0-9]*T[0-9:]*Z/,2999-01-01T00:00:00Z/
    /,mine,.*,512,512,512,/s/,ok,[^,]*,/,wrong,the first at x=3 y=4: got 5,/' \
    data/reference/nvidia-h200/lab2_matprod.csv >"$folder/rows/student/lab2_matprod.csv"
refuses 'handin: nobody' 2 'NAME="Ada' hand_in --number 1
for number in ../1 .1 'a b'; do
    refuses "handin: NUMBER=$number" 2 "NUMBER=$number: letters, digits, '.', '_' and '-'" \
        hand_in --name A --number "$number"
done
refuses 'handin: a variant without rows' 2 "make run-lab2 VARIANTS='other'" \
    hand_in --name A --number 1 --variant other
if thorough && ! why=$(lacks gnuplot pandoc pdflatex); then
    hand_in --name 'Ada Lovelace' --number 1815 >"$folder/said" 2>&1
    is 'handin' $? 0
    like 'what is without an answer' "$(tail -n 1 "$folder/said")" 'lab2_answers.md: [4-6] without an answer; make'
    is 'no row is older than its source' "$(cat "$folder/handin/lab2.md" "$folder/said" | grep older)" ''
    page=$(cat "$folder/handin/lab2.md")
    like 'whose' "$page" '^[*][*]Ada Lovelace[*][*], 1815[.] Variant `mine` on student'
    like 'this machine' "$page" 'GPU: NVIDIA H200;'
    like 'the lab' "$page" '^    C\[y\]\[x\] = sum'
    like 'the variant beside the rungs, of the library' "$page" "$(column variant width cache time_s \
        "$folder/rows/student/lab2_matprod.csv" | awk -F , '$2 == 4096 && $3 == "cold" {
            if (!($1 in best) || $4 < best[$1]) best[$1] = $4 }
        END { printf "^[|] mine [|] 4096 .* %.3g [|]$", 100 * best["cublas"] / best["mine"] }')"
    like 'among them' "$page" '^[|] shared.*tile [|] 4096'
    like 'its blocks' "$page" '^[|] 256x1 [|] 4096 [|] ok [|].* registers '
    like 'what was wrong' "$page" '^[|] 512 [|] 256x1 [|] wrong [|] the first at x=3'
    like 'the figure has its bar' "$(cat "$folder/handin/figures/handin.svg")" '>mine<'
    is 'the questions, with room' "$(echo "$page" | grep -c 'your answer')" \
        "$(grep -c '^[0-9][.] ' lab2_matprod/questions.md)"
    ok 'as one file' test -s "$folder/handin/lab2.html"
    is 'and as two pages' "$(pdfinfo "$folder/handin/lab2.pdf" 2>&1 | awk '/^Pages/ { print $2 }
        /not found/ { print 2 }')" 2
    echo 'It waits for {{memory}}.' >"$folder/handin/lab2_answers.md"
    hand_in --name 'Ada Lovelace' --number 1815 >"$folder/said" 2>&1
    is 'answers stay as they are' "$(cat "$folder/handin/lab2_answers.md")" 'It waits for {{memory}}.'
    like 'and go into the pages' "$(tail -n 1 "$folder/handin/lab2.md")" 'It waits for'
    like 'which is told' "$(tail -n 1 "$folder/said")" 'lab2_answers.md: your answers, as they are in the pages$'
    # Twelve wrong blocks with the same note, of before the source's newest change.
    rows=$folder/rows/student/lab2_matprod.csv
    cp "$rows" "$folder/right"
    awk -F , -v OFS=, '!/,mine,.*,512,512,512,/ { print; next }
        { sub(/2999-/, "2000-"); for (i = 1; i <= 12; i++) { $10 = $12 = 32 * i; print } }' "$folder/right" >"$rows"
    hand_in --name '李小龍' --number 1815 >"$folder/said" 2>&1
    is 'many wrong blocks, older than their source' $? 0
    page=$(cat "$folder/handin/lab2.md")
    is 'ten are shown' "$(echo "$page" | sed -n 's/^| 512 | \(.*\)x1 | wrong, older | the first.*/\1/p' | tr '\n' ' ')" \
        '32 64 96 128 160 192 224 256 288 320 '
    like 'and how many more there are' "$page" '^And 2 more[.]$'
    older='512 32x1, .*, 512 256x1, and 4 more'
    like 'the page says which rows are older' "$page" "^[*][*]Older than the source of lab2_matprod.*the rows at ${older}[.]$"
    like 'and so does the command' "$(cat "$folder/said")" \
        "^handin.sh: rows of 'mine' are older than lab2_matprod/, .*: $older; make run-lab2 VARIANTS='mine'$"
    cp "$folder/right" "$rows"
    if ! why=$(lacks lualatex fc-list pdftotext) && [ -n "$(fc-list ':charset=674e 5c0f 9f8d')" ]; then
        like 'a name in another script is in the PDF' "$(pdftotext "$folder/handin/lab2.pdf" -)" '李小龍, 1815'
    else
        skip 'a name in another script' "${why:-no font has it}"
    fi
    mkdir "$folder/no_fonts" && printf '#!/bin/sh\n' >"$folder/no_fonts/fc-list" && chmod +x "$folder/no_fonts/fc-list"
    hand_in_by no_fonts '李小龍'
    like 'or else a line tells' "$(cat "$folder/said")" 'lab2.pdf has [?] .*: U[+]5C0F U[+]674E U[+]9F8D; lab2.md has'
    mkdir "$folder/tex" && printf '#!/bin/sh\nexit 1\n' >"$folder/tex/pdflatex" && chmod +x "$folder/tex/pdflatex"
    echo 'It waits for nothing.' >"$folder/handin/lab2_answers.md"
    hand_in_by tex 'Ada Lovelace'
    is 'LaTeX fails' $? 1
    like 'there are the other pages' "$(tail -n 1 "$folder/handin/lab2.md")" 'It waits for nothing'
    ok 'and no old one' test ! -e "$folder/handin/lab2.pdf"
elif thorough; then
    skip 'handin' "$why"
fi

done_testing
