#!/bin/sh
# plots.t - plots/draw.sh draws what its tables of figures name: all of it, what was measured, and
# nothing else. What needs the report's tables is drawn from those that report/analyse.sh makes. A
# golden line is a figure; which of many numbers or lines has changed in it the figures themselves
# show: KEEP=DIR sh tests/plots.t, before and after.
. tests/tap.sh
. tests/drawn.sh

! why=$(lacks gnuplot sqlite3) || skip_all "$why"
"$MAKE" -s BACKEND="$BACKEND" "$B/labs.csv" >/dev/null || exit 1 # of all labs

# A copy of all that is read, in which labs and figures can be added; of sources one that has not
# the lines of the labs', which change.
tree="$folder/a tree"
mkdir "$tree"
tar -cf - plots/*.* report/*.* tools data/reference lab*_*/*.tsv lab*_*/*.md lab*_*/*.sql |
    tar -xf - -C "$tree"
cat >"$tree/lab2_matprod/few.cu" <<'END'
__global__ void naive(float *c)
{
    c[0] = 1;
}
__global__ void register_sum(float *c)
{
    float sum = 1;
    c[0] = sum;
}
const variant few[] = {GPU_VARIANT("naive", ""), GPU_VARIANT("register_sum", "")};
END
labs=$folder/labs.csv
{
    cat "$B/labs.csv"
    echo 'lab97_new,new,a new lab,vector,length / items,1,,,,,,,'
} >"$labs"
: "${KEEP:=$folder}"
out=$KEEP/figures
results=$folder/results

draw() {
    sh "$tree/plots/draw.sh" --results "$results" --labs "$labs" --out "$out" --formats svg "$@"
}

# analyse ARGUMENT...: the tables, into $tables.
tables=$folder/report/tables
analyse() {
    sh "$tree/report/analyse.sh" --results "$results" --labs "$labs" --out "$folder/report" "$@"
}

# texts_of ELEMENT FIGURE...: the lines of all texts, or of what is told under the mouse (title);
# numbers alone are left out, before each stands the figure's name.
texts_of() {
    element=$1
    shift
    awk -v element="$element" '
        FNR == 1 { name = FILENAME; gsub(/.*\/|[.]svg$/, "", name) }
        $0 ~ "<" element { is_text = 1 }
        is_text {
            ends = $0 ~ "</" element ">"
            gsub(/<[^>]*>|^[ \t]+/, "")
            if ($0 !~ /^[-0-9. ]*$/) print name ": " $0
            is_text = !ends
        }' "$@"
}

