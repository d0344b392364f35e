/*
 * split_ways.cuh - what all blocks of the split share (split_operands.cuh): where the parts go,
 * which way numbers are split, and how a row's or a column's numbers are scaled.
 */
#ifndef LAB2_SPLIT_WAYS_CUH
#define LAB2_SPLIT_WAYS_CUH

#include "panel.cuh"
#include "ptx/wgmma.cuh" /* WARPGROUP */
#include "split_scale.cuh"
#include "tensor.cuh" /* load_4() */

#ifdef HAVE_HOPPER

enum {
    LINE_K = 32,                  /* of k that a warp splits of a column at a time */
    LINE_BYTES = 128,             /* a packed line, of parts of one kind */
    LINE_HALVES = LINE_BYTES / 2, /* as the copies count it */
    TILE_ROWS = 128,              /* of a block's tile */
    SPLIT_THREADS = 3 * WARPGROUP /* of tensor_split */
};

typedef struct split_matrices {
    uint8_t *a, *b;        /* packed: rows of A, columns of B, in lines of pitch() bytes */
    uint8_t *thirds_of_b;  /* those of A take a's place (bf16_thirds.cuh); NULL: there are none */
    size_t bytes;          /* that all of these have */
    unscale *row, *column; /* one each, padded to whole tiles */
    verdict *found;
} split_matrices;

template <class PARTS>
__host__ __device__ inline int padded_k(int k)
{
    return (k + PARTS::WHOLE_K - 1) / PARTS::WHOLE_K * PARTS::WHOLE_K;
}

template <class PARTS>
__host__ __device__ inline int pitch(int k)
{
    return padded_k<PARTS>(k) * PARTS::K_BYTES;
}

enum {
    SPLITTERS = 256,     /* threads of a block */
    SPLIT_CLUSTER = 8,   /* blocks, as many as warps: each has a part of k of a strip of B */
    STRIP = 32,          /* columns of B */
    HELD = 4,            /* x 8 numbers of a row of A that stay in a thread's registers */
    STRIP_K = 128,       /* of k that a block transposes at a time, of two that it holds */
    LEAST_STRIP_K = 128, /* of k that a block has of a strip, if there is so much */
    PAIR_CLUSTERS = 8,   /* of a split that looks at pairs (split_pairs.cuh) */
    EARLY_BLOCKS = 512   /* begin before anything is known */
};

/*
 * The ways of a kernel that has one: choose(split) calls split with how numbers are split and where
 * the parts go. It is asked for behind the largest magnitudes, which are the same for all ways.
 */
template <class PARTS>
struct only_way {
    static constexpr int WHOLE_K = PARTS::WHOLE_K;
    static constexpr bool JUDGES_PAIRS = PARTS::JUDGES_PAIRS;
    const split_matrices &to;
    __device__ const verdict *found() const
    {
        return to.found;
    }
    template <class SPLIT>
    __device__ void choose(SPLIT split) const
    {
        split(PARTS(), to);
    }
};

/* Returns where the split tells what it has found. */
template <class PARTS>
__device__ inline facts *told(PARTS, verdict *v)
{
    return &v->now;
}

/* Is a number too large or too small for thirds (bf16_thirds.cuh), whatever the others are? */
__device__ inline bool is_beyond_thirds(float x)
{
    const float magnitude = fabsf(x);
    return magnitude != 0 && !(magnitude >= 0x1p-87f && magnitude < 0x1p39f);
}

template <class PARTS>
__host__ __device__ inline bool takes_k(int k)
{
    return k >= PARTS::SHORTEST_K && k <= PARTS::LONGEST_K;
}

/*
 * Returns what is told of a row's largest magnitude. Later blocks may leave before they look at
 * theirs: which of them do must not decide anything, so that early ones tell of large numbers.
 */
__device__ inline facts facts_of_row_largest(unsigned magnitude)
{
    return facts_of_largest(magnitude) & ~(facts)(blockIdx.x < EARLY_BLOCKS ? 0 : IS_LARGE);
}

/* By what a row's numbers are multiplied: a power of two, and PARTS' own fill. */
typedef struct scaling {
    float scale, fill;
} scaling;

template <class PARTS>
__device__ inline scaling scaling_for(unsigned largest)
{
    float fill = 1;
    if constexpr (PARTS::FILLS)
        fill = PARTS::fill(top_of(largest));
    return {scale_for(largest), fill};
}

/* Splits eight consecutive k of a row into a packed line, and looks at them. */
template <class PARTS, class FACTOR>
__device__ inline void split_numbers(FACTOR, const float *x, const scaling &by, uint8_t *line,
                                     int k, seen *of)
{
    see_bits<8, FACTOR::B ? 4 : 32>(of, x, by.scale); /* a row is a warp's, a column four lanes' */
    split_8(PARTS(), FACTOR(), x, by.scale, by.fill, line, k, of);
}

/* Returns four numbers of a line, as load_4() does. Lines that are ALIGNED begin and end at
 * multiples of 16 bytes, which spares a branch for each four. */
template <bool ALIGNED>
__device__ inline float4 load_of(const float *line, int i, int length)
{
    if (!ALIGNED)
        return load_4(line, i, length, true);
    return i < length ? *(const float4 *)(line + i) : make_float4(0, 0, 0, 0);
}

#endif
#endif
