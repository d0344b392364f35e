#!/bin/sh
# compare_runs.t - make compare-runs: which rows of two runs are slower, faster or the same, what it
# refuses; and the history of runs that HISTORY keeps. Rows are made up but for those of the H200.
. tests/tap.sh

heading=lab,variant,kind,machine,parameters,width,height,depth,block_x,block_y,trials,time_s
heading=$heading,time_q1_s,time_q3_s,cache,status,note,commit,date

# rows RUN [LAB]: lines of `variant kind block status median noise note` become a run's results. The
# median is in microseconds, the noise in percent; - stands for an empty field.
rows() {
    mkdir -p "$folder/$1"
    awk -v heading="$heading" -v lab="${2:-lab2_matprod}" -v run="$1" -v q='"' '
        BEGIN { print heading }
        {
            for (i = 1; i <= 6; i++)
                if ($i == "-")
                    $i = ""
            split($3, block, "x")
            time = $5 == "" ? "" : $5 * 1e-6
            half = $6 / 200
            note = $7
            for (i = 8; i <= NF; i++)
                note = note " " $i
            print lab "," $1 "," $2 ",h200,type=f32,64,64,64," block[1] "," block[2] ",10," \
                time "," ($6 == "" ? "" : time * (1 - half)) "," ($6 == "" ? "" : time * (1 + half)) \
                ",cold," $4 "," q note q "," run "," (run == "old" ? 2030 : 2031) "-01-02T03:04:05Z"
        }' >"$folder/$1/${2:-lab2_matprod}.csv"
}

compare() {
    (cd "$folder" && sh "$root/tools/compare_runs.sh" "$@")
}

# ---- the whole report ----------------------------------------------------------------------------

rows old <<'END'
naive gpu 8x8 ok 100 1 
naive gpu 16x16 ok 100 1 
naive gpu 32x32 ok 100 1 
tile gpu 8x8 ok 1.5 8 
tile gpu 16x16 ok 2000 0.1 
tile gpu 32x32 ok 100 1 
noisy gpu 8x8 ok 100 15 
gone gpu 8x8 ok 100 1 
gone gpu 16x16 ok 100 1 
left gpu 8x8 ok 100 1 
broken gpu 8x8 ok 100 1 
refused gpu 64x64 skipped - - too large
mended gpu 8x8 wrong - - at 0
library vendor - ok 100 1 
unsure vendor - ok 100 - 
cpu cpu - ok 1e6 1 
emulated emulated 8x8 ok - - 
lost emulated 8x8 ok - - 
END
rows new <<'END'
naive gpu 8x8 ok 112 1 
naive gpu 16x16 ok 108 1 
naive gpu 32x32 ok 80 1 
tile gpu 8x8 ok 1.7 8 
tile gpu 16x16 ok 2300 0.1 
tile gpu 32x32 ok 100 1 
noisy gpu 8x8 ok 120 15 
new gpu 8x8 ok 100 1 
broken gpu 8x8 wrong - - at (3, 4)
refused gpu 64x64 skipped - - too large
mended gpu 8x8 ok 100 1 
library vendor - failed - - no memory
unsure vendor - ok 200 - 
cpu cpu - ok 2e6 1 
emulated emulated 8x8 ok - - 
lost emulated 8x8 wrong - - at 7
other emulated 8x8 ok - - 
END
rows old lab5_gaussian <<'END'
naive gpu 8x8 ok 50 1 
END
exits 'slower rows end with 1' 1 compare old new
golden compare_runs.txt "$folder/out"
compare --all old new >"$folder/all"
is '--all shows the rows that are the same, too' \
    "$(grep -c ' same$' "$folder/all"),$(grep -c ' same$' "$folder/out")" 4,0
exits 'the other way round' 1 compare new old
like 'what was slower is faster' "$(cat "$folder/out")" '^  tile +64 +16x16 .*-13.0 %  faster$'
like 'of kinds that are judged' "$(compare --kinds cpu old new)" '^  cpu .*1 s .*2 s .*slower$'

