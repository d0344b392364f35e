#!/bin/sh
# pack.t - make pack: what a student hands in, and what is missing; make verify-rows: sealed rows that were
# edited, are of other sources, or stand in two students' files.
. tests/tap.sh

# ---- a student's tree: one lab, two exercises ----------------------------------------------------
"$MAKE" -s BACKEND="$BACKEND" B="$B" "$B/verify_rows" >/dev/null || exit 1
tree=$folder/tree
mkdir -p "$tree/course" "$tree/tools" "$tree/lab2_sum" "$tree/exercises" "$tree/rows/m" "$tree/handin"
cp course/pack.sh course/part.awk "$tree/course"
cp tools/options.sh tools/csv.awk tools/column.awk tools/source_sum.sh "$tree/tools"
printf '2.%d\tlab2_sum\t%s\tsum.cu\n' 1 naive 2 shared >"$tree/exercises/list.tsv"
printf '%s\n' '#include "sum.h"' '/* [exercise 2.1] */' 'mine();' '/* [end 2.1] */' \
    '  /* [exercise 2.2] */' 'skeleton();' '  /* [end 2.2] */' >"$tree/lab2_sum/sum.cu"
echo '/* h */' >"$tree/lab2_sum/sum.h"
echo 'skeleton();' >"$tree/exercises/skeleton_2.2.cu"

