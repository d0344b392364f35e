#!/bin/sh
# make.t - the Makefile and its parts: what is built anew and when, names that do not exist, what each
# target would do, where programs run, one run at a time, and what a run says at its end. Compilers
# are scripts here that note what they are asked for and touch what they would write.
. tests/tap.sh

# ---- what is built depends on what it is built with ----------------------------------------------

mkdir -p "$folder/cuda/bin" "$folder/cuda/include"
cat >"$folder/cuda/bin/nvcc" <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo "Cuda compilation tools, release 13.0, V13.0.1"; exit; }
echo "$*" >>"$FAKE/commands"
for word do
  [ "${last:-}" != -o ] || : >"$word"
  [ "${last:-}" != -o ] || out=$word
  last=$word
done
case $* in *-MMD*) echo "$out: $FAKE/header.h" >"${out%.o}.d" ;; esac
END
: >"$folder/header.h"
chmod +x "$folder/cuda/bin/nvcc"
FAKE=$folder
export FAKE

# compiled SETTING...: the sources that a build of lab 2 with these compiles
compiled() {
  : >"$folder/commands"
  "$MAKE" lab2_matprod BACKEND=cuda B="$folder/built" CC="$folder/cuda/bin/nvcc" \
    CXX="$folder/cuda/bin/nvcc" CUDA_HOME="$folder/cuda" NVCC="$folder/cuda/bin/nvcc" ARCH=sm_80 \
    COMMIT=one "$@" >"$folder/said" 2>&1
  tr ' ' '\n' <"$folder/commands" | grep -E '\.(c|cu)$' | sort
}
all="$(printf '%s\n' common/*.c common/*/*.c common/*/*.cu lab2_matprod/*.cu | sort)"
is 'the first build compiles all that lab 2 needs' "$(compiled)" "$all"
like 'a short line a file' "$(cat "$folder/said")" '^NVCC  lab2_matprod/matprod.cu$'
is 'and no commands' "$(grep -c fopenmp "$folder/said")" 0
is 'a second build compiles nothing' "$(compiled)" ''
touch "$folder/header.h"
is 'a header that all include compiles it all' "$(compiled)" "$all"
is 'another ARCH compiles it all' "$(compiled ARCH=sm_90a)" "$all"
like 'for that ARCH' "$(cat "$folder/commands")" 'code=sm_90a .* lab2_matprod/matprod.cu'
is 'other flags do' "$(compiled ARCH=sm_90a OPTIMISE=-O0)" "$all"
is 'back again, too' "$(compiled ARCH=sm_90a)" "$all"
is 'another commit compiles what tells the commit' "$(compiled ARCH=sm_90a COMMIT=two)" \
  common/rows/build.c
touch "$folder/cuda/include/cublas_v2.h"
is 'a library that is there now compiles it all' "$(compiled ARCH=sm_90a COMMIT=two)" "$all"
like 'with it' "$(cat "$folder/commands")" 'HAVE_CUBLAS .* lab2_matprod/matprod.cu'
is 'V=1 and nothing to do' "$(compiled ARCH=sm_90a COMMIT=two V=1)" ''
compiled V=1 >"$folder/all"
like 'V=1 shows commands' "$(cat "$folder/said")" 'fopenmp.* -c .*matprod.cu'

printf '#!/bin/sh\n! echo "$*" | grep -q lboost\n' >"$folder/no_boost"
chmod +x "$folder/no_boost"
"$MAKE" lab1_vecadd BACKEND=cpu B="$folder/bare" CXX="$folder/no_boost" >"$folder/said" 2>&1
is 'without Boost.Context nothing is compiled, and one line says what to do' \
  "$(grep -v '^make' "$folder/said")" \
  'BACKEND=cpu needs g++ and Boost.Context: make setup installs them'

# would TARGET CHANGED-FILE WORD: is that done if the file is changed?
would() {
  "$MAKE" -n BACKEND=cpu B="$B" -W "$2" "$1" | grep -q -e "$3"
}
for picture in photo image sky; do
  ok "another $picture.bmp.gz is unpacked" \
    would data/images/$picture.bmp data/pictures/$picture.bmp.gz gzip
done
ok 'other labs have another labs.csv' would "$B/labs.csv" "$B/ALL_LABS" --describe

mkdir "$B/labs.csv.all" # what another make has in hand
ok 'nor is the draft of it that of others' "$MAKE" -s BACKEND="$BACKEND" B="$B" -W "$B/ALL_LABS" "$B/labs.csv"
rmdir "$B/labs.csv.all"
# Unpacked in another project.
mkdir -p "$folder/project/suite/lab2_matprod"
ln -s "$root"/[Mcmt]* "$folder/project/suite"
touch "$folder/project/suite/lab2_matprod/matprod.cu"
git init -q "$folder/project"
git -C "$folder/project" -c user.name=a -c user.email=a commit -q --allow-empty -m theirs
# shellcheck disable=SC2016  # COMMIT is make's
is "another project's commit is not this one's" "$(env -u COMMIT "$MAKE" -s -C "$folder/project/suite" BACKEND=cpu \
  --eval 'say:;@echo $(COMMIT)' say)" unknown

