#!/bin/sh
# profile.t - make profile, around the CPU build's programs: a script stands for ncu, runs the
# program and writes what ncu writes (a table of --page raw --csv as Nsight Compute prints it). The
# numbers in it are made up; what is looked at is what becomes of them.
. tests/tap.sh

mkdir "$folder/bin" "$folder/results"
PATH=$folder/bin:$PATH
out=$folder/results/profile.csv
export NCU=ncu FAKE="$folder"

# table FILE: from lines `metric unit value...`, a value a kernel, what ncu (2025.3) prints of them.
table() {
  cat <<'END'
==PROF== Connected to process 4242 (/somewhere/program)
==PROF== Profiling "kernel" - 0: 0%....50%....100% - 8 passes
==PROF== Disconnected from process 4242
END
  awk '
    {
      sub(/^-$/, "", $2)
      for (k = 1; k <= NF; k++)
        line[k] = line[k] ",\"" $k "\""
    }
    END {
      print "\"Kernel Name\"" line[1]
      print "\"\"" line[2]
      for (k = 3; k in line; k++)
        print "\"void one<float, \"\"x\"\">(int)\"" line[k]
    }' "$1"
}

# Two kernels, of 3 and 1 us, with thousands separators. The first waits most often for `wait`, by
# time `wait` would lead, too; but the second waits so much more for memory that most of all waiting
# is for that.
cat >"$folder/two" <<'END'
gpu__time_duration.sum ns 3,000 1,000
sm__warps_active.avg.pct_of_peak_sustained_active % 40.50 80.50
dram__bytes_read.sum byte 1,000,000 500
dram__bytes_write.sum byte 2,000 1
lts__t_sectors_srcunit_tex.sum sector 4,000,000,000 7
l1tex__m_xbar2l1tex_read_sectors.sum sector 5,000 8
l1tex__m_l1tex2xbar_write_sectors.sum sector 600 9
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum sector 400 1,600
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum request 100 50
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum sector 0 0
l1tex__t_requests_pipe_lsu_mem_global_op_st.sum request 0 0
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum - 7 5
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum - 1 0
smsp__inst_executed_op_shared_ld.sum inst 30 10
dram__throughput.avg.pct_of_peak_sustained_elapsed % 10 50
lts__throughput.avg.pct_of_peak_sustained_elapsed % 20 60
l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed % 8 16
l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed % 12 12
l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed % 4 8
smsp__issue_active.avg.pct_of_peak_sustained_elapsed % 30 70
sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed % 50 10
sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed % 10 20
sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed % 60 20
sm__pipe_fmalite_cycles_active.avg.pct_of_peak_sustained_elapsed % 20 20
sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed % 1 5
sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed % 0 0
smsp__warps_issue_stalled_barrier.sum warp 10 0
smsp__warps_issue_stalled_gmma.sum warp 0 0
smsp__warps_issue_stalled_long_scoreboard.sum warp 100 300
smsp__warps_issue_stalled_mio_throttle.sum warp 0 100
smsp__warps_issue_stalled_not_selected.sum warp 40 0
smsp__warps_issue_stalled_wait.sum warp 200 50
END
table "$folder/two" >"$folder/naive"

# What a GPU lacks is n/a, or no column; a nanosecond has an older name; nothing waits.
sed 's/ ns / nsecond /; s/3,000/1,234,567.5/; /heavy\|lite\|gmma/d; s/ [^ ]*$//
  /dram__throughput/s/[^ ]*$/n\/a/; /stalled/s/[^ ]*$/0/' "$folder/two" >"$folder/one"
table "$folder/one" >"$folder/grid_stride"
grep time_duration "$folder/one" >"$folder/time_alone"
table "$folder/time_alone" >"$folder/register_sum"
cat >"$folder/vector4" <<'END'
==PROF== Connected to process 4242 (/somewhere/program)

==ERROR== An error was reported by the driver

==ERROR== Profiling failed because a "driver resource", it says, was unavailable.
==ERROR== Failed to profile "vector4" in process 4242
==PROF== Trying to shutdown target application
==ERROR== The application returned an error code (9).
END

# Runs the program as ncu would: what follows is the option --log-file, the table's, and then the
# program with its options, of which the last but one names the variant. A card that lacks a metric
# is one that refuses all.
cat >"$folder/bin/ncu" <<'END'
#!/bin/sh
echo "${BEFORE:-}" "$*" >>"$FAKE/calls"
if [ "$*" = --query-metrics ]; then
  cat "$FAKE/known" 2>/dev/null
  exit
fi
words="$*"
while [ "$1" != --log-file ]; do shift; done
log=$2
shift 2
case $words in
*"${FAKE_LACKS:-nothing}"*)
  echo "==ERROR== Failed to find metric $FAKE_LACKS" >"$log"
  [ -z "${FAKE_GOES_ON:-}" ] || cat "$FAKE_TABLE" >>"$log"
  exit 1 ;;
