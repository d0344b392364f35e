# try.sh - `make try`: one person's CUDA program, from anywhere and as it is: does it build, run, stay
# within bounds, race? A verdict of at most ten lines of 80 columns; docs/try.md tells what it looks at.
#
# usage: FILE=mine.cu [ARGS='ARG...'] [SECONDS=60] [B=build/cpu] [BACKEND=cpu] [LENS=1] sh tools/try.sh
#
# FILE is a file, or several with blanks between; ARGS is what the program is given, with quotes as in
# a shell. What programs and compilers say goes to $B/try/NAME-SUM/. With BACKEND=cuda also NVCC, SANITIZER,
# RUN and NCU are looked at.
#
# Exit status: 0 nothing wrong was found, 1 something was, 2 there is nothing to try.
# shellcheck shell=sh disable=SC2317,SC3028,SC2086
# (functions called by their names' parts; SECONDS is make's; RUN is a command and its arguments)
set -u
OUTPUT_MIB=64 # of what a program may write, into its output or any file
SHOWN=20      # lines of its output

die() {
  printf 'try: %s\n' "$*" >&2
  exit 2
}

# shellcheck source=tools/says.sh
. "$(dirname "$0")/says.sh"

# not_freed FILE: the first memory that LeakSanitizer misses.
not_freed() {
  awk '/^(Direct|Indirect) leak of / && !n { n = $4 }
    n && /^ *#[0-9]+ / && !/cuda_on_cpu.[a-z_]*[.](cpp|h):|libsanitizer|\/usr\// &&
      match($0, /[^\/]*:[0-9]+$/) {
      print "; " n " bytes allocated at " substr($0, RSTART) " are not freed"; exit }' "$1"
}

wrong='' # what the verdict counts
unseen='' # what was not looked for to the end

found() {
  case ", $wrong, " in *", $1, "*) ;; *) wrong="$wrong${wrong:+, }$1" ;; esac
}

# missed LABEL: a build that came to no end has not seen all of it.
missed() {
  unseen="$unseen${unseen:+, }$1"
}

# show_output FILE: the program's own, up to $SHOWN lines; what the engine says stands in the verdict.
show_output() {
  head -c 100000 "$1" | awk '
    /^CUDA on the CPU: / || (at && at == NR - 1 && /^  /) { at = NR; next }
    1' | head -n $SHOWN
  lines=$(head -c 10000000 "$1" | wc -l)
  [ "$lines" -le $SHOWN ] || echo "... more of it in $1"
}

# tell_some LABEL FILE: its first three lines, a path whole, and how many more there are.
tell_some() {
  sed "s|^$root/||; 3q" "$2" | while IFS= read -r line; do
    case $line in *' '*) tell "$1" "$line" 3 ;; *) printf '%-8s %s\n' "$1" "$line" ;; esac
  done
  more=$(($(wc -l <"$2") - 3))
  [ $more -le 0 ] || tell "$1" "and $more more in ${2#"$root"/}" 2
}

# finish: the last line, and the exit status.
finish() {
  if [ -n "$wrong" ]; then
    tell verdict "WRONG: $wrong"
    exit 1
  fi
  tell verdict "nothing wrong was found${unseen:+, but not all was looked for: $unseen}"
  exit 0
}

# does_not_build FILE: the compiler's first errors.
does_not_build() {
  why=$(no_room "$1")
  [ -z "$why" ] || die "$why"
  tell builds no
  grep -E 'error|undefined reference|cannot find|needs' "$1" | head -n 3 | sed "s|$PWD/||g" |
    while IFS= read -r error; do tell '' "$error" 2; done
  found 'it does not build'
  finish
}

# ---- on the CPU ----------------------------------------------------------------------------------