# ---- when a difference is one --------------------------------------------------------------------

# changes NAME STATUS VERDICT OLD NOISE NEW NOISE [OPTION...]
changes() {
    change_name=$1 change_status=$2 change_verdict=$3
    echo "k gpu 8x8 ok $4 $5 " | rows old
    echo "k gpu 8x8 ok $6 $7 " | rows new
    shift 7
    rm -f "$folder/old/lab5_gaussian.csv"
    exits "$change_name: status $change_status" "$change_status" compare "$@" --all old new
    like "$change_name: $change_verdict" "$(cat "$folder/out")" "^  k .*  $change_verdict\$"
}
changes 'more than the threshold' 1 slower 100 1 110.5 1
changes 'less than it' 0 same 100 1 109.5 1
changes 'less, by far' 0 faster 100 1 50 1
changes 'a lower threshold' 1 slower 100 1 104 1 --threshold 3.5
changes 'a higher one' 0 same 100 1 130 1 --threshold 40
changes 'noise of both together, not of one' 0 same 100 11 120 11
changes 'nor half of it' 1 slower 100 9 120 9
changes 'noise of the old one alone' 0 same 100 30 120 1
changes 'noise of the new one alone' 0 same 100 1 120 30
changes 'faster within the noise' 0 same 120 11 100 11
changes 'noise that is not known' 0 unknown 100 - 120 1
changes 'which is of no account below the threshold' 0 same 100 - 105 1
changes 'no threshold: the noise alone' 0 same 100 1 101.5 1 --threshold 0
echo 'k gpu 8x8 ok 120 1 ' | rows new
sed -i 's/,10,/,2,/' "$folder/new/lab2_matprod.csv"
like 'two samples have no noise' "$(compare old new)" '120 us +\+20.0 %  unknown$'

# ---- rows that are no longer ok ------------------------------------------------------------------

# breaks KIND STATUS TIME: a row of that kind that was ok becomes so, and that is status 1.
breaks() {
    time=100
    [ "$1" != emulated ] || time=-
    echo "k $1 8x8 ok $time $time " | rows old
    echo "k $1 8x8 $2 $3 $3 for a reason" | rows new
    exits "$1: ok, then $2 $3" 1 compare old new
    like "$1: it says why" "$(cat "$folder/out")" "no longer ok: ($2: for a reason|it has no time)"
}
breaks gpu wrong -
breaks vendor failed -
breaks gpu skipped -
breaks gpu ok -
breaks cpu wrong -
breaks emulated wrong -
sed -i 's/for a reason/for\x1b[7m\ta reason/' "$folder/new/lab2_matprod.csv"
like 'what a terminal would obey is a blank' "$(compare old new)" 'ok: \(?wrong: for \[7m a reason'
echo 'k gpu 8x8 wrong - - at 0' | rows old
exits 'wrong in both is nothing new' 0 compare old new
echo 'k emulated 8x8 ok - - ' | rows old
echo 'k emulated 8x8 ok - - ' | rows new
exits 'emulated rows' 0 compare old new
like 'are not judged' "$(cat "$folder/out")" 'none is judged'

# ---- the same measurement, doubled rows ----------------------------------------------------------

h200=data/reference/nvidia-h200
mkdir "$folder/h200"
cp "$h200"/lab*.csv "$folder/h200"
exits 'the rows of the H200 and a copy' 0 compare "$root/$h200" h200
is 'were measured once' "$(sed -n 's/^not measured again: //p' "$folder/out")" \
    "$(for csv in "$h200"/lab*.csv; do column status time_s "$csv"; done | grep -c '^ok,.')"
sed -i 's/,20[0-9]*-\([-0-9T:]*Z.\{0,1\}\)$/,2999-\1/' "$folder/h200"/lab*.csv
exits 'another date makes it another run' 0 compare "$root/$h200" h200
judged=$(for csv in "$h200"/lab*.csv; do column kind status time_s "$csv"; done |
    grep -cE '^(gpu|vendor),ok,.')
