#!/bin/sh
# timing.t - what timing/claims.sh says of the recorded rows is what stands beside them and in
# docs/timing.md; a time that is off is noticed.
. tests/tap.sh
recorded=data/reference/nvidia-h200/timing
rows=$folder/timing
mkdir "$rows"
cp "$recorded"/*.csv "$recorded/run.json" "$rows"
rm "$rows/claims.csv" "$rows/points.csv"

exits 'the recorded times keep all limits' 0 sh tests/timing/claims.sh "$rows"
cp "$folder/out" "$folder/table"
is 'and are what was recorded' "$(cat "$rows/claims.csv" "$rows/points.csv")" \
    "$(cat "$recorded/claims.csv" "$recorded/points.csv")"
is 'their table stands in docs/timing.md' "$(sed -n '/^claim /,/^```/p' docs/timing.md | sed '$d')" \
    "$(cat "$folder/table")"

# spoilt FILE WIDTH CLAIM: where that size's first run took a second, the claim is missed.
spoilt() {
    sed -i -E "s/^(clock,first,([^,]*,){4}$2,([^,]*,){6})[^,]*/\\11/; s/^(quiet,$2,)[^,]*/\\11/" \
        "$rows/$1"
    exits "$1 is off" 1 sh tests/timing/claims.sh "$rows"
    like 'and missed is' "$(cat "$folder/out")" "^$3.* missed at 1"
    cp "$recorded/$1" "$rows"
}
spoilt busy.csv 4096 'on a busy host'
spoilt profiler.csv 4194304 'the same, 20 us or more'
spoilt hot.csv 98304 'cold over hot time, half of L2'
spoilt hot.csv 4194304 'cold over hot time, four times L2'
rm "$rows/quiet.csv"
exits 'rows that lack are an error' 2 sh tests/timing/claims.sh "$rows"
done_testing
