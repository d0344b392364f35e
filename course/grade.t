#!/bin/sh
# grade.t - grading: what becomes of parts that are right, wrong, racing, endless, cheating or no parts at all.
# shellcheck disable=SC2154,SC2016  # of tap.sh; texts for other shells
. tests/tap.sh

why=$(lacks bsdtar prlimit Boost.Context) && skip_all "$why"
export LAUNCH_SECONDS=1
$MAKE BACKEND=cpu runners lab1_vecadd >/dev/null 2>&1 || skip_all 'no builds for checks here'
week=course/week/1.1 all=$folder/all
mkdir -p "$all"

# hand_in STUDENT KIND: a folder with that part.
hand_in() {
  mkdir -p "$all/$1"
  cp "$week/$2.cu" "$all/$1/part_1.1.cu"
}

# grade DIR [OPTION...]: its rows without times, `student,status,marks`.
grade() {
  dir=$1
  shift
  NVCC='' sh course/grade.sh --submissions "$dir" --exercise 1.1 --out "$folder/grades.csv" --seed 3 "$@" \
    >"$folder/out" 2>"$folder/err"
  awk -F , 'NR > 1 { sub(/_[0-9]*$/, "_SUM", $1); print $1 " " $3 " " $9 }' "$folder/grades.csv" | sort
}

for kind in racing bounds published endless printing inputs timer constructor stream library host; do
  hand_in "$kind" "$kind"
done
# launched STUDENT LINE: a grid-stride kernel with dynamic shared memory, and how it is to be launched.
launched() {
  mkdir -p "$all/$1"
  cat >"$all/$1/part_1.1.cu" <<END
/* $2 */
#define N 4
__global__ void naive(const float *a, const float *b, float *c, int n)
{
    extern __shared__ float sums[];
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        assert(i >= 0);
        sums[threadIdx.x] = a[i] + b[i];
        c[i] = sums[threadIdx.x];
    }
}
END
}
# Names that are the same but for letters that no path has; the second's part begins with a byte order mark.
hand_in 'Jörg Müller' bounds
mkdir -p "$all/bounds/1/2/3/4" && mv "$all/bounds/part_1.1.cu" "$all/bounds/1/2/3/4"
mkdir "$all/Järg Möller"
{ printf '\357\273\277' && awk -v exercise=1.1 -v part="$week/right.cu" -f course/part.awk lab1_vecadd/vecadd.cu |
  sed -n '/\[exercise 1.1\]/,/\[end 1.1\]/p'; } >"$all/Järg Möller/part_1.1.cu"
launched few 'block: 128, grid: 7, shared: 4/thread'
sed -i 's/ \*\/$/\r\n&/; s/$/\r/' "$all/few/part_1.1.cu" # from Windows
launched half 'grid: /2, shared: 60000'
launched short 'shared: 2/thread'
launched none 'grid: -4'
launched much 'shared: 1024/thread'
# A whole file with its markers, in an archive from Windows; what stands outside of them is nobody's.
mkdir "$all/other" && sed 's/const float/float/' "$week/right.cu" >"$all/other/part_1.1.cu"
mkdir "$all/large"
sed 's/^{/&\n    __shared__ float t[20000];\n    t[n % 9] = n;/' "$week/right.cu" >"$all/large/part_1.1.cu"
bsdtar -cf "$all/ada.tar" -s "|.*|$(printf 'B\224')/part_1.1.cu|" "$week/right.cu" 2>/dev/null
awk -v exercise=1.1 -v part="$week/right.cu" -f course/part.awk lab1_vecadd/vecadd.cu |
  sed 's/^#include "lab.h"/#include "\/etc\/passwd"\nsystem("rm -rf \/")/' >"$folder/vecadd.cu"
printf 'all:\n\ttouch %s/ran\n$(shell touch %s/ran)\n' "$folder" "$folder" >"$folder/Makefile"
(cd "$folder" && mkdir 'Lösung [1]' && cp vecadd.cu Makefile L* &&
  LC_ALL=C.UTF-8 bsdtar --format zip -cf all/bob.ZIP L* && rm -r L*)
