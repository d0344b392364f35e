/*
 * tensor_mixed.cu - against tensor_split, the products with low parts are of bytes: what they add
 * is less than 2^-11 of a sum, and eight bits of that are FP32's last. Of four units of the tensor
 * cores' time where three products in FP16, or six of digits, take six.
 *
 * A row of A, a column of B is scaled so that its largest magnitude is just below 2048. A number x
 * is rounded to FP16, h; what that cuts off, at most 1/2, is rounded to a byte, l / 254, and the
 * number itself to another, roughly, g * 2048 / 127:
 *
 *   x = h + l / 254 + ...     x y = h h'  +  2048 / (127 * 254) (l g' + g l')  +  ...
 *                                   FP16     bytes, in one exact sum of 32 bits
 *
 * K <= 65536 cannot overflow that sum: 2 K 127^2 < 2^31.
 *
 * The promise is tensor_split's. What is lost, in u of both largest numbers, a product:
 *
 *   l's rounding    9 rms, of each factor: 1 / 254 / sqrt(12) of 2048
 *   g's rounding    7 rms, of each: 16 / sqrt(12) of 2048, by what FP16 cuts off of the other one,
 *                   2^-12.4 rms
 *
 * in the mean square; `rms` is that of a row's numbers by its largest, 0.58 if they are uniform.
 * These have no sign that data could give them: all of A at k is multiplied by a number at random
 * from 1 to 65/64, all of B at k is divided by it. Of K terms they add up to 16 rms sqrt(K) u of
 * the largest product. (Factors up to 17/16, as digits have, would make it a tenth more.)
 * A row is even here if with its mean magnitude, by its largest, 16 rms / (sqrt(K) mean^2) is 0.8
 * or less: uniform numbers are from K = 2200 on, and all their parts, which chance makes less even,
 * from 3072; normal ones, of which a few among millions are six deviations large, would be from
 * 35000 on. A is judged by 1024 numbers of a row at a time,
 * B by an eighth of a column: fewer would be uneven by chance. Whether large numbers of both meet,
 * the split finds out by a sample (split_pairs.cuh). It takes k of 3072 or more, and it is never
 * exact: what FP32 may sum without rounding, and uneven rows, are made of thirds
 * (tensor_thirds.cuh).
 *
 * The tensor cores' sums of 64 of k are added up in registers, as tensor_split's are (truncation,
 * rounding: there). While they are, the products of bytes go on: each group issues FP16's, then the
 * bytes', and waits for the first alone. No turns are needed.
 */
#include "mixed_parts.cuh"
#include "split_launch.cuh"

#ifdef HAVE_HOPPER

__device__ inline int lines_of(mixed_parts, int, facts)
{
    return OF_A | OF_B;
}

/* Issues FP16's products of BATCH of k. */
template <int BATCH>
__device__ inline void multiply_high(float (&batch)[64], uint64_t a, uint64_t b)
{
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BATCH / 16 * NEXT_32_BYTES; k += NEXT_32_BYTES)
        wgmma_m64n128k16_f16(batch, a + k, b + k, k > 0);
    wgmma_commit_group();
}

/* Issues those of bytes: of low ones, in the second half of a line, by rough ones. */
template <int BATCH>
__device__ inline void multiply_bytes(int (&sums)[64], uint64_t a, uint64_t b)
{
    enum { LOWS = 2 * NEXT_32_BYTES };
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < BATCH / 32 * NEXT_32_BYTES; k += NEXT_32_BYTES) {
        wgmma_m64n128k32_s8(sums, a + LOWS + k, b + k);
        wgmma_m64n128k32_s8(sums, a + k, b + LOWS + k);
    }
    wgmma_commit_group();
}

/*
 * Returns by what a batch's sum is multiplied, so that what truncation takes from sums of one sign
 * is put back: some 2.5 u of 64 of k, all of it, half of 1.5 u of 32 (as fp16_parts.cuh has it), on
 * the average of four steps.
 */
template <int BATCH>
__device__ inline float put_back(int step, int of)
{
    if (BATCH == 64)
        return step % 4 ? 1 + 0x1p-23f : 1 + 0x1p-22f;
    return step % 4 && of == 0 ? 1 + 0x1p-23f : 1;
}

/*
 * Makes a group's 64 rows of a tile. Batches have 64 of k where tiles are in pairs: there are so
 * many of them that the library's sums have all of k, and far larger errors; elsewhere 32, which
 * takes a twelfth more time.
 */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void multiply_tile(mixed_parts, ring *r, const place *p, facts,
                                     float (&sums)[1][64])
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    enum { STAGE = T::STAGE_BYTES / 16, BATCH = T::SHARING > 1 ? 64 : 32, LAST = 64 / BATCH - 1 };
    const int group = threadIdx.x / WARPGROUP - 1;
    const uint64_t a0 = wgmma_swizzled(r->stages + group * 64 * LINE_BYTES);
    const uint64_t b0 = wgmma_swizzled(r->stages + T::A_BYTES);
    float batch[64]; /* FP16's sums, in the tensor cores' care */
    int exact[64];   /* of bytes */
    int before = 0;  /* the step before's first stage */
#pragma unroll
    for (int i = 0; i < 64; i++)
        sums[0][i] = exact[i] = 0;
    for (int k = p->first; k < p->end; k += mixed_parts::STEP) {
        const int at = r->stage * STAGE;
        const uint32_t full = r->full + 8 * r->stage;
        mbarrier_wait(full, r->phase);
#pragma unroll
        for (int of = 0; of <= LAST; of++) {
            const int high = at + of * (BATCH / 16 * NEXT_32_BYTES);
            const int bytes = at + STAGE + of * (BATCH / 32 * NEXT_32_BYTES);
            const float more = put_back<BATCH>(k / mixed_parts::STEP, of);
            multiply_high<BATCH>(batch, a0 + high, b0 + high);
            if (of == 0)
                mbarrier_wait(full + 8, r->phase);
            multiply_bytes<BATCH>(exact, a0 + bytes, b0 + bytes);
            wgmma_wait_for<1>(batch);
            if (of == 0 && k > p->first) /* the bytes of the step before are multiplied, too */
                release_stage<COLUMNS, ROWS, ABREAST>(r, p, before + 1);
            if (of == LAST)
                release_stage<COLUMNS, ROWS, ABREAST>(r, p, r->stage);
#pragma unroll
            for (int i = 0; i < 64; i++)
                sums[0][i] = fmaf(batch[i], more, sums[0][i]);
        }
        before = r->stage;
        ring_advance(r, mixed_parts::STEP, T::STAGES);
    }
    wgmma_wait_for(exact);
    if (p->first < p->end)
        release_stage<COLUMNS, ROWS, ABREAST>(r, p, before + 1);
    constexpr float UNIT = 1 / (mixed_parts::ROUGH * mixed_parts::LOW);
#pragma unroll
    for (int i = 0; i < 64; i++)
        sums[0][i] = fmaf((float)exact[i], UNIT, sums[0][i]);
}

split_plan plan_mixed(shape s, void *workspace, verdict *found)
{
    return split_plan_of<mixed_parts>(s, workspace, found);
}

static const char *mixed_way()
{
    return split_way("as FP16 and bytes");
}

#endif

static const accuracy split_accuracy = {
    .median = true, .promises = true, .way = BUILT(HAVE_HOPPER, mixed_way)};

const variant tensor_mixed_variant =
    SPLIT_VARIANT("tensor_mixed", "FP32's accuracy from FP16 and bytes, for long even rows",
                  mixed_parts, &split_accuracy);
