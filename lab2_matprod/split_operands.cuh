/*
 * split_operands.cuh - the first kernel of tensor_split, tensor_mixed and tensor_int8_slices: rows
 * of A and columns of B are scaled and split into parts of few bits, packed in lines of 128 bytes.
 * How a number is split is PARTS' own: split_8(PARTS, ...) in the .cu file. All that is known of
 * the data afterwards stands in the verdict.
 * It is a block's rows of A (split_rows.cuh), its part of a strip of B (split_strips.cuh), or of
 * pairs of both (split_pairs.cuh).
 */
#ifndef LAB2_SPLIT_OPERANDS_CUH
#define LAB2_SPLIT_OPERANDS_CUH

#include <stdint.h>
#include <algorithm>

#include "split_pairs.cuh"
#include "split_rows.cuh"
#include "split_strips.cuh"

#ifdef HAVE_HOPPER

/*
 * Some of all clusters, spread evenly: `count` of the first ones, `ratio` / 2^32 of each. (Whoever
 * plans the launch divides, not each thread: a division takes as long as 20 numbers to split.)
 */
typedef struct spread {
    unsigned count, ratio;
} spread;

/* What all clusters do: some judge pairs, and of the others some have a strip of B, the rest rows
 * of A. */
typedef struct split_clusters {
    spread pairs, strips;
    int all;
} split_clusters;

/* Spreads `count` of them over the first `among`, or over one more if these are as many. */
static inline spread spread_over(unsigned count, unsigned among)
{
    const uint64_t ratio = (((uint64_t)count << 32) + among - 1) / among;
    return {count, (unsigned)std::min<uint64_t>(ratio, 0xFFFFFFFFu)};
}

/*
 * Returns the clusters of a split. Pairs are with the first ones of each seven, if there are so
 * many: a card may put four clusters that follow one another at the same eight multiprocessors, and
 * pairs take longer than anything else there. Strips take longer than rows: they are spread over
 * the first four fifths, so that not too many begin at once, or, where pairs hold room, too, the
 * first three.
 */
template <class WAYS>
static split_clusters clusters_for_split(shape s)
{
    const unsigned pairs = WAYS::JUDGES_PAIRS ? PAIR_CLUSTERS : 0;
    const unsigned strips = clusters_for_strips(s), others = strips + clusters_for_rows(s);
    const unsigned apart = pairs ? std::min(7u, (pairs + others) / pairs) : 1;
    const unsigned fifths = pairs ? 3 : 4;
    return {spread_over(pairs, std::max(1u, pairs * apart)),
            spread_over(strips, std::max(strips, others * fifths / 5)), (int)(pairs + others)};
}

/* How many of the clusters before one are among those, and whether it is. */
typedef struct spread_place {
    int before;
    bool has;
} spread_place;

__device__ inline spread_place place_in(const spread &of, unsigned c)
{
    const unsigned before = min(of.count, __umulhi(c, of.ratio));
    return {(int)before, min(of.count, __umulhi(c + 1, of.ratio)) > before};
}

#ifdef HOPPER_CODE
/*
 * Splits what falls to this block. Who begins when it is known already that the parts will not do
 * leaves it at that.
 */
template <class WAYS, class S>
__device__ inline void split_by_block(strip_room *rooms, const float *a, const float *b,
                                      const WAYS &ways, const split_clusters &all, const S &s)
{
    int c = blockIdx.x / SPLIT_CLUSTER;
    if constexpr (WAYS::JUDGES_PAIRS) {
        const spread_place pairs = place_in(all.pairs, c);
        if (pairs.has)
            return judge_pairs((pair_room *)rooms, a, b, ways, pairs.before, s);
        c -= pairs.before;
    }
    const spread_place strip = place_in(all.strips, c);
    const bool in_vain = blockIdx.x >= EARLY_BLOCKS && (__ldcg(&ways.found()->now) & UNFIT);
    if (strip.has)
        split_strip(rooms, part_of_strip<WAYS>(b, strip.before, s), ways, in_vain);
    else if (!__syncthreads_or(in_vain)) /* they may have read different words */
        split_row(a, ways, (c - strip.before) * SPLIT_CLUSTER + (int)cluster_ctarank(), s);
}
#endif

/* Splits both matrices. */
template <class PARTS, class S = shape>
__global__ void __launch_bounds__(SPLITTERS, 4)
    split_operands(const float *a, const float *b, split_matrices to, split_clusters all, S s)
{
#ifdef HOPPER_CODE
    __shared__ strip_room rooms[2];
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    split_by_block(rooms, a, b, only_way<PARTS>{to}, all, s);
#endif
}

#endif
#endif
