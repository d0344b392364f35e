#!/bin/sh
# models.t - every exercise through the judge: the model answer has all marks that there are without a GPU,
# the skeleton has none.
# shellcheck disable=SC2154  # of tap.sh
. tests/tap.sh
thorough_only

why=$(lacks bsdtar prlimit Boost.Context) && skip_all "$why"
export BACKEND=cpu B=build/cpu
all=$(cut -f 1 lab*_*/exercises.tsv | grep -v exercise)
$MAKE runners >/dev/null 2>&1 || skip_all 'no builds for checks here'
ok 'a hand-out of all exercises' sh course/handout.sh --exercises "$all" --out "$folder/given"
ok 'there are 24 or more' test "$(echo "$all" | wc -l)" -ge 24
for exercise in $all; do
  table=$(grep -l "^$exercise	" lab*_*/exercises.tsv) in=$folder/$exercise
  file=${table%/*}/$(awk -F '\t' -v exercise="$exercise" '$1 == exercise { print $5 }' "$table")
  mkdir -p "$in/model" "$in/skeleton"
  awk -v exercise="$exercise" -f course/part.awk "$file" >"$in/model/part_$exercise.cu"
  cp "$folder/given/exercises/skeleton_$exercise.cu" "$in/skeleton/part_$exercise.cu"
  $MAKE grade SUBMISSIONS="$in" EXERCISE="$exercise" OUT="$folder/grades.csv" SEED=7 >"$folder/said" 2>&1
  is "$exercise" "$(column student marks of "$folder/grades.csv" | sort)" 'model,8,8
skeleton,0,8'
  rm -rf "$folder/grades.csv" "$folder/grades.csv.d"
done
done_testing
