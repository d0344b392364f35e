#!/bin/sh
# profile.t - make profile, around the CPU build's programs: a script stands for ncu, runs the
# program and writes what ncu writes (a table of --page raw --csv as Nsight Compute prints it). The
# numbers in it are made up; what is looked at is what becomes of them.
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

# The table's first two records, as of 2025.3, and behind them those of the variant's kernels.
{
  cat <<'END'
==PROF== Connected to process 4242 (/somewhere/program)
==PROF== Profiling "kernel" - 0: 0%....50%....100% - 5 passes
==PROF== Disconnected from process 4242
END
  record ID 'Kernel Name' dram__bytes_read.sum dram__bytes_write.sum \
    dram__throughput.avg.pct_of_peak_sustained_elapsed gpu__time_duration.sum lts__t_bytes.sum \
    sm__throughput.avg.pct_of_peak_sustained_elapsed \
    sm__warps_active.avg.pct_of_peak_sustained_active \
    smsp__issue_active.avg.pct_of_peak_sustained_active
  record '' '' byte byte % ns byte % % %
} >"$folder/head"
{ # two kernels, thousands separators, a comma and a quote in a name
  cat "$folder/head"
  record 0 'void one<float, ""x"">(int)' 1,000,000 2,000 10 3,000 4,000,000,000 20 40.50 8
  record 1 'two(int)' 500 1 50 1,000 7 60 80.50 16
} >"$folder/naive"
# a counter that this GPU does not have, and the older name of a nanosecond
{
  sed 's/"ns"/"nsecond"/' "$folder/head"
  record 0 k 10 20 n/a 1,234,567.5 30 5 6 7
} >"$folder/grid_stride"
cat >"$folder/vector4" <<'END'
==PROF== Connected to process 4242 (/somewhere/program)

==ERROR== An error was reported by the driver

==ERROR== Profiling failed because a "driver resource", it says, was unavailable.
==ERROR== Failed to profile "vector4" in process 4242
==PROF== Trying to shutdown target application
==ERROR== The application returned an error code (9).
END

# Runs the program as ncu would: what follows is the option --log-file, the table's, and then the
# program with its options, of which the last but one names the variant.
cat >"$folder/bin/ncu" <<'END'
#!/bin/sh
echo "${BEFORE:-}" "$*" >>"$FAKE/calls"
while [ "$1" != --log-file ]; do shift; done
log=$2
shift 2
"$@" || { echo "==ERROR== The application returned an error code ($?)." >"$log"; exit 1; }
words="$*"
variant=${words%' --check-only'}
if [ -f "$FAKE/hang" ]; then
  touch "$FAKE/hanging"
  sleep 0.5
fi
cat "${FAKE_TABLE:-$FAKE/${variant##* }}" >"$log"
! grep -q ==ERROR== "$log"
END
# A program, so that env can run it.
cat >"$folder/bin/profile" <<'END'
#!/bin/sh
. tools/profile.sh
begin_profile "$FAKE/results/profile.csv" here
profile_lab "$B/vecadd" --sizes "${FAKE_SIZES:-1000}" --blocks 32
[ $# -eq 0 ] || profile_lab "$@"
end_profile
END
chmod +x "$folder/bin/"*

# ---- the rows of two labs ------------------------------------------------------------------------

# Of two kernels bytes and times are sums, and shares are weighted by time; a counter that is not
# there is an empty field; a row is skipped with ncu's first error that says something.
ok 'lab 1 and lab 2' profile "$B/matprod" --sizes 16 --blocks 4
grep -E '^lab,|,(naive|grid_stride|vector4),' "$out" >"$folder/profile.csv"
golden profile.csv "$folder/profile.csv"
if "$B/matprod" --list | grep -q 'cublas .*not in this build'; then
  is 'a variant that cannot run has its reason' \
    "$(column variant status note "$out" | grep '^cublas')" \
    'cublas,skipped,needs cuBLAS, which this build lacks'
else
  skip 'a variant that cannot run has its reason' 'this build has cuBLAS'
fi
is 'a variant runs once under ncu' "$(grep -c 'vecadd .* naive' "$folder/calls")" 1
like 'ncu gets the options, then the program' "$(cat "$folder/calls")" "--csv --page raw \
--print-units base .* $B/vecadd --sizes 1000 --blocks 32 --variants naive --check-only\$"
is 'nothing else is left' "$(ls "$folder/results")" profile.csv
ok 'RUN' env RUN='env BEFORE=RUN' profile
like 'RUN stands before ncu' "$(cat "$folder/calls")" '^RUN --csv'

# ---- what must not replace an older profile.csv --------------------------------------------------

# fails NAME PATTERN VARIABLE=VALUE: refused, and the older file stays, alone.
fails() {
  refuses "$1" 1 "$2" env "$3" profile
  is "$1: the old file stays, alone" "$(cat "$out") $(ls "$folder/results")" 'old profile.csv'
}
echo old >"$out"
cat >"$folder/permission" <<'END'
==PROF== Connected to process 4242 (/somewhere/program)
==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU
==PROF== Disconnected from process 4242
END
: >"$folder/calls"
fails 'no permission' \
  'only administrators.*RUN=sudo.*NVreg_Restr[A-Za-z]*=0.*https://.*ERR_NVGPUCTRPERM' \
  FAKE_TABLE="$folder/permission"
is 'one try is enough' "$(wc -l <"$folder/calls" | tr -d ' ')" 1
printf '==WARNING== No kernels were profiled.\n' >"$folder/no_kernel"
fails 'no kernel' 'nothing could be measured: ncu saw no kernel' FAKE_TABLE="$folder/no_kernel"
sed 's/"ns"/"us"/' "$folder/naive" >"$folder/units"
fails 'a unit that is no base unit' "gpu__time_duration.sum in 'us'" FAKE_TABLE="$folder/units"
sed 's/,"8"$//; s/,"16"$//' "$folder/naive" >"$folder/short"
fails 'a row that does not fit' '9 fields under 10 columns' FAKE_TABLE="$folder/short"
fails 'no ncu' 'Nsight Compute comes with the CUDA Toolkit; NCU=PATH' NCU="$folder/no/ncu"
fails 'a program that fails' "vecadd ended with status 2: .*'x' is not a legal size" FAKE_SIZES=x

touch "$folder/hang"
profile >/dev/null 2>&1 &
started=$!
ok 'ncu is at work' wait_until 20 test -f "$folder/hanging"
kill -TERM $started # Ctrl-C has the same trap, but a shell's background jobs ignore it
wait $started
is 'stopped: the exit status tells, and the old file stays' \
  "$? $(cat "$out") $(ls "$folder/results")" '143 old profile.csv'

# ---- make ----------------------------------------------------------------------------------------

message=$("$MAKE" profile BACKEND=cpu 2>&1)
is 'without a GPU: make fails' $? 2
like 'and says why' "$message" \
  '^profile: this build runs the kernels on the CPU .*no GPU to profile'
like 'with one, each lab that says what to profile is profiled so' \
  "$("$MAKE" -n profile BACKEND=cuda NVCC=/bin/true ARCH=sm_90a MACHINE=here |
    grep 'profile_lab.*matprod')" \
  "$(sed -n 's/^.(lab)_PROFILE = /profile_lab build.cuda.matprod /p' lab2_matprod/lab.mk)"
done_testing
