#!/bin/sh
# plots.t - plots/draw.sh draws what was measured, all of it and nothing else.
# shellcheck source=tests/tap.sh
. tests/tap.sh

command -v "${GNUPLOT:-gnuplot}" >/dev/null 2>&1 || skip_all 'gnuplot is not installed'

plots=$PWD/plots
work=$folder
results=$work/results
reference=$work/reference
out=$work/figures

# draw STATUS MACHINE: runs draw.sh, its words go to $work/said; fails unless it exits STATUS.
draw() {
    expected=$1
    shift
    sh "${drawer:-$plots/draw.sh}" --results "$results" --reference "$reference" --out "$out" "$@" \
        >"$work/said" 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || { echo "exit status $status" && cat "$work/said" && return 1; }
}

says() {
    grep -q -e "$1" "$work/said" || { cat "$work/said" && return 1; }
}

says_nothing_else() {
    ! grep -v -e 'figures in' -e 'no --tables' -e "$1" "$work/said"
}

# is_figure PATH: PATH.png is a PNG and PATH.svg a whole SVG, neither of them empty.
is_figure() {
    [ "$(od -A n -t x1 -N 8 "$1.png" | tr -d ' \n')" = 89504e470d0a1a0a ] &&
        [ "$(wc -c <"$1.png")" -gt 5000 ] &&
        grep -q '<svg' "$1.svg" && tail -n 3 "$1.svg" | grep -q '</svg>' &&
        [ "$(wc -c <"$1.svg")" -gt 5000 ]
}

has_text() {
    file=$1
    shift
    for text; do
        grep -q -F -e ">$text<" "$file" || { echo "no '$text'" && return 1; }
    done
}

lacks_text() {
    file=$1
    shift
    for text; do
        ! grep -F -e "$text" "$file" || return 1
    done
}

# Fixtures ------------------------------------------------------------------------------------------

header=lab,variant,kind,machine,parameters,width,height,block_x,block_y,threads_per_block,trials
header=$header,time_s,time_min_s,time_q1_s,time_q3_s,time_max_s,end_to_end_s,cache
header=$header,bytes,flops,gb_per_s,gflop_per_s,speedup
header=$header,registers,shared_bytes,local_bytes,blocks_per_sm,occupancy,limiter
header=$header,max_error,tolerance,status,note

# fixture FOLDER LAB GPU_KIND VARIANTS: a file as the labs write it, and rows that no figure may
# show: wrong, skipped and failed ones, with notes that only a reader of RFC 4180 gets past.
fixture() {
    mkdir -p "$1"
    awk -v header="$header" -v lab="$2" -v gpu="$3" -v variants="$4" '
        function row(variant, kind, w, h, bx, by, time, status, note) {
            printf "%s,%s,%s,fixture,%s,%d,%d,%s,%s,%s,5,%s,,,,,,%s,,,%g,%g,%g,,,,,,,,,%s,%s\r\n",
                lab, variant, kind, parameters, w, h, bx, by, bx == "" ? "" : bx * by, time,
                kind == "cpu" ? "hot" : "cold", 12 * w * h / 1e9 / (time + 1e-9),
                2 * w * h / 1e9 / (time + 1e-9), w * h * 1e-8 / (time + 1e-9), status, note
        }
        BEGIN {
            print header "\r"
            parameters = lab ~ /bilateral/ ? "radius=3;sigma_space=30;sigma_range=30;passes=1;type=f32" : \
                lab ~ /template/ ? "template=64x64;measure=ssd;type=u8" : "type=f32"
            n = split(variants, variant, " ")
            for (size = 128; size <= 1024; size *= 2) {
                w = lab ~ /vecadd/ ? size * size * 16 : size
                h = lab ~ /vecadd/ ? 1 : lab ~ /matprod/ ? size : size * 3 / 4
                row("cpu", "cpu", w, h, "", "", w * h * 1e-8, "ok", "")
                row("cpu_omp", "cpu", w, h, "", "", w * h * 6e-9, "ok", "")
                for (i = 1; i <= n; i++)
                    for (block = 1; block <= 32; block *= 2)
                        row(variant[i], gpu, w, h, block, lab ~ /vecadd/ ? 1 : block,
                            (1e-6 + w * h * 1e-10 / block) / i, "ok",
                            "\"a \"\"quoted\"\", note\r\nof two lines\"")
                row("wrong_kernel", gpu, w, h, 16, 16, 1e-9, "wrong", "\"err 3, not 0\"")
                row("skipped_kernel", gpu, w, h, 64, 64, "", "skipped", "\"4096 threads,\nlimit 1024\"")
                row("failed_kernel", gpu, w, h, 16, 16, 1e-9, "failed", "")
                row("emulated_kernel", "emulated", w, h, 16, 16, 1e-9, "ok", "")
                row("cublas", "vendor", w, h, "", "", w * h * 1e-12, gpu == "gpu" ? "ok" : "skipped", "")
            }
        }' >"$1/$2.csv"
}

