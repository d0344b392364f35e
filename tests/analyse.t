#!/bin/sh
# analyse.t - results to tables and facts: cells and facts worked out a second time with awk from the
# recorded results, small results worked out by hand, and files that are broken, hostile or missing.
# shellcheck source=tests/tap.sh
. tests/tap.sh

analyse=$B/analyse
results=$folder/results reference=data/reference h200=data/reference/nvidia-h200
past=data/reference/tesla-c2050

# run MACHINE [OPTION...]: analyses $results/MACHINE into $out.
out=$folder/out
run() {
    rm -rf "$out"
    "$analyse" --results "$results" --reference "$reference" --out "$out" "$@"
}

# csv FILE: the fields of each record, separated by tabs.
csv() {
    awk '
        {
            record = open_quote ? record "\\n" $0 : $0
            copy = $0
            if (gsub(/"/, "", copy) % 2)
                open_quote = !open_quote
            if (open_quote)
                next
            line = ""
            quoted = 0
            for (i = 1; i <= length(record); i++) {
                c = substr(record, i, 1)
                if (c == "\"" && quoted && substr(record, i + 1, 1) == "\"") {
                    line = line c
                    i++
                } else if (c == "\"")
                    quoted = !quoted
                else
                    line = line (c == "," && !quoted ? "\t" : c)
            }
            print line
        }' "$1"
}

# fact NAME: its value. source NAME: where from.
fact() {
    csv "$out/facts.csv" | awk -F '\t' -v name="$1" '$1 == name { print $2 }'
}

source_of() {
    csv "$out/facts.csv" | awk -F '\t' -v name="$1" '$1 == name { print $3 }'
}

# cell TABLE COLUMN KEY=VALUE...: the cells of a column in the rows that have those values.
cell() {
    cell_table=$out/tables/$1.csv
    cell_column=$2
    shift 2
    [ ! -f "$cell_table" ] || csv "$cell_table" | awk -F '\t' -v column="$cell_column" -v where="$*" '
        NR == 1 {
            for (i = 1; i <= NF; i++)
                at[$i] = i
            n = split(where, pair, " ")
            next
        }
        {
            for (i = 1; i <= n; i++) {
                split(pair[i], part, "=")
                if ($at[part[1]] != part[2])
                    next
            }
            print $at[column]
        }'
}

# rows FILE COLUMNS WHERE: the measured rows, by select.awk.
rows() {
    awk -v columns="$2" -v where="$3" -f plots/select.awk "$1"
}

# digits N: the numbers of standard input to N significant digits, without an exponent.
digits() {
    awk -v n="$1" '{
        text = sprintf("%." n - 1 "e", $1 * (1 + 1e-12))
        split(text, part, "e")
        decimals = n - 1 - part[2]
        text = sprintf("%." (decimals > 0 ? decimals : 0) "f", text + 0)
        if (text ~ /\./)
            sub(/\.?0*$/, "", text)
        print text
    }'
}

# ---- the recorded results ------------------------------------------------------------------------

ok "the recorded results are analysed" run nvidia-h200

for lab in lab1_vecadd lab2_matprod lab3_bilateral lab4_template; do
    short=${lab%%_*}
    file=$h200/$lab.csv
    # the largest size that has a serial CPU and a GPU
    size=$(rows "$file" width,height variant=cpu | sort -k 1,1n | tail -n 1)
    where=width=${size%	*},height=${size#*	}
    is "$short.cpu_ms is the serial time" "$(fact "$short.cpu_ms")" \
        "$(rows "$file" time_s "variant=cpu,$where" | awk '{ print $1 * 1000 }' | digits 3)"
    naive=$(rows "$file" time_s,block_x,block_y "variant=naive,$where" | sort -g | head -n 1)
    fastest=$(rows "$file" time_s,block_x,block_y,variant "kind=gpu,$where" | sort -g | head -n 1)
    cpu=$(rows "$file" time_s "variant=cpu,$where")
    is "$short.naive_ms is that of the best block" "$(fact "$short.naive_ms")" \
        "$(echo "$naive" | awk '{ print $1 * 1000 }' | digits 3)"
    is "$short.fastest_variant" "$(fact "$short.fastest_variant")" "${fastest##*	}"
    is "$short.fastest_speedup" "$(fact "$short.fastest_speedup")" \
        "$(echo "$cpu	$fastest" | awk '{ print $1 / $2 }' | digits 3)"
    is "$short.fastest_gain" "$(fact "$short.fastest_gain")" \
        "$(echo "$naive	$fastest" | awk '{ print $1 / $4 }' | digits 2)"
    is "$short.omp_ms" "$(fact "$short.omp_ms")" \
        "$(rows "$file" time_s "variant=cpu_omp,$where" | awk '{ print $1 * 1000 }' | digits 3)"
done

is "the library's gain over the fastest kernel" "$(fact lab2.vendor_gain)" "$(
    {
        rows $h200/lab2_matprod.csv time_s kind=gpu,width=1024 | sort -g | head -n 1
        rows $h200/lab2_matprod.csv time_s kind=vendor,width=1024
    } | awk 'NR == 1 { t = $1 } NR == 2 { print t / $1 }' | digits 2
)"
is "a missing word is absent: no kernel is slower than the library" "$(fact lab2.vendor_slower)" ""

# shares FILE: greatest and least share in percent, size and block of it.
shares() {
    rows "$1" variant,width,height,block_x,block_y,time_s 'variant=cpu|naive' | awk -F '\t' '
        $1 == "cpu" { cpu[$2 "x" $3] = $6; next }
        $4 == $5 && ($2 "x" $3 in cpu) {
            share = 100 * $6 / cpu[$2 "x" $3]
            if (share > most) { most = share; at_most = $2 "x" $3 " " $4 "x" $5 }
            if (least == "" || share < least) { least = share; at_least = $2 "x" $3 " " $4 "x" $5 }
        }
        END { print most, at_most; print least, at_least }' OFMT=%.9g
}
for lab in lab2_matprod lab3_bilateral lab4_template; do
    short=${lab%%_*}
    shares "$h200/$lab.csv" >"$folder/now"
    shares "$past/$lab.csv" >"$folder/past"
    for prefix in '' past_; do
        file=$folder/${prefix:-now}
        for end in max min; do
            line=$(if [ $end = max ]; then head -n 1 "${file%_}"; else tail -n 1 "${file%_}"; fi)
            is "$short.${prefix}share_${end}_percent" "$(fact "$short.${prefix}share_${end}_percent")" \
                "$(echo "$line" | digits 3)"
            size=$(fact "$short.${prefix}share_${end}_size")
            [ "$short" = lab2 ] && size=${size}x$size
            is "its size and block" "$size $(fact "$short.${prefix}share_${end}_block")" "${line#* }"
        done
    done
    is "${short}_gpu has every cell of the naive kernel, in ms" \
        "$(csv "$out/tables/${short}_gpu.csv" | awk -F '\t' '
            NR == 1 { for (i = 3; i <= NF; i++) block[i] = $i; next }
            $2 == "nvidia-h200" { for (i = 3; i <= NF; i++) if ($i != "") print $1, block[i], $i }' | sort)" \
        "$(rows "$h200/$lab.csv" width,height,block_x,block_y,time_s variant=naive |
            awk -F '\t' '$3 == $4 { print $5 * 1000, ($1 == $2 ? $1 : $1 "x" $2), $3 "x" $4 }' OFMT=%.9g |
            while read -r value place; do echo "$place $(echo "$value" | digits 4)"; done | sort)"
    is "${short}_speedup has those of 2012" \
        "$(csv "$out/tables/${short}_speedup.csv" | awk -F '\t' '
            NR == 1 { for (i = 3; i <= NF; i++) block[i] = $i; next }
            $2 ~ /2012/ { for (i = 3; i <= NF; i++) if ($i != "") print $1, block[i], $i }' | sort)" \
        "$(rows "$past/$lab.csv" variant,width,height,block_x,time_s '' | awk -F '\t' '
            $1 == "cpu" { cpu[$2, $3] = $5; next }
            { print cpu[$2, $3] / $5, ($2 == $3 ? $2 : $2 "x" $3), $4 "x" $4 }' OFMT=%.9g |
            while read -r value place; do echo "$place $(echo "$value" | digits 4)"; done | sort)"
