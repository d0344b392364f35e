/*
 * fp16_parts.cuh - how tensor_split splits a number and multiplies a tile (tensor_split.cu tells of
 * the whole), for whole products and for panels of them.
 */
#ifndef LAB2_FP16_PARTS_CUH
#define LAB2_FP16_PARTS_CUH

#include <cuda_fp16.h>

#include "split_launch.cuh"

#ifdef HAVE_HOPPER

struct fp16_long;

/* What differs between this way and that of tensor_int8_slices.cu. */
struct fp16_parts : reaching_largest {
    enum {
        K_BYTES = 4,      /* 64 of k are two lines of 128 bytes: high parts, low parts */
        WHOLE_K = 64,     /* packed lines hold multiples of it */
        STEP = 2,         /* these two are two stages */
        B_BOX = 256,      /* columns of B that a copy takes at most */
        SHORTEST_K = 128, /* for less the tensor cores are not worth it */
        LONGEST_K = 0x7FFFFFFF,
        LEAST_JUDGED = 64,  /* numbers of a row */
        JUDGED = 1,         /* x 256 numbers of a row of A are judged at a time */
        COLUMNS = 256,      /* of a wide tile; of others 128 */
        ROWS = 2,           /* of wide tiles in a pair */
        PAIRS = 240,        /* as many of 128 x 128 keep the card busy: they are in pairs */
        FEWEST_WIDE = 1000, /* of as many the library has long sums, too: they may be wide */
        LONG_K = 4096       /* wide_parts' least k */
    };
    typedef fp16_long wide_parts; /* of wide tiles, where k is long */
    static constexpr way WAY = BY_FP16;
    static constexpr facts KIND = 0;
    static constexpr bool FILLS = false, TURNS = true, JUDGES_PAIRS = false;
    static constexpr bool SHARES = true;
    static constexpr float SECOND = 1; /* numbers below 2^-16 of the largest */

    /*
     * A row's and a column's largest products are then, on the average, less than half of a sum,
     * and numbers that are beyond FP16's range are too few for the other factor's to be these
     * alone: 3 in 256, of which such a normal one is one in 30000.
     */
    __device__ static bool are_even(float mass, float small, float count, float largest, int depth)
    {
        return (mass >= 1.5f * rsqrtf((float)depth) * largest * count) &
               (small <= 3 * fmaxf(1, count / 256));
    }
};

/* How wide tiles are multiplied where k is so long that the library's sums have far larger errors
 * than batches of 64 of k: the parts are the same. */
struct fp16_long : fp16_parts {
};

/* ---- the split ------------------------------------------------------------------------------ */

/* Packs two numbers, without the bits that FP16 has no room for. */
__device__ inline unsigned cut_to_halves(float x, float y)
{
    const __half2 both = __halves2half2(__float2half_rz(x), __float2half_rz(y));
    return *(const unsigned *)&both;
}

/*
 * Splits two scaled numbers of k and k + `apart`; the differences are exact. (Those of B below
 * FP16's normal numbers lose up to 2^-39 of the row's largest.) Of B high parts are rounded at
 * random, of both low parts: what is left out then has no sign that data could have given it.
 */
template <class FACTOR>
__device__ inline void split_2(float x, float y, int k, int apart, unsigned *high, unsigned *low,
                               seen *x_seen, seen *y_seen)
{
    const unsigned of_x = random_at(k), of_y = random_at(k + apart);
    float2 rounded = make_float2(x, y);
    if (FACTOR::B)
        rounded = make_float2(round_at_random(x, of_x >> 19), round_at_random(y, of_y >> 19));
    const __half2 highs = __floats2half2_rn(rounded.x, rounded.y);
    if (!FACTOR::B)
        rounded = __half22float2(highs);
    const float2 rest = make_float2(x - rounded.x, y - rounded.y);
    *high = *(const unsigned *)&highs;
    *low = cut_to_halves(raised_at_random(rest.x, FACTOR::B ? of_x & 0x1FFF : of_x >> 19),
                         raised_at_random(rest.y, FACTOR::B ? of_y & 0x1FFF : of_y >> 19));
    see(x_seen, x);
    see(y_seen, y);
    x_seen->remainder |= __float_as_uint(rest.x); /* never -0 */
    y_seen->remainder |= __float_as_uint(rest.y);
}

template <class FACTOR>
__device__ inline void split_2(const float *x, float scale, int k, unsigned *high, unsigned *low,
                               seen *of)
{
    split_2<FACTOR>(x[0] * scale, x[1] * scale, k, 1, high, low, of, of);
}

/* Counts numbers of N below 2^-16 of a row's largest, other than 0. There are hardly any. */
template <int N>
__device__ inline void see_small(seen *of, const float *x, float scale)
{
    const float limit = 0x1p-2f * __uint_as_float(0x7F000000u - __float_as_uint(scale));
    const unsigned small = __float_as_uint(limit) << 1;
    unsigned least = ~0u;
#pragma unroll
    for (int i = 0; i < N; i++)
        least = min(least, (__float_as_uint(x[i]) << 1) - 1); /* of 0 it is the largest number */
    if (least < small)
#pragma unroll
        for (int i = 0; i < N; i++)
            of->second += (__float_as_uint(x[i]) << 1) - 1 < small;
}