# bars_fixture FOLDER GPU_KIND: files of labs 5 and 6 as those write them. Kernels take whole tenths of
# a millisecond at the larger size, blocks of 32x32 half as long again.
bars_fixture() {
    mkdir -p "$1"
    for fixture_lab in lab5_gaussian lab6_banding; do
        awk -v header="$header" -v lab="$fixture_lab" -v gpu="$2" '
            function row(variant, kind, block, time, ends, status) {
                split(block, side, "x")
                printf "%s,%s,%s,fixture,%s,%d,%d,%s,%s,%s,5,%s,,,,,%s,%s,,,,,,,,,,,,,,%s,\r\n", lab,
                    variant, kind, parameters, w, h, side[1], side[2], block == "" ? "" : side[1] * side[2],
                    time == "" ? "" : time * w * h / area, ends == "" ? "" : ends * w * h / area,
                    kind == "cpu" ? "hot" : "cold", status == "" ? "ok" : status
            }
            function rows(variants, first,    i, n, variant) {
                n = split(variants, variant, " ")
                for (i = 1; i <= n; i++) {
                    row(variant[i], gpu, "32x8", (first + i) * 1e-4, 6e-3)
                    row(variant[i], gpu, "32x32", (first + i) * 1.5e-4, 6.2e-3)
                }
                row("wrong_kernel", gpu, "32x8", 1e-9, 1e-9, "wrong")
                row("emulated_kernel", "emulated", "32x8", 1e-9, 1e-9)
            }
            function cpus() {
                row("cpu", "cpu", "", 0.4)
                row("cpu_omp", "cpu", "", 0.05)
            }
            BEGIN {
                print header "\r"
                if (lab ~ /banding/) {
                    area = 1920 * 1080
                    for (w = 1920; w <= 3840; w *= 2) {
                        h = w * 9 / 16
                        parameters = "mode=1;range=15;type=yc48"
                        cpus()
                        rows("naive read_only packed4", 0)
                        parameters = "mode=1;range=15;type=yc64"
                        rows("packed4_convert_free", 4)
                    }
                    exit
                }
                area = 4096 * 3072
                for (w = 1024; w <= 4096; w *= 4) {
                    h = w * 3 / 4
                    n = split("gray rgb24 rgba32", type, " ")
                    for (t = 1; t <= n; t++) {
                        parameters = "type=" type[t] ";sigma=1;radius=2"
                        cpus()
                        rows("naive array constant shared_tile", t == 1 ? 0 : 4)
                        if (gpu == "gpu")
                            row("npp", "vendor", "", 2.345e-4, 6e-3)
                    }
                    parameters = "type=f32;sigma=5;radius=15"
                    cpus()
                    rows("copy conv2d separable recursive", 0)
                }
                w = 4096
                n = split("pinned mapped mapped_output unified unified_prefetch", mode, " ")
                for (t = 1; t <= n; t++) {
                    parameters = "type=gray;sigma=1;radius=2;transfer=" mode[t]
                    row("naive", gpu, "32x8", 1e-4, mode[t] == "unified" ? 0.2 : 1.5e-3 + t * 1e-4)
                }
            }' >"$1/$fixture_lab.csv"
    done
}

