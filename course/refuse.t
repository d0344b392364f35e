#!/bin/sh
# refuse.t - what a part may not have, as refuse.awk reads it: a line each, and beside it what is much alike
# and may stand. (That `make grade` asks it is grade.t's.)
# shellcheck disable=SC2154  # of tap.sh
. tests/tap.sh

printf '%s\n' 'host run_cpu' 'word launch_naive' 'word vecadd' >"$folder/words"

# refusal [OPTION...]: of the part that stands on standard input.
refusal() {
  awk "$@" -v words="$folder/words" -f course/refuse.awk
}

# said TEXT [OPTION...]: of a part with that text, \n between lines.
said() {
  text=$1
  shift
  printf '%b\n' "$text" | refusal "$@"
}

while IFS='|' read -r text why; do
  is "$text" "$(said "$text")" "$why"
done <<'END_OF_LIST'
system("ls");|calls the system: system
system ("ls");|calls the system: system
int system = 1;|
// system("ls");\nint a;|
/* system("ls"); */ int a;|
/* a */ system("ls"); /* b */|calls the system: system
// a \\\\\nsystem("ls");\nint a;|
char *s = "system(1)";|
char *s = "a\\\\"; system(1);|calls the system: system
char *s = "a\\\\\\"; system(1);\\" b";|
char c = '"'; system(1); c = '"';|calls the system: system
int n = 1'000; system(1); n = 2'000;|calls the system: system
char *s = "/*"; system(1); s = "*/";|calls the system: system
pthread_create(a);|calls the system: pthread_create
kill_me(a);|
kill(a);|calls the system: kill
struct s { ~s() { quick_exit(0); } };|calls the system: quick_exit
int a = atexit(b);|calls the system: atexit
naive<<<1, 1>>>(a);|launches a kernel, which is the host's
if (a < b << 3) c = d >> 2;|
a ## b|pastes tokens (##, %: or ??)
%:define a b|pastes tokens (##, %: or ??)
a = b ? ?c : d;|
#include <stdio.h>|has a line of the preprocessor that no part may have: #include <stdio.h>
 # include "x"|has a line of the preprocessor that no part may have: #include ""
#pragma unroll|
#pragma unroll 4|
#pragma unroll (N)|
# pragma unroll(4)|
#pragma omp parallel|has a line of the preprocessor that no part may have: #pragma omp parallel
#pragma unroll 4 evil()|has a line of the preprocessor that no part may have: #pragma unroll 4 evil()
#if N > 3\n#endif|
#line 3 "x"|has a line of the preprocessor that no part may have: #line 3 ""
#define TILE 16|
#define int long|defines a macro over a name that is not its own: int
#define vecadd(x) x|defines a macro over a name that is not its own: vecadd
#define launch_naive x|defines a macro over a name that is not its own: launch_naive
#define launch_naiver x|
#undef run_cpu|defines a macro over a name that is not its own: run_cpu
#define threadIdx blockIdx|defines a macro over a name that is not its own: threadIdx
#define __syncthreads()|defines a macro over a name that is not its own: __syncthreads
#define cudaMalloc x|defines a macro over a name that is not its own: cudaMalloc
#define T \\\\\n  system(1)|calls the system: system
asm("x");|has assembly, which this exercise does not ask for
__asm__ volatile("x");|has assembly, which this exercise does not ask for
int plasma;|
__attribute__((constructor)) void f();|has what only host code needs: __attribute__
int main() {}|has what only host code needs: main
extern int a;|declares what is defined elsewhere (extern)
extern "C" void f();|declares what is defined elsewhere (extern)
extern __shared__ float sums[];|
extern\n  __shared__ float sums[];|
cublasSgemm(a);|calls a library: cublasSgemm
cub::DeviceReduce x;|calls a library: cub
thrust ::sort(a);|calls a library: thrust
int cube = 3;|
float cublas_like;|
cuda_cpu_launch(a);|reaches for what runs it: cuda_cpu_launch
__asan_poison_memory_region(a);|reaches for what runs it: __asan_poison_memory_region
__builtin_frame_address(0);|reaches for what runs it: __builtin_frame_address
runner r;|reaches for what runs it: runner
runners r;|
__builtin_popcount(3);|
cudaMalloc(&a, 3);|calls the host's interface: cudaMalloc
cuLaunchKernel(a);|calls the host's interface: cuLaunchKernel
cudaTextureObject_t t;|
cudaTextureObject_tt t;|calls the host's interface: cudaTextureObject_tt
int custom;|
run_cpu(a);|calls a function of the host's: run_cpu
run_cpu\n (a);|calls a function of the host's: run_cpu
int run_cpu;|
int a = 0;|
END_OF_LIST
is 'an exercise may ask for assembly' "$(said 'asm("x");' -v may_asm=1)" ''
is 'the first reason counts' "$(said 'kill(a); system(b);')" 'calls the system: kill'
is 'a line too long' "$(said "$(printf '%2001s' x)")" \
  'is too long for a part: more than 800 lines, or a line of more than 2,000 characters'
is 'a line as long as may be' "$(said "$(printf '%2000s' x)")" ''
is 'too many lines' "$(seq 801 | refusal)" \
  'is too long for a part: more than 800 lines, or a line of more than 2,000 characters'
is 'as many as may be' "$(seq 800 | refusal)" ''
is 'lines that end as on Windows' "$(said '#pragma unroll\r\nint a;\r')" ''
done_testing