/* Splits eight consecutive k into 16 bytes of high parts and, a line further on, 16 of low ones. */
template <class FACTOR>
__device__ inline void split_8(fp16_parts, FACTOR, const float *x, float scale, float, uint8_t *row,
                               int k, seen *of)
{
    uint4 high, low;
    see_small<8>(of, x, scale);
    split_2<FACTOR>(x, scale, k, &high.x, &low.x, of);
    split_2<FACTOR>(x + 2, scale, k + 2, &high.y, &low.y, of);
    split_2<FACTOR>(x + 4, scale, k + 4, &high.z, &low.z, of);
    split_2<FACTOR>(x + 6, scale, k + 6, &high.w, &low.w, of);
    uint8_t *to = row + (unsigned)k / 64 * (2 * LINE_BYTES) + (unsigned)k % 64 * sizeof(__half);
    *(uint4 *)to = high;
    *(uint4 *)(to + LINE_BYTES) = low;
}

/* ---- the product ---------------------------------------------------------------------------- */

/* Which factors have low parts, as OF_A and OF_B. */
__device__ inline int low_factors(facts known)
{
    return (known & A_IS_LOW ? OF_A : 0) | (known & B_IS_LOW ? OF_B : 0);
}

/* Returns whose lines a step's stage holds: high parts, then low ones. */
__device__ inline int lines_of(fp16_parts, int stage, facts known)
{
    return stage == 0 ? OF_A | OF_B : low_factors(known);
}

/*
 * Issues a batch: all products of BATCH of k for 64 rows and 128 columns, 16 of k, 32 bytes of a
 * line, at a time. Small products first, so that they are not cut off by the large ones.
 */
template <int LOW, int BATCH, int STAGE>
__device__ inline void multiply_batch(float (&sums)[64], uint64_t a, uint64_t b)
{
    enum { STEPS = BATCH / 16 * NEXT_32_BYTES, LOWS = STAGE / 16 };
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < STEPS; k += NEXT_32_BYTES) {
        if (LOW & OF_A)
            wgmma_m64n128k16_f16(sums, a + LOWS + k, b + k, k > 0);
        if (LOW & OF_B)
            wgmma_m64n128k16_f16(sums, a + k, b + LOWS + k, k > 0 || (LOW & OF_A));
    }
#pragma unroll
    for (int k = 0; k < STEPS; k += NEXT_32_BYTES)
        wgmma_m64n128k16_f16(sums, a + k, b + k, k > 0 || LOW);
    wgmma_commit_group();
}

/* Adds sums to those that are kept, and begins anew. */
template <int KEPT>
__device__ inline void move_sums(float (&sums)[64], float (&kept)[KEPT])
{
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        kept[i] += sums[i];
        sums[i] = 0;
    }
}

/* Waits for the parts of 64 of k. */
template <int LOW>
__device__ inline void wait_for_parts(const ring *r)
{
    mbarrier_wait(r->full + 8 * r->stage, r->phase);
    if (LOW)
        mbarrier_wait(r->full + 8 * r->stage + 8, r->phase);
}

/*
 * Makes a group's 64 rows of a tile, of factors of which those in LOW have low parts: sums[h] are
 * those of the tile's half h.
 *
 * Truncation takes about 2^-23.5 from a sum of one sign of 32 of k, more or less by the order of
 * large and small products. Where no sum can be exact in FP32 a part of it is put back, 2^-23 of
 * three batches in eight, so that less than u is left either way. (For batches of 64 the caller
 * puts it back.)
 *
 * Small tiles have registers to keep sums of 512 of k apart, of 1024 where k is long, so that sums
 * of many terms of one sign are not rounded so often. (Where tiles are large, the library's sums
 * are as long.)
 */