# picture FILE WIDTH HEIGHT: a PGM, its header with a comment.
picture() {
    printf 'P5\n# made by plots.t\n%d %d\n255\n' "$2" "$3" >"$1"
    awk -v w="$2" -v h="$3" 'BEGIN { for (y = 0; y < h; y++) for (x = 0; x < w; x++)
        printf "%c", 65 + (x + y) % 50 }' >>"$1"
}

mkdir -p "$reference"
cp -R data/reference/tesla-c2050 "$reference"
machine="Bench_1 'b' (x)"
labs=$results/$machine
fixture "$labs" lab1_vecadd gpu 'naive grid_stride vector4'
fixture "$labs" lab2_matprod gpu 'naive register_sum shared_tile'
fixture "$labs" lab3_bilateral gpu 'naive fast_exp shared_tile'
fixture "$labs" lab4_template gpu 'naive constant_template shared_both'
bars_fixture "$labs" gpu
mkdir -p "$labs/pictures" "$reference/rtx-0"
{
    echo "$header"
    awk 'BEGIN {
        gray = "4096,3072,32,32,1024,,"
        start = "lab5_gaussian,naive,gpu,rtx-0,type="
        print start "gray;sigma=1;radius=2," gray "2.605e-03,,,,,1.9e-02,,,,,,,,,,,,,,,ok,"
        print start "rgb24;sigma=1;radius=2," gray "4.83e-03,,,,,,,,,,,,,,,,,,,,ok,"
        print start "gray;sigma=1;radius=2;transfer=pinned," gray ",,,,,8.39e-03,,,,,,,,,,,,,,,ok,"
        print "lab5_gaussian,constant,gpu,rtx-0,type=gray;sigma=9;radius=2," gray \
            "7.77e-03,,,,,,,,,,,,,,,,,,,,ok,"
        print "lab5_gaussian,copy,gpu,rtx-0,type=f32;sigma=5;radius=15,1,1,,,,,7.042e-11,,,,,,,,,,,,,,,,,,,,ok,"
    }'
} >"$reference/rtx-0/lab5_gaussian.csv"
for name in before after; do
    printf 'P6\n160 90\n255\n' >"$labs/pictures/banding_$name.ppm"
    awk 'BEGIN { for (i = 0; i < 160 * 90; i++) printf "%c%c%c", 60 + i / 1000, 65 + i / 500, 70 }' \
        >>"$labs/pictures/banding_$name.ppm"
done
for pass in 0 1 2 3; do
    picture "$labs/pictures/bilateral_$pass.pgm" 120 90
done
picture "$labs/pictures/template_input.pgm" 120 90
picture "$labs/pictures/template_map.pgm" 89 59
echo '40 30 32 32' >"$labs/pictures/template_match.txt"

# select.awk ----------------------------------------------------------------------------------------

# The kinds and variants that pass, for one awk.
passes() {
    got=$($1 -v columns=kind,variant -v where="$2" -f "$plots/select.awk" "$labs/lab2_matprod.csv" |
        sort -u | tr '\t\n' '/ ')
    [ "$got" = "$3" ] || { echo "$got" && return 1; }
}

refuses() {
    printf '%b' "$1" >"$work/broken.csv"
    if awk -v columns=a -f "$plots/select.awk" "$work/broken.csv" >"$work/selected" 2>"$work/said"; then
        echo 'exit status 0'
        return 1
    fi
    [ -s "$work/said" ]
}

for awk in awk mawk gawk 'gawk --posix' 'busybox awk'; do
    $awk 'BEGIN { exit 0 }' 2>/dev/null || continue
    ok "$awk: wrong, skipped, failed and emulated rows do not pass" passes "$awk" '' \
        'cpu/cpu cpu/cpu_omp gpu/naive gpu/register_sum gpu/shared_tile vendor/cublas '
    ok "$awk: emulated rows pass when asked for" passes "$awk" 'kind=emulated' \
        'emulated/emulated_kernel '
    ok "$awk: conditions" passes "$awk" 'kind!=cpu|vendor,block_x=16,variant=naive|cublas' 'gpu/naive '
