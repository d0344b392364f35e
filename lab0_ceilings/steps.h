/*
 * steps.h - what an element of each measure takes: how often, of what, in which order. The kernels,
 * the CPU's programs and the checks count alike. Why so many stands before each kernel.
 */
#ifndef LAB0_STEPS_H
#define LAB0_STEPS_H

#include <math.h>
#include <stdint.h>

/* The widest vectors there are, where the compiler would by default leave half of them unused. */
#if defined __AVX512F__ && !defined __clang__
#define WIDEST_VECTORS __attribute__((target("prefer-vector-width=512")))
#else
#define WIDEST_VECTORS
#endif

/* ---- the roof: ceilings.cu, cpu.cu ---------------------------------------------------------- */

/*
 * The map f(v) = v + (4 - v) / 4096, fused: each step goes a 4096th of the way to 4. From [1, 2)
 * the 2048 steps end between 2.1 and 2.8: no value is subnormal, and none stands still. One step
 * too many or too few shows in every element, a product and a sum that are rounded apart in about a
 * quarter of them (README.md, The check).
 */
static const int FMAS = 2048;
static const float SLOPE = 1 - 0x1p-12f, SHIFT = 0x1p-10f; /* exact, both */

WIDEST_VECTORS static inline float multiply_adds(float v)
{
    for (int k = 0; k < FMAS; k++)
        v = fmaf(SLOPE, v, SHIFT);
    return v;
}

/* The words of a sum that is read from memory, and how many such sums n words have. */
static const int READ_WORDS = 1024;

__host__ __device__ static inline int read_sums(int n)
{
    return n / READ_WORDS + (n % READ_WORDS > 0);
}

WIDEST_VECTORS static inline uint32_t sum_of_words(const uint32_t *x)
{
    uint32_t sum = 0;
    for (int i = 0; i < READ_WORDS; i++)
        sum += x[i];
    return sum;
}

/* ---- what is near: reads.cu ----------------------------------------------------------------- */

/* READS words of a tile, of a table, of lines of L1; the words that these have. */
static const int READS = 512, TILE = 1024;
static const int TABLE_ROWS = 2, TABLE_LINES = 4, TABLE = TABLE_ROWS * TABLE_LINES * 32;
static const int TAG_ROWS = 2, TAG_LINES = 4, TAG_WORDS = TAG_ROWS * TAG_LINES * 32 * 64;

/*
 * A lane has a place in each line of the tile and reads all lines equally often. The first 32 sums
 * are those of words, whose lines have 32, the other 128 those of vectors of four.
 */
static const int LINE_4 = 32, LINE_16 = 128, TILE_SUMS = LINE_4 + LINE_16;

/* L2_PASSES words from the L2 cache, or to it, by rows of L2_LINES lines. */
static const int L2_LINES = 4, L2_ROW = 32 * L2_LINES * 4, L2_PASSES = 128;

__host__ __device__ static inline int rows_of_l2(int n)
{
    return (n + L2_ROW - 1) / L2_ROW;
}

__host__ __device__ static inline int leap_over(int rows)
{
    return (rows / 8 * 5) | 1;
}

/* ---- writing: writes.cu --------------------------------------------------------------------- */

/* Expected are a line of vectors of four, then one of sectors whose words were written in turn. */
static const int WHOLE_LINE = 128, PART_LINE = 256;

static const int ADDS = 256;

/* ---- other units: units.cu ------------------------------------------------------------------ */

static const int EXPS = 256, INT_STEPS = 2048, INCREMENT = 1013904223;

__host__ __device__ static inline uint32_t multiplier(uint32_t bits)
{
    return (bits & ~3u) | 1;
}

/* ---- waiting: waits.cu ---------------------------------------------------------------------- */

/* A walk along a ring of words: its hops, and how often it notes where it is. */
static const int STOPS = 32, HOPS = STOPS * 2039;

/* Words that a block has in its L1 cache, the GPU in its L2 cache, and more than the latter has. */
static const int CHUNK = 1 << 14, NEAR = 1 << 22, SPILL = 1 << 26;

__host__ __device__ static inline int ring_words(int n)
{
    int words = 1024;
    while (words < n)
        words *= 2;
    return words;
}

static const int LATE_STEPS = 256; /* of the warp of a block that ends late */

#endif