# seal NUMBER: a program with the class's key and these sources writes the student's rows.
cat >"$folder/seal.c" <<'END'
#include "rows/seal.h"
extern const char lab_source[];
const char lab_source[] = SOURCE;
int main(int argc, char **argv)
{
    result_table table = {0};
    result_table_read(&table, argv[argc - 2]);
    for (int i = 0; i < table.count; i++)
        seal_row(&table.rows[i]);
    result_table_write(&table, argv[argc - 1]);
    result_table_free(&table);
}
END
seal() {
    printf '%s\n' lab,variant,machine,width,height,block_x,block_y,status,note,time_s,date "lab2_sum,naive,m,64,1,8,8,ok,\"a, \"\"b\"\"\",1.5,$1" \
        "lab2_sum,shared,m,64,1,8,8,wrong,at 0,,$1" >"$folder/rows.csv"
    gcc -std=c11 -Icommon -DBUILD_KEY='"class"' -DBUILD_COMPILER='""' -DBUILD_FLAGS='""' -DBUILD_COMMIT='""' \
        -DSOURCE="\"$(sh tools/source_sum.sh "$tree/lab2_sum")\"" "$folder/seal.c" common/rows/build.c \
        common/rows/seal.c common/rows/result.c common/rows/text_table.c common/files/*.c common/process/die.c common/process/ranks.c \
        -lm -o "$folder/seal" && "$folder/seal" "$folder/rows.csv" "$tree/rows/m/lab2_sum.csv"
}
# pack OPTION...
pack() {
    (cd "$tree" && sh course/pack.sh --results rows --lab lab2_sum --out pack --name 'Ada, "L"' "$@" m)
}

refuses 'no number' 2 'NUMBER=1815' pack
refuses 'a number that leads out of the folder' 2 'NUMBER=../x: letters' pack --number ../x
exits 'nothing but sources' 1 pack --number 1815
is 'what is missing is a line each' "$(sed 's/^pack.sh: //; s/[,:].*//' "$folder/err" | paste -s -d ';')" \
    'there are no rows of lab2_sum;2.1;2.2;2.2;there is no run.json;there are no answers;there are no pages of make handin LAB=lab2'
exits 'a part that is not marked' 1 pack --number 1815 --exercises '2.1 2.9'
like 'is told' "$(cat "$folder/err")" '^pack.sh: 2.9: its marks, '
ok 'the rows of a program with a key' seal 1815
echo '{}' >"$tree/rows/m/run.json"
printf '%s\n' 1. '*(your answer)*' 2. yes >"$tree/handin/lab2_answers.md"
touch "$tree/handin/lab2.html" "$tree/course/key"
exits 'one exercise, all there but an answer' 0 pack --number 1815 --exercises 2.1
is 'is all that is told' "$(cat "$folder/err")" 'pack.sh: handin/lab2_answers.md: 1 without an answer'
tar -C "$folder" -xzf "$tree/pack/1815.tar.gz"
is 'what is in it' "$(cd "$folder/1815" && echo *)" \
    'answers.md lab2.html name.txt part_2.1.cu rows.csv run.json sum.cu sum.h'
is 'the part' "$(cat "$folder/1815/part_2.1.cu")" 'mine();'
for goal in pack handin; do
    refuses "$goal: two labs" 2 "$goal: LAB=lab1 lab2: one of lab0" "$MAKE" -n BACKEND="$BACKEND" $goal LAB='lab1 lab2'
done
like 'an archive for each lab' "$("$MAKE" -n BACKEND="$BACKEND" pack LAB=lab2 NAME=Ada NUMBER=1815)" '--out pack/lab2 '

# ---- seals ---------------------------------------------------------------------------------------
verify() {
    "$MAKE" -s BACKEND="$BACKEND" B="$B" verify-rows KEY=class ROWS="$*"
}
exits 'rows as they were written, beside their sources' 0 verify "$folder/1815/rows.csv"
is 'all of them' "$(cat "$folder/out")" '2 rows, 2 as they were written'
mkdir "$folder/edited" "$folder/plain"
# edit WHAT SCRIPT WHY
edit() {
    sed "$2" "$folder/1815/rows.csv" >"$folder/edited/rows.csv"
    exits "$1" 2 verify "$folder/edited/rows.csv"
    like "$1: it is told" "$(cat "$folder/out")" "rows.csv: row [12]: .* $3\$"
}
edit 'a time' '2s/,1.5,/,1.4,/' 'is not as it was written'
edit 'a status' '3s/,wrong,/,ok,/' 'is not as it was written'
edit 'another program' '2s/-[0-9a-f]*-/-0123456789abcdef-/' 'is not as it was written'
edit 'another source' '2s/,[0-9a-f]*-/,0123456789abcdef-/' 'is not as it was written'
edit 'no seal' '2s/,[0-9a-f]*-[0-9a-f]*-[0-9a-f]*,/,,/' 'has no seal'
exits 'another key' 2 "$MAKE" -s BACKEND="$BACKEND" B="$B" verify-rows KEY=other ROWS="$folder/1815/rows.csv"
cp "$folder/1815/rows.csv" "$folder/plain"
exits "one student's rows in another's file" 2 verify "$folder/1815/rows.csv" "$folder/plain/rows.csv"
like 'both are told' "$(cat "$folder/out")" '^4 rows, 2 as they were written'
exits 'rows alone may be of any source' 0 verify "$folder/plain/rows.csv"
echo no rows >"$folder/edited/rows.csv"
exits 'a file that holds none' 2 verify "$folder/edited/rows.csv" "$folder/plain/rows.csv"
like 'is told' "$(cat "$folder/err")" 'edited/rows.csv: not a results file'
is 'and others have their turn' "$(cat "$folder/out")" '2 rows, 2 as they were written'
echo '/* another */' >"$tree/lab2_sum/sum.h"
exits 'sources that were changed since' 0 pack --number 1816 --exercises 2.1
like 'the student is told' "$(cat "$folder/err")" 'the rows are of other sources than these'
tar -C "$folder" -xzf "$tree/pack/1816.tar.gz"
exits 'and so is the teacher' 2 verify "$folder/1816/rows.csv"
like 'row by row' "$(cat "$folder/out")" 'row 2: shared .* is of other sources'
refuses 'no such file of it' 2 'KEYFILE=/none: there is no such file' "$MAKE" -s BACKEND="$BACKEND" B="$B" verify-rows \
    KEYFILE=/none ROWS="$folder/1815/rows.csv"
refuses 'no key' 2 'KEY= or KEYFILE=' env -u SEAL_KEY "$B/verify_rows" a b
done_testing
