/*
 * reduction.cu - all elements of a vector added up (`--op sum`), and every sum on the way there
 * (`--op scan`): result[i] = value[0] + ... + value[i]. `cub_sum` and `cub_scan` are in vendor.cu.
 *
 * The scan's last rung is in scan_lookback.cu.
 *
 * Data: n unsigned integers of 32 bits. Sums wrap around, so that in any order they are the same
 * and equality is demanded. An addition for 4 bytes read, and in a scan 4 written: memory decides.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "reduction.h"
#include "scan_tile.cuh"
#include "random.h"

/* ---- CPU ------------------------------------------------------------------------------------ */

template <int OP>
static void add_serial(const unsigned *value, unsigned *result, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        sum += value[i];
        if (OP == SCAN)
            result[i] = sum;
    }
    if (OP == SUM)
        *result = sum;
}

static void sum_omp(const unsigned *value, unsigned *result, int n)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += value[i];
    *result = sum;
}

/* Each part is added up, then scanned from the sum of all parts before it. */
static void scan_omp(const unsigned *value, unsigned *result, int n)
{
    enum { PARTS = 256 };
    const int size = (n + PARTS - 1) / PARTS;
    unsigned before[PARTS + 1] = {0};
#pragma omp parallel for
    for (int k = 0; k < PARTS; k++) {
        unsigned sum = 0;
        for (int i = k * size; i < min(n, (k + 1) * size); i++)
            sum += value[i];
        before[k + 1] = sum;
    }
    add_serial<SCAN>(before, before, PARTS);
#pragma omp parallel for
    for (int k = 0; k < PARTS; k++) {
        unsigned sum = before[k];
        for (int i = k * size; i < min(n, (k + 1) * size); i++)
            result[i] = sum += value[i];
    }
}

/* ---- the sum -------------------------------------------------------------------------------- */

/*
 * atomic: thread i adds element i to one address, where additions happen one after the other. Of a
 * warp's the compiler makes one. Any block.
 */
__global__ void atomic(const unsigned *value, unsigned *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, value[i]);
}

/*
 * tree_interleaved: against atomic, a block adds up pairs, pairs of pairs, .. in shared memory, and
 * has one addition to `sum`. Any block.
 *
 *     thread   0   1   2   3   4   5   6   7      Each second, fourth, .. thread adds: its whole
 *     apart 1  +<--'   +<--'   +<--'   +<--'      warp is issued for it, and the words come to lie
 *     apart 2  +<------'       +<------'          in fewer and fewer banks.
 *     apart 4  +<--------------'
 */
__global__ void tree_interleaved(const unsigned *value, unsigned *sum, int n)
{
    extern __shared__ unsigned part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? value[i] : 0;
    for (unsigned apart = 1; apart < blockDim.x; apart *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * apart) == 0 && threadIdx.x + apart < blockDim.x)
            part[threadIdx.x] += part[threadIdx.x + apart];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

/* [exercise 8.1] */
/*
 * tree_sequential: against tree_interleaved, the first half adds the second half, of odd numbers
 * but the middle one: who adds are whole warps, side by side in the banks. Any block.
 *
 *     left 8   0<--4   1<--5   2<--6   3<--7      left 4   0<--2   1<--3      left 2   0<--1
 */
__device__ static unsigned block_tree(unsigned own, unsigned *part)
{
    part[threadIdx.x] = own;
    for (unsigned left = blockDim.x; left > 1;) {
        unsigned half = (left + 1) / 2;
        __syncthreads();
        if (threadIdx.x < left / 2)
            part[threadIdx.x] += part[threadIdx.x + half];
        left = half;
    }
    return part[threadIdx.x]; /* thread 0's is the sum */
}

__global__ void tree_sequential(const unsigned *value, unsigned *sum, int n)
{
    extern __shared__ unsigned part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned of_block = block_tree(i < n ? value[i] : 0, part);
    if (threadIdx.x == 0)
        atomicAdd(sum, of_block);
}
/* [end 8.1] */

/*
 * grid_stride: against tree_sequential, as many blocks as the GPU holds: of T threads, thread t
 * adds up elements t, t + T, t + 2T, .. in a register before the tree. n <= 2^30, so i + T does not
 * overflow. Any block.
 */
__device__ static unsigned sum_of_steps(const unsigned *value, int n)
{
    unsigned own = 0;
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        own += value[i];
    return own;
}

