#!/bin/sh
# class.t - make class: a class's table and figures, with names that would be markup, without times, without
# pandoc; pseudonyms; what is no file of grades.
# shellcheck disable=SC2016  # backticks and dollars are meant
. tests/tap.sh
! why=$(lacks sqlite3) || skip_all "$why"

heading=student,exercise,status,correct,edges,race,speed,style,marks,of,time_us,reference_us,library_us,ratio,block
mkdir "$folder/grades" "$folder/bin"
{
    printf '\357\273\277%s\r\n' "$heading"
    printf '%s\r\n' '"O""Brien, <script>alert(1)</script>",2.9,ok,4,2,2,2,,10,10,100,120,60,1.2,16x16' \
        '"| *b* [l](http://x) `c` $m$ {{table class_marks}}",2.9,ok,,,,,,8,10,200,120,60,,8x8' \
        '山田 花子,2.9,ok,,,,,,9,10,400,120,60,,8x8' "d'Arc & Söhne,2.9,wrong,,,,,,3,10,,,,," \
        'Ada,2.9,ok,,,,,,1,10,800,120,60,,8x8' '2023123456,2.9,ok,,,,,,10,10,800,120,60,,8x8'
} >"$folder/grades/week1.csv"
# In another file other columns, another order, another encoding; the second row of Ada's is in the place of
# the first; O'Brien has none.
{
    printf '%s\n' marks,exercise,of,student,status 4,2.10,5,Ada,ok 5,2.10,5,Ada,ok 0,2.10,5,2023123456,cheat
    printf "2,2.10,5,d'Arc & S\366hne,race\n"
} >"$folder/grades/week2.csv"
class() {
    "$MAKE" -s class REPORT="$folder/report" "$@"
}
page=$folder/report/class/class

# ---- all of it -----------------------------------------------------------------------------------
path=$PATH
thorough || breaks lualatex pdflatex # a PDF takes three seconds
exits 'a class' 0 class GRADES="$folder/grades"
PATH=$path
rows=$(sed -n '/^## The marks/,$s/^| [0-9]/&/p' "$page.md")
is 'a row a student' "$(echo "$rows" | wc -l)" 6
like 'marks, behind them what was wrong; 2.10 behind 2.9' "$(cat "$page.md")" '[|] of [|] 2.9 [|] 2.10 [|]$'
like 'the last row counts' "$rows" '[|] Ada [|] 6 [|] 15 [|] 1 [|] 5 [|]$'
like 'who has no row has no marks; all that there are count' "$rows" 'O"Brien.* [|] 10 [|] 15 [|] 10 [|]  [|]$'
like 'an encoding is known; one student in two' "$rows" "d'Arc & Söhne|d'Arc \\\\& Söhne [|] 5 [|] 15 [|] 3 wrong [|] 2 race"
like 'numbers of students stay whole' "$rows" '[|] 2023123456 [|]'
like 'no markup' "$rows" '^[^`|]*[|] .*124; .\*b.\* .\[l.\]\(http.:'
is 'no HTML' "$(cat "$page".* | grep -c '<script>alert')" 0
like 'quartiles, reference, library' "$(cat "$page.md")" \
    '^[|] 2.9 [|] 6 [|] 5 [|] 2 [|] 10 [|] 8.5 [|] 5 [|] 200 [|] 400 [|] 800 [|] 120 [|] 60 [|] 1 wrong [|]$'
like 'who is fastest' "$(cat "$page.md")" '^[|] 2.9 [|] 1 [|] O"Brien.*[|] 100 [|] 1.2 [|] 16x16 [|]$'
if ! why=$(lacks gnuplot); then
    is 'a point a student and an exercise' "$(grep -c '<title>no[.]' "$folder/report/class/figures/class_times.svg")" 5
    is 'marks, too' "$(grep -c '<title>no[.]' "$folder/report/class/figures/class_marks.svg")" 9
    is 'no name in a figure' "$(grep -c -e Ada -e Brien "$folder/report/class/figures/class_marks.svg")" 0
else
    skip 'the figures' "$why"
fi
if ! why=$(lacks pandoc); then
    ok 'HTML with its figures' grep -q 'O.*Brien, &lt;script&gt;' "$page.html"
    if ! thorough; then
        :
    elif ! why=$(lacks pdflatex pdftotext) && command -v lualatex >/dev/null; then
        like 'a PDF with letters of any language' "$(pdftotext -layout "$page.pdf" -)" '山田 花子'
    else
        skip 'a PDF' "${why:-lualatex is missing: make setup-report installs it}"
    fi
else
    skip 'HTML' "$why"
fi

# ---- without ---------------------------------------------------------------------------------------
breaks pandoc
exits 'no leaderboard, no names, no pandoc' 0 class GRADES="$folder/grades/week1.csv" NAMES=no LEADERBOARD=no KEY=k
like 'it tells what there is not' "$(cat "$folder/err")" 'class.pdf .needs pandoc'
is 'nobody is fastest' "$(grep -c -i fastest "$page.md")" 0
is 'nobody is named' "$(grep -c -e Brien -e Ada -e 山田 -e 2023 "$page.md")" 0
ok 'pages of an earlier run are gone' test ! -e "$page.html" -a ! -e "$page.pdf"
pseudonyms() {
    class GRADES="$1" NAMES=no KEY="$2" >/dev/null 2>&1
    sed -n '/^## The marks/,$s/^| [0-9][0-9]* | \([^|]*\) |.*/\1/p' "$page.md" | sort
}
first=$(pseudonyms "$folder/grades/week1.csv" k)
is 'a pseudonym is the same every week' "$(pseudonyms "$folder/grades" k)" "$first"
is 'with another key another' "$(pseudonyms "$folder/grades" l | grep -cxF "$first")" 0
is 'without one they are numbers' "$(pseudonyms "$folder/grades" '' | tail -n 1)" 'student 6'
printf '%s\n' student,exercise,status,marks,of,time_us Ada,1.1,compile,0,8, Ben,1.1,ok,10,10, >"$folder/two.csv"
exits 'two students, no time' 0 class GRADES="$folder/two.csv"
like 'nobody is timed; the median is of all, whatever was looked at' "$(cat "$page.md")" \
    '^[|] 1.1 [|] 2 [|] 1 [|] 1 [|] 10 [|] 5 [|] 1 compile [|]$'
like 'one has marks' "$(cat "$page.md")" '^[|] 1 [|] Ada [|] 0 [|] 10 [|] 0 compile [|]$'
is 'and no figure of times' "$(grep -c class_times "$page.md")" 0

# ---- what is refused -----------------------------------------------------------------------------
# broken WHY LINE...: no file of grades.
broken() {
    broken_why=$1
    shift
    printf '%s\n' "$@" >"$folder/bad.csv"
    refuses "$broken_why" 2 "bad.csv: no grades: $broken_why" sh course/class.sh --out "$folder/bad" "$folder/bad.csv"
}
broken 'its heading has no of' student,exercise,status,marks Ada,1.1,ok,1
broken 'row 1 has 4 fields, its heading 5' student,exercise,status,marks,of Ada,1.1,ok,1
broken "row 1 is of the exercise '1.1; drop'" student,exercise,status,marks,of 'Ada,1.1; drop,ok,1,2'
broken 'row 1: marks is no number' student,exercise,status,marks,of Ada,1.1,ok,=1,2
refuses 'no grades' 2 'whose grades' sh course/class.sh --out "$folder/bad"
refuses 'an empty folder' 2 'no grades in' sh course/class.sh --out "$folder/bad" "$folder/bin"
done_testing
