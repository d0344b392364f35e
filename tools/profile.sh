# profile.sh - what Nsight Compute measures of each lab's GPU and vendor variants (`make profile`).
#
#   . tools/profile.sh
#   begin_profile OUT.csv MACHINE
#   profile_lab PROGRAM OPTION...       each lab
#   end_profile
#
# The options name one size, one block and the lab's input. Each program first runs by itself, which
# says which variants belong to these options and checks them. Then each variant has a run of its
# own under ncu, once: with --check-only a program launches a variant a single time (run_once() in
# sweep_case.c; present() belongs to runs with positional arguments), so all kernels that ncu sees
# are the variant's. Clearing memory and copying is no kernel to ncu. $NCU is its path; RUN stands
# before it.
#
# ncu runs a kernel several times, a few counters each time, and empties the caches before each:
# cold, as the suite measures by default, but also between the kernels of one variant, where the
# suite leaves the cache as it is. The clocks are left alone.
#
# OUT.csv (RFC 4180) has a row for each variant: what its row of results says of it (block_x and
# block_y are empty for a library's), then
#
#   kernels            how many it launches
#   time_s             their times' sum, in seconds, cold, at the clock that there was
#   achieved_occupancy share of a multiprocessor's warps that were there, while it had any
#   dram_read_bytes, dram_write_bytes, l2_bytes        moved, summed over the kernels
#   issue_utilisation  share of the cycles with a warp in which a scheduler issued an instruction:
#                      nvprof's issue_slot_utilization
#   sm_throughput, dram_throughput                     shares of what the hardware sustains
#   status, note       ok; or skipped and why
#
# Shares are 0..1, of several kernels the mean weighted by their times. A counter that the GPU does
# not have is an empty field. The file is replaced when all is done; before that, and where nothing
# could be measured, what was there stays. Exit status: 0; 1 nothing measured, with the reason in
# one line.
# shellcheck shell=sh
set -eu
LC_ALL=C # a decimal point in ncu's numbers
export LC_ALL

own=lab,variant,machine,parameters,width,height,depth,block_x,block_y
counters=time_s,achieved_occupancy,dram_read_bytes,dram_write_bytes,l2_bytes
counters=$counters,issue_utilisation,sm_throughput,dram_throughput
# What ncu calls the counters, in that order.
metrics=gpu__time_duration.sum
metrics=$metrics,sm__warps_active.avg.pct_of_peak_sustained_active
metrics=$metrics,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_bytes.sum
metrics=$metrics,smsp__issue_active.avg.pct_of_peak_sustained_active
metrics=$metrics,sm__throughput.avg.pct_of_peak_sustained_elapsed
metrics=$metrics,dram__throughput.avg.pct_of_peak_sustained_elapsed

die() {
  echo "profile: $*" >&2
  exit 1
}

# quietly COMMAND...: its standard error goes to $draft/errors, its end to $status
quietly() {
  status=0
  # shellcheck disable=SC2086  # RUN is a command and its arguments
  ${RUN:-} "$@" </dev/null >/dev/null 2>"$draft/errors" || status=$?
}

# measure PROGRAM OPTION... --variants NAME: leaves ncu's table in $draft/table.csv, and in $why
# what kept it from measuring: its first error that says something, or the last line on standard
# error.
measure() {
  rm -f "$draft/log" # with RUN=sudo it may be root's
  quietly "$NCU" --csv --page raw --print-units base --clock-control none --cache-control all \
    --metrics "$metrics" --log-file "$draft/log" "$@" --check-only
  cat "$draft/log" "$draft/errors" >"$draft/said" 2>/dev/null || :
  if grep -q ERR_NVGPUCTRPERM "$draft/said"; then
    die "the driver lets only administrators read the GPU's counters (ERR_NVGPUCTRPERM). Try" \
      "make profile RUN=sudo, or load the module nvidia with" \
      "NVreg_RestrictProfilingToAdminUsers=0: https://developer.nvidia.com/ERR_NVGPUCTRPERM"
  fi
  # Between ncu's messages and behind them lies its table: the lines that start with a quote.
  sed -n '/^"/p' "$draft/said" >"$draft/table.csv"
  why=$(sed -n 's/^==ERROR== //p' "$draft/said" | grep -v '^An error was reported by [a-z ]*:*$' |
    head -n 1)
  if [ -z "$why" ] && [ "$status" -ne 0 ]; then
    why=$(grep -v -e '^==' -e '^"' -e '^$' "$draft/said" | tail -n 1)
    : "${why:=ncu ended with status $status}"
  fi
}

# profile_lab PROGRAM OPTION...
profile_lab() {
  # shellcheck disable=SC2086
  variants=$(${RUN:-} "$1" --list </dev/null | awk '$2 != "cpu" { printf "%s ", $1 }')
  [ -n "$variants" ] || die "$1 --list names no GPU variant"
  quietly "$@" --check-only --variants "$variants" --machine "$machine" --csv "$draft/rows.csv" \
    --fresh
  # 1: a variant was wrong, which its row says
  [ "$status" -le 1 ] || die "$1 ended with status $status: $(tail -n 1 "$draft/errors")"
  columns variant,status,note "$draft/rows.csv" >"$draft/variants"
  while IFS=, read -r variant state why <&3; do
    : >"$draft/table.csv"
    case $state in
      ok) measure "$@" --variants "$variant" ;;
      skipped) ;;
      *) why="$state: $why" ;;
    esac
    row=$(columns "$own" "$draft/rows.csv" | grep -m 1 "^[^,]*,$variant,")
    awk -v row="$row" -v metrics="$metrics" -v why="$why" -v out="$draft/profile.csv" \
      -f tools/csv.awk -f tools/profile.awk "$draft/table.csv"
  done 3<"$draft/variants"
}

# columns NAME,NAME... FILE
columns() {
  # shellcheck disable=SC2046  # names without blanks
  awk -f tools/csv.awk -f tools/column.awk $(echo "$1" | tr , ' ') "$2"
}

begin_profile() {
  out=$1 machine=$2
  command -v "$NCU" >/dev/null 2>&1 ||
    die "there is no $NCU: Nsight Compute comes with the CUDA Toolkit; NCU=PATH says where it is"

  # Beside OUT.csv: where RUN starts programs on another machine, that sees this folder, too.
  draft=$out.draft
  trap 'rm -rf "$draft"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  rm -rf "$draft"
  mkdir -p "$draft"
  printf '%s\r\n' "$own,kernels,$counters,status,note" >"$draft/profile.csv"
}

end_profile() {
  columns status,note "$draft/profile.csv" >"$draft/all"
  measured=$(grep -c '^ok,' "$draft/all") ||
    die "nothing could be measured: $(sed -n '1s/^skipped,//p' "$draft/all")"
  echo "profile: $measured variants measured, $(grep -c '^skipped,' "$draft/all" || :) skipped"
  mv "$draft/profile.csv" "$out"
}