# Archives that nobody is to unpack, or can.
(cd "$folder" && bsdtar --format zip --options zip:encryption --passphrase x -cf all/locked.zip vecadd.cu &&
  cp vecadd.cu x.cu && bsdtar -cf all/up.tar -s ',^x,../../../x,' -P x.cu &&
  bsdtar -czf all/absolute.tar.gz -P "$folder/x.cu" && ln -s /etc/passwd vecadd_link.cu &&
  bsdtar -cf all/link.tar vecadd_link.cu vecadd.cu && echo no archive >all/broken.zip)
mkdir "$all/empty" "$all/binary" "$all/huge" "$all/bare"
head -c 3000 /dev/urandom >"$all/binary/part_1.1.cu"
head -c 100000000 /dev/zero | tr '\0' ' ' >"$all/huge/part_1.1.cu"
mkfifo "$all/empty/part_1.1.cu"
: >"$all/bare/part_1.1.cu"
# Names of the judge's own files, and odd ones; what is no file, and a link to a folder.
mkdir "$all/seed" "$all/words" "$all/classes.tsv" "$all/similar.csv" "$all/handout" "$all/-n" "$all/new
line"
mkfifo "$all/pipe" && ln -s nowhere "$all/dangling" && ln -s huge "$all/linked"

is 'each gets what is due' "$(grade "$all")" "-n refused 0
J__rg_M__ller_SUM bounds 4
J__rg_M__ller_SUM ok 8
absolute refused 0
ada ok 8
bare refused 0
binary refused 0
bob ok 8
bounds bounds 4
broken refused 0
classes.tsv refused 0
constructor refused 0
dangling refused 0
empty refused 0
endless timeout 0
few ok 8
half ok 8
handout refused 0
host refused 0
huge refused 0
inputs cheat 0
large compile 0
library refused 0
link refused 0
linked refused 0
locked refused 0
much refused 0
new_line_SUM refused 0
none refused 0
other compile 0
pipe refused 0
printing crash 0
published cheat 0
racing race 6
seed refused 0
short bounds 0
similar.csv refused 0
stream refused 0
timer refused 0
up refused 0
words refused 0"
ok 'a Makefile was not run' test ! -e "$folder/ran"
reasons=$(cut -d , -f 1,18- "$folder/grades.csv")
like 'a cheat is named' "$reasons" '^published,.*right at the published sizes alone'
like 'so is an input that was changed' "$reasons" '^inputs,.*wrote to the input A'
like 'so is too much shared memory' "$reasons" '^large,"vecadd.cu: naive.* uses too much static shared memory'
like 'so is a kernel of other parameters' "$reasons" '^other,"has no kernel naive.float const[*], float const'
like 'so is what was refused' "$reasons" "^host,calls a function of the host's: add_serial"
like 'an archive with a password' "$reasons" '^locked,"?has a vecadd.cu that .* wants a password'
like 'a name that leads out' "$reasons" '^up,has a name that leads out of it'
like 'what is no file' "$(echo "$reasons" | paste -s -d ';')" ';dangling,is no file;.*;pipe,is no file;'
like 'a link to a folder is followed' "$reasons" '^linked,is too long for a part'
like 'a launch that prints for ever' "$reasons" '^printing,.*wrote more than 1048576 bytes'
like 'and a launch that cannot be' "$reasons" "^none,\"?declares a launch that cannot be: 'grid: -4'"
like 'what a part declares stands in its row' "$(column student block "$folder/grades.csv")" '^few,128 grid: 7 shared: 4/thread$'
like 'a page of feedback each' "$(cat "$folder/grades.csv.d/racing/feedback.md")" 'race on global memory'
like 'a summary' "$(cat "$folder/out")" '^41 submissions in [0-9]+ s:'
if command -v sim_c >/dev/null; then
  like 'pairs that are alike' "$(cat "$folder/grades.csv.d/.state/similar.csv")" '^(ada,bob|bob,ada),'
