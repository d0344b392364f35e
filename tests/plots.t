#!/bin/sh
# plots.t - plots/draw.sh draws what its tables of figures name: all of it, what was measured, and
# nothing else. What needs the report's tables is drawn from those that report/analyse.sh makes.
. tests/tap.sh

command -v gnuplot >/dev/null 2>&1 || skip_all 'gnuplot is not installed'

# A copy of all that is read, in which labs and figures can be added.
tree="$folder/a tree"
mkdir "$tree" "$tree/data"
cp -r plots report tools "$tree/"
rm -rf "$tree/plots/figures" "$tree/report/output"
cp -r data/reference "$tree/data/reference"
for lab in lab*_*/; do
    mkdir "$tree/$lab"
    for file in figures.tsv README.md report.sql; do
        [ ! -f "$lab$file" ] || cp "$lab$file" "$tree/$lab"
    done
done

labs=$folder/labs.csv
{
    echo 'lab,program,title,sizes_are,size_axis,block_dimensions'
    for lab in lab*_*/; do
        name=${lab%/}
        case $name in
            lab1_*) echo "$name,p,\"a, b\",vector,vector length / elements,1" ;;
            lab2_*) echo "$name,matprod,\"a, b\",product,matrix order N,2" ;;
            *) echo "$name,p,\"a, b\",image,picture size / pixels,2" ;;
        esac
    done
    echo 'lab9_new,new,a new lab,vector,length / items,1'
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

# analyse ARGUMENT...: the tables, into $folder/report/tables.
tables=$folder/report/tables
analyse() {
    sh "$tree/report/analyse.sh" --results "$results" --labs "$labs" --out "$folder/report" "$@"
}

said() {
    grep -q -e "$1" "$folder/said" || { cat "$folder/said" && return 1; }
}

# shows FIGURE TEXT...: a whole SVG that holds these texts; hides FIGURE TEXT...: and none of these.
shows() {
    figure=$out/$1.svg
    shift
    tail -n 3 "$figure" | grep -q '</svg>' || { echo "$figure is no whole SVG" && return 1; }
    for text; do
        grep -q -F -e ">$text<" "$figure" || { echo "no '$text'" && return 1; }
    done
}

hides() {
    figure=$out/$1.svg
    shift
    for text; do
        ! grep -F -e "$text" "$figure" || return 1
    done
}

# A machine without a GPU.
m=nvidia-h200
mkdir -p "$results/laptop"
sed 's/,gpu,/,emulated,/; /,vendor,/d' data/reference/$m/lab2_matprod.csv \
    >"$results/laptop/lab2_matprod.csv"

# Recorded rows ------------------------------------------------------------------------------------

ok 'a recorded machine is drawn' draw 0 $m
ok 'curves: axes with units, blocks, 2012' shows $m/lab2_time_vs_size 'time / s' 'matrix order N' \
    1×1 16×16 32×32 CPU 'Tesla C2050, 2012' $m
ok 'curves of variants: all, and rates' shows $m/lab2_gflops_vs_size 'arithmetic rate / (GFLOP/s)' \
    cpu_blas naive register_sum shared_tile cublas
ok 'speedup over what' shows $m/lab3_speedup_vs_block \
    'speedup over one CPU thread' 'block size / threads'
ok 'figure 10 has the labs of 2012' shows $m/figure10 \
    "$m; dashed: Tesla C2050, 2012" 'matrix order N' 'picture size / pixels'
ok 'figures of tables are named' said 'need sqlite3.*profile'

# Figures of tables --------------------------------------------------------------------------------

# Every line of a table but for those of pictures, which are no part of recorded results; each with
# its title.
all_drawn() {
    for list in plots/figures.tsv lab*/figures.tsv; do
        sed '1d; /^#/d' "$list" | tr '\t' '|' \
            | while IFS='|' read -r name _ source _ _ _ _ title; do
            [ "$source" = pictures ] || { shows "$m/$name" &&
                grep -q -F -e ">${title%%\'*}" "$out/$m/$name.svg"; } ||
                { echo "$name: '$title'" && exit 1; }
        done || return 1
    done
}

