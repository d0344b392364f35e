# says.sh - running a program under limits, and what tools say of it in one line: for try.sh and doctor.sh,
# which set SECONDS, OUTPUT_MIB and folder.
# shellcheck shell=sh disable=SC2034,SC2154,SC3028

memory_mib=$(awk '/^MemAvailable/ { print int($2 / 1024 * 3 / 4) }' /proc/meminfo) # of what is free

# tell LABEL TEXT [LINES]: a part of the verdict, of at most so many lines.
tell() {
  printf '%s\n' "$2" | fold -s -w 71 | sed 's/ *$//' | head -n "${3:-1}" |
    awk -v label="$1" '{ printf "%-8s %s\n", NR == 1 ? label : "", $0 }'
}

seconds_since() {
  awk -v from="$1" -v to="$(date +%s%N)" 'BEGIN { printf "%.1f", (to - from) / 1e9 }'
}

# no_room FILE: what a compiler says that had no room for its files: no program is to blame.
no_room() {
  grep -m 1 -E 'No space left on device|no room for temporary files' "$1" | sed 's/^cpu-nvcc: //'
}

# watch PID FILE: ends the program at the limits of time and memory, and puts the reason into FILE.
watch() {
  end=$(($(date +%s) + SECONDS))
  while sleep 0.2 && kill -0 "$1" 2>/dev/null; do
    used=$(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$1/status" 2>/dev/null)
    if [ "$(date +%s)" -ge "$end" ]; then
      echo "was stopped after $SECONDS s (SECONDS=$SECONDS)" >"$2"
    elif [ "${used:-0}" -gt "$memory_mib" ]; then
      echo "was stopped with more than $memory_mib MiB of memory" >"$2"
    else
      continue
    fi
    kill -s KILL -- "-$1"
  done
}

# run NAME COMMAND...: what it says goes to $folder/NAME.txt, how it ended to $status and $ended.
run() {
  name=$1 start=$(date +%s%N)
  shift
  rm -f "$folder/why"
  (ulimit -f $((OUTPUT_MIB * 2048)) && exec setsid "$@") </dev/null >"$folder/$name.txt" 2>&1 &
  program=$!
  # Its `date` may be cut off when it is ended; its `sleep`, which goes on, holds no lock of ours.
  watch $program "$folder/why" 2>/dev/null 9<&- &
  watcher=$!
  wait $program 2>/dev/null
  status=$?
  kill -s KILL -- "-$program" 2>/dev/null # what it started and left behind
  kill $watcher 2>/dev/null
  wait $watcher 2>/dev/null
  ended="exit status $status after $(seconds_since "$start") s"
  [ $status -ne 153 ] || ended="was stopped: it writes more than $OUTPUT_MIB MiB"
  [ ! -f "$folder/why" ] || ended=$(cat "$folder/why")
}

# engine_says FILE: the first diagnosis of CUDA on the CPU in what a program said, as one line; places come first.
engine_says() {
  awk '
    /^CUDA on the CPU: / && !text { text = substr($0, 18); next }
    text && /^  / && ++n < 3 { sub(/^ */, ""); if (/(^| )at /) at = at "; " $0; else rest = rest "; " $0; next }
    text { exit }
    END { text = text at rest
      if (text ~ /__syncthreads\(\) is not/) sub(/ wait in __syncthreads\(\)/, " wait", text)
      if (text !~ /endless loop/) sub(/ \(or CUDA_CPU_SPIN[^)]*\)/, "", text)
      gsub(/ \(launched at [^)]*\)/, "", text); print text }' "$1"
}

# asan_says FILE: the first report of AddressSanitizer, with the access and the memory beside it.
asan_says() {
  awk -v engine="$(engine_says "$1")" '
    / runtime error: / { text = $0; exit }
    /ERROR: AddressSanitizer: (allocator is out|requested alloc|out of mem)/ && !kind {
      kind = "out of memory"; what = "an allocation"; side = "at"; next }
    /ERROR: AddressSanitizer: / && !kind { kind = $3 ($3 == "attempting" ? " " $4 : "") }
    kind && /^(READ|WRITE) of size/ { what = $1 " of " $4 " bytes"; side = "at" }
    kind && / is located / { side = "by"
      sub(/.* is located /, ""); sub(/ region.*/, " region")
      sub(/to the right of/, "after"); sub(/to the left of/, "before") # as of gcc 13
      beside = "; " $0 }
    kind && /^allocated by/ { side = "allocated" }
    kind && /^ *#[0-9]+ / && !/cuda_on_cpu.[a-z_]*[.](cpp|h):|libsanitizer|\/usr\// {
      at = match($0, /[^\/]*:[0-9]+$/) ? substr($0, RSTART) : ""
      if (side && at && !(side in place))
        place[side] = at
      if (kind == "stack-overflow" && at && match($0, / in .* /)) {
        function_name = $0 = substr($0, RSTART + 4, RLENGTH - 5)
        sub(/[(<].*/, "")
        if (function_name in called && !again)
          again = $NF " calls itself at " at
        called[function_name]
      }
    }
    END {
      if (kind)
        text = kind (what ? ": " what " at " place["at"] : "") (again ? ": " again : "") beside \
          ("allocated" in place ? " allocated at " place["allocated"] : "")
      sub(/^(this happened|undefined behaviour) in /, "", engine)
      print text (text && engine ? "; " : "") engine
    }' "$1"
}

# race_says FILE: the first race, or else the first other finding, with both sides.
race_says() {
  awk '
    /^RACECHECK: [0-9]+ finding/ { count = $2; next }
    /^RACECHECK: / { n++; open = 1; text[n] = substr($0, 12) ":"; if (/: race/ && !first) first = n; next }
    open && /^  / { sub(/^ */, ""); sub(/ \(launched at [^)]*\)/, ""); text[n] = text[n] " " $0 ";"; next }
    / (wrong|failed|skipped):( |$)/ { open = 0 } # a row of a table: its notes and hints are indented, too
    END {
      if (!n) exit
      line = text[first ? first : 1]
      sub(/;$/, "", line)
      split(line, side, "; ")
      for (i = 1; i <= 2; i++)
        place[i] = match(side[i], /[^ :]+:[0-9]+/) ? substr(side[i], RSTART, RLENGTH) : i
      if (first && place[1] == place[2]) line = line " in the same line"
      print (count > 1 ? count " findings; " : "") line
    }' "$1"
}

# sanitizer_says FILE: the first error of compute-sanitizer, with what it says of both sides.
sanitizer_says() {
  awk '
    /^========= (COMPUTE-SANITIZER|[A-Z]* SUMMARY|Target application|Warning)/ || !/^=====/ { next }
    /^=========  *(Saved host|Host Frame|Device Frame)/ || /^========= *$/ { if (text) exit; next }
    { sub(/^=========  */, ""); text = text (text ? "; " : "") $0; if (++n == 4) exit }
    END { gsub(/\+0x[0-9a-f]*/, "", text); print text }' "$1" | sed "s|$PWD/||g"
}