fi
mkdir -p "$folder/twice/ada" && touch "$folder/twice/ada.tar.xz" "$folder/twice/bob"
refuses 'two of one student' 2 "more than one of 'ada'" sh course/grade.sh --submissions "$folder/twice" \
  --exercise 1.1 --out "$folder/twice.csv"
mkdir -p "$folder/long/$(printf '%0250d' 0) x"
exits 'a submission that no folder can be made for' 1 env NVCC='' sh course/grade.sh --submissions "$folder/long" \
  --exercise 1.1 --out "$folder/long.csv"
like 'has no row, which is told' "$(cat "$folder/err")" '^grade.sh: a submission has no row: '

# What is there is kept, a mark for style, too.
sed 's/^\(ada,1.1,ok,4,2,2,,\),8,8/\12,8,8/' "$folder/grades.csv" >"$folder/marked.csv"
cp "$folder/marked.csv" "$folder/grades.csv"
rm "$folder/grades.csv.d/bob/row"
like 'graded again, with a mark for style' "$(grade "$all")" '^ada ok 10$'
ok 'the others were not run again' sh -c "[ ! -e '$folder/grades.csv.d/racing/race.rows' ]"
# keeps_not WHAT SCRIPT WHY: rows that somebody made what they are not.
keeps_not() {
  sed -E "$2" "$folder/grades.csv" >"$folder/spoilt.csv"
  refuses "$1" 2 "$3" sh course/grade.sh --submissions "$all" --exercise 1.1 --out "$folder/spoilt.csv"
}
keeps_not 'a mark with a comma' 's/^(ada,1.1,ok,4,2,2,,)2/\1"1,5"/' "style of ada is '1,5'"
keeps_not 'rows of another exercise' 's/^ada,1.1/ada,1.2/' "has a row of the exercise '1.2', not 1.1"
keeps_not 'rows with other signs between columns' 's/,/;/g' "has a row of the exercise '', not 1.1"
refuses 'a folder for the rows' 2 'is a folder' sh course/grade.sh --submissions "$all" --exercise 1.1 --out "$folder"
refuses 'rows among the submissions' 2 'lies among the submissions' sh course/grade.sh --submissions "$all" --exercise 1.1 \
  --out "$all/rows.csv"
mkfifo "$folder/pipe"
refuses 'rows into a pipe' 2 'something else than a file' sh course/grade.sh --submissions "$all" --exercise 1.1 \
  --out "$folder/pipe"
mkdir "$folder/alone" && touch "$folder/alone/part_1.1.cu"
refuses "a student's own folder" 2 "a class's folder" sh course/grade.sh --submissions "$folder/alone" --exercise 1.1 \
  --out "$folder/x.csv"
refuses 'a seed that is too large' 2 'SEED=1234567890' sh course/grade.sh --submissions "$all" --exercise 1.1 \
  --seed 1234567890 --out "$folder/x.csv"
refuses 'a seed that is no number' 2 'SEED=-5' sh course/grade.sh --submissions "$all" --exercise 1.1 --seed -5 \
  --out "$folder/x.csv"

# An interrupted grading leaves nothing at work that would write into the next one's folders; two at a time wait.
mkdir "$folder/one"
cp -r "$all/endless" "$folder/one"
again() {
  exec env LAUNCH_SECONDS="$1" NVCC='' setsid sh course/grade.sh --submissions "$folder/one" --exercise 1.1 \
    --out "$folder/again.csv" --seed 3 >"$folder/again.$2" 2>&1
}
at_work() {
  pgrep -f "$1" >"$folder/pids"
}
again 60 cut &
cut=$!
ok 'an endless launch is at work' wait_until 60 at_work "$folder/again.csv.d/endless/runner_asan"
kill -s TERM -- "-$cut"
ok 'interrupted, it ends with all that it runs' wait_until 1 not at_work "$folder/again.csv"
again 1 first &
again 1 second &
wait
is 'two at a time, one waits' "$(cat "$folder/again.first" "$folder/again.second" | grep -c 'is being graded')" 1
is 'and what is due is given' "$(column status "$folder/again.csv")" timeout