esac
if ! grep -qsxF "$*" "$FAKE/ran"; then # once: a context on a GPU takes its time
  "$@" || { echo "==ERROR== The application returned an error code ($?)." >"$log"; exit 1; }
  echo "$*" >>"$FAKE/ran"
fi
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
begin_profile "$FAKE/results/profile.csv" here "${FAKE_DB:-}"
[ ! -f "$FAKE/recorded.csv" ] || recorded=$FAKE/recorded.csv
profile_lab "$B/vecadd" --sizes "${FAKE_SIZES:-1000}" --blocks 32
[ $# -eq 0 ] || profile_lab "$@"
end_profile
END
chmod +x "$folder/bin/"*

# ---- the rows of two labs ------------------------------------------------------------------------

# What is counted adds up, shares are weighted by time; what is not there is an empty field; a row
# is skipped with ncu's first error that says something.
# shellcheck disable=SC2016  # the inner shell's
ok 'lab 1 and lab 2' sh -c 'profile "$@" >"$0"' "$folder/said" "$B/matprod" --sizes 16 --blocks 4
like 'a line tells the time, what is used most, what warps wait for' "$(cat "$folder/said")" \
  '^lab1_vecadd +naive +2 kernels, 4 us, issue_share 40 %, 50 % of the waiting: long_scoreboard$'
grep -E '^lab,|,(naive|grid_stride|vector4|register_sum),' "$out" >"$folder/profile.csv"
golden profile.csv "$folder/profile.csv"
if "$B/matprod" --list | grep -q 'cublas .*not in this build'; then
  is 'a variant that cannot run has its reason' \
    "$(column variant status note "$out" | grep '^cublas,')" \
    'cublas,skipped,needs cuBLAS, which this build lacks'
else
  skip 'a variant that cannot run has its reason' 'this build has cuBLAS'
fi
is 'a variant runs once under ncu' "$(grep -c 'vecadd .* naive' "$folder/calls")" 1
sed -n '1s/.* --metrics \([^ ]*\) .*/\1/p' "$folder/calls" | tr , '\n' | sort >"$folder/asked"
is 'ncu is asked for all that its table has, and for nothing without a name' "$(cut -d ' ' -f 1 \
  "$folder/two" | sort | comm -13 "$folder/asked" -; grep -nvx '[a-z0-9_]*[.][a-z_.]*' "$folder/asked")" ''
like 'ncu gets the options, then the program' "$(cat "$folder/calls")" "--csv --page raw \
--print-units base .* $B/vecadd --sizes 1000 --blocks 32 --variants naive --check-only\$"
is 'nothing else is left' "$(ls "$folder/results")" profile.csv
ok 'RUN' env RUN='env BEFORE=RUN' profile
like 'RUN stands before ncu' "$(cat "$folder/calls")" '^RUN --csv'

# A measure of lab 0 has kernels of its own: the others have no row.
ok 'one measure of lab 0' env FAKE_TABLE="$folder/naive" profile "$B/ceilings" --measure l2 \
  --sizes 1024 --blocks 32
is 'has the kernel that belongs to it' \
  "$(column lab variant parameters width l2_share "$out" | grep '^lab0')" \
  'lab0_ceilings,l2,measure=l2,1024,0.3'

# ---- some labs -----------------------------------------------------------------------------------

ok 'both labs' profile "$B/matprod" --sizes 16 --blocks 4
cp "$out" "$folder/both.csv"
ok 'lab 1 again' profile
is "another lab's rows stay" "$(grep -c '^lab2_matprod,' "$out")" \
  "$(grep -c '^lab2_matprod,' "$folder/both.csv")"
is "in the labs' order, each variant once" "$(cut -d , -f 1,2 "$out")" \
  "$(cut -d , -f 1,2 "$folder/both.csv")"
sed 's/,dram_share,/,of_another_time,/' "$folder/both.csv" >"$out"
ok 'lab 1 beside rows of other columns' profile
is 'rows of other columns go' "$(grep -c '^lab2_matprod,' "$out")" 0
rm "$out"

# ---- a card that lacks a metric ------------------------------------------------------------------

# ncu refuses all for the one: it is asked once what there is, through RUN, too.
lacking=smsp__warps_issue_stalled_wait.sum
grep -v "$lacking" "$folder/two" >"$folder/others"
sed 's/[.].*/ Counter # of them/' "$folder/others" >"$folder/known"
table "$folder/others" >"$folder/other_table"
: >"$folder/calls"
ok 'the others are measured' env FAKE_LACKS=$lacking FAKE_TABLE="$folder/other_table" \
  RUN='env BEFORE=RUN' profile
is 'ncu is asked once, and called again' \
  "$(sed 's/--csv.*--variants/-/; s/ --check.*//' "$folder/calls")" "RUN - naive
RUN --query-metrics
$("$B/vecadd" --list | awk '$2 == "gpu" || $2 == "vendor" && !/not in this build/ {
  print "RUN - " $1 }')"
is 'the rest leads' "$(column variant stall stall_share "$out" | sed -n 1p)" \
  'naive,long_scoreboard,0.727272727273'
ok 'also where ncu complains, and goes on' env FAKE_LACKS=$lacking FAKE_GOES_ON=1 \
  FAKE_TABLE="$folder/other_table" profile

# ---- the report's size, the best blocks ----------------------------------------------------------

if command -v sqlite3 >/dev/null; then
  mkdir -p "$folder/rows/here"
  cat >"$folder/rows/here/lab2_matprod.csv" <<'END'
variant,kind,parameters,width,height,depth,block_x,block_y,time_s,status
naive,gpu,type=f32,24,16,8,32,8,2,ok
naive,gpu,type=f32,24,16,8,8,32,1,ok
naive,gpu,type=f32,8,8,8,16,16,0.1,ok
cublas,vendor,type=f32,24,16,8,,,1,ok
END
  sh report/analyse.sh --results "$folder/rows" --labs report/made_up/labs.csv \
    --out "$folder/report" here
  : >"$folder/calls"
  ok 'beside rows' env FAKE_DB="$folder/report/results.db" profile "$B/matprod" --sizes 16 \
    --blocks 4
  is 'each variant has its best block, or the one of the options; a lab without rows has those' \
    "$(column lab variant width height block_x block_y "$out" | grep 'naive\|shared_tile')" \
    'lab1_vecadd,naive,1000,1,32,1
lab2_matprod,naive,24,16,8,32
lab2_matprod,shared_tile,24,16,4,4'
  like 'and so under ncu' "$(cat "$folder/calls")" \
    '--sizes 16x24x8 --blocks 8x32 --variants naive --check-only$'
else
  skip 'the best blocks' "$(lacks sqlite3)"
fi
# Programs without sqlite3, and a recorded profile.
mkdir -p "$folder/without"
for tool in sh awk sed grep cat rm mkdir mv sort tail head env touch tr wc uniq dirname; do
  ln -s "$(command -v "$tool")" "$folder/without/$tool"
done
cat >"$folder/recorded.csv" <<'END'
lab,variant,width,height,depth,block_x,block_y
lab1_vecadd,naive,2000,1,,64,1
lab2_matprod,naive,24,16,8,8,16
lab2_matprod,shared_tile,24,16,8,4,4
END
ok 'without sqlite3' env PATH="$folder/bin:$folder/without" profile "$B/matprod" --sizes 16 --blocks 32
is 'size and blocks are those of the recorded profile' \
  "$(column lab variant width height depth block_x block_y "$out" | grep 'naive\|shared_tile')" \
  "$(sed 1d "$folder/recorded.csv")"
# One that belongs to other options, with a block that no other has.
cat >>"$folder/recorded.csv" <<'END'
lab6_banding,naive,32,16,,8,4
lab6_banding,packed4_convert_free,32,16,,16,4
END
ok 'a block of a variant that does not belong to the options' \
  env PATH="$folder/bin:$folder/without" profile "$B/banding" --mode 1 --sizes 16x16 --blocks 32x8
is 'gives no row' "$(column lab variant "$out" | sed -n 's/^lab6_banding,\(naive\|packed4_convert.*\)/\1/p')" naive
rm "$folder/recorded.csv"

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
sed 's/"3,000"/"0"/; s/"1,000"/"0"/' "$folder/naive" >"$folder/no_time"
fails 'no time' 'nothing could be measured: ncu gave no gpu__time_duration.sum' FAKE_TABLE="$folder/no_time"
sed 's/"byte"/"Kbyte"/' "$folder/naive" >"$folder/units"
fails 'a unit that is no base unit' "dram__bytes_read.sum in 'Kbyte'" FAKE_TABLE="$folder/units"
sed 's/,"50"$//; s/,"200"$//' "$folder/naive" >"$folder/short"
fails 'a row that does not fit' '3[0-9] fields under 3[0-9] columns' FAKE_TABLE="$folder/short"
rm "$folder/known"
fails 'a refusal that no metric explains' 'nothing could be measured: Failed to find metric l1' \
  FAKE_LACKS=l1tex__lsuin_requests
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
like 'one that names several cases is profiled so often' \
  "$("$MAKE" -n profile BACKEND=cuda NVCC=/bin/true ARCH=sm_90a MACHINE=here |
    tr ';' '\n' | grep -c 'profile_lab build.cuda.ceilings *--measure [a-z0-9_]* --sizes')" \
  "^$(grep -o -e '--measure' lab0_ceilings/lab.mk | wc -l)\$"
# Only a GPU profiles by them. A side alone is a square's, unless it is a warp or more.
is 'each lab names a block that a GPU can have' "$(sed -n 's/.*_PROFILE.*--blocks \([0-9x]*\).*/\1/p' lab*_*/lab.mk |
  awk -F x '{ threads = $1 * (NF > 1 ? $2 : $1 % 32 ? $1 : 1) } threads > 1024 || threads % 32')" ''
done_testing
