/*
 * rates.cuh - the kernels of ceilings.cu that read caches and shared memory, follow a chain of
 * loads, or keep one arithmetic unit busy. Before each stands what is in its loop, at what rate the
 * hardware should take it, and where the number is from:
 *
 *   [guide]  NVIDIA, CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions":
 *            results a clock and multiprocessor, in report/cores.csv by compute capability
 *   [white]  NVIDIA H100 Tensor Core GPU Architecture, 2022 (an H200 has the same multiprocessors)
 *   [micro]  Luo, Fan, Li, Du, Wang, Chu: Benchmarking and Dissecting the Nvidia Hopper GPU
 *            Architecture, IPDPS 2024: an H100's latencies in clocks
 *   [chips]  Chips and Cheese: Nvidia's H100: Funny L2, and Tons of Bandwidth, 2023
 *
 * Sums are of whole numbers that wrap around: in any order they are the same, to the bit, and an
 * addition costs a quarter of what a load does, or less.
 */
#ifndef LAB0_RATES_CUH
#define LAB0_RATES_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "power_of_two.cuh"

/* ---- reading what is near -------------------------------------------------------------------- */

/*
 * What a warp reads at once is a line: 32 words of a lane's vector. LINES of them make a row, whose
 * loads need one address and wait for none of each other. Element i's lane begins in row i / 32 and
 * goes on from row to row, READS lines in all.
 */
static const int LINES = 8, READS = 512, TILE = 1024;

__device__ static void add(uint32_t *sum, uint32_t v)
{
    *sum += v;
}

__device__ static void add(uint4 *sum, uint4 v)
{
    sum->x += v.x;
    sum->y += v.y;
    sum->z += v.z;
    sum->w += v.w;
}

/* y[i..] = the sum, for the words that a vector has; `i` counts vectors. */
__device__ static void put(uint32_t *y, int i, int n, uint32_t sum)
{
    if (i < n)
        y[i] = sum;
}

__device__ static void put(uint32_t *y, int i, int n, uint4 sum)
{
    const uint32_t word[4] = {sum.x, sum.y, sum.z, sum.w};
    if (i < n / 4)
        ((uint4 *)y)[i] = sum;
    else
        for (int j = n / 4 * 4; i == n / 4 && j < n; j++)
            y[j] = word[j % 4];
}

/*
 * Reads READS lines, over and over, of each the vector in a lane's `place`. There are 2 or more
 * rows, a power of two; LINE vectors are from one line to the next.
 */
template <unsigned ROWS, int IN_ROW, int LINE, typename vector>
__device__ static vector sum_of_lines(const vector *lines, unsigned row, unsigned place)
{
    static_assert(ROWS > 1 && READS % IN_ROW == 0, "no address is the same from row to row");
    vector sum = {};
#pragma unroll 1
    for (int k = 0; k < READS; k += IN_ROW, row++) {
        const vector *from = lines + row % ROWS * (LINE * IN_ROW) + place;
#pragma unroll
        for (int line = 0; line < IN_ROW; line++)
            add(&sum, from[LINE * line]);
    }
    return sum;
}

template <typename vector, int IN_ROW>
__device__ static vector sum_of_tile(const vector *tile, unsigned i)
{
    constexpr unsigned ROWS = TILE * 4 / (32 * IN_ROW * sizeof(vector));
    return sum_of_lines<ROWS, IN_ROW, 32>(tile, i / 32, i % 32);
}

/*
 * read: a warp sums up 4 KiB of x, which is padded to whole ones: 16 bytes a lane, 8 loads under
 * way at a time, then five exchanges between lanes. Blocks one after the other read what lies
 * together. 4096 bytes come in for 4 that are written, so that memory need not turn round between
 * reading and writing, as it must in a copy. On an H100 it reads 3.10 TB/s where float4 copies
 * move 3.01 and a sum of two vectors 3.06; 2 or 16 loads at a time 1 % less, 64 rows of 4 KiB a
 * thread 4 % less. Expected: some percent above the copy, below the data sheet's 4.8 TB/s. Blocks
 * of whole warps.
 */
static const int READ_WORDS = 1024;

__device__ __host__ static int read_sums(int n)
{
    return n / READ_WORDS + (n % READ_WORDS > 0);
}

