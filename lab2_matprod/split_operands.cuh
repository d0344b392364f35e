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

#include "split_pairs.cuh"
#include "split_rows.cuh"
#include "split_strips.cuh"

#ifdef HAVE_HOPPER

/* Returns how many clusters there are in all. */
template <class WAYS>
__host__ __device__ inline int clusters_for_split(shape s)
{
    return (WAYS::JUDGES_PAIRS ? PAIR_CLUSTERS : 0) + clusters_for_strips(s) + clusters_for_rows(s);
}

/*
 * Which of the clusters judges pairs, or -1, and how many before it do. They are the first ones of
 * each seven, if there are so many: a card may put four clusters that follow one another at the
 * same eight multiprocessors, and pairs take longer than anything else there.
 */
typedef struct pair_place {
    int which, before;
} pair_place;

__device__ inline pair_place place_of_pairs(int cluster, int clusters)
{
    const int apart = min(7, clusters / PAIR_CLUSTERS), before = (cluster + apart - 1) / apart;
    const bool here = cluster % apart == 0 && before < PAIR_CLUSTERS;
    return {here ? before : -1, min((int)PAIR_CLUSTERS, before)};
}

/* How many of the clusters before one have a strip of B; whether it has one, or rows of A. */
typedef struct strip_place {
    int before;
    bool has;
} strip_place;

/* Strips take longest: they are spread evenly, so that not too many begin at once, over the first
 * four fifths. */
__device__ inline strip_place place_of_strip(unsigned c, shape s)
{
    const unsigned strips = clusters_for_strips(s);
    const unsigned among = max(strips, (strips + clusters_for_rows(s)) * 4 / 5);
    const unsigned scaled = c * strips + among - 1, before = scaled / among;
    const bool has = scaled - before * among + strips >= among;
    return {(int)min(strips, before), has && before < strips};
}

#ifdef HOPPER_CODE
/*
 * Splits what falls to this block. Who begins when it is known already that the parts will not do
 * leaves it at that.
 */
template <class WAYS, class S>
__device__ inline void split_by_block(strip_room *rooms, const float *a, const float *b,
                                      const WAYS &ways, const S &s)
{
    int c = blockIdx.x / SPLIT_CLUSTER;
    if constexpr (WAYS::JUDGES_PAIRS) {
        const pair_place pairs = place_of_pairs(c, gridDim.x / SPLIT_CLUSTER);
        if (pairs.which >= 0)
            return judge_pairs((pair_room *)rooms, a, b, ways, pairs.which, s);
        c -= pairs.before;
    }
    const strip_place strip = place_of_strip(c, s);
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
    split_operands(const float *a, const float *b, split_matrices to, S s)
{
#ifdef HOPPER_CODE
    __shared__ strip_room rooms[2];
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    split_by_block(rooms, a, b, only_way<PARTS>{to}, s);
#endif
}

#endif
#endif
