/*
 * ceilings.cu - what the machine can do at most: how fast it moves memory and how fast it computes.
 * The other labs' rates are seen against these two, as in a roofline (Williams, Waterman,
 * Patterson: Roofline, an insightful visual performance model for multicore architectures,
 * Communications of the ACM 52(4), 2009).
 *
 *   --measure copy   y[i] = x[i]                                   8 bytes, no arithmetic
 *   --measure fma    y[i] = f(f(...f(x[i])...)), FMAS times f,
 *                    f(v) = fma(SLOPE, v, SHIFT)                   8 bytes, 2 FMAS operations
 *
 * Data: two arrays of n floats, x in [1, 2).
 *
 *   cpu        copy: libc's memcpy; fma: one core, eight vectors of values in flight
 *   cpu_omp    copy: all cores, stores that bypass the caches; fma: the same on all cores
 *   copy       copy: a float4 a thread
 *   memcpy     copy: the driver's copy from device to device
 *   fma        fma: eight values a thread, nothing but multiply-adds in the loop
 *
 *   make -C lab0_ceilings                             build just this lab
 *   make -C lab0_ceilings run                         check and time both measures
 *   build/cuda/ceilings --measure fma --blocks 128    one of them (build/cpu without a GPU)
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "die.h"
#include "lab.h"
#include "random.h"

enum { X, Y }; /* buffers, in layout's order */
enum { COPY, FMA };

static int measure = COPY; /* from the command line */

/*
 * The map f(v) = v + (4 - v) / 4096, fused: each step goes a 4096th of the way to 4. From [1, 2)
 * the 2048 steps end between 2.1 and 2.8: no value is subnormal, and none stands still. One step
 * too many or too few shows in every element, a product and a sum that are rounded apart in about a
 * quarter of them (README.md, The check).
 */
enum { FMAS = 2048, STEPS = 128 };                         /* STEPS of them at once in the kernel */
static const float SLOPE = 1 - 0x1p-12f, SHIFT = 0x1p-10f; /* exact, both */

/* ---- CPU reference -------------------------------------------------------------------------- */

/* libc knows its processor: long copies bypass the caches. */
static void copy_serial(const float *x, float *y, int n)
{
    memcpy(y, x, (size_t)n * sizeof(float));
}

/*
 * An ordinary store first reads the line that it is about to overwrite, so that 12 bytes move for
 * each float; a streaming store does not. A share of a thread may be too short for memcpy to
 * stream.
 */
static void copy_omp(const float *x, float *y, int n)
{
    int fours = 0;
#ifdef __SSE__
    fours = n / 4;
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < fours; i++)
            _mm_stream_ps(y + 4 * (size_t)i, _mm_load_ps(x + 4 * (size_t)i));
        _mm_sfence();
    }
#endif
#pragma omp parallel for
    for (int i = 4 * fours; i < n; i++)
        y[i] = x[i];
}

/* The widest vectors there are, where the compiler would by default leave half of them unused. */
#if defined __AVX512F__ && !defined __clang__
#define WIDEST_VECTORS __attribute__((target("prefer-vector-width=512")))
#else
#define WIDEST_VECTORS
#endif

WIDEST_VECTORS static inline float multiply_adds(float v)
{
    for (int k = 0; k < FMAS; k++)
        v = fmaf(SLOPE, v, SHIFT);
    return v;
}

/*
 * Elements i, i + m, ... i + 7m. A multiply-add takes four cycles and a core starts two in each, so
 * eight have to be in flight. In a loop over i that is vectorised each is a whole vector.
 */
WIDEST_VECTORS static inline void eight_chains(const float *x, float *y, int i, int m)
{
    float v0 = x[i], v1 = x[i + m], v2 = x[i + 2 * m], v3 = x[i + 3 * m];
    float v4 = x[i + 4 * m], v5 = x[i + 5 * m], v6 = x[i + 6 * m], v7 = x[i + 7 * m];
    for (int k = 0; k < FMAS; k++) {
        v0 = fmaf(SLOPE, v0, SHIFT);
        v1 = fmaf(SLOPE, v1, SHIFT);
        v2 = fmaf(SLOPE, v2, SHIFT);
        v3 = fmaf(SLOPE, v3, SHIFT);
        v4 = fmaf(SLOPE, v4, SHIFT);
        v5 = fmaf(SLOPE, v5, SHIFT);
        v6 = fmaf(SLOPE, v6, SHIFT);
        v7 = fmaf(SLOPE, v7, SHIFT);
    }
    y[i] = v0, y[i + m] = v1, y[i + 2 * m] = v2, y[i + 3 * m] = v3;
    y[i + 4 * m] = v4, y[i + 5 * m] = v5, y[i + 6 * m] = v6, y[i + 7 * m] = v7;
}

