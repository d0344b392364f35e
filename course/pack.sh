#!/bin/sh
# pack.sh - `make pack`: what a student hands in, as one archive, and what is missing in it.
#
#   sh course/pack.sh --results DIR --lab LAB [--exercises "2.1 2.3"] --name NAME --number NUMBER \
#                     --out pack MACHINE
#
#   OUT/NUMBER.tar.gz holds, in the folder NUMBER:
#     part_2.3.cu            what stands between the marks of exercise 2.3
#     matprod.cu ...         the lab's sources, of which the rows are
#     rows.csv, run.json     what was measured, on what
#     answers.md, lab2.pdf   the answers, and the pages of `make handin`, where they are
#     name.txt
#
# Without --exercises it packs all that the lab's sources mark. Each thing that is missing is a line.
# Exit status: 0; 1 where a part is missing, for there is nothing to grade then; 2 for a wrong command
# line.
here=$(unset CDPATH && cd -- "$(dirname -- "$0")" && pwd) || exit 1
root=$here/..
results='' lab='' exercises='' name='' number='' out=''
options='results lab exercises name number out' flags=''
# shellcheck source=tools/options.sh
. "$root/tools/options.sh"
[ $# -eq 1 ] || refuse 'needs the name of a machine'
need_student
id=${lab%%_*} source=$root/$lab measured=$results/$1/$lab.csv lacking=0
into=$work/$number
mkdir "$into" || exit 1

# pack EXERCISE: its part; a line where there is none.
pack() {
    part=$into/part_$1.cu
    awk -v exercise="$1" -f "$here/part.awk" "$source"/*.cu >"$part" || {
        rm "$part"
        say "$1: its marks, /* [exercise $1] */ and /* [end $1] */, are not in $lab/, or not once"
        lacking=1
        return
    }
    cmp -s "$root/exercises/skeleton_$1.cu" "$part" && lacking=1 && say "$1: the part is the skeleton still"
    variant=$(awk -F '\t' -v exercise="$1" '$1 == exercise { print $3 }' "$root/exercises/list.tsv" 2>/dev/null)
    [ -z "$variant" ] || grep -qxF -e "$variant,ok" "$work/rows" ||
        say "$1: $variant has no right row: make run-$id VARIANTS=$variant"
}

: >"$work/rows"
if [ -s "$measured" ]; then
    cp "$measured" "$into/rows.csv"
    awk -f "$root/tools/csv.awk" -f "$root/tools/column.awk" variant status "$measured" >"$work/rows"
    # The newest row's seal tells of which sources it is.
    sealed=$(awk -f "$root/tools/csv.awk" -f "$root/tools/column.awk" date seal "$measured" | sort |
        sed -n '$s/.*,//p')
    case $sealed in
        "$(sh "$root/tools/source_sum.sh" "$source")"-*) ;;
        '') [ ! -s "$root/course/key" ] || say "the newest row has no seal: make run-$id" ;;
        *) say "the rows are of other sources than these: make run-$id" ;;
    esac
else
    say "there are no rows of $lab: make run-$id"
fi
: "${exercises:=$(sed -n 's|^[[:blank:]]*/\* \[exercise \([^]]*\)\] \*/.*|\1|p' "$source"/*.cu | tr '\n' ' ')}"
[ -n "$exercises" ] || { say "$lab marks no exercise" && lacking=1; }
for exercise in $exercises; do
    pack "$exercise"
done
for file in "$source"/*.cu "$source"/*.cuh "$source"/*.h; do
    [ ! -f "$file" ] || cp "$file" "$into/"
done
cp "${measured%/*}/run.json" "$into/" 2>/dev/null || say 'there is no run.json, which a run writes'
if cp "handin/${id}_answers.md" "$into/answers.md" 2>/dev/null; then
    open=$(grep -cxF '*(your answer)*' "$into/answers.md")
    [ "$open" -eq 0 ] || say "handin/${id}_answers.md: $open without an answer"
else
    say "there are no answers: make handin LAB=$id NAME=... NUMBER=..."
fi
cp handin/"$id".[hmp]* "$into/" 2>/dev/null || say "there are no pages of make handin LAB=$id"
printf '%s\n' "$name" >"$into/name.txt"
mkdir -p "$out" && tar -C "$work" -czf "$work/archive" "$number" &&
    put "$work/archive" "$out/$number.tar.gz" || exit 1
echo "$out/$number.tar.gz: $(cd "$into" && echo *)"
exit $lacking
