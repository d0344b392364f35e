#!/bin/sh
# verify.sh - `make verify-rows`: which rows are not as a program with the teacher's key wrote them?
#
#   SEAL_KEY=... sh course/verify.sh build/cpu/verify_rows ROWS.csv...
#
# Where a file's folder holds sources, as what `make pack` packs does, rows must come from these. A row
# that two files hold was copied. Exit status: 0; 1 where there is such a row; 2 without rows or key.
set -u
program=$1
shift
case $# in 0) echo 'verify.sh: which? ROWS="ada/rows.csv ben/rows.csv"' >&2 && exit 2 ;; esac
[ -n "${SEAL_KEY:-}" ] || { echo 'verify.sh: needs the key of the handout: KEY=... or KEYFILE=...' >&2 && exit 2; }
for rows; do
  set -- "$@" "$rows" "$(sh tools/source_sum.sh "$(dirname "$rows")")"
  shift
done
exec "$program" "$@"
