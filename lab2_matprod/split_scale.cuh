/*
 * split_scale.cuh - the power of two by which tensor_split and tensor_int8_slices multiply a row of
 * A or a column of B before they split it, and the verdict on whether it may be split at all: most
 * of its numbers must lie near its largest. PARTS says what the largest is to be (tensor_split.cu).
 */
#ifndef LAB2_SPLIT_SCALE_CUH
#define LAB2_SPLIT_SCALE_CUH

#include "ptx/hopper.cuh"
#include "ptx/redux.cuh"

#ifdef HAVE_HOPPER
#include <cuda_fp16.h>

/* What the split found: bits of verdict.range. */
enum range_bits {
    IS_UNEVEN = 1,   /* in some row of A or column of B too many are below 2^-7 of its largest */
    NOT_FOR_FP16 = 2 /* infinite, NaN, so small that the scale has no float; or k is short */
};

/* In device memory, zeros at first: the split adds to `range`, the last block to end clears it. */
typedef struct verdict {
    unsigned range;
    unsigned ended; /* blocks of tensor_split */
    unsigned taken; /* the last run's range */
} verdict;

/* 2^-e = x y, which undoes a scale: in two steps, so that neither over- nor underflows. */
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

/* Returns e for which 2^e times the largest magnitude, given by its bits, is as PARTS wants it. */
template <class PARTS>
__device__ inline int scale_exponent(unsigned magnitude)
{
    int exponent = PARTS::LARGEST - ((int)(magnitude >> 23) - 127);
    return magnitude == 0 ? 0 : max(-126, min(126, exponent));
}

__device__ inline float power_of_2(int e)
{
    return __int_as_float((e + 127) << 23);
}

template <class PARTS>
__device__ inline float scale_for(unsigned magnitude)
{
    return power_of_2(scale_exponent<PARTS>(magnitude)) * PARTS::FULL;
}

template <class PARTS>
__device__ inline unscale unscale_for(unsigned magnitude)
{
    int e = -scale_exponent<PARTS>(magnitude);
    return make_float2(power_of_2(e >> 1) / PARTS::FULL, power_of_2(e - (e >> 1)));
}

/* Adds bits to what is known of all; a whole warp calls it. */
__device__ inline void report(verdict *found, unsigned bits)
{
    bits = redux_or(bits);
    if (threadIdx.x % 32 == 0 && bits)
        atomicOr(&found->range, bits);
}

/*
 * Is a share of a row uneven, of whose `count` elements so many are large? A few are forgiven: a
 * share has 32 of k or more, so that three eighths of a row at most are not large.
 */
__device__ inline bool is_uneven(int count, int large)
{
    return large < count - count / 4 - 4;
}

__device__ inline int sum_of(__half2 counts)
{
    return (int)(__low2float(counts) + __high2float(counts));
}

template <class PARTS>
__device__ inline bool has_no_scale(unsigned magnitude)
{
    const bool tiny = magnitude >> 23 < 1 + PARTS::LARGEST; /* the exponent is 126 at most */
    return magnitude >= 0x7F800000u || (magnitude != 0 && tiny);
}

#endif
#endif
