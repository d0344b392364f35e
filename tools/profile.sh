# profile.sh - what Nsight Compute measures of each lab's GPU and vendor variants (`make profile`).
#
#   . tools/profile.sh
#   begin_profile OUT.csv MACHINE [RESULTS.db]
#   profile_lab PROGRAM OPTION...       each lab
#   end_profile
#
# The options name one size, one block and the lab's input. RESULTS.db is what report/analyse.sh
# made of the machine's rows: a lab that has rows there is profiled at the size that the report
# tells of, each variant with its best block, in place of the options'. Without sqlite3 sizes and
# blocks are those of data/reference/MACHINE/profile.csv, if it is there. Each program first runs by
# itself, which says which variants belong to these options and checks them. Then each variant has a
# run of its own under ncu, once: with --check-only a program launches a variant a single time
# (run_once() in sweep_case.c; present() belongs to runs with positional arguments), so all kernels
# that ncu sees are the variant's. Clearing memory and copying is no kernel to ncu. $NCU is its
# path; RUN stands before it.
#
# ncu runs a kernel several times, a few counters each time, and empties the caches before each:
# cold, as the suite measures by default, but also between the kernels of one variant, where the
# suite leaves the cache as it is. The clocks are left alone.
#
# OUT.csv (RFC 4180) has a row for each variant: what its row of results says of it (block_x and
# block_y are empty for a library's), `kernels`, how many it launches, the columns of
# tools/counters.txt, which says what they mean and which of ncu's metrics they are, and `status`
# and `note`: ok; or skipped and why. A metric that the GPU does not have is an empty field. The
# file is replaced when all is done; before that, and where nothing could be measured, what was
# there stays. Exit status: 0; 1 nothing measured, with the reason in one line.
# shellcheck shell=sh
set -eu

own=lab,variant,machine,parameters,width,height,depth,block_x,block_y
table=tools/counters.txt

die() {
  echo "profile: $*" >&2
  exit 1
}

# names columns|metrics: those of the table, with commas between them.
names() {
  awk -v counters="$table" -v list="$1" -f tools/counters.awk
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
  if { [ -n "$why" ] || [ ! -s "$draft/table.csv" ]; } && leave_out_unknown; then
    measure "$@"
  fi
}

