#!/bin/sh
# drawings.sh - the drawings of the labs' rungs into docs/drawings; and into the labs' READMEs and notes
# what CARD's recorded rows say: tables of times, each rung's three lines of arithmetic.
# usage: report/drawings.sh REPORT CARD       REPORT is the folder with a folder for each machine
set -e

rm -rf docs/drawings
mkdir docs/drawings
for table in lab*_*/drawings.tsv; do
  awk -v lab="${table%/*}" -v out=docs/drawings -f report/rungs.awk -f report/drawings.awk
done
sqlite3 -readonly -csv -header "$1/$2/results.db" <report/arithmetic.sql >"$1/$2/tables/arithmetic.csv"
for page in lab*_*/README*.md lab*_*/NOTES*.md; do
  awk -v lab="${page%/*}" -v readme="$page" -f tools/csv.awk -f report/markdown.awk \
    -f report/rungs.awk -f report/readme.awk "$1/$2/tables/best_by_size.csv" >"$1/page.md"
  mv "$1/page.md" "$page"
done
