/*
 * int8_slices.cuh - how tensor_int8_slices splits numbers into digits (tensor_int8_slices.cu tells
 * of the whole): for that variant, and for tensor_fp32.
 */
#ifndef LAB2_INT8_SLICES_CUH
#define LAB2_INT8_SLICES_CUH

#include "split_operands.cuh"

#ifdef HAVE_HOPPER

struct int8_slices {
    enum {
        K_BYTES = 3, /* 128 of k are three lines of 128 bytes: digits 3, digits 1, digits 2 */
        WHOLE_K = 128,
        STEP = 3,         /* these three are three stages */
        SPREAD_BITS = 19, /* numbers are spread by 17 / 16 */
        B_BOX = 256,
        SHORTEST_K = 512,
        LONGEST_K = 43690,
        LEAST_JUDGED = 64,  /* numbers of a row */
        COLUMNS = 128,      /* of all tiles */
        ROWS = 2,           /* of tiles in a pair */
        PAIRS = 512,        /* several tiles for each multiprocessor: they are in pairs */
        FEWEST_WIDE = PAIRS /* there are none that are wider */
    };
    static constexpr way WAY = BY_INT8;
    static constexpr facts KIND = AS_INTEGERS;
    static constexpr bool FILLS = true, TURNS = false, TAKES_SQUARES = false;

    /* A row is scaled once more, so that its largest magnitude, times 17 / 16, makes digit 1 127:
     * by 12 bits, of which two factors make an exact product. */
    __device__ static float fill(float top)
    {
        const float whole = top == 0 ? 1 : 0x1p15f / 1.075f * 256 / top;
        return __uint_as_float(__float_as_uint(whole) & ~0xFFFu);
    }

    /* 0.65 sqrt(K) u of the largest product is then less than FP32's own error. */
    __device__ static bool are_even(float mass, float, float count, float largest, int depth)
    {
        return mass >= 0.9f * sqrtf(rsqrtf((float)depth)) * largest * count;
    }
};

/* Makes the digits of four numbers, a byte each: 128 is added to each digit, and taken away. */
template <class FACTOR>
__device__ inline void digits_4(const float *x, float scale, float fill, int k, unsigned *one,
                                unsigned *two, unsigned *three, seen *of)
{
    enum { ADDED = 0x808080 };
    const unsigned minus_128 = 0x80808080u;
    unsigned v[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float scaled = x[i] * scale;
        see(of, scaled);
        v[i] =
            __float2int_rn(scaled * (fill * spread_at<int8_slices::SPREAD_BITS>(k + i, FACTOR()))) +
            ADDED;
    }
    const unsigned s = __byte_perm(v[0], v[1], 0x5140), t = __byte_perm(v[2], v[3], 0x5140);
    const unsigned u = __byte_perm(v[0], v[1], 0x62), w = __byte_perm(v[2], v[3], 0x62);
    *three = __byte_perm(s, t, 0x5410) ^ minus_128;
    *two = __byte_perm(s, t, 0x7632) ^ minus_128;
    *one = __byte_perm(u, w, 0x5410) ^ minus_128;
}

/* Splits eight consecutive k of a row. */
template <class FACTOR>
__device__ inline void split_8(int8_slices, FACTOR, const float *x, float scale, float top,
                               uint8_t *row, int k, seen *of)
{
    enum { SLICE_K = 128 };
    uint2 one, two, three;
    const float fill = int8_slices::fill(top);
    digits_4<FACTOR>(x, scale, fill, k, &one.x, &two.x, &three.x, of);
    digits_4<FACTOR>(x + 4, scale, fill, k + 4, &one.y, &two.y, &three.y, of);
    uint8_t *to = row + k / SLICE_K * (3 * LINE_BYTES) + k % SLICE_K;
    *(uint2 *)to = three;
    *(uint2 *)(to + LINE_BYTES) = one;
    *(uint2 *)(to + 2 * LINE_BYTES) = two;
}

#endif
#endif