done
is "2012's CPU against this one" "$(fact lab2.past_cpu_gain)" "$(
    { rows $past/lab2_matprod.csv time_s variant=cpu,width=1024
      rows $h200/lab2_matprod.csv time_s variant=cpu,width=1024; } |
        awk 'NR == 1 { t = $1 } NR == 2 { print t / $1 }' | digits 2)"
is "this machine's CPU is the faster one" "$(fact lab2.past_cpu_faster)" 1

for type in gray rgb24 rgba32; do
    is "lab5, $type: each variant at its best block" \
        "$(csv "$out/tables/lab5_variants_$type.csv" | awk -F '\t' 'NR > 1 { print $1, $3, $4 }' | sort)" \
        "$(rows $h200/lab5_gaussian.csv variant,block_x,block_y,time_s \
            "width=6720,parameters.type=$type,parameters.transfer=" | awk -F '\t' '
            !($1 in t) || $4 < t[$1] { t[$1] = $4; block[$1] = $2 == "" ? "" : $2 "x" $3 }
            END { for (v in t) print t[v] * 1000, v, block[v] }' OFMT=%.9g |
            while read -r value place; do echo "$place $(echo "$value" | digits 4)"; done |
            awk 'NF == 2 { print $1 "  " $2; next } 1' | sort)"
done
is "a copy is not the fastest filter" "$(fact lab5_f32.fastest_variant)" "$(
    rows $h200/lab5_gaussian.csv time_s,variant 'width=6720,parameters.type=f32,variant!=copy,kind=gpu' |
        sort -g | head -n 1 | cut -f 2)"
is "the transfers' times from end to end" \
    "$(csv "$out/tables/transfers.csv" | awk -F '\t' 'NR > 1 && $2 != "pageable" { print $2, $6 }' | sort)" \
    "$(rows $h200/lab5_gaussian.csv end_to_end_s,parameters.transfer 'parameters.transfer!=' |
        while read -r value way; do echo "$way $(awk "BEGIN { printf \"%.9g\", $value * 1000 }" | digits 4)"; done | sort)"
