/*
 * ceilings.cu - what the machine can do at most: how fast it moves memory, how fast it computes,
 * and what else a kernel may wait for. The other labs' rates are seen against these, as in a
 * roofline (Williams, Waterman, Patterson: Roofline, an insightful visual performance model for
 * multicore architectures, Communications of the ACM 52(4), 2009).
 *
 *   --measure copy          y[i] = x[i]                             8 bytes, no arithmetic
 *   --measure read          y[i] = sum of READ_WORDS words of x     4 bytes a word, from memory
 *   --measure fma           y[i] = f(f(...f(x[i])...)), FMAS times f,
 *                           f(v) = fma(SLOPE, v, SHIFT)             8 bytes, 2 FMAS operations
 *   --measure l2            y[i] = sum of L2_PASSES words of x      as many words from the L2 cache
 *   --measure shared        y[i] = sum of READS words of a tile     as many from shared memory
 *   --measure loads         the same                                as many loads that hit L1
 *   --measure int32         y[i] = INT_STEPS integer multiply-adds  2 INT_STEPS operations
 *   --measure exp           y[i] = sum of EXPS exponentials         EXPS operations
 *   --measure tensor_fp16   y[i] = x[i] + TENSOR_STEPS (A B)[i]     2 k TENSOR_STEPS operations
 *             tensor_tf32, tensor_int8
 *   --measure constant      y[i] = sum of READS words of a table    as many from constant memory
 *   --measure l2_store      y[i] = x[..] + 1, + 2, .. + L2_PASSES   as many words to the L2 cache
 *   --measure tags          y[i] = sum of READS words of lines      as many loads, of 32 lines each
 *   --measure atomics       y[..] += x[i], ADDS times               ADDS operations
 *   --measure blocks        y[i] = of block i                       a block
 *   --measure launch        y = n, ~n                               nothing but the launch
 *   --measure latency       y = where a walk of HOPS steps went     HOPS loads, one after the other
 *   --measure link          y = x of another GPU, or of all         4 bytes, one way
 *
 * Data: an array of n floats in [1, 2), padded to what a measure reads of it; its bits where words
 * are summed up, a ring of indices for the latency, small whole numbers for the tensor cores. Sizes
 * of l2 and latency choose which memory answers, that of link is one message's; the others' only
 * have to be large enough.
 *
 *   cpu        copy: libc's memcpy; read, fma: one core, vectors; of fma eight in flight
 *   cpu_omp    copy: all cores, stores that bypass the caches; read, fma: the same on all cores
 *   copy       copy: a float4 a thread
 *   memcpy     copy: the driver's copy from device to device
 *   bulk_copy  copy: by the copy engine, through shared memory: bulk_copy.cu
 *   fma        fma: eight values a thread, nothing but multiply-adds in the loop
 *   read, l2, load, shared_4, shared_16, imad, exp2, alone, graph, chase, constant_*, store_*,
 *   tags_*, red_*, atoms_*, start, late: rates.cuh tells them
 *   mma_fp16, mma_tf32, mma_int8: tensor.cuh; wgmma_fp16, wgmma_tf32, wgmma_int8: wgmma.cu
 *   link_copy, link_load, link_send, link_registered, the same with _both, link_gather and
 *   link_reduce over several GPUs: link.cu
 *
 *   make -C lab0_ceilings                             build just this lab
 *   make -C lab0_ceilings run                         check and time all measures
 *   build/cuda/ceilings --measure fma --blocks 128    one of them (build/cpu without a GPU)
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "ceilings.h"
#include "process/die.h"
#include "random.h"
#include "rates.cuh"
#include "tensor.cuh"

int measure = COPY;

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

WIDEST_VECTORS static inline uint32_t sum_of(const uint32_t *x)
{
    uint32_t sum = 0;
    for (int i = 0; i < READ_WORDS; i++)
        sum += x[i];
    return sum;
}

WIDEST_VECTORS static void read_serial(const float *x, float *y, int n)
{
    for (int i = 0; i < read_sums(n); i++)
        ((uint32_t *)y)[i] = sum_of((const uint32_t *)x + (size_t)i * READ_WORDS);
}

WIDEST_VECTORS static void read_omp(const float *x, float *y, int n)
{
#pragma omp parallel for
    for (int i = 0; i < read_sums(n); i++)
        ((uint32_t *)y)[i] = sum_of((const uint32_t *)x + (size_t)i * READ_WORDS);
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

template <auto *COPY_PROGRAM, auto *READ_PROGRAM, auto *FMA_PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    auto *program = measure == COPY ? COPY_PROGRAM : measure == READ ? READ_PROGRAM : FMA_PROGRAM;
    program((const float *)l->buffer[X], (float *)l->buffer[Y], p->width);
}

static int outputs(const problem *p);

typedef void (*ceiling_kernel)(const float *x, float *y, int n);

/* The kernels have one shape and differ in how many blocks they want. */
static void launch_blocks(unsigned blocks, const problem *p, const launch *l)
{
    ceiling_kernel kernel = (ceiling_kernel)l->kernel;
    kernel<<<blocks, l->block, 0, l->stream>>>((const float *)l->buffer[X], (float *)l->buffer[Y],
                                               p->width);
    CUDA_CHECK(cudaGetLastError());
}

