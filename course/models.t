#!/bin/sh
# models.t - every exercise through the judge: the model answer has all marks that there are without a GPU. (That
# skeletons are wrong handout.t shows. 5.1 reads a variable that the lab's host code sets.)
# shellcheck disable=SC2154  # of tap.sh
. tests/tap.sh
thorough_only

why=$(lacks bsdtar prlimit Boost.Context) && skip_all "$why"
export BACKEND=cpu B=build/cpu
all=$(awk -v column=exercise -f course/field.awk lab*/exercises.tsv | cut -d ' ' -f 2)
# shellcheck disable=SC2046  # names without blanks
$MAKE runners $(printf '%s\n' lab*_*/ | tr -d /) >/dev/null 2>&1 || skip_all 'no builds for checks here'
# Pages are class.t's; what nvcc says of a part grade.t's, and of the models the labs' own build.
breaks pandoc
ok 'there are 24 or more' test "$(echo "$all" | wc -l)" -ge 24
for exercise in $all; do
  in=$folder/$exercise
  file=$(echo lab"${exercise%%.*}"_*)/$(awk -v exercise="$exercise" -v column=file -f course/field.awk lab*/exercises.tsv)
  mkdir -p "$in/model"
  awk -v exercise="$exercise" -f course/part.awk "$file" >"$in/model/part_$exercise.cu"
  NVCC='' sh course/grade.sh --submissions "$in" --exercise "$exercise" --out "$folder/grades.csv" --seed 7 \
    >"$folder/said" 2>&1
  is "$exercise" "$(column student marks of reason "$folder/grades.csv")" 'model,8,8,'
  rm -rf "$folder/grades.csv" "$folder/grades.csv.d"
done
done_testing
