#!/bin/sh
# handout.sh - `make handout`: a tree for students, with skeletons in place of what they are to write.
#
#   sh course/handout.sh --exercises "2.1 2.2" --out DIR [--sources]
#
# It has the rooms that build and run need, the exercises' labs as far as they are not the answer, and, if
# nothing in them is, lab 1 and pages of docs/; lab 0; no history, reports or notes; of recorded rows those
# of what is given. What goes from a lab is in `out` of its exercises.tsv: names, files, patterns of files;
# +NAME stays, whatever another exercise says. A .cu of the lab that defines variants, or that neither the
# spine nor a .h names, goes as well; vendor.cu and an exercise's own stay. --sources leaves it at what the
# judge reads: those of the exercises' labs, and common/.
# Exit status: 0; 2 for an unknown exercise, or a DIR that is not empty.

# shellcheck disable=SC2046,SC2086  # names without blanks
here=$(unset CDPATH && cd -- "$(dirname -- "$0")" && pwd) || exit 1
exercises='' out='' sources='' options='exercises out' flags='sources'
# shellcheck source=tools/options.sh
. "$here/../tools/options.sh"
[ $# -eq 0 ] || refuse "unknown word '$1'"
[ -n "${exercises## }" ] || refuse 'which exercises? EXERCISES="2.1 2.2"'
[ -n "$out" ] || refuse 'where to? OUT=DIR'
if [ -e "$out" ] && { [ ! -d "$out" ] || [ -n "$(ls -A "$out")" ]; }; then refuse "$out is there, and not empty"; fi
case $out in /*) ;; *) out=$PWD/$out ;; esac
cd "$here/.." || exit 1
tree=$work/tree
mkdir "$tree" || exit 1

# field EXERCISE COLUMN: of the exercises' tables.
field() {
  awk -v exercise="$1" -v column="$2" -f course/field.awk lab*/exercises.tsv
}

for exercise in $exercises; do
  [ -n "$(field "$exercise" variant)" ] || refuse "there is no exercise '$exercise'"
done
exercises=$(printf '%s\n' $exercises | awk '!seen[$0]++' | paste -s -d ' ')
labs=$(for exercise in $exercises; do echo "lab${exercise%%.*}"_*; done | sort -u)

# copy FILE...: as they are, with their times, so that what was built of them counts.
copy() {
  cp -p --parents "$@" "$tree" || exit 1
}

# code_of LAB: the files that a build reads.
code_of() {
  find "$1" -maxdepth 1 \( -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name lab.mk -o -name Makefile \)
}

# whole LAB: the same, and what the report has of it.
whole() {
  code_of "$1"
  find "$1" -maxdepth 1 \( -name 'report.*' ! -name '*.ja.md' -o -name figures.tsv -o -name README.md \)
}

# chosen LAB: those of its exercises.
chosen() {
  for exercise in $exercises; do
    cut -f 1 "$1/exercises.tsv" | grep -xF "$exercise"
  done
}

# variants_in FILE...: that these define.
variants_in() {
  sed -n 's/^\(extern \)\{0,1\}const variant \([a-z0-9_]*\)_variant =.*/\2/p' "$@"
}

