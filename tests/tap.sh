# tap.sh - what a shell test needs to speak the Test Anything Protocol. A test, tests/NAME.t, is
#
#   #!/bin/sh
#   # NAME.t - what it is about.
#   . tests/tap.sh
#   ok "a file is written" test -s "$folder/file"
#   is "its first line" "$(head -n 1 "$folder/file")" "hello"
#   done_testing
#
# and runs from the project's root with B (the build's folder), BACKEND and MAKE in the environment.
# Sourcing this file sets them where they are not, makes an empty folder, $folder, that is removed
# when the test ends, and lets no test run unless it stands in the project's root.
#
#   ok NAME COMMAND...                   passes if the command succeeds; shows its output if not
#   is NAME GOT EXPECTED                 passes if the two texts are equal
#   like NAME TEXT PATTERN               passes if a line of the text matches the extended regex
#   refuses NAME STATUS PATTERN COMMAND...
#                                        passes if the command exits with STATUS and prints exactly
#                                        one line on stderr, which matches PATTERN
#   exits NAME STATUS COMMAND...         passes if the command exits with STATUS; what it said is in
#                                        $folder/out and $folder/err
#   skip NAME WHY                        a test that cannot run here: what is missing, and how to get it
#   skip_all WHY                         as the first call: the whole file cannot run here
#   sweeps NAME PROGRAM SIZES BLOCKS OPTION...
#                                        the lab's program checks everything and times nothing:
#                                        five tests of its rows, in $folder/rows.csv. Each variant
#                                        that has rows has them for all sizes and blocks; each is
#                                        ok, or skipped for a reason that matches $known_reasons
#   golden NAME FILE                     passes if FILE is as golden/NAME beside the test; with
#                                        ACCEPT=1, which `make test-accept` sets, it is put there.
#                                        It shows the parts that differ of lines that ` | ` divides
#   done_testing                         the plan; last of all. Its status is the test's: 0 if all
#                                        passed
#
# `make test` is to answer within two minutes; what takes long and a changed kernel seldom breaks is
# for `make test-all`: a file that has the line `thorough_only`, and what stands behind
# `if thorough; then`. A file that is named, or run by hand, is run whole.
#
# `lacks COMMAND...` prints which of them, or of Boost.Context, without which there is no CPU build, is
# not here and how to get it, as a WHY; it fails where none is missing. `use_ranks MOST LEAST` sets `ranks` to how many processes, one a GPU, can run here,
# MOST at the most, `few` to that or 3, and `programs` to the folder of theirs: this build's or, where
# it is for GPUs of which there are fewer than LEAST, the CPU build's. It fails, with $why, where
# neither can. `start OPTION... COMMAND...` is mpirun by hand, by root, too, as in a container.
#
# `devices` prints how many of them there are. `breaks COMMAND...`: from now on these commands fail.
#
# `with_awk AWK COMMAND...` runs the command where `awk` is AWK: mawk, or "gawk -N".
#
# `column NAME... FILE` prints columns of a CSV file, as lines of `value,value`. As a COMMAND:
# `not COMMAND...` succeeds where the command fails; `wait_until SECONDS COMMAND...` tries the
# command some 20 times a second until it succeeds, and fails after about SECONDS.
#
# COMMAND runs in a subshell: it cannot set the test's variables. A failure tells what was wrong in
# lines that start with `#`, which tests/run.sh shows.
# shellcheck shell=sh

set -u
LC_ALL=C
: "${B:=build/cpu}" "${BACKEND:=cpu}" "${MAKE:=make}"
# Hundreds of short runs, many of them on cores that others use, too: no thread waits by spinning.
: "${OMP_WAIT_POLICY:=passive}"
export LC_ALL B BACKEND MAKE OMP_WAIT_POLICY
export CUDA_CPU_STRICT=1
unset MAKEFLAGS MAKELEVEL RESULTS # a make in a test is its own, not a part of the `make test` around it

if [ ! -f tests/tap.sh ]; then
    echo "Bail out! Run the tests from the project's root."
    exit 1
fi

