/*
 * one_low.cuh - how tensor_fp32 splits where one factor holds FP16's numbers: against mixed_parts,
 * that one has no low parts, so that one product of bytes does. (The others of its ways are
 * tensor_mixed.cu and tensor_split.cu.)
 *
 * A row is multiplied by a power of two, so that its largest magnitude lies in (1024, 2048]: FP16
 * still holds the numbers x of the exact factor. Those of the other one are split as there, h' +
 * l' / 254, and x is rounded to a byte g:
 *
 *   x y = x h'  +  2048 / (127 * 254) g l'  +  ...      three units of the tensor cores' time for
 *          FP16     bytes                               four, and three bytes a number for four
 *
 * Nothing can be spread here, for x has to stay as it is. Instead bytes are rounded up or down at
 * random, by what is cut off, so that the mean error is 0 whatever the numbers are. What is lost,
 * in u of 2048 squared, a product:
 *
 *   l's rounding   13 rms of x: 1 / 254 / sqrt(6) of 2048
 *   g's rounding   8: 16 / sqrt(6) of 2048, by what FP16 cuts off of y, 2^-12.8 rms
 *
 * where 2048 stands for a row's largest magnitude. Of uniform numbers (rms 0.58) that is
 * tensor_mixed's error, and its rule for even rows does. What is left of exact numbers in FP16 may
 * be 2^-29 of 2048 (a number of BF16 that is next to nothing); more makes it thirds. Rows of the
 * other factor that have 11 bits have no low parts, either, so that what is exact in FP32 is exact
 * here, unless they have 12 or more, but no more than 24 with the exact ones': then it is made of
 * thirds.
 */
#ifndef LAB2_ONE_LOW_CUH
#define LAB2_ONE_LOW_CUH

#include "mixed_parts.cuh"

#ifdef HAVE_HOPPER

struct one_low_parts : mixed_parts {
    enum {
        K_BYTES = 3, /* 128 of k are three lines of 128 bytes: high parts of 64 each, bytes */
        WHOLE_K = 128,
        STEP = 3, /* these three are three stages */
        SHORTEST_K = 4096
    };
    static constexpr way WAY = BY_ONE_LOW;
    static constexpr facts KIND = AS_ONE_LOW;
    static constexpr pair_error ERROR = {.factor = 13 * 13};
};

/* How they are multiplied where mixed_long is. */
struct one_low_long : one_low_parts {
    static constexpr bool CAREFUL = false;
};

/* LOW is the factor that has low parts. */
template <class LOW>
struct one_low : one_low_parts {
    __device__ static float reach(float top)
    {
        return coarse_reach(top);
    }

    __device__ static float fill(float top)
    {
        return TOP / coarse_reach(top);
    }
};

/*
 * Returns a number at random from 1 to below 2 for the k-th of each row or column: of A from
 * random_at()'s upper bits, of B from its lower ones.
 */
template <class FACTOR>
__device__ inline float one_at_random(int k)
{
    const unsigned random = random_at(k), of_b = random << 10 & 0x7FFFFFu;
    return __uint_as_float(0x3F800000u | (FACTOR::B ? of_b : random >> 9));
}

/* Rounds x, -127 to 127, down or up by a number from one_at_random(), to a byte: the lowest. */
__device__ inline float byte_at_random(float x, float scale, float one)
{
    return __fadd_rd(fmaf(x, scale, one), 0x1.8p23f - 1);
}

/* Splits four numbers into FP16, two and two, and a byte each. */
template <class LOW, class FACTOR>
__device__ inline void split_4_at_random(const float *x, float scale, float fill, int k,
                                         unsigned *high, unsigned *bytes, seen *of)
{
    constexpr bool IS_LOW = FACTOR::B == LOW::B;
    float byte[4];
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        float v[2], rest[2];
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const float scaled = x[i + j] * scale;
            see(of, scaled);
            of->second = fmaf(scaled, scaled, of->second);
            v[j] = scaled * fill;
        }
        const __half2 h = __floats2half2_rn(v[0], v[1]);
        const float2 of_h = __half22float2(h);
        high[i / 2] = *(const unsigned *)&h;
        rest[0] = v[0] - of_h.x, rest[1] = v[1] - of_h.y;
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const float one = one_at_random<FACTOR>(k + i + j);
            byte[i + j] = IS_LOW ? byte_at_random(rest[j], one_low_parts::LOW, one)
                                 : byte_at_random(v[j], one_low_parts::ROUGH, one);
            of->remainder |= IS_LOW || fabsf(rest[j]) > 0x1p-18f;
        }
    }
    *bytes = bytes_of(byte);
}

/* Splits eight consecutive k into 16 bytes of high parts and, behind those of 128 of k, 8 bytes. */
template <class LOW, class FACTOR>
__device__ inline void split_8(one_low<LOW>, FACTOR, const float *x, float scale, float fill,
                               uint8_t *row, int k, seen *of)
{
    enum { STEP_K = one_low_parts::WHOLE_K };
    uint4 high;
    uint2 bytes;
    split_4_at_random<LOW, FACTOR>(x, scale, fill, k, &high.x, &bytes.x, of);
    split_4_at_random<LOW, FACTOR>(x + 4, scale, fill, k + 4, &high.z, &bytes.y, of);
    const unsigned step = (unsigned)k / STEP_K, in_step = (unsigned)k % STEP_K;
    uint8_t *to = row + step * (3 * LINE_BYTES);
    *(uint4 *)(to + in_step * sizeof(__half)) = high;
    *(uint2 *)(to + 2 * LINE_BYTES + in_step) = bytes;
}

/* ---- the product ---------------------------------------------------------------------------- */

__device__ inline int lines_of(one_low_parts, int, facts)
{
    return OF_A | OF_B;
}

/* Issues the products of a batch's bytes. */
template <int BATCH>
__device__ inline void multiply_bytes(one_low_parts, int (&sums)[64], uint64_t a, uint64_t b)
{
#pragma unroll
    for (int k = 0; k < BATCH / 32 * NEXT_32_BYTES; k += NEXT_32_BYTES)
        wgmma_m64n128k32_s8(sums, a + k, b + k);
}

/*
 * Returns what of a sum is put back. Of sums of 64 truncation takes some 2.5 u where numbers have
 * FP16's 11 bits and 0.6 where they have BF16's 8, and nothing of integers of 8 bits, which is
 * known by their length.
 */
__device__ inline float put_back(one_low_parts, facts known, int)
{
    const int exact = known & A_IS_LOW ? B_LENGTHS : A_LENGTHS;
    return may_be_exact(known) || lengths(known, exact) >> 8 == 0 ? 0 : 1.5f * 0x1p-24f;
}

#endif
#endif