# golden_figures NAME MACHINE: what draw.sh said, and what its figures say, are golden; and how the
# figures look.
golden_figures() {
    {
        sed "s|$out|./figures|; s/ failed: .*/ failed/" "$folder/err"
        awk -v sums="$folder/sums" -f tests/sum.awk -f tests/texts.awk "$out/$2"/*.svg
    } >"$folder/texts"
    golden "$1.txt" "$folder/texts"
    golden_look "$1_look.txt" "$out/$2"/*.svg
}

# A machine without a GPU.
m=nvidia-h200
mkdir "$results" && cp -R report/made_up/laptop report/made_up/gpus-x4 "$results/"

# Recorded rows ------------------------------------------------------------------------------------

# All of its figures are drawn in test-all; in make test plotted.t draws each kind, by few rows. With
# ACCEPT=1 golden texts are taken from what is drawn now: look at the figures first.
analyse $m
# What the selects and the tables of figures hold, of all labs.
{
    for table in "$tables"/figure_*.csv; do
        for name in text heading row x_title alike about name; do
            column $name "$table"
        done
    done
    column size_axis "$B/labs.csv"
    cut -f 8- plots/*.tsv lab*_*/figures.tsv | sed '/title/d; s/{lab}//'
    sed '/pictures.gp/d' plots/*.tsv lab*_*/figures.tsv | cut -f 4,5 | tr '\t' '\n' | grep ' '
    sed -n '/pictures.gp/p' lab*_*/figures.tsv | cut -f 5 |
        awk -F "'" -v OFS='\n' '{ for (i = 1; i <= NF; i += 2) gsub(/ +/, "\n", $i) } { $1 = $1 } 1'
    for readme in lab*_*/README.md; do
        sed -n '1s/# //p' "$readme"
    done
} | sed '/^ *$/d' | sort -u >"$folder/said.txt"
is 'sizes beside 1024 that have fewer rows are on no curve' \
    "$(column lab x "$tables/figure_curves.csv" | grep -c -e '^lab2_matprod,10[04]0[.]')" 0
is 'names beside the points of speed and error are in the picture, however many' \
    "$(column lab variant label_y "$tables/figure_accuracy.csv" | awk -F , '$3 < 0 || $3 > 1')" ''
is 'in a roofline a point has the roof of its units' "$(column processor lab style measure \
    "$tables/figure_roofline.csv" | grep 'gpu,lab[24]' | LC_ALL=C sort)" \
    'gpu,lab2_matprod,fastest,tensor_fp16
gpu,lab2_matprod,first,fma
gpu,lab2_matprod,library,fma
gpu,lab4_template,fastest,tensor_int8
gpu,lab4_template,first,int32
gpu,lab4_template,library,int32'
# Paths in the colour of the first kernel that go on from a second point.
joined() {
    grep -c 'stroke=.rgb(176,  42,   8).*L[0-9.,]* *L[0-9.]' "$out/$m/$1_occupancy.svg"
}
if thorough; then
    exits 'a recorded machine is drawn' 0 draw --tables "$tables" $m
    golden_figures figures $m
    is 'lines join square blocks: occupancy, that of 2012, time' "$(joined lab3)" 3
    is 'but not blocks that have no order' "$(joined lab5)" 0
    analyse --compare $m laptop
    exits 'several machines' 0 draw --compare --tables "$tables" compare
    golden_figures compare compare
fi

# Rows made up -------------------------------------------------------------------------------------

# A new lab, in an old file's columns, and a machine whose name means something to shells and to
# XML. No row gets into its figures that is not ok, emulated, hot or of other parameters: 1e-12 s
# would stretch the axis to 10^-12.
new="o'dd & <b>%d"
mkdir -p "$results/$new" "$tree/lab97_new"
echo '# Lab 97: brand_new' >"$tree/lab97_new/README.md"
cp tests/new_lab/lab97_new/lab97_new.csv "$results/$new/"
analyse "$new"
exits 'a lab without a table of figures gets one' 0 draw --tables "$tables" "$new"
golden_figures new_lab "$new"
like 'a second run draws nothing again' "$(draw --tables "$tables" "$new" 2>&1)" 'are those of these'
cp "$tables/figure_curves.csv" "$folder/curves"
sed 's/first_one/renamed/g' "$folder/curves" >"$tables/figure_curves.csv"
draw --tables "$tables" "$new" 2>/dev/null
ok 'what its source changed is drawn again' \
    grep -q '>renamed<' "$out/$new/lab97_time_vs_size.svg"
cp "$folder/curves" "$tables/figure_curves.csv"
draw --tables "$tables" "$new" 2>/dev/null
ok 'no time of 1e-12 s' not grep -q -e '>-12<' "$out/$new/lab97_time_vs_size.svg"
# fonts FONT: fc-list names that font.
mkdir "$folder/bin"
fonts() {
    printf '#!/bin/sh\necho "%s"\n' "$1" >"$folder/bin/fc-list" && chmod +x "$folder/bin/fc-list"
}
in_japanese() {
    PATH=$folder/bin:$PATH draw --tables "$tables" --lang ja "$@"
}
fonts ''
exits 'in Japanese without a font for it' 0 in_japanese "$new"
like 'a line says what is missing' "$(cat "$folder/err")" 'no font .*--lang ja .*make setup-report'
ok 'and words stay English' grep -q '>time / s<' "$out/$new.ja/lab97_time_vs_size.svg"
# A table that has a figure, one without rows, one without its table, and a script that fails; and a
# map in which a match is boxed.
cp tests/new_lab/lab97_new/figures.tsv "$tree/lab97_new/"
mkdir "$results/$new/pictures"
printf 'P5 4 3 255\nabcdefghijkl' >"$results/$new/pictures/template_map.pgm"
printf 'P5 5 4 255\nabcdefghijklmnopqrst' >"$results/$new/pictures/template_input.pgm"
echo '2 1 2 2' >"$results/$new/pictures/template_match.txt"
printf '%s\t' map pictures.gp pictures 'template_map template_input' 'one two' match '' \
    >>"$tree/lab97_new/figures.tsv"
echo 'A map' >>"$tree/lab97_new/figures.tsv"
echo 'plot nonsense(' >"$tree/plots/broken.gp"
touch "$out/$new/none.pdf" "$out/$new/miss.png" "$out/$new/miss.pdf"
exits 'what has nothing to draw is left out, a script that fails is a failure' 1 \
    draw --tables "$tables" --formats 'png svg' "$new"
golden_figures new_table "$new"
is 'nothing of an earlier run stays' "$(cd "$out/$new" && echo none* miss*)" 'none* miss*'
is 'what a map shows' "$(texts_of text "$out/$new/map.svg" | sed 's/^map: //' | tr '\n' ' ')" \
    "$(echo "A map $new one least greatest two " | sed 's/&/\&amp;/; s/</\&lt;/')"
is 'a PNG' "$(od -A n -t x1 -N 8 "$out/$new/mine.png" | tr -d ' \n')" 89504e470d0a1a0a
rm -r "$tree/lab97_new"

# Without a GPU ------------------------------------------------------------------------------------

# Of lab 0 a machine may have the rate of its units alone, as small sizes give, or that of its memory.
grep "^name\|^roofline_cpu" "$tree/plots/figures.tsv" >"$folder/list.tsv"
mkdir "$results/small"
cat >"$results/small/lab1_vecadd.csv" <<END
variant,kind,role,parameters,width,height,time_s,bytes,flops,gb_per_s,gflop_per_s,status
cpu,cpu,serial,type=f32,268435456,1,1,3e9,3e8,3,0.3,ok
END
for roof in 'copy,40,' 'fma,,200'; do
    printf '%s\n' variant,kind,role,width,height,time_s,parameters,gb_per_s,gflop_per_s,status \
        "cpu,cpu,serial,64,1,1,measure=$roof,ok" >"$results/small/lab0_ceilings.csv"
    analyse small
    exits "a roofline of one roof, ${roof%%,*}" 0 draw --tables "$tables" --list "$folder/list.tsv" small
    ok 'is drawn' grep -q '>lab1 cpu' "$out/small/roofline_cpu.svg"
done

# The recorded GPU's curves, and the speedup of which machine.
exits 'without tables' 0 draw laptop
like 'those of rows are left out' "$(cat "$folder/err")" 'need sqlite3.*figure10'
analyse laptop
exits 'a machine without a GPU' 0 draw --tables "$tables" laptop
# (Figures of the kernels alone are those of the recorded machine.)
rm "$out/laptop/"[es]*.svg "$out/laptop/"roofline*.svg "$out/laptop/profile.svg"
golden_figures laptop laptop

# What is told under the mouse, and in other words -------------------------------------------------

is 'a point tells of its row, in lines' "$(awk '/<g><title>cublas, 4096/, /<\/title>/ {
        gsub(/^[ \t]*<g><title>|<\/title>/, ""); print }' "$out/laptop/lab2_gflops_vs_size.svg")" \
    "$(column variant width cache time_s time_q1_s time_q3_s \
        data/reference/nvidia-h200/lab2_matprod.csv | awk -F , '
        $1 == "cublas" && $2 == 4096 && $3 == "cold" {
            printf "cublas, 4096\n%.2f ms\nquartiles %.2f and %.2f\nnvidia-h200", 1e3 * $4,
                1e3 * $5, 1e3 * $6 }')"