root=$(pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' HUP INT TERM

tap_count=0
tap_failed=0

# tap_report STATUS NAME TEXT: a test, passed if the status is 0; else the text tells what is wrong.
tap_report() {
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        printf 'ok %d - %s\n' "$tap_count" "$2"
    else
        tap_failed=$((tap_failed + 1))
        printf 'not ok %d - %s\n' "$tap_count" "$2"
        printf '%s\n' "$3" | sed 's/^/#   /'
    fi
}

ok() {
    tap_name=$1
    shift
    tap_output=$("$@" 2>&1)
    tap_report $? "$tap_name" "failed: $*
$tap_output"
}

is() {
    [ "$2" = "$3" ]
    tap_report $? "$1" "got:
$2
expected:
$3"
}

like() {
    printf '%s\n' "$2" | grep -E -q -e "$3"
    tap_report $? "$1" "no line matches $3 in:
$2"
}

refuses() {
    tap_name=$1 tap_status=$2 tap_pattern=$3
    shift 3
    # The status as a line of its own keeps what a command substitution cuts off: line ends.
    tap_output=$(
        "$@" 2>&1 >/dev/null
        echo "exit status $?"
    )
    [ "$(printf '%s\n' "$tap_output" | wc -l)" -eq 2 ] &&
        [ "$(printf '%s\n' "$tap_output" | tail -n 1)" = "exit status $tap_status" ] &&
        printf '%s\n' "$tap_output" | head -n 1 | grep -E -q -e "$tap_pattern"
    tap_report $? "$tap_name" "expected status $tap_status and one line like: $tap_pattern
of: $*
got on stderr:
$tap_output"
}

exits() {
    tap_name=$1 tap_status=$2
    shift 2
    "$@" >"$folder/out" 2>"$folder/err"
    tap_got=$?
    [ $tap_got -eq "$tap_status" ]
    tap_report $? "$tap_name" "status $tap_got, not $tap_status, of: $*
$(tail -n 5 "$folder/err")"
}

skip() {
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

skip_all() {
    printf '1..0 # SKIP %s\n' "$1"
    exit 0
}

thorough_only() {
    :
}

thorough() {
    [ "${TEST_ALL-1}" = 1 ]
}

lacks() {
    for tap_tool; do
        case $tap_tool in
        Boost.Context) sh "$root/tools/boost_context.sh" g++ && continue ;;
        *) command -v "$tap_tool" >/dev/null 2>&1 && continue ;;
        esac
        case $tap_tool in
        nvcc | compute-sanitizer) echo "$tap_tool is missing: it comes with the CUDA Toolkit" ;;
        pandoc | pdflatex | pdftotext) echo "$tap_tool is missing: make setup-report installs it" ;;
        gnuplot | sqlite3 | mpirun | Boost.Context) echo "$tap_tool is missing: make setup installs it" ;;
        *) echo "$tap_tool is missing: make setup-dev installs it" ;;
        esac
        return 0
    done
    return 1
}

# take_build BUILD FOLDER: what the suite's own files were built to, as a start for another build.
take_build() (
    mkdir -p "$2/cuda_on_cpu" && cd "$1" || exit
    cp -rp common libcommon.a build_flags host_flags boost_context ./*_FLAGS "$2"
    cp -p cuda_on_cpu/*.* "$2/cuda_on_cpu"
) 2>/dev/null

breaks() {
    mkdir -p "$folder/bin"
    for tap_tool; do
        printf '#!/bin/sh\nexit 1\n' >"$folder/bin/$tap_tool" && chmod +x "$folder/bin/$tap_tool"
    done
    PATH=$folder/bin:$PATH
}

# devices: how many a program may use, which CUDA_VISIBLE_DEVICES tells it, not nvidia-smi.
devices() {
    "$programs/vecadd" --device 1024 2>&1 | sed -n 's/.*: there [a-z]* \([0-9]*\) devices*, .*/\1/p'
}