# ---- names that do not exist ---------------------------------------------------------------------

refuses 'BLOCK' 2 'BLOCK is no setting \(did you mean BLOCKS\?\)' "$MAKE" -n run-lab2 BLOCK=16
refuses 'size' 2 'size is no setting \(did you mean SIZES\?\)' "$MAKE" -n run-lab2 size=32
refuses 'none is near' 2 'ZEBRA is no setting; config' "$MAKE" -n run-lab2 ZEBRA=1
is 'near: less than half of the letters' "$(sh tools/nearest.sh abcd abxy)
$(sh tools/nearest.sh abcde abcxy)" '
 (did you mean abcxy?)'
refuses 'SIZES_lab99' 2 'SIZES_lab99 is no setting' "$MAKE" -n run-lab2 SIZES_lab99=32
refuses 'CHECK=rase' 2 'CHECK=rase: race, asan or lens' "$MAKE" -n lab2_matprod CHECK=rase
refuses 'two of CHECK' 2 'CHECK=race asan: race, asan or lens' "$MAKE" -n lab2_matprod CHECK='race asan'
refuses 'BACKEND=nonsense' 2 'BACKEND=nonsense: auto, cuda or cpu' "$MAKE" -n all BACKEND=nonsense
refuses 'two words of BACKEND' 2 'BACKEND=cpu foo: auto, cuda or cpu' "$MAKE" -n all BACKEND='cpu foo'
refuses 'FRESH and RESUME' 2 'one of them' "$MAKE" -n run-lab2 FRESH=1 RESUME=1
for gpus in 0 '1 two' 1,2 -1 2.5; do
  refuses "GPUS=$gpus" 2 'GPUS=.*: numbers of GPUs' "$MAKE" -n run-lab2 GPUS="$gpus"
done
refuses 'runall' 2 "no target 'runall' \(did you mean run-all\?\)" "$MAKE" runall
refuses 'run-lab99' 2 "no target 'run-lab99'.* there are the labs lab0_ceilings " "$MAKE" run-lab99
for name in 'a b' .. . -x a/b "it's" 'a"b' "\$(x)" 'a;b'; do
  refuses "MACHINE=$name" 2 'MACHINE=' "$MAKE" -n run-lab2 BACKEND=cpu MACHINE="$name"
done
refuses 'an empty RESULTS' 2 'RESULTS= is empty' "$MAKE" -n run-lab2 RESULTS=
for name in RESULTS FIGURES REPORT IMAGES; do
  refuses "$name=-x" 2 "$name=-x: .*; ./-x is a folder" "$MAKE" -n run-lab2 $name=-x
done
refuses 'JOB=all' 2 'JOB=all: one of one_node several_nodes array' "$MAKE" submit JOB=all
# What a student keeps beside a lab's folder, or in it.
mkdir "$folder/copies"
ln -s "$root"/[Mcmt]* "$folder/copies"
mkdir "$folder/copies/lab2_matprod"
touch "$folder/copies/lab2_matprod/matprod.cu"
for copy in lab2_matprod_old/x.cu lab12_matprod/x.cu 'lab2_matprod copy/x.cu' 'lab2_matprod/x (copy).cu'; do
  mkdir -p "$folder/copies/${copy%/*}"
  touch "$folder/copies/$copy"
  refuses "$copy" 2 '(lab2_matprod.*: labs with one number|copy.*: the name holds a blank)' "$MAKE" -C "$folder/copies" help
  rm -r "${folder:?}/copies/$copy"
done
like 'LAB= may have a slash' "$("$MAKE" -n doctor LAB=lab1_vecadd/)" " LAB='lab1_vecadd' "
refuses 'LABS=lab99' 2 'LABS=lab99: some of lab0_ceilings' "$MAKE" -n all LABS=lab99
refuses 'no labs at all' 2 'LABS=: some of lab0_ceilings' "$MAKE" -n run-all LABS=
listed=$("$MAKE" list-settings)
settings=$(echo "$listed" | sed -n 's/^\([A-Z_]*\) =.*/\1/p')
like 'list-settings has defaults' "$listed" '^BACKEND = auto$'
is 'in 80 columns' "$(echo "$listed" | awk 'length > 80')" ''
is 'and comments' "$(echo "$listed" | awk -v RS= '!/^# /')" ''
# shellcheck disable=SC2046,SC2086  # a setting a word
is 'what it has is a setting' "$("$MAKE" -n help $(printf '%s= ' $settings) 2>&1 |
  grep 'is no setting')" ''
is 'and nothing else is in use' "$(for name in A B LABS N SIZES; do
  echo "$settings" | grep -x $name
