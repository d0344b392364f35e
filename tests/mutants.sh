#!/bin/sh
# mutants.sh - plants bugs, one at a time, in copies of the tree, and runs the tests that should find
# them: `make test-mutants`.
# usage: [N=40] [SEED=TEXT] [FILES='lab3_bilateral plots'] [FULL=1] tests/mutants.sh [LIST...]
#
# Without a list N bugs are drawn, from SEED on (the commit), in all files or in FILES and folders:
# mutants/rules.tsv tells what may be done to a line, mutants/tests.tsv who should see it, of C code
# by what `make test` runs of these tests, of labs' by the builds for checks, too. Another is drawn for one that does not compile, is in code
# that this build leaves out, or leaves the object code as it was. With FULL=1 all tests, and the whole
# of each, look for what these have missed. mutants/equivalent.tsv has the changes that nobody can
# see, by a person's judgement: file, old line, new line, reason.
#
# A list has lines of name, file, a script for sed -E, the cheapest tests that find it and, of a
# change that nobody can see from outside, why not, separated by tabs. What changes nothing in its
# file, what does not build, and what is found though it cannot be, are errors of the list.
#
# A bug is found if a test fails, or takes five times as long as without it and 10 s more. Exit
# status 1 for an error of a list, and if a bug of a list was missed.
# shellcheck shell=sh
set -u
tab=$(printf '\t')
nl='
'
export BACKEND=cpu

# goals TEST...: what make must build for them: the programs that a test names, or all where it goes
# through the labs, of which LABS may choose one.
# shellcheck disable=SC2016,SC2059,SC2086  # names without blanks
goals() {
  all=$(printf '%s\n' lab*_*/ | sed 's|lab[0-9]*_\(.*\)/|\1|')
  for test; do
    case $test in
    "$B"/*) echo "$test" && continue ;;
    cuda_on_cpu/*) printf "$B/cuda_on_cpu/tests/%s\n" bugs correct language api && continue ;;
    esac
    programs=$(grep -o -w -F -e "$all" -e faulty -e picture "$test")
    if grep -q -F 'lab*_*' "$test"; then
      programs=$all
      [ -z "${LABS:-}" ] || ! grep -q -F '{LABS:' "$test" || programs=${LABS#*_}
    fi
    programs="$programs $(sed -n 's|.*"\$B/\(fault/[a-z]*\)".*|\1|p' "$test")"
    ! grep -q check_ "$test" || programs="$programs $(printf 'tests/check_%s ' $programs)"
    ! grep -q test_exchange "$test" || programs="$programs tests/test_exchange"
    printf "$B/%s\n" $programs
    ! grep -q -F data/images "$test" || echo images
  done | sort -u
}

compile() {
  timeout -k 5 300 "$MAKE" -s "$@"
} >"$log" 2>&1 </dev/null

# run LIMIT TEST: status 1 if the test, or one of those that a pattern names, fails or takes longer;
# 2 if what it needs cannot be built.
# shellcheck disable=SC2046,SC2086  # names without blanks
run() {
  compile $(goals $2) || return 2
  timeout -k 5 "$1" env B="$B" MAKE="$MAKE" sh tests/run.sh $2 >"$log" 2>&1 </dev/null &
  wait $!
  status=$?
  kill -s KILL -- "-$!" 2>/dev/null # who catches signals, and has no end
  [ $status = 0 ] || return 1
}

# passes TEST: whether it does without a bug: else it would find everything. Sets limit. One process
# tries it, in a tree that is kept for that; the others wait.
passes() {
  clean=$work/clean/$(echo "$1" | tr '/*' __)$TEST_ALL
  ! grep -q -s '{LABS:' "$1" || clean=$clean.${LABS-}
  if mkdir "$clean" 2>/dev/null; then
    spend
    started=$(date +%s) begun=$((begun - spent)) # what is spent here is not the bug's
    (cd "$work/unchanged" && run 600 "$1")
    echo "$? $(($(date +%s) - started))" >"$clean/new"
    grep -q '^0' "$clean/new" || echo "$1" >>"$work/failing"
    mv "$clean/new" "$clean/done"
    spend
    begun=$((begun + spent))
  fi
  until [ -e "$clean/done" ]; do sleep 0.2; done
  read -r status seconds <"$clean/done"
  limit=$((5 * seconds + 10))
  return "$status"
}

# found: whether a test finds the bug that is planted, and in `by` which; status 2 if it is not built.
found() {
  by="by $tests"
  [ -z "${FULL:-}" ] || tests="$tests $B/tests/test_*[a-z] $(find ./*/*.t ! -name mutants.t)"
  usual=$TEST_ALL
  set -f # a pattern of names is one test
  for test in $tests; do
    set +f
    TEST_ALL=$usual
    # An access out of bounds may leave the result right; and some tests make test-all alone runs.
    if [ "$test" = tests/checked.t ] || [ "$test" = course/grade.t ] || grep -q -s '^thorough_only$' "$test"; then
      TEST_ALL=1
    fi
    passes "$test" || continue
    run "$limit" "$test"
    case $? in
    0) ;;
    1) by="$test: $(grep -m 1 -o 'not ok.*\|it ended.*' "$log" || echo "not within $limit s")" && return ;;
    *) by="$test: $(grep -m 1 . "$log")"; return 2 ;;
    esac
  done
  return 1
}

