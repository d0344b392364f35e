#!/bin/sh
# grade_one.sh - one student's part of an exercise: taken out, refused or built, run and marked.
#
#   sh course/grade_one.sh SUBMISSION      (grade.sh sets the rest in the environment)
#
# What it makes goes to $state/STUDENT: part.cu, the runners, rows, what they said, row, feedback.md.
# shellcheck disable=SC2154,SC2034,SC2016
set -u
root=$(unset CDPATH && cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
cd "$root" || exit 1
SECONDS=$LAUNCH_SECONDS OUTPUT_MIB=1
# shellcheck source=tools/says.sh
. tools/says.sh

submission=$1
handed_in=${1##*/} sum=''
student=$(printf %s "$handed_in" | tr -c 'A-Za-z0-9._-' _)
# Names that differ in what is replaced alone are told apart by a sum.
[ "$student" = "$handed_in" ] || sum=_$(printf '%s\n' "$handed_in" | sed -E "$ending" | cksum | cut -d ' ' -f 1)
student=$(printf '%s\n' "$student" | sed -E "$ending")$sum
box=$state/$student
MOST_BYTES=32768 MOST_ARCHIVE=20000000
early='' reason=''

# early STATUS REASON: it ends here.
early() {
  early=$1 reason=$2
}

# ---- the part --------------------------------------------------------------------------------------

# choose: of the names on standard input that of the part, or of the file it stands in.
choose() {
  awk -v part="part_$exercise.cu" -v file="$file" '
    { name = $0; sub(/.*\//, "", name) }
    name == part && !best { best = $0 }
    name == file && !other { other = $0 }
    END { print best ? best : other }'
}

from_folder() {
  name=$(find -H "$submission" -maxdepth 12 -type f \( -name "part_$exercise.cu" -o -name "$file" \) | sort | choose)
  [ -n "$name" ] || { early refused "has neither part_$exercise.cu nor $file" && return; }
  head -c $((MOST_BYTES * 8)) "$name" >"$box/taken"
}

# Names may be of any letters. A byte that is of none is told as \224.
read_archive() {
  LC_ALL=C.UTF-8 timeout 10 bsdtar "$@" 2>/dev/null
}

# Nothing is unpacked but this one member, and of that no more than a part may have.
from_archive() {
  [ "$(wc -c <"$submission")" -le $MOST_ARCHIVE ] || { early refused 'is a huge archive' && return; }
  read_archive -tvf "$submission" | head -n 2001 >"$box/listing"
  read_archive -tf "$submission" | head -n 2001 >"$box/names"
  if [ ! -s "$box/names" ]; then
    early refused 'is no archive that can be read, or an empty one'
  elif [ "$(wc -l <"$box/names")" -gt 2000 ]; then
    early refused 'holds more than 2,000 files'
  elif grep -qE '(^|[/\\])\.\.([/\\]|$)|^[/\\]|^[A-Za-z]:' "$box/names"; then
    early refused "has a name that leads out of it: $(grep -m 1 -E '(^|[/\\])\.\.([/\\]|$)|^[/\\]|^[A-Za-z]:' "$box/names" | head -c 80)"
  elif grep -qE '^[lhbcps]' "$box/listing"; then
    early refused 'holds a link or a device'
  else
    name=$(choose <"$box/names")
    [ -n "$name" ] || { early refused "has neither part_$exercise.cu nor $file" && return; }
    read_archive -xOf "$submission" -- "$(printf %s "$name" | sed 's/[][*?]/\\&/g; s/\\[0-7]\{3\}/?/g')" |
      head -c $((MOST_BYTES * 8)) >"$box/taken"
    [ -s "$box/taken" ] || early refused "has a ${name##*/} that is empty, or that wants a password"
  fi
}

take_part() {
  # A pipe is not even opened: nobody would write to it.
  [ -d "$submission" ] || [ -f "$submission" ] || { early refused 'is no file' && return; }
  if [ -d "$submission" ]; then from_folder; else from_archive; fi
  [ -z "$early" ] || return
  if grep -qF "[exercise $exercise]" "$box/taken"; then
    awk -v exercise="$exercise" -f course/part.awk "$box/taken" >"$box/part.cu" ||
      early refused "has not both markers of exercise $exercise once"
  else
    case $name in
    *part_"$exercise".cu) cp "$box/taken" "$box/part.cu" ;;
    *) early refused "lacks the markers of exercise $exercise" ;;
    esac
  fi
  [ -z "$early" ] || return
  if [ "$(wc -c <"$box/part.cu")" -gt $MOST_BYTES ]; then
    early refused "is too long for a part: more than $MOST_BYTES bytes"
  elif ! grep -q '[^[:space:]]' "$box/part.cu"; then
    early refused 'nothing stands in the part'
  elif LC_ALL=C tr -d '\11\12\15\40-\176\200-\377' <"$box/part.cu" | grep -q . ||
    [ "$(tr -d '\0' <"$box/part.cu" | wc -c)" != "$(wc -c <"$box/part.cu")" ]; then
    early refused 'is no text'
  else
    why=$(awk -v words="$own/words" -v may_asm="$may_asm" -f course/refuse.awk "$box/part.cu")
    [ -z "$why" ] || early refused "$why"
  fi
}

# ---- building --------------------------------------------------------------------------------------

# The handout's file with the part, and of it what the runner has: up to the part, the rest of its body, and up to
# the kernel's end where the part is what a kernel calls.
write_sources() {
  awk -v exercise="$exercise" -v part="$box/part.cu" -f course/part.awk "$HANDOUT/$lab/$file" >"$box/$file"
  sort -u "$box/kernels" | c++filt | sed 's/^void //; s/(.*//' >"$box/runs"
  {
    awk -v end="[end $exercise]" -v kernels="$(sed 's/<.*//' "$box/runs" | sort -u | tr '\n' ' ')" '
      BEGIN { missing = split(kernels, kernel, " ") }
      { print }
      missing { for (i in kernel) if (index($0, kernel[i] "(")) { delete kernel[i]; missing-- } }
      index($0, end) { behind = 1; within = /^[ \t]/ }
      behind && !missing && (/^}/ || (!within && index($0, end))) { exit }' "$box/$file"
    printf '#include "course/runner.h"\nRUNNER({'
    sed 's/.*/RUN(&),/' "$box/runs"
    echo '})'
  } >"$box/source.cu"
  awk -v src="$file" -f cuda_on_cpu/cu2cpp.awk "$box/source.cu" >"$box/source.cpp"
}

# build CHECK: the runner of that build.
build() {
  # shellcheck disable=SC1090  # of make cpu-nvcc
  . "build/cpu-$1/cpu-nvcc.flags"
  eval "set -- $1 $ENGINE"
  check=$1
  shift
  sh course/sandbox.sh build "$box" sh -c "$(printf '%s -w %s -include "%s" -I"%s" -I"%s/cuda_on_cpu" -I"%s/common" \
    -iquote "%s" -include assert.h -c source.cpp -o %s.o && %s -fopenmp -rdynamic %s.o "%s" "$@" -o runner_%s %s \
    -Wl,--unresolved-symbols=ignore-all && nm -f posix --defined-only runner_%s >%s.sh.symbols' "$CXX" "$FLAGS" "$root/build/cpu-$check/cuda_on_cpu/peoples/cuda_runtime.h" \
    "$root" "$root" "$HANDOUT" "$HANDOUT/$lab" "$check" "$CXX" "$check" "$root/build/cpu-$check/course/runner.o" \
    "$check" "$LIBRARIES" "$check" "$check")" sh "$@" >"$box/$check.build" 2>&1
  rm -f "$box/$check.o"
  [ -x "$box/runner_$check" ] || return
  printf '#!/bin/sh\nexec sh "%s/course/sandbox.sh" run "%s" "%s/runner_%s"\n' "$root" "$box" "$box" "$check" \
    >"$box/$check.sh"
  chmod +x "$box/$check.sh"
}

# Device code alone: what nvcc makes of it, where it is, is also how a host's function in a kernel is found.
build_cubin() {
  how='-ptx -Xcicc -O0 -arch=compute_90a' to=part.ptx
  [ "$backend" = cpu ] || { how="-cubin -O3 -arch=$arch" && to=part.cubin; }
  sh course/sandbox.sh build "$box" sh -c "'$nvcc' -std=c++20 -allow-unsupported-compiler -w $how \
    -I'$HANDOUT/common' -I'$HANDOUT/$lab' -o $to $file" >"$box/nvcc.build" 2>&1
  [ -s "$box/$to" ]
}

does_not_compile() {
  early compile "$(grep -m 1 -E 'error|rror:' "$1" | sed "s|$box/||g; s|$HANDOUT/||g" | head -c 300)"
  [ -n "$reason" ] || reason='the compiler does not get to its end'
}

# What g++ takes, and a GPU does not. A kernel of other parameters has another name, which the lab's launch lacks.
fits_a_gpu() {
  why=$(readelf -sWC "$box/runner_race" | grep -v ' cuda_cpu::' |
    awk -v src="$file" -f cuda_on_cpu/static_shared.awk 2>&1)
  [ -z "$why" ] || early compile "$why"
  missing=$(cut -d ' ' -f 1 "$box/race.sh.symbols" | grep -vxF -f - "$box/kernels" | head -n 1 | c++filt)
  [ -z "$missing" ] || early compile "has no kernel $missing, which the lab launches"
}

# ---- running ---------------------------------------------------------------------------------------

# judge NAME KERNEL SIZES BLOCKS: the lab's own program, with the kernel from that file. On the CPU what is limited is a
# launch's processor time, and `late` is only what has none.
judge() {
  rows=$1 kernel=$2 at=$3 in=$4
  # shellcheck disable=SC2086  # words
  CUDA_CPU_RUNNER_FAILED=$kernel.failed EXACT_BUFFERS=$exact CUDA_CPU_RUNNER_SECONDS=$LAUNCH_SECONDS timeout --foreground -k 2 $((patience * LAUNCH_SECONDS)) \
    "$program" $options --check-only --fresh --csv "$box/$rows.csv" --kernel "$variant=$kernel" --variants "$variant" \
    ${launch:+--declared "$launch"} --sizes "$at" --blocks "$in" --seed "$data_seed" >"$box/$rows.txt" 2>"$box/$rows.err"
  case $? in 124 | 137) late=1 ;; esac
  awk -f tools/csv.awk -f tools/column.awk width height depth block_x block_y status note "$box/$rows.csv" \
    >"$box/$rows.rows" 2>/dev/null
}

