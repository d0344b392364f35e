/*
 * tensor_split.cu - FP32's accuracy from the FP16 tensor cores of compute capability 9.0.
 *
 * Each row of A and each column of B is multiplied by a power of two, so that its largest magnitude
 * lies in [2^14, 2^15), and each number is split in two of FP16, x = high + low, which together
 * keep 22 bits or more. Then a b = high high + high low + low high: three products in FP16 for one,
 * at a rate 15 times FP32's. The fourth, low low, is less than 2^-22 of the first and is left out.
 * Low parts are not scaled by themselves: all three products go into one sum.
 *
 * Two kernels, the second of which is set up while the first one ends:
 *
 *   split_operands   both matrices into packed lines of 128 bytes, 32 high parts and the 32 low
 *                    parts of the same k; B transposed, since wgmma wants k consecutive
 *   tensor_split     the product of the packed matrices
 *
 * Both take a whole product, or a panel of one (panel.cuh), whose product is added to C.
 *
 *              B: 256 columns                      a stage: 128 lines of A, 256 of B
 *            +--------+--------+                   k      0..31        0..31
 *            |  half  |  half  |                        +---------+---------+
 *            +--------+--------+                   line |  high   |   low   |  128 bytes
 *   A  +--+  +--------+--------+  group 1               +---------+---------+
 *  128 |  |  |        |        |  64 rows          48 KB a stage, a ring of four: one thread of
 *  rows|  |  +--------+--------+  group 2          group 0 copies (TMA) into stages that are free,
 *      +--+  |        |        |  64 rows          the groups 1 and 2 multiply what has arrived
 *            +--------+--------+
 *
 * The tensor cores add with truncation: sums that are kept there lose 2^-24 of themselves on the
 * average with each step, always towards zero. So they only keep those of two stages, 64 of k,
 * which are then added, rounded, to sums in FP32 registers ("promoted"), and what such a block
 * loses on the average is known and put back with that.
 *
 * Registers: 2 x 64 FP32 sums and the 64 of the tensor cores, which the two halves of the tile take
 * in turns, are 192 of a thread's 240; groups 1 and 2 have these because group 0 gives all but 24
 * of its own back. While one group adds up, the tensor cores work for the other.
 *
 * Blocks in a cluster share what they load: two blocks, one below the other, each copy half of B's
 * lines to both. Where the tiles are too few for the card, they have 128 columns, and the blocks
 * of a cluster each take a part of k and then add up each other's sums in a fixed order.
 *
 * Which data is it for? What is more than 2^16 times smaller than its row's largest keeps only an
 * absolute error, 2^-39 of that. A row (a column of B) is even if at most three eighths of it are
 * below 2^-7 of its largest. Where all are, a quarter of an element's products at least have two
 * large factors, and what the small ones lose is less than 2^-23 of |A||B|, whatever the data. The
 * split counts. Where a row is uneven, a number not finite or k short, which the second kernel
 * learns from a word in memory, it multiplies A and B as they are, in FP32, without tensor cores.
 */
#include "matprod.h"
#include "panel_split.h"
#include "split_launch.cuh"

#ifdef HAVE_HOPPER

/* What differs between this way and that of tensor_int8_slices.cuh. */
struct fp16_parts {
    enum {
        LARGEST = 14,   /* the largest magnitude of a row is scaled to [2^14, 2^15) */
        K_BYTES = 4,    /* of a packed line for each of k */
        WHOLE_K = 64,   /* packed lines hold multiples of it */
        STEP = 2,       /* stages that are multiplied together */
        SHORTEST_K = 64 /* for less the tensor cores are not worth it, nor is the bound */
    };
    static constexpr float FULL = 1; /* by which a scaled number is multiplied, too */
};

/*
 * Splits two neighbours in k, scaled: their largest is in [2^14, 2^15). The difference is exact.
 * Adds one to a half of `large` for each that is not below 2^-7 of that: FP16 counts to 2048.
 */
