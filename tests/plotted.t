#!/bin/sh
# plotted.t - the numbers that figures show, of rows so few that they can be followed by hand:
# gnuplot writes them as tables in place of pictures. And how the same figures look. A golden line is
# a panel; KEEP=DIR keeps all its points, in DIR/numbers.
. tests/tap.sh
. tests/drawn.sh

! why=$(lacks gnuplot sqlite3) || skip_all "$why"
"$MAKE" -s BACKEND="$BACKEND" "$B/labs.csv" >/dev/null || exit 1 # of all labs

# A copy of all that is read.
tar -cf - plots/*.* report/*.* tools data/reference lab*_*/*.tsv lab*_*/*.md lab*_*/*.sql |
    tar -xf - -C "$folder"
few=$folder/results/few
mkdir -p "$few" "$folder/lab97_new"
cp report/made_up/sizes/* report/made_up/ties/lab3* report/made_up/threads/lab1* \
    tests/new_lab/lab97_new/*.csv "$few"
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
# One block more, and their names have no room side by side.
sed -n 's/,32,8,0.6,/,32,4,0.7,/p' "$few/lab4_template.csv" >"$folder/csv" &&
    cat "$folder/csv" >>"$few/lab4_template.csv"
{ cat plots/default.tsv && grep ^mine tests/new_lab/lab97_new/figures.tsv; } \
    >"$folder/lab97_new/figures.tsv"
# Pictures: a gray one and a coloured one, and two so wide that only some columns are drawn; their
# part is wide, too. A part that is given, and a file that gives none.
mkdir "$few/pictures"
# picture KIND WIDTH HEIGHT: its bytes go up and down along it, by less in each line.
picture() {
    printf '%s %s %s 255\n' "$@"
    awk -v bytes="$(($2 * $3 * (1 + 2 * (${1#P} - 5))))" -v width="$2" 'BEGIN {
        for (i = 0; i < bytes; i++)
            printf "%c", 33 + int(45 * (1 + sin(i / 7) / (1 + i / width)))
    }'
}
(
    cd "$few/pictures" || exit
    picture P5 50 40 >gray.pgm
    picture P6 60 48 >colour.ppm
    picture P5 70 80 >tall.pgm
    picture P5 2000 30 >wide.pgm
    picture P6 2000 40 >wide_too.ppm
    printf 'P5 50 40 16\n' >coarse.pgm
    echo 0 7 30 4 >crop.txt
    echo 11 7 30 >broken.txt
    echo 5 6 20 10 >template_match.txt
)
printf '%s\tpictures.gp\tpictures\t%s\t%s\t%s\t%s\t%s\n' \
    part 'colour gray' "one 'the other'" part '0.3 0.25' 'A part' \
    given 'gray colour coarse' 'one two three' part '0.1 0.5 crop.txt' 'A given part' \
    broken 'gray colour' 'one two' part '0.6 0.9 broken.txt' 'A part that is not given' \
    stretch 'wide_too wide' 'one two' stretch '0.2 0' 'A stretched part' \
    match 'gray colour tall' 'one two three' match '' 'A match' \
    gone 'gray none' 'one two' stretch '0.5 0.5' 'No second' >>"$folder/lab97_new/figures.tsv"
echo 'lab97_new,new,a new lab,vector,length / items,1,,,,,,,' | cat "$B/labs.csv" - >"$folder/labs"
set -- --results "$folder/results" --labs "$folder/labs"
ok 'few rows are analysed' sh "$folder/report/analyse.sh" "$@" --out "$folder/out" few
set -- "$@" --out "$folder/figures" --formats svg --tables "$folder/out/tables" few
if thorough; then
    ok 'and drawn' sh "$folder/plots/draw.sh" "$@"
    golden_look plotted_look.txt "$folder"/figures/few/*.svg
fi

# As tables: axes have no format of their own, which tables would take over, and the places of texts
# are numbers. Behind each panel stand its axes.
numbers=${KEEP:-$folder}/numbers
mkdir -p "${numbers%/*}" && rm -f "$numbers"
sed -i "s/10^{%T}/%g/; s/format x \"\"/format x \"%g\"/
    /^names/,/labels left/s/(said(strcol([a-z\"]*)))/(0)/
    s/with labels .* notitle'/with xerrorbars notitle'/" "$folder"/plots/*.gp
echo 'is_svg = 0; under_mouse = " with points notitle"' >>"$folder/plots/style.gp"
cat >>"$folder/plots/canvas.gp" <<END
text = system(sprintf("echo '%s %s %s %s' >>$numbers", script, lab, y, curve))
set table '$numbers' append
END
cat >"$folder/plots/axes.gp" <<END
unset table
text = system(sprintf("echo axes %g %g %g %g %g %g >>$numbers", GPVAL_X_LOG, GPVAL_Y_LOG, \\
    GPVAL_X_MIN, GPVAL_X_MAX, GPVAL_Y_MIN, GPVAL_Y_MAX))
set table '$numbers' append
END
for script in "$folder"/plots/*.gp; do
    awk -v axes="load '$folder/plots/axes.gp'" '
        /^ *plot / { is_plot = 1 }
        { print }
        is_plot && !/\\$/ { print axes; is_plot = 0 }' "$script" >"$folder/script" &&
        mv "$folder/script" "$script"
done
rm -rf "$folder/figures" "$few/pictures"
ok 'and drawn as tables' sh "$folder/plots/draw.sh" "$@"
awk -v sums="$folder/sums" -f tests/sum.awk -f tests/curves.awk "$numbers" \
    >"$folder/plotted.txt"
golden plotted.txt "$folder/plotted.txt"
done_testing
