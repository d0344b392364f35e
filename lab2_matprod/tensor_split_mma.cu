/*
 * tensor_split_mma.cu - tensor_split's idea (tensor_split.cu) by mma.sync, for any card since
 * capability 8.0: x = high + low in FP16, a b = high high + high low + low high.
 *
 * Three kernels: the largest magnitude of each column of B; the split of both matrices, where a
 * warp finds that of its row of A itself; the product, or the same in FP32, of what these parts
 * will not do for. Thirds of BF16 it has none. The kernels learn it from the verdict in memory.
 *
 *                B: 128 columns          A block of 8 warps makes 128 x 128 results, a warp
 *             +----+----+----+----+      64 x 32 of them: 4 x 4 pieces of 16 x 8. A stage is 32 of
 *    A     64 | w0 | w1 | w2 | w3 |      k, 32 KB, of which three lie in shared memory: two are on
 *   128       +----+----+----+----+      their way while one is multiplied. That is 96 KB, which
 *  rows    64 | w4 | w5 | w6 | w7 |      the smallest of these cards has for a block.
 *             +----+----+----+----+
 *
 * A warp holds B's 32 columns of a stage, high and low, in 32 registers and goes down its rows: for
 * 16 of them it loads A, 16 registers, and adds up all 24 products of a batch, 32 of k, beginning
 * at zero; low products first, so that they are not cut off by the high ones. Then the batch is
 * added in FP32 to sums in registers, 64 of them, and 64 more keep sums of 256 of k apart.
 *
 * A's rows in a stage are 128 bytes, 64 of high parts and 64 of low ones; B's stay rows of 128
 * columns, which ldmatrix turns on their side. The sixteens of bytes of a row have the last three
 * bits of their number changed by the row's (exclusive or): eight rows that ldmatrix reads at a
 * time lie in 32 banks.
 *
 * It makes the promise of tensor_split: what is left out, how sums are made and when the parts will
 * not do are the same.
 */
#include "mma_operands.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_memory.cuh"
#include "warp_tile.cuh"

#ifdef HAVE_HOPPER

enum {
    MMA_K = 32,           /* of k: a stage, and what tensor cores add up */
    MMA_STAGES = 3,       /* in shared memory */
    MMA_APART = 256,      /* of k, whose sums are kept apart */
    TWO_SIXTEENS = 2 * 16 /* bytes: 16 of k, or of columns */
};

/* Sixteens of bytes: A's of high parts, then of low ones; B's high parts, then its low ones. */
typedef struct mma_stage {
    uint4 a[MMA_SIDE][8], b[2][MMA_K][MMA_SIDE / 8];
} mma_stage;

/* ---- the product ---------------------------------------------------------------------------- */

/* The first sixteen bytes that a thread copies of a tile's stages. */
typedef struct mma_source {
    const uint8_t *a;
    const uint16_t *b;
} mma_source;

__device__ inline mma_source source_of(const mma_operands &from, const place &p, shape s)
{
    const int i = threadIdx.x, part = i % 8 / 4, width = whole_tiles(s.width);
    return {from.a + (size_t)(p.m + i / 8) * pitch<fp16_parts>(s.depth) + part * LINE_BYTES +
                i % 4 * sizeof(uint4),
            from.b + (size_t)(i / 16) * 2 * width + p.n + i % 16 * 8};
}

/* Starts the copies of a stage, four sixteens of bytes a thread of A, and four of B. */
__device__ inline void fetch_stage(mma_stage *to, mma_source *from, int step, shape s)
{
    const int i = threadIdx.x, row = i / 8, k = i / 16, width = whole_tiles(s.width);
    const uint8_t *a = from->a;
#pragma unroll
    for (int j = 0; j < 4; j++, a += 32 * (size_t)pitch<fp16_parts>(s.depth))
        copy_async<16>(&to->a[row + 32 * j][i % 8 ^ row % 8], a, true);
#pragma unroll
    for (int j = 0; j < 4; j++) /* high, low; high and low of 16 of k further on */
        copy_async<16>(&to->b[j % 2][k + j / 2 * 16][i % 16 ^ k % 8],
                       from->b + (j / 2 * 32 + j % 2) * (size_t)width, true);
    from->b += 2 * MMA_K * (size_t)width;
    from->a += step % 2 ? LINE_BYTES / 2 * 3 : LINE_BYTES / 2;
}

/* Adds 16 rows' products with 32 columns of 32 of k: pieces of 16 x 8 side by side. */
__device__ inline void multiply_16x32(float (&batch)[4][4], const uint32_t (&a)[2][4],
                                      const uint32_t (&b)[2][8])
{
#pragma unroll
    for (int i = 0; i < 8; i++)
        mma_m16n8k16_f16(batch[i % 4], a[i / 4], b[i / 4] + i % 4 * 2);
}

