#!/bin/sh
# exercises.sh - a handout's tests/exercises.t: each exercise's kernel against the lab's own check, at its sizes
# and blocks. What is still the skeleton is skipped.
. tests/tap.sh

# wrong_rows: what the lab says of them.
wrong_rows() {
  column size block status note "$folder/rows.csv" 2>/dev/null | sed -n '/,ok,/!p' | head -n 4
  tail -n 2 "$folder/said"
}

tab=$(printf '\t')
while IFS=$tab read -r exercise lab variant file blocks sizes _ options; do
  awk -v exercise="$exercise" -f course/part.awk "$lab/$file" >"$folder/part"
  tap_report $? "$exercise: its markers" "$lab/$file lacks the lines [exercise $exercise] and [end $exercise]"
  if cmp -s "$folder/part" "exercises/skeleton_$exercise.cu"; then
    skip "$exercise $variant" "not written yet: $lab/$file, between the markers"
  else
    rm -f "$folder/rows.csv"
    # shellcheck disable=SC2086  # words
    "$B/${lab#*_}" $options --check-only --variants "$variant" --sizes "$sizes" --blocks "$blocks" \
      --csv "$folder/rows.csv" >"$folder/said" 2>&1 </dev/null
    status=$?
    column status "$folder/rows.csv" 2>/dev/null | grep -qx ok || status=1
    tap_report "$status" "$exercise $variant" "$(wrong_rows)"
  fi
done <exercises/list.tsv
done_testing
