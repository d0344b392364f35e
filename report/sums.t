#!/bin/sh
# sums.t - sums of all tables and facts of machines that no hand works out: recorded rows of which
# many are left out, wrong, there twice, without a cell, in another order, of other times. What
# numbers mean is for tables.t; here any change of one is seen, whatever table it is in. What has
# changed: KEEP=DIR sh report/sums.t, before and after, and diff. The lines of the labs' sources are
# no recorded rows.
. tests/tap.sh
thorough_only

! why=$(lacks sqlite3) || skip_all "$why"
"$MAKE" -s BACKEND="$BACKEND" "$B/labs.csv" >/dev/null || exit 1 # of all labs

recorded=data/reference/nvidia-h200
awk -F , -v folder="$recorded" 'NR == 1 || (getline line < (folder "/" $1 ".csv")) > 0' \
    "$B/labs.csv" >"$folder/labs.csv"
: "${KEEP:=$folder/out}"

# shake NAME SEED KEPT FOLDER: a machine of the folder's rows, of which it keeps KEPT percent.
shake() {
    mkdir -p "$folder/results/$1"
    for csv in "$4"/lab*.csv "$4"/profile.csv; do
        [ ! -f "$csv" ] || awk -F , -v OFS=, -v seed="$2" -v kept="$3" '
            # Park and Miller, in numbers that every awk has.
            function random(below)
            {
                state = state * 16807 % 2147483647
                return int(state / 2147483647 * below)
            }
            function scale(c)
            {
                if ($c != "")
                    $c = sprintf("%.7g", $c * by_64 / 64)
            }
            NR == 1 {
                state = seed * 7919
                for (c = 1; c <= NF; c++)
                    at[$c] = c
                last = "limiter" in at ? at["limiter"] - 1 : at["stall"] - 1
                first = at["time_s"]
                print "0," $0
                next
            }
            random(100) >= kept { next }
            {
                for (again = random(12) == 0; again >= 0; again--) {
                    by_64 = 48 + random(64)
                    for (c = first; c <= last; c++)
                        if (c == first || random(9) == 0)
                            scale(c)
                    if (random(5) == 0)
                        $(first + random(last - first + 1)) = ""
                    if (random(25) == 0)
                        sub(/,ok,/, random(2) ? ",wrong," : ",failed,")
                    print 1 + random(1000000) "," $0
                }
            }' "$csv" | LC_ALL=C sort -n -t , -k 1,1 | cut -d , -f 2- \
            >"$folder/results/$1/${csv##*/}"
    done
    for other in "$4"/run.json "$4"/timeline*; do
        [ ! -f "$other" ] || cp "$other" "$folder/results/$1"
    done
}

shake some 1 40 $recorded
shake many 2 80 $recorded
shake few 3 30 $recorded
shake pair 4 70 ${recorded}-x2
rm "$folder/results/pair/run.json"
# No GPU, and an older run of one lab: the GPU's rows and record are another machine's.
shake laptop 5 60 $recorded
laptop=$folder/results/laptop
rm "$laptop"/profile.csv "$laptop"/timeline*
sed -i '/,gpu,/d; /,vendor,/d' "$laptop"/lab*.csv
sed -i 's/"gpu": .*"runtime_cuda": "[^"]*"/"gpu": null, "backend": "cpu"/
    s/"compiler": "nvcc [^,]*, /"compiler": "/; /^"lab3/s/"date": "2026/"date": "2025/' "$laptop/run.json"
# A lab without kernels, arithmetic that no kernel fills, and a parameter that is 20 as sigma may be.
few=$folder/results/few
sed -i '/,gpu,/d; /,vendor,/d' "$few/lab5_gaussian.csv"
sed -i 's/radius=15/radius=20/' "$few/lab7_blur.csv"
# A kernel that waits for something else than it is said to.
sed -i '/^lab7_blur,recursive,/s/,long_scoreboard,/,wait,/' "$folder/results/some/profile.csv"
# Blocks of threads in a row have no second side, one has two threads; of a GPU's name nothing.
sed -i 's/,32,1,32,/,2,,2,/; s/,\([0-9]*\),1,\1,/,\1,,\1,/' "$few/lab1_vecadd.csv"
sed -i 's/"gpu": "[^"]*"/"gpu": null/' "$few/run.json"
# Some kernels moved no byte, and nobody counted what they wrote.
awk -F , -v OFS=, 'NR > 1 && NR % 4 == 0 { $13 = $15 = 0; $14 = "" } { print }' "$few/profile.csv" \
    >"$folder/csv" && mv "$folder/csv" "$few/profile.csv"
awk -F , -v OFS=, 'NR == 1 { for (c = 1; $c != "gflop_per_s"; c++); } /=fma,/ { $c *= 64 } { print }' \
    "$few/lab0_ceilings.csv" >"$folder/csv" && mv "$folder/csv" "$few/lab0_ceilings.csv"
