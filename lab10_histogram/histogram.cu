/*
 * histogram.cu - the histogram of n bytes: how often does each of the 256 values occur?
 *
 * Data: n bytes and 256 counters of 32 bits. A byte is read once, at memory's rate; then a counter
 * that the byte names goes up by one. Threads that name the same counter have to wait for each
 * other, and so have lanes of a warp whose counters lie in one bank: how the counters lie decides,
 * and what the bytes are (--data).
 *
 *   cpu, cpu_omp     a loop; one for each core, with counters of its own
 *   global_atomics   a byte at a time, counters in global memory
 *   shared_atomics   each block has counters of its own in shared memory, added up at the end
 *   wide_loads       16 bytes a load
 *   warp_copies      each warp has counters of its own
 *   lane_copies      each lane has, all of them in a bank of its own
 *   loads_ahead      four loads under way before the first byte is counted
 *   dp4a_address     a byte's counter is found by one dot product
 *   equal_runs       16 equal bytes are one addition
 *   cub              cub::DeviceHistogram::HistogramEven (vendor.cu)
 *
 *   build/cuda/histogram 1000000 256                  n, block; --data one
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "process/die.h"
#include "random.h"

/* ---- CPU reference -------------------------------------------------------------------------- */

static void count_serial(const uint8_t *data, unsigned *counts, int n)
{
    memset(counts, 0, BINS * sizeof *counts);
    for (int i = 0; i < n; i++)
        counts[data[i]]++;
}

static void count_omp(const uint8_t *data, unsigned *counts, int n)
{
    memset(counts, 0, BINS * sizeof *counts);
#pragma omp parallel
    {
        unsigned own[BINS] = {};
#pragma omp for
        for (int i = 0; i < n; i++)
            own[data[i]]++;
#pragma omp critical
        for (int b = 0; b < BINS; b++)
            counts[b] += own[b];
    }
}

/* ---- the ladder ----------------------------------------------------------------------------- */

/*
 * global_atomics: as many threads as fit the GPU step through the bytes and add to the counters in
 * global memory, which are 0 before. The L2 cache adds, one addition to a counter after the other;
 * all 256 counters are eight lines. n <= 2^30, so i + step does not overflow. Any block.
 */
__global__ void global_atomics(const uint8_t *data, unsigned *counts, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&counts[data[i]], 1);
}

/* [exercise 10.1] */
/*
 * shared_atomics: against global_atomics, a block counts in shared memory, beside its arithmetic
 * units, and adds its 256 sums to the result at the end. Of 32 random bytes 3.1 on average lie in
 * the bank that has most of them, each at a counter of its own: so many passes the addition of a
 * warp takes. (Lanes that add 1 to the same counter are one pass.) Any block; all threads reach
 * both barriers.
 *
 *     block 0: 0..255   block 1: 0..255   ..      shared memory, additions of bytes
 *           \               |
 *            +-----> 0..255 <---- ..              global memory, 256 additions a block
 */
__global__ void shared_atomics(const uint8_t *data, unsigned *counts, int n)
{
    __shared__ unsigned bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&bins[data[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&counts[b], bins[b]);
}
/* [end 10.1] */

/*
 * wide_loads: against shared_atomics, a thread loads 16 bytes at a time: a sixteenth of the loads
 * and of the loop, and 16 bytes under way a thread in place of one. The last n % 16 bytes are
 * counted one by one. Any block; data must be 16-byte aligned.
 */
constexpr int WIDE = 16; // a uint4

/* Counts a word's bytes, at bins[byte * pitch]. */
__device__ static void count_word(unsigned *bins, int pitch, uint32_t word)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        atomicAdd(&bins[(word >> 8 * i & 255) * pitch], 1);
}

__device__ static void count_wide(unsigned *bins, int pitch, uint4 v)
{
    count_word(bins, pitch, v.x);
    count_word(bins, pitch, v.y);
    count_word(bins, pitch, v.z);
    count_word(bins, pitch, v.w);
}

/* Counts what a thread has of the bytes, 16 at a time; the last ones, too. */
__device__ static void count_all(unsigned *bins, int pitch, const uint8_t *data, int n)
{
    int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n / WIDE; i += step)
        count_wide(bins, pitch, ((const uint4 *)data)[i]);
    for (int i = n / WIDE * WIDE + first; i < n; i += step)
        atomicAdd(&bins[data[i] * pitch], 1);
}