done
keyed() {
    printf '%s,ok\n' a,kind,parameters 1,gpu,'type=gray;sigma=1' \
        2,gpu,'type=gray;sigma=1;transfer=pinned' 3,gpu,subtype=gray |
        sed '1s/ok/status/' >"$work/k.csv"
    got=$($1 -v columns=a,parameters.sigma -v where="$2" -f "$plots/select.awk" "$work/k.csv" |
        tr '\t\n' '/ ')
    [ "$got" = "$3" ] || { echo "$got" && return 1; }
}
for awk in awk mawk gawk 'gawk --posix' 'busybox awk'; do
    $awk 'BEGIN { exit 0 }' 2>/dev/null || continue
    ok "$awk: a key of the parameters" keyed "$awk" 'parameters.type=gray' '1/1 2/1 '
    ok "$awk: a key that is not there" keyed "$awk" 'parameters.type=gray,parameters.transfer=' '1/1 '
    ok "$awk: a key that differs" keyed "$awk" 'parameters.type!=gray' '3/ '
done
quoted_fields() {
    printf 'a,kind,status\r\n"x, ""y""\r\nz",gpu,ok\r\n,gpu,ok\r\n"",gpu,"ok"\r\n"last",gpu,ok' >"$work/q.csv"
    [ "$(awk -v columns=kind,a -f "$plots/select.awk" "$work/q.csv" | tr '\t\n' '/;')" = \
        'gpu/x, "y" z;gpu/;gpu/;gpu/last;' ]
}
ok 'quoted, empty and unfinished fields' quoted_fields
ok 'a row too short is refused' refuses 'a,kind,status\n1,gpu\n'
ok 'a row too long is refused' refuses 'a,kind,status\n1,gpu,ok,\n'
ok 'an open quote is refused' refuses 'a,kind,status\n"1,gpu,ok\n'
ok 'text after a quote is refused' refuses 'a,kind,status\n"1"2,gpu,ok\n'
ok 'a missing column is refused' refuses 'b,kind,status\n1,gpu,ok\n'
ok 'an empty file is refused' refuses ''

# Every figure --------------------------------------------------------------------------------------

ok 'a machine with every lab' draw 0 "$machine"
ok 'nothing is skipped, and gnuplot has no complaint' says_nothing_else 'rows of rtx-0 are left out'
figures=$out/$machine
for name in lab1_time_vs_size lab1_bandwidth_vs_size lab2_gflops_vs_size figure10 lab3_pictures \
    lab4_template_map; do
    ok "$name" is_figure "$figures/$name"
done
for lab in lab2 lab3 lab4; do
    for name in time_vs_size time_vs_size_variants speedup_vs_size speedup_vs_block; do
        ok "${lab}_$name" is_figure "$figures/${lab}_$name"
    done
    ok "${lab}_time_vs_size: a curve a block, the CPU and 2012" \
        has_text "$figures/${lab}_time_vs_size.svg" CPU 1×1 2×2 4×4 8×8 16×16 32×32 \
        'Tesla C2050, 2012' "$machine"
done
ok 'lab1_time_vs_size: its variants' has_text "$figures/lab1_time_vs_size.svg" \
    cpu cpu_omp naive grid_stride vector4
ok 'lab2_time_vs_size_variants: its variants' has_text "$figures/lab2_time_vs_size_variants.svg" \
    cpu cpu_omp naive register_sum shared_tile cublas
ok 'lab3_speedup_vs_block: its sizes' has_text "$figures/lab3_speedup_vs_block.svg" \
    32×24 128×96 256×192 512×384 1024×768
ok 'figure10: its panels' has_text "$figures/figure10.svg" '(a) Matrix product, naive kernel' \
    '(d) Bilateral filter, naive kernel' '(f) Template matching, naive kernel'
ok 'lab4_template_map: where' has_text "$figures/lab4_template_map.svg" \
    'Template matching: best match at (40, 30)'
for lab in lab1_time_vs_size lab2_time_vs_size_variants lab2_gflops_vs_size; do
    ok "$lab: nothing that was not measured" lacks_text "$figures/$lab.svg" \
        wrong_kernel skipped_kernel failed_kernel emulated_kernel