like 'all the same' "$(cat "$folder/out")" "^gpu vendor +$judged +0 +0 +$judged +0 +$judged +0.0 % +0.0 % +1.000\$"

printf 'k gpu 8x8 ok %s 1 \n' 100 | rows old
printf 'k gpu 8x8 ok %s 1 \n' 500 100 | rows new
exits 'of a case that is there twice the later row counts' 0 compare old new
like 'and that is told' "$(cat "$folder/out")" '2 rows, 1 of a case that has a later one'
like 'with the commit' "$(cat "$folder/out")" '^   1 rows, commit old, 2030'
sed -i 's/,old,2030/,,2030/' "$folder/old/lab2_matprod.csv"
like 'if rows have one' "$(compare --all old new)" '^   1 rows, 2030'

# On other GPUs, or as many of other nodes, it is another case.
mkdir "$folder/wide" "$folder/wider"
printf '%s\n' "$heading,gpus,nodes" \
    lab2_matprod,k,gpu,h200,n=1,64,64,64,8,8,10,0.1,0.1,0.1,cold,ok,,old,2030,2,1 \
    >"$folder/wide/lab2_matprod.csv"
for last in 2,1 4,1 4,2 ','; do
    sed "1d; s/,2,1\$/,$last/; s/,0.1,/,0.2,/; s/2030/2031/" "$folder/wide/lab2_matprod.csv"
done >"$folder/rows"
{ echo "$heading,gpus,nodes" && cat "$folder/rows"; } >"$folder/wider/lab2_matprod.csv"
exits 'rows of several GPUs' 1 compare wide wider
like 'are compared on as many' "$(cat "$folder/out")" '^  k +64 +8x8 +gpus=2 .*slower$'
like 'and with nothing else' "$(cat "$folder/out")" '^rows only in B: 3$'

# What a spreadsheet saves: a mark before the text, times with a capital E, lines that end in CRLF.
mkdir "$folder/sheet"
sed '1s/^/\xef\xbb\xbf/; s/0[.]0001,/1.00E-04,/g; s/,2030/,2031/; s/$/\r/' "$folder/old/lab2_matprod.csv" >"$folder/sheet/lab2_matprod.csv"
exits "a spreadsheet's rows are rows" 0 compare old sheet
like 'and the same' "$(cat "$folder/out")" '^gpu vendor +1 +0 +0 +1 '

# ---- what is refused -----------------------------------------------------------------------------

cp -R "$folder/old" "$folder/bad"
# broken WHAT SCRIPT: the heading and a row after a script for sed
broken() {
    sed "$2" "$folder/old/lab2_matprod.csv" >"$folder/bad/lab2_matprod.csv"
    refuses "$1" 2 "^compare_runs.sh: bad/lab2_matprod.csv: not a results file: $3\$" \
        compare old bad
}
broken 'no heading of results' 's/time_s,/seconds,/' 'its heading has no time_s'
broken 'a row that was cut off' '2s/,[^,]*,[^,]*$//' 'record 1 has 17 fields, its heading 19'
broken 'a quote that stays open' '2s/""/"/' 'it ends inside quotes'
broken 'a time that is none' '2s/0.0001,/fast,/' "record 1 has the time_s 'fast'"
broken 'a time with a unit' '2s/0.0001,/0.1ms,/' "record 1 has the time_s '0.1ms'"
broken 'a time of 0' '2s/0.0001,/0,/' "record 1 has the time_s '0'"
broken 'quartiles the wrong way' '2s/,\([^,]*\),\([^,]*\),cold/,\2,\1,cold/' \
    'record 1 has quartiles in the wrong order'
broken 'a status that is none' '2s/,ok,/,good,/' "record 1 has the status 'good'"
broken 'an empty file' d 'it is empty'
cp "$folder/old/lab2_matprod.csv" "$folder/bad"
cp "$folder/old/lab2_matprod.csv" "$folder/bad/lab2_matprod (copy).csv"
refuses 'a copy of a file is passed over' 0 '^compare_runs.sh: bad: lab2_matprod .copy.[.]csv is passed over' \
    compare old bad
