#!/bin/sh
# docs.sh - takes over into docs/ what `make docs` has made of the recorded results: the report of
# CARD in both languages, two H200s' section on several GPUs, the comparison with other machines, all with the
# figures that they show; the rungs' drawings, and what the labs' pages have of the rows (drawings.sh);
# the H200's docs/accuracy.md; and the figures of docs/timing.md and docs/lens.md.
# usage: report/docs.sh REPORT CARD       REPORT is the folder with a folder for each machine
set -e
reports=$1 card=$2

# publish NAME FOLDER PAGE COMMAND...: into docs/NAME what the command prints of the page.
publish() {
  name=$1 from=$reports/$2 page=$3
  shift 3
  to=$page
  [ "$name" = report ] || to=$name
  for lang in '' .ja; do
    mkdir -p "docs/$name/figures$lang"
    "$@" "$from/$page$lang.md" >"docs/$name/$to$lang.md"
    figures=$(grep -o "figures$lang/[A-Za-z0-9_]*[.]png" "docs/$name/$to$lang.md")
    for figure in $figures; do
      cp "$from/$figure" "docs/$name/$figure"
    done
  done
}

rm -rf docs/report docs/gpus docs/compare
publish report "$card" report cat
publish report "$card" atlas cat
publish gpus nvidia-h200-x2 atlas awk '/^## / { p = 0 } sub(/^## A[.]12/, "#") { p = 1 } p'
publish compare compare compare cat
sh report/drawings.sh "$reports" "$card"
awk -f tools/csv.awk -f tools/accuracy.awk data/reference/nvidia-h200/accuracy_*.csv >docs/accuracy.md
sh tests/timing/claims.sh data/reference/nvidia-h200/timing
mv data/reference/nvidia-h200/timing/timing.png docs
LC_ALL=C.UTF-8 gnuplot -e "cards='nvidia-h100 nvidia-h200'; labs='$(find lab[1-9]*_* -maxdepth 0 | sort -V | paste -s -d ' ')'" \
    -e "root='.'; output='docs/lens_times.png'" tools/lens_scatter.gp