done
for name in lab5_cpu_gpu lab5_variants lab5_pixel_types lab5_transfers lab5_algorithms \
    lab5_time_vs_size_variants lab5_time_vs_size_algorithms lab6_variants lab6_time_vs_size_variants \
    lab6_pictures; do
    ok "$name" is_figure "$figures/$name"
    ok "$name: nothing that was not measured" lacks_text "$figures/$name.svg" \
        wrong_kernel emulated_kernel
done
ok 'lab5_variants: best block and 32x32, a library, the CPU, another machine' has_text \
    "$figures/lab5_variants.svg" 'Gaussian filter of gray pixels: each variant, 4096×3072' \
    '0.100 ms, 32×8' '0.150 ms, 32×32' '0.400 ms, 32×8' npp '0.235 ms' \
    "$machine; cpu 400 ms, cpu_omp 50.0 ms" rtx-0 '2.61 ms, 32×32'
ok 'lab5_variants: neither other work nor other types' lacks_text "$figures/lab5_variants.svg" \
    '7.77 ms' '4.83 ms' '0.500 ms'
ok 'lab5_pixel_types: naive and the fastest' has_text "$figures/lab5_pixel_types.svg" \
    gray rgb24 rgba32 'naive 0.500 ms, 32×8' 'npp 0.235 ms' 'naive 4.83 ms, 32×32'
ok 'lab5_transfers: at one block, the longest bar cut' has_text "$figures/lab5_transfers.svg" \
    pageable mapped_output unified_prefetch '6.00 ms, kernel 0.100' '200 ms, kernel 0.100' 'cut short' \
    "$machine; naive kernel, blocks of 32×8" '19.0 ms, kernel 2.61' '8.39 ms'
ok 'lab5_cpu_gpu' has_text "$figures/lab5_cpu_gpu.svg" cpu cpu_omp naive '400 ms' '50.0 ms' \
    '0.100 ms, 32×8' 'rtx-0: 2.61 ms, 32×32'
ok 'lab5_algorithms: measured, estimated, another machine at its own size' has_text \
    "$figures/lab5_algorithms.svg" '126000 MPixel/s, 32×8' '262 estimated, 962 floats a pixel' \
    '3930 estimated, 64 floats a pixel' 'rtx-0: 14200 MPixel/s' \
    'rtx-0: 2840 estimated, 10 floats a pixel'
ok 'lab6_variants: at 1920x1080' has_text "$figures/lab6_variants.svg" \
    'Banding reduction, mode 1, 1920×1080' kernel packed4_convert_free '0.500 ms, 32×8' '6.00 ms'
ok 'lab6_time_vs_size_variants' has_text "$figures/lab6_time_vs_size_variants.svg" \
    cpu naive read_only packed4 packed4_convert_free 1920×1080 3840×2160
same_bytes() {
    cp -R "$figures" "$work/first" && draw 0 "$machine" && diff -r "$work/first" "$figures"
}
ok 'the same results give the same bytes' same_bytes

# Less than everything ------------------------------------------------------------------------------

fixture "$results/part" lab2_matprod gpu shared_tile
mkdir -p "$out/part"
echo old >"$out/part/lab3_time_vs_size.svg"
ok 'a machine with one lab and one variant' draw 0 part
ok 'the missing lab is skipped with a word' says 'lab3_time_vs_size skipped: no results'
ok 'a skipped figure leaves no old file' [ ! -e "$out/part/lab3_time_vs_size.svg" ]
ok 'its one variant is the one drawn by block' has_text "$out/part/lab2_time_vs_size.svg" \
    'Matrix product, shared_tile kernel: time by block size' 'Tesla C2050, 2012, naive'

fixture "$results/point" lab2_matprod gpu naive
awk -F , 'NR == 1 || ($2 == "naive" && $6 == 256 && $8 == 16) || (p && !/,/) { print }
    { p = $2 == "naive" && $6 == 256 && $8 == 16 }' "$results/point/lab2_matprod.csv" \
    >"$work/point" && mv "$work/point" "$results/point/lab2_matprod.csv"
ok 'a single row' draw 0 point
ok 'a single row: gnuplot has no complaint' says_nothing_else 'skipped: \|: no lab'
ok 'a single row: its figure' is_figure "$out/point/lab2_time_vs_size"

