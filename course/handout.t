#!/bin/sh
# handout.t - what students are given builds, runs and tests as it is, and has nothing of what is asked for,
# nor of the rungs above. Skeletons do not pass its tests, model answers do: three are tried (models.t has all).
# docs/course.md has every exercise once. `make test` builds those of 1.1 and 4.1, and reads one a lab.
. tests/tap.sh

# field EXERCISE COLUMN: of the exercises' tables.
field() {
  awk -v exercise="$1" -v column="$2" -f course/field.awk lab*/exercises.tsv
}
lab_of() {
  echo "lab${1%%.*}"_*
}

# hands EXERCISES: a handout in $folder/EXERCISES.
hands() {
  sh course/handout.sh --exercises "$1" --out "$folder/$1"
}

# out_of EXERCISE: the variants and other names of its column `out`, those of its lab's summits, too.
out_of() {
  lab=$(lab_of "$1")
  field "$1" out | tr ' ' '\n' | grep -v '^[+-]'
  find "$lab" -name '*.cu' ! -name vendor.cu ! -name "$(field "$1" file)" -exec \
    sed -n 's/^\(extern \)\{0,1\}const variant \([a-z0-9_]*\)_variant =.*/\2/p' {} +
}

# leaked_names EXERCISE: those that the handout has anywhere; plain words count in the lab's sources as a
# string, the name of a variant.
leaked_names() {
  out_of "$1" | grep '[_.]' >"$folder/names"
  out_of "$1" | grep -v '[_.]' | sed 's/.*/"&"/' >"$folder/words"
  # The report and lab 0's rows know its rates by such names.
  grep -rnwF -f "$folder/names" "$folder/$1" | cut -c 1-200 |
    grep -v "^$folder/$1/\(report/.*tensor_\|lab0_\|data/.*/lab0_\)" | head -n 4
  [ ! -s "$folder/words" ] || grep -rnF -f "$folder/words" "$folder/$1/$(lab_of "$1")" | head -n 4
}

# leaked_lines EXERCISE: lines of its model, of the parts and of the files of rungs above, of more than 20
# letters, that the handout has. What the rungs below, the launchers and the suite have is no secret.
leaked_lines() {
  lab=$(lab_of "$1") file=$lab/$(field "$1" file)
  awk -v exercise="$1" -f course/part.awk "$file" >"$folder/secret"
  out_of "$1" >"$folder/names"
  cut -f 1,4,5 "$lab/exercises.tsv" | while read -r above variant of; do
    ! grep -qxF "$variant" "$folder/names" || awk -v exercise="$above" -f course/part.awk "$lab/$of"
  done >>"$folder/secret"
  find "$lab" -name '*.cu' ! -name vendor.cu ! -path "$file" | while read -r summit; do
    ! grep -q 'const variant .*_variant =' "$summit" || cat "$summit"
  done >>"$folder/secret"
  {
    sed "/\[exercise $1\]/,/\[end $1\]/d; /\[exercise [0-9.]*\]/,/\[end [0-9.]*\]/d" "$lab/${lab#*_}.cu"
    sed "/\[exercise $1\]/,\$d" "$file"
    cut -f 1,4,5 "$lab/exercises.tsv" | while read -r below variant of; do
      [ "$below" = "$1" ] || grep -qxF "$variant" "$folder/names" || awk -v exercise="$below" -f course/part.awk "$lab/$of"
    done
    cat "$folder/$1/exercises/skeleton_$1.cu" "$lab"/checks.cu "$lab"/vendor.cu "$lab"/*.h "$lab"/*.cuh
    find common cuda_on_cpu lab[01]_* -type f -exec cat {} +
  } >"$folder/open" 2>/dev/null
  find "$folder/$1/$lab" "$folder/$1/docs" "$folder/$1/tools" -type f -exec \
    awk -v open="$folder/open" -v secret="$folder/secret" '
      function trimmed(line) { gsub(/^[ \t*]+|[ \t]+$/, "", line); return line }
      BEGIN {
        while ((getline line <open) > 0) is_open[trimmed(line)]
        while ((getline line <secret) > 0)
          if (length(line = trimmed(line)) > 20 && !(line in is_open) && line !~ /^.* ----/) is_secret[line]
      }
      trimmed($0) in is_secret { print FILENAME ": " $0 }' {} + | head -n 4
}

# builds EXERCISES: with what this build has of the suite's own files.
builds() {
  labs=$(for one in $1; do lab_of "$one"; done | sort -u)
  (
    cd "$folder/$1" || exit
    take_build "$root/$B" "$folder/$1/$B"
    # shellcheck disable=SC2086  # names
    "$MAKE" $labs BACKEND="$BACKEND" COMMIT="$(cat "$root/$B/COMMIT")" >said 2>&1 || { cat said && exit 1; }
    ! grep -A 4 'warning' said
  )
}

# nvcc_takes EXERCISE: what stands where the skeleton is, without warnings either.
nvcc_takes() {
  file=$(lab_of "$1")/$(field "$1" file)
  (cd "$folder/$1" && "$nvcc" -std=c++20 -Icommon -arch=sm_90a -allow-unsupported-compiler -ptx -Xcicc -O0 \
    --Werror all-warnings -D_GLIBCXX_BITS_SPECFUN_H -o "$folder/ptx" "$file")
}

# tests EXERCISES: their own tests there.
tests() {
  (cd "$folder/$1" && B=$B BACKEND=$BACKEND sh tests/exercises.t)
}

# plays EXERCISE: through all that its handout is to do.
plays() {
  lab=$(lab_of "$1") file=$lab/$(field "$1" file) program=$B/$(lab_of "$1" | cut -d _ -f 2)
  ok "$1: it builds, without warnings" builds "$1"
  ok "$1: a rung below runs" "$folder/$1/$program" --check-only --variants cpu_omp \
    --sizes "$(field "$1" sizes | cut -d ' ' -f 1)" --csv "$folder/rows.csv"
  case $1 in *.1) ! thorough || [ -z "$nvcc" ] || ok "$1: nvcc takes it" nvcc_takes "$1" ;; esac
  like "$1: its test waits for the student" "$(tests "$1")" "^ok 2 - $1 .* # SKIP not written yet"
  # shellcheck disable=SC2046  # words
  exits "$1: the skeleton is wrong" 1 "$folder/$1/$program" $(field "$1" options) --check-only --variants "$(field "$1" variant)" \
    --sizes "$(field "$1" sizes)" --blocks "$(field "$1" blocks)" --csv "$folder/rows.csv"
  case $1 in *.1) ;; *) return ;; esac # of each lab one: what tells is the same, and it builds once more
  (cd "$folder/$1" && sed -i "s|^/\* \[end $1\]|/* changed */\n&|" "$file")
  like "$1: a wrong answer fails, with what is wrong" "$(tests "$1")" '^#   .*wrong'
  case $1 in 1.1 | 4.1 | 8.1) ;; *) return ;; esac # models.t grades all model answers
  awk -v exercise="$1" -f course/part.awk "$file" >"$folder/part"
  awk -v exercise="$1" -v part="$folder/part" -f course/part.awk "$folder/$1/$file" >"$folder/whole" &&
    cp "$folder/whole" "$folder/$1/$file"
  ok "$1: it builds with the model answer" builds "$1"
  ok "$1: which is right" tests "$1"
}

nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
all=$(cut -f 1 lab*/exercises.tsv | grep -v exercise)
# nvcc takes a minute and more for some labs: there a few are built, by g++ all.
if [ "$BACKEND" = cuda ]; then read=$all built='1.1 8.1 9.2'; elif thorough; then read=$all built=$all; else built='1.1 4.1' read=$(for n in $all; do echo "$n"; done | grep '[.]1$'); fi
for exercise in $read; do
  ok "$exercise: a handout" hands "$exercise"
  is "$exercise: without the names above" "$(leaked_names "$exercise")" ''
  is "$exercise: without lines of the answer, or above it" "$(leaked_lines "$exercise")" ''
  case " $built " in *"$exercise"*) plays "$exercise" ;; esac
done
is 'a file keeps what its head says of all' "$(sed 3q "$folder/1.1/lab1_vecadd/vecadd.cu")" "$(sed 3q lab1_vecadd/vecadd.cu)"
if thorough; then
  several='1.1 1.2 2.1 2.3 4.1 4.2' # rungs that lie between go, what the upper ones need stays
  ok 'several at a time' hands "$several"
  if [ "$BACKEND" = cpu ]; then
    ok 'build' builds "$several"
    is 'and test' "$(tests "$several" | grep -c 'not written yet')" 6
  fi
fi
ok 'an exercise that is named twice' hands '1.1  1.1'
is 'is there once' "$(wc -l <"$folder/1.1  1.1/exercises/list.tsv")" 1
refuses 'an unknown exercise' 2 "there is no exercise '2.99'" sh course/handout.sh --exercises '1.1 2.99' --out "$folder/new"
refuses 'a folder that is not empty' 2 'not empty' sh course/handout.sh --exercises 1.1 --out "$folder/1.1"
refuses 'no folder' 2 'OUT=DIR' sh course/handout.sh --exercises 1.1
ok 'nothing is left of a refusal' not test -e "$folder/new"

# ---- what a part is --------------------------------------------------------------------------------
cut -f 1,5 lab*/exercises.tsv | grep -v exercise | while read -r exercise file; do
  lab=$(lab_of "$exercise")
  awk -v exercise="$exercise" -f course/part.awk "$lab/$file" >"$folder/part" || echo "$exercise: no markers"
  awk -v exercise="$exercise" -v part="$folder/part" -f course/part.awk "$lab/$file" | cmp - "$lab/$file"
  grep -q "^## $exercise " "$lab/exercises.md" || echo "$exercise: no section"
  [ "$(grep -c '^```skeleton$' "$lab/exercises.md")" = "$(($(wc -l <"$lab/exercises.tsv") - 1))" ] || echo "$lab: skeletons"
  grep -q "^[*][*]${exercise}[*][*] " "$lab/answers.md" || echo "$exercise: no answers"
done >"$folder/parts" 2>&1
is 'each exercise has markers, section, skeleton and answers' "$(cat "$folder/parts")" ''

# ---- the term --------------------------------------------------------------------------------------
planned() {
  awk -F '|' '/^\| *[0-9]+ *\|/ { n = split($4, e, " "); for (i = 1; i <= n; i++) print $2 + 0, e[i] }' docs/course.md |
    while read -r week exercise; do [ ! -f "$(lab_of "$exercise")/exercises.tsv" ] || echo "$week $exercise"; done
}
is 'docs/course.md has each exercise once, in its week' "$(planned | sort)" \
  "$(cut -f 1,2 lab*/exercises.tsv | grep -v exercise | awk '{ print $2, $1 }' | sort)"
done_testing
