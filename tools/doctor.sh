# doctor.sh - `make doctor`: what is wrong with variants of a lab, and what is the probable cause? It
# builds the lab, plain and for checks, runs each variant at small awkward sizes, races and bounds looked
# for, and names the first rule of tools/doctor.tsv that fits what was found; docs/doctor.md tells more.
#
# usage: LAB=lab2 VARIANTS='mine' [BLOCKS='8 16x4'] [B=build/cpu] [BACKEND=cpu] [RESULTS=data/results] \
#          sh tools/doctor.sh
#
# With BACKEND=cuda compute-sanitizer looks, too. What programs and compilers say goes to $B/doctor/LAB/.
# Exit status: 0 nothing wrong was found, 1 something was, 2 there is nothing to look at.
# shellcheck shell=sh disable=SC2015,SC2030,SC2031,SC2046,SC2086,SC2317,SC3013,SC3028
# (RUN and lists are words; functions called by their names' parts; a looker has a folder of its own)
set -u
OUTPUT_MIB=16 # of what a program may write

die() {
  printf 'doctor: %s\n' "$*" >&2
  exit 2
}

# shellcheck source=tools/says.sh
. "$(dirname "$0")/says.sh"

# found TAG TEXT [LINES]: evidence, which is shown, and which the rules read.
found() {
  text=$(printf '%s\n' "$2" | sed -E "s|$PWD/||g; s|$lab/||g; s/ (of|to) this memory in kernel/ in/g
    s/<[a-z ]+, [a-z]+>//g; s/; kernel [^;]*; at [^ ;]*\$//")
  printf '%s: %s\n' "$1" "$text" >>"$folder/evidence" || die "$folder cannot be written to"
  tell "$1" "$text" "${3:-3}"
}

# build NAME BACKEND CHECK: to $B or beside it, one at a time in a tree; what is said goes to $all/NAME.build.
build() {
  if [ "$3" ]; then set -- "$1" cpu "$3" "${B%/*}/cpu-$3"; else set -- "$1" "$2" '' "$B"; fi
  $one_by_one "$MAKE" -j"$(nproc)" BACKEND="$2" CHECK="$3" B="$4" "$lab" >"$all/$1.build" 2>&1 &&
    eval "$1=\$4/$name" && return
  why=$(no_room "$all/$1.build")
  [ -z "$why" ] || die "$why"
  return 1
}

# errors FILE: of a compiler.
errors() {
  grep -E 'error|undefined reference|too much static' "$1" | grep -v '^make' | head -n 2 |
    sed "s|$PWD/||g" | paste -s -d ' '
}

# sizes: one that no block divides; square; multiples of the block; more elements than 16 bits count.
sizes() {
  case $("$plain" --describe | awk -f tools/csv.awk -f tools/column.awk sizes_are -) in
    vector) echo '1013 1024 70001' ;;
    product) echo '37x33x35 33 64 64x96x32 300x290x5' ;;
    *) echo '83x91 83x83 96x96 128x96 300x290' ;;
  esac
}

# largest_block: of the lab's; 32 is 32x32 where blocks have two dimensions.
largest_block() {
  "$plain" --describe | awk -f tools/csv.awk -f tools/column.awk blocks - | tr ' ' '\n' |
    awk -F x '{ n = $1 * (NF > 1 ? $2 : $1); if (n > most) { most = n; block = $0 } } END { print block }'
}

