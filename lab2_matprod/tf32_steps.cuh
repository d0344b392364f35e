/*
 * tf32_steps.cuh - what the rungs from tf32_wgmma to tensor_tf32_hopper share: a group's part of a
 * tile, how it lies in shared memory, its products by wgmma, its results; and on the host matrices
 * as the copy engine (TMA) can read them.
 *
 * wgmma takes TF32 from shared memory only with consecutive k. A's rows are so, B's columns are
 * not. So what is made is C', the transposed product, of B' and A': the first operand of a wgmma
 * may come from registers, which fetch it from wherever it lies; the second is A as it is.
 *
 *              A: 256 rows, from shared memory      a stage: 256 lines of A, 32 of k each: 32 KB,
 *            +-----------------------------+        and for each group two boxes of B, 32 of k x
 *   B     64 |  a group                    |        32 columns: 8 KB
 *   columns  +-----------------------------+
 *
 * A stage's products take the tensor cores 512 cycles a group: 256 x 64 x 32 multiply-adds, 1024 a
 * cycle. Registers: 128 sums, and B's part of a stage, 16, or of two.
 *
 * Which of the 64 columns a thread has is free: row 16 w + g + 8 i of warp w's wgmma is column
 * 32 (w / 2) + 16 (g / 4) + 4 (2 (w % 2) + i) + g % 4 of the group's. With the copies' swizzle the
 * 32 lanes then read 32 different banks.
 */
#ifndef LAB2_TF32_STEPS_CUH
#define LAB2_TF32_STEPS_CUH

#include <stdlib.h>

#include "matprod.h"
#include "ptx/cluster.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"
#include "ring.cuh"
#include "tensor.cuh" /* to_tf32() */

enum {
    GROUP_M = 256, /* rows of C that a group makes, and a tile has */
    GROUP_N = 64,  /* columns of a group; of a tile as often as it has groups */
    STAGE_K = 32,  /* of k a stage: a line of 128 bytes */
    A_BYTES = GROUP_M * 128,
    BOX_BYTES = STAGE_K * 128, /* of B */
    PIECE_M = 32,              /* rows of C that the copy engine stores at a time */
    PAIR = 2,                  /* blocks of a cluster, which share A */
    BAND = 8,                  /* rows of tiles that it works down, for L2's sake */
    COPYING_REGISTERS = 24,    /* of a producer's threads, which hand back the others: */
    GROUPS_REGISTERS = 240     /* of those of the two groups that multiply */
};

/* Returns the bytes of a stage, and those of some stages from the next multiple of 1024 on. */
__host__ __device__ constexpr int stage_bytes(int groups)
{
    return A_BYTES + groups * 2 * BOX_BYTES;
}

__host__ __device__ constexpr int stages_bytes(int groups, int stages)
{
    return stages * stage_bytes(groups) + 1024;
}

#ifdef HAVE_HOPPER

/* ---- shared memory -------------------------------------------------------------------------- */

/* Returns where the stages begin in dynamic shared memory: a swizzle is of 1024 bytes. */
__device__ inline uint32_t stages_in(const void *dynamic)
{
    return (shared_address(dynamic) + 1023) / 1024 * 1024;
}

/*
 * Returns where an element lies in a box with lines of 128 bytes. Line l has its chunk c of 16
 * bytes at c ^ l % 8: so the copy engine leaves them, and wgmma and fetch_columns() look for them;
 * the same chunk of eight lines is then in different banks.
 */
__device__ inline uint32_t swizzled(int line, int element)
{
    return line * 128 + (element / 4 ^ line % 8) * 16 + element % 4 * 4;
}

/* Fetches a thread's numbers of B, four for each 8 of k, from a stage; `b` is where its group's
 * boxes are. */
__device__ inline void fetch_columns(uint32_t (&columns)[STAGE_K / 8][4], uint32_t b)
{
    const int warp = threadIdx.x % WARPGROUP / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < STAGE_K / 8 * 4; i++) {
        const int k = i / 4 * 8 + t + i % 4 / 2 * 4; /* k % 8 is the same for each second i */
        const int chunk = 4 * (g / 4) + 2 * (warp % 2) + i % 2; /* swizzled(k, 4 chunk + g % 4): */
        const uint32_t at = warp / 2 * BOX_BYTES + k * 128 + (chunk ^ k % 8) * 16 + g % 4 * 4;
        columns[i / 4][i % 4] = to_tf32(ld_shared(b + at));
    }