bars_part() {
    mkdir -p "$results/bars" && sed -n '1p; /type=rgb24/p' "$labs/lab5_gaussian.csv" \
        >"$results/bars/lab5_gaussian.csv" && sed -n '1p; /,1920,1080,/p' "$labs/lab6_banding.csv" \
        >"$results/bars/lab6_banding.csv" && draw 0 bars &&
        says 'lab5_variants skipped: no measured rows' &&
        says 'lab5_algorithms skipped: no measured rows' &&
        says 'lab6_time_vs_size_variants skipped: fewer than two sizes' &&
        is_figure "$out/bars/lab5_pixel_types" && is_figure "$out/bars/lab6_variants" &&
        lacks_text "$out/bars/lab5_pixel_types.svg" rgba32
}
ok 'labs 5 and 6 in part' bars_part

fixture "$results/oblong" lab2_matprod gpu naive
sed 's/,16,16,256,5,/,32,8,256,5,/; s/,1,1,1,5,/,8,32,256,5,/' "$results/oblong/lab2_matprod.csv" \
    >"$work/oblong" && mv "$work/oblong" "$results/oblong/lab2_matprod.csv"
ok 'blocks that are not square' draw 0 oblong
ok 'blocks that are not square: their curves' has_text "$out/oblong/lab2_time_vs_size.svg" 32×8 8×32

# Rows of other work beside the usual ones must not bend a curve. (The machine's name is the same,
# for the heading's sake.)
mixed_work() {
    mkdir -p "$work/mixed" && cp -R "$labs" "$work/mixed" || return 1
    awk 'BEGIN { FS = OFS = "," }
        $2 == "naive" && $6 == 256 { $5 = "type=f64"; $12 = 7000; print; getline; print }' \
        "$labs/lab2_matprod.csv" >>"$work/mixed/$machine/lab2_matprod.csv"
    draw 0 --results "$work/mixed" --out "$work/mixed_out" "$machine" &&
        says 'lab2_matprod: not drawn, for their other parameters or cache state: 6 rows' &&
        cmp "$work/mixed_out/$machine/lab2_time_vs_size.svg" "$work/first/lab2_time_vs_size.svg"
}
ok 'rows with other parameters do not bend a curve' mixed_work
other_work() {
    mkdir -p "$results/radius" &&
        sed 's/radius=3/radius=7/' "$labs/lab3_bilateral.csv" >"$results/radius/lab3_bilateral.csv" &&
        draw 0 radius && says 'radius 3 then, 7 now' &&
        lacks_text "$out/radius/lab3_time_vs_size.svg" 'Tesla C2050'
}
ok 'the curves of 2012 are left out beside other work' other_work

# Without a GPU -------------------------------------------------------------------------------------

fixture "$results/laptop" lab2_matprod emulated 'naive shared_tile'
ok 'without a GPU and without recorded curves' draw 0 laptop
ok 'the CPU is drawn beside 2012' has_text "$out/laptop/lab2_time_vs_size.svg" \
    CPU 'CPU: laptop' 'Tesla C2050, 2012'
ok 'emulated kernels are not' lacks_text "$out/laptop/lab2_time_vs_size_variants.svg" \
    naive shared_tile emulated
ok 'nor their speedup' says 'lab2_speedup_vs_size skipped'
fixture "$reference/nvidia-h200" lab2_matprod gpu 'naive register_sum'
ok 'without a GPU, with recorded curves' draw 0 laptop
ok 'the recorded curves say so' has_text "$out/laptop/lab2_time_vs_size.svg" \
    CPU 16×16 'GPU: H200 (recorded), CPU: laptop'
ok 'the speedup is over the recorded CPU' has_text "$out/laptop/lab2_speedup_vs_size.svg" \
    'H200 (recorded) over its own CPU'
ok 'the recorded variants' has_text "$out/laptop/lab2_time_vs_size_variants.svg" \
    cpu naive register_sum cublas
ok 'recorded results by their own name' draw 0 nvidia-h200
ok 'are not called recorded' lacks_text "$out/nvidia-h200/lab2_time_vs_size.svg" recorded
ok '2012 by its own name' draw 0 tesla-c2050
ok 'has no second set of curves' lacks_text "$out/tesla-c2050/lab2_time_vs_size.svg" 'Tesla C2050, 2012'
ok 'nor does its figure 10' lacks_text "$out/tesla-c2050/figure10.svg" 'Tesla C2050, 2012'

