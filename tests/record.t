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
record unknown test
like 'nor without a commit' "$status $(cat "$folder/said")" '^2 .* git does not tell here; COMMIT=NAME does'

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

# What CI says of the GPU's code, by the records of several cards.
# passed_on CARD SUM DATE FAILED
passed_on() {
  mkdir -p "$folder/cards/$1"
  printf '{\n"tests": {"gpu_code": "%s", "commit": "HEAD", "date": "%s", "all": true, "passed": 7, "failed": %d}\n}\n' \
    "$2" "$3" "$4" >"$folder/cards/$1/run.json"
}
code() {
  sh tests/gpu_code.sh "$folder"/cards/*/run.json
}
sum=$(sh tests/gpu_code.sh)
passed_on a none 2026-01-03 0
like 'the code of another sum has changed' "$(code)" '^gpu-code: changed since the tests passed on a at HEAD'
passed_on b none 2026-01-02 1
like 'the latest record tells' "$(code)" 'passed on a'
passed_on c "$sum" 2026-01-01 0
is 'or that of the same code' "$(code)" 'gpu-code: unchanged since this passed: make test-all on c (7, 2026-01-01)'
passed_on d "$sum" 2026-01-01 0
like 'and all of it' "$(code)" ' c .* d [(]7, '
rm -r "$folder/cards/c" "$folder/cards/d"
passed_on e none 2026-01-04 2
is 'failures are told' "$(code)" 'gpu-code: the recorded run of the tests on e had 2 failures'

# What went is no file that a pattern finds.
root=$PWD
mkdir -p "$folder/tree/lab1_x" && cd "$folder/tree" && touch config.mk lab1_x/kept.cuh lab1_x/gone.cuh
git init -q . && git add . && git -c user.name=t -c user.email=t@t commit -q -m all
git rm -q lab1_x/gone.cuh
sed 's/"gpu_code": "[^"]*"/"gpu_code": "none"/; s/"failed": [0-9]*/"failed": 0/' "$folder/cards/e/run.json" >run.json
is 'a file that went is named' "$(sh "$root/tests/gpu_code.sh" run.json 2>/dev/null)" \
  'gpu-code: changed since the tests passed on . at HEAD: lab1_x/gone.cuh '
cd "$root" || exit
rm -r "$folder/cards"
like 'none is recorded' "$(code 2>/dev/null)" 'no run of the tests on a GPU'
# What a test counts: one that says less than it planned has failed, and so has one of nothing.
counted() {
  printf '%s\n' "$@" | awk -v test=t -v status=0 -v started=0 -v ended=1 -v csv="$folder/counted.csv" \
    -f tests/run.awk | head -n 1 | tr -s ' '
}
is 'one of two' "$(counted 'ok 1 - a' 1..2)" 't 1 FAILED, 1 passed 1.0 s'
is 'nothing' "$(counted 1..0)" 't 1 FAILED, 0 passed 1.0 s'
is 'nothing, with its reason' "$(counted '1..0 # SKIP no GPU')" 't 0 passed, 1 skipped 1.0 s'
is 'a check, and one that is skipped' "$(counted 'ok 1 - a' 'ok 2 - b # SKIP no GPU' 1..2)" \
  't 1 passed, 1 skipped 1.0 s'

done_testing