# shellcheck disable=SC2034  # what it sets is the test's
use_ranks() {
    export OMPI_MCA_pml=ob1 # of one host: no network is looked for, a quarter of the time
    ranks=$1 programs=$root/$B
    case $B in /*) programs=$B ;; esac
    if [ "$BACKEND" != cpu ]; then
        tap_gpus=$(devices)
        if [ "$tap_gpus" -lt "$2" ]; then
            why="needs $2 GPUs, or Boost.Context and MPI for the CPU build, which make setup installs"
            programs=$root/build/cpu
            [ -x "$programs/vecadd" ] || return 1
        elif [ "$tap_gpus" -lt "$ranks" ]; then
            ranks=$tap_gpus
        fi
    fi
    few=$((ranks < 3 ? ranks : 3))
    why='this build lacks MPI and NCCL, which several GPUs need: make setup installs MPI'
    ! "$programs/vecadd" --gpus 1 --check-only --sizes 1 2>&1 | grep -q 'lacks MPI'
}

start() {
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 mpirun --quiet \
        --bind-to none --map-by :OVERSUBSCRIBE "$@"
}

with_awk() {
    tap_awk=$folder/awks/${1%% *}
    if mkdir -p "$folder/awks" && mkdir "$tap_awk" 2>/dev/null; then
        printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "${1%% *}")${1#"${1%% *}"}" >"$tap_awk/awk"
        chmod +x "$tap_awk/awk"
    fi
    shift
    env PATH="$tap_awk:$PATH" "$@"
}

not() {
    ! "$@"
}

wait_until() {
    tap_end=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -le "$tap_end" ] || return 1
        sleep 0.05
    done
}

column() {
    awk -f "$root/tools/csv.awk" -f "$root/tools/column.awk" "$@"
}

golden() {
    tap_golden=$(dirname "$0")/golden/$1
    if [ "${ACCEPT:-}" = 1 ]; then
        mkdir -p "${tap_golden%/*}"
        cp "$2" "$tap_golden"
    fi
    cmp -s "$tap_golden" "$2"
    tap_report $? "$1 is as in $tap_golden" \
        "< expected, > got; \`make test-accept TESTS=$0\` accepts it
$({ tap_parts "$tap_golden" >"$folder/tap_expected" &&
            tap_parts "$2" | diff "$folder/tap_expected" -; } 2>&1 | head -n 12)"
}

# tap_parts FILE: its lines; each part of those that ` | ` divides, behind the line's first.
tap_parts() {
    awk -F ' [|] ' '
        /^[|]/ || NF < 2 { print; next }
        { for (i = 2; i <= NF; i++) print $1 " | " $i }' "$1"
}

known_reasons=. # any reason; tests name theirs

# missing_rows SIZES BLOCKS: what lacks rows in $folder/rows.csv, by the kinds in $folder/list. A
# variant with another block than these has a block of its own.
missing_rows() {
    column variant parameters block_x block_y "$folder/rows.csv" |
        awk -F , -v sizes="$1" -v blocks="$2" '
        BEGIN {
            n_sizes = split(sizes, size, " ")
            n_blocks = split(blocks, block, " ")
            for (b in block)
                chosen[block[b]] chosen[block[b] "x" block[b]] chosen[block[b] "x1"]
        }
        FILENAME != "-" { split($0, word, " "); kind[word[1]] = word[2]; next }
        { what = $1 "," $2; rows[what]++; variant[what] = $1 }
        !($3 "x" $4 in chosen) { own[what] }
        END {
            for (what in rows) {
                gpu = kind[variant[what]] == "gpu"
                wanted = n_sizes * (gpu && !(what in own) ? n_blocks : 1)
                if (rows[what] != wanted)
                    print what ": " rows[what] " rows, not " wanted
            }
        }' "$folder/list" -
}

sweeps() {
    tap_sweep=$1 tap_program=$2 tap_sizes=$3 tap_blocks=$4
    shift 4
    "$tap_program" --list >"$folder/list"
    ok "$tap_sweep: every check passes" "$tap_program" --check-only --fresh \
        --csv "$folder/rows.csv" --sizes "$tap_sizes" --blocks "$tap_blocks" "$@"
    is "$tap_sweep: a table of 80 columns" "$(echo "$tap_output" | awk 'length > 80 && !/^[a-z0-9_]*: /')" ''
    is "$tap_sweep: no row is missing" "$(missing_rows "$tap_sizes" "$tap_blocks")" ''
    column status note "$folder/rows.csv" >"$folder/statuses"
    is "$tap_sweep: all is ok, or skipped for a known reason" \
        "$(grep -vE "^ok,|^skipped,.*($known_reasons)" "$folder/statuses")" ''
    is "$tap_sweep: no time without timing" "$(column time_s "$folder/rows.csv" | grep .)" ''
}

done_testing() {
    printf '1..%d\n' "$tap_count"
    [ "$tap_failed" -eq 0 ]
}
