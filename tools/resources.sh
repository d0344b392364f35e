#!/bin/sh
# resources.sh - compiles a lab for one architecture and writes what each kernel takes, as CSV.
# usage: tools/resources.sh ARCHITECTURE LAB COMMAND...
#
# LAB is its folder; COMMAND nvcc with its options, without that for the architecture. A source that
# build/cuda holds for the architecture, with what ptxas said, is not compiled again. The CSV (see
# resources.awk) goes to standard output if the lab is compiled; else what nvcc complained of goes to
# standard error and the exit status is 1. Needs nvcc, awk, and of binutils c++filt and size; no GPU.
set -u
here=$(dirname -- "$0")
architecture=$1
lab=$2
shift 2

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

echo lab,kernel,architecture,registers,shared_bytes,constant_bytes,local_bytes,spill_stores_bytes,\
spill_loads_bytes,symbol
for source in "$lab"/*.cu; do
  log=build/cuda/${source%.cu}.ptxas
  cubin=${log%.ptxas}.cubin
  if ! [ -f "$cubin" ] || grep 'Compiling entry' "$log" | grep -qv "for '$architecture'" ||
    [ -n "$(find common "$lab" -newer "$log")" ]; then
    log=$folder/log cubin=$folder/cubin
    "$@" -arch="$architecture" -Xptxas -v -cubin "$source" -o "$cubin" >"$log" 2>&1 ||
      { cat "$log" >&2; exit 1; }
  fi
  size -A -d "$cubin" | cat - "$log" | awk -v lab="$lab" \
    -v architecture="$architecture" -f "$here/resources.awk"
done