# The best block of each variant from the CSV itself, as the text beside its bar.
bars_match() {
    awk -F , '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["width"] == 6720 && $at["kind"] == "gpu" && $at["status"] == "ok" &&
            $at["parameters"] == "type=gray;sigma=1;radius=2" {
            v = $at["variant"]
            if (!(v in best) || $at["time_s"] + 0 < best[v]) {
                best[v] = $at["time_s"] + 0
                block[v] = $at["block_x"] "×" $at["block_y"]
            }
        }
        END { for (v in best) printf "%.3f ms, %s\n", best[v] * 1000, block[v] }
    ' data/reference/$m/lab5_gaussian.csv >"$folder/bars"
    [ "$(wc -l <"$folder/bars")" -eq 5 ] || return 1
    while read -r text; do
        shows $m/lab5_variants "$text" || return 1
    done <"$folder/bars"
}

# Each number beside a bar is the table's, and the table's of the largest size.
floats_match() {
    column width algorithm memory_per_pixel ratio "$tables/lab7_algorithms.csv" |
        while IFS=, read -r width name floats ratio; do
            case $width,$ratio in 6720,0 | [!6]*) continue ;; esac
            grep -q -F -e " estimated, $floats floats a pixel<" "$out/$m/lab7_algorithms.svg" ||
                { echo "$name: not $floats" && exit 1; }
        done
}

if command -v sqlite3 >/dev/null 2>&1; then
    analyse $m
    ok 'with tables' draw 0 --tables "$tables" $m
    ok 'every figure is there' all_drawn
    ok 'a vector has blocks of threads' shows $m/lab1_occupancy 32 1024 'occupancy / %' 'time / ms'
    ok 'bars: each variant at its best block, the value as measured' bars_match
    ok 'bars: the size, the recorded machine, the CPU' shows $m/lab5_variants rtx-2060 \
        'Gaussian filter of gray pixels: each variant, 6720×4480' 'at 32×32' \
        "$m; cpu 1440 ms, cpu_omp 109 ms"
    ok 'ways of transfer, and a bar cut short' shows $m/lab5_transfers \
        unified_prefetch '324 ms' 'gap: cut short' '19.0 ms, kernel 2.61'
    ok 'types of pixel' shows $m/lab5_pixel_types gray rgb24 rgba32 'constant_fixed 3.69 ms, 32×8'
    ok 'two panels, and another machine in one' shows $m/lab6_variants \
        'end to end, copies counted' 'gtx-1060: 8.27 ms' '0.0208 ms, 32×16'
    ok "floats a pixel are the table's" floats_match
    ok 'rates, too; and those of another machine' shows $m/lab7_algorithms \
        '28900 MPixel/s, 32×8' 'opencl-2016: 2840 estimated, 10 floats a pixel'
    ok 'a smaller size is left out' hides $m/lab7_algorithms '10400'
    roofs='labels: share of the roof'
    ok 'roofline of the GPU' shows $m/roofline_gpu 'naive 2.81 %' 'cublas 53.7 %' 'FLOP / byte' \
        "measured roofs: 4219 GB/s, 64964 GFLOP/s, ridge at 15.4 FLOP/byte (dotted); $roofs"
    ok 'not of the CPU' hides $m/roofline_gpu cpu_omp
    ok 'roofline of the CPU' shows $m/roofline_cpu 'cpu 0.0300 %'
    ok 'split' shows $m/split 'lab2, 1024' '2.77 ms, limit 2270×; shared_tile' 'copy out'
    ok 'profile, with gaps' shows $m/profile \
        'lab2 cublas' '74.7 of 100' 0.706× 6.25 17.9 'issue utilisation / %'
    ok 'exponents' shows $m/exponents 'positions' \
        'cpu: 3.50 (2012: 3)' 'naive 32×32: 0.940, from 512: 3.15 (2012: 1)'
    title=$(sed -n '1s/^# //p' lab2_matprod/README.md)
    ok "Amdahl's law, measured" shows $m/amdahl_measured "$title, 512: P = 98.4 %" ideal threads
    ok 'a second run draws nothing again' draw 0 --tables "$tables" $m
    ok 'and says so' said ' 0 figures drawn'
    sed 's/12 floats/13 floats/' "$tables/figure_bars.csv" >"$folder/changed" &&
        cp "$folder/changed" "$tables/figure_bars.csv"
    draw 0 --tables "$tables" $m
    ok 'what its source changed is drawn again' shows $m/lab7_algorithms \
        '53300 estimated, 13 floats a pixel'
    analyse --compare $m laptop
    ok 'several machines' draw 0 --compare --tables "$tables" compare
    ok 'the CPU and the fastest kernel' shows compare/compare \
        'lab2 CPU, 1024' 'lab2 GPU, 1024' '0.253 ms' laptop
    ok 'each variant of a lab' shows compare/compare_lab2 'naive, 1024' '1.18 ms'
