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
    --results r --labs "$B/labs.csv" --out "$folder/o" m 2>&1)" 'sqlite3; make setup'

done_testing
