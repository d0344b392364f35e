#!/bin/sh
# chain.t - `make run-all` from end to end, with two labs and small sizes into folders of its own:
# rows, pictures, run.json and figures; and runs after it, which add to the rows. new_lab.t goes on
# to the report.
. tests/tap.sh
thorough_only

go() {
  "$MAKE" BACKEND="$BACKEND" LABS='lab2_matprod lab3_bilateral' RESULTS="$folder/results" \
    FIGURES="$folder/figures" REPORT="$folder/report" MACHINE=test-machine TRIALS=2 \
    OPTIONS='--time-cap 0.02' SIZES='64 96' BLOCKS='8 16x4' PHOTO="$folder/my photo.bmp" "$@" \
    >"$folder/said" 2>&1
}
results=$folder/results/test-machine
matprod=$results/lab2_matprod.csv

# shows COMMAND...: with what make said, where it failed
shows() {
  "$@" || { tail -n 20 "$folder/said"; return 1; }
}

# A picture of one's own, under a name with a blank; a small one, for speed.
ok 'a picture' "$B/picture" --resample 160x120 data/images/photo.bmp "$folder/my photo.bmp"
ok 'make run-all' shows go run-all
for lab in lab2_matprod lab3_bilateral; do
  csv=$results/$lab.csv
  is "$lab: only ok and skipped rows" "$(column status "$csv" | grep -vxE 'ok|skipped')" ''
  is "$lab: every ok row but the emulated has its time, no other" \
    "$(column status kind time_s "$csv" |
      awk -F , '($1 == "ok" && $2 != "emulated") != ($3 > 0)')" ''
  is "$lab: a speedup is the serial time over the row's" \
    "$(column role width height time_s speedup "$csv" | awk -F , '
      $1 == "serial" { serial[$2 "x" $3] = $4 }
      $5 != "" { r = serial[$2 "x" $3] / $4 / $5; if (!(r > 0.999 && r < 1.001)) print }')" ''
  is "$lab: machine" "$(column machine "$csv" | sort -u)" test-machine
  like "$lab: run.json has its run" "$(cat "$results/run.json")" "\"$lab\": .*\"wrong_rows\": 0"
done
is 'a picture is a picture' "$(head -c 2 "$results/pictures/bilateral_1.pgm")" P5
ok 'passes differ' not cmp -s "$results/pictures/bilateral_1.pgm" \
  "$results/pictures/bilateral_2.pgm"
like 'it says at the end how many rows are right' "$(cat "$folder/said")" \
  "^$(cat "$matprod" "$results/lab3_bilateral.csv" | grep -vc '^lab,') rows in .* 0 wrong, 0 failed"

if command -v gnuplot >/dev/null 2>&1; then
  ok 'a figure' test -s "$folder/figures/test-machine/lab2_time_vs_size.svg"
else
  skip 'a figure' "$(lacks gnuplot)"
fi

# Another run replaces what it measures and keeps the others.
cp "$matprod" "$folder/before.csv"
ok 'a small run' shows go run-lab2 SIZES=17 VARIANTS='cpu naive' BLOCKS=4
is 'adds its rows' "$(column variant width "$matprod" | grep ',17$' | tr '\n' ' ')" \
  'cpu,17 naive,17 '
is 'and loses none' "$(column width "$matprod" | grep -vcx 17)" \
  "$(column width "$folder/before.csv" | wc -l | tr -d ' ')"
ok 'FRESH=1' shows go run-lab2 SIZES=17 VARIANTS='cpu naive' BLOCKS=4 FRESH=1
is 'starts anew' "$(column width "$matprod" | sort -u)" 17

ok "the suite's picture" shows go run-lab3 PHOTO= SIZES=97 VARIANTS=cpu
ok 'a PHOTO that is not there is refused' not go run-lab3 PHOTO="$folder/none.bmp" SIZES=98
done_testing
