#!/bin/sh
# profile.t - make profile, around the CPU build's programs: a script stands for ncu, runs the
# program and writes what ncu writes (a table of --page raw --csv as Nsight Compute prints it). The
# numbers in it are made up; what is looked at is what becomes of them.
# shellcheck source=tests/tap.sh
. tests/tap.sh

mkdir "$folder/bin" "$folder/results"
PATH=$folder/bin:$PATH
out=$folder/results/profile.csv
export NCU=ncu FAKE="$folder"

# record FIELD...: a line of the table, every field quoted.
record() {
  printf '"%s",' "$@" | sed 's/,$//'
  echo
}

# kernel NAME COUNTER...: the line of a kernel.
kernel() {
  kernel_name=$1
  shift
  record 0 4242 program 127.0.0.1 "$kernel_name" 1 7 '(256, 1, 1)' '(4, 1, 1)' 0 9.0 "$@"
}

# The table's first two records, as of 2025.3, and behind them those of the variant's kernels.
{
  cat <<'END'
==PROF== Connected to process 4242 (/somewhere/program)
==PROF== Profiling "kernel" - 0: 0%....50%....100% - 5 passes
==PROF== Disconnected from process 4242
END
  record ID 'Process ID' 'Process Name' 'Host Name' 'Kernel Name' Context Stream 'Block Size' \
    'Grid Size' Device CC dram__bytes_read.sum dram__bytes_write.sum \
    dram__throughput.avg.pct_of_peak_sustained_elapsed gpu__time_duration.sum lts__t_bytes.sum \
    sm__throughput.avg.pct_of_peak_sustained_elapsed \
    sm__warps_active.avg.pct_of_peak_sustained_active \
    smsp__issue_active.avg.pct_of_peak_sustained_active
  record '' '' '' '' '' '' '' '' '' '' '' byte byte % ns byte % % %
} >"$folder/head"
{ # two kernels, thousands separators, a comma and a quote in a name
  cat "$folder/head"
  kernel 'void one<float, ""x"">(float *, int)' 1,000,000 2,000 10 3,000 4,000,000,000 20 40.50 8
  kernel 'two(int)' 500 1 50 1,000 7 60 80.50 16
} >"$folder/naive"
# a counter that this GPU does not have, and the older name of a nanosecond
{
  sed 's/"ns"/"nsecond"/' "$folder/head"
  kernel k 10 20 n/a 1,234,567.5 30 5 6 7
} >"$folder/grid_stride"
cat >"$folder/vector4" <<'END'
==PROF== Connected to process 4242 (/somewhere/program)

==ERROR== An error was reported by the driver

==ERROR== Profiling failed because a "driver resource", it says, was unavailable.
==ERROR== Failed to profile "vector4" in process 4242
==PROF== Trying to shutdown target application
==ERROR== The application returned an error code (9).
END

# Runs the program as ncu would: with its options first, the table into --log-file.
cat >"$folder/bin/ncu" <<'END'
#!/bin/sh
echo "$*" >>"$FAKE/calls"
while :; do
  case $1 in
    --csv) shift ;;
    --log-file) log=$2; shift 2 ;;
    --page | --print-units | --clock-control | --cache-control | --metrics) shift 2 ;;
    --*) echo "==ERROR== unrecognised option '$1'"; exit 1 ;;
    *) break ;;
  esac
done
"$@" || { echo "==ERROR== The application returned an error code ($?)." >"$log"; exit 1; }
for word do variant=$word; done
[ "$variant" != --check-only ] || for word do
  [ "${last:-}" != --variants ] || variant=$word
  last=$word
done
if [ -f "$FAKE/hang" ]; then
  touch "$FAKE/hanging"
  sleep 0.5
fi
cat "${FAKE_TABLE:-$FAKE/$variant}" >"$log"
! grep -q ==ERROR== "$log"
END
chmod +x "$folder/bin/ncu"

