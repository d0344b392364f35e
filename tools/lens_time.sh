# lens_time.sh - `make lens`: the time that the kernels of the lens's rows would take, by tools/lens_time.
#
# usage: MAKE=make NVCC=/usr/local/cuda/bin/nvcc CARD=nvidia-h100 sh tools/lens_time.sh ROWS.csv
#        NVCC=... CARD=... sh tools/lens_time.sh ROWS.csv FILE.cu...     of these files instead of labs'
#        NVCC=... CARD=... sh tools/lens_time.sh                         prints where nvdisasm is
#
# Prints a line `time  VARIANT SIZE: ...` for each case, or one that says what is missing: lab 0's rows of the card,
# nvcc, nvdisasm or SciPy. The rest of the suite needs neither of the last two.
# shellcheck shell=sh
set -u
export LC_ALL=C
missing() {
  echo "time  not told: $1"
  exit
}
[ -f "data/reference/$CARD/lab0_ceilings.csv" ] || missing "lab 0's rows of $CARD are not there"
[ -x "${NVCC:-}" ] || missing 'it needs nvcc, which comes with the CUDA Toolkit'
python3 -c 'import scipy' 2>/dev/null || missing 'it needs SciPy: pip install scipy'
for nvdisasm in "${NVDISASM:-nvdisasm}" "${NVCC%/*}/nvdisasm" \
  "$(python3 -c 'import nvidia; print(list(nvidia.__path__)[0])' 2>/dev/null)"/*/bin/nvdisasm; do
  nvdisasm=$(command -v "$nvdisasm") && break
done
[ -n "$nvdisasm" ] || missing 'it needs nvdisasm: pip install nvidia-cuda-nvdisasm'
export NVDISASM="$nvdisasm"
[ $# -gt 0 ] || {
  echo "$nvdisasm"
  exit
}
rows=$1
shift
if [ $# -gt 0 ]; then
  arch=$(sed -n 's/.*"compute_capability": "\([0-9]*\)\.\([0-9]*\)".*/sm_\1\2/p' "data/reference/$CARD/run.json" | sed q)
  work=$(mktemp -d) || exit
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' HUP INT TERM
  n=0
  for file; do
    n=$((n + 1))
    "$NVCC" -std=c++20 -w -O3 -lineinfo --extended-lambda --expt-relaxed-constexpr -cubin -arch="$arch" -o "$work/$n.cubin" "$file" >"$work/said" 2>&1 ||
      missing "nvcc refuses $file: $(grep -m 1 error "$work/said")"
  done
  python3 tools/lens_time/estimate.py "$CARD" "$rows" "$work"/*.cubin
  exit
fi
# A kernel may be in another file than what launches it.
cubins=$(awk -f tools/csv.awk -f tools/column.awk launched_at file "$rows" | tr , '\n' |
  sed -n 's/:.*//; s|.*\.cu$|build/sass/&bin|p' | sort -u)
# shellcheck disable=SC2086  # names without blanks
MAKEFLAGS='' $MAKE -s BACKEND=cpu $cubins >&2 && python3 tools/lens_time/estimate.py "$CARD" "$rows" $cubins
