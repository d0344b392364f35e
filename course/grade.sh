#!/bin/sh
# grade.sh - `make grade`: a class's parts of one exercise, judged and marked (docs/judging.md).
#
#   sh course/grade.sh --submissions DIR --exercise 2.3 --out grades.csv [--seed N] [--jobs 2]
#
# DIR has a folder or an archive a student. Beside grades.csv, in grades.csv.d: a folder a student with
# feedback.md (and .html); in its .state similar.csv, the hidden sizes. Rows that are there for the same part, seed and
# judge are kept: what was cut off goes on. B, BACKEND, NVCC and ARCH in the environment are make's.
# Exit status: 0; 1 where a submission has no row; 2 for an unknown exercise, or no submissions.

# shellcheck disable=SC2154,SC2016
here=$(unset CDPATH && cd -- "$(dirname -- "$0")" && pwd) || exit 1
submissions='' exercise='' out='' seed='' jobs='' options='submissions exercise out seed jobs' flags=''
# shellcheck source=tools/options.sh
. "$here/../tools/options.sh"
[ -n "$submissions" ] || refuse 'which submissions? SUBMISSIONS=DIR'
[ -d "$submissions" ] || refuse "SUBMISSIONS=$submissions: no such folder"
[ -n "$out" ] || refuse 'where do the rows go? OUT=grades.csv'
submissions=$(cd "$submissions" && pwd)
case $out in /*) ;; *) out=$PWD/$out ;; esac
[ ! -d "$out" ] || refuse "OUT=$out is a folder, no file of rows"
[ ! -e "$out" ] || [ -f "$out" ] || refuse "OUT=$out is something else than a file"
case $(cd "$(dirname "$out")" 2>/dev/null && pwd)/ in
"$submissions"/*) refuse "OUT=$out lies among the submissions, and would be one" ;;
esac
case $seed in *[!0-9]* | 0?* | ??????????*) refuse "SEED=$seed: a number such as 1815" ;; esac
cd "$here/.." || exit 1
command -v bsdtar >/dev/null || [ -z "$(find "$submissions" -mindepth 1 -maxdepth 1 -type f)" ] ||
  refuse 'bsdtar is missing, which reads archives: make setup-dev installs it'
case $exercise in *[!0-9.]* | '') refuse 'which exercise? EXERCISE=2.3' ;; esac
table=$(grep -l "^$exercise	" lab*/exercises.tsv) || refuse "there is no exercise '$exercise'"
[ -n "$(ls "$submissions")" ] || refuse "$submissions is empty"
[ -z "$(find "$submissions" -mindepth 1 -maxdepth 1 -name 'part_*.cu')" ] ||
  refuse "$submissions has a part itself: SUBMISSIONS is a class's folder, with a folder or an archive a student"
# What a student is called: without the ending of an archive.
export ending='s/[.](zip|7z|t[bgx]z2?|tar([.][a-z0-9]+)?)$//I'
twice=$(find "$submissions" -mindepth 1 -maxdepth 1 ! -name '.*' -printf '%f\0' | sed -zE "$ending" | sort -z |
  uniq -zd | tr '\n\0' '_\n')
[ -z "$twice" ] || refuse "$submissions has more than one of '$(echo "$twice" | head -n 1)': which is to count?"
# No student's name begins with a dot: what is the class's own can be nobody's folder.
state=$out.d own=$out.d/.state
mkdir -p "$own" || exit 1
# One at a time, with all that it has started: what an interrupted one runs would write into this one's folders.
exec 9<"$state"
flock -n 9 || { echo "$out is being graded: this one waits" >&2 && flock 9; }
: "${B:=build/cpu}" "${BACKEND:=cpu}" "${LAUNCH_SECONDS:=5}" "${ROUNDS:=9}" "${ARCH:=native}" "${MAKE:=make}"

# The marks for style that somebody wrote into the rows stay.
[ ! -f "$out" ] || awk -f tools/csv.awk -f tools/column.awk exercise student style "$out" |
  while IFS=, read -r of name style; do
    [ "$of" = "$exercise" ] || refuse "$out has a row of the exercise '$of', not $exercise"
    case $style in
    '') rm -f "$state/$name/style" ;;
    *[!0-9.]*) refuse "$out: style of $name is '$style': a number such as 1.5" ;;
    *) mkdir -p "$state/$name" && echo "$style" >"$state/$name/style" ;;
    esac
  done || exit

field() {
  awk -v exercise="$exercise" -v column="$1" -f course/field.awk "$table"
}

