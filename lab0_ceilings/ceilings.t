#!/bin/sh
# ceilings.t - lab 0: a copy has no operations, copies on the CPU run where they leave the caches,
# no more multiply-adds are asked of a CPU than it gets done, and each measure has sizes and blocks
# of its own, unless others are given.
. tests/tap.sh
program=$B/ceilings

sweeps 'a copy' "$program" '1000 4097' '32 100' --measure copy
is 'it has no operations' "$(column flops "$folder/rows.csv" | grep -v '^0*$')" ''
known_reasons='under 2\^25 floats the caches would answer'
sweeps 'short copies on the CPU' "$program" '1000 33554431' 32 --measure copy \
    --variants 'cpu cpu_omp'
is 'none of them ran' "$(column status "$folder/rows.csv" | sort -u)" skipped
long='2^25 33554439'
! thorough || long="$long 33554433 33554434 33554435"
sweeps 'long copies on the CPU' "$program" "$long" 32 \
    --measure copy --variants 'cpu cpu_omp'
is 'they all ran' "$(column status "$folder/rows.csv" | sort -u)" ok
known_reasons="caches would answer|a whole warp's"
sweeps 'reading' "$program" '5 1025 65537' '32 100 256' --measure read
refuses 'more multiply-adds than a CPU gets done' 2 '2\^25 is the greatest' \
    "$program" --measure fma --sizes 33554433
refuses 'but not 2^25 of them' 2 'nothing to run' \
    "$program" --measure fma --sizes 33554432 --variants memcpy

# shapes OPTION...: what a checked run has rows of
shapes() {
    "$program" --check-only --csv "$folder/shapes.csv" --fresh "$@" >/dev/null 2>&1
    column parameters width block_x status "$folder/shapes.csv" | tr '\n' ' '
}
# On a GPU rings go on to what no cache holds.
more=''
[ "$BACKEND" = cpu ] || more='4194304 67108864'
is 'measures have sizes and blocks of their own' "$(shapes --variants 'graph chase')" \
    "measure=launch,1,32,ok $(for size in 4096 16384 65536 262144 1048576 $more; do
        printf 'measure=latency,%d,1024,ok ' "$size"
    done)"
is 'those given stand for all of them' \
    "$(shapes --variants 'l2 shared_16 load graph' --sizes 5 --blocks 8)" \
    'measure=l2,5,8,ok measure=shared,5,8,ok measure=loads,5,8,ok measure=launch,5,8,ok '
is 'threads are for copies and multiply-adds' "$(shapes --cpu-threads 1)" \
    "measure=copy,67108864,,ok measure=copy;cpu_threads=1,67108864,,ok \
measure=fma,1048576,,ok measure=fma;cpu_threads=1,1048576,,ok "
# Ends of pieces and of a warpgroup's sums; part of a warpgroup has no product.
known_reasons='needs |128 threads'
sweeps 'the copy engine' "$program" '3 2047 32771 131077' '1 2 32' --measure copy --variants bulk_copy
for type in fp16 tf32 int8; do
    sweeps "products in $type" "$program" '1 16385' '64 128 256' --measure "tensor_$type" \
        --variants "mma_$type wgmma_$type"
done
sweeps 'products in fp64' "$program" '1 16385' '32 64 256' --measure tensor_fp64
known_reasons="a whole warp's|takes too long"
for measure in constant l2_store tags atomics blocks; do
    sweeps "$measure" "$program" '5 1025' '8 100 256' --measure $measure
done
is 'a word that all threads add to is not asked for too many' \
    "$(shapes --variants 'red_one red_warp' --sizes '65536 65537' --blocks 256)" \
    'measure=atomics,65536,256,ok measure=atomics,65536,256,ok measure=atomics,65537,256,skipped '\
'measure=atomics,65537,256,ok '
known_reasons='under 2\^25 floats the caches would answer'
sweeps 'a tile that a block fills together' "$program" 1000 256 --measure shared
sweeps 'a ring that memory is to answer for' "$program" 4194305 256 --measure latency
ring() {
    "$B/tests/check_ceilings" --check-only --measure latency --sizes 1000 --blocks 8 "$@" |
        sed -n 's/.*inputs//p'
}
ok 'another ring for another seed' [ "$(ring)" != "$(ring --seed 2)" ]