__global__ void grid_stride(const unsigned *value, unsigned *sum, int n)
{
    extern __shared__ unsigned part[];
    unsigned of_block = block_tree(sum_of_steps(value, n), part);
    if (threadIdx.x == 0)
        atomicAdd(sum, of_block);
}

/* [exercise 8.2] */
/*
 * shuffle: against grid_stride, lanes of a warp add each other's registers, in five steps; warps'
 * sums go through shared memory, and the first warp adds them in the same way: one barrier, not one
 * for each halving of the block. Blocks of whole warps.
 */
__device__ static unsigned warp_sum(unsigned sum)
{
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(~0u, sum, apart);
    return sum;
}

__device__ static unsigned block_sum(unsigned own)
{
    __shared__ unsigned of_warp[32];
    own = warp_sum(own);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 32)
        own = warp_sum(threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0);
    return own; /* the first warp's is the sum */
}

__global__ void shuffle(const unsigned *value, unsigned *sum, int n)
{
    unsigned of_block = block_sum(sum_of_steps(value, n));
    if (threadIdx.x == 0)
        atomicAdd(sum, of_block);
}
/* [end 8.2] */

/*
 * vector4: against shuffle, loads of 16 bytes, AHEAD of which are on their way at a time; the last
 * 0 to 3 elements go to the first threads. Blocks of whole warps.
 */
constexpr int AHEAD = 4;

__device__ static unsigned sum_of_fours(const unsigned *value, int n)
{
    int step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned own = i < n % 4 ? value[n / 4 * 4 + i] : 0;
#pragma unroll AHEAD
    for (; i < n / 4; i += step) {
        uint4 four = ((const uint4 *)value)[i];
        own += four.x + four.y + four.z + four.w;
    }
    return own;
}

__global__ void vector4(const unsigned *value, unsigned *sum, int n)
{
    unsigned of_block = block_sum(sum_of_fours(value, n));
    if (threadIdx.x == 0)
        atomicAdd(sum, of_block);
}

/*
 * last_block: against vector4, `sum` need not be 0 beforehand, which is an operation of its own on
 * the stream: in one word of 64 bits blocks are counted, below, and their sums added, above, where
 * they wrap around. Who counts last has the sum, and leaves the word 0. Blocks of whole warps.
 *
 *     tally:  0 | 0   + block 1's  ->  s1 | 1   + block 0's  ->  s1 + s0 | 2 of 2
 */
__device__ static unsigned long long tally;

__global__ void last_block(const unsigned *value, unsigned *sum, int n)
{
    unsigned of_block = block_sum(sum_of_fours(value, n));
    if (threadIdx.x > 0)
        return;
    unsigned long long before = atomicAdd(&tally, (unsigned long long)of_block << 32 | 1);
    if ((unsigned)before == gridDim.x - 1) {
        *sum = (unsigned)(before >> 32) + of_block;
        atomicExch(&tally, 0);
    }
}

/* ---- the scan ------------------------------------------------------------------------------- */

/*
 * scan_steps: a block scans its tile, an element a thread (Hillis and Steele, 1986), and notes its
 * total. Totals are scanned in the same way, level by level, and add_totals() adds to a tile those
 * of all before it. Blocks of whole warps.
 *
 *     apart 1   each adds what is 1 before it     0    01    12    23    34    45    56    67
 *     apart 2   then what is 2 before, 4, ..      0    01   012  0123  1234  2345  3456  4567
 */
__global__ void scan_steps(const unsigned *value, unsigned *result, unsigned *total, int n)
{
    extern __shared__ unsigned part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned own = i < n ? value[i] : 0;
    for (unsigned apart = 1; apart < blockDim.x; apart *= 2) {
        part[threadIdx.x] = own;
        __syncthreads();
        if (threadIdx.x >= apart)
            own += part[threadIdx.x - apart];
        __syncthreads();
    }
    if (i < n)
        result[i] = own;
    if (threadIdx.x == blockDim.x - 1)
        total[blockIdx.x] = own;
}

/* Block b adds the sum of tiles 0 .. b to tile b + 1. */
__global__ void add_totals(unsigned *result, const unsigned *total, int tile, int n)
{
    int first = (blockIdx.x + 1) * tile, last = min(first + tile, n);
    for (int i = first + threadIdx.x; i < last; i += blockDim.x)
        result[i] += total[blockIdx.x];
}