/* Multiplies a stage by a warp, of factors of which those in LOW have low parts; adds `more` times
 * the batch to its sums. */
template <int LOW>
__device__ inline void multiply_stage(const mma_stage *at, float more, float (&sums)[64])
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane % 16;
    const uint32_t of_a = shared_address(&at->a[warp / 4 * 64 + row][lane / 16 ^ lane % 8]);
    const uint32_t of_b = shared_address(&at->b[0][row][(warp % 4 * 4 + lane / 16) ^ lane % 8]);
    uint32_t a[2][2][4], b[2][2][8]; /* high, low; 16 of k each */
#pragma unroll
    for (int i = 0; i < (LOW & OF_B ? 8 : 4); i++)
        ldmatrix_x4_trans(b[i / 4][i / 2 % 2] + i % 2 * 4,
                          (of_b ^ i % 2 * TWO_SIXTEENS) + i / 2 * (16 * (int)sizeof at->b[0][0]));
#pragma unroll
    for (int m = 0; m < 4; m++) {
        float batch[4][4] = {};
#pragma unroll
        for (int i = 0; i < (LOW & OF_A ? 4 : 2); i++)
            ldmatrix_x4(a[i / 2][i % 2],
                        (of_a ^ i * TWO_SIXTEENS) + m * (16 * (int)sizeof at->a[0]));
        if (LOW & OF_A)
            multiply_16x32(batch, a[1], b[0]);
        if (LOW & OF_B)
            multiply_16x32(batch, a[0], b[1]);
        multiply_16x32(batch, a[0], b[0]);
#pragma unroll
        for (int i = 0; i < 16; i++)
            sums[16 * m + i] = fmaf(batch[i / 4][i % 4], more, sums[16 * m + i]);
    }
}

/* Makes a warp's 64 sums a thread. What truncation takes is put back as in fp16_parts.cuh. */
template <int LOW>
__device__ inline void multiply_by_mma(mma_stage *stages, mma_source from, bool put_back, shape s,
                                       float (&sums)[64])
{
    const int steps = padded_k<fp16_parts>(s.depth) / MMA_K;
    float kept[64] = {};
#pragma unroll
    for (int i = 0; i < 64; i++)
        sums[i] = 0;
    for (int i = 0; i < MMA_STAGES - 1; i++) { /* there are two at least */
        fetch_stage(stages + i, &from, i, s);
        copy_async_commit();
    }
#pragma unroll 1
    for (int step = 0, now = 0; step < steps; step++, now = now == MMA_STAGES - 1 ? 0 : now + 1) {
        const int next = step + MMA_STAGES - 1;
        copy_async_wait<MMA_STAGES - 2>();
        __syncthreads(); /* nobody reads the stage before any more */
        if (next < steps)
            fetch_stage(stages + (now == 0 ? MMA_STAGES - 1 : now - 1), &from, next, s);
        copy_async_commit();
        multiply_stage<LOW>(stages + now, put_back && step % 2 == 0 && step % 8 ? 1 + 0x1p-23f : 1,
                            sums);
        if (step % (MMA_APART / MMA_K) == MMA_APART / MMA_K - 1)
            move_sums(sums, kept);
    }
#pragma unroll
    for (int i = 0; i < 64; i++)
        sums[i] += kept[i];
}

/* Stores a warp's results, two neighbours at a time where rows allow it. */
__device__ inline void store_by_mma(const mma_operands &from, const place &p, float *c, shape s,
                                    const float (&sums)[64])
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int m = p.m + warp / 4 * 64 + lane / 4, n = p.n + warp % 4 * 32 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int x = n + 8 * j;
        const unscale left = unscale_for<fp16_parts>(from.column[x]);
        const unscale right = unscale_for<fp16_parts>(from.column[x + 1]);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const int y = m + 8 * i;
            const float *sum = sums + i / 2 * 16 + j * 4 + i % 2 * 2;
            if (y >= s.height)
                continue;
            const unscale row = unscale_for<fp16_parts>(from.row[y]);
            const float v = scaled_back<fp16_parts>(sum[0], row, left.x, left.y);
            const float w = scaled_back<fp16_parts>(sum[1], row, right.x, right.y);
            float *to = c + (size_t)y * s.width + x;
            if (s.width % 2 == 0 && x < s.width)
                *(float2 *)to = make_float2(v, w);
            else {
                set_c(c, s, y, x, v);
                set_c(c, s, y, x + 1, w);
            }
        }
    }
}

constexpr tiling with_promoted_sums(tiling t)
{
    t.promoted = 6;
    return t;
}

constexpr tiling promoted = with_promoted_sums(sliced);

