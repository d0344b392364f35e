#!/bin/sh
# random.t - random.sh: some draws, which all are as they must be; and what a program does wrong on
# purpose is found. `make test-random` draws more.
# shellcheck disable=SC2016  # commands for another shell
. tests/tap.sh
thorough_only

cat >"$folder/about" <<'END'
program p image 2 100
variant cpu
option --hot warm | p: --hot takes no value
option --help this | p: --help takes no value
option --radius far | p: --radius: '?' is not a whole number from 0 to 9007199254740992
option --sigma wide | p: --sigma: '?' is not a number from 0.1 to 1e+06
option --type what | p: --type: '?' is none of gray, rgb24
END
is 'any awk draws the same' \
  "$(awk -v n=500 -v seed=1 -f tests/random/draw.awk "$folder/about" | cksum)" '2721829309 60652'

# shellcheck disable=SC2046  # names without blanks
exits 'draws of all labs' 0 env N=24 SEED=3 sh tests/random.sh \
  $(for lab in lab*_*/; do lab=${lab%/} && echo "$B/${lab##*_}"; done)
like 'a summary' "$(cat "$folder/out")" '^24 configurations \(SEED=3\): [1-9][0-9]* ran .*, 0 bad$'

# bad PATTERN COMMAND [N [LIMIT]]: a vecadd that runs the command behind vecadd, whose $csv and
# $status it has.
bad() {
  cat >"$folder/vecadd" <<END
#!/bin/sh
"$B/vecadd" "\$@"
status=\$?
case \$1 in --csv=*) csv=\${1#--csv=} ;; *) exit \$status ;; esac
$2
exit \$status
END
  chmod +x "$folder/vecadd"
  exits "found: $2" 1 env N="${3:-8}" LIMIT="${4:-60}" sh tests/random.sh "$folder/vecadd"
  like "as $1, with its command" "$(cat "$folder/out")" \
    "^bad .*$1.*: +$folder/vecadd --csv.*--sizes"
}
bad 'status 1' 'status=1'
bad 'wrong: ' 'sed -i "s/,ok,/,wrong,/" "$csv"'
bad 'tolerance is nan' 'sed -i "s/[^,]*,ok,/nan,ok,/" "$csv"'
bad ' rows, not ' 'sed -i "\$d" "$csv"'
bad 'skipped: ' 'sed -i "s/,ok,,/,skipped,,/" "$csv"'
bad 'no end' 'exec sleep 9' 1 1
bad 'status 139' 'kill -SEGV $$'
bad 'runtime error' 'echo "runtime error" >&2'
bad 'illegal is taken' 'status=0' 24
bad '2 lines on stderr' '[ $status -eq 0 ] || echo >&2' 24
done_testing