__global__ void read_memory(const float *x, float *y, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= read_sums(n))
        return;
    const uint4 *from = (const uint4 *)x + (size_t)warp * (READ_WORDS / 4) + lane;
    uint4 vectors = {};
#pragma unroll
    for (int k = 0; k < READ_WORDS / 4; k += 32)
        add(&vectors, from[k]);
    uint32_t sum = vectors.x + vectors.y + vectors.z + vectors.w;
#pragma unroll
    for (int other = 16; other > 0; other /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, other);
    if (lane == 0)
        ((uint32_t *)y)[warp] = sum;
}

/*
 * load: thread i sums up words of the tile, which is the first 4 KB of x: after the first loads
 * they lie in the L1 cache. In the loop: LDG (4 bytes a lane), IADD3 for two of them, some steps of
 * an address for eight. Expected: a multiprocessor's 32 load/store units [white] take one warp's
 * load a clock, 128 bytes: on an H200 33.5 TB/s at 1.98 GHz. Any block.
 */
__global__ void read_l1(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        put((uint32_t *)y, i, n, sum_of_tile<uint32_t, LINES>((const uint32_t *)x, i));
}

/*
 * tags_even, tags_both: a load of 4 bytes that hits L1 in 32 lines of 128 bytes, a sector of each:
 * lane l reads word l of line l (tags_both) or of line 2 l (tags_even), so that no two lanes want
 * the same bank, and only looking up the lines can take its time. In the loop: LDG, IADD3 for two
 * of them, some steps of an address for four. Expected: if two banks of tags look up an even line
 * and an odd one a clock, 16 clocks a load where both take turns and 32 where all are even: 8 and 4
 * bytes a clock, 2.1 and 1.05 TB/s on an H200. The same rate for both: other bits choose the bank.
 * Any block.
 */
static const int TAG_ROWS = 2, TAG_LINES = 4, TAG_WORDS = TAG_ROWS * TAG_LINES * 32 * 64;

template <int APART> /* lines from lane to lane */
__global__ void read_tags(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
    if (i < n)
        ((uint32_t *)y)[i] = sum_of_lines<TAG_ROWS, TAG_LINES, 32 * 32 * APART>(
            (const uint32_t *)x, i / 32, lane * (32 * APART) + lane);
}

/*
 * constant_1, constant_2, constant_4: words of constant memory by an index in a register, so many
 * different ones a warp, 32 bytes from each other. The table of 1 KiB fits the smallest cache. In
 * the loop: LDC, IADD3 for two of them, some steps of an address for four. (An index that is known
 * becomes an operand c[][] of other instructions, one of a whole warp a ULDC: neither is this.)
 * Expected: no source tells the rate; a load a clock would be 33.5 TB/s on an H200, as from L1.
 * Different words are fetched one after the other (Programming Guide, "Constant Memory"): half and
 * a quarter of it. Any block.
 */
static const int TABLE_ROWS = 2, TABLE_LINES = 4, TABLE = TABLE_ROWS * TABLE_LINES * 32;
static __constant__ uint32_t table[TABLE]; /* the first words of x */

template <int WORDS>
__global__ void read_constant(const float *, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ((uint32_t *)y)[i] =
            sum_of_lines<TABLE_ROWS, TABLE_LINES, 32>(table, i / 32, i % WORDS * 8);
}

/*
 * shared_4, shared_16: the same tile in shared memory, words of 4 bytes or of 16. In the loop: LDS
 * or LDS.128, one IADD3 for two words. Lanes read words side by side, so that no two want the same
 * bank: 32 banks of 4 bytes give 128 bytes a clock either way [white], 33.5 TB/s on an H200. With 4
 * bytes a load a clock is the limit, too; with 16 it issues one in four clocks, which tells the
 * memory's limit from the load's. Filling the tile takes its place in the same pipe: 32 words a
 * thread of 256 for 512, and less where a word has 16 bytes. Any block.
 */
template <typename vector, int IN_ROW>
__global__ void read_shared(const float *x, float *y, int n)
{
    constexpr int VECTORS = TILE * 4 / sizeof(vector);
    __shared__ vector tile[VECTORS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < VECTORS; k += blockDim.x)
        tile[k] = ((const vector *)x)[k];
    __syncthreads();
    put((uint32_t *)y, i, n, sum_of_tile<vector, IN_ROW>(tile, i));
}

