/*
 * int8_slices.cuh - how tensor_int8_slices splits numbers into digits of 8 bits, and multiplies a
 * tile of them (tensor_int8_slices.cu tells of the whole): for that variant, and for tensor_fp32.
 */
#ifndef LAB2_INT8_SLICES_CUH
#define LAB2_INT8_SLICES_CUH

#include "split_operands.cuh"
#include "split_product.cuh"

#ifdef HAVE_HOPPER

/* ---- the split ------------------------------------------------------------------------------ */

struct int8_slices : reaching_largest {
    enum {
        K_BYTES = 3, /* 128 of k are three lines of 128 bytes: digits 3, digits 1, digits 2 */
        WHOLE_K = 128,
        STEP = 3,         /* these three are three stages */
        SPREAD_BITS = 19, /* numbers are spread by 17 / 16 */
        B_BOX = 256,
        SHORTEST_K = 512,
        LONGEST_K = 43690,
        LEAST_JUDGED = 64,   /* numbers of a row */
        JUDGED = 1,          /* x 256 numbers of a row of A are judged at a time */
        COLUMNS = 128,       /* of all tiles */
        ROWS = 2,            /* of tiles in a pair */
        PAIRS = 512,         /* several tiles for each multiprocessor: they are in pairs */
        FEWEST_WIDE = PAIRS, /* there are none that are wider */
        LONG_K = SHORTEST_K
    };
    typedef int8_slices wide_parts;
    static constexpr way WAY = BY_INT8;
    static constexpr facts KIND = AS_INTEGERS;
    static constexpr const char *PHRASE = "as int8 slices";
    static constexpr bool FILLS = true, TURNS = false, JUDGES_PAIRS = true;
    static constexpr bool SHARES = true;
    static constexpr float SECOND = 0; /* there is none */

    /* A row is scaled once more, so that its largest magnitude, times 17 / 16, makes digit 1 127:
     * by 12 bits, of which two factors make an exact product. */
    __device__ static float fill(float top)
    {
        const float whole = top == 0 ? 1 : 0x1p15f / 1.075f * 256 / top;
        return __uint_as_float(__float_as_uint(whole) & ~0xFFFu);
    }

    /* 0.65 u of both largest numbers. */
    static constexpr pair_error ERROR = {.each = 0.65f * 0.65f};

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
__device__ inline void split_8(int8_slices, FACTOR, const float *x, float scale, float fill,
                               uint8_t *row, int k, seen *of)
{
    enum { STEP_K = int8_slices::WHOLE_K };
    uint2 one, two, three;
    digits_4<FACTOR>(x, scale, fill, k, &one.x, &two.x, &three.x, of);
    digits_4<FACTOR>(x + 4, scale, fill, k + 4, &one.y, &two.y, &three.y, of);
    uint8_t *to = row + (unsigned)k / STEP_K * (3 * LINE_BYTES) + (unsigned)k % STEP_K;
    *(uint2 *)to = three;
    *(uint2 *)(to + LINE_BYTES) = one;
    *(uint2 *)(to + 2 * LINE_BYTES) = two;
}

/* ---- the product ---------------------------------------------------------------------------- */

__device__ inline int lines_of(int8_slices, int, facts)
{
    return OF_A | OF_B;
}

/* Sums of products of digits, which stand for 2^32, 2^24 and 2^16. */
typedef struct digit_sums {
    int high[64], middle[64], low[64];
} digit_sums;

/* Adds what can be made of the stages with digits 3 and 1, for 128 of k. */
template <int STAGE>
__device__ inline void multiply_outer(digit_sums *sums, uint64_t a, uint64_t b)
{
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < LINE_BYTES / 32 * NEXT_32_BYTES; k += NEXT_32_BYTES) {
        wgmma_m64n128k32_s8(sums->low, a + STAGE / 16 + k, b + k);
        wgmma_m64n128k32_s8(sums->low, a + k, b + STAGE / 16 + k);
    }
    wgmma_commit_group();
}

/* Adds the products with digits 2, in the third stage, and those of the digits 1 themselves. */
template <int STAGE>
__device__ inline void multiply_inner(digit_sums *sums, uint64_t a, uint64_t b)
{
    enum { ONE = STAGE / 16, TWO = 2 * ONE };
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < LINE_BYTES / 32 * NEXT_32_BYTES; k += NEXT_32_BYTES) {
        wgmma_m64n128k32_s8(sums->low, a + TWO + k, b + TWO + k);
        wgmma_m64n128k32_s8(sums->middle, a + ONE + k, b + TWO + k);
        wgmma_m64n128k32_s8(sums->high, a + ONE + k, b + ONE + k);
        wgmma_m64n128k32_s8(sums->middle, a + TWO + k, b + ONE + k);
    }
    wgmma_commit_group();
}

/* Releases digits 1 and 2 of the step before the one that the ring is at: it holds two steps. */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void release_before(const ring *r, const place *p)
{
    const int before = split_tile<COLUMNS, ROWS, ABREAST>::STAGES - int8_slices::STEP - r->stage;
    release_stage<COLUMNS, ROWS, ABREAST>(r, p, before + 1);
    release_stage<COLUMNS, ROWS, ABREAST>(r, p, before + 2);
}

/*
 * Makes a group's 64 rows of a tile. The digits 3 of a step are released as soon as their products
 * are done, the others when the first products of the next step are on their way.
 */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void multiply_tile(int8_slices, ring *r, const place *p, facts,
                                     float (&sums)[1][64])
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    const int group = warp_uniform(threadIdx.x / WARPGROUP) - 1;
    const uint64_t a0 = wgmma_swizzled(r->stages + group * 64 * LINE_BYTES);
    const uint64_t b0 = wgmma_swizzled(r->stages + T::A_BYTES);
    digit_sums exact;
#pragma unroll
    for (int i = 0; i < 64; i++)
        exact.high[i] = exact.middle[i] = exact.low[i] = 0;
    for (int k = p->first; k < p->end; k += int8_slices::STEP) {
        const int at = r->stage * (T::STAGE_BYTES / 16);
        const uint32_t full = r->full + 8 * r->stage;
        mbarrier_wait(full, r->phase);
        mbarrier_wait(full + 8, r->phase);
        multiply_outer<T::STAGE_BYTES>(&exact, a0 + at, b0 + at);
        wgmma_wait_group<1>();
        if (k > p->first)
            release_before<COLUMNS, ROWS, ABREAST>(r, p);
        mbarrier_wait(full + 16, r->phase);
        multiply_inner<T::STAGE_BYTES>(&exact, a0 + at, b0 + at);
        wgmma_wait_group<1>();
        release_stage<COLUMNS, ROWS, ABREAST>(r, p, r->stage);
        ring_advance(r, int8_slices::STEP, T::STAGES);
    }
    wgmma_wait_for(exact.high);
    wgmma_wait_for(exact.middle);
    wgmma_wait_for(exact.low);
    if (p->first < p->end)
        release_before<COLUMNS, ROWS, ABREAST>(r, p);
#pragma unroll
    for (int i = 0; i < 64; i++) {
        const float high = (float)exact.high[i], cut = (float)(exact.high[i] - (int)high);
        const float less = fmaf((float)exact.low[i], 0x1p-16f, (float)exact.middle[i] * 0x1p-8f);
        sums[0][i] = (high + (cut + less)) * 0x1p32f;
    }
}

#endif
#endif