is "beside the pageable one" "$(fact lab5.transfer_pageable_ms)" "$(
    rows $h200/lab5_gaussian.csv end_to_end_s \
        'variant=naive,width=6720,block_x=32,block_y=32,parameters.type=gray,parameters.transfer=' |
        awk '{ print $1 * 1000 }' | digits 3)"

is "the CPU's exponent in lab 4, of too few sizes for a bend, is the slope of the logarithms" \
    "$(cell exponents exponent_large lab=lab4 variant=cpu)" "$(
    rows $h200/lab4_template.csv width,height,time_s variant=cpu | awk '
        { x = log(($1 - 63) * ($2 - 63)); y = log($3); n++; sx += x; sy += y; xx += x * x; xy += x * y }
        END { printf "%.9g\n", (n * xy - sx * sy) / (n * xx - sx * sx) }' | digits 4)"
is "table 19's orders: N cubed and N" \
    "$(cell exponents theory_2012 lab=lab2 variant=cpu) $(cell exponents theory_2012 lab=lab2 variant=naive)" '3 1'
is "and of a filter: the pixels, and none" \
    "$(cell exponents theory_2012 lab=lab3 variant=cpu) $(cell exponents theory_2012 lab=lab3 variant=naive)" '1 0'
is "a template's positions are what is counted" \
    "$(cell fit_points x lab=lab4 variant=cpu size=128x96)" $(((128 - 63) * (96 - 63)))

is "tables 21 to 23 of 2012, row by row" \
    "$(csv "$out/tables/occupancy_2012.csv" | awk -F '\t' 'NR > 1 { printf "%s %s", $1, $4
        for (i = 5; i <= NF; i++) printf " %.0f", $i; print "" }')" "$(
    for program in matprod bilateral template; do
        echo "$program threads_per_sm 256 256 256 512 1536 1024"
        echo "$program warps_per_sm 8 8 8 16 48 32"
        echo "$program blocks_per_sm 8 8 8 8 6 1"
        echo "$program occupancy_percent 17 17 17 33 100 67"
    done)"

is "rows are counted" "$(fact rows)" "$(cat $h200/lab*.csv | grep -c '^lab[0-9]*_[a-z]*,')"
is "skipped ones, too" "$(cell status skipped lab=lab2)" \
    "$(column status $h200/lab2_matprod.csv | grep -c skipped)"
like "and told with their reason" "$(cell problems note lab=lab2 status=skipped)" 'the tile is the block'
like "facts name the machine's own file as it is" "$(source_of lab2.cpu_ms)" '^lab2_matprod\.csv:[0-9]+$'
like "and the past's with its folder" "$(source_of lab2.past_cpu_ms)" '^tesla-c2050/lab2_matprod\.csv:[0-9]+$'

# Every source of one row of a time in ms leads to a row that has this time.
is "every time is the one in the row it names" "$(
    csv "$out/facts.csv" | awk -F '\t' -v h200="$h200" -v reference="$reference" '
        $1 !~ /(cpu|omp|naive|fastest|vendor|block|pageable|best|worst|end_to_end)_ms$/ || $3 ~ /;/ { next }
        {
            split($3, part, ":")
            file = part[1] ~ /\// ? reference "/" part[1] : h200 "/" part[1]
            for (i = 1; i <= part[2]; i++)
                getline line < file
            close(file)
            split(line, field, ",")
            time = field[$1 ~ /transfer|end_to_end/ ? 17 : 12] * 1000
            n++
            if (time / $2 > 1.006 || time / $2 < 0.994)
                print $0, time
        }
        END { print (n > 40 ? "all" : n) }')" all

cp -r "$out" "$folder/before"
run nvidia-h200
ok "the same results give the same bytes" diff -r "$folder/before" "$out"

# ---- small results, by hand ------------------------------------------------------------------------

head=variant,kind,parameters,width,height,block_x,block_y,time_s,end_to_end_s,read_s,copy_in_s,copy_out_s,write_s
head=$head,cache,bytes,flops,gb_per_s,gflop_per_s,occupancy,status,note

# machine NAME: begins a machine; file NAME LINE...: its CSV, under the head.
machine() {
    at=$results/$1
    mkdir -p "$at"
}
file() {
    file_name=$at/$1
    shift
    printf '%s\n' "$head" "$@" >"$file_name"
}

machine hand
file lab0_ceilings.csv \
    'cpu,cpu,measure=copy,1000,1,,,1,,,,,,hot,,,10,,,ok,' \
    'cpu_omp,cpu,measure=copy,1000,1,,,1,,,,,,hot,,,40,,,ok,' \
    'copy,gpu,measure=copy,1000,1,256,1,1,,,,,,cold,,,1000,,,ok,' \
    'copy,gpu,measure=copy,4000,1,256,1,1,,,,,,cold,,,2000,,,ok,' \
    'copy,gpu,measure=copy,9000,1,256,1,1,,,,,,cold,,,9000,,,wrong,off' \
    'cpu,cpu,measure=fma,1000,1,,,1,,,,,,hot,,,,5,,ok,' \
    'cpu_omp,cpu,measure=fma,1000,1,,,1,,,,,,hot,,,,80,,ok,' \
    'fma,gpu,measure=fma,1000,1,256,1,1,,,,,,cold,,,,40000,,ok,'