# objects: those that the file is a part of; the race checker is one of its own build alone.
objects() {
  case $file in *racecheck.cpp) set -- build/cpu-race ;; *) set -- "$B" ;; esac
  find "$@" -name '*.d' ! -path '*/tests/*' -exec grep -lE "[ /]$file( |\.cpp|\$)" {} + |
    sed 's/d$/o/'
}

# unusable: prints why the bug that was drawn is none; fails if it is one.
unusable() {
  cmp -s "$work/tree/$file" "$file" && echo 'no change' && return
  case $file in
  *.sh) ! sh -n "$file" 2>/dev/null && echo 'not compiled' && return ;;
  *.c | *.cu | *.cuh | *.h | *.cpp) ;;
  *) return 1 ;;
  esac
  first=''
  for object in $(objects); do
    case $object in build/cpu-race/*) check=race ;; *) check= ;; esac
    compile CHECK=$check "$object" || { echo 'not compiled' && return; }
    strip -g -o "$log.old" "$work/tree/$object"
    strip -g -o "$log.new" "$object"
    cmp -s "$log.old" "$log.new" || return 1
    : "${first:=$object}"
  done
  sed -i "${name##*:}s/.*/#error/" "$file"
  if [ -z "$first" ] || compile CHECK="$check" "$first"; then
    echo 'not built here'
  else
    echo 'the same object code'
  fi
}

# spend: sets spent to the seconds of a core that builds and tests have taken. (Not in $(): a subshell
# has children of its own.)
spend() {
  times >"$taken/times"
  spent=$(awk -F '[ms ]' 'NR == 2 { printf "%d", 60 * ($1 + $4) + $2 + $5 }' "$taken/times")
}

# verdict WORD WHY: of the bug that is planted.
verdict() {
  spend
  printf '%-10s %-45s %3d s %s\n%s' "$1" "$name" $((spent - begun)) "$2" "$changes"
  echo "$1" >>"$work/verdicts"
}

# judge: plants the bug and says who finds it; fails if another is to be drawn.
judge() {
  spend
  begun=$spent
  sed -E -i "$script" "$file"
  changes=''
  if [ -n "$DRAWN" ]; then
    line="${name##*:}s/^[ $tab]*//p" # without its indentation
    old=$(sed -n "$line" "$work/tree/$file") new=$(sed -n "$line" "$file")
    changes="  - $old$nl  + $new$nl"
    why=$(grep -F "$file$tab$old$tab$new$tab" tests/mutants/equivalent.tsv | sed "s/.*$tab//")
    ! unusable >>"$work/again" || return 1
  fi
  if cmp -s "$work/tree/$file" "$file"; then
    verdict stale "the script changes nothing in $file"
    return
  fi
  found
  case $?$DRAWN$why in
  0 | 01 | 21) verdict found "$by" ;;
  0*) verdict visible "though equivalent: $by" ;;
  1 | 11) verdict missed "by $tests" ;;
  1*) verdict equivalent "$why" ;;
  *) verdict broken "$by" ;;
  esac
}

