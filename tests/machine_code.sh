#!/bin/sh
# machine_code.sh - compares the kernels' machine code of two builds, instruction by instruction: has
# a change that is to leave the kernels alone done so? (PTX would not do: its registers' numbers move.)
# usage: tests/machine_code.sh OLD NEW [ARCHITECTURE]
#
# OLD and NEW are programs, objects or cubins, or folders of such, e.g. build/cuda before and behind;
# without an architecture sm_90a. A line for each kernel:
#
#   same       the same instructions in the same code
#   encoded    the same instructions, encoded otherwise (waits, banks): to be timed
#   differs    how many instructions each has: to be timed
#   gone, new  only one of the two has it
#
# Exit status 1 unless all are the same. Needs cuobjdump and nvdisasm of the CUDA Toolkit, and c++filt.
set -u
PATH=$PATH:/usr/local/cuda/bin
[ $# -eq 2 ] || [ $# -eq 3 ] || { sed -n 's/^# usage: //p' "$0" >&2; exit 2; }
command -v cuobjdump >/dev/null || { echo "machine_code: cuobjdump is missing" >&2; exit 2; }

folder=$(mktemp -d) || exit
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

# listing OUT PATH ARCHITECTURE: the instructions of all kernels in a file, or in a folder's files.
listing() {
  find "$2" -type f \( -perm -u+x -o -name '*.cubin' -o -name '*.o' \) >"$folder/files"
  [ -d "$2" ] || echo "$2" >"$folder/files"
  while read -r file; do
    cuobjdump -sass -arch "$3" "$file" 2>/dev/null
  done <"$folder/files" | c++filt -p | sed 's/ *$//' >"$1"
  grep -q 'Function : ' "$1" || { echo "machine_code: $2: no code for $3" >&2; exit 2; }
}

listing "$folder/old" "$1" "${3:-sm_90a}"
listing "$folder/new" "$2" "${3:-sm_90a}"
awk -v new="$folder/new" '
  # Each instruction has two lines; what is between /* and */ at their ends is the code.
  /Function : / {
    kernel = $0
    sub(/.*Function : /, "", kernel)
    which = FILENAME == new
    has[which, kernel] = 1
    if (!seen[kernel]++)
      order[++kernels] = kernel
    text[which, kernel] = code[which, kernel] = ""
    count[which, kernel] = 0
    next
  }
  kernel != "" && /\/\* 0x[0-9a-f]+ \*\/$/ {
    code[which, kernel] = code[which, kernel] substr($0, length($0) - 21)
    if ($1 !~ /^\/\*[0-9a-f]+\*\/$/)
      next
    instruction = $0
    sub(/ *\/\* 0x[0-9a-f]+ \*\/$/, "", instruction)
    text[which, kernel] = text[which, kernel] instruction "\n"
    count[which, kernel]++
  }
  END {
    for (k = 1; k <= kernels; k++) {
      name = order[k]
      verdict = !has[0, name] ? "new" : !has[1, name] ? "gone" : \
        text[0, name] != text[1, name] ? "differs" : code[0, name] != code[1, name] ? "encoded" : "same"
      printf "%-8s %6d %6d  %s\n", verdict, count[0, name], count[1, name], name
      differ += verdict != "same"
    }
    printf "%d kernels, %d the same\n", kernels, kernels - differ
    exit differ > 0
  }' "$folder/old" "$folder/new"