# N = 1024: intensity 2e9 / 4e7 = 50 for the GPU's ridge of 20; CPU 0.4 s
file lab2_matprod.csv \
    'cpu,cpu,type=f32,1024,1024,,,0.4,,,,,,hot,4e7,2e9,0.1,5,,ok,' \
    'cpu_omp,cpu,type=f32,1024,1024,,,0.1,,,,,,hot,4e7,2e9,0.4,20,,ok,' \
    'cpu_omp,cpu,type=f32;cpu_threads=1,1024,1024,,,0.4,,,,,,hot,4e7,2e9,0.1,5,,ok,' \
    'cpu_omp,cpu,type=f32;cpu_threads=2,1024,1024,,,0.24,,,,,,hot,4e7,2e9,0.1,5,,ok,' \
    'cpu_omp,cpu,type=f32;cpu_threads=4,1024,1024,,,0.16,,,,,,hot,4e7,2e9,0.1,5,,ok,' \
    'cpu_omp,cpu,type=f32;cpu_threads=2,512,512,,,0.001,,,,,,hot,4e7,2e9,0.1,5,,ok,' \
    'naive,gpu,type=f32,1024,1024,8,8,0.004,0.02,0.02,0.002,0.004,0.03,cold,4e7,2e9,10,500,0.5,ok,' \
    'naive,gpu,type=f32,1024,1024,16,16,0.001,0.01,0.02,0.002,0.004,0.03,cold,4e7,2e9,40,2000,1,ok,' \
    'tuned,gpu,type=f32,1024,1024,16,16,0.0001,0.009,0.02,0.002,0.004,0.03,cold,4e7,2e9,400,20000,0.75,ok,' \
    'tuned,gpu,type=f32,1024,1024,32,32,0.00001,,,,,,cold,4e7,2e9,400,20000,0.75,wrong,"1 of 2, bad"' \
    'ghost,emulated,type=f32,1024,1024,32,32,0.000001,,,,,,cold,4e7,2e9,400,20000,,ok,' \
    'library,vendor,type=f32,1024,1024,,,0.0002,,,,,,cold,4e7,2e9,200,10000,,ok,'
# 0.1 operations a byte: bound by memory
file lab1_vecadd.csv \
    'cpu,cpu,type=f32,1000,1,,,0.01,,,,,,hot,1e6,1e5,0.1,0.01,,ok,' \
    'naive,gpu,type=f32,1000,1,256,1,0.000001,,,,,,cold,1e6,1e5,1000,100,,ok,'
{
    echo 'lab,variant,machine,parameters,width,height,block_x,block_y,kernels,time_s,achieved_occupancy,dram_read_bytes,dram_write_bytes,l2_bytes,issue_utilisation,sm_throughput,dram_throughput,status,note'
    echo 'lab2_matprod,naive,hand,type=f32,1024,1024,16,16,1,0.001,0.9,3e7,2e7,8e8,0.25,0.5,0.125,ok,'
    echo 'lab2_matprod,tuned,hand,type=f32,1024,1024,16,16,1,0.001,0.7,4e7,4e6,8e7,0.75,0.8,,ok,'
    echo 'lab2_matprod,library,hand,type=f32,1024,1024,,,1,,,,,,,,,skipped,"no counters, no rights"'
} >"$at/profile.csv"
ok "results of a few columns in another order are analysed" run hand

is "ceilings are the greatest correct rates" "$(csv "$out/tables/ceilings.csv" | tr '\t' ' ')" \
    'processor gb_per_s gflop_per_s ridge_flop_per_byte
gpu 2000 40000 20
cpu 40 80 2'
is "facts have them, too" "$(fact gpu.copy_gb_per_s) $(fact gpu.fma_gflop_per_s) $(fact gpu.ridge) $(fact cpu.ridge)" \
    '2000 40000 20 2'
is "above the ridge arithmetic binds" \
    "$(for c in flop_per_byte roof_gflop_per_s roof_percent bound; do cell roofline $c lab=lab2 variant=tuned; done | tr '\n' ' ')" \
    '50 40000 50 arithmetic '
is "below it memory does" \
    "$(for c in flop_per_byte roof_gflop_per_s roof_percent bound; do cell roofline $c lab=lab1 variant=naive; done | tr '\n' ' ')" \
    '0.1 200 50 memory '
is "a CPU is held against the CPU's ceilings" \
    "$(cell roofline processor lab=lab2 variant=cpu) $(cell roofline roof_percent lab=lab2 variant=cpu)" 'cpu 6.25'
is "and the facts" "$(fact lab2.fastest_bound) $(fact lab2.fastest_roof_percent) $(fact lab2.naive_roof_percent) $(fact lab2.flop_per_byte)" \
    'arithmetic 50 5 50'

# 1/S = .6 and .4 with N = 2 and 4: both are 1 - P + P/N with P = .8
is "Amdahl's share" "$(fact lab2.parallel_percent) $(fact lab2.scaling_limit) $(fact lab2.scaling_speedup) $(fact lab2.scaling_threads) $(fact lab2.scaling_size)" \
    '80 5 2.5 4 1024'