#pragma unroll
    for (int i = 0; i < STAGE_K / 8 * 4; i++) /* all of them are there before a product begins */
        asm volatile("" : "+r"(columns[i / 4][i % 4])::"memory");
}

/* ---- products ------------------------------------------------------------------------------- */

/* Issues a stage's products of its lines of A and a group's columns. */
__device__ inline void issue_products(float (&sums)[128], const uint32_t (&columns)[STAGE_K / 8][4],
                                      uint64_t rows, bool first)
{
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < STAGE_K / 8; i++)
        wgmma_m64n256k8_tf32(sums, columns[i], rows + i * NEXT_32_BYTES, !first || i > 0);
    wgmma_commit_group();
}

/* Multiplies a stage by a group's columns, to the end. */
__device__ inline void multiply_alone(float (&sums)[128], uint32_t stage, int group, bool first)
{
    uint32_t columns[STAGE_K / 8][4];
    fetch_columns(columns, stage + A_BYTES + group * 2 * BOX_BYTES);
    issue_products(sums, columns, wgmma_swizzled(stage), first);
    wgmma_wait_for(sums);
}

/* Says of the stage before the ring's that the group is done with it, to all blocks that copy into
 * it. */
template <int STAGES, int BLOCKS>
__device__ inline void release_stage_before(const ring *r, int stage)
{
    if (threadIdx.x % WARPGROUP < BLOCKS)
        mbarrier_arrive_cluster(r->empty + 8 * ((stage + STAGES - 1) % STAGES),
                                threadIdx.x % WARPGROUP);
}

/* Multiplies a stage, fetched while the one before is: that is done when this one has begun. */
template <int STAGES, int BLOCKS>
__device__ inline void multiply_stage(ring *r, float (&sums)[128],
                                      uint32_t (&columns)[STAGE_K / 8][4], bool first)
{
    const int group = threadIdx.x / WARPGROUP - 1, stage = r->stage;
    const uint32_t from = r->stages + stage * stage_bytes(2);
    const uint64_t rows = wgmma_swizzled(from);
    mbarrier_wait(r->full + 8 * stage, r->phase);
    fetch_columns(columns, from + A_BYTES + group * 2 * BOX_BYTES);
    issue_products(sums, columns, rows, first);
    wgmma_wait_group<1>();
    ring_advance(r, 1, STAGES);
    if (!first)
        release_stage_before<STAGES, BLOCKS>(r, stage);
}

/* Sums up all of k for a group's part of a tile, of which BLOCKS blocks share A. */
template <int STAGES, int BLOCKS>
__device__ inline void multiply_columns(ring *r, float (&sums)[128], int depth)
{
    uint32_t even[STAGE_K / 8][4], odd[STAGE_K / 8][4];
    const int stages = (depth + STAGE_K - 1) / STAGE_K;
    for (int k = 0; k + 1 < stages; k += 2) {
        multiply_stage<STAGES, BLOCKS>(r, sums, even, k == 0);
        multiply_stage<STAGES, BLOCKS>(r, sums, odd, false);
    }
    if (stages % 2)
        multiply_stage<STAGES, BLOCKS>(r, sums, even, stages == 1);
    wgmma_wait_group<0>();
    release_stage_before<STAGES, BLOCKS>(r, r->stage);
}

/* ---- copies and results --------------------------------------------------------------------- */

/* Has the copy engine bring a stage, which arrives at `full`. Of blocks that share A each brings a
 * part of its lines to all. */
template <int GROUPS, int BLOCKS>
__device__ inline void copy_stage(uint32_t to, uint32_t full, const CUtensorMap *a,
                                  const CUtensorMap *b, int m, int n, int k)
{
    enum { PART = GROUP_M / BLOCKS };
    const int rank = BLOCKS == 1 ? 0 : (int)cluster_ctarank();
    mbarrier_arrive_expect_tx(full, stage_bytes(GROUPS));
    if (BLOCKS == 1)
        cp_async_bulk_tensor(to, a, full, k, m);
    else
        cp_async_bulk_tensor_multicast((1 << BLOCKS) - 1, to + rank * PART * 128, a, full, k,
                                       m + rank * PART);
    for (int i = 0; i < 2 * GROUPS; i++)
        cp_async_bulk_tensor(to + A_BYTES + i * BOX_BYTES, b, full, n + 32 * i, k);
}