run_on_cpu() {
  exact=1 patience=60
  judge correct "$box/asan.sh" "$correct_sizes" "$block"
  judge asan "$box/asan.sh" "$sizes $edge_sizes" "$all_blocks"
  cat "$box/correct.rows" >>"$box/asan.rows"
  said_asan=$(cat "$box/correct.err" "$box/asan.err" >"$box/said" && asan_says "$box/said")
  [ ! -f "$box/asan.sh.failed" ] || return
  judge race "$box/race.sh" "$race_sizes" "$block"
  said_race=$(race_says "$box/race.err")
}

# One after the other: the GPU is for one at a time. What comes late once is not waited for again.
run_on_gpu() {
  exact='' patience=6
  judge correct "$box/part.cubin" "$correct_sizes" "$block"
  [ -n "$late" ] || judge gpu "$box/part.cubin" "$sizes $edge_sizes" "$all_blocks"
  cat "$box/correct.rows" >>"$box/gpu.rows"
  if [ -n "$late" ] || grep -qE ',(wrong|failed),' "$box/gpu.rows"; then return; fi
  # shellcheck disable=SC2086  # words
  CUDA_MODULE_LOADING=EAGER timeout --foreground -k 2 60 "$program" $options --kernel "$variant=$box/part.cubin" --judge "$rounds" \
    ${launch:+--declared "$launch"} --sizes "$timed" --blocks "$block" --variants "$peer $library" >"$box/judged.txt" 2>"$box/judged.err"
  case $? in 124 | 137) late=1 ;; esac
}

