/*
 * reads.cu - reading what is near: shared memory, the L1 cache and its tags, constant memory, the
 * L2 cache. Before each kernel stands what is in its loop, at what rate the hardware should take
 * it, and where the number is from (sources: ceilings.h).
 */
#include "ceilings.h"
#include "steps.h"
#include "sums.cuh"

/*
 * What a warp reads at once is a line: 32 words of a lane's vector. LINES of them make a row, whose
 * loads need one address and wait for none of each other. Element i's lane begins in row i / 32 and
 * goes on from row to row, READS lines in all.
 */
static const int LINES = 8;

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

static const own_check by_words = {0, LINE_4}, by_vectors = {LINE_4, LINE_16};

const variant shared_4_variant = GPU_VARIANT("shared_4", "shared: words of 4 bytes", launch_each<1>,
                                             KERNEL(read_shared<uint32_t, LINES>),
                                             .applies = measures<SHARED>, .own = &by_words);
const variant shared_16_variant = GPU_VARIANT("shared_16", "shared: words of 16 bytes",
                                              launch_each<4>, KERNEL(read_shared<uint4, LINES / 2>),
                                              .applies = measures<SHARED>, .own = &by_vectors);

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

const variant load_variant =
    GPU_VARIANT("load", "loads: words of 4 bytes from the L1 cache", launch_each<1>,
                KERNEL(read_l1), .applies = measures<LOADS>, .own = &by_words);

/*
 * tags_even, tags_both: a load of 4 bytes that hits L1 in 32 lines of 128 bytes, a sector of each:
 * lane l reads word l of line l (tags_both) or of line 2 l (tags_even), so that no two lanes want
 * the same bank, and only looking up the lines can take its time. In the loop: LDG, IADD3 for two
 * of them, some steps of an address for four. Expected: if two banks of tags look up an even line
 * and an odd one a clock, 16 clocks a load where both take turns and 32 where all are even: 8 and 4
 * bytes a clock, 2.1 and 1.05 TB/s on an H200. The same rate for both: other bits choose the bank.
 * Any block.
 */
template <int APART> /* lines from lane to lane */
__global__ void read_tags(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
    if (i < n)
        ((uint32_t *)y)[i] = sum_of_lines<TAG_ROWS, TAG_LINES, 32 * 32 * APART>(
            (const uint32_t *)x, i / 32, lane * (32 * APART) + lane);
}

static const own_check each_line = {0, 32}, even_lines = {32, 32};

const variant tags_both_variant =
    GPU_VARIANT("tags_both", "tags: 32 lines a load, even and odd ones", launch_each<1>,
                KERNEL(read_tags<1>), .applies = measures<TAGS>, .own = &each_line);
const variant tags_even_variant =
    GPU_VARIANT("tags_even", "tags: 32 lines a load, all of them even", launch_each<1>,
                KERNEL(read_tags<2>), .applies = measures<TAGS>, .own = &even_lines);

/*
 * constant_1, constant_2, constant_4: words of constant memory by an index in a register, so many
 * different ones a warp, 32 bytes from each other. The table of 1 KiB fits the smallest cache. In
 * the loop: LDC, IADD3 for two of them, some steps of an address for four. (An index that is known
 * becomes an operand c[][] of other instructions, one of a whole warp a ULDC: neither is this.)
 * Expected: no source tells the rate; a load a clock would be 33.5 TB/s on an H200, as from L1.
 * Different words are fetched one after the other (Programming Guide, "Constant Memory"): half and
 * a quarter of it. Any block.
 */
static __constant__ uint32_t table[TABLE]; /* the first words of x */

template <int WORDS>
__global__ void read_constant(const float *, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ((uint32_t *)y)[i] =
            sum_of_lines<TABLE_ROWS, TABLE_LINES, 32>(table, i / 32, i % WORDS * 8);
}

static void fill_table(const problem *p, const launch *l)
{
    CUDA_CHECK(cudaMemcpyToSymbolAsync(table, p->buffer[X].host, sizeof table, 0,
                                       cudaMemcpyHostToDevice, l->stream));
}

static const own_check one_word = {0, 1}, two_words = {0, 2}, four_words = {0, 4};

#define CONSTANT_VARIANT(id, idea, words, place)                                                   \
    GPU_VARIANT(id, idea, launch_each<1>, KERNEL(read_constant<words>),                            \
                .applies = measures<CONSTANT>, .prepare = fill_table, .own = place)

const variant constant_1_variant =
    CONSTANT_VARIANT("constant_1", "constant: a word for all lanes", 1, &one_word);
const variant constant_2_variant =
    CONSTANT_VARIANT("constant_2", "constant: two words a warp", 2, &two_words);
const variant constant_4_variant =
    CONSTANT_VARIANT("constant_4", "constant: four words a warp", 4, &four_words);

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
__global__ void read_l2(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int rows = rows_of_l2(n), leap = leap_over(rows), row = i / 32 % rows;
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

const variant l2_variant = GPU_VARIANT("l2", "l2: 16 bytes a lane, past the L1 cache",
                                       launch_each<4>, KERNEL(read_l2), .applies = measures<L2>);