WIDEST_VECTORS static void fma_serial(const float *x, float *y, int n)
{
    int m = n / 8;
#pragma omp simd
    for (int i = 0; i < m; i++)
        eight_chains(x, y, i, m);
    for (int i = 8 * m; i < n; i++)
        y[i] = multiply_adds(x[i]);
}

WIDEST_VECTORS static void fma_omp(const float *x, float *y, int n)
{
    int m = n / 8;
#pragma omp parallel for simd
    for (int i = 0; i < m; i++)
        eight_chains(x, y, i, m);
    for (int i = 8 * m; i < n; i++)
        y[i] = multiply_adds(x[i]);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * copy: thread i copies float4 i; the one after the last copies the 0 to 3 floats that are left. On
 * an H200 more does not pay: with four or eight float4 a thread it copies 5 % less a second, and
 * loads and stores marked as streaming (__ldcs, __stcs) change nothing. Any block, but small ones
 * are slow; the arrays must be 16-byte aligned.
 */
__global__ void copy(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4)
        ((float4 *)y)[i] = ((const float4 *)x)[i];
    else if (i == n / 4)
        for (int j = n / 4 * 4; j < n; j++)
            y[j] = x[j];
}

/*
 * fma: thread t of a block works on elements t, t + T, ... t + 7T of the block's 8T, for T threads
 * a block: eight chains of multiply-adds, each of which waits for itself alone. A multiply-add
 * takes four cycles, and every quarter of a multiprocessor starts one warp's in each. Whatever else
 * is in the loop takes a turn from them; so STEPS steps of all chains, 1024 multiply-adds, share
 * one counter and one branch: on an H200 97 % of the data sheet's rate, with 32 steps 94 %. Threads
 * beyond the end compute on zeros and write nothing. Any block.
 */
enum { CHAINS = 8 };
static_assert(FMAS % STEPS == 0, "the loop takes whole rounds of STEPS");

__global__ void multiply_add(const float *x, float *y, int n)
{
    int step = blockDim.x;
    int first = blockIdx.x * blockDim.x * CHAINS + threadIdx.x;
    float v[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        v[c] = first + c * step < n ? x[first + c * step] : 0;
#pragma unroll 1
    for (int k = 0; k < FMAS; k += STEPS) {
#pragma unroll
        for (int s = 0; s < STEPS; s++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                v[c] = fmaf(SLOPE, v[c], SHIFT);
    }
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        if (first + c * step < n)
            y[first + c * step] = v[c];
}

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *COPY_PROGRAM, auto *FMA_PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    auto *program = measure == COPY ? COPY_PROGRAM : FMA_PROGRAM;
    program((const float *)l->buffer[X], (float *)l->buffer[Y], p->width);
}

typedef void (*ceiling_kernel)(const float *x, float *y, int n);

/* The kernels have one shape and differ in how many blocks they want. */
static void launch_blocks(unsigned blocks, const problem *p, const launch *l)
{
    ceiling_kernel kernel = (ceiling_kernel)l->kernel;
    kernel<<<blocks, l->block, 0, l->stream>>>((const float *)l->buffer[X], (float *)l->buffer[Y],
                                               p->width);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_copy(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(p->width / 4 + 1, l->block.x), p, l);
}

/* On the CPU it would be the host's own copy, which says nothing about a GPU. */
#ifdef CUDA_ON_CPU
#define launch_memcpy NULL
#else
static void launch_memcpy(const problem *p, const launch *l)
{
    CUDA_CHECK(cudaMemcpyAsync(l->buffer[Y], l->buffer[X], p->buffer[X].bytes,
                               cudaMemcpyDeviceToDevice, l->stream));
}
#endif

static void launch_multiply_add(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(p->width, CHAINS * l->block.x), p, l);
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

template <int WHAT>
static bool measures(void)
{
    return measure == WHAT;
}

/*
 * CPU times are taken on warm data, so a copy has to be longer than the caches: a rate out of them
 * must not pass for memory's.
 */
enum { CPU_COPY_MIN = 1 << 25 };

static const char *refuse_cached_copy(const problem *p, dim3)
{
    bool cached = measure == COPY && p->width < CPU_COPY_MIN;
    return cached ? "under 2^25 floats the caches would answer instead of memory" : NULL;
}

static const variant variants[] = {
    SERIAL_VARIANT("copy: memcpy; fma: one core's vectors", (run_cpu<copy_serial, fma_serial>),
                   .refuse = refuse_cached_copy),
    OPENMP_VARIANT("copy: all cores, streaming stores; fma: all cores' vectors",
                   (run_cpu<copy_omp, fma_omp>), .refuse = refuse_cached_copy),
    GPU_VARIANT("copy", "copy: a float4 a thread", launch_copy, .kernel = (const void *)copy,
                .applies = measures<COPY>),
    VENDOR_VARIANT("memcpy", "copy: cudaMemcpyAsync from device to device", launch_memcpy,
                   .needs = "a GPU", .applies = measures<COPY>),
    GPU_VARIANT("fma", "fma: eight chains a thread", launch_multiply_add,
                .kernel = (const void *)multiply_add, .applies = measures<FMA>),
};

static const char *const measure_names[] = {"copy", "fma", NULL};

static const lab_option options[] = {
    {"--measure", OPTION_CHOICE, &measure, 0, 0, "copy: memory; fma: arithmetic", measure_names},
};

static const char *const configurations[] = {"--measure copy", "--measure fma", NULL};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "measure=%s", measure_names[measure]);
}