/*
 * scan_shuffle: against scan_steps, a thread has VECTORS fours in registers, moved as 16 bytes: it
 * scans each, the warp its lanes' fours by shuffles, the block its warps. One barrier, and tiles
 * are ITEMS times the block: few totals. Blocks of whole warps.
 *
 *     warp 0   lane 0 | 1 | 2 .. | 31     k = 0: elements 0 .. 127
 *              lane 0 | 1 | 2 .. | 31     k = 1:        128 .. 255     .. VECTORS; then warp 1
 */
__global__ void scan_shuffle(const unsigned *value, unsigned *result, unsigned *total, int n)
{
    alignas(16) fours own;
    unsigned of_block;
    int first = load_fours(own, value, blockIdx.x, n);
    unsigned before = scan_fours(own, &of_block);
    store_fours(own, before, result, first, n);
    if (threadIdx.x == 0)
        total[blockIdx.x] = of_block;
}

/* ---- launchers ------------------------------------------------------------------------------ */

int op;

typedef void (*program)(const unsigned *value, unsigned *result, int n);

template <program SUM_OF, program SCAN_OF>
static void run_cpu(const problem *p, const launch *l)
{
    (op == SUM ? SUM_OF : SCAN_OF)((unsigned *)l->buffer[VALUES], (unsigned *)l->buffer[RESULT],
                                   p->width);
}

/* A load of EACH elements a thread, or, where the grid STRIDES, as many blocks as the GPU holds. */
template <int EACH, bool STRIDES, bool ADDS_TO_0 = true>
static void launch_sum(const problem *p, const launch *l)
{
    unsigned blocks = blocks_for(p->width / EACH + (EACH > 1), l->block.x);
    if (STRIDES)
        blocks = min(blocks, resident_blocks(l->kernel, l->block, l->shared_bytes));
    if (ADDS_TO_0)
        CUDA_CHECK(cudaMemsetAsync(l->buffer[RESULT], 0, sizeof(unsigned), l->stream));
    ((program)l->kernel)<<<blocks, l->block, l->shared_bytes, l->stream>>>(
        (unsigned *)l->buffer[VALUES], (unsigned *)l->buffer[RESULT], p->width);
    CUDA_CHECK(cudaGetLastError());
}

typedef void (*tile_kernel)(const unsigned *value, unsigned *result, unsigned *total, int n);

/* Scans tiles, then their totals, each level's behind those of the one before, and adds these. */
static void scan_level(int each, const launch *l, const unsigned *value, unsigned *result,
                       unsigned *total, int n)
{
    const int tile = each * (int)l->block.x, tiles = (int)blocks_for(n, tile);
    ((tile_kernel)l->kernel)<<<tiles, l->block, l->shared_bytes, l->stream>>>(value, result, total,
                                                                              n);
    CUDA_CHECK(cudaGetLastError());
    if (tiles == 1)
        return;
    scan_level(each, l, total, total, total + (tiles + 3) / 4 * 4, tiles);
    add_totals<<<tiles - 1, l->block, 0, l->stream>>>(result, total, tile, n);
    CUDA_CHECK(cudaGetLastError());
}

template <int EACH>
static void launch_levels(const problem *p, const launch *l)
{
    scan_level(EACH, l, (unsigned *)l->buffer[VALUES], (unsigned *)l->buffer[RESULT],
               (unsigned *)l->workspace, p->width);
}

/* Totals of tiles of 32 or more: n / 32 + n / 32^2 + .., 6 levels, each in whole fours. */
static size_t room(const problem *p)
{
    return sizeof(unsigned) * (p->width / 31 + 32);
}

/* ---- variants ------------------------------------------------------------------------------- */

static size_t block_bytes(const problem *, dim3 block)
{
    return sizeof(unsigned) * block.x;
}

static const void *const with_totals[] = {(const void *)add_totals, NULL};

#define SUM_RUNG(id, idea, launch, its_kernel, shared, why_not)                                    \
    GPU_VARIANT(id, idea, launch, .kernel = (const void *)its_kernel, .shared_bytes = shared,      \
                .applies = makes<SUM>, .refuse = why_not)
#define SCAN_RUNG(id, idea, launch, its_kernel, more, shared, why_not)                             \
    GPU_VARIANT(id, idea, launch, .kernel = (const void *)its_kernel, .more_kernels = more,        \
                .shared_bytes = shared, .workspace_bytes = room, .applies = makes<SCAN>,           \
                .refuse = why_not)