is "the scaling rows of the size with most of them" "$(csv "$out/tables/scaling.csv" | tr '\t' ' ')" \
    'lab size cpu_threads time_ms speedup fit_speedup
lab2 1024 1 400 1 1
lab2 1024 2 240 1.667 1.667
lab2 1024 4 160 2.5 2.5'
is "the fit" "$(csv "$out/tables/amdahl.csv" | tail -n 1 | tr '\t' ' ' | sed 's/ [^ ]*$//')" 'lab2 1024 4 2.5 80 5'
is "the law holds: nothing is superlinear" "$(fact lab2.superlinear)" ''
is "scaling rows are no part of the other tables" "$(cell lab2_variants time_ms variant=cpu_omp)" 100

# 4 and 16 times as fast with 2 and 4 threads: more than all of it cannot be parallel
cp -r "$at" "$results/super"
sed -i.old 's/,0.24,,/,0.1,,/; s/,0.16,,/,0.025,,/' "$results/super/lab2_matprod.csv"
run super
is "faster than the law allows: no limit, and a flag" \
    "$(fact lab2.parallel_percent) $(fact lab2.scaling_limit)$(cell amdahl limit lab=lab2) $(fact lab2.superlinear)" '100  1'
run hand

# reading 20, copies 2 and 4, kernel 0.1, writing 30: 56.1 ms; the CPU 20 + 400 + 30
is "the split of the fastest correct kernel" "$(csv "$out/tables/split.csv" | tr '\t' ' ' | tail -n 1)" \
    'lab2 1024 tuned 16x16 20 2 0.1 4 30 56.1 400 450 4000 8.021 8.036'
is "in percent" "$(fact lab2.split_kernel_percent) $(fact lab2.split_copy_percent) $(fact lab2.split_io_percent)" \
    "$(echo 0.1 6 50 | awk '{ print $1 / .561; print $2 / .561; print $3 / .561 }' | digits 3 | tr '\n' ' ' | sed 's/ $//')"
is "what was skipped for the copies has no split" "$(cell split lab lab=lab1)" ''

is "blocks: the smallest against the best" "$(fact lab2.smallest_block) $(fact lab2.block_gain) $(fact lab2.smallest_occupancy_percent) $(fact lab2.best_occupancy_percent)" \
    '8x8 4 50 100'
is "the library is slower here" "$(fact lab2.vendor_slower) $(fact lab2.vendor_gain) $(fact lab2.vendor_loss)" '1 0.5 2'
is "a wrong row is told" "$(cell problems variant lab=lab2 status=wrong) $(cell problems note lab=lab2 status=wrong)" 'tuned 1 of 2, bad'
is "and counted" "$(fact rows_wrong) $(fact wrong) $(cell status wrong lab=lab2)" '2 1 1'
is "an emulated row passed its check but has no time" \
    "$(fact rows_emulated) $(cell status emulated lab=lab2) $(cell lab2_variants time_ms variant=ghost)" '1 1 '
is "a rate is worked out where the file has none" "$(cell lab1_variants block variant=naive) $(fact lab1.fastest_gb_per_s)" '256 1000'

is "counters stand beside the rows" "$(csv "$out/tables/profile.csv" | tr '\t' ' ')" \
    'lab variant size block occupancy_percent achieved_percent compulsory_mb dram_mb l2_mb issue_percent sm_percent dram_percent
lab2 naive 1024 16x16 100 90 40 50 800 25 50 12.5
lab2 tuned 1024 16x16 75 70 40 44 80 75 80 '
is "and in facts" "$(fact lab2.profiled) $(fact lab2.naive_achieved_percent) $(fact lab2.fastest_achieved_percent) $(fact lab2.naive_profile_occupancy_percent)" '1 90 70 100'

# ---- growth ------------------------------------------------------------------------------------------

# flat to n = 65536, then linear, as if it had risen from 1.5 x 65536 on; 12 bytes an element
machine growth
{
    echo variant,kind,parameters,width,height,block_x,block_y,time_s,cache,bytes,status
    awk 'BEGIN {
        for (n = 1024; n <= 1024 * 4 ^ 7; n *= 4) {
            print "cpu,cpu,type=f32," n ",1,,," n * 1e-9 ",hot," 12 * n ",ok"
            print "naive,gpu,type=f32," n ",1,256,1," (n > 65536 ? n / (1.5 * 65536) : 1) * 1e-6 ",cold," 12 * n ",ok"
        }
    }' OFMT=%.9g CONVFMT=%.9g
} >"$at/lab1_vecadd.csv"
# told L2_BYTES: the row of exponents with a cache of that size.
told() {
    printf '{\n"lab1_vecadd": {"gpu": "A", "l2_bytes": %s, "date": "2026-01-01T00:00:00Z"}\n}\n' "$1" >"$at/run.json"
    run growth
    csv "$out/tables/exponents.csv" | awk -F '\t' '$2 == "naive" {
        print $1, $3, $4, ($5 < 1e-9 && $5 > -1e-9 ? 0 : $5), $6, $7, $8, $10 }'
}
is "two exponents, the bend, and why: data of 1.2 MB at the bend, a cache of 2 MB" "$(told 2e6)" \
    'lab1 256  0 1 65536 8 launch, cache, bandwidth'