__device__ inline void split_2(float x, float y, unsigned *high, unsigned *low, __half2 *large)
{
    const __half2 h = __floats2half2_rn(x, y);
    const float2 rounded = __half22float2(h);
    const __half2 l = __floats2half2_rn(x - rounded.x, y - rounded.y);
    *high = *(const unsigned *)&h;
    *low = *(const unsigned *)&l;
    *large = __hadd2(*large, __hge2(__habs2(h), __float2half2_rn(128)));
}

/* Splits eight consecutive k into 16 bytes of high parts and, 64 bytes further on, 16 of low ones.
 */
__device__ inline void split_8(fp16_parts, const float *x, float scale, uint8_t *line, int k,
                               __half2 *large)
{
    uint4 high, low;
    split_2(x[0] * scale, x[1] * scale, &high.x, &low.x, large);
    split_2(x[2] * scale, x[3] * scale, &high.y, &low.y, large);
    split_2(x[4] * scale, x[5] * scale, &high.z, &low.z, large);
    split_2(x[6] * scale, x[7] * scale, &high.w, &low.w, large);
    uint8_t *to = line + k / LINE_K * LINE_BYTES + k % LINE_K * sizeof(__half);
    *(uint4 *)to = high;
    *(uint4 *)(to + LINE_BYTES / 2) = low;
}

__device__ inline void wait_for_two(const ring *r)
{
    mbarrier_wait(r->full + 8 * r->stage, r->phase);
    mbarrier_wait(r->full + 8 * r->stage + 8, r->phase);
}

/*
 * Issues all products of two stages for 64 rows and 128 columns, in units of 16 of k, which are 32
 * bytes of a line: 0 and 1 are high parts, 2 and 3 low ones. Small products first, so that they are
 * not cut off by the large ones. A group of them (wgmma_commit_group) is all that reads the first
 * stage.
 */
template <int STAGE>
__device__ inline void multiply_stages(float (&sums)[64], uint64_t a, uint64_t b)
{
    enum { STEPS = 2 * NEXT_32_BYTES, LOW = 2 * NEXT_32_BYTES };
    wgmma_fence();
#pragma unroll
    for (int stage = 0; stage < 2; stage++)
#pragma unroll
        for (int k = 0; k < STEPS; k += NEXT_32_BYTES) {
            const int at = stage * STAGE / 16 + k;
            wgmma_m64n128k16_f16(sums, a + at + LOW, b + at, stage + k > 0);
            wgmma_m64n128k16_f16(sums, a + at, b + at + LOW, 1);
        }
#pragma unroll
    for (int stage = 0; stage < 2; stage++) {
#pragma unroll
        for (int k = 0; k < STEPS; k += NEXT_32_BYTES)
            wgmma_m64n128k16_f16(sums, a + stage * STAGE / 16 + k, b + stage * STAGE / 16 + k, 1);
        wgmma_commit_group();
    }
}

/*
 * Makes a group's 64 rows of a tile: sums[h] are those of the tile's half h.
 *
 * What truncation takes from a block's sum, 1.8e-7 of it with numbers of one sign, as measured, is
 * put back by the multiply-add that promotes it: 2^-23 and 2^-22 of the block in turns.
 */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void multiply_tile(fp16_parts, ring *r, const place *p,
                                     float (&sums)[COLUMNS / 128][64])
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    const int group = threadIdx.x / WARPGROUP - 1;
    const uint64_t a0 = wgmma_swizzled(r->stages + group * 64 * LINE_BYTES);
    const uint64_t b0 = wgmma_swizzled(r->stages + T::A_BYTES);
    float block[64]; /* of 64 of k, in the tensor cores' care */