/*
 * l2: x, padded to whole rows, lies in the L2 cache if it fits. A warp reads L2_PASSES / 4 rows of
 * it, 16 bytes a lane, past the L1 cache (ld.global.cg); from row to row it leaps over five eighths
 * of x, so that each part is asked for by multiprocessors all over the chip and comes again only
 * after most of the others. Each word is read L2_PASSES times: that the first pass comes from
 * memory where the data is cold, and that y is written, is a percent. In the loop: LDG.128, four
 * IADD3, and four instructions a row for the address. Expected: 64 bytes a clock would fill the
 * port of a multiprocessor, 16.7 TB/s in all; [chips] reads some 5.5 on a smaller H100. Memory's
 * 4.8 TB/s are the floor. The cache is in two halves: what lies in the far one comes slower, and x
 * beyond one half shows it. Any block.
 */
static const int L2_LINES = 4, L2_ROW = 32 * L2_LINES * 4, L2_PASSES = 128;

__device__ __host__ static int leap_over(int rows)
{
    return (rows / 8 * 5) | 1;
}

__global__ void read_l2(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int rows = (n + L2_ROW - 1) / L2_ROW, leap = leap_over(rows), row = i / 32 % rows;
    uint4 sum = {};
    if (i >= (n + 3) / 4)
        return;
#pragma unroll 1
    for (int k = 0; k < L2_PASSES; k += L2_LINES) {
        const uint4 *from = (const uint4 *)x + (size_t)row * (32 * L2_LINES) + i % 32;
#pragma unroll
        for (int line = 0; line < L2_LINES; line++)
            add(&sum, __ldcg(from + 32 * line));
        row += leap;
        row -= row < rows ? 0 : rows;
    }
    put((uint32_t *)y, i, n, sum);
}

/* ---- writing --------------------------------------------------------------------------------- */

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
    if (row >= (n + L2_ROW - 1) / L2_ROW)
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
static const int ADDS = 256, ADDS_UNROLLED = 32;
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

/* ---- waiting for what is far ----------------------------------------------------------------- */

/*
 * chase: x is a ring, each word the index of the next, in an order that no cache foresees. Thread 0
 * of block 0 follows it: HOPS loads, each of which waits for the one before; every HOPS / STOPS of
 * them, a prime number, it notes where it is. Before, all blocks read up to NEAR words, so that
 * they lie in the L2 cache, and the first CHUNK in block 0's L1 cache. Of a longer ring memory is
 * to answer: they read SPILL words behind it, which drives out of the L2 cache what the run before
 * had left there. So the times are the same on hot and on cold data. In the loop: LDG and the
 * IMAD.WIDE that makes an address of an index, which belongs to a hop as it does to any lookup.
 * Expected [micro]: 41 clocks from the L1 cache, 263 from the L2 cache, 479 from memory: 21, 133
 * and 242 ns at 1.98 GHz, and two or three more for the address. Any block, best of 1024 threads.
 */
static const int STOPS = 32, HOPS = STOPS * 2039;
static const int CHUNK = 1 << 14, NEAR = 1 << 22, SPILL = 1 << 26;

__device__ __host__ static int ring_words(int n)
{
    int words = 1024;
    while (words < n)
        words *= 2;
    return words;
}

__global__ void chase(const float *x, float *y, int n)
{
    const uint32_t *next = (const uint32_t *)x;
    int words = ring_words(n), spill = words > NEAR ? words : 0;
    const uint4 *near = (const uint4 *)(next + spill) + blockIdx.x * (CHUNK / 4);
    uint32_t any = 0, at = 0;
    for (int i = threadIdx.x; i < CHUNK / 4 && i < words / 4; i += blockDim.x)
        any |= near[i].x | near[i].y | near[i].z | near[i].w;
    if (any >> 31) /* never: it keeps the loads */
        y[0] = 0;
    __syncthreads();
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    for (int stop = 0; stop < STOPS; stop++) {
#pragma unroll 16
        for (int hop = 0; hop < HOPS / STOPS; hop++)
            at = next[at];
        ((uint32_t *)y)[stop] = at;
    }
}

/*
 * empty: what launching costs: one thread writes two words, so that it shows that it ran. Expected:
 * in a graph, one after the other, 1 to 2 us; alone, between two events, some more. Any block.
 */