__global__ void wide_loads(const uint8_t *data, unsigned *counts, int n)
{
    __shared__ unsigned bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();
    count_all(bins, 1, data, n);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&counts[b], bins[b]);
}

/* [exercise 10.2] */
/*
 * warp_copies: against wide_loads, each warp has 256 counters of its own, 1 KB: warps no longer
 * wait for each other's additions to a counter. Lanes of a warp still meet in banks. Any block.
 *
 *     warp 0: 0..255 | warp 1: 0..255 | ..       256 threads a block: 8 KB
 */
__global__ void warp_copies(const uint8_t *data, unsigned *counts, int n)
{
    extern __shared__ unsigned copies[];
    int warps = (blockDim.x + 31) / 32;
    for (int b = threadIdx.x; b < warps * BINS; b += blockDim.x)
        copies[b] = 0;
    __syncthreads();
    count_all(copies + threadIdx.x / 32 * BINS, 1, data, n);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned sum = 0;
        for (int warp = 0; warp < warps; warp++)
            sum += copies[warp * BINS + b];
        atomicAdd(&counts[b], sum);
    }
}
/* [end 10.2] */

/* [exercise 10.3] */
/* Copies of each lane: counter b of lane l is bins[b * LANES + l]. */
constexpr int LANES = 32;

__device__ static void clear_lanes(unsigned *bins)
{
    for (int b = threadIdx.x; b < BINS * LANES; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();
}

/* Adds up each byte's copies; threads begin in different banks. */
__device__ static void add_lanes(const unsigned *bins, unsigned *counts)
{
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned sum = 0;
        for (int i = 0; i < LANES; i++)
            sum += bins[b * LANES + (b + i) % LANES];
        if (sum)
            atomicAdd(&counts[b], sum);
    }
}

/*
 * lane_copies: against warp_copies, the copies are the lanes': lane l of any warp counts a byte at
 * bins[byte][l], in bank l. Whatever the bytes are, 32 lanes add in 32 banks, one pass for a warp.
 * Warps of the block share the copies, 32 KB: a multiprocessor of 228 KB holds six such blocks,
 * and blocks of 512 threads keep all its 2048 threads busy. Any block.
 *
 *     bank      0     1     2  ..  31
 *     byte 0   l0    l1    l2  .. l31
 *     byte 1   l0    l1    l2  .. l31
 *      ..
 */
__global__ void lane_copies(const uint8_t *data, unsigned *counts, int n)
{
    __shared__ unsigned bins[BINS * LANES];
    clear_lanes(bins);
    count_all(bins + threadIdx.x % LANES, LANES, data, n);
    add_lanes(bins, counts);
}
/* [end 10.3] */

/*
 * loads_ahead: against lane_copies, a thread asks for AHEAD times 16 bytes before it counts the
 * first: memory has work while the banks have theirs, and 64 bytes are under way a thread. Any
 * block.
 */
constexpr int AHEAD = 4;
constexpr unsigned LANE_ROW = LANES * sizeof(unsigned);

/* Adds to a counter so many bytes behind the first one. */
__device__ static void add_to_lane(unsigned *bins, unsigned place, unsigned count)
{
    atomicAdd((unsigned *)((char *)bins + place), count);
}

__device__ static void count_lane(unsigned *bins, unsigned lane_place, uint4 v)
{
    count_wide(bins + lane_place / sizeof *bins, LANES, v);
}

/* Counts a thread's bytes by `count`, which is told the place of the lane's counters; the last ones
 * one by one. */