rm "$folder/bad/lab2_matprod (copy).csv"
sed 's/,h200,/,h100,/; s/,2030/,2032/' "$folder/old/lab2_matprod.csv" \
    >"$folder/bad/lab2_matprod.csv"
refuses 'two machines' 2 'A is of h200, B of h100; ACROSS=1 \(--across\)' compare old bad
exits 'unless it is told' 0 compare --across old bad
like 'their rows are compared' "$(cat "$folder/out")" '^lab2_matprod +1 '
sed 's/,64,64,64,/,32,32,32,/' "$folder/old/lab2_matprod.csv" >"$folder/bad/lab2_matprod.csv"
refuses 'no row in common' 2 'A and B have no row in common' compare old bad
refuses 'a folder with nothing' 2 'no results, lab\*.csv, in .*' compare old "$folder"
refuses 'no folder' 2 "'none' is neither a folder nor a run" compare old none
refuses 'one run and itself' 2 'the same folder' compare old ./old
refuses 'one run' 2 'B is a folder' compare old
refuses 'no run' 2 'A and B are folders' compare
for threshold in 5% x -1 '' 1e9; do
    refuses "a threshold of '$threshold'" 2 'such as 5' compare --threshold "$threshold" old new
done
refuses 'a kind that is none' 2 "'emulated' is no kind: cpu, gpu, vendor" \
    compare --kinds 'gpu emulated' old new

h200=data/reference/nvidia-h200
is 'docs/timing.md shows what it says of the recorded runs' \
    "$(sh tools/compare_runs.sh $h200/history/20261122T131737Z $h200 | sed -n '/^rows  *timed/,/^cpu/p')" \
    "$(sed -n '/^rows  *timed/,/^```/p' docs/timing.md | sed '$d')"

# ---- make ----------------------------------------------------------------------------------------

mkdir "$folder/a run"
cp "$folder/old"/* "$folder/a run"
exits 'make compare-runs A= B= builds nothing' 0 "$MAKE" compare-runs A="$folder/a run" B="$folder/new" \
    BACKEND=auto RUN=false CC=false CXX=false
like 'compares them' "$(cat "$folder/out")" "^B  $folder/new\$"
exits 'a run of the history, which has to be looked for' 2 \
    "$MAKE" compare-runs A=none B="$folder/new" BACKEND="$BACKEND" RESULTS="$folder/results"
is 'builds nothing into a run' "$(ls -A "$folder/new")" lab2_matprod.csv
echo 'k gpu 8x8 ok 104 1 ' | rows new
exits 'a row that is slower is a failure' 2 "$MAKE" compare-runs A="$folder/old" B="$folder/new" \
    THRESHOLD=3 KINDS=gpu
refuses 'B= is no folder to build into, then' 2 'B= is compared by compare-runs' \
    "$MAKE" -n run-lab2 compare-runs A="$folder/old" B="$folder/new"
refuses 'B= alone' 2 'a run A=, which is missing' "$MAKE" compare-runs B="$folder/new"
refuses 'HISTORY=a/b' 2 'HISTORY=a/b: letters' "$MAKE" -n run-lab2 HISTORY=a/b

# ---- the history ---------------------------------------------------------------------------------

# A clock whose seconds are lines of a file, each for one question, and nobody who waits for them.
mkdir "$folder/bin"
cat >"$folder/bin/date" <<END
#!/bin/sh
case \$* in *%Y%m%dT*) ;; *) exec $(command -v date) "\$@" ;; esac
head -n 1 "$folder/clock"
sed -i 1d "$folder/clock"
END
printf '#!/bin/sh\n' >"$folder/bin/sleep"
chmod +x "$folder/bin/date" "$folder/bin/sleep"
wait=$(command -v sleep)
results=$folder/results/h200
history=$results/history

# run TIME SECOND...: lab 2 runs and ends at these seconds. HISTORY may stand before it.
run() {
    echo "k gpu 8x8 ok $1 1 " | rows new
    shift
    printf '%s\n' "$@" >"$folder/clock"
    cat >"$folder/recipe" <<END
. tools/run.sh
begin_runs "$folder/results" "$folder/figures" lab2_matprod
run_lab lab2_matprod sh -c 'mkdir -p "$results"; $wait 0.05; cp $folder/new/lab2*.csv "$results"'
end_runs
END
    PATH=$folder/bin:$PATH sh "$folder/recipe" >"$folder/out" 2>"$folder/err"
}

# kept FOLDER: the time, in microseconds, that a run of the history has.
kept() {
    column time_s "$history/$1/lab2_matprod.csv" | awk '{ print $1 * 1e6 }'
}

# pair [RUN]: which two runs are compared
pair() {
    compare --results results/h200 "$@" | sed -n 's|^[AB]  results/h200|.|p' | tr '\n' ' '
}

HISTORY='' run 100 unasked
ok 'nothing is kept unasked' not test -e "$history"
refuses 'no run to compare with' 2 'no run is kept in .*HISTORY=1' compare --results results/h200
touch "$results/profile.csv" "$results/run.json" "$results/timeline_lab2.csv"
HISTORY=1 run 101 20310102T030405Z
is 'HISTORY=1 keeps a run' "$(cd "$history" && echo */*)" "20310102T030405Z/lab2_matprod.csv \
20310102T030405Z/profile.csv 20310102T030405Z/run.json 20310102T030405Z/timeline_lab2.csv"
like 'and says where' "$(cat "$folder/out")" "^kept +$history/20310102T030405Z/"
refuses 'it is what the results are' 2 'name another' compare --results results/h200
HISTORY=tiled run 102 20310102T030405Z 20310102T030406Z
is 'a run that ends in the same second has the next one' "$(cd "$history" && echo *)" \
    '20310102T030405Z 20310102T030406Z_tiled'