/*
 * Stores a group's results: sums[4 j + 2 i + c] is that of the i-th of a thread's two columns and
 * row 8 j + 2 t + c. Four lanes store 16 bytes side by side.
 */
__device__ inline void store_results(const float (&sums)[128], float *c, shape s, int m, int n)
{
    const int warp = threadIdx.x % WARPGROUP / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int first = n + 32 * (warp / 2) + 16 * (g / 4) + 8 * (warp % 2) + g % 4;
#pragma unroll
    for (int i = 0; i < 128; i++) {
        const int y = m + i / 4 * 8 + 2 * t + i % 2, x = first + i % 4 / 2 * 4;
        if (y < s.height && x < s.width)
            c[(size_t)y * s.width + x] = sums[i];
    }
}

/* ---- tiles ---------------------------------------------------------------------------------- */

/* Returns how many tiles C has, of BLOCKS blocks beside one another, each of two groups. */
template <int BLOCKS>
__host__ __device__ inline int count_tiles(shape s)
{
    const int wide = BLOCKS * 2 * GROUP_N;
    return (s.height + GROUP_M - 1) / GROUP_M * ((s.width + wide - 1) / wide);
}

/* Finds the first row and column of a block in the t-th of them; they go down columns of `ROWS`
 * tiles. */
template <int BLOCKS, int ROWS>
__device__ inline void tile_at(int t, shape s, int *m, int *n)
{
    const int tall = (s.height + GROUP_M - 1) / GROUP_M;
    const int wide = (s.width + BLOCKS * 2 * GROUP_N - 1) / (BLOCKS * 2 * GROUP_N);
    const int rank = BLOCKS == 1 ? 0 : (int)cluster_ctarank();
    const int band = t / (ROWS * wide), in_band = t % (ROWS * wide);
    const int height = min(ROWS, tall - band * ROWS);
    *m = (band * ROWS + in_band % height) * GROUP_M;
    *n = (in_band / height * BLOCKS + rank) * 2 * GROUP_N;
}

/* Copies all stages of all tiles that a block makes, as they become free: one thread's work. */
template <int STAGES, int BLOCKS, int ROWS>
__device__ inline void bring_tiles(ring r, const CUtensorMap *a, const CUtensorMap *b, shape s)
{
    const int end = count_tiles<BLOCKS>(s);
    for (int t = blockIdx.x / BLOCKS; t < end; t += gridDim.x / BLOCKS) {
        int m, n;
        tile_at<BLOCKS, ROWS>(t, s, &m, &n);
        for (int k = 0; k < s.depth; k += STAGE_K) {
            mbarrier_wait(r.empty + 8 * r.stage, r.phase ^ 1);
            copy_stage<2, BLOCKS>(r.stages + r.stage * stage_bytes(2), r.full + 8 * r.stage, a, b,
                                  m, n, k);
            ring_advance(&r, 1, STAGES);
        }
    }
}

/* ---- on the host ---------------------------------------------------------------------------- */

typedef struct tf32_plan {
    tensor_map map_a, map_b, map_c;
    int multiprocessors;
} tf32_plan;

/* Returns the bytes of a row, up to a multiple of 16, as the copy engine wants rows to start. */
static inline size_t padded_row(int columns)
{
    return (size_t)(columns + 3) / 4 * 4 * sizeof(float);
}

static inline bool is_padded(const problem *p)
{
    return p->width % 4 || p->depth % 4;
}

/* Returns room for A and B with such rows. */
static inline size_t padded_bytes(const problem *p)
{
    return is_padded(p) ? padded_row(p->depth) * p->height + padded_row(p->width) * p->depth : 0;
}

