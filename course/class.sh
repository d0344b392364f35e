#!/bin/sh
# class.sh - `make class`: a class's marks and times, as tables and figures.
#
#   [SEAL_KEY=...] sh course/class.sh [--names yes] [--leaderboard yes] --out DIR GRADES...
#
#   GRADES          what `make grade` wrote, or folders of such files, *.csv; the last row of a student
#                   and an exercise counts
#   OUT/class.md, .html, .pdf, OUT/figures/
#
# Without --names students have pseudonyms, which stay theirs under one key; without a key they are drawn
# anew, so that nobody who knows the names can compute them. It needs sqlite3, for figures gnuplot, for
# HTML and PDF pandoc, and says what it leaves out. Exit status: 0; 1 where a step failed; 2 for a wrong
# command line or files that are no grades.
here=$(unset CDPATH && cd -- "$(dirname -- "$0")" && pwd) || exit 1
root=$here/..
names='' leaderboard='' out=''
options='names leaderboard out' flags=''
# shellcheck source=tools/options.sh
. "$root/tools/options.sh"
[ -n "$out" ] || refuse 'needs --out'
[ $# -gt 0 ] || refuse 'whose grades? GRADES=folder'
command -v sqlite3 >/dev/null || refuse 'needs sqlite3, which make setup installs'
mkdir -p "$work/out/tables" "$work/figures/class" "$out" || exit 1

# grades FILE: its rows, in the order of the columns below. Names are of any letters, but hold nothing that
# a page's reader would obey: control characters, marks that turn the direction of a text.
columns='student exercise status marks of time_us reference_us library_us block'
grades() {
    encoding=UTF-8
    iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || encoding=CP1252
    iconv -c -f "$encoding" -t UTF-8 "$1" | sed 's/\xe2\x80[\xaa-\xae]//g
        s/\xe2\x81[\xa6-\xa9]//g; s/\xc2[\x80-\x9f]/ /g' | awk -f "$root/tools/csv.awk" -f "$here/class.awk" \
        -v names="$columns" -v file="$1" - || exit 2
}
for place; do
    [ -d "$place" ] || { [ -f "$place" ] && grades "$place"; } || refuse "there is no $place"
    [ ! -d "$place" ] || for file in "$place"/*.csv; do
        [ ! -f "$file" ] || grades "$file"
    done
done >"$work/rows.csv" || exit
[ -s "$work/rows.csv" ] || refuse "there are no grades in $*"

db=$work/class.db
sqlite3 -bail "$db" "create table row($(echo "$columns" | tr ' ' ,))" ".import --csv '$work/rows.csv' row" || exit 1
: >"$work/aliases"
if [ -z "$names" ] && [ -n "${SEAL_KEY:-}" ]; then
    sqlite3 "$db" 'select distinct student from row order by student' | while IFS= read -r student; do
        printf '%s\n%s\n' "$SEAL_KEY" "$student" | sha256sum | cut -c 1-8
    done >"$work/aliases"
fi
# 2.10 comes after 2.9. The marks of each exercise are a column.
order="cast(exercise as integer), cast(substr(exercise, instr(exercise, '.') + 1) as integer), exercise"
marks=$(sqlite3 "$db" "select distinct printf(', max(iif(exercise = ''%s'', cell, '''')) as \"%s\"', exercise, exercise)
    from (select exercise from row order by $order)")
sqlite3 -bail "$db" >"$work/said" <<END || exit 1
create table alias(name);
.import '$work/aliases' alias
create table student as
select student, case when '$names' <> '' then student when (select count(*) from alias) > 0
    then 'S-' || (select name from alias where alias.rowid = n)
    else printf('student %0*d', length(count(*) over ()), row_number() over (order by random())) end as name
from (select student, row_number() over (order by student) as n from (select distinct student from row));
create table grade as
select name as student, exercise, status, marks + 0.0 as marks, "of" + 0.0 as "of",
  iif(status = 'ok', nullif(time_us + 0.0, 0), null) as time_us,
  nullif(reference_us + 0.0, 0) as reference_us, nullif(library_us + 0.0, 0) as library_us, block
from row join student using (student) where row.rowid in (select max(rowid) from row group by student, exercise);
create table exercise as
select exercise, row_number() over (order by $order) as x, count(*) as students,
  sum(status = 'ok') as right, sum(marks >= "of") as full_marks, max("of") as "of",
  count(time_us) as timed, avg(reference_us) as reference_us, avg(library_us) as library_us
from grade group by exercise;
-- Quartiles between two values, as those of the rows: each value weighs what it is near the place.
create table point as
select 'marks' as what, x, student, 100 * marks / max(e."of", 1e-9) as value from grade join exercise e using (exercise)
union all select 'times', x, student, time_us from grade join exercise using (exercise) where time_us > 0;
create table quartile as
select what, x, sum(value * max(0, 1 - abs(r - 0.25 * last))) as q1, sum(value * max(0, 1 - abs(r - 0.5 * last))) as q2,
  sum(value * max(0, 1 - abs(r - 0.75 * last))) as q3
from (select *, row_number() over (partition by what, x order by value) - 1 as r,
  count(*) over (partition by what, x) - 1 as last from point) group by what, x;
create table place as select *, row_number() over (order by student) as no from (select distinct student from grade);
.mode csv
.headers on
.output $work/out/tables/class_exercises.csv
select exercise, students, right, full_marks as "full marks", "of", m.q2 * "of" / 100 as "median marks",
  nullif(timed, 0) as timed, t.q1 as "quartile / µs", t.q2 as "median / µs", t.q3 as "upper quartile / µs",
  reference_us as "reference / µs", library_us as "library / µs", (select group_concat(n || ' ' || status, ', ') from (
    select status, count(*) as n from grade g where g.exercise = e.exercise and status <> 'ok' group by 1)) as "not right"
from exercise e join quartile m on m.what = 'marks' and m.x = e.x left join quartile t on t.what = 'times' and t.x = e.x
order by e.x;
.output $work/out/tables/class_marks.csv
select no, student, sum(marks) as marks, (select sum("of") from exercise) as "of" $marks
from (select *, printf('%g', marks) || iif(status = 'ok', '', ' ' || status) as cell from grade) join place using (student)
group by student order by no;
.output $work/out/tables/class_fastest.csv
select exercise, place, student, time_us as "time / µs", gain as "reference / time", block from (
  select *, reference_us / time_us as gain, rank() over (partition by exercise order by time_us) as place
  from grade where time_us > 0) join exercise using (exercise) where place <= 5 order by x, place, student;
-- Points of one height stand side by side, in rows of twelve; those of times as they come.
.output $work/out/tables/figure_class.csv
select what || '-point' as what, x + iif(what = 'times', 0.6 * (k * 0.618034 - round(k * 0.618034)),
    0.06 * ((k - 1) % 12 - (min(n - (k - 1) / 12 * 12, 12) - 1) / 2.0)) as x,
  value + iif(what = 'times', 0, 1.7 * ((k - 1) / 12)) as value, null as q1, null as q3, null as text,
  printf('no. %d: {%.9g}', no, value) as about
from (select *, row_number() over same as k, count(*) over (partition by what, x, value) as n
  from point window same as (partition by what, x, iif(what = 'marks', value, 0) order by student)) join place using (student)
union all select what || '-quartiles', x, q2, q1, q3, null, null from quartile
union all select 'times-reference', x, reference_us, null, null, null, null from exercise where reference_us > 0
union all select 'times-library', x, library_us, null, null, null, null from exercise where library_us > 0
union all select * from (select what || '-tick', x, null, null, null, exercise || '|' || iif(what = 'times', timed, students) || ' of ' ||
    (select count(*) from place), null from exercise, (select 'marks' as what union select 'times') order by what, x);
END
[ -n "$leaderboard" ] || rm "$work/out/tables/class_fastest.csv"
find "$work/out/tables" -size 0 -exec rm {} +

printf 'name\tscript\tsource\tx\ty\tcurve\tfilter\ttitle\n%s\n' \
    "class_marks	class.gp	figure_class		marks			Marks, a point a student" \
    "class_times	class.gp	figure_class		times			Times, a point a student" >"$work/figures.tsv"
sh "$root/plots/draw.sh" --compare --labs /dev/null --tables "$work/out/tables" --out "$work/figures" \
    --formats 'svg png pdf' --list "$work/figures.tsv" class 2>"$work/said"
case $? in 0) ;; 3) cat "$work/said" >&2 ;; *) cat "$work/said" >&2 && exit 1 ;; esac
echo name,value,digits >"$work/out/facts.csv"
cat >"$work/page.md" <<'END'
# The class

## The exercises

{{table class_exercises}}

{{if figure:class_times}}
{{figure class_times Each student's time where it is right, the quartiles of the class, the reference and a library on the same card}}
{{end}}

{{if figure:class_marks}}
{{figure class_marks Each student's marks and the quartiles of the class}}
{{end}}

{{if table:class_fastest}}
## The fastest

{{table class_fastest}}
{{end}}

## The marks

{{table class_marks}}
END

# pages FORMATS [OPTION...]: what build.sh makes of it.
pages() {
    formats=$1
    shift
    sh "$root/report/build.sh" --figures "$work/figures/class" --out "$work/out" --template "$work/page.md" \
        --name class --formats "$formats" --short "$@" >>"$work/built"
}
pages 'md html' || exit 1
# An English PDF has the letters of Western languages; others have fonts in what makes Japanese ones.
if grep -q "$(printf '[\306-\364]')" "$work/out/tables/class_marks.csv" && command -v lualatex >/dev/null; then
    cp -R "$work/figures/class" "$work/figures/class.ja"
    pages pdf --lang ja
    mv "$work/out/class.ja.pdf" "$work/out/class.pdf" 2>/dev/null
else
    pages pdf
fi
mkdir -p "$out/figures"
cp "$work/figures/class"/class_* "$out/figures/" 2>/dev/null
for page in md html pdf; do
    rm -f "$out/class.$page"
    [ ! -f "$work/out/class.$page" ] || { put "$work/out/class.$page" "$out/class.$page" && echo "$out/class.$page"; }
done
