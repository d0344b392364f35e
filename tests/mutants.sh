#!/bin/sh
# mutants.sh - plants bugs, one at a time, in a copy of the tree, and runs the tests that should
# find them: `make test-mutants`. Lists are mutants.tsv here and in each lab's folder, or those that
# are named: name, file, a script for sed -E, the tests, separated by tabs. A bug is found if a test
# fails or the build does. Exit status 1 if one was missed, or no longer changes its file.
# shellcheck shell=sh
set -u
copy=$(mktemp -d) || exit
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' INT
[ $# -gt 0 ] || set -- tests/mutants.tsv lab*_*/mutants.tsv
git ls-files | tar -cf - -T - data/images "$B" | tar -xf - -C "$copy" || exit
cat "$@" | grep -v '^#' >"$copy/list"
cd "$copy" || exit
tab=$(printf '\t')
found=0 missed=0

# A test that fails by itself would find everything.
all=$(cut -f 4 list | tr ' ' '\n' | sort -u | tr '\n' ' ')
"$MAKE" test BACKEND=cpu TESTS="$all" >log 2>&1 </dev/null || { cat log && exit 1; }

# verdict NAME: the word, and what found it.
verdict() {
  printf '%-7s %-40s %s\n' "$2" "$1" "$3"
  if [ "$2" = found ]; then found=$((found + 1)); else missed=$((missed + 1)); fi
}

while IFS=$tab read -r name file script tests; do
  cp "$file" original
  sed -E -i "$script" "$file"
  if cmp -s original "$file"; then
    verdict "$name" stale "the script changes nothing in $file"
  elif "$MAKE" test BACKEND=cpu TESTS="$tests" >log 2>&1 </dev/null; then
    verdict "$name" missed "by $tests"
  else
    verdict "$name" found "$(grep -m 1 -E '^not ok|error:|Error ' log)"
  fi
  cp original "$file"
done <list
echo "$((found + missed)) bugs planted, $found found, $missed not"
[ "$missed" -eq 0 ]
