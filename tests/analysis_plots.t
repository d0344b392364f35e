#!/bin/sh
# analysis_plots.t - the figures that plots/draw.sh draws from tables: all of them from whole tables,
# none from missing ones, and any name in them.
# shellcheck source=tests/tap.sh
. tests/tap.sh

command -v "${GNUPLOT:-gnuplot}" >/dev/null 2>&1 || skip_all 'gnuplot is not installed'

results=$folder/results
out=$folder/out
machine="Box_1 'b' %d @{x}^2 \\n é"
mkdir -p "$results/$machine" "$results/laptop"

# draw TABLES MACHINE ARGUMENT...: runs draw.sh without any lab's results; its words go to $folder/said,
# without those on other figures.
draw() {
    tables=$1
    name=$2
    shift 2
    sh plots/draw.sh --results "$results" --reference "$folder/none" --tables "$tables" --out "$out" "$@" "$name" \
        >"$folder/all" 2>&1
    status=$?
    grep -v -e 'no results of' -e 'no lab' -e pictures -e 'figure10 skipped' "$folder/all" >"$folder/said"
    [ "$status" -eq 0 ] || { cat "$folder/said" && return 1; }
}

said() {
    cat "$folder/said"
}

# is_figure PATH [pdf]: PATH.svg, PATH.png and PATH.pdf are whole. is_svg PATH: the first.
is_svg() {
    tail -n 3 "$1.svg" | grep -q '</svg>' && [ "$(wc -c <"$1.svg")" -gt 5000 ]
}

