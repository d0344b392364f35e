/*
 * split_sample.cuh - how tensor_fp32 finds out which way is fastest: rows of A, columns of B at
 * even distances are looked at as a split looks at them, and the split behind it asks what they
 * were like (tensor_fp32.cu tells of the whole).
 */
#ifndef LAB2_SPLIT_SAMPLE_CUH
#define LAB2_SPLIT_SAMPLE_CUH

#include "fp16_parts.cuh"
#include "int8_slices.cuh"
#include "one_low.cuh"

#ifdef HAVE_HOPPER

/* ---- the sample ----------------------------------------------------------------------------- */

/* As for bytes, but nothing is stored; what is left beside high parts in FP16 is noted. Of all rows
 * some will be less even than those of a sample: a twentieth is spared for them. */
struct mixed_sample : mixed_parts {
    enum { DIGITS_K = 4096 };
    static constexpr facts KIND = 0;
    __device__ static bool are_even(float mass, float squares, float count, float largest,
                                    int depth)
    {
        return mixed_parts::are_even(mass, 1.05f * squares, count, largest, depth);
    }

    /*
     * Notes what other ways would not do for: one_low with a fifteenth to spare, since columns of
     * 4096 are judged by 512 numbers; digits with more, of which rows are judged by 256, or 64 at
     * their end: of normal numbers, k below DIGITS_K, one row in thousands is uneven there.
     */
    __device__ static facts also_noted(float mass, float squares, int count, float top, int depth)
    {
        const float coarse = 16 / 15.0f * coarse_reach(top);
        const float steep = (depth >= DIGITS_K ? 1.15f : 2) * top;
        return (is_uneven<mixed_sample>(mass, squares, count, coarse, depth) ? IS_COARSE : 0) |
               (is_uneven<int8_slices>(mass, 0, count, steep, depth) ? IS_STEEP : 0);
    }
};

__device__ inline facts *told(mixed_sample, verdict *v)
{
    return &v->sampled;
}

template <class FACTOR>
__device__ inline void split_8(mixed_sample, FACTOR, const float *x, float scale, float, uint8_t *,
                               int k, seen *of)
{
    unsigned high, low; /* which nobody wants */
#pragma unroll
    for (int i = 0; i < 8; i += 2)
        split_2<FACTOR>(x + i, scale, k + i, &high, &low, of);
#pragma unroll
    for (int i = 0; i < 8; i++)
        of->second = fmaf(x[i] * scale, x[i] * scale, of->second);
}

enum {
    SAMPLES = 4,         /* clusters for each factor */
    SAMPLED_TILES = 500, /* of 128 x 128: for fewer the sample takes longer than it spares */
    SAMPLED_K = 256      /* of each eighth of k, of columns of B: enough to be judged */
};

__global__ void __launch_bounds__(SPLITTERS, 4)
    sample_operands(const float *a, const float *b, split_matrices to, shape s)
{
#ifdef HOPPER_CODE
    __shared__ strip_room rooms[2];
    griddepcontrol_wait();
    griddepcontrol_launch_dependents(); /* what ran before is done, so that they may read A and B */
    const only_way<mixed_sample> way = {to};
    const int c = blockIdx.x / SPLIT_CLUSTER, i = c % SAMPLES;
    const int strip = i * clusters_for_strips(s) / SAMPLES;
    const int rows = i * clusters_for_rows(s) / SAMPLES * SPLIT_CLUSTER + (int)cluster_ctarank();
    if (c < SAMPLES) {
        strip_part p = part_of_strip<mixed_sample>(b, strip, s);
        p.end = min(p.end, p.first + SAMPLED_K);
        split_strip(rooms, p, way, false);
    } else
        split_row(a, way, rows, s);
#endif
}

/* Would bytes be added up with care (mixed_parts.cuh), so that digits take less time? */
__host__ __device__ inline bool are_few_for_bytes(shape s)
{
    return tiles_of<128, 1, 1>(s) < mixed_parts::FEWEST_WIDE;
}

/* Which of the ways suit k and the shape. */
typedef struct open_ways {
    bool bytes, one_low, digits;
} open_ways;

/* All ways; the largest magnitudes are found while the sample is looked at. */
struct sampled_way {
    static constexpr int WHOLE_K = one_low_parts::WHOLE_K;
    static constexpr bool JUDGES_PAIRS = mixed_parts::JUDGES_PAIRS;
    const split_matrices &mixed, &one_low_of, &digits, &parts;
    const open_ways open;
    const shape s;
    __device__ const verdict *found() const
    {
        return mixed.found;
    }
    template <class SPLIT>
    __device__ void choose(SPLIT split) const
    {
        griddepcontrol_wait();
        constexpr facts BOTH = A_IS_LOW | B_IS_LOW;
        const facts sampled = __ldcg(&mixed.found->sampled), low = sampled & BOTH;
        const bool in_bytes = open.bytes && way_of(sampled | AS_MIXED) == BY_MIXED;
        const bool in_digits = open.digits && !(sampled & IS_STEEP) &&
                               way_of((sampled & ~(facts)IS_UNEVEN) | AS_INTEGERS) == BY_INT8;
        const bool in_one_low = open.one_low && in_bytes && !(sampled & IS_COARSE);
        if (low == BOTH && in_digits && (!in_bytes || are_few_for_bytes(s)))
            split(int8_slices(), digits);
        else if (low == BOTH && in_bytes)
            split(mixed_parts(), mixed);
        else if (in_one_low && low == A_IS_LOW)
            split(one_low<of_a>(), one_low_of);
        else if (in_one_low && low == B_IS_LOW)
            split(one_low<of_b>(), one_low_of);
        else
            split(fp16_parts(), parts);
    }
};
static_assert(sampled_way::WHOLE_K % mixed_parts::WHOLE_K == 0 &&
              sampled_way::WHOLE_K % fp16_parts::WHOLE_K == 0 &&
              sampled_way::WHOLE_K % int8_slices::WHOLE_K == 0);

/* Splits both matrices into FP16 and bytes, into digits, or into FP16's parts. */
__global__ void __launch_bounds__(SPLITTERS, 4)
    split_either(const float *a, const float *b, split_matrices mixed, split_matrices one_low,
                 split_matrices digits, split_matrices parts, open_ways open, split_clusters all,
                 shape s)
{
#ifdef HOPPER_CODE
    __shared__ strip_room rooms[2];
    griddepcontrol_launch_dependents();
    split_by_block(rooms, a, b, sampled_way{mixed, one_low, digits, parts, open, s}, all, s);
#endif
}

#endif
#endif
