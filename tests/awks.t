#!/bin/sh
# awks.t - what mawk and gawk make of the same rows, byte by byte: reports in both languages and the atlas; tests/lens.t
# has the lens's. Debian's awk is mawk, that of Fedora and its relatives gawk.
. tests/tap.sh
thorough_only

for awk in mawk gawk; do
    ! why=$(lacks $awk sqlite3) || skip_all "$why"
    mkdir "$folder/$awk"
done
# Fields of rows in which some have quotes: texts, whatever they look like.
printf '%s\n' 'a,b,c' '10,"x, ""y""",10.0' ',"two' 'lines",' '"10",,"z"' >"$folder/rows.csv"
for awk in mawk gawk; do
    is "$awk: fields with quotes and without" "$(with_awk $awk awk -f tools/csv.awk -f - "$folder/rows.csv" <<'END'
record > 0 { for (i = 1; i <= fields; i++) printf "<%s>%s", field[i], field[i] == 10 ? "=" : ""; print "" }
END
)" '<10>=<x, "y"><10.0>
<><two
lines><>
<10>=<><z>'
done
"$MAKE" -s "$B/labs.csv" BACKEND="$BACKEND" >/dev/null
mkdir "$folder/figures"
for awk in mawk gawk; do
    out=$folder/$awk/out
    ok "$awk: tables" with_awk $awk sh report/analyse.sh --results data/reference --labs "$B/labs.csv" --out "$out" nvidia-h200
    for lang in en ja; do
        for name in report atlas; do
            ok "$awk: $name, $lang" with_awk $awk sh report/build.sh --figures "$folder/figures" --out "$out" --lang $lang \
                --formats md --name $name --template report/$name.$lang.md
        done
    done
    rm "$out/results.db" # has the time
done
ok 'both make the same' diff -r "$folder/mawk/out" "$folder/gawk/out"
done_testing