is_figure() {
    is_svg "$1" && [ "$(od -A n -t x1 -N 8 "$1.png" | tr -d ' \n')" = 89504e470d0a1a0a ] || return 1
    [ $# -eq 1 ] || { head -c 5 "$1.pdf" | grep -q '%PDF-' && tail -c 7 "$1.pdf" | grep -q '%%EOF'; }
}

has_text() {
    figure=$1
    shift
    for text; do
        grep -q -F -e "$text" "$figure.svg" || { echo "no '$text' in $figure.svg" && return 1; }
    done
}

lacks_text() {
    ! grep -F -e "$2" "$1.svg"
}

nothing_but() {
    ! grep -v -e 'figures in' -e "$1" "$folder/said"
}

# Tables --------------------------------------------------------------------------------------------

# Names that mean something to CSV, gnuplot, its markup, printf, sed or SVG. In CSV, so quotes are
# doubled.
# shellcheck disable=SC2016 # nothing in it is to expand
hostile='"""q"" %d, @_{x}^2 \n & <é> $HOME `id` '"'s'"'"'
shown='%d, @_{x}^2 \n &amp; &lt;é>' # of the above, in SVG, as far as it is never cut

# Lines as they are: to some shells' echo a backslash means something.
row() {
    printf '%s\n' "$@"
}

# whole_tables DIR: a row or more of each table, one of the variants with a hostile name.
whole_tables() {
    mkdir -p "$1"
    for lab in 1 2 3 4 5 6; do
        {
            row variant,block,threads_per_block,occupancy_percent,limiter,time_ms
            row naive,1x1,1,50,blocks,9
            row naive,8x8,64,,,
            row naive,16x16,256,100,threads,2.5
            row naive,32x32,1024,100,threads,2
            row "$hostile,16x16,256,75,registers,0.05"
            row slower,16x16,256,25,registers,50
        } >"$1/lab${lab}_occupancy.csv"
    done
    {
        row program,registers,shared_bytes,row,1,2,4,8,16,32
        row matprod,9,2092,blocks_per_sm,8,8,8,8,6,1
        row matprod,9,2092,occupancy_percent,16.67,16.67,16.67,33.33,100,66.67
    } >"$1/occupancy_2012.csv"
    {
        row lab,size,cpu_threads,time_ms,speedup,fit_speedup
        row lab1,1048576,1,8,1,1
        row lab1,1048576,2,5,1.6,1.6
        row lab1,1048576,4,,,
        row lab2,512,1,8,0.98,1
        row lab2,512,4,2,3.9,3.9
    } >"$1/scaling.csv"
    {
        row lab,size,cpu_threads_max,speedup_max,parallel_percent,limit,rms_percent
        row lab1,1048576,2,1.6,75,4,0
        row lab2,512,4,3.9,99.25,133.3,1
    } >"$1/amdahl.csv"
    {
        row processor,gb_per_s,gflop_per_s,ridge_flop_per_byte
        row gpu,4000,50000,12.5
        row cpu,0.00001,0.0001,10
    } >"$1/ceilings.csv"
    {
        row lab,variant,kind,processor,size,block,flop_per_byte,gflop_per_s,gb_per_s,roof_gflop_per_s,roof_percent,bound
        row lab1,naive,gpu,gpu,1048576,256,0.08333,300,3600,333,90.0,memory
        row lab2,naive,gpu,gpu,512,16x16,85.3,1500,17,50000,3,arithmetic
        row "lab2,$hostile,gpu,gpu,512,16x16,85.3,1499,17,50000,2.998,arithmetic"
        row lab5_rgb24,rgb_variant,gpu,gpu,64x48,16x16,85.3,1499,17,50000,2.998,arithmetic
        row lab5_f32,conv2d,gpu,gpu,64x48,16x16,85.3,1e-5,17,50000,,arithmetic
        row lab2,cpu,cpu,cpu,512,,85.3,1e-05,17,0.0001,10,arithmetic
    } >"$1/roofline.csv"
    {
        row lab,variant,size,block,occupancy_percent,achieved_percent,compulsory_mb,dram_mb,l2_mb,issue_percent,sm_percent,dram_percent
        row lab2,naive,512,16x16,100,62.75,3,6,9,44,50,50
        row "lab2,$hostile,512,16x16,50,,3,,,,,"
        row lab3,naive,64x48,16x16,50,51,3,3,3,5,5,5
    } >"$1/profile.csv"
    {
        row lab,size,variant,block,read_ms,copy_in_ms,kernel_ms,copy_out_ms,write_ms,total_ms,cpu_ms,cpu_total_ms,kernel_speedup,total_speedup,limit
        row lab1,1048576,naive,256,,1,2,1,,4,8,8,4,2,4.25
        row "lab3,64x48,$hostile,16x16,10,1,2,1,6,20,80,96,40,4.8,5.333"
        row lab4,64x48,unmeasured,16x16,10,1,,,,,,,,,
    } >"$1/split.csv"
    {
        row lab,variant,block,theory_2012,exponent_small,exponent_large,bend_size,points,rms_percent,why
        row lab2,cpu,,3,,3.111,,3,1,
        row lab2,naive,32x32,1,0.5,2.875,64,3,1,launch
    } >"$1/exponents.csv"
    {
        row lab,variant,block,size,x,time_ms,fit_ms
        for row in '32,32,0.01,0.009' '64,64,0.08,0.081' '512,512,40,40'; do
            row "lab2,cpu,,$row"
            row "lab2,naive,32x32,$row"
            row "lab2,shared_tile,32x32,$row"
        done
        row "lab3,cpu,,64x48,3072,1e-05,"
        row "lab3,$hostile,8x8,64x48,3072,0.25,"
    } >"$1/fit_points.csv"
    {
        row "lab,variant,size,block,$hostile,rtx-2,gtx-1"
        for lab in 1 2 3 4 5 6; do
            row "lab$lab,cpu,512,,100,,300"
            row "lab$lab,$hostile,512,16x16,1.25,2,"
        done
        row lab5_f32,cpu,512,,123,,
        row lab2,naive,4096,16x16,0.125,,
    } >"$1/compare.csv"
    printf '%s\n' name,value,source gpu_label,'H200 (recorded),' gpu_recorded,1, >"$1/../facts.csv"
}

tables=$folder/whole/tables
whole_tables "$tables"
figures='lab1_occupancy lab2_occupancy lab3_occupancy lab4_occupancy lab5_occupancy lab6_occupancy
    amdahl_formula amdahl_measured split roofline_gpu roofline_cpu profile exponents'

# Every figure --------------------------------------------------------------------------------------

pdf=''
if "${GNUPLOT:-gnuplot}" -e 'set print "-"; print GPVAL_TERMINALS' 2>/dev/null | grep -q -w pdfcairo; then
    pdf=pdf
fi
ok 'whole tables' draw "$tables" "$machine" --formats 'svg png pdf'
ok 'nothing is skipped, and gnuplot has no complaint' nothing_but nothing
at=$out/$machine
for name in $figures; do
    # shellcheck disable=SC2086 # a word or none
    ok "$name" is_figure "$at/$name" $pdf
done
for name in lab2_occupancy split roofline_gpu profile exponents; do
    ok "$name: the machine, the recorded GPU" has_text "$at/$name" "GPU: H200 (recorded), CPU: Box_1" "%d @{x}^2 \\n é"
done
for name in lab2_occupancy split roofline_gpu profile exponents; do
    ok "$name: a hostile name" has_text "$at/$name" '"q" %d'
done
ok 'lab2_occupancy: its series' has_text "$at/lab2_occupancy" naive "$shown" 'Tesla C2050, 2012' '>16×16<'
ok 'lab2_occupancy: neither naive nor the fastest' lacks_text "$at/lab2_occupancy" slower
ok 'lab1_occupancy: 2012 had no such program' lacks_text "$at/lab1_occupancy" 2012
ok 'amdahl_formula: its limits' has_text "$at/amdahl_formula" 'P = 0.95, limit 20' 'P = 0.50, limit 2'
ok 'amdahl_measured: the fitted shares' has_text "$at/amdahl_measured" 'Vector addition, 1048576: P = 75.0 %' \
    'Matrix product, 512: P = 99.25 %' ideal
ok 'roofline_gpu: ceilings, ridge, shares of the roof' has_text "$at/roofline_gpu" \
    '4000 GB/s, 50000 GFLOP/s, ridge at 12.5 FLOP/byte' 'naive 90 %' 'naive 3.0 %' 'Gaussian filter, f32, 64×48'
ok 'roofline_gpu: colour is left to the table' lacks_text "$at/roofline_gpu" rgb_variant
ok 'roofline_cpu' has_text "$at/roofline_cpu" 'cpu 10 %'
ok 'profile: possible and achieved' has_text "$at/profile" '63 of 100' '51 of 50' '2.00×' '>44<'
ok 'split: total and limit' has_text "$at/split" '4.00 ms, limit 4.25×; naive' '20.0 ms, limit 5.33×' 'copy out'
ok 'split: no bar without a total' lacks_text "$at/split" unmeasured
ok 'exponents: in words' has_text "$at/exponents" 'cpu: 3.11 (2012: 3)' 'naive 32×32: 0.50, from 64: 2.88 (2012: 1)'
ok 'exponents: of the serial program and the naive kernel' lacks_text "$at/exponents" shared_tile

same_bytes() {
    mv "$at" "$folder/first" && draw "$tables" "$machine" --formats 'svg png pdf' && diff -r "$folder/first" "$at"
}
ok 'the same tables give the same bytes, in PDF too' same_bytes
ok 'by default, no PDF' draw "$tables" "$machine"
ok 'and none is left of an earlier run' not test -e "$at/split.pdf"

# Comparison ----------------------------------------------------------------------------------------

ok 'several machines' draw "$tables" several --compare --formats 'svg png pdf'
ok 'gnuplot has no complaint' nothing_but nothing
for name in compare compare_lab1 compare_lab2 compare_lab3 compare_lab4 compare_lab5 compare_lab6; do
    # shellcheck disable=SC2086 # a word or none
    ok "$name" is_figure "$out/several/$name" $pdf
    ok "$name: its machines" has_text "$out/several/$name" '"q" %d' rtx-2 gtx-1 '100 ms' '1.25 ms'
done
ok 'compare_lab5: a further type of pixel' has_text "$out/several/compare_lab5" cpu_f32 '123 ms'
ok 'compare: without it' lacks_text "$out/several/compare" '123 ms'
ok 'compare: at the size that most machines have' lacks_text "$out/several/compare" 0.125
svgs() {
    set -- "$out/several"/*.svg
    [ $# -eq 7 ]
}
ok 'no figures but these' svgs

# many N: tables of N variants and N machines with long names.
many() {
    mkdir -p "$folder/many/tables"
    awk -v n="$1" -v folder="$folder/many/tables" 'BEGIN {
        file = folder "/compare.csv"
        line = "lab,variant,size,block"
        for (i = 1; i <= n; i++)
            line = line ",machine_of_a_long_name_number_" i
        print line > file
        for (k = 1; k <= n; k++) {
            line = "lab2,variant_of_a_long_name_number_" k ",512,16x16"
            for (i = 1; i <= n; i++)
                line = line "," (i % 3 ? i * k : "")
            print line > file
        }
        file = folder "/roofline.csv"
        print "lab,variant,processor,size,flop_per_byte,gflop_per_s,roof_percent" > file
        for (k = 1; k <= n; k++)
            print "lab" k ",a,gpu,512,1," k ",1\nlab2,variant_of_a_long_name_number_" k ",gpu,512,1," k "," k > file
        file = folder "/lab2_occupancy.csv"
        print "variant,block,occupancy_percent,time_ms" > file
        for (k = 1; k <= n; k++)
            print "naive," k "x" k ",50," k > file
        print "processor,gb_per_s,gflop_per_s\ngpu,100,1000" > (folder "/ceilings.csv")
    }'
}
many 44
ok 'forty variants and machines' draw "$folder/many/tables" crowd --compare --formats svg
ok 'some are drawn' is_svg "$out/crowd/compare_lab2"
ok 'and the rest told' has_text "$out/crowd/compare_lab2" 'rows not drawn: 3' 'machines not drawn: 34'
ok 'forty variants, labs and blocks' draw "$folder/many/tables" laptop --formats svg
ok 'roofline_gpu: what is left out is told' has_text "$out/laptop/roofline_gpu" 'points not named: 3' \
    'labs not drawn: 36'
ok 'lab2_occupancy: of many blocks' is_svg "$out/laptop/lab2_occupancy"

# Less than everything ------------------------------------------------------------------------------

# first_rows N: the tables cut to their names and N rows.
first_rows() {
    rm -rf "$folder/cut"
    mkdir -p "$folder/cut/tables"
    for file in "$tables"/*.csv; do
        head -n $(($1 + 1)) "$file" >"$folder/cut/tables/${file##*/}"
    done
}
tables=$folder/whole/tables
first_rows 1
ok 'tables of one row' draw "$folder/cut/tables" laptop --formats svg
ok 'one row: gnuplot has no complaint' nothing_but 'roofline_cpu skipped: no ceilings or no rates of the cpu'
for name in $figures; do
    [ "$name" = roofline_cpu ] || ok "$name of one row" is_svg "$out/laptop/$name"
