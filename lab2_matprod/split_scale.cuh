/*
 * split_scale.cuh - the power of two by which a row of A or a column of B is multiplied before it
 * is split (tensor_split, tensor_mixed, tensor_int8_slices), numbers at random for the split, and
 * whether a row may be split at all.
 */
#ifndef LAB2_SPLIT_SCALE_CUH
#define LAB2_SPLIT_SCALE_CUH

#include "ptx/redux.cuh"
#include "split_verdict.cuh"

#ifdef HAVE_HOPPER

/* Which factor a number is of: B's parts, and A's, may be made in their own ways. */
struct of_a {
    static constexpr bool B = false;
};
struct of_b {
    static constexpr bool B = true;
};

/* Returns what the bytes of a row stand for that is scaled by a power of two alone (one_low.cuh):
 * its largest magnitude, 2^14 to 2^15, or what is above it. */
__device__ inline float coarse_reach(float top)
{
    return top > 0x1p14f ? 0x1p15f : 0x1p14f;
}

/* Parts whose rows are measured by their largest number, and of which nothing else is noted. */
struct reaching_largest {
    __device__ static float reach(float top)
    {
        return top;
    }
    __device__ static facts also_noted(float, float, int, float, int)
    {
        return 0;
    }
};

/* ---- scales --------------------------------------------------------------------------------- */

enum { LARGEST = 14 }; /* a row's largest magnitude is scaled to [2^14, 2^15) */

/*
 * What undoes a scale, in two steps, so that neither over- nor underflows: x times y is 2^-e; or,
 * where a row is scaled by a fill besides, x is to divide by, and that of a row times that of a
 * column is exact.
 */
typedef float2 unscale;

/* Returns the larger magnitude; NaN if one of them is. */
__device__ inline float larger(float x, float y)
{
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(fabsf(x)), "f"(fabsf(y)));
    return larger;
}

__device__ inline float largest(float m, const float4 &v)
{
    return larger(larger(larger(larger(m, v.x), v.y), v.z), v.w);
}

__device__ inline float4 largest_of(const float4 &m, const float4 &v)
{
    return make_float4(larger(m.x, v.x), larger(m.y, v.y), larger(m.z, v.z), larger(m.w, v.w));
}

/* Returns e for which 2^e times the largest magnitude, given by its bits, lies as LARGEST says. */
__device__ inline int scale_exponent(unsigned magnitude)
{
    int exponent = LARGEST - ((int)(magnitude >> 23) - 127);
    return magnitude == 0 ? 0 : max(-126, min(126, exponent));
}

