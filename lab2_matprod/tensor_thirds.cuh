/*
 * tensor_thirds.cuh - the third kernel of tensor_split and of tensor_int8_slices, for data that
 * their parts will not do for: rows with next to nothing beside their largest numbers (triangular,
 * sparse, one-hot, scaled along k). BF16 has FP32's range, so that nothing need be known of rows.
 *
 * The second kernel has split each number in three of BF16, x = x1 + x2 + x3, all 24 bits of it
 * (bf16_thirds.cuh). Six products of nine are made, twice those of tensor_split:
 *
 *     x y = x1 y1  +  (x1 y2 + x2 y1 + x2 y2 + x1 y3 + x3 y1)  +  ...
 *           high      low
 *
 * The promise is tensor_split's. Of a product x y is lost, in u of |x y|:
 *
 *   x2 y3, x3 y2, x3 y3   at most 2; 0.2 in the mean square of numbers as they come
 *   truncation            high products have 16 bits, and those of 16 of k nearly always no more
 *                         than the 24 that the tensor cores keep; low ones are 2^-8 of them
 *   rounding              high products of 16 of k are added to sums in registers, and what that
 *                         cuts off to the next 16: long sums have no larger errors
 *
 * What FP32 sums without rounding is exact: numbers of no more than 24 bits together have no third
 * to be left out. (Numbers that are all one and the same, chosen for their thirds, could have a
 * median of 2 u in sums of one term.) Infinities, NaN and numbers beyond 2^-87 to 2^15, or 2^-63 to
 * 2^39 if some are large, make it FP64: this kernel is the last one (fp64_tile.cuh).
 *
 * It is compiled for whole products in tensor_thirds.cu, for panels in panel_thirds.cu.
 */
#ifndef LAB2_TENSOR_THIRDS_CUH
#define LAB2_TENSOR_THIRDS_CUH

#include "split_plan.cuh"

#ifdef HAVE_HOPPER

__device__ inline int lines_of(bf16_thirds, int, facts)
{
    return OF_A | OF_B;
}

__device__ inline box_place stage_of_b(bf16_thirds, int stage, int n)
{
    return {n, stage * bf16_thirds::WHOLE_K};
}

/* Sets what undoes the scale: the same for all rows and all columns. */
template <int COLUMNS>
__device__ inline void fetch_unscale(bf16_thirds, tile_unscale<COLUMNS> *to, const split_matrices *,
                                     const place *, facts known)
{
    const int i = threadIdx.x - WARPGROUP;
    const unscale by = {power_of_2(-thirds_scale(known)), 1};
    if (i < TILE_ROWS)
        to->row[i] = by;
    if (i < COLUMNS)
        to->column[i] = by;
}

/* Adds the products of two stages, A's third i and B's third j, for 16 of k. */
template <int STAGE>
__device__ inline void multiply_thirds(float (&sums)[64], uint64_t a, uint64_t b, int i, int j)
{
    wgmma_m64n128k16_bf16_rows(sums, a + i * (STAGE / 16), b + j * (STAGE / 16), true);
}

/* Adds to sums, and leaves what rounding cuts off: exactly, where the sum is the larger one
 * (Dekker's FastTwoSum). */
__device__ inline void add_exactly(float (&sums)[64], float (&more)[64])
{
#pragma unroll
    for (int i = 0; i < 64; i++) {
        const float before = sums[i];
        sums[i] = before + more[i];
        more[i] -= sums[i] - before;
    }
}

/* Makes a group's 64 rows of a tile. */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void multiply_tile(bf16_thirds, ring *r, const place *p, facts,
                                     float (&sums)[1][64])
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    enum { BATCHES = bf16_thirds::WHOLE_K / 16, NEXT_OF_B = 16 * NEXT_ROW_OF_128_BYTES };
    const int group = warp_uniform(threadIdx.x / WARPGROUP) - 1;
    const uint64_t a0 = wgmma_swizzled(r->stages + group * 64 * LINE_BYTES);
    const uint64_t b0 = wgmma_swizzled(r->stages + T::A_BYTES, 64 * LINE_BYTES);
    float high[64], low[64]; /* of 16 of k, with what was cut off before; of all */
#pragma unroll
    for (int i = 0; i < 64; i++)
        sums[0][i] = high[i] = low[i] = 0;
    for (int k = p->first; k < p->end; k += bf16_thirds::STEP) {
        const uint64_t at = r->stage * (T::STAGE_BYTES / 16);
        for (int i = 0; i < bf16_thirds::STEP; i++)
            mbarrier_wait(r->full + 8 * (r->stage + i), r->phase);
#pragma unroll
        for (int n = 0; n < BATCHES; n++) {
            const uint64_t a = a0 + at + n * NEXT_32_BYTES, b = b0 + at + n * NEXT_OF_B;
            take_turn();
            wgmma_fence();
            multiply_thirds<T::STAGE_BYTES>(high, a, b, 0, 0);
            multiply_thirds<T::STAGE_BYTES>(low, a, b, 1, 1);
            multiply_thirds<T::STAGE_BYTES>(low, a, b, 0, 1);
            multiply_thirds<T::STAGE_BYTES>(low, a, b, 1, 0);
            multiply_thirds<T::STAGE_BYTES>(low, a, b, 0, 2);
            multiply_thirds<T::STAGE_BYTES>(low, a, b, 2, 0);
            wgmma_commit_group();
            give_turn();
            wgmma_wait_for(high);
            wgmma_wait_for(low);
            add_exactly(sums[0], high);
        }
        for (int i = 0; i < bf16_thirds::STEP; i++)
            release_stage<COLUMNS, ROWS, ABREAST>(r, p, r->stage + i);
        ring_advance(r, bf16_thirds::STEP, T::STAGES);
    }
#pragma unroll
    for (int i = 0; i < 64; i++)
        sums[0][i] += high[i] + low[i];
}

template <int ROWS, class S>
static product_plan plan_in(const split_matrices &packed, const S &s)
{
    product_plan plan;
    plan_tiles<bf16_thirds, 128, ROWS, 1, true>(&plan, packed, s, 1, multiprocessors());
    return plan;
}

/* Plans pairs of blocks, which share B's lines, if there are enough of them and they are worth it;
 * else single ones. */
template <class S>
static product_plan plan_best(const split_matrices &packed, const S &s)
{
    const bool enough = 4 * tiles_of<128, 2, 1>(s) >= 3 * multiprocessors();
    return enough && are_worth_it<128, 2, 1>(s, multiprocessors()) ? plan_in<2>(packed, s)
                                                                   : plan_in<1>(packed, s);
}
#endif

#endif