done | tr '\n' ' ')" 'A B LABS N SIZES '
# A command in a setting is a text: it is refused, or no target would run it. Commands by nature are
commands='RUN OPTIONS MPIRUN SBATCH_OPTIONS CC CXX OPTIMISE NVCC NVIDIA_SMI NCU SANITIZER'
all_settings="$(echo "$settings" | grep -vxF "$(echo "$commands" | tr ' ' '\n')") SIZES_lab1"
mkdir -p "$folder/harmless/tools" "$folder/path"
touch "$folder/harmless/tools/run.sh" "$folder/harmless/tools/profile.sh"
ln -s "$(command -v true)" "$folder/path/sbatch"

# would_run GOAL TEXT: what make would run with the text in all $settings; those that it refuses are
# taken out of them.
would_run() {
  : >"$folder/refused"
  while
    settings=$(echo "$settings" | tr ' ' '\n' | grep -vxFf "$folder/refused")
    # shellcheck disable=SC2046  # a setting a line, without blanks
    PATH=$folder/path:$PATH "$MAKE" -n "$1" BACKEND=cpu \
      $(for name in $settings; do printf '%s=%s\n' "$name" "$2"; done) >"$folder/lines" 2>"$folder/err"
    sed -n 's/.*\*\*\* \([A-Za-z0-9_]*\)=.*/\1/p' "$folder/err" >"$folder/refused"
    [ -s "$folder/refused" ]
  do :; done
}

# harmless TEXT: no line does what it says where all commands are missing, and none ends the line.
# Targets that make -n runs, since they call make, are left out.
harmless() {
  settings=$all_settings
  would_run help "$1"
  cat "$folder/err"
  kept=$settings
  for goal in run-lab1 $(sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile make/*.mk |
    grep -vxE 'record|test-(all|mutants|faults|accept|fuzz)|checked-programs' |
    if thorough; then cat; else awk 'NR % 3 == 1'; fi); do
    settings=$kept
    would_run "$goal" "$1"
    cat "$folder/lines"
  done | awk '{ gsub(/exit|set -e/, ":"); line = line $0 }
    !sub(/\\$/, "", line) { print line; line = "" }' | sort -u | while read -r line; do
    (cd "$folder/harmless" && PATH=/none /bin/sh -c "$line") >"$folder/out" 2>&1 </dev/null
    [ ! -e "$folder/ran" ] || { printf '%s\n' "$line"; rm "$folder/ran"; }
  done
}
for text in "x&>$folder/ran&" "x';>$folder/ran;'" "x\";>$folder/ran;\"\$\$(>$folder/ran)"; do
  is "$text is no command" "$(harmless "$text")" ''
  thorough || break
done
refuses 'a quote in RESULTS' 2 "RESULTS=it's: the name holds a '" "$MAKE" -n run-lab2 RESULTS="it's"
ok 'SIZES_lab2, blanks and = in values' "$MAKE" -n run-lab2 BACKEND=cpu SIZES_lab2=32 \
  OPTIONS='--trials 2 a=b' RESULTS="$folder/my results"

# What `make -n run-lab2` would run. The build before it is made, so that little else is shown.
run_line() {
  "$MAKE" -n run-lab2 "$@" 2>&1 | grep 'run_lab '
}
like 'SIZES_lab2 goes before SIZES' "$(run_line BACKEND=cpu SIZES=8 SIZES_lab2=32)" "--sizes '32'"
like 'RESUME=1' "$(run_line BACKEND=cpu RESUME=1)" ' --resume'
for name in FRESH FULL NAMES; do
  refuses "$name=maybe" 2 "$name=maybe: yes or no" "$MAKE" -n run-lab2 $name=maybe
done
for no in 0 No false; do
  is "FRESH=$no means no" "$(run_line BACKEND=cpu FRESH=$no | grep -c -e --fresh)" 0
done
# A source that cannot be written: all that a run reads or writes beside it has another place.
elsewhere=$("$MAKE" -n run-all BACKEND=cpu B="$folder/b" RESULTS="$folder/r" FIGURES="$folder/f" \
  REPORT="$folder/p" IMAGES="$folder/i j")
like 'pictures go into IMAGES' "$elsewhere" "gzip -dc data/pictures/photo.bmp.gz.* '$folder/i j/photo.bmp'"
like 'and the template' "$elsewhere" "--crop .* '$folder/i j/image.bmp' '$folder/i j/template.bmp'"
like 'and come from there' "$elsewhere" "/bilateral --input '$folder/i j/photo.bmp'"
like 'all of them' "$elsewhere" "--input '$folder/i j/image.bmp' --template '$folder/i j/template.bmp'"
is 'nothing is left in the source' \
  "$(echo "$elsewhere" | grep -e data/images -e data/results -e plots/figures -e report/output)" ''
# Its variants for several GPUs run behind a lab's others, whose rows stay.
several=$(run_line BACKEND=cpu MACHINE= GPUS='10 2' FRESH=1)
like 'GPUS: the lab runs twice' "$several" "run_lab lab2_.* --fresh; *run_again .* --gpus '10 2'"
is 'but starts anew once' "$(echo "$several" | grep -o -e --fresh | wc -l | tr -d ' ')" 1
is 'as a machine of so many' "$(echo "$several" | grep -o -e '-x10' | wc -l | tr -d ' ')" 2
is 'unless it has a name' "$(run_line BACKEND=cpu GPUS='1 2' MACHINE=here |
  grep -o "machine '[a-z0-9-]*'" | sort -u)" "machine 'here'"
is 'one GPU is no other machine' "$(run_line BACKEND=cpu MACHINE= GPUS=1 | grep -c -e --machine)" 0
is 'a lab without such variants runs once' "$("$MAKE" -n run-lab6 BACKEND=cpu GPUS=2 |
  grep -c run_again)" 0
like 'CHECK=race times nothing' "$(run_line BACKEND=cpu CHECK=race)" \
  'cpu-race/matprod .*--check-only'

# ---- what each target would do -------------------------------------------------------------------

# Tools that say what they were asked, so that it does not matter what is installed here.
mkdir -p "$folder/tools/include" "$folder/tools/bin"
cat >"$folder/tools/bin/nvcc" <<'END'
#!/bin/sh
name=${0##*/}
case "$name $*" in
sh*boost* | sh*nearest*) exec /bin/sh "$@" ;;
sh* | *-lboost*) ;;
*--query-gpu*) echo 9.0 ;;
*--list-gpus*) printf 'GPU %s\n' 0 1 2 3 ;;
nvcc*--version) echo 'Cuda compilation tools, release 13.0, V13.0.1' ;;
pkg-config*) eval "echo -I/\$$#/include -l\$$#" ;;
sinfo*) echo partition ;;
*) echo "$name $1" ;;
esac
END
chmod +x "$folder/tools/bin/nvcc"
for tool in clang g++ gcc git gnuplot ld.gold ncu compute-sanitizer nvidia-smi pkg-config sbatch sh sinfo sqlite3; do
  ln "$folder/tools/bin/nvcc" "$folder/tools/bin/$tool"
