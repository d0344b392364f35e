#!/bin/sh
# resources.sh - compiles labs for one architecture and writes what each kernel takes, as CSV.
# usage: tools/resources.sh ARCHITECTURE LABS COMMAND...
#
# LABS are folders, "lab1_vecadd lab2_matprod"; COMMAND nvcc with its options, without those for the
# architecture. The CSV (see resources.awk) goes to standard output once all labs are compiled; else
# what nvcc complained of goes to standard error and the exit status is 1. Needs nvcc, awk, and of
# binutils c++filt and size; no GPU.
set -u
LC_ALL=C
export LC_ALL
here=$(dirname -- "$0")
architecture=$1
labs=$2
shift 2

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

echo lab,kernel,architecture,registers,shared_bytes,constant_bytes,local_bytes,spill_stores_bytes,\
spill_loads_bytes,symbol >"$folder/csv"
for lab in $labs; do
  ("$@" -arch="$architecture" -Xptxas -v -cubin "$lab/${lab##*_}.cu" -o "$folder/$lab.cubin" \
    >"$folder/$lab.log" 2>&1 || : >"$folder/$lab.failed") &
done
wait
for lab in $labs; do
  if [ -e "$folder/$lab.failed" ]; then
    cat "$folder/$lab.log" >&2
    exit 1
  fi
  size -A -d "$folder/$lab.cubin" | cat - "$folder/$lab.log" | awk -v lab="$lab" \
    -v architecture="$architecture" -f "$here/resources.awk" >>"$folder/csv" || exit 1
done
cat "$folder/csv"