template <void count(unsigned *bins, unsigned lane_place, uint4 v)>
__device__ static void count_ahead(unsigned *bins, unsigned lane_place, const uint8_t *data, int n)
{
    const uint4 *wide = (const uint4 *)data;
    int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x, i = first;
    for (; i < n / WIDE - (AHEAD - 1) * step; i += AHEAD * step) {
        uint4 v[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
            v[j] = wide[i + j * step];
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
            count(bins, lane_place, v[j]);
    }
    for (; i < n / WIDE; i += step)
        count(bins, lane_place, wide[i]);
    for (i = n / WIDE * WIDE + first; i < n; i += step)
        add_to_lane(bins, data[i] * LANE_ROW + lane_place, 1);
}

__global__ void loads_ahead(const uint8_t *data, unsigned *counts, int n)
{
    __shared__ unsigned bins[BINS * LANES];
    clear_lanes(bins);
    count_ahead<count_lane>(bins, threadIdx.x % LANES * sizeof *bins, data, n);
    add_lanes(bins, counts);
}

/*
 * dp4a_address: against loads_ahead, how a byte becomes an address. Shift, mask, scale and add are
 * three instructions for the integer units, which have 64 lanes a clock: 21 bytes a clock, where
 * memory of 4.5 TB/s brings 17. But an address is a product: the word's four bytes by (0, 0, 128,
 * 0), say, plus the lane's place. __dp4a() is just that; the addition itself knows where the
 * counters begin. Two instructions a byte. Any block.
 *
 *     word     a   b   c   d
 *            x 0 + 0 +128+ 0   + 4 lane   =  c * 128 + 4 lane bytes behind bins[0][0]
 */
__device__ static void count_by_dp4a(unsigned *bins, unsigned lane_place, uint4 v)
{
    const uint32_t word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < WIDE; i++)
        add_to_lane(bins, __dp4a(word[i / 4], LANE_ROW << 8 * (i % 4), lane_place), 1);
}

__global__ void dp4a_address(const uint8_t *data, unsigned *counts, int n)
{
    __shared__ unsigned bins[BINS * LANES];
    clear_lanes(bins);
    count_ahead<count_by_dp4a>(bins, threadIdx.x % LANES * sizeof *bins, data, n);
    add_lanes(bins, counts);
}

/*
 * equal_runs: against dp4a_address, 16 bytes that are all alike are counted by one addition of 16.
 * To see it costs some 6 instructions for 16 bytes, and where the bytes are random it never
 * happens; where they are all one, all warps of a block add to the same 32 counters, and a
 * sixteenth of the additions is left. Any block.
 *
 *     7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7      bins[7] += 16
 *     7 7 7 7 7 7 7 7 7 7 8 7 7 7 7 7      byte by byte
 */
__device__ static void count_runs(unsigned *bins, unsigned lane_place, uint4 v)
{
    const uint32_t byte = v.x & 255, differs = v.x ^ byte * 0x01010101u;
    if ((differs | (v.x ^ v.y) | (v.x ^ v.z) | (v.x ^ v.w)) == 0)
        add_to_lane(bins, byte * LANE_ROW + lane_place, WIDE);
    else
        count_by_dp4a(bins, lane_place, v);
}

__global__ void equal_runs(const uint8_t *data, unsigned *counts, int n)
{
    __shared__ unsigned bins[BINS * LANES];
    clear_lanes(bins);
    count_ahead<count_runs>(bins, threadIdx.x % LANES * sizeof *bins, data, n);
    add_lanes(bins, counts);
}

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((const uint8_t *)l->buffer[DATA], (unsigned *)l->buffer[COUNTS], p->width);
}

typedef void (*histogram_kernel)(const uint8_t *data, unsigned *counts, int n);

/* Launches as many blocks as the GPU holds at a time, where a thread has EACH bytes at least. */
template <int EACH>
static void launch_resident(const problem *p, const launch *l)
{
    histogram_kernel kernel = (histogram_kernel)l->kernel;
    unsigned *counts = (unsigned *)l->buffer[COUNTS];
    unsigned grid = min(blocks_for(p->width, l->block.x * EACH),
                        resident_blocks(l->kernel, l->block, l->shared_bytes));
    CUDA_CHECK(cudaMemsetAsync(counts, 0, BINS * sizeof *counts, l->stream));
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>((const uint8_t *)l->buffer[DATA], counts,
                                                           p->width);
    CUDA_CHECK(cudaGetLastError());
}

static size_t copies_bytes(const problem *, dim3 block)
{
    return (block.x + 31) / 32 * BINS * sizeof(unsigned);
}

/* ---- variants ------------------------------------------------------------------------------- */

#define KERNEL(function) .kernel = (const void *)function