# profile [PROGRAM OPTION...]: lab 1, then another. A program, so that env can run it.
cat >"$folder/bin/profile" <<'END'
#!/bin/sh
. tools/profile.sh
begin_profile "$FAKE/results/profile.csv" here
profile_lab "$B/vecadd" --sizes "${FAKE_SIZES:-1000}" --blocks 32
[ $# -eq 0 ] || profile_lab "$@"
end_profile
END
chmod +x "$folder/bin/profile"
# row VARIANT COLUMN...: those columns of its row
row() {
  name=$1
  shift
  column variant "$@" "$out" | sed -n "s/^$name,//p"
}
counters='kernels time_s achieved_occupancy dram_read_bytes dram_write_bytes l2_bytes'
counters="$counters issue_utilisation sm_throughput dram_throughput status note"

# shellcheck disable=SC2086  # a list of names
{
  ok 'three variants of lab 1' profile
  is 'what a row is of' "$(row naive lab machine parameters width height block_x block_y)" \
    'lab1_vecadd,here,type=f32,1000,1,32,1'
  is 'two kernels: bytes and times are sums, shares are weighted by time' "$(row naive $counters)" \
    '2,4e-06,0.505,1000500,2001,4000000007,0.1,0.3,0.2,ok,'
  is 'a counter that is not there is an empty field' "$(row grid_stride $counters)" \
    '1,0.0012345675,0.06,10,20,30,0.07,0.05,,ok,'
  is "a failure: that row is skipped, with ncu's first error that says something" \
    "$(row vector4 $counters)" \
    ',,,,,,,,,skipped,Profiling failed because a "driver resource", it says, was unavailable.'
}
is 'a program runs once a variant under ncu' "$(wc -l <"$folder/calls" | tr -d ' ')" 3
like 'ncu gets the options, then the program' "$(cat "$folder/calls")" \
  "--csv --page raw .* $B/vecadd --sizes 1000 --blocks 32 --variants naive --check-only\$"
is 'nothing else is left' "$(ls "$folder/results")" profile.csv

for variant in $("$B/matprod" --list | awk '$2 != "cpu" && $1 != "naive" { print $1 }'); do
  cp "$folder/naive" "$folder/$variant"
done
ok 'two labs' profile "$B/matprod" --sizes 16 --blocks 4
is 'each lab with its own options' "$(row shared_tile lab width height block_x block_y kernels)" \
  'lab2_matprod,16,16,4,4,2'
if "$B/matprod" --list | grep -q 'cublas .*not in this build'; then
  is 'a variant that cannot run has its reason' "$(row cublas status note)" \
    'skipped,needs cuBLAS, which this build lacks'
else
  skip 'a variant that cannot run has its reason' 'this build has cuBLAS'
fi
cat >"$folder/bin/prefix" <<'END'
#!/bin/sh
echo "$*" >>"$FAKE/prefixed"
exec "$@"
END
chmod +x "$folder/bin/prefix"
ok 'RUN' env RUN=prefix profile
like 'RUN stands before ncu' "$(cat "$folder/prefixed")" '^ncu --csv'

# ---- what must not replace an older profile.csv --------------------------------------------------

keeps() {
  is "$1: the old file stays, alone" "$(cat "$out") $(ls "$folder/results")" 'old profile.csv'
}
echo old >"$out"

cat >"$folder/permission" <<'END'
==PROF== Connected to process 4242 (/somewhere/program)
==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU
==PROF== Disconnected from process 4242
END
: >"$folder/calls"
refuses 'no permission' 1 \
  'only administrators.*RUN=sudo.*NVreg_Restr[A-Za-z]*=0.*https://.*ERR_NVGPUCTRPERM' \
  env FAKE_TABLE="$folder/permission" profile
is 'one try is enough' "$(wc -l <"$folder/calls" | tr -d ' ')" 1
keeps 'no permission'

printf '==WARNING== No kernels were profiled.\n' >"$folder/no_kernel"
refuses 'no kernel' 1 'nothing could be measured: No kernels were profiled' \
  env FAKE_TABLE="$folder/no_kernel" profile
keeps 'no kernel'

sed 's/"ns"/"us"/' "$folder/naive" >"$folder/units"
refuses 'a unit that is no base unit' 1 "gpu__time_duration.sum in 'us'" \
  env FAKE_TABLE="$folder/units" profile
sed 's/,"7"$//; s/,"16"$//' "$folder/naive" >"$folder/short"
refuses 'a row that does not fit' 1 '18 fields under 19 columns' \
  env FAKE_TABLE="$folder/short" profile

refuses 'no ncu' 1 'Nsight Compute comes with the CUDA Toolkit; NCU=PATH' \
  env NCU="$folder/no/ncu" profile
refuses 'a program that fails' 1 "vecadd ended with status 2: .*'x' is not a legal size" \
  env FAKE_SIZES=x profile
keeps 'a program that fails'

touch "$folder/hang"
profile >/dev/null 2>&1 &
started=$!
ok 'ncu is at work' wait_until 20 test -f "$folder/hanging"
kill -TERM $started # Ctrl-C has the same trap, but a shell's background jobs ignore it
wait $started
is 'stopped: the exit status tells' $? 143
keeps 'stopped'

# ---- make ----------------------------------------------------------------------------------------

message=$("$MAKE" profile BACKEND=cpu 2>&1)
is 'without a GPU: make fails' $? 2
like 'and says why' "$message" \
  '^profile: this build runs the kernels on the CPU .*no GPU to profile'
if command -v "${NVCC:-/usr/local/cuda/bin/nvcc}" >/dev/null 2>&1; then
  like 'with one, each lab that says what to profile is profiled so' \
    "$("$MAKE" -n profile BACKEND=cuda ARCH=sm_90a MACHINE=here | grep 'profile_lab.*matprod')" \
    "$(sed -n 's/^PROFILE = /profile_lab build.cuda.matprod /p' lab2_matprod/lab.mk)"
else
  skip 'with one, each lab that says what to profile is profiled so' 'nvcc is not here'
fi
done_testing
