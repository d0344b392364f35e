/*
 * writes.cu - writing: stores to the L2 cache, and atomic additions there and in shared memory.
 * Before each kernel stands what is in its loop and what is expected of it (sources: ceilings.h).
 */
#include "ceilings.h"
#include "steps.h"
#include "sums.cuh"

/*
 * store_whole, store_part: each warp writes its row of y, 2 KiB, over and over past the L1 cache
 * (st.global.cg), each time words greater by one. A lane writes 16 bytes, whole sectors, or 4 of a
 * sector's 32, each time the next 4. Either way a sector counts as 32 bytes: gb_per_s / 32 is
 * sectors. In the loop: for four STG.128 four additions, for two STG one. Expected: for whole
 * sectors what `l2` reads or less, below the ports' 64 bytes a clock, 16.7 TB/s; parts take a
 * sector's turn each, so the same again, if telling the bytes costs nothing. Any block.
 */
__device__ static void add_one(uint32_t *v)
{
    ++*v;
}

__device__ static void add_one(uint4 *v)
{
    add(v, {1, 1, 1, 1});
}

template <typename vector, int APART> /* vectors from lane to lane */
__global__ void write_l2(const float *x, float *y, int n)
{
    constexpr int LINE = 32 * APART, IN_ROW = L2_ROW * 4 / (LINE * sizeof(vector));
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32, row = i / 32;
    if (row >= rows_of_l2(n))
        return;
    vector v = ((const vector *)x)[lane];
    vector *to = (vector *)y + (size_t)row * (LINE * IN_ROW) + lane * APART;
#pragma unroll 8
    for (int k = 0; k < L2_PASSES; k++) {
        add_one(&v);
#pragma unroll
        for (int line = 0; line < IN_ROW; line++)
            __stcg(to + LINE * line + k % APART, v);
    }
}

static void launch_store(const problem *p, const launch *l)
{
    launch_blocks(blocks_for(outputs(p) / (L2_ROW / 32), l->block.x), p, l);
}

static const own_check whole_sectors = {0, WHOLE_LINE}, part_sectors = {WHOLE_LINE, PART_LINE};

#define STORE_VARIANT(id, idea, vector, apart, line)                                               \
    GPU_VARIANT(id, idea, launch_store, KERNEL(write_l2<vector, apart>),                           \
                .applies = measures<L2_STORE>, .own = line)

const variant store_whole_variant =
    STORE_VARIANT("store_whole", "l2_store: 16 bytes a lane", uint4, 1, &whole_sectors);
const variant store_part_variant =
    STORE_VARIANT("store_part", "l2_store: 4 bytes of each 32", uint32_t, 8, &part_sectors);

/*
 * red_one, red_warp, red_words, red_sectors: ADDS times atomicAdd of an integer in the L2 cache,
 * whose result nobody wants: all threads to one word; a warp's lanes to a word of the warp's; each
 * to its own, a warp's in one line; each to its own, in 32 sectors. Which it is comes in registers:
 * of lanes that it knows to meet the compiler would make one. In the loop: RED alone. y is cleared
 * in each run, 2 us that count. Expected: lab 8's `atomic`, one such RED a warp, comes to 1.2 a
 * nanosecond on one word, so red_one to 1.2 if lanes that meet take turns, and to 39 if they are
 * added up on the way. Of the others no source tells. Any block.
 *
 * atoms_warp, atoms_words: the same in shared memory, words of a warp, and side by side, a bank
 * each. In the loop: ATOMS alone. Expected: at most 32 lanes a clock and multiprocessor, 8.4 T a
 * second on an H200; a 32nd of it where all meet. Blocks of whole warps.
 */
static const int ADDS_UNROLLED = 32;
static const unsigned OF_EACH = ~0u, OF_WARP = ~31u, OF_ALL = 0; /* i & these: whose word it is */

__global__ void add_l2(const float *x, float *y, int n, unsigned whose, bool spread)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (spread)
        i = i / 256 * 256 + i % 32 * 8 + i / 32 % 8;
    if (i >= n)
        return;
    uint32_t v = ((const uint32_t *)x)[i], *to = (uint32_t *)y + (i & whose);
#pragma unroll ADDS_UNROLLED
    for (int k = 0; k < ADDS; k++)
        atomicAdd(to, v);
}

__global__ void add_shared(const float *x, float *y, int n, unsigned whose, bool)
{
    __shared__ uint32_t sums[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t v = i < n ? ((const uint32_t *)x)[i] : 0, *to = &sums[threadIdx.x & whose];
    sums[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll ADDS_UNROLLED
    for (int k = 0; k < ADDS; k++)
        atomicAdd(to, v);
    __syncthreads();
    if (i < n)
        ((uint32_t *)y)[i] = sums[threadIdx.x];
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

/* A billion additions to one word would take a second. */
static const char *refuse_many(const problem *p, dim3)
{
    return p->width > 1 << 16 ? "over 2^16 threads one word takes too long" : NULL;
}

static const own_check of_thread = {}, of_warp = {.way = 1}, of_all = {.way = 2};

#define ATOMICS_VARIANT(id, idea, kernel, whose, spread, sum, ...)                                 \
    GPU_VARIANT(id, idea, (launch_adds<whose, spread>), KERNEL(kernel),                            \
                .applies = measures<ATOMICS>, __VA_ARGS__.own = sum)

const variant red_one_variant =
    ATOMICS_VARIANT("red_one", "atomics: all threads to one word", add_l2, OF_ALL, false, &of_all,
                    .refuse = refuse_many, );
const variant red_warp_variant =
    ATOMICS_VARIANT("red_warp", "atomics: a word for a warp", add_l2, OF_WARP, false, &of_warp);
const variant red_words_variant =
    ATOMICS_VARIANT("red_words", "atomics: a line for a warp", add_l2, OF_EACH, false, &of_thread);
const variant red_sectors_variant = ATOMICS_VARIANT("red_sectors", "atomics: a sector for a lane",
                                                    add_l2, OF_EACH, true, &of_thread);
const variant atoms_warp_variant =
    ATOMICS_VARIANT("atoms_warp", "atomics: shared memory, a word for a warp", add_shared, OF_WARP,
                    false, &of_warp, .refuse = refuse_part_of_warp, );
const variant atoms_words_variant =
    ATOMICS_VARIANT("atoms_words", "atomics: shared memory, a bank for a lane", add_shared, OF_EACH,
                    false, &of_thread, .refuse = refuse_part_of_warp, );