__global__ void empty(const float *, float *y, int n)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *(uint2 *)y = {(uint32_t)n, ~(uint32_t)n};
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

/*
 * imad: v = a v + INCREMENT, INT_STEPS times, for a and the first v from x[i]: a generator of Knuth
 * (a - 1 a multiple of 4, an odd increment: no value comes again within 2^32 steps), eight chains a
 * thread as in `fma`. With a from memory no compiler makes one step of two. In the loop: IMAD, and
 * a counter and a branch for STEPS of each chain. Expected: 64 a clock and multiprocessor from
 * capability 7.0 on [guide], half of FP32's on Hopper: 132 x 64 x 2 x 1.98 GHz = 33.5 T operations
 * a second on an H200. Any block.
 */
static const int INT_CHAINS = 8, INT_STEPS = 2048, INT_UNROLLED = 64, INCREMENT = 1013904223;

__device__ __host__ static uint32_t multiplier(uint32_t bits)
{
    return (bits & ~3u) | 1;
}

__global__ void multiply_add_int(const float *x, float *y, int n)
{
    const uint32_t *in = (const uint32_t *)x;
    int step = blockDim.x;
    int first = blockIdx.x * blockDim.x * INT_CHAINS + threadIdx.x;
    uint32_t v[INT_CHAINS], a[INT_CHAINS];
#pragma unroll
    for (int c = 0; c < INT_CHAINS; c++) {
        v[c] = first + c * step < n ? in[first + c * step] : 0;
        a[c] = multiplier(v[c]);
    }
#pragma unroll 1
    for (int k = 0; k < INT_STEPS; k += INT_UNROLLED) {
#pragma unroll
        for (int s = 0; s < INT_UNROLLED; s++)
#pragma unroll
            for (int c = 0; c < INT_CHAINS; c++)
                v[c] = a[c] * v[c] + INCREMENT;
    }
#pragma unroll
    for (int c = 0; c < INT_CHAINS; c++)
        if (first + c * step < n)
            ((uint32_t *)y)[first + c * step] = v[c];
}

/*
 * exp2: y[i] = the sum of 2^(x[i] + k / EXPS) for k = 0 .. EXPS-1. In the loop: MUFU.EX2 alone
 * (ex2.approx.ftz; exp2f adds instructions for subnormal results), an FADD for its argument and one
 * for the sum. Expected: 16 a clock and multiprocessor [guide]: 132 x 16 x 1.98 GHz = 4.18 T a
 * second on an H200, at which the additions take a quarter of theirs. Any block.
 */
static const int EXPS = 256, EXPS_UNROLLED = 32;

__global__ void exponentials(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], sum = 0;
#pragma unroll 1
    for (int k = 0; k < EXPS; k += EXPS_UNROLLED, v += (float)EXPS_UNROLLED / EXPS)
#pragma unroll
        for (int s = 0; s < EXPS_UNROLLED; s++)
            sum += power_of_two(v + (float)s / EXPS);
    y[i] = sum;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/*
 * start, late: n blocks of which the first thread writes a word; in `late` after LATE_STEPS loads
 * from L1 that wait for each other, 51 clocks with their additions (chase, imad). A nanosecond's
 * blocks are gop_per_s. Expected of `start`: no source tells; a block a clock would be 1.98 a
 * nanosecond on an H200, and large blocks wait for room for all their warps. Expected of `late`: a
 * multiprocessor has room for 32 blocks, or 2048 threads. If a block's place is empty only when its
 * last warp has ended, 32 blocks of up to 64 threads or 2 of 1024 are under way for 13056 clocks
 * and what starting takes: 0.64 and 0.04 a nanosecond at most. If those of ended warps are empty at
 * once, more of the large ones are. Any block.
 */
static const int LATE_STEPS = 256;

template <int STEPS>
__global__ void start_blocks(const float *x, float *y, int n)
{
    if (threadIdx.x > 0)
        return;
    uint32_t v = blockIdx.x, first = (uint32_t)n >> 31; /* 0, which the compiler cannot know */
    for (int k = 0; k < STEPS; k++)
        v += ((const uint32_t *)x)[v & first];
    ((uint32_t *)y)[blockIdx.x] = v;
}

#endif