/* Describes A, B and C to the copy engine; BLOCKS blocks share A. */
template <int BLOCKS>
static void *plan_maps(const problem *p, const launch *l)
{
    shape s = shape_of(p);
    const void *a = l->buffer[A], *b = l->buffer[B];
    tf32_plan *plan = (tf32_plan *)allocate(sizeof *plan);
    if (is_padded(p)) {
        a = l->workspace;
        b = (const char *)a + padded_row(s.depth) * s.height;
    }
    plan->map_a =
        tensor_map_of(a, sizeof(float), s.depth, s.height, padded_row(s.depth), GROUP_M / BLOCKS);
    plan->map_b = tensor_map_of(b, sizeof(float), s.width, s.depth, padded_row(s.width), STAGE_K);
    plan->map_c = tensor_map_of(l->buffer[C], sizeof(float), s.width, s.height, padded_row(s.width),
                                PIECE_M); /* if width % 4 is 0 */
    plan->multiprocessors = multiprocessors();
    return plan;
}

/* Copies A and B to where their rows are padded, if theirs are not as the copy engine wants them.
 */
static inline void pad_rows(const problem *p, const launch *l)
{
    const shape s = shape_of(p);
    const size_t a_row = padded_row(s.depth), b_row = padded_row(s.width);
    char *a = (char *)l->workspace, *b = a + a_row * s.height;
    if (!is_padded(p))
        return;
    CUDA_CHECK(cudaMemcpy2DAsync(a, a_row, l->buffer[A], s.depth * sizeof(float),
                                 s.depth * sizeof(float), s.height, cudaMemcpyDeviceToDevice,
                                 l->stream));
    CUDA_CHECK(cudaMemcpy2DAsync(b, b_row, l->buffer[B], s.width * sizeof(float),
                                 s.width * sizeof(float), s.depth, cudaMemcpyDeviceToDevice,
                                 l->stream));
}

/* Launches a rung's kernel in clusters of so many blocks. */
static inline void launch_step(const problem *p, const launch *l, dim3 blocks, int cluster)
{
    tf32_plan *plan = (tf32_plan *)l->plan;
    shape s = shape_of(p);
    float *c = (float *)l->buffer[C];
    void *arguments[] = {&plan->map_a, &plan->map_b, &c, &s};
    pad_rows(p, l);
    cluster_launch(l->kernel, arguments, blocks, (int)l->block.x, l->shared_bytes, cluster,
                   l->stream);
}

/* Launches a block for each tile of so many groups, row by row. */
template <int GROUPS>
static void launch_each_tile(const problem *p, const launch *l)
{
    launch_step(p, l, grid_over(p->width, p->height, dim3(GROUPS * GROUP_N, GROUP_M)), 1);
}

/* Returns a block for each multiprocessor, or for each tile of BLOCKS blocks if these are fewer. */
template <int BLOCKS>
static int resident_blocks(const problem *p, const launch *l)
{
    const int most = ((const tf32_plan *)l->plan)->multiprocessors / BLOCKS;
    const int tiles = count_tiles<BLOCKS>(shape_of(p));
    return (tiles < most ? tiles : most) * BLOCKS;
}

/* Launches these, which take tile after tile. */
template <int BLOCKS>
static void launch_resident(const problem *p, const launch *l)
{
    launch_step(p, l, dim3(resident_blocks<BLOCKS>(p, l)), BLOCKS);
}

template <auto *KERNEL>
static const char *refuse_step(const problem *, dim3)
{
    return hopper_refuses((const void *)KERNEL);
}

#endif

/* What such a rung's GPU_VARIANT has: kernel, threads, stages of so many groups; BLOCKS share A. */
#define TF32_STEP(program, threads, groups, stages, blocks)                                        \
    HOPPER_BLOCK(threads),                                                                         \
        .kernel = BUILT(HAVE_HOPPER, (const void *)program),                                       \
        .shared_bytes = BUILT(HAVE_HOPPER, shared_of<stages_bytes(groups, stages)>),               \
        .workspace_bytes = BUILT(HAVE_HOPPER, padded_bytes),                                       \
        .refuse = BUILT(HAVE_HOPPER, refuse_step<program>),                                        \
        .plan = BUILT(HAVE_HOPPER, plan_maps<blocks>), .release = free, .own = &tf32_accuracy

#endif