is "a cache of 3 MB is not it" "$(told 3e6)" 'lab1 256  0 1 65536 8 launch, bandwidth'
is "nor one of 0.5 MB" "$(told 500000)" 'lab1 256  0 1 65536 8 launch, bandwidth'
is "in facts" "$(fact lab1.exponent_cpu) $(fact lab1.exponent_naive_large) $(fact lab1.exponent_bend)" '1 1 65536'
is "a straight line has one exponent" "$(cell exponents exponent_small variant=cpu)$(cell exponents exponent_large variant=cpu)" 1
is "the fitted times" "$(cell fit_points fit_ms variant=naive size=1024) $(cell fit_points fit_ms variant=naive size=16777216)" \
    "0.001 $(awk 'BEGIN { print 16777216 / (1.5 * 65536) * 1e-3 }' | digits 4)"
printf '%s\n' variant,kind,parameters,width,height,gb_per_s,time_s,status \
    copy,gpu,measure=copy,1,1,50000,1,ok >"$at/lab0_ceilings.csv"
is "with a measured copy that is twice as fast it is no bandwidth" "$(told 1)" 'lab1 256  0 1 65536 8 launch'

# ---- conditions -------------------------------------------------------------------------------------

# radius 5 has more rows than radius 3: it is shown, and 2012, of radius 3, is not
machine conditions
file lab3_bilateral.csv \
    'cpu,cpu,radius=3,32,24,,,0.3,,,,,,hot,,,,,,ok,' \
    'cpu,cpu,radius=5,32,24,,,0.5,,,,,,hot,,,,,,ok,' \
    'naive,gpu,radius=3,32,24,8,8,0.003,,,,,,cold,,,,,,ok,' \
    'naive,gpu,radius=5,32,24,8,8,0.005,,,,,,cold,,,,,,ok,' \
    'naive,gpu,radius=5,32,24,16,16,0.004,,,,,,cold,,,,,,ok,'
file lab4_template.csv \
    'cpu,cpu,template=64x64,128,96,,,0.3,,,,,,hot,,,,,,ok,' \
    'naive,gpu,template=64x64,128,96,8,8,0.002,,,,,,hot,,,,,,ok,' \
    'naive,gpu,template=64x64,128,96,8,8,0.003,,,,,,cold,,,,,,ok,'
ok "several parameters in one file" run conditions
is "the commonest is shown, the CPU's of the same" "$(fact lab3.naive_ms) $(fact lab3.cpu_ms) $(fact lab3.naive_speedup)" '4 500 125'
is "not 2012's of others" "$(fact lab3.past_cpu_ms)$(cell lab3_cpu past_cpu_ms)" ''
is "of equally common ones the cold" "$(fact lab4.naive_ms) $(fact lab4.naive_speedup)" '3 100'
is "beside 2012's, of the same template" "$(fact lab4.past_cpu_ms) $(cell lab4_cpu past_cpu_ms size=128x96)" '109 108.5'

# ---- what is missing ------------------------------------------------------------------------------

# A CPU alone: its own times beside the recorded GPU's.
machine cpu-only
file lab2_matprod.csv \
    'cpu,cpu,type=f32,512,512,,,0.5,,,,,,hot,1e6,1e8,,,,ok,' \
    'naive,emulated,type=f32,512,512,16,16,1e-9,,,,,,,1e6,1e8,,,,ok,'
ok "a machine without a GPU" run cpu-only
is "shows the recorded one" "$(fact gpu_recorded) $(fact gpu_label)$(fact gpu_measured)" '1 H200 (recorded)'
is "and its own CPU" "$(fact lab2.size) $(fact lab2.cpu_ms) $(source_of lab2.cpu_ms)" '512 500 lab2_matprod.csv:2'
is "the recorded kernel" "$(fact lab2.naive_ms)" \
    "$(rows $h200/lab2_matprod.csv time_s variant=naive,width=512 | sort -g | head -n 1 | awk '{ print $1 * 1000 }' | digits 3)"
is "is as fast as that machine's CPU has it" "$(fact lab2.naive_speedup)" \
    "$(rows $h200/lab2_matprod.csv speedup variant=naive,width=512 | sort -gr | head -n 1 | digits 3)"
like "and says so" "$(source_of lab2.naive_speedup)" '^nvidia-h200/lab2_matprod.csv:[0-9]+;nvidia-h200/lab2_matprod.csv:[0-9]+$'
is "recorded rows count among no rows" "$(fact rows) $(fact rows_emulated)" '2 1'
is "labs that the CPU has no rows of are not called measured" "$(fact lab3.present)" ''
is "nor are the recorded card's CPU times shown" "$(cell lab3_cpu cpu_ms)$(cell lab2_variants time_ms variant=cpu_blas)" ''
reference=$folder/none
ok "without recorded results" run cpu-only
is "there is no GPU at all" "$(fact gpu_label)$(fact lab2.naive_ms) $(fact lab2.cpu_ms)" ' 500'
reference=data/reference