try_on_cpu() {
  start=$(date +%s%N) builders=''
  for check in plain asan race ${LENS:+lens}; do
    build_for $check "$@" >"$folder/$check.build" 2>&1 &
    builders="$builders $!"
  done
  for builder in $builders; do
    wait "$builder"
  done
  [ -x "$folder/plain" ] || does_not_build "$folder/plain.build"
  built=$(seconds_since "$start")
  run_with_args plain "$folder/plain"
  show_output "$folder/plain.txt"
  tell builds "yes, for the CPU, in $built s"
  says=$(engine_says "$folder/plain.txt")
  case $says in *is\ left\ at*) unasked ;; esac
  what=${says##*at the end: a }
  tell runs "${says:-$ended}" 2
  [ "$status" = 0 ] || found "it does not end well"
  case $says in
    *without\ waiting*) found 'a launch is never waited for' ;;
    an\ assertion*) found 'an assertion fails' ;;
    *is\ left\ at*) found "a ${what% failed at *} failed and nobody asked" ;;
  esac
  if [ -f "$folder/why" ] || [ "$status" = 153 ]; then
    tell bounds 'neither this nor races were looked for, since it does not end'
    finish
  fi
  case $says in *endless\ loop*) export CUDA_CPU_SPIN_SECONDS=0.1 ;; esac # known by now
  look_for bounds asan 'no access out of bounds' 'an access out of bounds'
  look_for races race 'no race, nothing unset is read' 'memory misused'
  [ -z "$LENS" ] || look_at_memory "$@"
  finish
}

# unasked: does the error that is left count? Of a configuration it does; another may be that of a call whose answer
# was looked at, and counts where a strict run meets a launch that nobody asks about.
unasked() {
  left=$says says=''
  case $left in
    cudaErrorInvalidConfiguration*) says=$left ;;
    cudaErrorInvalidValue* | cudaErrorInvalidResourceHandle* | cudaErrorInvalidDeviceFunction* | \
      cudaErrorInvalidPitchValue* | cudaErrorInvalidMemcpyDirection*)
      (run_with_args strict env CUDA_CPU_STRICT=1 "$folder/plain")
      ! grep -q 'nobody asks for the error of this launch' "$folder/strict.txt" || says=$left
      ;;
  esac
}

# look_at_memory FILE...: what the kernels do to it, a page each, and what each would take on CARD: the first three
# are named, all pages are in a folder.
look_at_memory() {
  if [ ! -x "$folder/lens" ]; then
    tell lens "not looked at: $(grep -m 1 . "$folder/lens.build")"
    return
  fi
  export CUDA_CPU_LENS="$folder/lens.csv"
  rm -rf "$folder/lens.csv" "$folder/lens_pages" # an older try's
  run_with_args lens "$folder/lens"
  if [ ! -s "$folder/lens.csv" ]; then # it launches nothing, or does not come to its end
    says=$(engine_says "$folder/lens.txt")
    tell lens "nothing was counted: ${says:-$ended}" 3
    return
  fi
  mkdir "$folder/lens_pages"
  echo lab >"$folder/lens.row" && echo try >>"$folder/lens.row"
  awk -v card="$CARD" -f "$root/tools/csv.awk" -f "$root/tools/lens_case.awk" \
    "$folder/lens.row" "$folder/lens.csv" >"$folder/lens_rows.csv"
  awk -v pages="$folder/lens_pages" -v tools="$root/tools" -f "$root/tools/csv.awk" \
    -f "$root/tools/lens_page.awk" "$folder/lens_rows.csv" >"$folder/lens_pages.txt"
  [ -s "$folder/lens_pages.txt" ] || echo "no kernel touched the memory: $ended" >"$folder/lens_pages.txt"
  tell_some lens "$folder/lens_pages.txt"
  # A kernel is a case, and of one that is launched in several ways each of these, which its place tells.
  awk 'NR == 1 { next } { split($0, part, "\""); split(part[3], at, ","); way = part[2] at[2] at[3] at[4] }
    NR == FNR { ways[part[2]] += !(way in seen); seen[way]; next }
    FNR > 1 { sub(/,/, ",\"" part[2] (ways[part[2]] > 1 ? " at " at[2] ", " at[3] ", " at[4] : "") "\"") }
    1' "$folder/lens_rows.csv" "$folder/lens_rows.csv" >"$folder/lens_cases.csv"
  (cd "$root" && CARD=$CARD NVCC=$NVCC sh tools/lens_time.sh "$folder/lens_cases.csv" "$@") 2>&1 |
    sed "s/^time *//; s/ :/:/; s|$PWD/||g" >"$folder/lens_times.txt"
  tell_some time "$folder/lens_times.txt"
}