const void *copy_kernel(dim3)
{
    return (const void *)copy;
}

void launch_copy_of(const float *x, float *y, int words, const launch *l)
{
    copy<<<blocks_for(words / 4, l->block.x), l->block, 0, l->stream>>>(x, y, words);
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

static void launch_read(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(read_sums(p->width), l->block.x / 32), p, l);
}

/* A thread makes so many elements. */
template <int ELEMENTS>
static void launch_each(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(p->width, ELEMENTS * l->block.x), p, l);
}

static void launch_empty(const problem *p, const launch *l)
{
    launch_blocks(1, p, l);
}

static void launch_store(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(outputs(p) / (L2_ROW / 32), l->block.x), p, l);
}

/* Each run begins with sums of 0. Threads that are spread have whole groups of 256. */
template <unsigned WHOSE, bool SPREAD>
static void launch_adds(const problem *p, const launch *l)
{
    auto *kernel = (void (*)(const float *, float *, int, unsigned, bool))l->kernel;
    int threads = (p->width + 255) / 256 * 256;
    CUDA_CHECK(cudaMemsetAsync(l->buffer[Y], 0, p->buffer[Y].bytes, l->stream));
    kernel<<<blocks_for(threads, l->block.x), l->block, 0, l->stream>>>(
        (const float *)l->buffer[X], (float *)l->buffer[Y], p->width, WHOSE, SPREAD);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_starts(const problem *p, const launch *l)
{
    launch_blocks(p->width, p, l);
}

static void fill_table(const problem *p, const launch *l)
{
    CUDA_CHECK(cudaMemcpyToSymbolAsync(table, p->buffer[X].host, sizeof table, 0,
                                       cudaMemcpyHostToDevice, l->stream));
}

static void launch_chase(const problem *p, const launch *l)
{
    int words = ring_words(p->width);
    launch_blocks(blocks_for(words > NEAR ? SPILL : words, CHUNK), p, l);
}

/* The CPU's engine has no tensor cores. */
#ifdef CUDA_ON_CPU
#define launch_tensor       NULL
#define TENSOR_KERNEL(type) NULL
#else
#define launch_tensor       launch_each<WARP_SUMS / 32>
#define TENSOR_KERNEL(type) (const void *)multiply_matrices<type>
#endif

/* ---- what is expected ----------------------------------------------------------------------- */

/* An element of an array, of floats or of whole numbers. */
typedef union word {
    float number;
    uint32_t bits;
} word;

static word whole(uint32_t bits)
{
    word w;
    w.bits = bits;
    return w;
}

static word number(float value)
{
    word w;
    w.number = value;
    return w;
}

WIDEST_VECTORS static inline word expect_read(const word *x, int, int i)
{
    uint32_t sum = 0;
    for (int k = 0; k < READ_WORDS; k++)
        sum += x[(size_t)i * READ_WORDS + k].bits;
    return whole(sum);
}

WIDEST_VECTORS static inline word expect_fma(const word *x, int, int i)
{
    return number(multiply_adds(x[i].number));
}

WIDEST_VECTORS static inline word expect_l2(const word *x, int n, int i)
{
    int rows = (n + L2_ROW - 1) / L2_ROW, row = i / 128 % rows;
    uint32_t sum = 0;
    for (int k = 0; k < L2_PASSES; k += L2_LINES, row = (row + leap_over(rows)) % rows)
        for (int line = 0; line < L2_LINES; line++)
            sum += x[(size_t)row * L2_ROW + 128 * line + i % 128].bits;
    return whole(sum);
}

/*
 * A lane has a place in each line of the tile and reads all lines equally often. The first 32 sums
 * are those of words, whose lines have 32, the other 128 those of vectors of four.
 */
static const int LINE_4 = 32, LINE_16 = 128, TILE_SUMS = LINE_4 + LINE_16;

WIDEST_VECTORS static inline word expect_tile(const word *x, int, int i)
{
    int line = i < LINE_4 ? LINE_4 : LINE_16;
    uint32_t sum = 0;
    for (int j = i < LINE_4 ? i : i - LINE_4; j < TILE; j += line)
        sum += x[j].bits;
    return whole(sum * (READS / (TILE / line)));
}

WIDEST_VECTORS static inline word expect_int32(const word *x, int, int i)
{
    uint32_t v = x[i].bits;
    for (int k = 0; k < INT_STEPS; k++)
        v = multiplier(x[i].bits) * v + INCREMENT;
    return whole(v);
}

/* A geometric series: 2^x (q^EXPS - 1) / (q - 1), with q^EXPS = 2. */
WIDEST_VECTORS static inline word expect_exp(const word *x, int, int i)
{
    double q = exp2(1.0 / EXPS);
    return number((float)(exp2((double)x[i].number) / (q - 1)));
}

template <int TYPE>
WIDEST_VECTORS static inline word expect_tensor(const word *x, int, int i)
{
    int k = TENSOR_DEPTH[TYPE], at = i % WARP_SUMS, tile = MMA_ROWS * MMA_COLUMNS;
    const word *row = x + at % tile / MMA_COLUMNS * k;
    const word *column = x + (MMA_ROWS + at / tile * MMA_COLUMNS + at % MMA_COLUMNS) * k;
    float sum = x[i].number;
    for (int j = 0; j < k; j++)
        sum += (float)TENSOR_STEPS * row[j].number * column[j].number;
    return TYPE == INT8 ? whole((uint32_t)(int)sum) : number(sum);
}

/* Lanes have every eighth word of a line. */
enum { TABLE_PLACES = 4 };

static inline word expect_constant(const word *x, int, int i)
{
    uint32_t sum = 0;
    for (int line = 0; line < TABLE / 32; line++)
        sum += x[32 * line + 8 * i].bits;
    return whole(sum * (READS / (TABLE / 32)));
}

/* First lane l's words of lines l, then those of lines 2 l. */
static inline word expect_tags(const word *x, int, int i)
{
    int apart = 1 + i / 32, lane = i % 32;
    uint32_t sum = 0;
    for (int line = lane * apart; line < TAG_ROWS * TAG_LINES * 32 * apart; line += 32 * apart)
        sum += x[32 * line + lane].bits;
    return whole(sum * (READS / (TAG_ROWS * TAG_LINES)));
}

/* First a line of vectors of four, then one of sectors whose words were written in turn. */
static const int WHOLE_LINE = 128, PART_LINE = 256;

static inline word expect_store(const word *x, int, int i)
{
    int part = i - WHOLE_LINE;
    return whole(part < 0 ? x[i].bits + L2_PASSES
                          : x[part / 8].bits + (uint32_t)(L2_PASSES - 7 + part % 8));
}

/* Sums of one thread, of a warp and of all, n words each. */
static inline word expect_atomics(const word *x, int n, int i)
{
    const int added[] = {1, 32, n};
    int way = i / n, first = i % n;
    uint32_t sum = 0;
    for (int j = first; first % added[way] == 0 && j < first + added[way] && j < n; j++)
        sum += x[j].bits;
    return whole(ADDS * sum);
}

/* n blocks that start, n that end late. */
static inline word expect_blocks(const word *x, int n, int i)
{
    return whole((uint32_t)(i % n) + (i < n ? 0 : LATE_STEPS * x[0].bits));
}

static inline word expect_latency(const word *x, int, int i)
{
    uint32_t at = 0;
    for (int hop = 0; hop < HOPS / STOPS * (i + 1); hop++)
        at = x[at].bits;
    return whole(at);
}

template <word ELEMENT(const word *x, int n, int i)>
WIDEST_VECTORS static void expect(const problem *p, word *expected, int count)
{
    const word *x = (const word *)p->buffer[X].host;
#pragma omp parallel for simd
    for (int i = 0; i < count; i++)
        expected[i] = ELEMENT(x, p->width, i);
}

/* ---- what is measured ----------------------------------------------------------------------- */

/*
 * The bytes, operations and steps that each element of y takes. y has as many elements as x,
 * or `outputs`. What check() compares with is `expect`ed: nothing of copy and launch, who know.
 */
typedef struct quantity {
    void (*expect)(const problem *p, word *expected, int count);
    lab_work element;
    int inputs, outputs; /* of x and y, 0: as many as elements */
    int values, ways;    /* of what is expected; 0: as many as y has, in so many ways (0: in one) */
    bool is_whole;       /* y holds whole numbers */
    double tolerance;    /* in units of 2^-24 of the expected value; 0: they must be equal */
} quantity;

/*
 * Rounding of an exponential's argument (below 4, to 2^-22) and of the function (2 units in the
 * last place by the Programming Guide) come to 6 units, the sum's to EXPS - 1.
 */
static const quantity quantities[] = {
    /* copy */ {.element = {.bytes = 8}},
    /* read */
    {.expect = expect<expect_read>, .element = {.bytes = 4 * READ_WORDS + 4}, .is_whole = true},
    /* fma */
    {.expect = expect<expect_fma>, .element = {.bytes = 8, .flops = 2 * FMAS}},
    /* l2 */
    {.expect = expect<expect_l2>, .element = {.bytes = 4 * L2_PASSES}, .is_whole = true},
    /* shared, loads */
    {.expect = expect<expect_tile>,
     .element = {.bytes = 4 * READS},
     .inputs = TILE,
     .values = TILE_SUMS,
     .is_whole = true},
    {.expect = expect<expect_tile>,
     .element = {.bytes = 4 * READS},
     .inputs = TILE,
     .values = TILE_SUMS,
     .is_whole = true},
    /* int32 */
    {.expect = expect<expect_int32>,
     .element = {.bytes = 8, .int_ops = 2 * INT_STEPS},
     .is_whole = true},
    /* exp */
    {.expect = expect<expect_exp>, .element = {.bytes = 8, .flops = EXPS}, .tolerance = EXPS + 8},
    /* tensor_fp16, tensor_tf32, tensor_int8 */
    {.expect = expect<expect_tensor<FP16>>,
     .element = {.bytes = 8, .flops = 2 * 16 * TENSOR_STEPS}},
    {.expect = expect<expect_tensor<TF32>>, .element = {.bytes = 8, .flops = 2 * 8 * TENSOR_STEPS}},
    {.expect = expect<expect_tensor<INT8>>,
     .element = {.bytes = 8, .int_ops = 2 * 32 * TENSOR_STEPS},
     .is_whole = true},
    /* constant */
    {.expect = expect<expect_constant>,
     .element = {.bytes = 4 * READS},
     .inputs = TABLE,
     .values = TABLE_PLACES,
     .is_whole = true},
    /* l2_store */
    {.expect = expect<expect_store>,
     .element = {.bytes = 4 * L2_PASSES},
     .inputs = WHOLE_LINE,
     .values = WHOLE_LINE + PART_LINE,
     .is_whole = true},
    /* tags */
    {.expect = expect<expect_tags>,
     .element = {.bytes = 4 * READS},
     .inputs = TAG_WORDS,
     .values = 64,
     .is_whole = true},
    /* atomics */
    {.expect = expect<expect_atomics>,
     .element = {.bytes = 8, .int_ops = ADDS},
     .ways = 3,
     .is_whole = true},
    /* blocks */
    {.expect = expect<expect_blocks>,
     .element = {.bytes = 4, .int_ops = 1},
     .inputs = 1,
     .ways = 2,
     .is_whole = true},
    /* launch */ {.element = {.bytes = 4}, .inputs = TILE, .outputs = 2, .is_whole = true},
    /* latency */
    {.expect = expect<expect_latency>,
     .element = {.bytes = 4.0 * HOPS / STOPS, .int_ops = (double)HOPS / STOPS},
     .outputs = STOPS,
     .is_whole = true},
    /* link */ {.element = {.bytes = 4}},
};
static_assert(sizeof quantities / sizeof quantities[0] == LINK + 1, "one for each measure");

/* Returns the number of elements of y; for a link, that of one message. */
static int outputs(const problem *p)
{
    if (measure == LINK)
        return (int)message_words(p);
    if (measure == READ)
        return read_sums(p->width);
    if (measure == L2_STORE)
        return (p->width + L2_ROW - 1) / L2_ROW * L2_ROW;
    return quantities[measure].outputs ? quantities[measure].outputs : p->width;
}

static bool is_tensor(void)
{
    return measure >= TENSOR_FP16 && measure <= TENSOR_INT8;
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

static bool has_cpu_program(void)
{
    return measure == COPY || measure == READ || measure == FMA;
}

/*
 * CPU times are taken on warm data, so what is copied or read has to be longer than the caches: a
 * rate out of them must not pass for memory's.
 */
enum { CPU_MEMORY_MIN = 1 << 25 };

static const char *refuse_cached(const problem *p, dim3)
{
    bool cached = measure != FMA && p->width < CPU_MEMORY_MIN;
    return cached ? "under 2^25 floats the caches would answer instead of memory" : NULL;
}

static const char *refuse_part_of_warp(const problem *, dim3 block)
{
    return block.x % 32 ? "a matrix, or a sum, is a whole warp's" : NULL;
}

#define KERNEL(...) .kernel = (const void *)__VA_ARGS__

#define TENSOR_VARIANT(id, idea, type)                                                             \
    GPU_VARIANT(id, idea, launch_tensor, .needs = "tensor cores", .architecture = "sm_80",         \
                .kernel = TENSOR_KERNEL(type), .applies = measures<TENSOR_##type>,                 \
                .refuse = refuse_part_of_warp)

/* A billion additions to one word would take a second. */
static const char *refuse_many(const problem *p, dim3)
{
    return p->width > 1 << 16 ? "over 2^16 threads one word takes too long" : NULL;
}

#define CONSTANT_VARIANT(id, idea, words, place)                                                   \
    GPU_VARIANT(id, idea, launch_each<1>, KERNEL(read_constant<words>),                            \
                .applies = measures<CONSTANT>, .prepare = fill_table, .own = place)
#define STORE_VARIANT(id, idea, vector, apart, line)                                               \
    GPU_VARIANT(id, idea, launch_store, KERNEL(write_l2<vector, apart>),                           \
                .applies = measures<L2_STORE>, .own = line)
#define ATOMICS_VARIANT(id, idea, kernel, whose, spread, sum, ...)                                 \
    GPU_VARIANT(id, idea, (launch_adds<whose, spread>), KERNEL(kernel),                            \
                .applies = measures<ATOMICS>, __VA_ARGS__.own = sum)

static const own_check by_words = {0, LINE_4}, by_vectors = {LINE_4, LINE_16};
static const own_check one_word = {0, 1}, two_words = {0, 2}, four_words = {0, 4};
static const own_check whole_sectors = {0, WHOLE_LINE}, part_sectors = {WHOLE_LINE, PART_LINE};
static const own_check each_line = {0, 32}, even_lines = {32, 32};
static const own_check first_way = {}, second_way = {.way = 1}, third_way = {.way = 2};

static const variant variants[] = {
    SERIAL_VARIANT("copy: memcpy; read, fma: one core's vectors",
                   (run_cpu<copy_serial, read_serial, fma_serial>), .applies = has_cpu_program,
                   .refuse = refuse_cached),
    OPENMP_VARIANT("copy: all cores, streaming stores; read, fma: all cores' vectors",
                   (run_cpu<copy_omp, read_omp, fma_omp>), .applies = has_cpu_program,
                   .refuse = refuse_cached),
    GPU_VARIANT("copy", "copy: a float4 a thread", launch_copy, KERNEL(copy),
                .applies = measures<COPY>),
    VENDOR_VARIANT("memcpy", "copy: cudaMemcpyAsync from device to device", launch_memcpy,
                   .needs = "a GPU", .applies = measures<COPY>, .singly = true),
    bulk_copy_variant,
    GPU_VARIANT("read", "read: 4 KiB a warp, 16 bytes a lane", launch_read, KERNEL(read_memory),
                .applies = measures<READ>, .refuse = refuse_part_of_warp),
    GPU_VARIANT("fma", "fma: eight chains a thread", launch_each<CHAINS>, KERNEL(multiply_add),
                .applies = measures<FMA>),
    GPU_VARIANT("l2", "l2: 16 bytes a lane, past the L1 cache", launch_each<4>, KERNEL(read_l2),
                .applies = measures<L2>),
    GPU_VARIANT("shared_4", "shared: words of 4 bytes", launch_each<1>,
                KERNEL(read_shared<uint32_t, LINES>), .applies = measures<SHARED>,
                .own = &by_words),
    GPU_VARIANT("shared_16", "shared: words of 16 bytes", launch_each<4>,
                KERNEL(read_shared<uint4, LINES / 2>), .applies = measures<SHARED>,
                .own = &by_vectors),
    GPU_VARIANT("load", "loads: words of 4 bytes from the L1 cache", launch_each<1>,
                KERNEL(read_l1), .applies = measures<LOADS>, .own = &by_words),
    GPU_VARIANT("imad", "int32: eight chains a thread", launch_each<INT_CHAINS>,
                KERNEL(multiply_add_int), .applies = measures<INT32>),
    GPU_VARIANT("exp2", "exp: ex2.approx and two additions", launch_each<1>, KERNEL(exponentials),
                .applies = measures<EXP>),
    TENSOR_VARIANT("mma_fp16", "tensor_fp16: mma.sync.m16n8k16, FP32 sums", FP16),
    TENSOR_VARIANT("mma_tf32", "tensor_tf32: mma.sync.m16n8k8, FP32 sums", TF32),
    TENSOR_VARIANT("mma_int8", "tensor_int8: mma.sync.m16n8k32, int32 sums", INT8),
    wgmma_fp16_variant,
    wgmma_tf32_variant,
    wgmma_int8_variant,
    CONSTANT_VARIANT("constant_1", "constant: a word for all lanes", 1, &one_word),
    CONSTANT_VARIANT("constant_2", "constant: two words a warp", 2, &two_words),
    CONSTANT_VARIANT("constant_4", "constant: four words a warp", 4, &four_words),
    STORE_VARIANT("store_whole", "l2_store: 16 bytes a lane", uint4, 1, &whole_sectors),
    STORE_VARIANT("store_part", "l2_store: 4 bytes of each 32", uint32_t, 8, &part_sectors),
    GPU_VARIANT("tags_both", "tags: 32 lines a load, even and odd ones", launch_each<1>,
                KERNEL(read_tags<1>), .applies = measures<TAGS>, .own = &each_line),
    GPU_VARIANT("tags_even", "tags: 32 lines a load, all of them even", launch_each<1>,
                KERNEL(read_tags<2>), .applies = measures<TAGS>, .own = &even_lines),
    ATOMICS_VARIANT("red_one", "atomics: all threads to one word", add_l2, OF_ALL, false,
                    &third_way, .refuse = refuse_many, ),
    ATOMICS_VARIANT("red_warp", "atomics: a word for a warp", add_l2, OF_WARP, false, &second_way),
    ATOMICS_VARIANT("red_words", "atomics: a line for a warp", add_l2, OF_EACH, false, &first_way),
    ATOMICS_VARIANT("red_sectors", "atomics: a sector for a lane", add_l2, OF_EACH, true,
                    &first_way),
    ATOMICS_VARIANT("atoms_warp", "atomics: shared memory, a word for a warp", add_shared, OF_WARP,
                    false, &second_way, .refuse = refuse_part_of_warp, ),
    ATOMICS_VARIANT("atoms_words", "atomics: shared memory, a bank for a lane", add_shared, OF_EACH,
                    false, &first_way, .refuse = refuse_part_of_warp, ),
    GPU_VARIANT("start", "blocks: each writes a word", launch_starts, KERNEL(start_blocks<0>),
                .applies = measures<BLOCKS>),
    GPU_VARIANT("late", "blocks: one warp of each ends late", launch_starts,
                KERNEL(start_blocks<LATE_STEPS>), .applies = measures<BLOCKS>, .own = &second_way),
    GPU_VARIANT("alone", "launch: one at a time, between two events", launch_empty, KERNEL(empty),
                .applies = measures<LAUNCH>, .singly = true),
    GPU_VARIANT("graph", "launch: one after the other in a graph", launch_empty, KERNEL(empty),
                .applies = measures<LAUNCH>),
    GPU_VARIANT("chase", "latency: each load says where the next one is", launch_chase,
                KERNEL(chase), .applies = measures<LATENCY>),
    link_copy_variant,
    link_load_variant,
    link_send_variant,
    link_copy_both_variant,
    link_load_both_variant,
    link_send_both_variant,
    link_registered_variant,
    link_registered_both_variant,
    link_gather_variant,
    link_reduce_variant,
};

static const char *const measure_names[] = {
    "copy",    "read",        "fma",         "l2",          "shared",   "loads",    "int32",
    "exp",     "tensor_fp16", "tensor_tf32", "tensor_int8", "constant", "l2_store", "tags",
    "atomics", "blocks",      "launch",      "latency",     "link",     NULL};

static const lab_option options[] = {
    {"--measure", OPTION_CHOICE, &measure, 0, 0,
     "copy, read: memory; fma: arithmetic; l2, shared, loads: what is near; int32, exp, "
     "tensor_fp16, "
     "tensor_tf32, tensor_int8: other units; constant, l2_store, tags, atomics: other ways to "
     "memory; blocks, launch: starting; latency; link: between GPUs",
     measure_names},
};

/* Sizes of copy, read and fma are below; those of latency are the caches' and memory's. */
static const lab_settings configurations[] = {
    {"--measure copy"},
    {"--measure read"},
    {"--measure fma"},
    {"--measure l2 --sizes 2^20,2^22,2^23,2^24"},
    {"--measure shared --sizes 2^20,2^22"},
    {"--measure loads --sizes 2^20,2^22"},
    {"--measure int32 --sizes 2^20,2^24"},
    {"--measure exp --sizes 2^20,2^22"},
    {"--measure tensor_fp16 --sizes 2^20,2^25"},
    {"--measure tensor_tf32 --sizes 2^20,2^25"},
    {"--measure tensor_int8 --sizes 2^20,2^25"},
    {"--measure constant --sizes 2^20 --blocks 256"},
    {"--measure l2_store --sizes 2^20,2^22 --blocks 256"},
    {"--measure tags --sizes 2^20 --blocks 256"},
    {"--measure atomics --sizes 2^13,2^21 --blocks 256"},
    {"--measure blocks --sizes 2^16 --blocks 32,64,128,256,512,1024"},
    {"--measure launch --sizes 1 --blocks 32"},
    {"--measure latency --sizes 2^12,2^14,2^16,2^18,2^20,2^22,2^26 --blocks 1024"},
    {NULL},
};

/* On 1, 2, 4, .. threads: memory, and arithmetic that takes one of them some 25 ms. */
static const lab_settings scaling[] = {
    {"--measure copy --sizes 2^26"},
    {"--measure fma --sizes 2^20"},
    {NULL},
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "measure=%s", measure_names[measure]);
}

/* What a CPU has to work out for the check would take minutes. */
static const char *refuse_size(int width, int)
{
    static char why[64];
    bool takes_any = measure <= READ || measure == LAUNCH || measure >= LATENCY;
    snprintf(why, sizeof why, "with --measure %s 2^25 is the greatest", measure_names[measure]);
    return !takes_any && width > 1 << 25 ? why : NULL;
}

/* The words of x: as many as elements, or what a kernel reads whatever their number. */
static size_t input_words(const problem *p)
{
    size_t n = (size_t)p->width;
    if (quantities[measure].inputs)
        return (size_t)quantities[measure].inputs;
    if (is_tensor() && n < TENSOR_VALUES)
        return TENSOR_VALUES;
    if (measure == READ)
        return (size_t)read_sums(p->width) * READ_WORDS;
    if (measure == L2)
        return (n + L2_ROW - 1) / L2_ROW * L2_ROW;
    if (measure == LINK)
        return all_messages(p);
    if (measure == LATENCY)
        return (size_t)ring_words(p->width) + (p->width > NEAR ? SPILL : 0);
    return n;
}

static void layout(problem *p)
{
    problem_add_buffer(p, "x", BUFFER_INPUT, input_words(p) * sizeof(word));
    problem_add_buffer(p, "y", BUFFER_OUTPUT,
                       (measure == LINK ? all_messages(p) : (size_t)outputs(p)) * sizeof(word));
}

/*
 * A ring of a power of two of words: a linear congruential generator of full period (Hull and
 * Dobell, Random number generators, SIAM Review 4, 1962). Words behind it hold indices, too.
 */
static void fill_ring(word *x, uint32_t words, uint32_t ring, uint64_t seed)
{
    uint32_t increment = (uint32_t)random_bits(seed, 0) | 1;
#pragma omp parallel for simd
    for (uint32_t i = 0; i < words; i++)
        x[i].bits = (1664525 * i + increment) % ring;
}

static void fill(const problem *p)
{
    float *x = (float *)p->buffer[X].host;
    size_t words = input_words(p);
    if (measure == LATENCY)
        fill_ring((word *)x, (uint32_t)words, (uint32_t)ring_words(p->width), p->seed);
    else
        random_fill_float(x, words, is_tensor() ? -3 : 1, is_tensor() ? 4 : 2, p->seed);
    for (size_t i = 0; i < words && is_tensor(); i++)
        x[i] = floorf(x[i]);
}

static void *reference(const problem *p)
{
    const quantity *q = &quantities[measure];
    int count = q->values ? q->values : outputs(p) * (q->ways ? q->ways : 1);
    if (!q->expect)
        return NULL;
    word *expected = (word *)allocate((size_t)count * sizeof *expected);
    q->expect(p, expected, count);
    return expected;
}

/* What y[i] should be: expected[i % period]. */
typedef struct comparison {
    const word *y, *expected;
    size_t period;
} comparison;

template <bool WHOLE>
static checked value_at(const void *context, size_t i)
{
    const comparison *c = (const comparison *)context;
    word value = c->y[i], expected = c->expected[i % c->period];
    if (WHOLE)
        return {(double)value.bits, (double)expected.bits, 0};
    return {value.number, expected.number, 0x1p-24 * expected.number};
}

/* Additions and multiply-adds of a kind are rounded alike everywhere, or not at all. */
static check_result check(const problem *p, const variant *v)
{
    const quantity *q = &quantities[measure];
    const own_check *own = (const own_check *)v->own;
    const word ran[] = {whole((uint32_t)p->width), whole(~(uint32_t)p->width)};
    comparison c = {(const word *)p->buffer[Y].host, (const word *)p->reference,
                    (size_t)outputs(p)};
    if (own && own->check)
        return own->check(p, v);
    if (measure == COPY)
        c.expected = (const word *)p->buffer[X].host;
    if (measure == LAUNCH)
        c.expected = ran;
    if (own) {
        c.expected += own->first + (size_t)own->way * c.period;
        c.period = own->period ? (size_t)own->period : c.period;
    }
    return check_all(q->tolerance, outputs(p), (size_t)outputs(p),
                     q->is_whole ? value_at<true> : value_at<false>, &c);
}

static lab_work work(const problem *p)
{
    lab_work one = quantities[measure].element;
    double n = outputs(p);
    return {.bytes = n * one.bytes, .flops = n * one.flops, .int_ops = n * one.int_ops};
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

/*
 * 2^20 is for the multiply-adds (a copy of it runs on the GPU, and where there is none, to be
 * checked); 2^26 is the CPU's copy. The large sizes are the GPU's, for either.
 */
static const lab ceilings = {
    .name = "lab0_ceilings",
    .title = "what the machine can do at most: memory, caches, arithmetic, launches",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "2^20 2^26",
              .sizes_large = "2^25 2^28",
              .scaling_size = "2^25",
              .scaling = scaling,
              .emulated_max = 1 << 20,
              .blocks = "128 256",
              .configurations = configurations,
              .any_shape = true,
              .divided = several_gpus},
    .size_max = 1 << 30,
    .block_dimensions = 1,
    .single = {.positional = positional, .size = "2^26", .block = "256", .trials = "3"},
    LAB_OPTIONS(options),
    LAB_VARIANTS(variants),
    .configure = allow_registration,
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