# A GPU without builds for the CPU, by stand-ins: a compiler, and a judge that runs its own kernel.
mkdir -p "$folder/cuda/bin" "$folder/gpu/judge" "$folder/few"
cp -r "$all/few" "$all/stream" "$folder/few"
cat >"$folder/cuda/bin/nvcc" <<'END'
#!/bin/sh
case " $* " in *' -arch=sm_90a '*) ;; *) exit 1 ;; esac
while [ "$1" != -o ]; do shift; done
echo cubin >"$2"
END
cat >"$folder/gpu/vecadd" <<'END'
#!/bin/sh
case $* in
*--judge*) printf 'handed_in naive ok 100 99 101 9 \npeer naive ok 95 94 96 9 \n' && exit ;;
*'=?'*) exec build/cpu/vecadd "$@" ;;
esac
for word; do
  shift
  case $word in --kernel | *.cubin) continue ;; esac
  set -- "$@" "$word"
done
exec build/cpu/vecadd "$@"
END
chmod +x "$folder/cuda/bin/nvcc" "$folder/gpu/vecadd"
cp "$folder/gpu/vecadd" "$folder/gpu/judge"
exits 'on a GPU alone' 0 env B="$folder/gpu" BACKEND=cuda ON_CPU='' NVCC="$folder/cuda/bin/nvcc" \
  CUDA_HOME="$folder/cuda" ARCH='sm_90a sm_80' sh course/grade.sh --submissions "$folder/few" --exercise 1.1 \
  --out "$folder/gpu.csv" --seed 3
like 'it says what nobody looked for' "$(cat "$folder/err")" 'nobody looks for$'
is 'marks are of what was looked at' "$(column student status correct edges race speed marks of "$folder/gpu.csv")" \
  'few,ok,4,2,,3,9,9
stream,refused,0,0,,,0,6'
like 'the page, too' "$(cat "$folder/gpu.csv.d/few/feedback.md")" '^Nobody has looked for races'

# The sandbox by itself, with a runner of one's own that does all that it can.
contain=$(sh course/sandbox.sh which)
mkdir "$folder/box"
box() {
  SANDBOX=$contain sh course/sandbox.sh run "$folder/box" sh -c "$1" 2>&1
}
if [ "$contain" = none ]; then
  skip 'the sandbox' 'bubblewrap is missing, or can make no namespace here'
else
  is 'it sees no other files' "$(box "cat $root/README.md /etc/passwd" | grep -c 'No such file')" 2
  is 'nor a network' "$(box 'cat /proc/net/dev' | grep -c eth)" 0
  like 'it writes nowhere' "$(box 'echo x >x')" 'Read-only'
  like 'few processes can be started' "$(box 'for i in $(seq 200); do sleep 5 & done; wait')" \
    'Resource temporarily unavailable|Cannot fork'
  box 'for i in $(seq 62); do sleep 3 & done; wait' >/dev/null &
  sleep 1
  is 'which takes none of those of others' "$(box '(echo here) & wait')" here
  wait
fi

# A kernel from a file, in the harness.
program=$(pwd)/build/cpu/vecadd
is 'it tells what a file is to hold' "$("$program" --kernel 'vector4=?' --blocks 256)" _Z7vector4PKfS0_Pfi
refuses 'a variant that is none' 2 "no VARIANT=FILE" "$program" --kernel mine=x
refuses 'rounds want a kernel' 2 'for a --kernel' "$program" --judge 3 --sizes 9
touch "$folder/failed"
like 'nothing runs once a launch did not end well' "$(CUDA_CPU_RUNNER_FAILED=$folder/failed "$program" --kernel naive=/bin/true \
  --check-only --variants naive --sizes 9 --blocks 32 2>&1)" '^ +not run, as another launch did not end well$'
like 'a file that does not run' "$("$program" --kernel naive=/bin/false --check-only --variants naive --sizes 9 \
  --blocks 32 2>&1)" 'ended the program'