# build_for plain|asan|race FILE...: checks are builds by g++.
build_for() {
  check=$1
  shift
  rm -f "$folder/$check"
  if [ "$check" = plain ]; then set -- "$@" "$root/tools/try_end.cpp"; else set -- "-$check" "$@" && export CXX=g++; fi
  "$root/tools/cpu-nvcc" -w "$@" -o "$folder/$check"
}

# look_for LABEL BUILD NONE SOME
look_for() {
  if [ ! -x "$folder/$2" ]; then
    tell "$1" "not looked for: $(grep -m 1 . "$folder/$2.build")" 3
    missed "$1"
    return
  fi
  run_with_args "$2" "$folder/$2"
  says=$("${2}_says" "$folder/$2.txt")
  [ -n "$says" ] || [ "$status" = 0 ] || says=$(engine_says "$folder/$2.txt")
  case $says in *without\ waiting* | an\ assertion*) says='' ;; esac # the plain build has said so
  if [ -n "$says" ]; then
    tell "$1" "$says" 3
    case $says in
      out\ of\ memory:* | *endless\ loop* | *not\ supported* | *did\ not\ launch* | *power\ of\ two* | *too\ few\ threads*)
        missed "$1"
        ;;
      *race\ on*) found "a race" ;;
      *before\ it\ waits*) found 'a launch is not waited for' ;;
      *runtime\ error:\ index*) found "$4" ;;
      *runtime\ error:*) found 'undefined behaviour' ;;
      ABRT* | Aborted*) found 'it aborts' ;;
      FPE* | Floating*) found 'a division by zero' ;;
      *deadlock:* | *__syncthreads* | *lock\ is\ never* | *grid.sync*\ not\ reached*) found 'threads wait in vain' ;;
      *of\ a\ warp*) found 'a warp function misused' ;;
      *-use-after-*) found 'memory used after its end' ;;
      attempting* | alloc-dealloc*) found 'memory freed wrongly' ;;
      *) found "$4" ;;
    esac
  elif [ -f "$folder/why" ] || [ "$status" = 153 ]; then
    tell "$1" "$3 until it $ended"
    missed "$1"
  elif [ "$status" -ge 128 ]; then # a signal, and nobody says why
    tell "$1" "not looked for to the end: $ended"
    missed "$1"
  else
    [ "$2" = race ] || says=$(not_freed "$folder/$2.txt")
    tell "$1" "$3$says" 2
  fi
}

# run_with_args NAME COMMAND...: with ARGS behind it, whose quotes xargs takes off as a shell would.
run_with_args() {
  [ -z "$ARGS" ] || eval "set -- \"\$@\"$(printf '%s\n' "$ARGS" | xargs -n 1 printf '%s\n' |
    sed "s/'/'\\\\''/g; s/.*/ '&'/" | tr -d '\n')"
  run "$@"
}

# ---- on a GPU ------------------------------------------------------------------------------------

try_on_gpu() {
  newest=$("$NVCC" --list-gpu-arch | sed -n 's/^compute_/sm_/p' | sort -V | tail -n 1)
  "$NVCC" -arch=native -lineinfo "$@" -o "$folder/gpu" >"$folder/gpu.build" 2>&1 ||
    does_not_build "$folder/gpu.build"
  for file; do
    "$NVCC" -arch="$newest" -c "$file" -o "$folder/newest.o" >"$folder/newest.build" 2>&1 && continue
    tell builds "for the card, not for $newest: $(grep -m 1 error "$folder/newest.build")" 2
    found "it does not build for $newest"
    newest=
    break
  done
  run_with_args gpu ${RUN:-} "$folder/gpu"
  show_output "$folder/gpu.txt"
  [ -z "$newest" ] || tell builds "yes, for the card and for the newest, $newest"
  tell runs "$ended"
  [ "$status" = 0 ] || found "it does not end well"
  sanitize bounds memcheck 'no access out of bounds' 'an access out of bounds'
  sanitize races racecheck 'no race on shared memory' 'a race'
  time_kernels
  finish
}