# Two cards as they are, so that kernels are bound by the same on both.
cp -r data/reference/nvidia-h100 "$folder/results/older"
cp -r "$recorded" "$folder/results/newer"
for machine in some many few pair laptop; do
    ok "the machine $machine is analysed" sh report/analyse.sh --results "$folder/results" \
        --labs "$folder/labs.csv" --out "$KEEP/$machine" $machine
done
ok 'machines beside each other' sh report/analyse.sh --results "$folder/results" \
    --labs "$folder/labs.csv" --out "$KEEP/both" --compare few some
ok 'and several steps from card to card' sh report/analyse.sh --results "$folder/results" \
    --labs "$folder/labs.csv" --out "$KEEP/steps" --compare some older newer laptop

# Numbers to eight digits: the last ones are those of the computer's logarithm. Sources, and the
# bars of one chart, have no order of their own: each version of sqlite3 has another.
rounded() {
    awk '
        function in_order(text,    part, n, i, j, moved)
        {
            n = split(text, part, ";")
            for (i = 2; i <= n; i++) {
                moved = part[i]
                for (j = i - 1; j > 0 && part[j] > moved; j--)
                    part[j + 1] = part[j]
                part[j + 1] = moved
            }
            text = part[1]
            for (i = 2; i <= n; i++)
                text = text ";" part[i]
            return text
        }
        {
            for (line = ""; match($0, /[0-9]+[.][0-9]+(e[-+]?[0-9]+)?/);
                $0 = substr($0, RSTART + RLENGTH)) {
                number = substr($0, RSTART, RLENGTH) + 0
                number = number < 1e-12 ? 0 : sprintf("%.8g", number)
                line = line substr($0, 1, RSTART - 1) number
            }
            line = line $0
            gsub(/-0,/, "0,", line)
            if (match(line, /[^,]*:[0-9]+;[^,]*/))
                line = substr(line, 1, RSTART - 1) in_order(substr(line, RSTART, RLENGTH)) \
                    substr(line, RSTART + RLENGTH)
            print line
        }'
}
for table in "$KEEP"/*/tables/*.csv "$KEEP"/*/facts.csv; do
    echo "${table##*/}"
done | sort -u | grep -v figure_effort | while read -r table; do
    cat "$KEEP"/*/tables/"$table" "$KEEP"/*/"$table" 2>/dev/null | rounded |
        awk '/,slide,bar,/ { sub(/,[^,]*$/, ""); print | "LC_ALL=C sort"; next } { print }' \
            >"$folder/rounded"
    echo "${table%.csv} $(wc -l <"$folder/rounded") $(cksum <"$folder/rounded" | cut -d ' ' -f 1)"
done >"$folder/sums.txt"
golden sums.txt "$folder/sums.txt"

# Sums leave figure_effort out, whose lines are those of today's sources.
for machine in some many few laptop; do
    is "effort on $machine: who is on the front, and who has a name" "$(
        column lab lines gain is_fastest on_front name text about "$KEEP/$machine/tables/figure_effort.csv" |
            awk -F , '
                {
                    lab[NR] = $1; lines[NR] = $2; gain[NR] = $3; fastest[NR] = $4; front[NR] = $5; name[NR] = $6
                    variant[NR] = $8; sub(/[|].*/, "", variant[NR])
                    bargain = $7; sub(/.*bargain: /, "", bargain); sub(/[|].*/, "", bargain)
                    if ($3 > best[$1]) best[$1] = $3
                    if ($3 > 1 && log($3) / $2 > most) {
                        most = log($3) / $2; cheapest = NR
                        short = $1; sub(/_.*/, "", short); told = short " " variant[NR]
                    }
                }
                END {
                    if (told != bargain) print "the bargain is " told ", not " bargain
                    for (i = 1; i <= NR; i++) {
                        is_front = 1
                        for (j = 1; j <= NR; j++)
                            if (lab[j] == lab[i] && lines[j] <= lines[i] && gain[j] > gain[i]) is_front = 0
                        if (is_front != front[i]) print lab[i], variant[i], "front", front[i]
                        if ((gain[i] == best[lab[i]]) != fastest[i]) print lab[i], variant[i], "fastest", fastest[i]
                        expected = fastest[i] || i == cheapest ? variant[i] : ""
                        if (name[i] != expected) print lab[i], variant[i], "name", name[i]
                    }
                    print (NR > 30 ? "looked at" : NR " rows")
                }')" 'looked at'
done

is 'no fact has two values' "$(for facts in "$KEEP"/*/facts.csv; do
    cut -d , -f 1-2 "$facts" | sort -u | cut -d , -f 1 | uniq -d
done)" ''

done_testing
