/*
 * mixed_parts.cuh - how tensor_mixed splits numbers into an FP16 number and two bytes, and
 * multiplies a tile of them (tensor_mixed.cu tells of the whole): for that variant, and for
 * tensor_fp32.
 */
#ifndef LAB2_MIXED_PARTS_CUH
#define LAB2_MIXED_PARTS_CUH

#include <cuda_fp16.h>

#include "split_operands.cuh"
#include "split_product.cuh"

#ifdef HAVE_HOPPER

struct mixed_long;

struct mixed_parts : reaching_largest {
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
        FEWEST_WIDE = 1000, /* none is wider; but of as many the library has long sums */
        LONG_K = SHORTEST_K
    };
    typedef mixed_long wide_parts;
    static constexpr bool CAREFUL = true; /* in adding batches */
    static constexpr way WAY = BY_MIXED;
    static constexpr facts KIND = AS_MIXED;
    static constexpr const char *PHRASE = "as FP16 and bytes";
    static constexpr bool FILLS = true, TURNS = false, JUDGES_PAIRS = true;
    static constexpr bool SHARES = false;
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

/* How tiles are multiplied where the library's sums of all of k have far larger errors. */
struct mixed_long : mixed_parts {
    static constexpr bool CAREFUL = false;
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

/* ---- the product ---------------------------------------------------------------------------- */

__device__ inline int lines_of(mixed_parts, int, facts)
{
    return OF_A | OF_B;
}

/* Issues FP16's products of BATCH of k; ADDS: to what `batch` has. */
template <int BATCH, bool ADDS>
__device__ inline void multiply_high(float (&batch)[64], uint64_t a, uint64_t b)
{
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BATCH / 16 * NEXT_32_BYTES; k += NEXT_32_BYTES)
        wgmma_m64n128k16_f16(batch, a + k, b + k, k > 0 || ADDS);
    wgmma_commit_group();
}

/*
 * Adds a batch to sums and, if CAREFUL, leaves in its place what rounding has cut off, with which
 * the next one begins: of long k of one sign hundreds of roundings would add up (W. Kahan, Further
 * remarks on reducing truncation errors, Communications of the ACM 8, 1965). `one` is 1, which the
 * compiler must not know: it would keep new sums beside old ones, for which there are no registers.
 */
template <bool CAREFUL>
__device__ inline void add_batch(float (&sums)[64], float (&batch)[64], float one)
{
#pragma unroll
    for (int i = 0; i < 64; i++)
        if (CAREFUL)
            asm volatile("{ .reg .f32 t;\n"
                         "  add.rn.f32 t, %0, %1;\n"
                         "  sub.rn.f32 t, t, %0;\n"
                         "  fma.rn.f32 %0, %1, %2, %0;\n"
                         "  sub.rn.f32 %1, %1, t; }"
                         : "+f"(sums[i]), "+f"(batch[i])
                         : "f"(one));
        else
            sums[i] += batch[i];
}

/* Adds what is left, the products of bytes, and of the sum `back`, which truncation has taken. */
template <bool CAREFUL>
__device__ inline void end_sums(float (&sums)[64], const float (&rest)[64], const int (&exact)[64],
                                float back)
{
    constexpr float UNIT = 1 / (mixed_parts::ROUGH * mixed_parts::LOW);
#pragma unroll
    for (int i = 0; i < 64; i++)
        sums[i] += fmaf((float)exact[i], UNIT, fmaf(sums[i], back, CAREFUL ? rest[i] : 0));
}

/* Issues those of bytes: of low ones, in the second half of a line, by rough ones. */
template <int BATCH>
__device__ inline void multiply_bytes(mixed_parts, int (&sums)[64], uint64_t a, uint64_t b)
{
    enum { LOWS = 2 * NEXT_32_BYTES };
#pragma unroll
    for (int k = 0; k < BATCH / 32 * NEXT_32_BYTES; k += NEXT_32_BYTES) {
        wgmma_m64n128k32_s8(sums, a + LOWS + k, b + k);
        wgmma_m64n128k32_s8(sums, a + k, b + LOWS + k);
    }
}

/* Returns what of a sum is put back. */
__device__ inline float put_back(mixed_parts, facts, int batch)
{
    return (batch == 64 ? 2.5f : 0.75f) * 0x1p-24f;
}

/*
 * Makes a group's 64 rows of a tile. A step has lines of high parts, of 64 of k each, and one of
 * all its bytes. Batches have 64 of k where tiles are in pairs or a step has two such lines;
 * elsewhere 32, of which truncation takes less, and which take a twelfth more time.
 */
template <int COLUMNS, int ROWS, int ABREAST, class PARTS>
requires((PARTS::KIND & (AS_MIXED | AS_ONE_LOW)) != 0) __device__
    inline void multiply_tile(PARTS, ring *r, const place *p, facts known, float (&sums)[1][64])
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    enum { STAGE = T::STAGE_BYTES / 16, HIGHS = PARTS::STEP - 1 };
    enum { BATCH = T::SHARING > 1 || HIGHS > 1 ? 64 : 32, OF_LINE = 64 / BATCH };
    const int group = warp_uniform(threadIdx.x / WARPGROUP) - 1;
    const uint64_t a0 = wgmma_swizzled(r->stages + group * 64 * LINE_BYTES);
    const uint64_t b0 = wgmma_swizzled(r->stages + T::A_BYTES);
    float batch[64]; /* FP16's sums, in the tensor cores' care */
    int exact[64];   /* of bytes */
    int before = 0;  /* the step before's first stage */
    const float one = __int_as_float(0x3F800000 + (p->end >> 31));
#pragma unroll
    for (int i = 0; i < 64; i++)
        sums[0][i] = batch[i] = exact[i] = 0;
    for (int k = p->first; k < p->end; k += PARTS::STEP) {
        const int at = r->stage * STAGE;
        const uint32_t full = r->full + 8 * r->stage;
#pragma unroll
        for (int i = 0; i < HIGHS * OF_LINE; i++) {
            const int line = i / OF_LINE, in_line = i % OF_LINE;
            const int high = at + line * STAGE + in_line * (BATCH / 16 * NEXT_32_BYTES);
            const int bytes = at + HIGHS * STAGE + i * (BATCH / 32 * NEXT_32_BYTES);
            if (in_line == 0)
                mbarrier_wait(full + 8 * line, r->phase);
            multiply_high<BATCH, PARTS::CAREFUL>(batch, a0 + high, b0 + high);
            if (i == 0)
                mbarrier_wait(full + 8 * HIGHS, r->phase);
            wgmma_fence();
            multiply_bytes<BATCH>(PARTS(), exact, a0 + bytes, b0 + bytes);
            wgmma_commit_group();
            wgmma_wait_for<1>(batch);
            if (i == 0 && k > p->first) /* the bytes of the step before are multiplied, too */
                release_stage<COLUMNS, ROWS, ABREAST>(r, p, before + HIGHS);
            if (in_line == OF_LINE - 1)
                release_stage<COLUMNS, ROWS, ABREAST>(r, p, r->stage + line);
            add_batch<PARTS::CAREFUL>(sums[0], batch, one);
        }
        before = r->stage;
        ring_advance(r, PARTS::STEP, T::STAGES);
    }
    wgmma_wait_for(exact);
    if (p->first < p->end)
        release_stage<COLUMNS, ROWS, ABREAST>(r, p, before + HIGHS);
    end_sums<PARTS::CAREFUL>(sums[0], batch, exact, put_back(PARTS(), known, BATCH));
}

#endif
#endif