done
ok 'the machine alone, without facts' has_text "$out/laptop/split" '>laptop<'
tables=$folder/whole/tables
first_rows 0
ok 'tables without rows' draw "$folder/cut/tables" laptop
for name in $figures; do
    [ "$name" = amdahl_formula ] || like "$name is skipped with a word" "$(said)" "$name skipped: .* is empty"
    [ "$name" = amdahl_formula ] || ok "$name of an earlier run is gone" not test -e "$out/laptop/$name.svg"
done
ok 'a comparison without rows' draw "$folder/cut/tables" several --compare
like 'is skipped with a word' "$(said)" 'compare_lab6 skipped: no row of lab6 has a time'
mkdir "$folder/empty"
ok 'no tables' draw "$folder/empty" laptop
like 'are skipped with a word' "$(said)" 'exponents skipped: there is no table fit_points.csv'
ok 'what needs none is drawn' is_svg "$out/laptop/amdahl_formula"
ok 'no tables to compare' draw "$folder/empty" several --compare
like 'are skipped with a word' "$(said)" 'compare_lab1 skipped: there is no table compare.csv'

no_values() {
    tables=$folder/whole/tables
    first_rows 0
    echo naive,16x16,256,,, >>"$folder/cut/tables/lab1_occupancy.csv"
    echo lab1,512,4,,, >>"$folder/cut/tables/scaling.csv"
    echo lab1,512,naive,256,,,,,,,,,,, >>"$folder/cut/tables/split.csv"
    echo lab1,naive,512,256,,,,,,,, >>"$folder/cut/tables/profile.csv"
    echo lab1,naive,256,512,512,, >>"$folder/cut/tables/fit_points.csv"
    draw "$folder/cut/tables" laptop --formats svg
}
ok 'rows without values' no_values
for name in lab1_occupancy amdahl_measured split profile exponents; do
    like "$name is skipped with a word" "$(said)" "$name skipped: no row has a"
done

# What goes wrong -----------------------------------------------------------------------------------

tables=$folder/whole/tables
first_rows 1
echo 'lab1,"' >>"$folder/cut/tables/split.csv"
ok 'a broken table: exit 1' not draw "$folder/cut/tables" laptop --formats svg
like 'a broken table: a word' "$(said)" 'split skipped: split.csv cannot be read'
ok 'a broken table: the others are drawn' is_svg "$out/laptop/profile"
sed 's/limit/bound/' "$tables/split.csv" >"$folder/cut/tables/split.csv"
ok 'a missing column: exit 1' not draw "$folder/cut/tables" laptop --formats svg
like 'a missing column: which' "$(said)" "there is no column 'limit'"
ok '--compare without tables: exit 2' test "$(sh plots/draw.sh --compare x 2>/dev/null; echo $?)" -eq 2
refused() {
    sh plots/draw.sh --formats 'svg gif' laptop 2>"$folder/said"
    [ $? -eq 2 ] && grep -q "'gif' is no format" "$folder/said"
}
ok 'an unknown format: exit 2' refused

done_testing