machine gpu-only
file lab2_matprod.csv 'naive,gpu,type=f32,512,512,16,16,0.001,,,,,,cold,1e6,1e8,,,,ok,'
ok "a GPU without CPU rows" run gpu-only
is "has times but no speedup and no share" \
    "$(fact lab2.size) $(fact lab2.naive_ms)$(fact lab2.naive_speedup)$(fact lab2.share_max_percent)$(fact lab2.present)" '512 1'
for name in roofline ceilings split scaling amdahl profile; do
    ok "without the rows for it there is no $name" test ! -e "$out/tables/$name.csv"
done
is "what is not measured is told" "$(cell problems status lab=lab0)" missing
is "its table of speedups holds 2012 alone" "$(cell lab2_speedup size machine=gpu-only)" ''
is "no run.json is told" "$(cell problems status where=run.json) $(fact cpu)" 'missing '

machine only-broken
printf 'no,such,columns\n1,2,3\n' >"$at/lab1_vecadd.csv"
printf '' >"$at/lab2_matprod.csv"
mkdir "$at/lab3_bilateral.csv"
printf '{\n"lab1_vecadd": {"cpu": "half' >"$at/run.json"
ok "nothing but broken files" run only-broken
is "each is told" "$(cell problems where status=broken | sort | tr '\n' ' ')" \
    'lab1_vecadd.csv lab2_matprod.csv lab3_bilateral.csv run.json '
is "and no row is counted" "$(fact rows) $(fact problems)" '0 1'

# ---- hostile rows ------------------------------------------------------------------------------------

machine hostile
printf '\357\273\277' >"$at/lab2_matprod.csv"
{
    echo "$head"
    echo 'cpu,cpu,type=f32,64,64,,,0.5,,,,,,hot,,,,,,ok,'
    for time in -1 0 inf nan -inf 1e999 0x10 abc 1,5 '" 1"' 1e-3x; do
        case $time in 1,5) time='"1,5"' ;; esac
        echo "naive,gpu,type=f32,64,64,8,8,$time,,,,,,cold,,,,,,ok,"
    done
    echo 'naive,gpu,type=f32,-64,64,8,8,1,,,,,,cold,,,,,,ok,'
    echo 'naive,gpu,type=f32,99999999999,64,8,8,1,,,,,,cold,,,,,,ok,'
    echo 'naive,gpu,type=f32,,64,8,8,1,,,,,,cold,,,,,,ok,'
    echo 'naive,gpu,type=f32,64,64,8,8,1,,,,,,cold,,,,,,fine,'
    echo 'naive,teapot,type=f32,64,64,8,8,1,,,,,,cold,,,,,,ok,'
    printf '"a, ""b""\r\nc",gpu,type=f32,64,64,8,8,0.25,,,,,,cold,,,,,,ok,\r\n'
    # shellcheck disable=SC2016 # the backquote is the text's
    printf '%s\n' '=cmd()|x!A1,gpu,type=f32,64,64,8,8,0.5,,,,,,cold,,,,,,ok,"=1+1 <b>|`$x_1` \end{document}"'
    printf 'bell\007\033[31m,gpu,type=f32,64,64,8,8,0.5,,,,,,cold,,,,,,wrong,\001\n'
    printf 'long,gpu,type=f32,64,64,8,8,0.5,,,,,,cold,,,,,,skipped,%s\n' "$(awk 'BEGIN { while (n++ < 70000) printf "x" }')"
    echo
    echo 'last,gpu,type=f32,64,64,8,8,0.5,,,,,,cold,,,,,,ok,'
} >>"$at/lab2_matprod.csv"
ok "hostile fields are read" run hostile
is "rows whose numbers cannot be are failed ones" "$(fact rows_failed) $(fact rows_wrong) $(fact rows_skipped)" '16 1 1'
like "with a note" "$(cell problems note status=failed)" "^time_s cannot be 'inf'"
is "and give no time" "$(fact lab2.naive_ms)" ''
is "commas, quotes and line breaks come through" "$(fact lab2.fastest_variant) $(fact lab2.fastest_speedup)" \
    "$(printf 'a, "b"\r\\nc 2')"
is "as does what a spreadsheet might run: as it is" "$(cell lab2_variants time_ms 'variant==cmd()|x!A1')$(csv "$out/tables/lab2_variants.csv" | grep -c '^=cmd()')" 1
is "lines are counted through line breaks in a field" "$(cell problems where status=skipped)" lab2_matprod.csv:23
is "a long note does not disappear" "$(cell problems note status=skipped | awk '{ print length($0) }')" 70000
is "what stands after an empty line is read" "$(cell lab2_variants time_ms variant=last)" 500

machine torn
for broken in 'quote naive,gpu,"type' 'fields naive,gpu,type=f32,64' 'text naive,"gpu"x,type=f32'; do
    file lab2_matprod.csv 'cpu,cpu,type=f32,64,64,,,0.5,,,,,,hot,,,,,,ok,' "${broken#* }" \
        'cpu_omp,cpu,type=f32,64,64,,,0.25,,,,,,hot,,,,,,ok,'
    ok "a file torn in its third line (${broken%% *})" run torn
    is "keeps the rows before" "$(fact lab2.cpu_ms)$(fact lab2.omp_ms) $(fact rows)" '500 1'
    is "and is named" "$(cell problems status where=lab2_matprod.csv) $(fact problems)" 'broken 1'
    like "with the line" "$(cell problems note where=lab2_matprod.csv)" '^line 3: '