/* Makes a tile in FP32, by tiles that are half as tall. */
__device__ inline void make_in_fp32(float4 *room, const float *a, const float *b, float *c,
                                    const place &p, shape s)
{
    static_assert(promoted.stages * sizeof(slab_of<promoted>) <= MMA_STAGES * sizeof(mma_stage));
#pragma unroll 1
    for (int m = 0; m < MMA_SIDE && p.m + m < s.height; m += promoted.rows) {
        __syncthreads();
        make_any_tile<promoted>(room, a, b, c, s, 0, s.depth, p.m + m, p.n);
    }
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* tensor_split_mma: a block makes a tile, by parts or in FP32. */
__global__ void __launch_bounds__(MMA_THREADS, 1)
    tensor_split_mma(const float *a, const float *b, float *c, mma_operands from, shape s)
{
#if __CUDA_ARCH__ >= 800
    extern __shared__ __align__(128) uint8_t stages[];
    const facts known = read_verdict(from.found);
    const bool in_parts = way_of(known) == BY_FP16;
    if (threadIdx.x == 0)
        close_verdict(from.found, known, in_parts ? BY_FP16 : BY_FP32, false);
    __shared__ place p; /* registers are for sums */
    if (threadIdx.x == 0) {
        place of_tile = {};
        place_at<MMA_SIDE, 1, 1>(&of_tile, blockIdx.x, s);
        p = of_tile;
    }
    __syncthreads();
    if (!in_parts) {
        make_in_fp32((float4 *)stages, a, b, c, p, s);
        return;
    }
    const mma_source source = source_of(from, p, s);
    const bool put_back = !may_be_exact(known);
    const int low = low_factors(known);
    mma_stage *ring = (mma_stage *)stages;
    float sums[64];
    if (low == (OF_A | OF_B))
        multiply_by_mma<OF_A | OF_B>(ring, source, put_back, s, sums);
    else if (low == OF_A)
        multiply_by_mma<OF_A>(ring, source, put_back, s, sums);
    else if (low == OF_B)
        multiply_by_mma<OF_B>(ring, source, put_back, s, sums);
    else
        multiply_by_mma<0>(ring, source, put_back, s, sums);
    store_by_mma(from, p, c, s, sums);
#endif
}

/* ---- the launch ----------------------------------------------------------------------------- */

static size_t mma_workspace(const problem *p)
{
    mma_operands none;
    return (size_t)(place_operands(&none, NULL, shape_of(p)) - (uint8_t *)NULL);
}

static void *plan_mma(const problem *, const launch *)
{
    return new_verdict();
}

static void release_mma(void *found)
{
    last_verdict = NULL;
    CUDA_RELEASE(cudaFree(found));
}

static void launch_tensor_split_mma(const problem *p, const launch *l)
{
    const shape s = shape_of(p);
    const float *a = (float *)l->buffer[A], *b = (float *)l->buffer[B];
    const int width = whole_tiles(s.width), strips = width / MMA_SIDE * MMA_STRIP_PARTS;
    mma_operands to;
    place_operands(&to, (uint8_t *)l->workspace, s);
    to.found = (verdict *)l->plan;
    CUDA_CHECK(cudaMemsetAsync(to.column, 0, width * sizeof *to.column, l->stream));
    largest_of_columns<<<strips, l->block, 0, l->stream>>>(b, to.column, s);
    CUDA_CHECK(cudaGetLastError());
    split_for_mma<<<strips + blocks_for(s.height, WARPS), l->block, 0, l->stream>>>(a, b, to,
                                                                                    strips, s);
    CUDA_CHECK(cudaGetLastError());
    tensor_split_mma<<<tiles_of<MMA_SIDE, 1, 1>(s), l->block, l->shared_bytes, l->stream>>>(
        a, b, (float *)l->buffer[C], to, s);
    CUDA_CHECK(cudaGetLastError());
    last_verdict = to.found;
}

#endif

static const accuracy mma_accuracy = {
    .median = true, .promises = true, .way = BUILT(HAVE_HOPPER, fp16_way)};

const variant tensor_split_mma_variant = GPU_VARIANT(
    "tensor_split_mma", "FP32's accuracy from FP16 tensor cores by mma.sync",
    BUILT(HAVE_HOPPER, launch_tensor_split_mma), .needs = "the tensor cores of a GPU",
    .architecture = "sm_80", .own_block = 256, /* MMA_THREADS */
    .kernel = BUILT(HAVE_HOPPER, (const void *)tensor_split_mma),
    .shared_bytes = BUILT(HAVE_HOPPER, shared_of<MMA_STAGES * sizeof(mma_stage)>),
    .workspace_bytes = BUILT(HAVE_HOPPER, mma_workspace), .plan_once = BUILT(HAVE_HOPPER, plan_mma),
    .release = BUILT(HAVE_HOPPER, release_mma), .own = &mma_accuracy);
