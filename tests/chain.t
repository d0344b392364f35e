#!/bin/sh
# chain.t - `make run-all` from end to end, with small sizes into a folder of its own: every CSV, the
# pictures, run.json, the figures and the report.
# shellcheck source=tests/tap.sh
. tests/tap.sh

run_all() {
  "$MAKE" run-all "$@" BACKEND="$BACKEND" RESULTS="$folder/results" FIGURES="$folder/figures" REPORT="$folder/report" \
    MACHINE=test-machine SIZES='96 128' BLOCKS='8 16x4' TRIALS=2 OPTIONS='--time-cap 0.02'
}

ok 'make run-all report' run_all report
ok 'the report is written' grep -q 'a lab report on test-machine' "$folder/report/test-machine/report.md"
ok 'with its tables' test -s "$folder/report/test-machine/tables/lab2_cpu.csv"
results=$folder/results/test-machine
for lab in lab0_ceilings lab1_vecadd lab2_matprod lab3_bilateral lab4_template lab5_gaussian lab6_banding; do
  csv=$results/$lab.csv
  is "$lab: the header" "$(head -n 1 "$csv" | tr -d '\r')" "$results_header"
  is "$lab: RFC 4180 line ends" "$(grep -c "$(printf '\r')\$" "$csv")" "$(wc -l <"$csv" | tr -d ' ')"
  is "$lab: only ok and skipped rows" \
    "$(column status "$csv" | grep -v -x -e ok -e skipped)" ''
  is "$lab: every ok row has its time, every skipped one has none" \
    "$(awk -F , '
      NR == 1 { for (i = 1; i <= NF; i++) if ($i == "status") s = i }
      NR > 1 && ($s == "ok") != ($12 > 0)' "$csv")" ''
  is "$lab: order of the quantiles" \
    "$(awk -F , 'NR > 1 && $12 != "" && !($13 <= $14 && $14 <= $12 && $12 <= $15 && $15 <= $16)' "$csv")" ''
  is "$lab: a speedup is the serial time over the row's" "$(awk -F , '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "speedup") s = i }
    NR > 1 && $2 == "cpu" { serial[$6 "x" $7] = $12 }
    NR > 1 && $s != "" { r = serial[$6 "x" $7] / $12 / $s; if (!(r > 0.999 && r < 1.001)) print }' "$csv")" ''
  is "$lab: machine" "$(awk -F , 'NR > 1 && $4 != "test-machine"' "$csv")" ''
  like "$lab: run.json has its run" "$(cat "$results/run.json")" "\"$lab\": .*\"wrong_rows\": 0"
done
if command -v python3 >/dev/null 2>&1; then
  ok 'run.json is JSON' python3 -m json.tool "$results/run.json"
fi
for picture in bilateral_0 bilateral_1 bilateral_2 bilateral_3 template_input template_map; do
  is "$picture.pgm is a picture" "$(head -c 2 "$results/pictures/$picture.pgm")" P5
done
is 'the match' "$(cat "$results/pictures/template_match.txt")" '582 450 64 64'
ok 'passes differ' not cmp -s "$results/pictures/bilateral_1.pgm" "$results/pictures/bilateral_2.pgm"

if command -v gnuplot >/dev/null 2>&1; then
  for figure in lab2_time_vs_size figure10 lab3_pictures lab4_template_map lab5_variants lab6_variants \
    lab6_pictures; do
    for ending in svg png; do
      ok "$figure.$ending" test -s "$folder/figures/test-machine/$figure.$ending"
    done
  done
else
  skip 'the figures' 'gnuplot is not installed'
fi

# A second run replaces, a resumed one keeps.
cp "$results/lab2_matprod.csv" "$folder/before.csv"
ok 'RESUME=1 finds nothing left to do' "$MAKE" run-lab2 BACKEND="$BACKEND" RESULTS="$folder/results" \
  MACHINE=test-machine SIZES='96 128' BLOCKS='8 16x4' TRIALS=2 RESUME=1
ok 'and keeps every row' cmp "$folder/before.csv" "$results/lab2_matprod.csv"

# Each lab builds and runs by itself.
ok 'make -C lab2_matprod run' "$MAKE" -C lab2_matprod run BACKEND="$BACKEND" RESULTS="$folder/alone" \
  MACHINE=alone SIZES=16 BLOCKS=4 VARIANTS='cpu naive'
is 'runs what was asked for' "$(cut -d , -f 2 "$folder/alone/alone/lab2_matprod.csv" | tr '\n' ' ')" \
  'variant cpu naive '
# A picture of one's own, under a name with a blank.
cp data/images/photo.bmp "$folder/my photo.bmp"
ok 'PHOTO=' "$MAKE" run-lab3 run-lab4 BACKEND="$BACKEND" RESULTS="$folder/own" MACHINE=own SIZES=96 \
  BLOCKS=8 VARIANTS='cpu naive' PHOTO="$folder/my photo.bmp"
ok 'a PHOTO that is not there is refused' not "$MAKE" run-lab4 BACKEND="$BACKEND" \
  RESULTS="$folder/own" MACHINE=own PHOTO="$folder/none.bmp"
ok 'an unknown backend is refused' not "$MAKE" all BACKEND=nonsense
done_testing