/* Returns 1 / x to within a last bit; both are normal numbers. */
__device__ inline float nearly_1_by(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ inline float power_of_2(int e)
{
    return __int_as_float((e + 127) << 23);
}

__device__ inline float scale_for(unsigned magnitude)
{
    return power_of_2(scale_exponent(magnitude));
}

/* Returns a row's largest magnitude, scaled. */
__device__ inline float top_of(unsigned magnitude)
{
    return __uint_as_float(magnitude) * scale_for(magnitude);
}

template <class PARTS>
__device__ inline unscale unscale_for(unsigned magnitude)
{
    const int e = -scale_exponent(magnitude), half = e >> 1;
    float x = power_of_2(half);
    if constexpr (PARTS::FILLS)
        x = PARTS::fill(top_of(magnitude)) * power_of_2(-half);
    return make_float2(x, power_of_2(e - half));
}

__device__ inline bool has_no_scale(unsigned magnitude)
{
    const bool tiny = magnitude >> 23 < 1 + LARGEST; /* the exponent is 126 at most */
    return magnitude >= 0x7F800000u || (magnitude != 0 && tiny);
}

/* Returns what is told of a row's largest magnitude. */
__device__ inline facts facts_of_largest(unsigned magnitude)
{
    return (has_no_scale(magnitude) ? OUT_OF_RANGE : 0) |
           (__uint_as_float(magnitude) >= 0x1p15f ? IS_LARGE : 0);
}

/* ---- numbers at random ---------------------------------------------------------------------- */

/*
 * Returns bits for the k-th number of each row and column (Weyl's sequence of the golden ratio,
 * which fills any range evenly): those on top and those at the bottom serve as two numbers.
 */
__device__ inline unsigned random_at(int k)
{
    return (unsigned)k * 0x9E3779B1u;
}

/*
 * Returns a number for k, from 1 to below 1 + 2^(BITS - 23), or one by it for B: what all of A at k
 * is multiplied by, and all of B divided, so that what rounding cuts off is that of no data.
 */
template <int BITS>
__device__ inline float spread_at(int k, of_a)
{
    return __uint_as_float(0x3F800000u + (random_at(k) >> (32 - BITS)));
}

template <int BITS>
__device__ inline float spread_at(int k, of_b)
{
    const float d = spread_at<BITS>(k, of_a()), x = nearly_1_by(d);
    return fmaf(x, fmaf(-d, x, 1), x);
}

/*
 * Adds 13 bits at random: the 11 bits of x + random that are not cut off are x's, rounded up or
 * down with the probability that makes the mean error zero, whatever the number. A number of 11
 * bits stays what it is.
 */
__device__ inline float raised_at_random(float x, unsigned random)
{
    return __uint_as_float(__float_as_uint(x) + random);
}

__device__ inline float round_at_random(float x, unsigned random)
{
    enum { CUT = (1 << 13) - 1 };
    return __uint_as_float(__float_as_uint(raised_at_random(x, random)) & ~(unsigned)CUT);
}

/* ---- what is told of a row ------------------------------------------------------------------ */

/* What a thread has seen of a row or column, scaled. */
typedef struct seen {
    float mass;         /* sum of magnitudes */
    float second;       /* PARTS' second sum, if it has one: of squares, or of small numbers */
    unsigned remainder; /* bits of what is left beside the high parts, or'ed */
    unsigned integers;  /* bits of the numbers, times 2^16, or'ed */
} seen;

__device__ inline void see(seen *of, float scaled)
{
    of->mass += fabsf(scaled);
}

/*
 * Notes the bits of N numbers, unless the row is known to be as long as counts: so it is if a
 * number, of those that are nowhere larger than the row's largest, has all of FP32's bits but one.
 * LANES lanes have numbers of the same row; not all of them need be here.
 */
template <int N, int LANES>
__device__ inline void see_bits(seen *of, const float *x, float scale)
{
    enum { LAST = (1 << (32 - LONGEST)) - 1, LOWEST = (1 << (25 - LONGEST)) - 1 };
    if (of->integers & LAST)
        return;
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        bits |= __float_as_uint(x[i]);
    unsigned of_lanes = bits & LOWEST;
    if (LANES > 1)
        of_lanes = __ballot_sync(__activemask(), of_lanes) >> threadIdx.x % 32 / LANES * LANES &
                   ~0u >> (32 - LANES);
    if (of_lanes)
        of->integers |= LAST;
    else
#pragma unroll
        for (int i = 0; i < N; i++) /* below 2^31 */
            of->integers |= (unsigned)__float2int_rn(fabsf(x[i] * scale) * 0x1p16f);
}

/* Returns the fact of a row's length, from the bits of its numbers, of which the largest has 31. */
__device__ inline facts length_of(unsigned integers, int of)
{
    return integers ? 1ull << (of + min(31 - __ffs((int)integers), LONGEST - 1)) : 0;
}

/*
 * Returns whether `count` numbers of a row, whose largest magnitude is `largest`, are too small on
 * the average: PARTS::are_even() tells it from the sum of their magnitudes and PARTS' second sum.
 * Split and sums have errors that are like those of FP32 only where many numbers make a sum. Fewer
 * than PARTS::LEAST_JUDGED, at the end of a row, say nothing of it: by chance they are small.
 */
template <class PARTS>
__device__ inline bool is_uneven(float mass, float second, int count, float largest, int depth)
{
    const bool even = PARTS::are_even(mass, second, (float)count, largest, depth);
    return (count >= PARTS::LEAST_JUDGED) &
           !even; /* no branch, so that what is the same is shared */
}

/* Returns what is told of that, of a row whose largest number is scaled to `top`. */
template <class PARTS>
__device__ inline facts unevenness(float mass, float second, int count, float top, int depth)
{
    return (is_uneven<PARTS>(mass, second, count, PARTS::reach(top), depth) ? IS_UNEVEN : 0) |
           PARTS::also_noted(mass, second, count, top, depth);
}

/* Adds what all threads of a block know: once in a kernel. Everybody calls it. */
__device__ inline void report(facts *to, facts known)
{
    __shared__ facts of_warps[32];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned low = redux_or((unsigned)known), high = redux_or((unsigned)(known >> 32));
    if (lane == 0)
        of_warps[warp] = (facts)high << 32 | low;
    __syncthreads();
    if (warp > 0)
        return;
    const facts its = lane < blockDim.x / 32 ? of_warps[lane] : 0;
    const unsigned all_low = redux_or((unsigned)its), all_high = redux_or((unsigned)(its >> 32));
    if (lane == 0 && (all_low | all_high))
        atomicOr(to, (facts)all_high << 32 | all_low);
}

#endif
#endif