static const variant variants[] = {
    SERIAL_VARIANT("serial loop", (run_cpu<add_serial<SUM>, add_serial<SCAN>>)),
    OPENMP_VARIANT("OpenMP loop", (run_cpu<sum_omp, scan_omp>)),
    SUM_RUNG("atomic", "sum: each element added to one address", (launch_sum<1, false>), atomic,
             NULL, NULL),
    SUM_RUNG("tree_interleaved", "a tree, each second thread adds", (launch_sum<1, false>),
             tree_interleaved, block_bytes, NULL),
    SUM_RUNG("tree_sequential", "the first threads add", (launch_sum<1, false>), tree_sequential,
             block_bytes, NULL),
    SUM_RUNG("grid_stride", "many elements a thread before the tree", (launch_sum<1, true>),
             grid_stride, block_bytes, NULL),
    SUM_RUNG("shuffle", "a tree of registers", (launch_sum<1, true>), shuffle, NULL, part_of_warp),
    SUM_RUNG("vector4", "four elements a load", (launch_sum<4, true>), vector4, NULL, part_of_warp),
    SUM_RUNG("last_block", "sums and blocks counted in one word", (launch_sum<4, true, false>),
             last_block, NULL, part_of_warp),
    cub_sum_variant,
    SCAN_RUNG("scan_steps", "scan: adds what is 1, 2, 4, .. before", launch_levels<1>, scan_steps,
              with_totals, block_bytes, part_of_warp),
    SCAN_RUNG("scan_shuffle", "16 elements a thread in registers", launch_levels<ITEMS>,
              scan_shuffle, with_totals, NULL, part_of_warp),
    scan_lookback_variant,
    cub_scan_variant,
};

/* ---- callbacks ------------------------------------------------------------------------------ */

static const char *const ops[] = {"sum", "scan", NULL};

static const lab_option options[] = {
    {"--op", OPTION_CHOICE, &op, 0, 0, "what is made: the sum, or all sums on the way there", ops},
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "op=%s;type=u32", ops[op]);
}

static size_t results(const problem *p)
{
    return op == SUM ? 1 : (size_t)p->width;
}

static void layout(problem *p)
{
    problem_add_buffer(p, "values", BUFFER_INPUT, sizeof(unsigned) * p->width);
    problem_add_buffer(p, "result", BUFFER_OUTPUT, sizeof(unsigned) * results(p));
}

static void fill(const problem *p)
{
#pragma omp parallel for
    for (int i = 0; i < p->width; i++)
        ((unsigned *)p->buffer[VALUES].host)[i] = (unsigned)random_bits(p->seed, (uint64_t)i);
}

/* The whole scan: its last element is the sum. */
static void *reference(const problem *p)
{
    unsigned *sums = (unsigned *)allocate(sizeof(unsigned) * p->width);
    add_serial<SCAN>((const unsigned *)p->buffer[VALUES].host, sums, p->width);
    return sums;
}

static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    double expected = ((const unsigned *)p->reference)[op == SUM ? p->width - 1 : i];
    return {(double)((const unsigned *)p->buffer[RESULT].host)[i], expected, 1};
}

static check_result check(const problem *p, const variant *)
{
    return check_all(0, (int)results(p), results(p), value_at, p);
}

static lab_work work(const problem *p)
{
    double n = p->width;
    return {.bytes = sizeof(unsigned) * (n + results(p)), .int_ops = n};
}

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

static const lab_settings configurations[] = {{"--op sum"}, {"--op scan"}, {NULL}};

static const lab reduction = {
    .name = "lab8_reduction",
    .title = "the sum of n whole numbers, or all sums on the way there",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "2^10 2^12 2^14 2^16 2^18 2^20 2^22 2^24 2^26 2^28",
              .scaling_size = "2^24",
              .emulated_max = 1 << 20,
              .blocks = "64 128 256 512 1024",
              .configurations = configurations},
    .size_max = 1 << 30,
    .block_dimensions = 1,
    .single = {.positional = positional, .size = "1000", .block = "256", .trials = "3"},
    LAB_OPTIONS(options),
    LAB_VARIANTS(variants),
    .parameters = parameters,
    .layout = layout,
    .fill = fill,
    .reference = reference,
    .check = check,
    .work = work,
};

int main(int argc, char **argv)
{
    return lab_main(&reduction, argc, argv);
}
