/*
 * clock.cu - a lab whose times are known, or known to be equal: timing.sh runs it on a GPU to see
 * how far the suite's times can be believed (`make test-timing`).
 *
 * Data: n sums in B, each of --fours times four floats of A. All are added in one order, so
 * equality is demanded. With many to a sum next to nothing is written.
 *
 *   first, second   the same kernel, entered twice
 *   sleep           the same, after --sleep nanoseconds of the GPU's own clock
 *   forked          sleeps on another stream, which both leaves the launch's and joins it again
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

#include "lab.h"
#include "random.h"

enum { A, B }; /* buffers, in layout's order */

static int fours = 16, sleep_ns;
static bool singly;

/* ---- kernels -------------------------------------------------------------------------------- */

__device__ unsigned long long clock_ns()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__device__ void sleep_for(int ns)
{
    for (unsigned long long start = clock_ns(); clock_ns() - start < (unsigned long long)ns;)
        ;
}

__host__ __device__ float sum(const float4 *a, int n, int fours)
{
    float sum = 0;
    for (int k = 0; k < fours; k++) {
        float4 four = a[(size_t)k * n];
        sum += (four.x + four.y) + (four.z + four.w);
    }
    return sum;
}

__global__ void sums(const float4 *a, float *b, int n, int fours, int ns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (ns)
        sleep_for(ns);
    if (i < n)
        b[i] = sum(a + i, n, fours);
}

__global__ void only_sleep(int ns)
{
    sleep_for(ns);
}

/* ---- launchers ------------------------------------------------------------------------------ */

static void launch_sum(const problem *p, const launch *l, int ns)
{
    dim3 grid = blocks_for(p->width, l->block.x);
    sums<<<grid, l->block, 0, l->stream>>>((const float4 *)l->buffer[A], (float *)l->buffer[B],
                                           p->width, fours, ns);
    CUDA_CHECK(cudaGetLastError());
}

static void run_sum(const problem *p, const launch *l)
{
    launch_sum(p, l, 0);
}

static void run_sleep(const problem *p, const launch *l)
{
    launch_sum(p, l, sleep_ns);
}

static void run_forked(const problem *p, const launch *l)
{
    static cudaStream_t other;
    static cudaEvent_t fork, join;
    if (!other) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        CUDA_CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
        CUDA_CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    }
    CUDA_CHECK(cudaEventRecord(fork, l->stream));
    CUDA_CHECK(cudaStreamWaitEvent(other, fork, 0));
    only_sleep<<<1, 1, 0, other>>>(sleep_ns);
    CUDA_CHECK(cudaGetLastError());
    launch_sum(p, l, 0);
    CUDA_CHECK(cudaEventRecord(join, other));
    CUDA_CHECK(cudaStreamWaitEvent(l->stream, join, 0));
}

static bool sleeps(void)
{
    return sleep_ns > 0;
}

static bool is_awake(void)
{
    return sleep_ns == 0;
}

/* ---- no batches ----------------------------------------------------------------------------- */

/*
 * The linker puts this in place of cudaStreamBeginCapture: with --singly nothing is captured, and
 * each run is a launch of its own.
 */
extern "C" cudaError_t __real_cudaStreamBeginCapture(cudaStream_t, enum cudaStreamCaptureMode);
extern "C" cudaError_t __wrap_cudaStreamBeginCapture(cudaStream_t stream,
                                                     enum cudaStreamCaptureMode mode)
{
    return singly ? cudaErrorStreamCaptureUnsupported : __real_cudaStreamBeginCapture(stream, mode);
}

/* ---- the lab -------------------------------------------------------------------------------- */

static const variant variants[] = {
    GPU_VARIANT("first", "sums", run_sum, .applies = is_awake),
    GPU_VARIANT("second", "the same", run_sum, .applies = is_awake),
    GPU_VARIANT("sleep", "after a sleep", run_sleep, .applies = sleeps),
    GPU_VARIANT("forked", "beside a sleep", run_forked, .applies = sleeps),
};

static const lab_option options[] = {
    {"--fours", OPTION_INT, &fours, 1, 256, "floats to a sum, by four"},
    {"--sleep", OPTION_INT, &sleep_ns, 0, 1e9, "nanoseconds that a run sleeps"},
    {"--singly", OPTION_FLAG, &singly, 0, 0, "no batches"},
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "fours=%d;sleep=%d", fours, sleep_ns);
}

static void layout(problem *p)
{
    problem_add_buffer(p, "A", BUFFER_INPUT, (size_t)p->width * (size_t)fours * sizeof(float4));
    problem_add_buffer(p, "B", BUFFER_OUTPUT, (size_t)p->width * sizeof(float));
}

static void fill(const problem *p)
{
    random_fill_float((float *)p->buffer[A].host, (size_t)p->width * (size_t)fours * 4, 1, 2,
                      p->seed);
}

static check_result check(const problem *p, const variant *)
{
    const float4 *a = (const float4 *)p->buffer[A].host;
    const float *b = (const float *)p->buffer[B].host;
    check_result result = check_start(0, p->width);
    for (int i = 0; i < p->width; i++)
        check_scaled(&result, b[i], sum(a + i, p->width, fours), 1, (size_t)i);
    return result;
}

static lab_work work(const problem *p)
{
    double floats = 4.0 * fours * p->width;
    return {.bytes = (floats + p->width) * sizeof(float), .flops = floats};
}

static const char *const positional[] = {NULL};

static const lab clock_lab = {
    .name = "clock",
    .title = "kernels whose times are known",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "1024 2^20", .blocks = "256"},
    .size_max = 1 << 28,
    .block_dimensions = 1,
    .single =
        {.positional = positional, .required = 1, .size = "1024", .block = "256", .trials = "9"},
    LAB_OPTIONS(options),
    LAB_VARIANTS(variants),
    .parameters = parameters,
    .layout = layout,
    .fill = fill,
    .check = check,
    .work = work,
};

int main(int argc, char **argv)
{
    return lab_main(&clock_lab, argc, argv);
}