done
{
    printf '%s\n' "$head" 'cpu,cpu,type=f32,64,64,,,0.5,,,,,,hot,,,,,,ok,'
    printf 'naive\000,gpu\n'
} >"$at/lab2_matprod.csv"
ok "a byte 0" run torn
is "keeps the rows before, too" "$(fact lab2.cpu_ms) $(cell problems status where=lab2_matprod.csv)" '500 broken'

cp -r $h200 "$results/bad-json"
awk '{ print substr($0, 1, NR == 3 ? 100 : 9999) }' $h200/run.json >"$results/bad-json/run.json"
chmod u+w "$results/bad-json/run.json"
ok "a run.json with one broken line" run bad-json
is "is told, and the others are read" "$(cell problems note where=run.json) $(fact gpu)" "line 3: not a lab's record NVIDIA H200"

# ---- many rows -------------------------------------------------------------------------------------

machine many
awk -v head="$head" 'BEGIN {
    print head
    for (i = 0; i < 100000; i++) {
        print "v" i ",gpu,type=f32;k=" i "," i + 1 "," i + 1 ",8,8,0.5,,,,,,cold,,,,,,ok,"
        print "naive,gpu,type=f32," i + 1 "," i + 1 ",8,8,0.5,,,,,,cold,,,,,,wrong,note " i
        print "naive,gpu,type=f32," i + 1 "," i + 1 ",8,8," 1e-6 * (i + 1) ",,,,,,cold,,,,,,ok,"
    }
    print "cpu,cpu,type=f32,100000,100000,,,1,,,,,,hot,,,,,,ok,"
}' >"$at/lab2_matprod.csv"
start=$(date +%s)
ok "300001 rows, of 100001 variants, works and sizes" run many
ok "take no more than 20 s" test $(($(date +%s) - start)) -le 20
is "are analysed all the same" "$(fact lab2.naive_ms) $(fact lab2.naive_speedup) $(fact rows)" '100 10 300001'
is "problems.csv stays short" "$(wc -l <"$out/tables/problems.csv")" 202

# ---- several machines ---------------------------------------------------------------------------------

machine one
file lab2_matprod.csv \
    'cpu,cpu,type=f32,64,64,,,0.064,,,,,,hot,,,,,,ok,' \
    'cpu,cpu,type=f32,128,128,,,0.128,,,,,,hot,,,,,,ok,' \
    'naive,gpu,type=f32,64,64,8,8,0.002,,,,,,cold,,,,,,ok,' \
    'naive,gpu,type=f32,64,64,16,16,0.001,,,,,,cold,,,,,,ok,' \
    'naive,gpu,type=f32,256,256,16,16,0.009,,,,,,cold,,,,,,ok,' \
    'mine,gpu,type=f32,256,256,16,16,0.007,,,,,,cold,,,,,,ok,'
machine two,three
file lab2_matprod.csv \
    'cpu,cpu,type=f32,64,64,,,0.1,,,,,,hot,,,,,,ok,' \
    'cpu,cpu,type=f32,128,128,,,0.2,,,,,,hot,,,,,,ok,' \
    'library,vendor,type=f32,64,64,,,0.0002,,,,,,cold,,,,,,ok,' \
    'naive,gpu,type=f32,64,64,8,8,0.003,,,,,,cold,,,,,,ok,'
ok "two machines" run --compare one two,three
is "are compared at the size where both have CPU and GPU" "$(csv "$out/tables/compare.csv" | tr '\t' ' ')" \
    'lab variant size block one two,three
lab2 cpu 64  64 100
lab2 naive 64 16x16/8x8 1 3'
is "under their names" "$(fact machines) $(fact machine_2)" '2 two,three'
ok "recorded machines are compared, too" run --compare nvidia-h200 tesla-c2050 rtx-2060
is "lab 2 at the largest size of 2012" "$(cell compare size lab=lab2 variant=naive) $(cell compare tesla-c2050 lab=lab2 variant=naive)" '1024 48.53'

# ---- the command line ------------------------------------------------------------------------------------

refuses "no machine" 2 'which machine' "$analyse" --out "$out"
refuses "no folder to write to" 2 '\-\-out' "$analyse" nvidia-h200
refuses "two machines without --compare" 2 'compare' "$analyse" --out "$out" a b
refuses "an unknown option" 2 'unknown option' "$analyse" --out "$out" --fast a
refuses "an option without its value" 2 'needs a folder' "$analyse" nvidia-h200 --out
refuses "a machine that is not there" 2 "no results for 'nobody'" "$analyse" --out "$out" nobody
refuses "one of several that is not there" 2 "no results for 'nobody'" "$analyse" --out "$out" --compare nvidia-h200 nobody
refuses "a name that is a path" 2 'not the name of a folder' "$analyse" --out "$out" ../reference/nvidia-h200
: >"$folder/file"
refuses "an output that is a file" 2 'cannot' "$analyse" --out "$folder/file" nvidia-h200
refuses "an output that cannot be made" 2 'cannot' "$analyse" --out /proc/no/such nvidia-h200
ok "--help" "$analyse" --help

done_testing