bars_fixture "$results/laptop" emulated
ok 'labs 5 and 6 without a GPU and without recorded rows' draw 0 laptop
ok 'draw no bars' says 'lab5_variants skipped'
ok 'draw no bars' says 'lab6_variants skipped'
bars_fixture "$reference/nvidia-h200" gpu
ok 'labs 5 and 6 without a GPU, with recorded rows' draw 0 laptop
ok 'the recorded bars say so' has_text "$out/laptop/lab5_variants.svg" 'H200 (recorded)' \
    'GPU: H200 (recorded), CPU: laptop; cpu 400 ms, cpu_omp 50.0 ms' '0.100 ms, 32×8' rtx-0
ok 'emulated bars are not drawn' lacks_text "$out/laptop/lab5_variants.svg" emulated_kernel

# What goes wrong -----------------------------------------------------------------------------------

mkdir -p "$results/broken"
{ cat "$results/part/lab2_matprod.csv" && echo 'lab2_matprod,naive,gpu'; } >"$results/broken/lab2_matprod.csv"
ok 'a broken file: exit 1' draw 1 broken
ok 'a broken file: which line' says 'lab2_matprod.csv: line .*3 fields, the header has 33'

mkdir -p "$results/torn/pictures"
head -c 500 "$labs/pictures/bilateral_0.pgm" >"$results/torn/pictures/bilateral_0.pgm"
ok 'a torn picture' draw 0 torn
ok 'a torn picture: a word' says 'bilateral_0.pgm is not a whole binary PGM'

mkdir -p "$results/torn_frame/pictures"
cp "$labs/pictures/banding_before.ppm" "$results/torn_frame/pictures"
head -c 9000 "$labs/pictures/banding_after.ppm" >"$results/torn_frame/pictures/banding_after.ppm"
ok 'a torn frame' draw 0 torn_frame
ok 'a torn frame: a word' says 'banding_after.ppm is not a whole binary PGM or PPM'
ok 'a torn frame: no figure' says 'lab6_pictures skipped'
picture "$results/torn_frame/pictures/banding_before.pgm" 120 90
picture "$results/torn_frame/pictures/banding_after.pgm" 120 90
ok 'gray frames' draw 0 torn_frame
ok 'gray frames: their figure' is_figure "$out/torn_frame/lab6_pictures"
picture "$results/torn_frame/pictures/banding_after.pgm" 90 90
ok 'frames of two sizes' draw 0 torn_frame
ok 'frames of two sizes: no figure' says 'lab6_pictures skipped.*of one size'

mkdir -p "$results/broken_bars"
{ cat "$labs/lab5_gaussian.csv" && echo 'lab5_gaussian,naive,gpu'; } >"$results/broken_bars/lab5_gaussian.csv"
ok 'a broken file of lab 5: exit 1' draw 1 broken_bars
ok 'a broken file of lab 5: its figures' says 'lab5_variants skipped: lab5_gaussian.csv cannot be read'

cp -R "$plots" "$work/plots"
echo 'this is no command' >>"$work/plots/single.gp"
drawer=$work/plots/draw.sh
ok 'a broken script: exit 1' draw 1 part
ok 'a broken script: which figure' says 'lab2_time_vs_size.svg: single.gp failed'
ok 'a broken script leaves no figure' [ ! -e "$out/part/lab2_time_vs_size.svg" ]
ok 'a broken script does not keep others from being drawn' is_figure "$out/part/figure10"
drawer=$plots/draw.sh

ok 'an unknown machine: exit 1' draw 1 nobody
ok 'an unknown machine: a word' says "no results for 'nobody'"
ok 'no machine: exit 2' draw 2
ok 'an unknown option: exit 2' draw 2 --what part
ok 'a path for a machine: exit 2' draw 2 ../part
GNUPLOT=no-such-gnuplot
export GNUPLOT
ok 'without gnuplot: exit 3' draw 3 part
ok 'without gnuplot: how to get it' says 'make setup.*apt-get install gnuplot-nox'

done_testing