# one: takes a copy that is free and judges the next bug in it.
one() {
  for copy in "$work"/copy*; do
    taken=$work/taken/${copy##*/}
    ! mkdir "$taken" 2>/dev/null || break
  done
  cd "$copy" || exit
  log=$taken/log
  bugs=$(wc -l <"$work/list") i=0
  while [ $((i = i + 1)) -le "$bugs" ]; do
    mkdir "$work/begun/$i" 2>/dev/null || continue
    IFS=$tab read -r name file script tests why <<END
$(sed -n "${i}p" "$work/list")
END
    case $file in lab*_*/*) export LABS="${file%%/*}" ;; *) unset LABS ;; esac # tests heed it
    TEST_ALL=1
    case $DRAWN${FULL:-}$file in
    1*racecheck.cpp) ;; # `make test` does not build it
    1*.c | 1*.cu | 1*.cuh | 1*.h | 1*.cpp) TEST_ALL=0 ;;
    esac
    export TEST_ALL
    if judge; then i=$bugs; fi
    find . -newer "$work/stamp" ! -type d | while read -r path; do
      cp -p "$work/tree/$path" "$path" 2>/dev/null || rm -f "$path"
    done
  done
  rm -r "$taken"
}

if [ "${1-}" = --one ]; then
  one
  exit 0
fi

work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
DRAWN='' jobs=${TEST_JOBS:-$(nproc)}
: "${N:=40}" "${SEED:=$(git rev-parse HEAD)}"
export work DRAWN B MAKE
if [ $# -gt 0 ]; then
  grep -hv '^#' "$@" >"$work/list"
  N=$(wc -l <"$work/list")
else
  DRAWN=1
  # shellcheck disable=SC2086  # several
  git ls-files -- ${FILES:-} | awk -v seed="$SEED" -v count=$((4 * N + 20)) -f tests/mutants/draw.awk \
    tests/mutants/rules.tsv tests/mutants/tests.tsv - >"$work/list"
fi
[ "$jobs" -le "$N" ] || jobs=$N
# Builds for checks are large, and seldom asked for. All is built before there are copies: no two
# processes build in one tree.
builds=$B
log=$work/log
if grep -q -e checked.t -e racecheck.cpp "$work/list"; then
  "$MAKE" -s checked-programs >"$log" 2>&1 || { cat "$log" && exit 1; }
  builds=$(ls -d build/cpu*)
fi
mkdir "$work/tree" "$work/clean" "$work/begun" "$work/taken"
# shellcheck disable=SC2046,SC2086  # names without blanks
asked=$(goals $(cut -f 4 "$work/list"))
# Of the build the programs that are asked for, which may not be there yet.
# shellcheck disable=SC2086
{ git ls-files && echo data/images && find $builds -type f ! -path "$B/*" -o -type f ! -perm -100 ! -path '*/peoples/*' &&
  find $asked -type f 2>/dev/null; } | tar -cf - -T - | tar -xf - -C "$work/tree"
# Some tests ask git for what is the project's.
# shellcheck disable=SC2086
(cd "$work/tree" && git init -q && git add -A && compile $asked) || { cat "$log" && exit 1; }
for copy in unchanged $(seq -f copy%g "$jobs"); do cp -a "$work/tree" "$work/$copy"; done
touch "$work/stamp" "$work/again" "$work/verdicts" "$work/failing"
(cd "$work/tree" && seq "$N" | xargs -n 1 -P "$jobs" sh tests/mutants.sh --one)

# counts FILE: how often each of its lines is there.
counts() {
  sort "$1" | uniq -c | awk '{ $1 = comma $1; printf "%s", $0; comma = ", " }'
}
sed 's/$/ fails without a bug, so it finds none/' "$work/failing" >&2
if [ -n "$DRAWN" ]; then
  echo "$(counts "$work/verdicts") of $N drawn from SEED=$SEED; drawn again: $(counts "$work/again")"
else
  counts "$work/verdicts" && echo
  ! grep -qx missed "$work/verdicts" || exit
fi
! grep -qx -e stale -e broken -e visible "$work/verdicts" && [ ! -s "$work/failing" ]