# Links: by NCCL, which MPI stands in for here; memory of another process is a GPU's affair.
if use_ranks 4 2; then
    exits "links of 1 to $ranks GPUs" 0 "$programs/ceilings" --gpus "$(seq -s ' ' "$ranks")" \
        --measure link --check-only --sizes '1 1003' --csv "$folder/links.csv"
    is 'are right, and a single one has none' \
        "$(column gpus status note variant "$folder/links.csv" | grep -v _copy | grep -v _load |
            cut -d , -f 1-3 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
        " 12 1,skipped,a link has two ends: give --gpus 2;$(seq 2 "$ranks" |
            sed 's/.*/ 12 &,ok,;/' | tr -d '\n')"
    is 'a message is a whole number of vectors for each, and counts once' \
        "$(column gpus width bytes "$folder/links.csv" | grep -v -e '^1,' -e ',$' | sort -u | tr '\n' ' ')" \
        "$(for n in $(seq 2 "$ranks"); do echo "$n,1,$((n * 16)) $n,1003,4032 "; done | tr -d '\n')"
    is 'what each rank has comes to all' "$(start -n "$ranks" "$programs/tests/test_exchange")" \
        "ok 1 - $ranks ranks have what each of them had
ok 2 - and the time of the slowest
ok 3 - and what NCCL makes of all
1..3"
else
    skip 'links between GPUs' "$why"
fi

# The figure of made-up loads of 20 and 100 ns, with an L2 cache of 4 MiB.
if command -v sqlite3 >/dev/null && command -v "${GNUPLOT:-gnuplot}" >/dev/null; then
    rows=report/made_up
    sh report/analyse.sh --results $rows --labs $rows/labs.csv --out "$folder/made_up" ceilings
    exits 'figures of made-up rows' 0 sh plots/draw.sh --results $rows --labs $rows/labs.csv \
        --tables "$folder/made_up/tables" --out "$folder" --formats svg ceilings
    is 'each load has its time, the caches their lines' \
        "$(grep -o '>\(20.0\|100\|L[12] cache[^<]*\)<' "$folder/ceilings/lab0_latency.svg" |
            tr -d '\n')" '>L1 cache, by these times<>L2 cache<>20.0<>100<'
    # A path begins and ends under ticks, which their places tell.
    is 'the lines stand where the caches end' "$(awk '
        function place(path, i) { split(substr(path, 5), at, /[,LM ]+/); return int(at[i] + 0.5) }
        match($0, /d=.M[-0-9.,LM ]*/) { path = substr($0, RSTART, RLENGTH - 1); tick = /<g / }
        tick && /<tspan/ {
            gsub(/<[^>]*>|[ \t]/, "")
            x[place(path, 1)] = $0
            tick = 0
        }
        /rgb.128, 128, 128/ { print x[place(path, 1)], x[place(path, 5)] }' \
        "$folder/ceilings/lab0_latency.svg")" '16Ki 4Mi'
    ok 'without rows of links no figure of them' not [ -e "$folder/ceilings/lab0_link.svg" ]
    # Two GPUs: 4 KiB in 10 us and 1 GiB at 400 GB/s by copy, at 360 by NCCL.
    mkdir "$folder/links"
    {
        echo 'variant,kind,parameters,width,height,nodes,gpus,time_s,gb_per_s,status'
        echo 'copy,gpu,measure=copy,64,1,,,1,768,ok'
        for row in link_copy,vendor,10e-6,400 link_send,vendor,20e-6,360 link_reduce,vendor,3e-5,300; do
            echo "$row" | awk -F , '{
                printf "%s,%s,measure=link,1024,1,1,2,%s,%.9g,ok\n", $1, $2, $3, 4096e-9 / $3
                printf "%s,%s,measure=link,268435456,1,1,2,%.15g,%s,ok\n", $1, $2, 2^30 / $4 / 1e9, $4
                printf "%s,%s,measure=link,1024,1,1,4,%s,%.9g,ok\n", $1, $2, 2 * $3, 2048e-9 / $3 }'
        done
    } >"$folder/links/lab0_ceilings.csv"
    sh report/analyse.sh --results "$folder" --labs $rows/labs.csv --out "$folder/of_links" links
    is 'links: the shortest time, the longest rate, NCCL of the copy' \
        "$(tail -n +2 "$folder/of_links/tables/lab0_links.csv" | tr '\n' ' ')" \
        'link_copy,2,10.0,1024.0,400.0, link_send,2,20.0,1024.0,360.0,90.0 link_reduce,2,30.0,1024.0,300.0, '
    sh plots/draw.sh --results "$folder" --labs $rows/labs.csv --tables "$folder/of_links/tables" \
        --out "$folder" --formats svg links >/dev/null 2>&1
    is 'their figure has each way, by bytes' \
        "$(grep -o '>\(4 KiB\|1024 MiB\|link_[a-z]*\)<' "$folder/links/lab0_link.svg" | sort -u | tr -d '\n')" \
        '>1024 MiB<>4 KiB<>link_copy<>link_reduce<>link_send<'
else
    skip 'a figure of made-up rows' "$(lacks sqlite3 gnuplot)"
fi
done_testing