# recorded: a row of the results, of the present sources, in which the variant is bad: tools/doctor_rows.awk.
recorded() {
  set -- "$RESULTS"/*/"$lab".csv
  [ -f "$1" ] || return 0
  awk -v variant="$variant" -v since="$(sh tools/newest_source.sh "$lab")" -f tools/csv.awk -f tools/row.awk -f tools/doctor_rows.awk "$@"
}

# look BUILD PROGRAM TOOL...: the first size alone, where a tool looks for what the output does not show.
look() {
  build=$1 program=$2
  shift 2
  [ -x "$program" ] || return 0
  mkdir -p "$folder/$build"
  (
    says_to=$folder/$build.says
    folder=$folder/$build
    run "$build" ${RUN:-} "$@" "$program" --check-only --variants "$variant" \
      --sizes "${all_sizes%% *}" --blocks "$BLOCKS"
    "${SAYS:-$build}_says" "$folder/$build.txt" >"$says_to"
  ) &
  lookers="$lookers $!"
}

# look_on_cpu, look_on_gpu: starts all that can be looked for.
look_on_cpu() {
  look race "$race"
  look asan "$asan"
}

look_on_gpu() {
  command -v "$SANITIZER" >/dev/null 2>&1 || found gpu "$SANITIZER is missing (CUDA Toolkit)"
  for tool in memcheck racecheck initcheck synccheck; do
    SAYS=sanitizer look $tool "$plain" env EXACT_BUFFERS=1 "$SANITIZER" --tool $tool
  done
}

# doubts: what g++ says of the kernel that is no error, and of an endless recursion in what it calls, which
# comes first; of a file it is asked once.
doubts() {
  said=$all/doubts.txt
  [ -f "$B/$file.cpp" ] || return 0
  [ "$said" -nt "$B/$file.cpp" ] || (
    # shellcheck disable=SC3045  # dash, bash and busybox have it
    ulimit -t 8 # of processor time, however busy the machine is
    g++ -std=c++20 -O1 -Wall -Wextra -Wconversion -Wframe-larger-than=32768 -Wno-unknown-pragmas -fopenmp \
      -Icuda_on_cpu -Icommon -iquote "$lab" -include cuda_runtime.h -S -o "$said.s" "$B/$file.cpp" 2>"$said"
  )
  awk 'NR == FNR { known[FNR] = $0; next }
    /[Ii]n (function|instantiation of) / { on = within = 0; by = "" }
    /[Ii]n (function|instantiation of) |inlined from / && match($0, /[A-Za-z0-9_]+[(<]/) {
      name = " " substr($0, RSTART, RLENGTH - 1) " "
      on += index(known[1], name)
      within += index(known[2], name)
      if (/inlined from/ && match($0, /[^ ]*:[0-9]+:[0-9]*/))
        by = ", used at " substr($0, RSTART, RLENGTH) }
    on && /uninitialized|frame size|to .(short|char|signed char|unsigned short|unsigned char)/ {
      sub(/: warning: /, ": "); sub(/ may change value/, ""); rest = rest $0 by "\n" }
    within && /infinite recursion/ { sub(/: warning: /, ": "); print $0 by }
    END { printf "%s", rest }' "$folder/kernel.txt" "$said" >"$folder/doubts.txt"
}

# not_looked_at: why not; of a name that is no variant's, which are many, the nearest that is one.
not_looked_at() {
  line=$(tail -n 1 "$folder/plain.txt")
  names=${line#*"'$variant' is none of "}
  [ "$names" != "$line" ] || { echo "$line" && return; }
  # shellcheck disable=SC2046  # names have no blanks
  set -- $(echo "$names" | tr -d ,)
  near=$(sh tools/nearest.sh "$variant" "$@" | sed -n "s/.*mean \(.*\)?)/; did you mean '\1'?/p")
  echo "${line%"$names"}the $# variants${near:-, which --list names}"
}

# run_bad_row SIZE BLOCK...: as it was recorded.
run_bad_row() {
  case $2 in -) set -- "$1" "$BLOCKS" ;; esac
  run bad_row ${RUN:-} "$plain" --check-only --diagnose --variants "$variant" --sizes "$1" --blocks "$2" \
    --csv "$folder/bad_row.csv"
}