else
    skip 'figures of tables' 'sqlite3 is not installed'
fi

# Rows made up -------------------------------------------------------------------------------------

# A new lab, in an old file's columns, and a machine whose name means something to shells and to
# XML.
new="o'dd & <b>%d"
mkdir -p "$results/$new" "$tree/lab9_new"
echo '# Lab 9: brand_new' >"$tree/lab9_new/README.md"
cat >"$results/$new/lab9_new.csv" <<'END'
variant,kind,parameters,cache,width,height,block_x,block_y,time_s,gb_per_s,status,note
cpu,cpu,radius=2,hot,1024,1,,,1e-3,1,ok,"a ""note"", with commas"
cpu,cpu,radius=2,hot,4096,1,,,4e-3,1,ok,
first_one,gpu,radius=2,cold,1024,1,64,1,2e-5,20,ok,
first_one,gpu,radius=2,cold,1024,1,128,1,1e-5,40,ok,
first_one,gpu,radius=2,cold,4096,1,128,1,3e-5,40,ok,
first_one,gpu,radius=2,hot,4096,1,128,1,1e-12,9,ok,
first_one,gpu,radius=9,cold,4096,1,128,1,1e-12,9,ok,
first_one,gpu,radius=2;transfer=pinned,cold,4096,1,128,1,1e-12,9,ok,
first_one,gpu,radius=2,cold,4096,1,256,1,1e-12,9,wrong,
wrong_one,gpu,radius=2,cold,4096,1,128,1,1e-12,9,wrong,
skipped_one,gpu,radius=2,cold,4096,1,128,1,,,skipped,
emulated_one,emulated,radius=2,cold,4096,1,128,1,1e-12,9,ok,
50%_{x}^2,gpu,radius=2,cold,4096,1,128,1,2e-5,60,ok,
END
ok 'a lab without a table of figures' draw 0 "$new"
ok 'gets one, with the title of its README' shows "$new/lab9_time_vs_size" \
    'Lab 9: brand_new: time, best block of each variant' "o'dd &amp; &lt;b>%d" \
    cpu first_one '50%_{x}^2' 'length / items'
ok 'no row that is not ok, none emulated' hides "$new/lab9_time_vs_size" \
    wrong_one skipped_one emulated_one
# 1e-12 s would stretch the axis to 10^-12.
ok 'no hot row, none of other parameters' hides "$new/lab9_time_vs_size" '-12<'
ok 'which is said' said 'lab9_time_vs_size: 1 rows of other parameters are not drawn'
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
ok 'a line in its table is a figure' shows "$new/mine" "My 'own' &lt;figure>" \
    'memory bandwidth / (GB/s)' 1024 4096
ok 'what has nothing says why' said 'none left out: no measured rows with speedup'
ok 'so does a missing table' said 'miss left out: there is no table nowhere'
echo 'plot nonsense(' >"$tree/plots/broken.gp"
line broken broken.gp rows '' '' '' '' 'Broken' >>"$tree/lab9_new/figures.tsv"
ok 'a script that fails is one' draw 1 "$new"
ok 'and is named' said 'broken.svg: broken.gp failed'
line only curves.gp rows size time_s variant '' Only >"$tree/lab9_new/figures.tsv"
draw 0 --formats 'png svg' "$new"
is 'a PNG' "$(od -A n -t x1 -N 8 "$out/$new/only.png" | tr -d ' \n')" 89504e470d0a1a0a
rm "$tree/lab9_new/figures.tsv"

# Without a GPU ------------------------------------------------------------------------------------

ok 'a machine without a GPU' draw 0 laptop
ok "has the recorded GPU's curves" shows laptop/lab2_time_vs_size \
    "GPU: $m (recorded), CPU: laptop" 32×32 CPU
ok 'which speedup is meant' shows laptop/lab2_speedup_vs_size "$m (recorded) over its own CPU"

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