done
for header in cublas_v2 cuda_occupancy cufft curand nccl nppi_filtering_functions; do
  : >"$folder/tools/include/$header.h"
done

# plans SETTING...: what make would run for each of $goals; of what compiles and links the words.
plans() {
  for goal in $goals; do
    echo "== $goal $1"
    env -i PATH="$folder/tools/bin:$PATH" "$MAKE" -n "$goal" B="$folder/b" CUDA_HOME="$folder/tools" \
      IMAGES="$folder/i j" RESULTS="$folder/r" LABS='lab2_matprod lab4_template' "$@" 2>"$folder/said"
    cat "$folder/said" # behind the plan: a warning would part a long line of it
  done | sed -E "s/^(clang-format [^ ]+) .*/\1/; /^make(\[|: )|'build|ceilings|resources[.]sh/d
      s|$folder|/tmp|g; s/(.mk):[0-9]+/\1/
      s/.*printf '%-5s %s.n' .* && //; s|mkdir -p /tmp/b[^ ]* && ||
      s@[^ ']*/[^ ']+[.](c|cu|cpp|o|d|h|cuh|cu[.]cpp|wrap|ptx|ptxas|keep|sass|cubin|tidy|calls)\\b@*.\1@g
      s@tests/(test|check)_[a-z_]+@tests/\1_*@g; s@([^ ]+ )\1+@\1@g" |
    awk '/^== / { heading = $0 "\n"; next } # a goal without a new line has none
      !/ -o | -fopenmp |^  -[IMi]/ { if (!seen[$0]++) { print heading $0; heading = "" } next }
      { for (i = 2; i <= NF; i++) if (!given[$1, $i]++) words[$1] = words[$1] " " $i }
      END { for (tool in words) print "== " tool words[tool] | "sort" }'
}
# A compiled header serves only those who are given all macros that it was.
words=$(env -i PATH="$folder/tools/bin:$PATH" "$MAKE" -n lab2_matprod BACKEND=cpu B="$folder/b" |
  grep -e '-x c++-header' | tr ' ' '\n')
is 'what all labs include is compiled without a library of one' \
  "$(echo "$words" | grep -c HAVE_PNG), $(echo "$words" | grep -c HAVE_CBLAS)" '1, 0'
# A wrapper of nvcc says nothing of where the toolkit is.
cp "$folder/tools/bin/nvcc" "$folder/tools/wrapper"
planned() {
  env -i PATH="$folder/tools/bin:$PATH" "$MAKE" -n lab2_matprod B="$folder/b" CUDA_HOME="$folder/tools" \
    NVCC="$folder/tools/$1" BACKEND="$2" | grep "printf .* $folder/b/build_flags"
}
like "an nvcc in no toolkit's folder: the toolkit is CUDA_HOME's" "$(planned wrapper cuda)" \
  "-isystem $folder/tools/include .*-DHAVE_CUBLAS"
