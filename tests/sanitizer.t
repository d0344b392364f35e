#!/bin/sh
# sanitizer.t - make test-sanitizer, around the CPU build's programs: a script stands for
# compute-sanitizer, runs the program and writes what the tool writes.
. tests/tap.sh

cat >"$folder/sanitizer" <<'END_OF_TOOL'
#!/bin/sh
echo "$* EXACT_BUFFERS=$EXACT_BUFFERS" >>"$FAKE/calls"
tool='' log=''
while [ "${1#--}" != "$1" ]; do
  case $1 in
    --tool) tool=$2 ;;
    --log-file) log=$2 ;;
  esac
  shift 2
done
echo '========= COMPUTE-SANITIZER' >"$log"
[ -z "${DIES:-}" ] || exit "$DIES"
[ -z "${LEAVES_OUT:-}" ] || set -- "$@" --blocks 33 --variants naive,grid_stride,cub,memcpy
"$@" || exit
if [ "${ACCUSES:-}" = "$tool" ]; then
  cat >>"$log" <<'END_OF_LOG'
========= Invalid __global__ write of size 4 bytes
=========     at naive(const float *, int)+0x90 in vecadd.cu:90
=========
========= ERROR SUMMARY: 1 error
END_OF_LOG
  exit 99
fi
[ -n "${SILENT:-}" ] || case $tool in
  racecheck) echo '========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)' ;;
  *) echo '========= ERROR SUMMARY: 0 errors' ;;
esac >>"$log"
END_OF_TOOL
chmod +x "$folder/sanitizer"
export FAKE="$folder" SANITIZER="$folder/sanitizer"

sanitize() {
  sh tests/sanitizer.sh "$@" >"$folder/out"
}

ok 'two labs without an error' sanitize lab1_vecadd lab2_matprod
said=$(cat "$folder/out")
is 'a run has a lab and a tool' "$(sed 's/.*--tool \([a-z]*\) .*\/\([a-z]*\) --sizes.*/\2 \1/' \
  "$folder/calls" | tr '\n' ',')" "$(for lab in vecadd matprod; do
    printf "$lab %s," memcheck racecheck initcheck synccheck
  done)"
like 'memcheck looks for leaks' "$(cat "$folder/calls")" '--tool memcheck --leak-check full .*=1$'
is 'and at libraries, alone' "$(grep cublas "$folder/calls" | grep -o -e '--tool [a-z]*')" \
  '--tool memcheck'
like 'no block divides the sizes' "$(cat "$folder/calls")" '--sizes 1,37x33x35,131x67x579 --blocks 8,16,7x5'
rows=75
[ "$BACKEND" = cpu ] || rows='[1-9][0-9]+' # of tensor cores, too
kernels=$({ "$B/vecadd" --list && "$B/matprod" --list; } | awk '$2 == "gpu"' | wc -l)
like 'what ran is counted' "$said" "^racecheck +$kernels variants, +$rows rows: 0"
like 'in so many runs' "$said" '^test-sanitizer: 8 runs, 0 errors'

# found NAME PATTERN VARIABLE=VALUE: exit status 1, a line on stderr, and nothing is left.
found() {
  env "$3" sh tests/sanitizer.sh lab1_vecadd >"$folder/out" 2>"$folder/err"
  is "$1: exit status 1" "$? $(find "$B" -name 'sanitizer.*' -type d)" '1 '
  like "$1: it says so" "$(cat "$folder/err")" "$2"
}
found 'an error' '^Invalid __global__ write of size 4 bytes' ACCUSES=initcheck
like 'and what repeats it' "$(cat "$folder/err")" \
  "^test-sanitizer: initcheck of lab1_vecadd, status 99; again: .*EXACT_BUFFERS=1 .* --tool init\
check .*$B/vecadd --sizes 1,33,1013 .* --variants naive,"
found 'a tool that sums up nothing' 'memcheck of lab1_vecadd, status 0' SILENT=1
found 'no tool' '^test-sanitizer: there is no /no/tool: .*SANITIZER=PATH' SANITIZER=/no/tool
found 'a program that dies' 'memcheck of lab1_vecadd, status 2; again' DIES=2
found 'a variant that no block suits' 'of lab1_vecadd never ran vector4; again' LEAVES_OUT=1
like 'without a GPU' "$("$MAKE" -s test-sanitizer BACKEND=cpu 2>&1)" \
  '^test-sanitizer: this build runs the kernels on the CPU'
done_testing
