#!/bin/sh
# week.t - a week of a course as one run: five exercises are handed out, parts of course/week/ stand in
# students' copies of that tree, who hand in archives, folders or a part alone; `make grade` gives each what
# course/week/expected.txt says, `make class` makes the table; the rows of who measured are sealed.
# shellcheck disable=SC2154  # of tap.sh
. tests/tap.sh
thorough_only

why=$(lacks bsdtar prlimit sqlite3 Boost.Context) && skip_all "$why"
export BACKEND=cpu B=build/cpu LAUNCH_SECONDS=1
$MAKE runners lab1_vecadd "$B/verify_rows" >/dev/null 2>&1 || skip_all 'no builds for checks here'
exercises=$(cut -d ' ' -f 1 course/week/expected.txt | uniq | paste -s -d ' ')
mkdir "$folder/grades"
# All but those of 1.1 that grade.t gets the same for.
grep -vE '^1.1 (bounds|constructor|endless|host|inputs|library|printing|published|racing|stream|timer) ' \
  course/week/expected.txt >"$folder/expected"
breaks pandoc # pages are class.t's

# ---- Monday: hand out ----------------------------------------------------------------------------
ok 'the hand-out' "$MAKE" handout EXERCISES="$exercises" OUT="$folder/given"
echo 0123456789abcdef >"$folder/given/course/key"

# ---- Thursday: hand in ---------------------------------------------------------------------------
# file_of EXERCISE: where its marks are.
file_of() {
  awk -F '\t' -v exercise="$1" '$1 == exercise { print $2 "/" $4 }' "$folder/given/exercises/list.tsv"
}

# hand_in EXERCISE KIND: the part in a student's copy of the tree, and of that what the student sends.
hand_in() {
  tree=$folder/copies/$2 file=$(file_of "$1") sent=$folder/in/$1
  mkdir -p "$folder/copies" "$sent"
  [ -d "$tree" ] || cp -al "$folder/given" "$tree"
  awk -v exercise="$1" -v part="course/week/$1/$2.cu" -f course/part.awk "$tree/$file" >"$folder/whole" &&
    rm "$tree/$file" && cp "$folder/whole" "$tree/$file" || echo "$1 $2: no marks"
  case $2 in
  right | racing | published) # whose exit status says that nothing was measured
    [ "$1 $2" = '1.1 right' ] || (cd "$tree" &&
      sh course/pack.sh --results data/results --lab "${file%/*}" --exercises "$1" --name "$2" --number "$2" --out "$sent" m)
    ;;
  fast | endless) (cd "$tree/.." && bsdtar -a -cf "$sent/$2.zip" "$2/$file") ;;
  slow | bounds | inputs) mkdir "$sent/$2" && cp -r "$tree/${file%/*}" "$sent/$2" ;;
  *) mkdir "$sent/$2" && cp "course/week/$1/$2.cu" "$sent/$2/part_$1.cu" ;;
  esac
}
while read -r exercise kind _; do
  hand_in "$exercise" "$kind"
done <"$folder/expected" >"$folder/said" 2>&1
is 'each part has its place' "$(grep -v -e '^pack.sh' -e 'tar.gz: ' "$folder/said")" ''

# One measures, and packs that: with what is built here, but for the key.
student=$folder/copies/right
take_build "$root/$B" "$student/$B"
# measures GOAL...: in that student's tree.
measures() {
  (cd "$student" && env -u B "$MAKE" "$@" COMMIT="$(cat "$root/$B/COMMIT")" RESULTS=data/results)
}
ok 'a student measures' measures run-lab1 VARIANTS=naive SIZES=33 BLOCKS=32
exits 'and packs' 0 measures pack LAB=lab1 EXERCISES=1.1 NAME=right NUMBER=right
cp "$student/pack/lab1/right.tar.gz" "$folder/in/1.1/"
is 'all have handed in' "$(find "$folder"/in/*/* -prune | wc -l)" "$(wc -l <"$folder/expected")"
ok 'forty and more' test "$(wc -l <"$folder/expected")" -gt 40

# ---- Friday: grade -------------------------------------------------------------------------------
# graded EXERCISE: nvcc looks at the parts of the first alone, which takes it most of a second each.
graded() {
  case $1 in
  1.1) "$MAKE" grade SUBMISSIONS="$folder/in/$1" EXERCISE="$1" OUT="$folder/grades/$1.csv" SEED=5 ;;
  *) NVCC='' sh course/grade.sh --submissions "$folder/in/$1" --exercise "$1" --out "$folder/grades/$1.csv" --seed 5 ;;
  esac >"$folder/out" 2>&1
}
for exercise in $exercises; do
  graded "$exercise"
  is "the week, exercise $exercise" "$(column exercise student status marks "$folder/grades/$exercise.csv" | tr , ' ')" \
    "$(grep "^$exercise " "$folder/expected")"
done

# ---- Monday: the class ---------------------------------------------------------------------------
exits 'the class' 0 "$MAKE" -s class GRADES="$folder/grades" LEADERBOARD=no REPORT="$folder/report"
is 'its table' "$(sed -n '/^## The marks/,$s/^| [0-9]* | \([a-z].*\)/\1/p' "$folder/report/class/class.md" | tr -s ' ')" \
  "$(awk -v exercises="$exercises" '
    { cell[$2, $1] = $4 ($3 == "ok" ? "" : " " $3); sum[$2] += $4 }
    END {
      count = split(exercises, e, " ")
      for (student in sum) {
        printf "%s | %s | %d |", student, sum[student], 8 * count
        for (i = 1; i <= count; i++)
          printf " %s |", cell[student, e[i]]
        print ""
      }
    }' "$folder/expected" | sort | tr -s ' ')"
mkdir "$folder/unpacked" && tar -C "$folder/unpacked" -xzf "$folder/in/1.1/right.tar.gz"
verify() {
  "$MAKE" -s verify-rows KEYFILE="$folder/given/course/key" ROWS="$folder/unpacked/right/rows.csv"
}
exits 'the rows are as a program with the key wrote them' 0 verify
sed -i '2,$s/,ok,/,wrong,/' "$folder/unpacked/right/rows.csv"
exits 'edited, they are not' 2 verify
done_testing