like 'a CPU build has no toolkit' "$(planned wrapper cpu)" "printf '%s.n' 'gcc g\+\+ "
is 'nor is it another one with another nvcc' "$(planned wrapper cpu)" "$(planned bin/nvcc cpu)"
if thorough; then
  {
    "$MAKE" help LABS=lab2_matprod
    # Builds for checks have folders that may be there, or not.
    goals="run-lab2 $(sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile make/*.mk |
      grep -vx 'help\|test-all\|checked-programs\|lens\|lens-.*\|grade\|runners' | awk '!seen[$0]++')"
    plans BACKEND=cpu MACHINE=here JOB=several_nodes
    goals="$goals test-all"
    # shellcheck disable=SC2046  # a setting a word
    plans BACKEND=cuda GPUS='2 1' JOB=array $(printf '%s\n' "$listed" | sed -nE \
      '/^(B|BACKEND|CC|CHECK|CUDA_HOME|CXX|GPUS|IMAGES|JOB|LABS|NVCC|RESUME|RESULTS|V) /d
      s/^(ACROSS|ALL|FRESH|FULL|LEADERBOARD|NAMES|WIDE) =.*/\1=yes/p
      s/^([A-Z_]+) =.*/\1=\L\1/p')
    goals=all
    for check in asan race fuzz; do plans CHECK=$check | grep '^== '; done
  } >"$folder/make.txt"
  golden make.txt "$folder/make.txt"
fi

# ---- where programs run --------------------------------------------------------------------------

# A login node: only a job sees a GPU.
cat >"$folder/srun" <<'END'
#!/bin/sh
echo "$*" >>"$FAKE/jobs"
echo 9.0
END
chmod +x "$folder/srun"
: >"$folder/jobs"
login() {
  "$MAKE" "$@" BACKEND=auto RUN="$folder/srun --gres=gpu:1" NVIDIA_SMI=/no/nvidia-smi \
    CUDA_HOME="$folder/cuda" NVCC="$folder/cuda/bin/nvcc"
}
login -n run-lab2 2>&1 | grep -e '-c lab2_matprod' -e run_lab >"$folder/said"
like 'the GPU is asked for through RUN' "$(cat "$folder/jobs")" \
  '^--gres=gpu:1 /no/nvidia-smi --query-gpu'
is 'once' "$(wc -l <"$folder/jobs" | tr -d ' ')" 1
like 'what it says is built for' "$(cat "$folder/said")" 'code=sm_90a .* lab2_matprod/matprod.cu'
like 'and run' "$(cat "$folder/said")" \
  "run_lab lab2_matprod $folder/srun --gres=gpu:1 build/cuda/matprod"
: >"$folder/jobs"
ok 'make help' login help
is 'asks nobody' "$(cat "$folder/jobs")" ''
is 'is a screen' "$(login help | awk 'length > 80; NR == 25')" ''
login help-all >"$folder/said"
is 'help-all has its goals, and more, in 80 columns' "$(login help | grep '^  [a-z-]* ' |
  grep -vxFf "$folder/said"; awk 'length > 80' "$folder/said"; grep -c test-mutants "$folder/said")" 1
printf '#!/bin/sh\necho 8.6\n' >"$folder/path/nvidia-smi"
chmod +x "$folder/path/nvidia-smi"
like 'without RUN nvidia-smi is asked' "$(PATH=$folder/path:$PATH "$MAKE" -n lab1_vecadd BACKEND=auto \
  CUDA_HOME="$folder/cuda" NVCC="$folder/cuda/bin/nvcc")" 'code=sm_86 .* lab1_vecadd/vecadd.cu'

# The first of the labs' pictures fails, the others do not.
cat >"$folder/once" <<'END'
#!/bin/sh
! mkdir "$FAKE/first" 2>/dev/null
END
chmod +x "$folder/once"
exits 'make pictures: one that fails is a failure' 2 "$MAKE" pictures BACKEND=cpu \
  RUN="$folder/once" RESULTS="$folder/pictures" MACHINE=here

mkdir "$folder/few"
for tool in cat cmp g++ gcc git grep head make mkdir nproc pkg-config sed sh sort tr uname; do
  ! tool=$(command -v "$tool") || ln -s "$tool" "$folder/few"
done
refuses 'submit without sbatch' 2 'submit needs sbatch' env PATH="$folder/few" "$MAKE" submit

# ---- one run at a time ---------------------------------------------------------------------------

cat >"$folder/slowly" <<'END'
#!/bin/sh
echo "start ${1##*/}" >>"$FAKE/order"
sleep 0.3
"$@"
echo "end ${1##*/}" >>"$FAKE/order"
END
chmod +x "$folder/slowly"
ok 'make -j4 run-lab2 run-lab1' "$MAKE" -j4 run-lab2 run-lab1 BACKEND="$BACKEND" \
  RUN="$folder/slowly" \
  RESULTS="$folder/results" MACHINE=here SIZES=16 BLOCKS=8 VARIANTS=cpu TRIALS=1
