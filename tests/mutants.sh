#!/bin/sh
# mutants.sh - plants bugs, one at a time, in a copy of the tree, and runs the tests that should
# find them: `make test-mutants`. Lists are mutants.tsv here and in other rooms, or those that
# are named: name, file, a script for sed -E, the cheapest tests that find it and, of a change that
# nobody can see from outside, why not, separated by tabs. A bug is found if a test fails, or does
# not end within LIMIT seconds. What changes nothing in its file, what does not build, and what is
# found though it cannot be, are errors of the list. Exit status 1 if a bug was missed, or one such.
# shellcheck shell=sh
set -u
: "${LIMIT:=300}"
copy=$(mktemp -d) || exit
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' HUP INT TERM
[ $# -gt 0 ] || set -- */mutants.tsv
git ls-files | tar -cf - -T - data/images "$B" | tar -xf - -C "$copy" || exit
grep -hv '^#' "$@" >"$copy/list"
cd "$copy" || exit
tab=$(printf '\t')
export BACKEND=cpu

# goals TEST...: what make must build for them.
goals() {
  for test; do
    case $test in
    "$B"/*) echo "$test" ;;
    *lab_checks.t) printf '%s\n' all images lab*_*/*.cu | sed "s|.*/\(.*\).cu|$B/tests/check_\1|" ;;
    *) echo all images ;;
    esac
  done | sort -u
}

# try TESTS: builds and runs them; status 2 if they cannot be built.
# shellcheck disable=SC2046,SC2086  # names without blanks
try() {
  timeout -k 5 "$LIMIT" "$MAKE" -s BACKEND=cpu $(goals $1) || return 2
  timeout -k 5 "$LIMIT" env B="$B" MAKE="$MAKE" sh tests/run.sh $1 || return 1
} >log 2>&1 </dev/null

# A test that fails by itself would find everything.
try "$(cut -f 4 list | tr ' ' '\n' | sort -u)" || { cat log && exit 1; }

# verdict WORD WHY: of the bug that is planted.
verdict() {
  printf '%-10s %-45s %s\n' "$1" "$name" "$2"
  echo "$1" >>verdicts
}

while IFS=$tab read -r name file script tests why; do
  cp "$file" original
  sed -E -i "$script" "$file"
  if cmp -s original "$file"; then
    verdict stale "the script changes nothing in $file"
  else
    case $file in lab*_*/*) export LABS="${file%%/*}" ;; *) unset LABS ;; esac # lab_checks.t heeds it
    try "$tests"
    case $?$why in
    0) verdict missed "by $tests" ;;
    0*) verdict equivalent "$why" ;;
    1) verdict found "$(grep -m 1 '^not ok' log || echo "it does not end within $LIMIT s")" ;;
    1*) verdict visible "though equivalent: $(grep -m 1 '^not ok' log)" ;;
    *) verdict broken "$(grep -m 1 'error' log)" ;;
    esac
  fi
  cp original "$file"
done <list
sort verdicts | uniq -c | awk '{ printf "%s%d %s", comma, $1, $2; comma = ", " } END { print "" }'
! grep -qvx -e found -e equivalent verdicts
