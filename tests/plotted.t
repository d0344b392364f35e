#!/bin/sh
# plotted.t - the numbers that figures show, of rows so few that they can be followed by hand:
# gnuplot writes them as tables in place of pictures.
. tests/tap.sh

! why=$(lacks gnuplot sqlite3) || skip_all "$why"
"$MAKE" -s BACKEND="$BACKEND" "$B/labs.csv" >/dev/null || exit 1 # of all labs

# A copy of all that is read; axes in it have no powers of ten, which tables would take over, and
# the places of texts are numbers.
tar -cf - plots/*.* report/*.* tools data/reference lab*_*/*.tsv lab*_*/*.md lab*_*/*.sql |
    tar -xf - -C "$folder"
sed -i "s/10^{%T}/%g/; /^names/,/labels left/s/(said(strcol([a-z\"]*)))/(0)/
    s/with labels .* notitle'/with xerrorbars notitle'/" "$folder"/plots/*.gp
echo 'is_svg = 0; under_mouse = " with points notitle"' >>"$folder/plots/style.gp"
cat >>"$folder/plots/canvas.gp" <<END
text = system(sprintf("echo '%s %s %s %s' >>$folder/numbers", script, lab, y, curve))
set table '$folder/numbers' append
END
sed -i '/^load script/aload "axes.gp"' "$folder/plots/draw.sh"
cat >"$folder/plots/axes.gp" <<END
unset table
text = system(sprintf("echo axes %g %g %g %g %g %g >>$folder/numbers", GPVAL_X_LOG, GPVAL_Y_LOG, \\
    GPVAL_X_MIN, GPVAL_X_MAX, GPVAL_Y_MIN, GPVAL_Y_MAX))
END
few=$folder/results/few
mkdir -p "$few" "$folder/lab9_new"
cp report/made_up/sizes/* report/made_up/ties/lab3* report/made_up/threads/lab1* \
    tests/new_lab/lab9_new/*.csv "$few"
cp report/made_up/streams/timeline_lab6_banding.csv "$few"
cp report/made_up/sizes/lab2_matprod.csv "$few/lab6_banding.csv"
cp report/made_up/threads/lab2_matprod.csv "$few/lab7_blur.csv"
sed -i 's/,3.5,ok/,3,ok/' "$few"/lab1*
# Operations on integers, and bytes that were counted: 100 MB of memory's, 1000 of the L2's.
sed -i '1s/,flops,/,int_ops,/' "$few/lab6_banding.csv"
sed 's/,64,64,64,/,64,64,,/' report/made_up/profiled/profile.csv >"$few/profile.csv"
sed 's/,512,ok/,600,ok/' report/made_up/growth/lab2_matprod.csv >"$few/lab5_gaussian.csv"
# Quartiles, the lower a quarter below the median, the upper a half above.
for lab in lab1_vecadd lab5_gaussian; do
    awk -F , -v OFS=, '
        NR == 1 { for (t = 1; $t != "time_s";) t++ }
        { print $0, NR == 1 ? "time_q1_s,time_q3_s" : $t * 0.75 "," $t * 1.5 }' \
        "$few/$lab.csv" >"$folder/csv" && mv "$folder/csv" "$few/$lab.csv"
done
# Errors, a row's number of a 10^7th; of another lab ladder bars 1000 times each other.
awk -v OFS=, '{ print $0, NR == 1 ? "max_error" : NR "e-7" }' "$few/lab2_matprod.csv" \
    >"$folder/csv" && mv "$folder/csv" "$few/lab2_matprod.csv"
sed 's/^tile,\(.*\),0.2,ok/tile,\1,0.0008,ok/; s/type=f32/template=8x8/' \
    report/made_up/sizes/lab2_matprod.csv >"$few/lab4_template.csv"
{ cat plots/default.tsv && grep ^mine tests/new_lab/lab9_new/figures.tsv; } \
    >"$folder/lab9_new/figures.tsv"
echo 'lab9_new,new,a new lab,vector,length / items,1,,,,,,,' | cat "$B/labs.csv" - >"$folder/labs"
set -- --results "$folder/results" --labs "$folder/labs"
ok 'few rows are analysed' sh report/analyse.sh "$@" --out "$folder/out" few
ok 'and drawn' sh "$folder/plots/draw.sh" "$@" --out "$folder/figures" --formats svg \
    --tables "$folder/out/tables" few
# A curve a line, of more than 40 points each 50th; of those without any how many there are.
awk '
    function end_curve() {
        if (points != "")
            print points
        else
            empty += in_curve
        points = ""
        in_curve = 0
    }
    function end_empty() { if (empty) print empty " empty"; empty = 0 }
    /^# Curve [0-9]/ { end_curve(); in_curve = 1; n = 0; step = $6 > 40 ? 50 : 1 }
    /^[a-z]/ { end_curve(); end_empty(); print }
    /^[^#a-z]/ && n++ % step == 0 {
        if (points == "")
            end_empty()
        for (i = 1; i < NF; i++)
            points = points sprintf($i ~ /^[-0-9.]/ ? " %.4g" : " %s", $i)
        points = points ","
    }
    END { end_curve(); end_empty() }' "$folder/numbers" >"$folder/plotted.txt"
golden plotted.txt "$folder/plotted.txt"
done_testing