#pragma unroll
    for (int i = 0; i < T::HALVES * 64; i++)
        sums[i / 64][i % 64] = 0;
    if (p->first < p->end)
        wait_for_two(r);
    for (int k = p->first; k < p->end; k += 2) {
        const int stage = r->stage, at = stage * (T::STAGE_BYTES / 16);
        const float put_back = (k - p->first) % 4 ? 1 + 0x1p-22f : 1 + 0x1p-23f;
        ring_advance(r, 2, T::STAGES);
#pragma unroll
        for (int half = 0; half < T::HALVES; half++) {
            const bool last = half == T::HALVES - 1;
            multiply_stages<T::STAGE_BYTES>(block, a0 + at,
                                            b0 + at + half * 128 * NEXT_ROW_OF_128_BYTES);
            if (last && k + 2 < p->end)
                wait_for_two(r); /* while the tensor cores work */
            if (last) {
                wgmma_wait_group<1>();
                release_stage<COLUMNS, ROWS, ABREAST>(r, p, stage);
            }
            wgmma_wait_group<0>();
            if (last)
                release_stage<COLUMNS, ROWS, ABREAST>(r, p, stage + 1);
#pragma unroll
            for (int i = 0; i < 64; i++)
                sums[half][i] = fmaf(block[i], put_back, sums[half][i]);
        }
    }
}

/* Takes wide tiles in pairs, if there are enough to keep the card busy; else smaller ones. */
template <class S>
static void choose_tiles(fp16_parts, split_plan *plan, const S &s, int multiprocessors)
{
    enum { ENOUGH = 240 };
    if (tiles_of<128, 1, 1>(s) >= ENOUGH)
        plan_tiles<fp16_parts, 256, 2, 1>(plan, s, 1, multiprocessors);
    else
        plan_tiles<fp16_parts, 128, 1, 1>(plan, s, parts_of_k(s, multiprocessors), multiprocessors);
}

static const char *way()
{
    return split_way("as FP16 parts");
}

/* ---- panels, for several_gpus.cu ------------------------------------------------------------ */

#ifdef HAVE_RANKS
struct panel_split {
    verdict *found;
    split_plan plan[]; /* of each panel */
};

size_t panel_split_bytes(panel of)
{
    return split_bytes<fp16_parts>(of);
}

panel_split *panel_split_create(const panel *panels, int count, void *workspace)
{
    panel_split *s = (panel_split *)allocate(sizeof *s + (size_t)count * sizeof s->plan[0]);
    s->found = new_verdict();
    for (int i = 0; i < count; i++)
        s->plan[i] = split_plan_of<fp16_parts>(panels[i], workspace, s->found);
    return s;
}

void panel_split_free(panel_split *s)
{
    last_verdict = NULL;
    CUDA_RELEASE(cudaFree(s->found));
    free(s);
}

void panel_split_multiply(panel_split *s, int i, const float *a, const float *b, float *c, panel of,
                          cudaStream_t stream)
{
    multiply_split<fp16_parts>(&s->plan[i], a, b, c, of, stream);
}

const void *panel_split_kernel(dim3)
{
    return (const void *)tensor_split<fp16_parts, 256, 2, 1, panel>;
}

size_t panel_split_shared_bytes(const problem *p, dim3 block)
{
    return split_shared_bytes<256, 2, 1>(p, block);
}

const char *panel_split_refuse(const problem *p, dim3 block)
{
    return refuse_split<fp16_parts>(p, block);
}

const char *panel_split_way()
{
    return way();
}
#endif
#endif

static const accuracy split_accuracy = {.median = true, .way = BUILT(HAVE_HOPPER, way)};

/* The tiles that it has for large matrices. */
const variant tensor_split_variant =
    GPU_VARIANT("tensor_split", "FP32's accuracy from the FP16 tensor cores: high and low parts",
                BUILT(HAVE_HOPPER, launch_split<fp16_parts>), HOPPER_ONLY,
                .kernel = BUILT(HAVE_HOPPER, (const void *)tensor_split<fp16_parts, 256, 2, 1>),
                .shared_bytes = BUILT(HAVE_HOPPER, split_shared_bytes<256, 2, 1>),
                .workspace_bytes = BUILT(HAVE_HOPPER, split_workspace<fp16_parts>),
                .refuse = BUILT(HAVE_HOPPER, refuse_split<fp16_parts>),
                .plan_once = BUILT(HAVE_HOPPER, plan_split<fp16_parts>),
                .release = BUILT(HAVE_HOPPER, release_split), .own = &split_accuracy);