template <int LOW, int BATCH, int COLUMNS, int ROWS, int ABREAST>
__device__ inline void multiply_parts(ring *r, const place *p, bool put_back,
                                      float (&sums)[COLUMNS / 128][64])
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    enum { BATCHES = 64 / BATCH, LAST = BATCHES * T::HALVES - 1, STAGES = LOW ? 2 : 1 };
    constexpr bool KEEPS = T::HALVES == 1; /* there are registers for it */
    const int apart =
        p->end - p->first <= 4096 / LINE_HALVES * fp16_parts::STEP ? 8 : 16; /* steps */
    const int group = warp_uniform(threadIdx.x / WARPGROUP) - 1;
    const uint64_t a0 = wgmma_swizzled(r->stages + group * 64 * LINE_BYTES);
    const uint64_t b0 = wgmma_swizzled(r->stages + T::A_BYTES);
    float batch[64]; /* its sums, in the tensor cores' care */
    float kept[KEEPS ? 64 : 1] = {};
    if (p->first < p->end)
        wait_for_parts<LOW>(r);
    for (int k = p->first; k < p->end; k += fp16_parts::STEP) {
        const int stage = r->stage, at = stage * (T::STAGE_BYTES / 16);
        const float more = BATCH == 32 && put_back && k / fp16_parts::STEP % 4 ? 1 + 0x1p-23f : 1;
        ring_advance(r, STAGES, T::STAGES);
#pragma unroll
        for (int i = 0; i <= LAST; i++) { /* the batches of each half of the tile */
            const int half = i / BATCHES, of_k = i % BATCHES * (BATCH / 16 * NEXT_32_BYTES);
            const int of_b = half * 128 * NEXT_ROW_OF_128_BYTES;
            take_turn();
            multiply_batch<LOW, BATCH, T::STAGE_BYTES>(batch, a0 + at + of_k,
                                                       b0 + at + of_k + of_b);
            give_turn();
            if (i == LAST && k + fp16_parts::STEP < p->end)
                wait_for_parts<LOW>(r); /* while the tensor cores work */
            wgmma_wait_for(batch);
            if (i == LAST)
                for (int s = 0; s < STAGES; s++)
                    release_stage<COLUMNS, ROWS, ABREAST>(r, p, stage + s);
#pragma unroll
            for (int j = 0; j < 64; j++)
                sums[half][j] = fmaf(batch[j], i % BATCHES ? 1 : more, sums[half][j]);
        }
        if (KEEPS && (k / fp16_parts::STEP & (apart - 1)) == apart - 1 &&
            k + fp16_parts::STEP < p->end)
            move_sums(sums[0], kept);
    }
    if constexpr (KEEPS)
        for (int j = 0; j < 64; j++)
            sums[0][j] += kept[j];
}

/* Have products so few bits that FP32 holds the sum of 64? */
__device__ inline bool are_few_bits(facts known)
{
    const int a = 32 - __clz((int)lengths(known, A_LENGTHS));
    const int b = 32 - __clz((int)lengths(known, B_LENGTHS));
    return a + b <= 24 - 6;
}

/* Does so for factors of which those in `low` have low parts. */
template <int BATCH, int COLUMNS, int ROWS, int ABREAST>
__device__ inline void multiply_low(ring *r, const place *p, int low, bool put_back,
                                    float (&sums)[COLUMNS / 128][64])
{
    if (low == (OF_A | OF_B))
        multiply_parts<OF_A | OF_B, BATCH, COLUMNS, ROWS, ABREAST>(r, p, put_back, sums);
    else if (low == OF_A)
        multiply_parts<OF_A, BATCH, COLUMNS, ROWS, ABREAST>(r, p, put_back, sums);
    else if (low == OF_B)
        multiply_parts<OF_B, BATCH, COLUMNS, ROWS, ABREAST>(r, p, put_back, sums);
    else
        multiply_parts<0, BATCH, COLUMNS, ROWS, ABREAST>(r, p, put_back, sums);
}

template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void multiply_tile(fp16_parts, ring *r, const place *p, facts known,
                                     float (&sums)[COLUMNS / 128][64])
{
    const int low = low_factors(known);
#pragma unroll
    for (int i = 0; i < COLUMNS / 2; i++)
        sums[i / 64][i % 64] = 0;
    const bool put_back = !may_be_exact(known);
    if (!low && are_few_bits(known)) /* 64 of k are exact */
        multiply_parts<0, 64, COLUMNS, ROWS, ABREAST>(r, p, put_back, sums);
    else
        multiply_low<32, COLUMNS, ROWS, ABREAST>(r, p, low, put_back, sums);
}

/* Batches are of 64 of k, and the loss is put back into the whole sum. Where all sums are exact in
 * FP32 those of 64 are. */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void multiply_tile(fp16_long, ring *r, const place *p, facts known,
                                     float (&sums)[COLUMNS / 128][64])
{
    const int low = low_factors(known);
    const bool put_back = !may_be_exact(known);
#pragma unroll
    for (int i = 0; i < COLUMNS / 2; i++)
        sums[i / 64][i % 64] = 0;
    multiply_low<64, COLUMNS, ROWS, ABREAST>(r, p, low, put_back, sums);
    const float back = put_back ? 2.5f * 0x1p-24f : 0;
#pragma unroll
    for (int i = 0; i < COLUMNS / 2; i++)
        sums[i / 64][i % 64] = fmaf(sums[i / 64][i % 64], back, sums[i / 64][i % 64]);
}

static inline const char *fp16_way()
{
    static const char *const ways[] = {"as FP16 numbers", "as FP16 parts of A",
                                       "as FP16 parts of B", "as FP16 parts"};
    return split_way(ways[last_taken() & (A_IS_LOW | B_IS_LOW)]);
}

#endif
#endif