fonts 'A Font'
exits 'with one' 0 in_japanese laptop
analyse gpus-x4
exits 'several GPUs' 0 in_japanese gpus-x4

# left_english: the words of its lines that are no names: of machines, labs, variants, ways of
# transfer, units, and what is called so in Japanese, too.
left_english() {
    {
        for csv in data/reference/*/lab*.csv report/made_up/gpus-x4/lab*.csv; do
            column variant "$csv"
            column parameters "$csv"
        done
        for csv in data/reference/*/profile.csv; do
            column stall "$csv"
        done
        ls data/reference
        printf '%s\n' CPU GPU OpenMP Amdahl DRAM FMA FP TF INT int TOP GB GFLOP TFLOP MPixel Mi Ki ms \
            ns float \
            naive laptop gpus pageable pinned mapped mapped_output unified unified_prefetch lab \
            Tesla rgb rgba
    } | grep -o '[A-Za-z_]*' | sort -u >"$folder/names"
    sed 's/\\n/ /g' | grep -o '[A-Za-z_]*' | grep .. | sort -u | grep -v -x -F -f "$folder/names"
}
set -- "$out"/laptop.ja/*.svg "$out/gpus-x4.ja/gpus.svg"
golden_look japanese_look.txt "$out"/laptop.ja/*.svg
golden_look gpus_look.txt "$out"/gpus-x4.ja/*.svg
is 'every word of its figures is Japanese' "$({ texts_of text "$@"; texts_of title "$@"; } |
    sed 's/^[^:]*://; s/&[a-z]*;/ /g' | left_english)" ''

# But for SM, our word for a multiprocessor, and the float that an estimate is in.
is "each translation has its phrase's names and units, and no others" "$(awk -F '\t' '
    !/^#/ {
        n = split($2, word, /[^A-Za-z]+/)
        for (i = 1; i <= n; i++)
            if (index($1, word[i]) == 0 && word[i] !~ /^(SM|float)?$/)
                print $0
    }' plots/words.ja.tsv)" ''

cut -f 1 plots/words.ja.tsv | sed 's/^"\(.*\)"$/\1/' >"$folder/phrases"
is 'what scripts say has its translation' "$(grep -ho 'said("[^"]*")' plots/*.gp |
    sed 's/^said("//; s/")$//' | grep -vxF -f "$folder/phrases")" ''
is 'no script writes a text past said()' \
    "$(grep -n -E '(label( [0-9]+)?|title) "' plots/*.gp)" ''

# Titles of compare.sql and figures.sql that no figure here has.
printf '%s\n' 'Tesla against Tesla' 'naive| 6720×4480| blocks of 32×4' >>"$folder/said.txt"
# And texts with numbers in them, which figures here may lack.
grep -ho 'said(sprintf("[^"]*"' plots/*.gp | sed 's/.*("//; s/"$//; s/%[.0-9]*[a-z]/1/g' >>"$folder/said.txt"
cat >"$folder/said.gp" <<END
output = ''; machine = ''; gpu_name = ''; own = ''; gpu = ''; title = ''; root = ''
words_file = 'plots/words.ja.tsv'
load 'plots/style.gp'
set datafile separator '\t'
unset datafile columnheaders
set table '$folder/spoken'
plot '$folder/said.txt' using (said(strcol(1))) with table
END
LC_ALL=C.UTF-8 gnuplot "$folder/said.gp"
is 'and so are those of all labs' "$(left_english <"$folder/spoken")" ''

# A PNG has twice the pixels, a PDF a point a pixel.
{
    gnuplot --version
    for format in png pdf; do
        gnuplot -e "output = '$folder/empty.$format'; is_svg = 0; width = 800; height = 500;
            font = 'sans-serif,12'; load 'plots/canvas.gp'; print GPVAL_TERM, GPVAL_TERMOPTIONS"
    done
} >"$folder/formats" 2>&1
golden_drawn formats_look.txt "$folder/formats"

# Command line -------------------------------------------------------------------------------------

refuses 'no machine' 2 'not the name of' draw
refuses 'a language without words' 2 'no words for --lang xx' draw --lang xx laptop
refuses 'an unknown format' 2 "'gif' is no format" draw --formats gif laptop
refuses 'no list of labs' 2 'what --labs names' draw --labs '' laptop
refuses 'an option that does not exist' 2 "unknown option '--size'" draw --size 3
is 'a line that is wider than its figure has a smaller font' "$({
    sed -n '/^width = /p; /^small_/p; /^narrow/,/? 0 : 1/p; /^fitting/,/^    : /p' plots/style.gp
    echo 'line = ""; do for [i = 1:119] { line = line . "x" }; print fitting("short") . " " . fitting(line)'
} | gnuplot 2>&1)" 'sans-serif,10 sans-serif,9'
refuses 'no gnuplot' 3 'make setup' env GNUPLOT=/nowhere/gnuplot sh "$tree/plots/draw.sh" \
    --results "$results" --out "$out" --labs "$labs" laptop

done_testing
