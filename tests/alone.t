#!/bin/sh
# alone.t - who includes whom. Every header compiles by itself: who opens one need not know what another
# includes before it. (Every .cu file does, or it would not be built.) In `make test-all`, in a GPU's
# build with nvcc, too. The rooms of common/ include downwards alone.
. tests/tap.sh
PATH=$PATH:/usr/local/cuda/bin
warnings='-Wall -Wextra -Werror -Wno-unused-function -Wno-missing-field-initializers -Wno-unknown-pragmas'
jobs=$(nproc)

headers=$(find common lab*_* -name '*.h' -o -name '*.cuh' | sort)

# compile FILE: what is wrong with it by itself, in its .log.
cat >"$folder/compile" <<END
file=\$1 name=$folder/\$(echo "\$1" | tr / _)
case \$file in
common/*.h) # C; the rest is C++
  echo "#include \"\${file#*/}\"" >"\$name.c"
  gcc -std=c11 -fsyntax-only $warnings -Icommon -Icuda_on_cpu -iquote "\${file%/*}" "\$name.c" ;;
*)
  echo "#include \"\${file##*/}\"" >"\$name.cpp"
  g++ -std=c++20 -fsyntax-only -fopenmp $warnings -Wno-sign-compare -Icommon -Icuda_on_cpu \
    -iquote "\${file%/*}" -include $folder/once.h "\$name.cpp" ;;
esac >"\$name.log" 2>&1
END
# Compiles a file by nvcc, by its first half.
cat >"$folder/compile_cuda" <<END
file=\$1 name=$folder/\$(echo "\$1" | tr / _).cuda
echo "#include \"\${file##*/}\"" >"\$name.cu"
nvcc -std=c++20 -Icommon -arch=sm_90a -allow-unsupported-compiler -ptx -Xcicc -O0 -o "\$name.ptx" \
  -Xcompiler -iquote,"\${file%/*}" "\$name.cu" >"\$name.log" 2>&1
END

# alone NAME BY FILE...: each compiled by itself.
alone() {
  name=$1 by=$2
  shift 2
  printf '%s\n' "$@" | xargs -P "$jobs" -n 1 sh "$folder/$by"
  is "$name: $#" "$(head -n 5 "$folder"/*.log | grep -A 5 -e error -e warning)" ''
  rm -f "$folder"/*.log
}

# A spine copies the summits' variants into its table when the program starts: they are there then
# only if no code has to run before.
constructed() {
  for source in lab*_*/*.cu; do
    lab=${source%/*} object=$B/${source%.cu}.o
    [ "${source##*/}" = "${lab#*_}.cu" ] || ! nm "$object" | grep -q '_GLOBAL__sub_I' || echo "$object"
  done
}
is 'no summit has a variant that code must make first' "$(constructed)" ''
# common/README.md draws the rooms from the top down: a file includes none of a room above its own.
sed -n 's/^    \([a-z_.][a-z_]*\) .*/\1/p' common/README.md >"$folder/rooms"
arrows_back() {
  find common -type f ! -name '*.md' -exec grep -n '^#include "' {} + | awk -F '[:"]' '
    function room(path) { return sub("/[^/]*$", "", path) ? path : "." }
    NR == FNR { at[$0] = NR; next }
    { from = room(substr($1, 8)); to = room($4)
      if (to == "." && !system("test -f common/" from "/" $4)) to = from
      if (!(from in at) || !(to in at) || at[to] < at[from]) print $1 ": " $4 }' "$folder/rooms" -
}
is 'common: no arrow back' "$(arrows_back)" ''
is 'each room is drawn' "$(sort "$folder/rooms")" \
  "$({ echo . && find common -mindepth 1 -type d | sed 's#common/##'; } | sort)"
if ! thorough; then
  done_testing
  exit
fi
# shellcheck disable=SC2086  # options, names without blanks; what all include is compiled once
g++ -std=c++20 -fopenmp $warnings -Icommon -Icuda_on_cpu -x c++-header cuda_on_cpu/cuda_runtime.h \
  -o "$folder/once.h.gch"
# shellcheck disable=SC2086
alone 'with g++ or gcc' compile $headers
# shellcheck disable=SC2046
[ "$BACKEND" != cuda ] || alone "with nvcc" compile_cuda $(echo "$headers" | grep -v '^common/.*\.h$')
done_testing
