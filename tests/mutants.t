#!/bin/sh
# mutants.t - planted bugs: each line of the list still changes its file, what is drawn is code, and
# the same for the same seed; a bug is found, or missed. Whether tests find what is drawn
# `make test-mutants` tells.
. tests/tap.sh

tab=$(printf '\t')
stale() {
    grep -v '^#' tests/mutants.tsv | while IFS=$tab read -r name file script tests _; do
        if [ -z "$tests" ]; then
            echo "$name: no test"
        elif sed -E "$script" "$file" | cmp -s - "$file"; then
            echo "$name: $file"
        fi
    done
}
is 'each line of the list changes its file' "$(stale 2>&1)" ''
is 'no bug has two names' "$(grep -v '^#' tests/mutants.tsv | cut -f 2-4 | sort | uniq -d)" ''
is 'what nobody can see is a change of a line that is there' \
    "$(grep -v '^#' tests/mutants/equivalent.tsv | while IFS=$tab read -r file old _; do
        grep -q -F -e "$old" "$file" || echo "$file: $old"
    done)" ''

# ---- what is drawn -------------------------------------------------------------------------------

# draw COUNT SEED [all]: of the files on stdin.
draw() {
    awk -v count="$1" -v seed="$2" -v all="${3:-}" -f "$root/tests/mutants/draw.awk" \
        "$root/tests/mutants/rules.tsv" "$root/tests/mutants/tests.tsv" -
}

find Makefile make common cluster cuda_on_cpu lab* plots report tools -type f |
    sort >"$folder/files"
grep ^tools "$folder/files" >"$folder/few"
draw 20 a <"$folder/few" >"$folder/drawn"
is 'the same seed draws the same' "$(draw 20 a <"$folder/few")" "$(cat "$folder/drawn")"
ok 'another seed others' not cmp -s "$folder/drawn" - <<END
$(draw 20 b <"$folder/few")
END
draw 200 a <"$folder/files" >"$folder/drawn"
is 'no place is drawn twice' "$(cut -f 1 "$folder/drawn" | sort | uniq -d)" ''
is 'each drawn bug changes its line alone' "$(while IFS=$tab read -r place file script _; do
    sed -E "$script" "$file" | diff "$file" - | sed "/^[<>-]/d; /^${place##*:}c/d; s|^|$place |"
done <"$folder/drawn")" ''
is 'each rule applies somewhere' "$(draw 0 '' all <"$folder/files")" ''

mkdir "$folder/common" "$folder/tools" "$folder/report"
cat >"$folder/common/a.c" <<'END'
/* 1 < 2,
   3 < 4 */
// 5 < 6
int is_less = a < b; /* 7 < 8 */
END
printf '# 1 -eq 2\n[ a -eq b ] # 3 -eq 4\n' >"$folder/tools/a.sh"
printf -- '-- 1 = 2\nselect a = b -- 3 = 4\n' >"$folder/report/a.sql"
for seed in $(seq 20); do
    (cd "$folder" && find common tools report -type f | sort | draw 9 "$seed")
done | while IFS=$tab read -r place file script _; do
    sed -E -n "$script;${place##*:}p" "$folder/$file"
done >"$folder/changed"
is 'comments are never drawn' "$(grep '[1-9]' "$folder/changed")" ''
is 'but code is' "$(sort -u "$folder/changed")" "$(printf '%s\n' '[ a -ne b ]' '[ a b ]' 'int is_less = a <= b;' 'select a <> b')"

# ---- what becomes of a bug -----------------------------------------------------------------------

thorough || { done_testing; exit; }
if why=$(lacks Boost.Context); then
    skip 'a test finds its bug' "$why"
    done_testing
    exit
fi
mark=86397.$$
cat >"$folder/list" <<END
seen	common/measure/statistics.c	s/count, 0\.5\)/count, 0.4)/	build/cpu/tests/test_statistics
unseen	common/measure/statistics.c	s/count, 0\.5\)/count, 0.4)/	build/cpu/tests/test_csv
old	common/measure/statistics.c	s/no such line//	build/cpu/tests/test_csv
hangs	tests/gpu_code.sh	1s/\$/\ntrap '' TERM; sleep $mark/	tests/record.t
unread	make/pictures.mk	s/\(wildcard [^)]*\)/(wildcard/	build/cpu/tests/test_csv
END
exits 'a list with a bug that is missed is a failure' 1 env TEST_JOBS=1 sh tests/mutants.sh "$folder/list"
is 'a test finds its bug' "$(awk '{ print $1, $2 }' "$folder/out" | sort)" \
    "$(printf '%s\n' '1 broken,' 'broken unread' 'found hangs' 'found seen' \
        'missed unseen' 'stale old')"
is 'nothing is left that a bug has hung up' "$(grep -l -a "[8]${mark#8}" /proc/[0-9]*/cmdline 2>/dev/null)" ''
done_testing
