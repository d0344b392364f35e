/*
 * mixed_parts.cuh - how tensor_mixed splits numbers into an FP16 number and two bytes
 * (tensor_mixed.cu tells of the whole): for that variant, and for tensor_fp32.
 */
#ifndef LAB2_MIXED_PARTS_CUH
#define LAB2_MIXED_PARTS_CUH

#include <cuda_fp16.h>

#include "split_operands.cuh"

#ifdef HAVE_HOPPER

struct mixed_parts {
    enum {
        K_BYTES = 4, /* 64 of k are two lines of 128 bytes: high parts; 64 rough, 64 low bytes */
        WHOLE_K = 64,
        STEP = 2,         /* these two are two stages */
        SPREAD_BITS = 17, /* numbers are spread by 65 / 64 */
        B_BOX = 256,
        SHORTEST_K = 3072,
        LONGEST_K = 65536,
        LEAST_JUDGED = 256, /* numbers of a row */
        JUDGED = 4,         /* x 256 numbers of a row of A are judged at a time */
        COLUMNS = 128,      /* of all tiles */
        ROWS = 1,           /* of tiles in a pair: they share A's lines */
        PAIRS = 240,        /* as many of 128 x 128 keep the card busy: they are in pairs */
        FEWEST_WIDE = PAIRS /* there are none that are wider */
    };
    typedef mixed_parts wide_parts;
    static constexpr way WAY = BY_MIXED;
    static constexpr facts KIND = AS_MIXED;
    static constexpr bool FILLS = true, TURNS = false, JUDGES_PAIRS = true;
    static constexpr float SECOND = 0x1p14f; /* a unit of the sum of squares */

    /* A row's largest magnitude, times 65 / 64, is scaled to just below this: FP16 cuts off 1 / 2
     * at most. */
    static constexpr float TOP = 2048;
    static constexpr float ROUGH = 127 / TOP; /* makes rough bytes of numbers, and below low ones */
    static constexpr float LOW = 254;         /* of what FP16 cuts off */

    /* A row is scaled once more, by 12 bits, of which two factors make an exact product. */
    __device__ static float fill(float top)
    {
        const float whole = top == 0 ? 1 : (TOP - 0.5f) / 1.015625f / top;
        return __uint_as_float(__float_as_uint(whole) & ~0xFFFu);
    }

    /* Rounding l, 9, and g, 7 of the other factor (tensor_mixed.cu). */
    static constexpr pair_error ERROR = {.factor = 9 * 9 + 7 * 7};

    /* 16 rms / (sqrt(K) mean^2) u is an element's error, of means by the largest: 0.8 u at most. */
    __device__ static bool are_even(float mass, float squares, float count, float largest,
                                    int depth)
    {
        const float most = MOST * MOST * (float)depth, times = largest * count;
        return squares * (times * times) * count <= most * (mass * mass) * (mass * mass);
    }
    static constexpr float MOST = 3.2f / 64;
};

/* Returns four floats' integers, -128 to 127, as bytes: 1.5 * 2^23 was added to each. */
__device__ inline unsigned bytes_of(const float (&x)[4])
{
    const unsigned s = __byte_perm(__float_as_uint(x[0]), __float_as_uint(x[1]), 0x40);
    const unsigned t = __byte_perm(__float_as_uint(x[2]), __float_as_uint(x[3]), 0x40);
    return __byte_perm(s, t, 0x5410);
}

/* Splits four numbers: into FP16, two and two, and bytes of themselves and of what FP16 cuts off.
 */
template <class FACTOR>
__device__ inline void split_4(const float *x, float scale, float fill, int k, unsigned *high,
                               unsigned *rough, unsigned *low, seen *of)
{
    constexpr float ROUNDS = 0x1.8p23f; /* a float beyond it has no fraction */
    float rough_4[4], low_4[4];
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        float v[2];
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const float scaled = x[i + j] * scale;
            see(of, scaled);
            of->second = fmaf(scaled, scaled, of->second);
            v[j] = scaled * (fill * spread_at<mixed_parts::SPREAD_BITS>(k + i + j, FACTOR()));
        }
        const __half2 h = __floats2half2_rn(v[0], v[1]);
        const float2 of_h = __half22float2(h);
        high[i / 2] = *(const unsigned *)&h;
        low_4[i] = fmaf(v[0] - of_h.x, mixed_parts::LOW, ROUNDS);
        low_4[i + 1] = fmaf(v[1] - of_h.y, mixed_parts::LOW, ROUNDS);
        rough_4[i] = fmaf(v[0], mixed_parts::ROUGH, ROUNDS);
        rough_4[i + 1] = fmaf(v[1], mixed_parts::ROUGH, ROUNDS);
    }
    *rough = bytes_of(rough_4);
    *low = bytes_of(low_4);
}

/* Splits eight consecutive k into 16 bytes of high parts and, in the next line, 8 rough bytes and,
 * 64 further on, 8 low ones. */
template <class FACTOR>
__device__ inline void split_8(mixed_parts, FACTOR, const float *x, float scale, float fill,
                               uint8_t *row, int k, seen *of)
{
    enum { STEP_K = mixed_parts::WHOLE_K };
    uint4 high;
    uint2 rough, low;
    split_4<FACTOR>(x, scale, fill, k, &high.x, &rough.x, &low.x, of);
    split_4<FACTOR>(x + 4, scale, fill, k + 4, &high.z, &rough.y, &low.y, of);
    const unsigned step = (unsigned)k / STEP_K, in_step = (unsigned)k % STEP_K;
    uint8_t *to = row + step * (2 * LINE_BYTES);
    *(uint4 *)(to + in_step * sizeof(__half)) = high;
    *(uint2 *)(to + LINE_BYTES + in_step) = rough;
    *(uint2 *)(to + LINE_BYTES + STEP_K + in_step) = low;
}

#endif
#endif
