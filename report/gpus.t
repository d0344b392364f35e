#!/bin/sh
# gpus.t - rows of variants over several GPUs: what scaling they show, and that no other table,
# figure or sentence takes notice of them. Rows by hand, in made_up/gpus-x4.
# shellcheck source=tests/tap.sh
. tests/tap.sh

! why=$(lacks sqlite3) || skip_all "$why"

rows=report/made_up labs=report/made_up/labs.csv
# analyse RESULTS OUT ARGUMENT...
analyse() {
    from=$1 to=$2
    shift 2
    sh report/analyse.sh --results "$from" --labs "$labs" --out "$to" "$@"
}

# How they scale -----------------------------------------------------------------------------------

# Strong scaling: 8 s on one GPU and 4.4 on two are 8 / 4.4 / 2 of the ideal; weak: 16 and 17.6, 16
# / 17.6. What is hot, or in a slower block, or of other work or depth, or has no time on one GPU,
# is passed over; GPUs of two nodes are a series of their own. Of ring the law and the model are
# those of 64, which ran on more numbers of GPUs than 96, of replicated_b those of 64, not of 16. A
# link takes 0.1 s for 2048 bytes and 0.4 for 8192, between four GPUs 0.2 and 0.4. Each of N GPUs
# gets N - 1 panels of 4 x 64 x 64 / N bytes: 0.4 s on two, 3 x 0.2 x 2^0.5 on four. replicated_b
# waits for them; in ring they hide behind all panels' arithmetic but the last one's: of 1.6 s 1.1
# are left beside the 0.5 of half the panels, of tensor_ring's 0.4 s 0.15 beside 0.25. A row of 64
# pixels of three bytes: bands sends two, or 384 bytes, 19 times in 0.1 s each, hidden behind 19
# passes of 20; deep_bands once 2 x 16, 0.4 x 6144 / 8192 s. A library is the last, though its rows
# come first.
ok 'they are analysed' analyse $rows "$folder/made" gpus-x4
for table in gpu_scaling gpu_amdahl gpu_model; do
    printf '\n%s\n' $table
    awk -f tools/csv.awk -f report/markdown.awk -f tools/show.awk "$folder/made/tables/$table.csv"
done >"$folder/shown"
column way panel i gpus y low high share text "$folder/made/tables/figure_gpus.csv" \
    >>"$folder/shown"
grep '^strong_\|^weak_\|^model_off' "$folder/made/facts.csv" | cut -d , -f 1-3 >>"$folder/shown"
golden gpus.txt "$folder/shown"
is 'a message below the first of the link takes its time' "$(sqlite3 "$folder/made/results.db" \
    "select exchange_s from exchanged where source = 'lab2_matprod.csv:9'")" 0.1
is 'nothing else has rows, but what tells of all' \
    "$(cd "$folder/made/tables" && grep -l divided -- *.csv | tr '\n' ' ')" \
    'figure_gpus.csv gpu_amdahl.csv gpu_model.csv gpu_scaling.csv problems.csv '

# The report and the figure ------------------------------------------------------------------------

# build LANGUAGE: the sections' lines, of the report and of the atlas.
build() {
    for name in report atlas; do
        sh report/build.sh --figures "$folder/figures/gpus-x4" --out "$folder/made" --lang "$1" \
            --name $name --template "report/$name.$1.md" --formats md >/dev/null
    done
    cat "$folder/made/report${2:-}.md" "$folder/made/atlas${2:-}.md" |
        sed -n '/^### 4[.]5/,/^## 5/p; /^## A[.]9/,/^## B/p'
}
draw() {
    sh plots/draw.sh --results $rows --labs $labs --out "$folder/figures" --formats svg \
        --tables "$folder/made/tables" "$@" gpus-x4
}
build en >"$folder/en"
like 'the section says how far they are from the ideal' "$(cat "$folder/en")" \
    '^Problems that stay reach 50 % ..divided. of lab 1. to 95.2 % ..ring. of lab 2. .* 4 GPUs'
like 'and how far the model is off' "$(cat "$folder/en")" 'is off by 50 % at most'
like 'the GPU is the machine'"'"'s own' "$(cat "$folder/made/facts.csv")" '^gpu_label,gpus-x4,'
ok 'nowhere stands that no lab has a row with a time' not grep -q 'No lab has a row' \
    "$folder/made/report.md"
like 'in Japanese' "$(build ja .ja)" 'モデルの誤差は、最大で 50 % である'
if command -v gnuplot >/dev/null; then
    exits 'a machine with little else is drawn' 0 draw
    svg=$folder/figures/gpus-x4/gpus.svg
    like 'a point tells on how many GPUs' "$(cat "$svg")" '^GPUs: 2$'
    is 'the figure says what it shows' "$(sed 's/<[^>]*>//g' "$svg" |
        grep -o -e 'line: .*' -e '[a-z_]*ring, .* %' -e 'divided, .* %' -e 'speedup over.*' -e 'efficiency /.*' |
        sort -u)" \
        'divided, 1024, 2 nodes: 50.0 %