/* The longest copy would take a CPU minutes of multiply-adds. */
static const char *refuse_size(int width, int)
{
    return measure == FMA && width > 1 << 25 ? "with --measure fma 2^25 is the greatest" : NULL;
}

static void layout(problem *p)
{
    size_t bytes = (size_t)p->width * sizeof(float);
    problem_add_buffer(p, "x", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "y", BUFFER_OUTPUT, bytes);
}

static void fill(const problem *p)
{
    random_fill_float((float *)p->buffer[X].host, (size_t)p->width, 1, 2, p->seed);
}

/* What check() compares with: of a copy its input, of multiply-adds one chain after the other. */
WIDEST_VECTORS static void *reference(const problem *p)
{
    const float *x = (const float *)p->buffer[X].host;
    if (measure == COPY)
        return NULL;
    float *expected = (float *)allocate((size_t)p->width * sizeof *expected);
#pragma omp parallel for simd
    for (int i = 0; i < p->width; i++)
        expected[i] = multiply_adds(x[i]);
    return expected;
}

/* A fused multiply-add is rounded once, the same way everywhere: equality is demanded of both. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const void *expected = measure == COPY ? p->buffer[X].host : p->reference;
    return {((const float *)p->buffer[Y].host)[i], ((const float *)expected)[i], 1};
}

static check_result check(const problem *p, const variant *)
{
    return check_all(0, p->width, (size_t)p->width, value_at, p);
}

static lab_work work(const problem *p)
{
    double fmas = measure == COPY ? 0 : (double)FMAS * p->width;
    return {.bytes = 2.0 * sizeof(float) * p->width, .flops = 2 * fmas, .steps = fmas};
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

/*
 * 2^20 is for the multiply-adds (a copy of it runs on the GPU, and where there is none, to be
 * checked); 2^26 is the CPU's copy. The large sizes are the GPU's, for either.
 */
static const lab ceilings = {
    .name = "lab0_ceilings",
    .title = "the machine's rates at most: memory (copy) and arithmetic (fma)",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "2^20 2^26",
              .sizes_large = "2^25 2^28",
              .emulated_max = 1 << 20,
              .blocks = "128 256",
              .configurations = configurations},
    .size_max = 1 << 30,
    .block_dimensions = 1,
    .single = {.positional = positional, .size = "2^26", .block = "256", .trials = "3"},
    LAB_OPTIONS(options),
    LAB_VARIANTS(variants),
    .parameters = parameters,
    .refuse_size = refuse_size,
    .layout = layout,
    .fill = fill,
    .reference = reference,
    .check = check,
    .work = work,
};

int main(int argc, char **argv)
{
    return lab_main(&ceilings, argc, argv);
}