is 'runs one after the other' "$(grep -v nvidia-smi "$folder/order" | tr '\n' ' ')" \
  'start matprod end matprod start vecadd end vecadd '

# ---- what a run says at its end ------------------------------------------------------------------

# Two labs: the first fails, the second less; that leaves the H200's rows, as if of the year 2999.
sed 's/,2[0-9]*-\([-0-9:TZ]*\)/,2999-\1/' data/reference/nvidia-h200/lab2_matprod.csv \
  >"$folder/rows.csv"
cat >"$folder/two" <<'END'
. tools/run.sh
begin_runs "$FAKE/of runs" "$FAKE/figures" lab1_vecadd lab2_matprod
run_lab lab1_vecadd sh -c 'exit 3'
run_again sh -c 'exit 2'
run_lab lab2_matprod sh -c 'mkdir -p "$0" && cp "$FAKE/rows.csv" "$0/lab2_matprod.csv"; exit 1' \
  "$FAKE/of runs/h200"
run_again sh -c 'sleep 0.05; touch "$FAKE/of runs/h200/lab2_matprod.csv"'
end_runs
END
mkdir "$folder/of runs"
touch -d '3 days ago' "$folder/of runs/.run-1" # a killed run's
touch "$folder/of runs/.run-2"
sh "$folder/two" >"$folder/said" 2>&1
is 'the worst status is the end' $? 3
like 'but the next lab runs' "$(cat "$folder/said")" '^---- lab 2 of 2: lab2_matprod$'
like 'once more over several GPUs' "$(cat "$folder/said")" '^---- lab2_matprod over several GPUs'
like 'rows are counted' "$(cat "$folder/said")" \
  "^$(column status data/reference/nvidia-h200/lab2_matprod.csv | wc -l | tr -d ' ') rows in 0 min"
is 'of runs that are over nothing stays' "$(find "$folder/of runs" -name '.run-*')" \
  "$folder/of runs/.run-2"
like 'it says where they are' "$(cat "$folder/said")" "^rows  *$folder/of runs/h200/"
cat >"$folder/two" <<'END'
. tools/run.sh
begin_runs "$FAKE/of runs" "$FAKE/figures" lab1_vecadd lab2_matprod
run_lab lab1_vecadd sh -c 'exit 130'
run_lab lab2_matprod true
END
rm "$folder/of runs/.run-2"
printf '. tools/run.sh; begin_runs "%s" x; kill -TERM $$' "$folder/of runs" | sh
is 'a run that is killed leaves nothing' "$?$(find "$folder/of runs" -name '.run-*')" 143
mkdir "$folder/killer"
# shellcheck disable=SC2016  # $@ and $PPID are the command's
printf '#!/bin/sh\n%s "$@"\nkill -TERM $PPID\n' "$(command -v touch)" >"$folder/killer/touch"
chmod +x "$folder/killer/touch"
printf '. tools/run.sh; begin_runs "%s" x' "$folder/of runs" | PATH=$folder/killer:$PATH sh
is 'not even at its beginning' "$?$(find "$folder/of runs" -name '.run-*')" 143
sh "$folder/two" >"$folder/said" 2>&1
is 'an interrupted program is the end' "$?
$(cat "$folder/said")" "130
---- lab 1 of 2: lab1_vecadd
Interrupted: RESUME=1 goes on where this stopped."
cat >"$folder/three" <<'END'
. tools/run.sh
begin_runs "$FAKE/of runs" "$FAKE/figures" lab1_vecadd lab2_matprod lab3_bilateral
run_lab lab1_vecadd sh -c 'sleep 0.05; touch "$FAKE/of runs/h200/lab1_vecadd.csv"'
run_lab lab2_matprod true
run_lab lab3_bilateral true
END
printf '"lab%s": {"seconds": %s},\n' 1_vecadd 100 2_matprod 70.5 3_bilateral 55 \
  >"$folder/of runs/h200/run.json"
is 'the time that is left, this lab with it' "$(sh "$folder/three")" \
  '---- lab 1 of 3: lab1_vecadd
---- lab 2 of 3: lab2_matprod, about 2 min 05 s left, as the last time
---- lab 3 of 3: lab3_bilateral, about 0 min 55 s left, as the last time'
# summary FILE...: of rows that are not of 1999.
summary() {
  awk -v since=2000 -v seconds=200 -f tools/csv.awk -f tools/row.awk -f tools/words.awk \
    -f tools/summary.awk "$@"
}
printf '%s\n' lab,variant,kind,status,note,date lab1,a,emulated,ok,,3000 lab1,b,gpu,ok,,1999 \
  >"$folder/one.csv"
is 'one row is a row' "$(summary "$folder/one.csv" | head -n 3)" \
  '1 row in 3 min 20 s: 1 ok, 0 wrong, 0 failed, 0 skipped