# sanitize LABEL TOOL NONE SOME: the tool's first error, with what it says of both sides.
sanitize() {
  if ! command -v "$SANITIZER" >/dev/null 2>&1; then
    tell "$1" "not looked for: compute-sanitizer is missing (CUDA Toolkit)"
    return
  fi
  run_with_args "$2" ${RUN:-} "$SANITIZER" --tool "$2" --error-exitcode 66 "$folder/gpu"
  says=$(sanitizer_says "$folder/$2.txt")
  if [ -n "$says" ]; then
    tell "$1" "$says" 3
    found "$4"
  elif grep -qE 'SUMMARY: 0 (errors|hazards)' "$folder/$2.txt"; then
    tell "$1" "$3"
  else
    tell "$1" "$2 came to no end: $ended"
  fi
}

# time_kernels: the two kernels that take the most time in all, by Nsight Systems or Nsight Compute.
time_kernels() {
  rm -f "$folder"/nsys.*
  if command -v nsys >/dev/null 2>&1; then
    run_with_args nsys ${RUN:-} nsys profile --trace cuda -o "$folder/nsys" --force-overwrite true \
      "$folder/gpu"
    nsys stats --report cuda_gpu_kern_sum --format csv --force-export true "$folder/nsys.nsys-rep" \
      2>/dev/null | sed -n '/^Time (%)/,$p' >"$folder/times.csv"
  elif command -v "$NCU" >/dev/null 2>&1; then
    run_with_args ncu ${RUN:-} "$NCU" --csv --print-units base --launch-count 200 \
      --metrics gpu__time_duration.sum "$folder/gpu"
    sed -n '/^"ID"/,$p' "$folder/ncu.txt" >"$folder/times.csv"
  else
    tell times 'not taken: neither nsys nor ncu is here (CUDA Toolkit)'
    return
  fi
  awk -f "$root/tools/csv.awk" -f "$root/tools/try_times.awk" "$folder/times.csv" >"$folder/times.txt"
  [ -s "$folder/times.txt" ] || echo "none: $ended" >"$folder/times.txt"
  while IFS= read -r kernel; do tell times "$kernel"; done <"$folder/times.txt"
}

# ---- what is tried -------------------------------------------------------------------------------

root=$(cd "$(dirname "$0")/.." && pwd)
: "${FILE:=}" "${ARGS:=}" "${SECONDS:=60}" "${B:=build/cpu}" "${BACKEND:=cpu}" "${NVCC:=nvcc}" "${LENS:=}" "${CARD:=nvidia-h200}" \
  "${SANITIZER:=compute-sanitizer}" "${NCU:=ncu}" "${OMP_WAIT_POLICY:=passive}"
LC_ALL=C
export OMP_WAIT_POLICY LC_ALL
case $SECONDS in '' | *[!0-9]* | 0) die "SECONDS=$SECONDS: a number of seconds is wanted" ;; esac
[ -n "$FILE" ] || die 'which file? make try FILE=mine.cu'
case $FILE in '~'/*) FILE=$HOME/${FILE#??} ;; esac # as bash has it in NAME=~/FILE
set -f
if [ -f "$FILE" ]; then set -- "$FILE"; else set -- $FILE; fi
set +f
for file; do
  [ -f "$file" ] || die "$file: no such file"
done
printf '%s\n' "$ARGS" | xargs -n 1 true 2>/dev/null || die "ARGS=$ARGS: a quote is missing"
name=$(basename "${1%.*}" | tr -c 'A-Za-z0-9._\n-' _)
folder=$B/try/$name-$(realpath "$@" | cksum | cut -d ' ' -f 1) # b/mine.cu is not a/mine.cu
mkdir -p "$folder" || exit 2
exec 9<"$folder" # until all that it has started has ended
[ -z "$(command -v flock)" ] || flock -n 9 ||
  { echo "try: $* is being tried: this one waits" >&2 && flock 9; }
folder=$(cd "$folder" && pwd)
(: >"$folder/plain.txt") 2>/dev/null || die "$folder cannot be written to"

# The program runs where its first file is, and diagnoses name files from there.
for file; do
  shift
  set -- "$@" "$(realpath "$file")"
done
cd "$(dirname "$1")" || exit 2
if [ "$BACKEND" = cuda ]; then
  try_on_gpu "$@"
else
  try_on_cpu "$@"
fi