static const variant variants[] = {
    SERIAL_VARIANT("serial loop", run_cpu<count_serial>),
    OPENMP_VARIANT("OpenMP, counters for each thread", run_cpu<count_omp>),
    GPU_VARIANT("global_atomics", "counters in global memory", launch_resident<1>,
                KERNEL(global_atomics)),
    GPU_VARIANT("shared_atomics", "counters of a block in shared memory", launch_resident<1>,
                KERNEL(shared_atomics)),
    GPU_VARIANT("wide_loads", "16 bytes a load", launch_resident<WIDE>, KERNEL(wide_loads)),
    GPU_VARIANT("warp_copies", "counters of a warp", launch_resident<WIDE>, KERNEL(warp_copies),
                .shared_bytes = copies_bytes),
    GPU_VARIANT("lane_copies", "counters of a lane, each lane in a bank of its own",
                launch_resident<WIDE>, KERNEL(lane_copies)),
    GPU_VARIANT("loads_ahead", "four loads under way a thread", launch_resident<WIDE>,
                KERNEL(loads_ahead)),
    GPU_VARIANT("dp4a_address", "a counter's address is a dot product", launch_resident<WIDE>,
                KERNEL(dp4a_address)),
    GPU_VARIANT("equal_runs", "16 equal bytes are one addition", launch_resident<WIDE>,
                KERNEL(equal_runs)),
    cub_variant,
};

/* ---- the problem ---------------------------------------------------------------------------- */

enum { UNIFORM, ONE, IMAGE };

static int data_kind = UNIFORM;
static const char *const data_names[] = {"uniform", "one", "image", NULL};
static const lab_option options[] = {
    {"--data", OPTION_CHOICE, &data_kind, 0, 0,
     "what the bytes are: random; all one value; slow gradients with some noise", data_names},
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=u8;data=%s", data_names[data_kind]);
}

static void layout(problem *p)
{
    problem_add_buffer(p, "data", BUFFER_INPUT, (size_t)p->width);
    problem_add_buffer(p, "counts", BUFFER_OUTPUT, BINS * sizeof(unsigned));
}

/* A gradient of 4096 bytes goes up by 32 levels from a random one; a sixteenth of the bytes is a
 * level higher than it should be. */
static void fill(const problem *p)
{
    uint8_t *data = (uint8_t *)p->buffer[DATA].host;
    random_fill_bytes(data, (size_t)p->width, p->seed);
    if (data_kind == ONE)
        memset(data, (int)(p->seed % BINS), (size_t)p->width);
    else if (data_kind == IMAGE)
#pragma omp parallel for
        for (int i = 0; i < p->width; i++)
            data[i] = (uint8_t)(random_bits(p->seed + 1, (uint64_t)i / 4096) % 223 +
                                i % 4096 / 128 + (data[i] % 16 == 0));
}

static void *reference(const problem *p)
{
    unsigned *counts = (unsigned *)allocate(BINS * sizeof *counts);
    count_serial((const uint8_t *)p->buffer[DATA].host, counts, p->width);
    return counts;
}

/* Whole numbers: equality is demanded. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    return {(double)((const unsigned *)p->buffer[COUNTS].host)[i],
            (double)((const unsigned *)p->reference)[i], 1};
}

static check_result check(const problem *p, const variant *)
{
    return check_all(0, BINS, BINS, value_at, p);
}

static lab_work work(const problem *p)
{
    double n = p->width;
    return {.bytes = n + BINS * sizeof(unsigned), .int_ops = n};
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

static const lab_settings configurations[] = {
    {"--data uniform"},
    {"--data one --sizes 2^28 --blocks 256,1024"},
    {"--data image --sizes 2^28 --blocks 256,1024"},
    {.options = "--data one --sizes 2^28 --blocks 64,128,512", .full = true},
    {.options = "--data image --sizes 2^28 --blocks 64,128,512", .full = true},
    {NULL},
};

static const lab histogram = {
    .name = "lab10_histogram",
    .title = "how often each value occurs in n bytes",
    .sizes_are = SIZE_VECTOR,
    .sweep = {.sizes = "2^16 2^20 2^24 2^28",
              .scaling_size = "2^28",
              .emulated_max = 1 << 20,
              .blocks = "64 128 256 512 1024",
              .configurations = configurations},
    .size_max = 1 << 30,
    .block_dimensions = 1,
    .single = {.positional = positional, .size = "1000000", .block = "256", .trials = "3"},
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
    return lab_main(&histogram, argc, argv);
}