# Takes out of $metrics those that this GPU does not have: ncu may refuse all for one. Tried once;
# fails if there are none.
leave_out_unknown() {
  [ -z "$asked" ] || return
  asked=1
  # shellcheck disable=SC2086
  ${RUN:-} "$NCU" --query-metrics </dev/null 2>/dev/null | awk '{ print $1 }' >"$draft/known" || :
  grep -qx gpu__time_duration "$draft/known" || return # that is no list
  all=$metrics
  metrics=$(echo "$all" | tr , '\n' | awk -F . '
    NR == FNR { known[$1]; next } $1 in known { printf "%s%s", n++ ? "," : "", $0 }' \
    "$draft/known" -)
  [ "$metrics" != "$all" ]
}

# best PROGRAM: lines of a variant, its best block (- if it has none) and the lab's size: of the
# machine's rows, or without sqlite3 those of the machine's recorded profile.
best() {
  if command -v sqlite3 >/dev/null 2>&1; then
    [ ! -f "$db" ] || sqlite3 -readonly -separator ' ' "$db" "
      select variant, coalesce(block_x || 'x' || coalesce(block_y, 1), '-'),
        case best.sizes_are when 'vector' then width when 'image' then width || 'x' || height
          else height || 'x' || width || 'x' || depth end
      from best join labs using (lab) where best.origin = 'own' and program = '${1##*/}'"
  elif [ -f "$recorded" ]; then
    # shellcheck disable=SC2086
    ${RUN:-} "$1" --describe </dev/null >"$draft/lab.csv"
    columns lab,variant,block_x,block_y,width,height,depth "$recorded" |
      awk -F , -v lab="$(columns lab,sizes_are "$draft/lab.csv")" '
        BEGIN { split(lab, is, ",") }
        $1 != is[1] { next }
        { size = is[2] == "vector" ? $5 : is[2] == "image" ? $5 "x" $6 : $6 "x" $5 "x" $7
          sizes += !(size in seen); seen[size]
          line = line $2 " " ($3 == "" ? "-" : $3 "x" ($4 == "" ? 1 : $4)) " " size "\n" }
        END { if (sizes == 1) printf "%s", line } # lab 0 has a size for each measure'
  fi
}

# profile_lab PROGRAM OPTION...
profile_lab() {
  # shellcheck disable=SC2086
  ${RUN:-} "$1" --list </dev/null | awk '$2 != "cpu" && $2 != "gpus" { print $1 }' >"$draft/variants"
  [ -s "$draft/variants" ] || die "$1 --list names no GPU variant"
  best "$1" >"$draft/best"
  # Lines of a variant and its block; -, which is the options' block, where it has no row.
  awk 'FILENAME == ARGV[1] { block[$1] = $2; next } { print $1, $1 in block ? block[$1] : "-" }' \
    "$draft/best" "$draft/variants" >"$draft/blocks"
  [ ! -s "$draft/best" ] || set -- "$@" --sizes "$(awk '{ print $3; exit }' "$draft/best")"
  rm -f "$draft/rows.csv"
  awk '!seen[$2]++ { print $2 }' "$draft/blocks" >"$draft/distinct"
  while read -r block <&3; do
    check_at "$@"
  done 3<"$draft/distinct"
  while read -r variant block <&3; do
    profile_variant "$@"
  done 3<"$draft/blocks"
}

# check_at PROGRAM OPTION...: the variants whose block is $block, without ncu; their rows go to
# $draft/rows.csv.
check_at() {
  chosen=$(awk -v block="$block" '$2 == block { printf "%s ", $1 }' "$draft/blocks")
  # shellcheck disable=SC2046  # an option and its value
  quietly "$@" $(at_block) --check-only --variants "$chosen" --machine "$machine" \
    --csv "$draft/rows.csv"
  # 1: a variant was wrong, which its row says; 2: also where none of these belongs to the options
  [ "$status" -le 1 ] || grep -q 'nothing to run: no chosen variant' "$draft/errors" || die "$1 ended with status $status: $(tail -n 1 "$draft/errors")"
}

at_block() {
  [ "$block" = - ] || echo "--blocks $block"
}

# profile_variant PROGRAM OPTION...: $variant with $block. One that does not belong to the options
# has no row.
profile_variant() {
  [ -f "$draft/rows.csv" ] || return 0
  columns variant,status,note "$draft/rows.csv" | grep "^$variant," >"$draft/row" || return 0
  IFS=, read -r variant state why <"$draft/row"
  : >"$draft/table.csv"
  # shellcheck disable=SC2046
  case $state in
    ok) measure "$@" $(at_block) --variants "$variant" ;;
    skipped) ;;
    *) why="$state: $why" ;;
  esac
  row=$(columns "$own" "$draft/rows.csv" | grep -m 1 "^[^,]*,$variant,")
  awk -v counters="$table" -v row="$row" -v why="$why" -v out="$draft/profile.csv" \
    -f tools/csv.awk -f tools/counters.awk -f tools/profile.awk "$draft/table.csv"
}

# columns NAME,NAME... FILE
columns() {
  # shellcheck disable=SC2046  # names without blanks
  awk -f tools/csv.awk -f tools/column.awk $(echo "$1" | tr , ' ') "$2"
}

begin_profile() {
  out=$1 machine=$2 db=${3:-} asked=''
  recorded=data/reference/$machine/profile.csv
  command -v "$NCU" >/dev/null 2>&1 ||
    die "there is no $NCU: Nsight Compute comes with the CUDA Toolkit; NCU=PATH says where it is"
  metrics=$(names metrics)

  # Beside OUT.csv: where RUN starts programs on another machine, that sees this folder, too.
  draft=$out.draft
  trap 'rm -rf "$draft"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  rm -rf "$draft"
  mkdir -p "$draft"
  printf '%s\r\n' "$own,kernels,$(names columns),status,note" >"$draft/profile.csv"
}

# Rows of other labs that $out has, if they are of the same columns.
keep_other_labs() {
  [ -f "$out" ] && [ "$(sed 1q "$out")" = "$(sed 1q "$draft/profile.csv")" ] || return 0
  awk -F , 'NR == FNR { measured[$1]; next } !($1 in measured)' "$draft/profile.csv" "$out" \
    >"$draft/others"
  { sed 1q "$out" && { sed 1d "$draft/profile.csv" && cat "$draft/others"; } |
    sort -s -t , -k 1,1; } >"$draft/all.csv"
  mv "$draft/all.csv" "$draft/profile.csv"
}

end_profile() {
  columns status,note "$draft/profile.csv" >"$draft/all"
  measured=$(grep -c '^ok,' "$draft/all") ||
    die "nothing could be measured: $(sed -n '1s/^skipped,//p' "$draft/all")"
  echo "profile: $measured variants measured, $(grep -c '^skipped,' "$draft/all" || :) skipped"
  keep_other_labs
  mv "$draft/profile.csv" "$out"
}