late='' said_asan='' said_race='' block='' own_block='' launch='' name=''
program=$root/build/cpu/${lab#*_}
[ "$phase$on_cpu" = cpuyes ] || program=$B/judge/${lab#*_}
style=$(cat "$box/style" 2>/dev/null)

# The launch that a student declares in lines of a comment such as `block: 32x8, grid: /2x1`.
declare_launch() {
  grep -E '^[[:blank:]/*]*(block|grid|shared): *[-+0-9/]' "$box/part.cu" |
    grep -oE '(block|grid|shared): *[^[:space:];,*]+' >"$box/declared"
  block=$(sed -n 's/^block: *//p' "$box/declared" | head -n 1)
  launch=$(grep -v '^block' "$box/declared" | paste -s -d ' ')
  own_block=${all_blocks%% *}
  : "${block:=$own_block}"
  case " $all_blocks " in *" $block "*) ;; *) all_blocks="$block $all_blocks" ;; esac
  # shellcheck disable=SC2086  # words
  why=$("$program" $options --blocks "$all_blocks" ${launch:+--declared "$launch"} --kernel "$variant=?" 2>&1 >"$box/kernels") ||
    early refused "declares a launch that cannot be: $(printf %s "${why#*: }" | sed 's/^--[a-z]*: //')"
}

mark() {
  set -- "$own/classes.tsv"
  [ -n "$early" ] || for rows in asan race gpu; do
    [ ! -s "$box/$rows.rows" ] || set -- "$@" "$box/$rows.rows"
  done
  [ ! -s "$box/judged.txt" ] || set -- "$@" "$box/judged.txt"
  own_block=$own_block launch=$launch early=$early reason=$reason said_asan=$said_asan said_race=$said_race awk -v page="$box/feedback.md" \
    -v student="$student" -v exercise="$exercise" -v seed="$seed" -v machine="$machine" -v block="$block" \
    -v style="$style" -v library="$library" -v late="$late" -f course/verdict.awk course/rubric.tsv "$@" \
    >"$box/row.new"
  mv "$box/row.new" "$box/row"
}

# What there is to be done without a GPU. A part that waits for one has a new_key then.
take() {
  mkdir -p "$box" || exit
  [ ! -s "$box/row" ] || mv "$box/row" "$box/kept"
  rm -f "$box"/*.rows "$box"/*.failed "$box"/*.build "$box"/runner_* "$box"/part.* "$box/judged.txt" "$box/taken" "$box/new_key"
  chmod 777 "$box"
  take_part
  key=$({ cat "$box/part.cu" "$box/taken" 2>/dev/null && echo "$early $reason $style $key_of_run"; } | sha256sum)
  if [ "$key" = "$(cat "$box/key" 2>/dev/null)" ] && [ -s "$box/kept" ]; then
    mv "$box/kept" "$box/row"
    return
  fi
  rm -f "$box/key"
  [ -n "$early" ] || declare_launch
  [ -n "$early" ] || write_sources
  [ -n "$early" ] || [ -z "$nvcc" ] || build_cubin || does_not_compile "$box/nvcc.build"
  if [ -z "$early" ] && [ -n "$on_cpu" ]; then
    build asan || does_not_compile "$box/asan.build"
    [ -n "$early" ] || build race || does_not_compile "$box/race.build"
    [ -n "$early" ] || fits_a_gpu
    [ -n "$early" ] || run_on_cpu
  fi
  mark
  [ -n "${KEEP_RUNNERS-}" ] || rm -f "$box"/runner_* # a test runs them once more
  waits=$box/key
  [ "$backend" = cpu ] || [ -n "$early" ] || { [ -n "$on_cpu" ] && ! is_ok; } || waits=$box/new_key
  echo "$key" >"$waits"
}

is_ok() {
  grep -q '^[^,]*,[^,]*,ok,' "$box/row"
}

if [ "$phase" = cpu ]; then
  take
elif [ -f "$box/new_key" ]; then
  declare_launch
  run_on_gpu
  mark
  mv "$box/new_key" "$box/key"
fi
[ -f "$box/row" ]
