#!/bin/sh
# resources.sh - compiles labs for one architecture and writes what each kernel takes, as CSV.
# usage: tools/resources.sh ARCHITECTURE LAB... -- COMMAND...
#
# LAB is a folder, lab2_matprod; COMMAND nvcc with its options, without those for the architecture.
# The CSV (see resources.awk) goes to standard output once all labs are compiled; else what nvcc
# complained of goes to standard error and the exit status is 1. Needs nvcc, awk, and of binutils
# c++filt and readelf; no GPU.
set -u
LC_ALL=C
export LC_ALL
here=$(dirname -- "$0")
architecture=$1
shift
labs=
while [ "$1" != -- ]; do
  labs="$labs $1"
  shift
done
shift

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

header=1
for lab in $labs; do
  source=$lab/${lab##*_}.cu
  if ! "$@" -arch="$architecture" -Xptxas -v -cubin "$source" -o "$folder/cubin" \
    >"$folder/log" 2>&1; then
    cat "$folder/log" >&2
    exit 1
  fi
  # A `%` for its first underscore keeps c++filt from demangling the symbol.
  {
    readelf -SW "$folder/cubin" 2>/dev/null
    awk -F "'" '/Compiling entry function/ { print "symbol =" $2 } { print }' "$folder/log" |
      sed 's/^symbol =_/symbol =%/' | c++filt | sed 's/^symbol =%/symbol =_/'
  } | awk -v lab="$lab" -v architecture="$architecture" -v header=$header \
    -f "$here/resources.awk" >>"$folder/csv" || exit 1
  header=
done
cat "$folder/csv"
