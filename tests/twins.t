#!/bin/sh
# twins.t - documents in two languages say the same: where there is a README.ja.md it has what its
# README.md has: sections, tables, names, links, questions, and its numbers. (Small numbers may be
# words in either: only those of two digits or more are looked at, and only that none is missing.)
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

for twin in README.ja.md lab*_*/README.ja.md; do
    readme=${twin%.ja.md}.md
    is "$twin has what $readme has" "$(apart "$readme")" ''
    like "$readme leads to it" "$(sed -n 3p "$readme")" '^English \| \[日本語\]\(README.ja.md\)$'
    like "and $twin back" "$(sed -n 3p "$twin")" '^\[English\]\(README.md\) \| 日本語$'
done

done_testing