if thorough; then
  # The judge's rounds, which a GPU times, with the runners of a build for checks.
  for kind in right wrong inputs kept; do
    mkdir -p "$folder/judged/$kind" && cp "$week/$kind.cu" "$folder/judged/$kind/part_1.1.cu"
  done
  SANDBOX=$(sh course/sandbox.sh which) && export SANDBOX
  KEEP_RUNNERS=1 NVCC='' sh course/grade.sh --submissions "$folder/judged" --exercise 1.1 --out "$folder/judged.csv" \
    --seed 3 >"$folder/out" 2>&1
  # rounds KIND OPTION...: who ran, how it ended, how often; the exit status.
  rounds() {
    runner=$folder/judged.csv.d/$1/asan.sh
    shift
    "$program" --kernel naive="$runner" --judge 3 --seed 5 --sizes '16 4096' --blocks 256 "$@" >"$folder/out" 2>"$folder/err"
    status=$?
    echo "$(awk '{ print $1, $2, $3, $4 $5 $6, $7 }' "$folder/out" | paste -s -d ,) $status"
  }
  is 'three rounds, by it and its peers in their order' "$(rounds right --variants 'cpu vector4 naive')" \
    'handed_in naive ok --- 3,peer naive ok --- 3,peer vector4 ok --- 3 0'
  is 'without peers' "$(rounds right --variants cpu)" 'handed_in naive ok --- 3 0'
  is 'a wrong one is told after its first round' "$(rounds wrong --variants 'naive')" \
    'handed_in naive wrong --- 0,peer naive ok --- 1 1'
  like 'with what is wrong' "$(cat "$folder/out")" 'handed_in .* 4096 of 4096 values wrong; the first at x=0 y=0'
  is 'one that writes to its inputs' "$(rounds inputs)" 'handed_in naive wrong --- 0 1'
  like 'as well' "$(cat "$folder/out")" 'wrote to the input A'
  is 'one that keeps what it has seen' "$(rounds kept)" 'handed_in naive wrong --- 0 1'

  # What is limited is processor time: a machine that does something else for a while refuses nobody.
  # slow COMMAND: that before each launch of the right one; the row's status and note.
  slow() {
    printf '#!/bin/sh\n%s\nexec sh "%s"\n' "$1" "$folder/judged.csv.d/right/asan.sh" >"$folder/slow.sh"
    chmod +x "$folder/slow.sh"
    cp "$folder/judged.csv.d/right/asan.sh.symbols" "$folder/slow.sh.symbols"
    "$program" --kernel naive="$folder/slow.sh" --check-only --fresh --variants naive --sizes '9 99' --blocks 32 \
      --csv "$folder/slow.csv" >/dev/null 2>&1
    column status note "$folder/slow.csv" | paste -s -d ' '
  }
  export CUDA_CPU_RUNNER_SECONDS=1
  is 'waiting is not computing' "$(slow 'sleep 1.5')" 'ok, ok,'
  like 'computing is' "$(slow 'while :; do :; done')" '^failed,.*a launch took more than 1 s'
  CUDA_CPU_RUNNER_SECONDS=0.05
  like 'waiting for ever ends, too' "$(slow 'sleep 5')" '^failed,.*a launch took more than 0.05 s'
  unset CUDA_CPU_RUNNER_SECONDS

  # A part that reads what the lab's host code has put into a variable.
  mkdir -p "$folder/variable/model"
  awk -v exercise=5.1 -f course/part.awk lab5_gaussian/gaussian.cu >"$folder/variable/model/part_5.1.cu"
  $MAKE BACKEND=cpu lab5_gaussian >/dev/null 2>&1
  KEEP_RUNNERS=1 NVCC='' sh course/grade.sh --submissions "$folder/variable" --exercise 5.1 --out "$folder/variable.csv" --seed 3 \
    >"$folder/out" 2>&1
  is 'a variable of the lab, in the part' "$(column status marks of "$folder/variable.csv")" ok,8,8
  exits 'the memory between its passes is given back' 0 build/cpu/gaussian --judge 2 --seed 5 --sizes 64x48 --blocks 16 \
    --kernel separable="$folder/variable.csv.d/model/asan.sh" --passes 2 --variants array
fi

done_testing