# examine VARIANT
examine() {
  variant=$1 folder=$all/$1 lookers=''
  rm -rf "$folder" && mkdir -p "$folder"
  echo "---- $lab, $variant"
  look_on_cpu
  [ "$BACKEND" != cuda ] || look_on_gpu
  bad_row=$(recorded)
  [ -z "$bad_row" ] || run_bad_row $bad_row
  run plain ${RUN:-} "$plain" --check-only --diagnose --variants "$variant" \
    --sizes "$all_sizes" --blocks "$BLOCKS" --csv "$folder/rows.csv"
  for looker in $lookers; do wait "$looker"; done
  if [ "$status" = 2 ]; then # bad input, or no variant of the default options
    status_of_all=2
    tell verdict "it was not looked at: $(not_looked_at)" 4
    return
  fi
  tell_rows
  for says in race asan memcheck racecheck initcheck synccheck; do
    ! grep -q . "$folder/$says.says" 2>/dev/null || found $says "$(cat "$folder/$says.says")"
  done
  [ -z "$bad_row" ] || grep -qsv '^prints: ' "$folder/evidence" ||
    found results "${bad_row#* * } (at $(echo "$bad_row" | cut -d ' ' -f 1,2))"
  file=$(grep -l "\"$variant\"" "$lab"/*.cu | head -n 1)
  if [ -s "$folder/evidence" ] && [ -n "$file" ]; then
    awk -v variant="\"$variant\"" -f tools/doctor_kernel.awk "$file" >"$folder/kernel.txt"
    text=$(sed -n '3{/./p;}' "$folder/kernel.txt")
    [ -z "$text" ] || found takes "$text" 4
    doubts
  fi
  [ ! -s "$folder/doubts.txt" ] || found warning "$(head -n 1 "$folder/doubts.txt")" 2
  tell_cause
}

# tell_rows: where it is right and where wrong, and the row that says most.
tell_rows() {
  touch "$folder/rows.csv" # of a program that came to none
  [ ! -f "$folder/bad_row.csv" ] || sed 1d "$folder/bad_row.csv" >>"$folder/rows.csv"
  awk -f tools/csv.awk -f tools/row.awk -f tools/doctor_sizes.awk "$folder/rows.csv" \
    >"$folder/sizes.txt" || found plain "$(engine_says "$folder/plain.txt") $ended"
  tr -c '\040-\176\t\n' '?' <"$folder/plain.txt" |
    grep -vE "$lab|^(variant |$variant |[(]emulated|CUDA on the CPU|  )" >"$folder/printed.txt"
  [ ! -s "$folder/printed.txt" ] ||
    found prints "$(wc -l <"$folder/printed.txt") lines, such as: $(head -n 1 "$folder/printed.txt")" 2
  while IFS= read -r line; do
    found "${line%%: *}" "${line#*: }" 4
  done <"$folder/sizes.txt"
}

# tell_cause: the first rule that fits.
tell_cause() {
  if [ ! -s "$folder/evidence" ]; then
    tell verdict 'nothing wrong was found'
    return
  fi
  status_of_all=1
  awk -F '\t' 'FILENAME != "tools/doctor.tsv" { seen[++n] = $0; next }
    !/^#/ { for (i = 1; i <= n; i++) if (seen[i] ~ $1) { print "cause", $2; print "try", $3; exit } }' \
    "$folder/evidence" tools/doctor.tsv >"$folder/cause"
  while read -r label text; do tell "$label" "$text" 2; done <"$folder/cause"
  [ -s "$folder/cause" ] || tell cause 'not known; the lines above are what was seen'
}

: "${LAB:=}" "${VARIANTS:=}" "${BLOCKS:=}" "${SECONDS:=8}" "${B:=build/cpu}" "${RESULTS:=data/results}" \
  "${BACKEND:=cpu}" "${MAKE:=make}" "${SANITIZER:=compute-sanitizer}" "${OMP_WAIT_POLICY:=passive}" \
  "${CUDA_CPU_SPIN_SECONDS:=0.2}"
LC_ALL=C
export OMP_WAIT_POLICY LC_ALL CUDA_CPU_SPIN_SECONDS
set -- $(find "$LAB"_*/ "$LAB"/ -maxdepth 1 -name '*.cu' 2>/dev/null | sed 's|[^/]*$||' | sort -u)
[ -n "$LAB" ] || die "which lab? make doctor LAB=lab2 VARIANTS=mine"
[ $# = 1 ] || die "LAB=$LAB: there is no such lab, but" lab*_*/
[ -z "${SIZES:-}" ] || die "SIZES=$SIZES: it takes sizes of its own, which docs/doctor.md tells"
[ -n "$VARIANTS" ] || die "which variant? make doctor LAB=$LAB VARIANTS=mine"
lab=${1%/} name=${1%/} plain='' race='' asan='' status_of_all=0
name=${name##*_} all=$B/doctor/$lab
mkdir -p "$all" || exit 2
folder=$all one_by_one=''
[ -z "$(command -v flock)" ] || one_by_one="flock ${B%/*}/lock"
(: >"$all/evidence") 2>/dev/null || die "$all cannot be written to"
build plain "$BACKEND" '' || found build "$(errors "$all/plain.build")"
if [ -n "$plain" ] && { [ "$BACKEND" = cpu ] || sh tools/boost_context.sh g++ 2>/dev/null; }; then
  build race cpu race || found build "$(errors "$all/race.build")"
  build asan cpu asan || :
fi
if [ -s "$all/evidence" ]; then
  tell_cause
  exit 1
fi
all_sizes=$(sizes)
if [ -z "$BLOCKS" ]; then
  case $all_sizes in *x*) BLOCKS='8 16x4 16' ;; *) BLOCKS='32 96' ;; esac
  BLOCKS="$BLOCKS $(largest_block)"
fi
for variant in $(printf %s "$VARIANTS" | tr , ' '); do examine "$variant"; done
exit $status_of_all
