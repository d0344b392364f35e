#!/bin/sh
# try.t - make try: a verdict on any CUDA file, of at most ten lines of 80 columns; cpu-nvcc, the driver
# behind it. On a GPU the same files by nvcc; without one its part is tried with stand-ins for the tools.
. tests/tap.sh

unset CUDA_CPU_STRICT # students do not set it
cases="$folder/my cases"
mkdir "$cases"

# program NAME KERNEL [HOST]: NAME.cu, whose kernel works on 64 numbers `in` and `out`; the host's words
# stand before the results are looked at.
program() {
    cat >"$cases/$1.cu" <<END
#include <stdio.h>
#include "size.h"
__global__ void work(const float *in, float *out)
{
    $2
}
int main(int argc, char **argv)
{
    float h[N], *in, *out;
    for (int i = 0; i < N; i++)
        h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    work<<<1, N>>>(in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    ${3:-}
    printf("%g\n", h[1]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
END
}

# What the rewriter must find in a header, too.
cat >"$cases/size.h" <<'END'
#include <stdlib.h>
#define N 64
__device__ inline float *room()
{
    extern float __shared__ room_[];
    return room_;
}
END
echo 'float more(float x) { return x + 1; }' >"$cases/more.cu"
program right 'out[threadIdx.x] = 2 * in[threadIdx.x];'
program two '
#if __CUDA_ARCH__ >= 700
    out[threadIdx.x] = 2 * in[threadIdx.x];
#endif' \
    'float more(float); for (int i = 1; i < argc; i++) printf("<%s> %g\n", argv[i], more(i));'
program race '__shared__ float s[N];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[(threadIdx.x + 1) % N];'
program bounds 'out[threadIdx.x + 1] = in[threadIdx.x];'
program endless 'while (*(volatile const float *)in == 0) ; out[0] = 1;'
program crash 'if (threadIdx.x == 0) printf("told\n");
    out[threadIdx.x] = *(const float *)(threadIdx.x == 5 ? 8 : (size_t)in);'
program refused 'out[threadIdx.x] = in[threadIdx.x] + unknown;'
program prints 'out[threadIdx.x] = in[threadIdx.x];' 'for (;;) puts("once more");'
program hangs 'out[threadIdx.x] = in[threadIdx.x];' 'for (volatile int i = 0; i == 0;) ;'
program unwaited 'out[threadIdx.x] = in[threadIdx.x];' 'work<<<1, N>>>(in, out); return 0;'
program aborts 'out[threadIdx.x] = in[threadIdx.x];' 'if (h[1] != 7) abort();'
program overflows 'int most = 0x7fffffff; out[threadIdx.x] = in[threadIdx.x] + (most + (int)in[1]);'
program mask 'out[threadIdx.x] = __shfl_down_sync(32, in[threadIdx.x], 1);'
program wrong_way 'out[threadIdx.x] = in[threadIdx.x];' 'cudaMemcpy(h, in, sizeof h, cudaMemcpyHostToDevice);'
program launches 'if (threadIdx.x == 0) work<<<1, 1>>>(in, out);'
program leaks 'out[threadIdx.x] = in[threadIdx.x];' 'cudaMalloc(&in, 4 * N);'

# try_it FILE [SETTING...]: what make try says goes to $folder/said, without times, and is shown.
try_it() {
    file=$1
    shift
    "$MAKE" -s try FILE="$file" BACKEND="$BACKEND" B="$B" "$@" >"$folder/all" 2>"$folder/err"
    sed -E 's/[0-9.]+ s$/# s/; s/[0-9.]+ s;/# s;/' "$folder/all" >"$folder/said"
}

# verdict NAME [SETTING...]: try_it, and of its verdict the size; all of it goes to $folder/verdicts.
verdict() {
    name=$1
    shift
    try_it "$cases/$name.cu" "$@"
    sed -n '/^builds/,$p' "$folder/said" >"$folder/verdict"
    ok "$name: ten lines of 80 columns at most" \
        awk 'length > 80 || NR > 10 { exit 1 } END { exit NR < 3 }' "$folder/verdict"
    { echo "== $name" && cat "$folder/said" && echo; } >>"$folder/verdicts"
}

# ---- on a GPU ------------------------------------------------------------------------------------

if [ "$BACKEND" = cuda ]; then
    nvidia-smi -L 2>/dev/null | grep -q '^GPU' || skip_all 'there is no GPU here'
    verdict right
    like 'a right file' "$(cat "$folder/said")" '^verdict  nothing wrong was found$'
    like 'it is built for the newest, too' "$(cat "$folder/said")" 'and for the newest, sm_[0-9]'
    like 'and timed, or what is missing is said' "$(cat "$folder/said")" '^times '
    verdict refused
    like 'one that does not compile' "$(cat "$folder/said")" 'WRONG: it does not build$'
    if why=$(lacks compute-sanitizer); then
        skip 'races and bounds' "$why"
    else
        verdict race
        like 'a race, both sides' "$(tr -d '\n' <"$folder/said" | tr -s ' ')" \
            'race.cu:7.*race.cu:6|race.cu:6.*race.cu:7'
        verdict bounds
        like 'an access out of bounds' "$(cat "$folder/said")" \
            '^bounds +Invalid __global__ write of size 4'
    fi
    done_testing
    exit
fi

# ---- on the CPU ----------------------------------------------------------------------------------

! why=$(lacks Boost.Context) || skip_all "$why"

verdict right
is 'a right file: status 0' "$(cat "$folder/err")" ''
verdict race
verdict refused
verdict unwaited
# Managed memory: host code that reads what a launch that waits will write, and host code that does not.
program early 'out[threadIdx.x] = in[threadIdx.x];' \
    'float *m; cudaMallocManaged(&m, 4 * N); work<<<1, N>>>(in, m); printf("%g\n", m[1]); cudaFree(m);'
program wide 'if (threadIdx.x % 4 == 0) ((float4 *)out)[threadIdx.x / 4] = ((const float4 *)in)[threadIdx.x / 4];' \
    'float *m; cudaMallocManaged(&m, 4 * N); work<<<1, N>>>(in, m); printf("%g\n", m[1]); cudaFree(m);'
program in_time 'out[threadIdx.x] = in[threadIdx.x];' \
    'float *m, *k; cudaMallocManaged(&m, 4 * N); cudaMallocManaged(&k, 4 * N); work<<<1, N>>>(in, m); k[1] = 7;
    cudaDeviceSynchronize(); m[1] += k[1]; work<<<1, N>>>(m, k); cudaFree(m); cudaFree(k);'
try_it "$cases/early.cu"
like 'host code that does not wait for managed memory' "$(tr -d '\n' <"$folder/said" | tr -s ' ')" \
    'early.cu:[0-9]*: host code touches managed memory before it waits for the launch: early.cu:[0-9]*: write .*WRONG: a launch is not waited for'
try_it "$cases/wide.cu"
like 'or for a part of what a thread writes at once' "$(cat "$folder/said")" '^verdict  WRONG: a launch is not waited for$'
try_it "$cases/in_time.cu"
like 'that does, or touches other memory' "$(cat "$folder/said")" '^verdict  nothing wrong was found$'
program asserts 'out[threadIdx.x] = in[threadIdx.x];
    assert(threadIdx.x < 63);' # whose error nobody asks for
sed -i '1s/^/#include <assert.h>\n/' "$cases/asserts.cu"
verdict asserts
program too_many 'out[threadIdx.x] = in[threadIdx.x];' 'work<<<1, 2048>>>(in, out);'
verdict too_many
golden try.txt "$folder/verdicts"

cd "$cases" || exit
link=$folder/link
ln -s "$cases" "$link"
cd "$root" || exit
try_it "$link/two.cu $link/more.cu" ARGS="one 'two words'"
is 'several files, a local header, ARGS' "$(grep -v '^builds' "$folder/said")" "<one> 2
<two words> 3
2
runs     exit status 0 after # s
bounds   no access out of bounds
races    no race, nothing unset is read
verdict  nothing wrong was found"
is 'nothing is written beside the file' \
    "$(cd "$cases" && find . -type f ! -name '*.cu' ! -name size.h)" ''

refuses 'a file that is none' 2 'try: nothing.cu: no such file' \
    env FILE=nothing.cu sh tools/try.sh
refuses 'no file' 2 'try: which file' sh tools/try.sh
refuses 'no folder for temporary files' 2 'try: no room for temporary files in /nowhere: ' \
    env TMPDIR=/nowhere FILE="$cases/right.cu" sh tools/try.sh
refuses 'an open quote' 2 'a quote is missing' env FILE="$cases/right.cu" ARGS="it's" sh tools/try.sh

printf '%s\n' 'CUDA on the CPU: kernel k (launched at k.cu:9), block (1,0,0): __syncthreads() is not reached by all' \
    '  1 of 2 threads have returned' '  1 of 2 threads wait in __syncthreads() at k.cu:3' >"$folder/barrier"
# shellcheck disable=SC2016  # $1 is the inner shell's
is "a barrier's place is not cut off" "$(sh -c '. tools/says.sh; engine_says "$1"' sh "$folder/barrier")" \
    'kernel k, block (1,0,0): __syncthreads() is not reached by all; 1 of 2 threads wait at k.cu:3; 1 of 2 threads have returned'

# ---- cpu-nvcc ------------------------------------------------------------------------------------

# nvcc's options of people's Makefiles: objects, then a program.
objects() {
    (cd "$cases" && "$root/tools/cpu-nvcc" -arch=sm_90 -O2 -Xptxas -v -DUNUSED='"a b"' -dc two.cu \
        -o "$folder/two.o" && "$root/tools/cpu-nvcc" --std c++17 -c more.cu -o "$folder/more.o" &&
        "$root/tools/cpu-nvcc" -lineinfo -lcudart "$folder/two.o" "$folder/more.o" -o "$folder/two")
}
ok 'objects and a program, with options of nvcc' objects
is 'which runs' "$("$folder/two" x)" "<x> 2
2"
printf '%s\n' '#ifdef __CUDACC__' '#define BOTH __host__ __device__' '#else' '#define BOTH' '#endif' \
    'BOTH int f(int x) { return x + 1; }' '__global__ void k(int *p) { *p = f(*p); }' \
    'int main() { return __CUDACC_VER_MAJOR__ < 11 || __NVCC__ < 1; }' >"$folder/macros.cu"
ok "nvcc's macros" tools/cpu-nvcc -run "$folder/macros.cu" -o "$folder/macros"
refuses 'what only a GPU has' 2 'cpu-nvcc: -ptx: this makes programs' tools/cpu-nvcc -ptx "$cases/two.cu"
for option in -lib -dryrun; do
    refuses "$option" 2 "cpu-nvcc: $option: this makes programs" tools/cpu-nvcc $option "$cases/two.cu"
done
refuses 'no folder for temporary files' 2 'cpu-nvcc: no room for temporary files in /nowhere: ' env TMPDIR=/nowhere \
    tools/cpu-nvcc "$cases/two.cu"
refuses 'two files for one object' 2 'cpu-nvcc: -c and -o: one file' \
    tools/cpu-nvcc -c "$cases/two.cu" "$cases/more.cu" -o "$folder/both.o"
refuses 'an option whose value is missing' 2 'cpu-nvcc: -o: its value is missing' tools/cpu-nvcc "$cases/two.cu" -o
refuses 'two builds at once' 2 'cpu-nvcc: -race and -asan: a program is of one' tools/cpu-nvcc -race -asan "$cases/two.cu"
printf '#include <cooperative_groups.h>\n#include <mma.h>\nint main() { return SIZE - THREADS; }\n' >"$folder/named.cu"
ok 'macros whose names headers of templates like' tools/cpu-nvcc -DSIZE=16 -DTHREADS=16 -DM=1 -DN=2 -DK=3 -DA=4 -DB=5 \
    "$folder/named.cu" -run -o "$folder/named"
like '--version names the release' "$(tools/cpu-nvcc --version)" '^cpu-nvcc: .* release 13[.]0, by '
cat >"$cases/options.cu" <<'END'
#include "below.h"
#include <stdio.h>
int main()
{
    volatile float x = 1 + 0x1p-12f, square = x * x;
    printf("%d %d %g\n", SUM, BELOW, x * x - square);
    return 3;
}
END
mkdir "$cases/below"
echo '#define BELOW 7' >"$cases/below/below.h"
is 'long names, what is passed over, and -run' "$(cd "$cases" && "$root/tools/cpu-nvcc" --define-macro ONE=1 \
    --define-macro=SUM=ONE+4 -DSUM2 --undefine-macro SUM2 --include-path below --library m --library-path=. \
    --compiler-bindir g++ -fmad=false -ftz=true -prec-div=false -prec-sqrt=true -use_fast_math -res-usage -keep \
    --keep-dir "$folder" -Werror all-warnings --output-file "$folder/options" -run options.cu; echo $?)" '5 7 0
3'

# PTX is refused in code for the CPU that is used, and there alone; the host's own asm is not.
cat >"$cases/ptx.cu" <<'END'
__device__ static inline unsigned unused()
{
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
__global__ void kernel(unsigned *out)
{
#ifndef CUDA_ON_CPU
    asm("bar.sync 0;");
#elif defined PTX
    asm("mov.u32 %0, %%laneid;" : "=r"(*out));
#endif
}
int main()
{
    asm volatile("" ::: "memory");
    return 0;
}
END
ok 'PTX that no kernel uses here' tools/cpu-nvcc "$cases/ptx.cu" -o "$folder/ptx"
like 'PTX in a kernel' "$(tools/cpu-nvcc -DPTX "$cases/ptx.cu" -o "$folder/ptx" 2>&1)" \
    'ptx.cu:12:[0-9]*: error: .*PTX [(]asm[)] is not supported'

# ---- the GPU's part, by stand-ins ----------------------------------------------------------------

# stand_in NAME TEXT: a tool in $folder/bin that prints the text.
mkdir "$folder/bin"
stand_in() {
    printf '#!/bin/sh\ncat <<"END"\n%s\nEND\n' "$2" >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}
cat >"$folder/bin/nvcc" <<'END'
#!/bin/sh
[ "$1" != --list-gpu-arch ] || { echo compute_90; echo compute_121; exit; }
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\necho 2\n' >"$2" && chmod +x "$2"
END
chmod +x "$folder/bin/nvcc"
stand_in racecheck '========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at work(const float *, float *)+0x90 in right.cu:6
=========     and Read access at work(const float *, float *)+0x120 in right.cu:7 [63 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)'
stand_in memcheck '========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at work(const float *, float *)+0x90 in right.cu:5
=========     by thread (63,0,0) in block (0,0,0)
=========     Address 0x7f2 is out of bounds
=========     Saved host backtrace up to driver entry point at kernel launch time
========= ERROR SUMMARY: 1 error'
# shellcheck disable=SC2016  # $2 is the sanitizer's
printf '#!/bin/sh\nexec %s/$2\n' "$folder/bin" >"$folder/bin/sanitizer" && chmod +x "$folder/bin/sanitizer"
stand_in ncu '==PROF== Connected
"ID","Kernel Name","Metric Value"
"0","void work<int>(float *)","1000"
"1","void work<int>(float *)","3000"
"2","other(int)","5,000"'
# try_on_gpu FILE
try_on_gpu() {
    FILE=$1 BACKEND=cuda NVCC=$folder/bin/nvcc SANITIZER=$folder/bin/sanitizer NCU=$folder/bin/ncu \
        B=$folder/build sh tools/try.sh
}
try_on_gpu "$cases/right.cu" >"$folder/said"
if command -v nsys >/dev/null 2>&1; then
    skip 'the verdict of a GPU' 'nsys is here, and would be asked'
else
    is 'the verdict of a GPU' "$(sed -E 's/[0-9.]+ s$/# s/' "$folder/said")" "2
builds   yes, for the card and for the newest, sm_121
runs     exit status 0 after # s
bounds   Invalid __global__ write of size 4 bytes; at work(const float *, float
         *) in right.cu:5; by thread (63,0,0) in block (0,0,0); Address 0x7f2
         is out of bounds
races    Error: Race reported between Write access at work(const float *, float
         *) in right.cu:6; and Read access at work(const float *, float *) in
         right.cu:7 [63 hazards]
times    other(int): 1 launch, 5 us each
times    work<int>(float *): 2 launches, 2 us each
verdict  WRONG: an access out of bounds, a race"
fi

mkdir "$folder/other" && cp "$cases/right.cu" "$folder/other"
kept=$(ls -d "$folder/build/try"/*)
if command -v flock >/dev/null; then
    flock "$kept" sleep 1 &
    sleep 0.2
    try_on_gpu "$cases/right.cu" 2>&1 >/dev/null | cat >"$folder/err"
    like 'a file is tried by one at a time' "$(cat "$folder/err")" 'is being tried: this one waits'
fi
try_on_gpu "$folder/other/right.cu" >/dev/null
is 'a file of the same name has a folder of its own' "$(find "$folder/build/try" -name plain.txt | wc -l)" 2
rm -f "$kept/plain.txt" && mkdir "$kept/plain.txt" # root, too, cannot write to a folder
refuses 'nowhere to write' 2 'try: .* cannot be written to' try_on_gpu "$cases/right.cu"

# ---- what takes longer ---------------------------------------------------------------------------

if thorough; then
    : >"$folder/verdicts"
    for name in bounds endless crash prints leaks aborts overflows mask wrong_way launches; do
        verdict $name
    done
    verdict hangs SECONDS=2
    sed "s|$root/||; s/-[0-9]*\/plain/-SUM\/plain/" "$folder/verdicts" >"$folder/named"
    golden try_more.txt "$folder/named"
    program shared 'out[threadIdx.x] = in[threadIdx.x];' 'work<<<1, N, 100000>>>(in, out); cudaDeviceSynchronize();'
    try_it "$cases/shared.cu"
    like 'too much shared memory, and nobody asked' "$(tr -s '\n ' ' ' <"$folder/said")" \
        'cudaErrorInvalidValue is left at the end: a launch failed at shared.cu:17 .*a launch failed and nobody asked'
    program handled 'out[threadIdx.x] = in[threadIdx.x];' 'float *more; if (cudaMalloc(&more, 1ull << 60)) puts("less"); return 0;'
    try_it "$cases/handled.cu"
    like 'a call that failed and was asked' "$(cat "$folder/said")" '^verdict  nothing wrong was found$'
    program asks 'out[threadIdx.x] = in[threadIdx.x];' 'if (!malloc((size_t)1 << 45)) puts("less");'
    try_it "$cases/asks.cu"
    is 'memory that there is not is no access out of bounds' "$(grep -E '^(bounds|verdict)' "$folder/said")" \
        'bounds   out of memory: an allocation at asks.cu:17
verdict  nothing wrong was found, but not all was looked for: bounds'
    program pictures 'out[threadIdx.x] = in[threadIdx.x];' 'puts("  *\n ***");
        for (int i = 0; i < 3; i++) if (fork() == 0) return (int)sleep(777);'
    printf '\357\273\277#include <unistd.h>\n' | cat - "$cases/pictures.cu" >"$cases/marked.cu"
    try_it "$cases/marked.cu"
    is 'a byte order mark, and lines that begin with blanks' "$(head -n 2 "$folder/said"; tail -n 1 "$folder/said")" '  *
 ***
verdict  nothing wrong was found'
    is 'nothing that a program started goes on' "$(pgrep -f 'try/marked-' -c)" 0
    if why=$(lacks clang++); then
        skip 'by clang' "$why"
    else
        # Of its own optimised code CI's labs by clang tell: without, the engine takes it a third of the time.
        printf '#!/bin/sh\nexec clang++ "$@" -O0\n' >"$folder/clang++" && chmod +x "$folder/clang++"
        try_it "$cases/right.cu" CXX="$folder/clang++" B="$folder/clang"
        like 'by clang' "$(cat "$folder/said")" '^verdict  nothing wrong was found$'
    fi
fi
done_testing
