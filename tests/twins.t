#!/bin/sh
# twins.t - documents in two languages say the same: where there is a .ja.md of a README, of a lab's notes
# or of a page in docs/ it has what the .md has: sections, tables, names, links, questions, and its
# numbers. (Small numbers may be words in either: only those of two digits or more are looked at, and only
# that none is missing.) And README.md tells what comes first.
. tests/tap.sh

# outline README.md
outline() {
    awk -f tests/outline.awk "$1" | sort -u
}

# apart README.md: what it has and its twin has not (<), or the other way round (>).
apart() {
    outline "$1" >"$folder/en"
    outline "${1%.md}.ja.md" >"$folder/ja"
    diff "$folder/en" "$folder/ja" | grep '^[<>]' | grep -v '^> section [0-9]*: number'
}

for twin in README.ja.md lab*_*/README.ja.md lab*_*/NOTES.ja.md docs/*.ja.md; do
    readme=${twin%.ja.md}.md
    is "$twin has what $readme has" "$(apart "$readme")" ''
    is "$readme leads to it" "$(sed -n 3p "$readme")" "English | [日本語](${twin##*/})"
    is "and $twin back" "$(sed -n 3p "$twin")" "[English](${readme##*/}) | 日本語"
done

# A README's sweep goes as far as its program's, whose last size is the largest, or a GPU's alone.
for readme in lab[1-9]*_*/README.md lab[1-9]*_*/README.ja.md; do
    last=$(sed -n 's/.*[.]sizes\(_large\)* = "\([^"]* \)*\([^ "]*\)",.*/\3/p' "${readme%/*}"/*.cu | tail -n 1)
    is "$readme: the sweep reaches $last" "$(grep '^    make run-lab[0-9]* *#' "$readme" | grep -cFw "$last")" 1
done

# What a student needs comes first, and all of it is soon read.
is 'README.md begins with what a student does' "$(sed -n 's/^## //p' README.md | head -n 5)" \
    'Two commands
Change a block size
Write a kernel
Find a mistake
Hand in'
for readme in README.md README.ja.md; do
    is "$readme has 150 lines at most" "$(sed -n 151p $readme)" ''
done
is 'docs/README.md tells of each room' "$(sed -n '/^## Rooms/,/^## Who/s|^    \([a-z0-9_]*/\) .*|\1|p' docs/design.md |
    grep -v ^lab | while read -r room; do grep -q "^    $room " docs/README.md || echo "$room"; done)" ''
is 'docs/README.md lists all pages' "$(for page in docs/*.md; do
    case $page in *.ja.md | */README.md) ;; *) grep -q "(${page#docs/})" docs/README.md || echo "$page" ;; esac
done)" ''

done_testing
