#!/bin/sh
# newest_source.sh - when a lab's sources last changed, as the rows' dates are written: a row of before is of
# others. usage: tools/newest_source.sh LAB_FOLDER
for file in "$1"/*.cu "$1"/*.cuh "$1"/*.h; do
  date -u -r "$file" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null
done | sort | tail -n 1
