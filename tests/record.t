#!/bin/sh
# record.t - tools/record.sh with a make that only notes what it was asked for: what a recording does
# anew, what it goes on with, and what it keeps.
. tests/tap.sh

mine=$folder/results/card
mkdir -p "$mine" "$mine-x2" "$folder/bin"
# The goal that stands in $FAIL ends with the status beside it.
cat >"$folder/bin/make" <<'END'
#!/bin/sh
echo "$*" >>"$ASKED"
case $1 in run-*) echo "rows of $*" >"$MINE/${1#run-}.csv"; echo {} >"$MINE/run.json" ;;
accuracy) echo errors >"$MINE/accuracy_1.csv" ;; esac
[ "$1" != "${FAIL% *}" ] || exit "${FAIL#* }"
END
chmod +x "$folder/bin/make"

# record COMMIT PART...: its status in $status, what make was asked for in $asked
record() {
  commit=$1
  shift
  : >"$folder/asked"
  status=0
  MAKE="$folder/bin/make" ASKED="$folder/asked" MINE="$mine" FAIL="${FAIL:-none 0}" MAKEFLAGS='' \
    sh "$root/tools/record.sh" "$commit" "$mine" "$folder/kept/card" "$@" >"$folder/said" 2>&1 ||
    status=$?
  asked=$(tr '\n' ';' <"$folder/asked")
}

record 1234-dirty test
is 'changes that are in no commit: not recorded' "$status $asked" '2 '
like 'with the reason' "$(cat "$folder/said")" 'here are changes that are in none'

touch -d '1 hour ago' "$mine-x2/run.json"
FAIL='test-all 2' record 1234 test-all 'run-lab1 FULL=1'
is 'tests that fail: no row is measured' "$status $asked" '1 test-all;'
FAIL='run-lab2 130' record 1234 test-all 'run-lab1 FULL=1' 'run-lab2 FULL=1' 'run-gpus GPUS="1 2"'
is 'a recording begins anew' "$status $asked" \
  '130 test-all;run-lab1 FULL=1 FRESH=1;run-lab2 FULL=1 FRESH=1;'
ok 'one that was interrupted keeps nothing' not test -e "$folder/kept"
record 1234 test-all 'run-lab1 FULL=1' 'run-lab2 FULL=1' accuracy 'run-gpus GPUS="1 2"'
is 'but goes on where it stopped' "$status $asked" \
  '0 run-lab2 FULL=1 RESUME=1;accuracy FRESH=1;run-gpus GPUS=1 2 FRESH=1;'
is 'and is kept, without what several GPUs gave before' "$(cd "$folder/kept" && find . -type f | sort | tr '\n' ' ')" \
  './card/accuracy_1.csv ./card/lab1.csv ./card/lab2.csv ./card/run.json '
record 5678 test-all 'run-lab1 FULL=1'
is 'another commit begins anew' "$status $asked" '0 test-all;run-lab1 FULL=1 FRESH=1;'
record 5678 test-all 'run-lab1 FULL=1'
is 'what is done is done' "$status $asked" '0 '
done_testing