No GPU here: kernels were checked on the CPU in 1 row, without a time.
Plain builds seldom show races between blocks; make doctor LAB= VARIANTS= does.'
printf '%s\n' lab1,c,emulated,skipped,,3000 lab1,d,emulated,wrong,why,3000 >>"$folder/one.csv"
said=$(summary "$folder/one.csv")
like 'what was skipped was not checked' "$said" 'on the CPU in 2 rows'
is 'of what is wrong, whose table has told why, the end names the variant' \
  "$(echo "$said" | grep 'lab1 d\|why')" 'wrong: lab1 d, 1 row'
printf 'lab\n"never closed' >"$folder/broken.csv"
like 'a file that breaks off leaves the next one as it is' \
  "$(summary "$folder/broken.csv" "$folder/one.csv")" '^3 rows in '
summary data/reference/nvidia-h200/lab*.csv >"$folder/summary.txt"
golden summary.txt "$folder/summary.txt"
is 'in 80 columns' "$(awk 'length > 80' "$folder/summary.txt")" ''

# The variant asked about: best blocks at its greatest size of this run, under its conditions, beside
# what any run measured.
cat >"$folder/ladder.csv" <<'END'
lab,variant,kind,role,parameters,width,height,depth,block_x,block_y,cache,time_s,status,date
lab2,naive,gpu,,n,64,64,64,8,8,cold,4,ok,1999
lab2,tile,gpu,,n,64,64,64,8,8,cold,1.73,ok,1999
lab2,tile,gpu,,n,64,64,64,4,4,cold,1.8,ok,1999
lab2,tile,gpu,,n,64,64,64,2,2,hot,1.01,ok,1999
lab2,fast,gpu,,n,64,64,64,8,8,cold,0.5,ok,1999
lab2,library,vendor,,n,64,64,64,,,cold,0.34,ok,1999
lab2,later,vendor,,n,64,64,64,,,cold,0.1,ok,1999
lab2,copy,vendor,yardstick,n,64,64,64,,,cold,1.1,ok,1999
lab2,cpu,cpu,serial,n,64,64,64,,,hot,1.1,ok,1999
lab2,mine,gpu,,n,64,64,64,4,4,cold,2,ok,3000
lab2,mine,gpu,,n,64,64,64,8,8,cold,1,ok,3000
lab2,mine,gpu,,n,32,32,32,8,8,cold,0.1,ok,3000
lab2,mine,gpu,,n,128,128,128,8,8,cold,9,ok,1999
END
# sentence VARIANT [BOUNDS.csv]
sentence() {
  asked=$1
  shift
  awk -v since=2000 -v asked="$asked" -f tools/csv.awk -f tools/row.awk -f tools/words.awk \
    -f tools/summary.awk "$@" "$folder/ladder.csv" 2>&1 | grep -A1 "^$asked:" | sed '/ rows in /d'
}
is 'a sentence sets it beside the next slower kernel and the library' "$(sentence mine)" \
  'mine: 1.73 times as fast as tile, 34 % of library, at 64 in blocks of 8x8'
printf 'lab,line,bound\nlab2,11,INT32\nlab2,12,shared memory\n' >"$folder/bounds.csv"
is 'and says what bounds it, in 80 columns' "$(sentence mine "$folder/bounds.csv")" \
  'mine: 1.73 times as fast as tile, 34 % of library, bound by shared memory, at
64 in blocks of 8x8'
sed -i 's/,naive,\(.*\)1999/,naive,\13000/' "$folder/ladder.csv"
is 'the slowest stands beside the next faster' "$(sentence naive)" \
  'naive: 0.432 times as fast as tile, 8.5 % of library, at 64 in blocks of 8x8'
is 'what did not run has none' "$(sentence tile)" ''
# With a GPU's rates what bounds a kernel comes from the report's tables.
if ! thorough; then
  :
elif why=$(lacks sqlite3); then
  skip 'bounds' "$why"
