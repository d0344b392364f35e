#!/bin/sh
# plots.t - plots/draw.sh draws what its tables of figures name: all of it, what was measured, and
# nothing else. What needs the report's tables is drawn from those that report/analyse.sh makes.
# shellcheck source=tests/tap.sh
. tests/tap.sh

command -v gnuplot >/dev/null 2>&1 || skip_all 'gnuplot is not installed'
"$MAKE" -s BACKEND="$BACKEND" "$B/labs.csv" >/dev/null || exit 1 # of all labs

# A copy of all that is read, in which labs and figures can be added.
tree="$folder/a tree"
mkdir "$tree"
tar -cf - plots/*.* report/*.* tools data/reference lab*_*/*.tsv lab*_*/*.md lab*_*/*.sql |
    tar -xf - -C "$tree"
labs=$folder/labs.csv
{
    cat "$B/labs.csv"
    echo 'lab9_new,new,a new lab,vector,length / items,1,,,,,,,'
} >"$labs"
out=$folder/figures
results=$folder/results

# draw STATUS ARGUMENT...: runs the copy's draw.sh; its words go to said.
draw() {
    expected=$1
    shift
    sh "$tree/plots/draw.sh" --results "$results" --labs "$labs" --out "$out" --formats svg "$@" \
        >"$folder/said" 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || { echo "exit status $status" && cat "$folder/said" \
        && return 1; }
}

# analyse ARGUMENT...: the tables, into $tables.
tables=$folder/report/tables
analyse() {
    sh "$tree/report/analyse.sh" --results "$results" --labs "$labs" --out "$folder/report" "$@"
}

said() {
    grep -q -e "$1" "$folder/said" || { cat "$folder/said" && return 1; }
}

# golden_texts NAME MACHINE: all texts of its figures, as lines of `figure: text`, are golden.
golden_texts() {
    awk '
        FNR == 1 { name = FILENAME; gsub(/.*\/|[.]svg$/, "", name) }
        /<text/ { is_text = 1 }
        is_text {
            ends = /<\/text>/
            gsub(/<[^>]*>|^[ \t]+/, "")
            if ($0 != "") print name ": " $0
            is_text = !ends
        }' "$out/$2"/*.svg >"$folder/texts"
    golden "$1" "$folder/texts"
}

# A machine without a GPU.
m=nvidia-h200
mkdir -p "$results/laptop"
sed 's/,gpu,/,emulated,/; /,vendor,/d' data/reference/$m/lab2_matprod.csv \
    >"$results/laptop/lab2_matprod.csv"

# Recorded rows ------------------------------------------------------------------------------------

# With ACCEPT=1 the golden texts are taken from what is drawn now: look at the figures first.
if command -v sqlite3 >/dev/null 2>&1; then
    analyse $m
    ok 'a recorded machine is drawn' draw 0 --tables "$tables" $m
    golden_texts figures.txt $m
    is 'every figure is there, but those of pictures, which are no part of recorded results' \
        "$(sed 's/: .*//' "$folder/texts" | uniq)" \
        "$(sed -n '/^#/d; /^name/d; /\tpictures\t/d; s/\t.*//p' plots/figures.tsv lab*/figures.tsv |
            sort)"
    ok 'a second run draws nothing again' draw 0 --tables "$tables" $m
    ok 'and says so' said 'are those of these results'
    sed 's/12 floats/13 floats/' "$tables/figure_bars.csv" >"$folder/changed" &&
        cp "$folder/changed" "$tables/figure_bars.csv"
    draw 0 --tables "$tables" $m
    ok 'what its source changed is drawn again' grep -q '53300 estimated, 13 floats' \
        "$out/$m/lab7_algorithms.svg"
    analyse --compare $m laptop
    ok 'several machines' draw 0 --compare --tables "$tables" compare
    golden_texts compare.txt compare
else
    skip 'figures of tables' 'sqlite3 is not installed'
fi

# Rows made up -------------------------------------------------------------------------------------

# A new lab, in an old file's columns, and a machine whose name means something to shells and to
# XML. No row gets into its figures that is not ok, emulated, hot or of other parameters: 1e-12 s
# would stretch the axis to 10^-12.
new="o'dd & <b>%d"
mkdir -p "$results/$new" "$tree/lab9_new"
echo '# Lab 9: brand_new' >"$tree/lab9_new/README.md"
cp tests/new_lab/lab9_new.csv "$results/$new/"
ok 'a lab without a table of figures gets one' draw 0 "$new"
ok 'rows of other parameters are not drawn, which is said' said 'lab9_time_vs_size: 1 rows of other parameters'
ok 'figures of tables are named' said 'need sqlite3.*profile'
ok 'no figure 10 without its labs' not test -e "$out/$new/figure10.svg"
ok 'and labs without rows are named' said "lab2_matprod: no rows of o'dd"

line() {
    printf '%s' "$1"
    shift
    for word; do
        printf '\t%s' "$word"
    done
    echo
}
{
    line mine curves.gp rows block gb_per_s size variant=first_one "My 'own' <figure>"
    line none curves.gp rows size speedup variant '' 'Nothing'
    line miss amdahl.gp nowhere '' '' measured '' 'No table'
} >"$tree/lab9_new/figures.tsv"
ok 'what has nothing to draw is no failure' draw 0 --tables "$folder" "$new"
golden_texts new_lab.txt "$new"
ok 'what has nothing says why' said 'none left out: no measured rows with speedup'
ok 'so does a missing table' said 'miss left out: there is no table nowhere'
echo 'plot nonsense(' >"$tree/plots/broken.gp"
line broken broken.gp rows '' '' '' '' 'Broken' >>"$tree/lab9_new/figures.tsv"
ok 'a script that fails is one' draw 1 "$new"
ok 'and is named' said 'broken: broken.gp failed'
line only curves.gp rows size time_s variant '' Only >"$tree/lab9_new/figures.tsv"
draw 0 --formats 'png svg' "$new"
is 'a PNG' "$(od -A n -t x1 -N 8 "$out/$new/only.png" | tr -d ' \n')" 89504e470d0a1a0a
rm "$tree/lab9_new/figures.tsv"

# Without a GPU ------------------------------------------------------------------------------------

# The recorded GPU's curves, and the speedup of which machine.
ok 'a machine without a GPU' draw 0 laptop
golden_texts laptop.txt laptop

# Command line -------------------------------------------------------------------------------------

drawer() {
    sh "$tree/plots/draw.sh" --results "$results" --out "$out" "$@"
}
refuses 'no machine' 2 'not the name of' drawer --labs "$labs"
refuses 'an unknown machine' 2 "no results for 'unknown'" drawer --labs "$labs" unknown
refuses 'an unknown format' 2 "'gif' is no format" drawer --labs "$labs" --formats gif laptop
refuses 'no list of labs' 2 'what --labs names' drawer laptop
refuses 'an option that does not exist' 2 "unknown option '--size'" drawer --size 3
refuses 'no gnuplot' 3 'make setup' env GNUPLOT=/nowhere/gnuplot sh "$tree/plots/draw.sh" \
    --results "$results" --out "$out" --labs "$labs" laptop

done_testing