# A class has a seed of its own, drawn once, which stands in its rows.
[ -n "$seed" ] || seed=$(cat "$own/seed" 2>/dev/null || od -An -N 3 -tu4 /dev/urandom | tr -d ' ')
echo "$seed" >"$own/seed"
lab=${table%/*} file=$(field file) variant=$(field variant) all_blocks=$(field blocks) sizes=$(field sizes)
timed=$(field timed) peer=$(field peer) options=$(field options) data_seed=$((seed % 1000000 + 2)) backend=$BACKEND rounds=$ROUNDS
nvcc=${NVCC-} arch=${ARCH%% *} HANDOUT=$own/handout may_asm=''
program=build/cpu/${lab#*_} on_cpu=${ON_CPU-yes}
[ -n "$on_cpu" ] || program=$B/${lab#*_}
awk -v seed="$seed" -v public="$sizes" -v hidden="$(field hidden)" -f course/draw.awk >"$own/classes.tsv"
correct_sizes=$(awk '/^correct/ { print $2 }' "$own/classes.tsv" | tr '\n' ' ')
edge_sizes=$(awk '/^edges/ { print $2 }' "$own/classes.tsv" | tr '\n' ' ')
race_sizes="$sizes ${edge_sizes%% *}"
library=$("$program" --list | awk -v variant="$variant" '$1 == variant { behind = 1 }
  behind && $2 == "vendor" && $1 !~ /^mem/ { print $1; exit }')
awk -v exercise="$exercise" -f course/part.awk "$lab/$file" | grep -qw asm && may_asm=1
[ -x "$nvcc" ] || nvcc=''

# The tree that students have is what a part is put into. Names of the lab's host code are not to be called.
rm -rf "$HANDOUT"
sh course/handout.sh --exercises "$exercise" --out "$HANDOUT" --sources >/dev/null || exit 1
sed -n '/\[exercise /q; /^[a-z].*[a-z_0-9]([^;]*$/{/__device__\|__global__\|^#/!s/.*[ *]\([A-Za-z_0-9]*\)(.*/host \1/p;}' \
  "$HANDOUT/$lab/$file" >"$own/words"
cat "$HANDOUT/$lab"/*.h "$HANDOUT/$lab/$file" common/lab.h common/launching.h common/check.h course/runner.h |
  sed 's|"[^"]*"||g; s|/[*][^*]*[*]/||g; s|/[*].*||; s|^ [*].*||' | tr -c 'A-Za-z0-9_' '\n' | grep '^[A-Za-z_]' |
  sort -u | sed 's/^/word /' >>"$own/words"

SANDBOX=$(sh course/sandbox.sh which)
case $SANDBOX in
none) say 'bubblewrap can make no namespace here: network, files of this account, and processes that leave
  their group are not contained' ;;
esac
[ -n "$on_cpu" ] || say 'there is no build for the CPU here, which needs Boost.Context (make setup): nobody looks for
  races, nor for bad accesses but those that the GPU sees'
machine=cpu
[ "$backend" = cpu ] || machine=$("$B/${lab#*_}" --print-machine)
key_of_run="$exercise $seed $machine $on_cpu $(cat course/rubric.tsv course/*.awk course/*.sh course/runner.* | cksum)"

export state exercise lab file variant options all_blocks sizes timed peer library rounds seed data_seed backend nvcc arch
export own HANDOUT SANDBOX LAUNCH_SECONDS on_cpu correct_sizes edge_sizes race_sizes machine key_of_run may_asm B
start=$(date +%s) lacking=''
find "$submissions" -mindepth 1 -maxdepth 1 ! -name '.*' -print0 | sort -z >"$work/list"
phase=cpu xargs -0 -n 1 -P "${jobs:-$(nproc)}" sh course/grade_one.sh <"$work/list" || lacking=1
[ "$backend" = cpu ] || phase=gpu xargs -0 -n 1 sh course/grade_one.sh <"$work/list" || lacking=1

# ---- rows, pages, pairs ----------------------------------------------------------------------------

students=$(cd "$state" && for row in */row; do [ ! -f "$row" ] || printf '%s\n' "${row%/row}"; done)
{
  echo student,exercise,status,correct,edges,race,speed,style,marks,of,time_us,reference_us,library_us,ratio,block,seed,machine,reason
  for student in $students; do cat "$state/$student/row"; done
} >"$work/grades.csv"
put "$work/grades.csv" "$out"
if command -v pandoc >/dev/null; then
  for student in $students; do
    page=$state/$student/feedback
    [ -f "$page.html" ] && [ -z "$(find "$page.md" -newer "$page.html")" ] || printf '%s\0' "$page"
  done | xargs -0 -r -n 1 -P "$(nproc)" sh -c \
    'pandoc -s -f markdown-raw_html --metadata pagetitle="$(head -n 1 "$0.md" | cut -c 3-)" -o "$0.html" "$0.md"'
fi
if command -v sim_c >/dev/null; then
  mkdir "$work/parts"
  for student in $students; do
    [ ! -s "$state/$student/part.cu" ] || cp "$state/$student/part.cu" "$work/parts/$student"
  done
  {
    echo first,second,percent
    (cd "$work/parts" && sim_c -p -e -s -t 60 ./* 2>/dev/null) | sed "s,[.]/,,g" |
      sed -n 's/^\([^ ]*\) consists for \([0-9]*\) % of \([^ ]*\) material.*/\1,\3,\2/p'
  } >"$own/similar.csv"
fi
awk -F , -v seconds=$(($(date +%s) - start)) 'NR > 1 { n++; count[$3]++ }
  END { printf "%d submissions in %d s:", n, seconds; for (s in count) printf " %s %d", s, count[s]; print "" }' "$out"
[ -z "$lacking" ] || { say 'a submission has no row: mend what is told above, and grade once more' && exit 1; }