else
  mkdir -p "$folder/bound/h200"
  cp data/reference/nvidia-h200/lab[02]*.csv data/reference/nvidia-h200/estimates.csv data/reference/nvidia-h200/*.json \
    "$folder/bound/h200"
  sed -i 's/,2[0-9]*-\([-0-9:TZ]*\)/,2999-\1/' "$folder/bound/h200/lab2_matprod.csv"
  # shellcheck disable=SC2016
  like 'make run VARIANTS= has them' "$(VARIANTS='naive, shared_tile' sh -c '. tools/run.sh
    begin_runs "$1" "$1/figures" lab2_matprod
    run_lab lab2_matprod sh -c "sleep 0.05; touch \"\$0\"" "$1/h200/lab2_matprod.csv"
    end_runs' - "$folder/bound" | grep -A1 '^shared' | tr -s '\n ' ' ')" \
    '^shared_tile: 1.37 times as fast as register_sum, 17.5 % of cublas, bound by L1, at 4096 in blocks of 32x32'
fi
# A run that ended in this second is no part of the next one.
for variant in cpu cpu_omp; do
  "$MAKE" -s run-lab1 BACKEND="$BACKEND" RESULTS="$folder/twice" MACHINE=here SIZES=64 TRIALS=1 \
    VARIANTS=$variant
done >"$folder/said" 2>&1
is 'each of two runs counts its own row' "$(grep -c '^1 row in' "$folder/said")" 2
# A machine that shares the folder measures the lab, too, and ends sooner.
mkdir -p "$folder/shared/a" "$folder/shared/b"
# shellcheck disable=SC2016
is 'a run is of the machine that it wrote last' "$(sh -c '. tools/run.sh
  begin_runs "$1" "$1/figures" lab1
  run_lab lab1 touch -d "1 min" "$1/a/lab1.csv"
  run_lab lab1 touch -d "2 min" "$1/b/lab1.csv"
  echo "$machine"' - "$folder/shared")" b

# ---- where numbers have a comma ------------------------------------------------------------------

# german COMMAND...: where 2.5 is 2,5, with this $awk.
german() {
  with_awk "$awk" env LOCPATH="$folder/locale" LC_ALL=de_DE "$@"
}
mkdir "$folder/locale"
printf '%s\n' LC_CTYPE 'copy "POSIX"' 'END LC_CTYPE' LC_COLLATE 'copy "POSIX"' 'END LC_COLLATE' \
  LC_NUMERIC 'decimal_point ","' 'thousands_sep "."' 'grouping 3;3' 'END LC_NUMERIC' >"$folder/german"
localedef -c -i "$folder/german" -f ISO-8859-1 "$folder/locale/de_DE" 2>"$folder/err"
for awk in mawk 'gawk -N'; do
  name=${awk% -N}
  if lacks "$name" sqlite3 >"$folder/err" || [ "$(german env printf %.1f 2,5)" != 2,5 ]; then
    skip "$name in German" "it needs these: apt-get install $name locales sqlite3"
    continue
  fi
  like "$name: the end of a run has its times" "$(german "$MAKE" -s run-lab1 BACKEND="$BACKEND" \
    RESULTS="$folder/$name" MACHINE=here SIZES=64 VARIANTS=cpu TRIALS=1)" \
    '^ lab1_vecadd  *64  *cpu  *[1-9][0-9.]* [num]s'
  like "$name: a table shows points" "$(german "$MAKE" -s sql BACKEND="$BACKEND" MACHINE=here \
    RESULTS="$folder/$name" REPORT="$folder/report" SQL='select 2.45 as x')" '^ *2\.45 *$'
done

exits 'SQL with a mistake is a failure' 2 "$MAKE" -s sql BACKEND="$BACKEND" MACHINE=nvidia-h200 SQL='select nope from row'

# Git for Windows puts CRLF into what is text, which neither make nor sh of a Linux beside it reads.
if why=$(lacks git); then
  skip 'a checkout of Windows' "$why"
else
  mkdir "$folder/windows"
  cp .gitattributes config.mk "$folder/windows"
  (cd "$folder/windows" && git init -q && git config core.autocrlf true && git add . && rm config.mk &&
    git checkout -q config.mk) 2>"$folder/err"
  ok 'a checkout of Windows has the lines as they are' cmp config.mk "$folder/windows/config.mk"
fi

# ---- setup ---------------------------------------------------------------------------------------

# A machine with little on it, and nobody who may install anything.
mkdir "$folder/bin"
for tool in sh cat grep printf gcc g++ c++ make; do
  ln -s "$(command -v $tool)" "$folder/bin/"
done
printf '#!/bin/sh\necho 1000\n' >"$folder/bin/id"
printf '#!/bin/sh\nexit 1\n' >"$folder/bin/apt-get"
chmod +x "$folder/bin/id" "$folder/bin/apt-get"
setup() {
  PATH=$folder/bin sh tools/setup.sh "$@" 2>&1
}
message=$(setup)
is 'setup goes on without what is optional' $? 0
like 'and says what to type' "$message" \
  'please type this as root: apt-get .*install .*gnuplot-nox sqlite3'
message=$(setup --dev)
is 'but not without what it was asked for' $? 1
rm "$folder/bin/g++"
message=$(setup)
is 'nor without a compiler' $? 1
like 'which it calls needed' "$message" 'needed for the build: g\+\+'
# All packages, by the names of each manager; what of two is there is not seen in the folder alone.
rm "$folder/bin/gcc" "$folder/bin/c++" "$folder/bin/make"
for manager in apt-get dnf pacman; do
  mv "$folder/bin/${before:-apt-get}" "$folder/bin/$manager" 2>/dev/null
  before=$manager
  setup --dev
  setup --report
done | sed -n 's/ chromium//; s/ [a-z0-9]*-ipykernel//; s/.*as root: //p' >"$folder/setup.txt"
golden setup.txt "$folder/setup.txt"
done_testing