divided, 1024: 80.0 %
divided, 4096, 2 nodes: efficiency 50.0 %
divided, 4096: 1 - P = 7.10 %
efficiency / %
line: the law with the fitted P; dotted: ideal
ring, 1×128×128: 50.0 %
ring, 64: 1 - P = 1.51 %
speedup over one GPU
tensor_ring, 64: efficiency 55.6 %'
    mkdir -p "$folder/two"
    awk -F , -v OFS=, 'NR > 1 { $9 = "" } { print }' "$folder/made/tables/figure_gpus.csv" \
        >"$folder/two/figure_gpus.csv"
    draw --tables "$folder/two" >/dev/null 2>&1
    is 'of no line, where no law was fitted' "$(grep -o 'quartiles; .*ideal' "$svg")" 'quartiles; dotted: ideal'
else
    skip 'the figure' "$(lacks gnuplot)"
fi

# Nobody else takes notice -------------------------------------------------------------------------

# with_gpus MACHINE: in the folder more its rows, and of each kernel's one like it on one GPU, and
# one of another variant on three, a thousandth as long.
with_gpus() {
    mkdir -p "$folder/more"
    cp -R "$folder/few/$1" "$folder/more/"
    for csv in "$folder/few/$1"/lab*.csv; do
        awk -F , -v OFS=, '
            NR == 1 { for (t = 1; $t != "time_s";) t++; n = NF; print $0, "nodes", "gpus"; next }
            { $(n + 1) = $(n + 2) = ""; print }
            /,(gpu|vendor|emulated),/ {
                $t = $t == "" ? "" : $t / 1000
                $(n + 1) = $(n + 2) = 1
                print
                $(n + 2) = 3
                sub(/^[a-z0-9_]+/, "apart")
                print
            }' "$csv" >"$folder/more/$1/${csv##*/}"
    done
}
# numbers OUT: its facts and tables but for those that tell of several GPUs, and of all rows.
numbers() {
    (cd "$1" && cut -d , -f 1-2 facts.csv | grep -v '^rows\|^strong_\|^weak_\|^model_off' &&
        for table in tables/*.csv; do
            case $table in
                *gpu* | */status.csv | */problems.csv) ;;
                *) echo "$table" && sort "$table" ;;
            esac
        done)
}
mkdir -p "$folder/few/few"
cp -R $rows/sizes "$folder/few"
cp $rows/sizes/* $rows/ceilings/lab0* $rows/ties/lab3* $rows/threads/lab1* $rows/streams/* \
    "$folder/few/few"
with_gpus few
with_gpus sizes
for results in few more; do
    ok "$results rows" analyse "$folder/$results" "$folder/$results.out" few
    ok "$results rows beside another machine" \
        analyse "$folder/$results" "$folder/$results.beside" --compare few sizes
    for out in out beside; do
        numbers "$folder/$results.$out"
    done >"$folder/$results.numbers"
done
is 'give the same tables and facts' "$(diff "$folder/few.numbers" "$folder/more.numbers")" ''
like 'but are counted' "$(cat "$folder/more.out/tables/status.csv")" '^lab5_gaussian,19,'

# Labs may have variants of one name.
mkdir -p "$folder/two/labs"
for lab in lab2_matprod lab3_bilateral; do
    cp $rows/gpus-x4/lab2_matprod.csv "$folder/two/labs/$lab.csv"
done
sed 's/,image/,product/' $labs >"$folder/labs.csv"
labs=$folder/labs.csv
ok 'two labs with the same rows' analyse "$folder/two" "$folder/two.out" labs
is 'are apart' "$(sqlite3 "$folder/two.out/results.db" \
    'select count(*), count(distinct lab) from several')" '46|2'

# The summary of a run has lines of their own for them.
printf '%s\n' \
    lab,variant,kind,parameters,width,height,block_x,block_y,gpus,nodes,time_s,status,date \
    lab1_vecadd,naive,gpu,n=1,8,1,4,1,,,0.002,ok,2030 \
    lab1_vecadd,divided,gpu,n=1,8,1,4,1,1,1,0.001,ok,2030 \
    lab1_vecadd,divided,gpu,n=1,8,1,4,1,4,2,0.0005,ok,2030 >"$folder/lab1_vecadd.csv"
is 'a run says what several GPUs did' "$(awk -v since=0 -v seconds=1 -f tools/csv.awk \
    -f tools/row.awk -f tools/words.awk -f tools/summary.awk "$folder/lab1_vecadd.csv" | tr -s ' ')" \
    ' fastest in size variant, block time
 lab1_vecadd 8 naive 4x1 2 ms
 lab1 gpus=1 8 divided 4x1 1 ms
 lab1 gpus=4 nodes=2 8 divided 4x1 500 us
3 rows in 0 min 01 s: 3 ok, 0 wrong, 0 failed, 0 skipped'

done_testing
