#!/bin/sh
# host_calls.sh - refuses an object whose device code calls the host's functions or uses its variables.
#
# usage: sh host_calls.sh CALLS COMPILER [OPTION...] SOURCE
#
# CALLS is what g++ -fdump-ipa-visibility=CALLS wrote when it compiled the source; it is removed. Only where
# something is wrong the source is compiled once more, for the places. Exit status 1: it is refused.
calls=$1
here=$(dirname "$0")
shift
trap 'rm -f "$calls" "$calls.lines"' EXIT
[ ! -f "$calls" ] || awk -f "$here/host_calls.awk" "$calls" ||
  { "$@" -w -O0 -S -o /dev/null -fdump-tree-gimple-lineno="$calls.lines" &&
    awk -f "$here/host_calls.awk" "$calls" "$calls.lines"; }