# find_out LAB: what is not to be in its handout, to the files names (what the sources lose) and files.
find_out() {
  spine=$1/${1#*_}.cu
  for exercise in $(chosen "$1"); do
    field "$exercise" out | tr ' ' '\n' | tee "$work/own"
    printf '+%s\n' "$(field "$exercise" variant)" "$(field "$exercise" file)"
    # What its line of the table and its skeleton call stays, too.
    { sed -n "/^ *[A-Z_]*(\"$(field "$exercise" variant)\"/,/),\$/p" "$spine" && skeleton_of "$exercise" "$1/exercises.md"; } |
      sed '/^ \*/d; /^\/\*/d; s/"[^"]*"//g' | grep -o '[A-Za-z_][A-Za-z0-9_]*' | grep -vxF -f "$work/own" | sed 's/^/+/'
  done >"$work/words"
  sed -n 's/^+//p' "$work/words" | sort -u >"$work/stays"
  grep -v '^[+-]' "$work/words" | sort -u | grep -vxF -f "$work/stays" >"$work/names"
  cat "$spine" "$1"/*.h >"$work/spine" 2>/dev/null
  for file in "$1"/*.cu; do
    [ "$file" = "$spine" ] || [ "$file" = "$1/vendor.cu" ] ||
      { [ -z "$(variants_in "$file")" ] && grep -qwF "${file##*/}" "$work/spine"; } || echo "${file##*/}"
  done | grep -vxF -f "$work/stays" >"$work/files"
  grep '[.]' "$work/names" | while read -r pattern; do
    find "$1" -name "$pattern" | sed 's|.*/||'
  done >>"$work/files"
  while read -r file; do variants_in "$1/$file"; done <"$work/files" >>"$work/names"
  sort -u "$work/files" -o "$work/files"
  cat "$work/files" >>"$work/names"
}

# cut_lab LAB: its sources without the answers; then without headers that nothing reads any more.
cut_lab() {
  lab=$1
  find_out "$lab"
  gone=$(awk -v column=variant -f course/field.awk "$lab/exercises.tsv" | while read -r exercise variant; do
    grep -qxF "$variant" "$work/names" && echo "$exercise"
  done)
  copy $(code_of "$lab")
  (cd "$tree/$lab" && rm -f $(cat "$work/files"))
  for exercise in $(chosen "$lab"); do
    skeleton=$tree/exercises/skeleton_$exercise.cu
    skeleton_of "$exercise" "$lab/exercises.md" >"$skeleton"
    with "$tree/$lab/$(field "$exercise" file)" -v exercise="$exercise" -v part="$skeleton" -f course/part.awk
  done
  names=$(tr '\n' ' ' <"$work/names")
  for file in "$tree/$lab"/*.cu "$tree/$lab"/*.cuh "$tree/$lab"/*.h; do
    [ ! -f "$file" ] || with "$file" -v out="$names" -v gone="$gone" -v chosen="$exercises" -f course/cut.awk
  done
  while orphan=$(orphans "$lab") && [ -n "$orphan" ]; do (cd "$tree" && rm -f $orphan); done
  sed "s/^/$lab /" "$work/names" >>"$work/all_names"
}

# with FILE OPTION...: what awk makes of it takes its place.
with() {
  changed=$1
  shift
  awk "$@" "$changed" >"$work/changed" && cp "$work/changed" "$changed" || exit 1
}

# orphans LAB: headers that no file includes.
orphans() {
  (
    cd "$tree/$1" || exit
    cat ./*.cu ./*.h ./*.cuh 2>/dev/null | grep -o '#include "[^"]*"' | cut -d '"' -f 2 >"$work/included"
    for file in *.h *.cuh; do [ ! -f "$file" ] || echo "$file"; done | grep -vxF -f "$work/included" | sed "s|^|$1/|"
  )
}

# skeleton_of EXERCISE PAGE; section_of EXERCISE PAGE: without that.
skeleton_of() {
  awk -v head="## $1 " '/^## / { mine = index($0, head) == 1 }
    mine && /^```/ { inside = /^```skeleton/; next }
    mine && inside' "$2"
}
section_of() {
  awk -v head="## $1 " '/^## / { mine = index($0, head) == 1 }
    /^```skeleton/ { skipping = 1 }
    mine && !skipping
    skipping && /^```$/ { skipping = 0 }' "$2"
}

# pages_of LAB: what students read of it: its title and formula, the exercises, their questions.
pages_of() {
  {
    head -n 1 "$1/README.md"
    awk '/^    / { found = 1 } found && !/^    / { exit } found' "$1/README.md" | sed '1s/^/\n/'
    printf '\nexercises.md has the exercises: write between the markers in the source.\n'
  } >"$tree/$1/README.md"
  {
    sed '/^## /,$d' "$1/exercises.md"
    for exercise in $(chosen "$1"); do section_of "$exercise" "$1/exercises.md"; done
  } | cat -s >"$tree/$1/exercises.md"
  awk '/^[*][*]Questions/ { on = 1; next } /^## / { on = 0 } on && /^[0-9]+[.] / { sub(/^[0-9]+/, ++n) } on && NF' \
    "$tree/$1/exercises.md" >"$tree/$1/questions.md"
  for exercise in $(chosen "$1"); do
    printf '%s\t%s' "$exercise" "$1"
    for column in variant file blocks sizes week options; do printf '\t%s' "$(field "$exercise" $column)"; done
    echo
  done >>"$tree/exercises/list.tsv"
}

# forbidden FILE...: does one name what is out, or what is asked for?
forbidden() {
  cut -d ' ' -f 2 "$work/all_names" | sort -u | grep '[_.0-9]' >"$work/forbidden"
  cat "$@" | grep -qwF -f "$work/forbidden"
}

hand_over() {
  mkdir -p "$(dirname "$out")" && mv -T "$tree" "$out"
}

mkdir "$tree/exercises"
: >"$work/all_names"
for lab in $labs; do cut_lab "$lab" || exit 1; done
if [ "$sources" ]; then
  cp -rp common "$tree" && hand_over
  exit
fi
for lab in $labs; do pages_of "$lab"; done
copy Makefile config.mk LICENSE .gitignore tests/tap.sh tests/run.sh tests/run.awk
for lab in $labs; do chosen "$lab" | while read -r exercise; do echo "$lab $(field "$exercise" variant)"; done; done \
  >>"$work/all_names"
tar -cf - --exclude='*.t' --exclude='*.ja.*' --exclude=golden --exclude=made_up --exclude=cuda_on_cpu/tests \
  --exclude=plots/figures --exclude=report/output --exclude=tools/accuracy.awk --exclude=make/lib.mk \
  common cuda_on_cpu make tools plots report data/pictures | tar -xf - -C "$tree" || exit 1
for lab in lab0_* lab1_*; do
  [ -d "$tree/$lab" ] || { [ "${lab%%_*}" != lab0 ] && forbidden $(whole "$lab"); } || copy $(whole "$lab")
done
for page in docs/running.md docs/doctor.md docs/lens.md docs/try.md docs/measuring.md; do
  forbidden "$page" || copy "$page"
done

# Recorded rows of what is given: those of libraries and of the rungs below stand beside one's own.
# (make occupancy without nvcc looks at the H200's.)
for rows in data/reference/nvidia-h?00/lab*.csv data/reference/tesla-c2050/lab*.csv; do
  [ -d "$tree/${rows%/*}" ] || mkdir -p "$tree/${rows%/*}"
  lab=${rows##*/} lab=${lab%.csv}
  [ ! -d "$tree/$lab" ] || awk -F , 'NR == FNR { split($0, word, " "); out[word[1], word[2]]; next }
    !(($1, $2) in out)' "$work/all_names" "$rows" >"$tree/$rows"
done
awk -F '"' -v tree="$tree" '/^"/ && !system("test -d " tree "/" $2) { sub(/,$/, ""); lines = lines sep $0; sep = ",\n" }
  END { print "{\n" lines "\n}" }' data/reference/nvidia-h200/run.json >"$tree/data/reference/nvidia-h200/run.json"
copy data/reference/tesla-c2050/card.json

# make: without the goals for what stays away; `make test` looks at the exercises.
sed -i '/make\/lib.mk/d' "$tree/Makefile"
awk -v RS= -v ORS='\n\n' '!/(^|\n)accuracy:/ { gsub(/ \$\(of_a_gpu\)/, ""); print }' make/run.mk >"$tree/make/run.mk"
sed '/^TEST_PROGRAMS :=/,/[^\\]$/d' make/test.mk >"$tree/make/test.mk"
sed '2,/^# ---- students/d' make/course.mk >"$tree/make/course.mk"
cp course/exercises.sh "$tree/tests/exercises.t"
copy course/part.awk course/pack.sh
first=${exercises%% *} lab=${labs%%
*}
sed "s|@EXERCISES@|$exercises|; s|@LAB@|${lab%%_*}|; s|@FOLDER@|$lab|; s|@VARIANT@|$(field "$first" variant)|" \
  course/handout.md >"$tree/README.md"
hand_over || exit 1
echo "$out: exercises $exercises"