is 'each has its own rows' "$(kept 20310102T030405Z) $(kept 20310102T030406Z_tiled)" '101 102'
is 'the two newest are compared' "$(pair)" \
    './history/20310102T030405Z ./history/20310102T030406Z_tiled '
HISTORY=1 run 103 20310102T030406Z 20310102T030406Z 20310102T030406Z 20310102T030406Z \
    20310102T030406Z
is 'what cannot be kept is a failure' $? 1
like 'which is told' "$(cat "$folder/err")" "cannot make $history/20310102T030406Z"
is 'and no folder that it is in' "$(grep ^kept "$folder/out")" ''
is 'and takes nothing away' "$(cd "$history" && echo *) $(kept 20310102T030406Z_tiled)" \
    '20310102T030405Z 20310102T030406Z_tiled 102'
is 'results that are not kept are compared with the newest run' "$(pair)" \
    './history/20310102T030406Z_tiled . '
is 'with another by its name' "$(pair tiled)" './history/20310102T030406Z_tiled . '
is 'or by its time' "$(pair 20310102T030405Z)" './history/20310102T030405Z . '
is 'or with each other' "$(pair tiled 20310102T030405Z)" \
    './history/20310102T030406Z_tiled ./history/20310102T030405Z '

# Runs that are kept are nobody's results.
is 'they are no machines' "$(sh tools/stand_in.sh --results "$folder/results" none 2>&1 |
    grep -c -e history -e 20310102)" 0
printf '%s\n' kind,status,time_s gpu,failed, gpu,wrong, vendor,ok,1 cpu,ok,1 emulated,ok, \
    >"$folder/results/h200/lab1_vecadd.csv"
is 'a kernel that failed does not tell of a GPU' "$(rm "$results/lab2_matprod.csv"
    sh tools/stand_in.sh --results "$folder/results" h200 | xargs -n 1 basename | tr '\n' ' ')" \
    'h200 nvidia-h200 tesla-c2050 '
sed "s|run_lab.*|run_lab lab2_matprod sh -c '$wait 0.05; touch $history/*/lab2_matprod.csv'|" \
    "$folder/recipe" >"$folder/nothing"
is 'nor what a lab has measured' "$(HISTORY=1 sh "$folder/nothing" 2>&1)" ''
done_testing
