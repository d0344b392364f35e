/*
 * tensor_tf32_hopper.cu - against tensor_tf32, the tensor cores get their operands from shared
 * memory (wgmma), copies are the copy engine's (TMA), and one warpgroup does nothing else.
 *
 * wgmma takes TF32 from shared memory only with consecutive k. A's rows are so, B's columns are
 * not. So what is made is C', the transposed product, of B' and A': the first operand of a wgmma
 * may come from registers, which fetch it from wherever it lies; the second is A as it is.
 *
 *              A: 256 rows, from shared memory      a stage: 256 lines of A, 32 of k each: 32 KB
 *            +-----------------------------+        and four boxes of B, 32 of k x 32 columns,
 *   B     64 |  group 1                    |        16 KB. A ring of four stages: one thread of
 *   128      +-----------------------------+        group 0 copies into what is free, the groups
 *   columns  |  group 2                    |        1 and 2 multiply what has arrived.
 *   64       +-----------------------------+
 *
 * Registers: 128 sums, and B's part of two stages, 16 each: while the tensor cores work with one, a
 * thread fetches the other and rounds it. The blocks of a pair, beside one another in C, each copy
 * half of A's lines to both.
 *
 * Which of the 64 columns a thread has is free: row 16 w + g + 8 i of warp w's wgmma is column
 * 32 (w / 2) + 16 (g / 4) + 4 (2 (w % 2) + i) + g % 4 of the group's. With the copies' swizzle the
 * 32 lanes then read 32 different banks.
 *
 * All blocks are done with a tile at the same time, and L2 then takes what it can. So the results
 * go by the copy engine, in whole lines, from 32 KB of shared memory, and its last pieces leave
 * while the next tile is multiplied, for which four stages have come in the meantime.
 */
#include <stdlib.h>

#include "matprod.h"
#include "ptx/cluster.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"
#include "ring.cuh"
#include "tensor.cuh" /* to_tf32() */

#ifdef HAVE_HOPPER

enum {
    WIDE_M = 256,  /* rows of a block's tile of C */
    WIDE_N = 128,  /* its columns */
    WIDE_K = 32,   /* of k a stage: a line of 128 bytes */
    WIDE_PAIR = 2, /* blocks that share A */
    WIDE_A_BYTES = WIDE_M * 128,
    WIDE_BOX_BYTES = WIDE_K * 128, /* of B */
    WIDE_STAGE_BYTES = WIDE_A_BYTES + 4 * WIDE_BOX_BYTES,
    WIDE_STAGES = 4,
    WIDE_GROUP_N = WIDE_N / 2, /* columns of a group */
    WIDE_PIECE = 32,           /* rows that it stores at a time */
    WIDE_PIECE_BYTES = WIDE_PIECE * WIDE_GROUP_N * (int)sizeof(float),
    WIDE_SHARED_BYTES = WIDE_STAGES * WIDE_STAGE_BYTES + 4 * WIDE_PIECE_BYTES + 1024,
    WIDE_THREADS = HOPPER_THREADS
};

/* Finds the first row and column of the pair's t-th tile: eight rows of tiles at a time, for L2's
 * sake.
 */
__device__ inline void wide_tile_at(int t, shape s, int *m, int *n)
{
    enum { BAND = 8 };
    const int tall = (s.height + WIDE_M - 1) / WIDE_M;
    const int wide = (s.width + WIDE_PAIR * WIDE_N - 1) / (WIDE_PAIR * WIDE_N);
    const int band = t / (BAND * wide), in_band = t % (BAND * wide);
    const int height = min(BAND, tall - band * BAND);
    *m = (band * BAND + in_band % height) * WIDE_M;
    *n = (in_band / height * WIDE_PAIR + (int)cluster_ctarank()) * WIDE_N;
}

__host__ __device__ inline int wide_tiles(shape s)
{
    const int wide = WIDE_PAIR * WIDE_N;
    return (s.height + WIDE_M - 1) / WIDE_M * ((s.width + wide - 1) / wide);
}

__device__ inline void copy_wide_tiles(ring r, const CUtensorMap *a, const CUtensorMap *b, shape s)
{
    enum { HALF = WIDE_M / WIDE_PAIR };
    const int rank = (int)cluster_ctarank(), end = wide_tiles(s);
    for (int t = blockIdx.x / WIDE_PAIR; t < end; t += gridDim.x / WIDE_PAIR) {
        int m, n;
        wide_tile_at(t, s, &m, &n);
        for (int k = 0; k < s.depth; k += WIDE_K) {
            const uint32_t full = r.full + 8 * r.stage, to = r.stages + r.stage * WIDE_STAGE_BYTES;
            mbarrier_wait(r.empty + 8 * r.stage, r.phase ^ 1);
            mbarrier_arrive_expect_tx(full, WIDE_STAGE_BYTES);
            cp_async_bulk_tensor_multicast((1 << WIDE_PAIR) - 1, to + rank * HALF * 128, a, full, k,
                                           m + rank * HALF);
            for (int i = 0; i < 4; i++)
                cp_async_bulk_tensor(to + WIDE_A_BYTES + i * WIDE_BOX_BYTES, b, full, n + 32 * i,
                                     k);
            ring_advance(&r, 1, WIDE_STAGES);
        }
    }
}

/* Fetches a thread's numbers of B, four for each 8 of k, from a stage; `b` is where its group's
 * boxes are. */
__device__ inline void fetch_columns(uint32_t (&columns)[WIDE_K / 8][4], uint32_t b)
{
    const int warp = threadIdx.x % WARPGROUP / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < WIDE_K / 8 * 4; i++) {
        const int k = i / 4 * 8 + t + i % 4 / 2 * 4; /* k % 8 is the same for each second i */
        const int chunk = 4 * (g / 4) + 2 * (warp % 2) + i % 2; /* of 16 bytes */
        const uint32_t at = warp / 2 * WIDE_BOX_BYTES + k * 128 + (chunk ^ k % 8) * 16 + g % 4 * 4;
        columns[i / 4][i % 4] = to_tf32(ld_shared(b + at));
    }
#pragma unroll
    for (int i = 0; i < WIDE_K / 8 * 4; i++) /* all of them are there before a product begins */
        asm volatile("" : "+r"(columns[i / 4][i % 4])::"memory");
}

/* Multiplies a stage, fetched while the one before is: that is done when this one has begun. */
__device__ inline void multiply_stage(ring *r, float (&sums)[128],
                                      uint32_t (&columns)[WIDE_K / 8][4], bool first)
{
    const int group = threadIdx.x / WARPGROUP - 1, stage = r->stage;
    const uint32_t from = r->stages + stage * WIDE_STAGE_BYTES;
    const uint64_t rows = wgmma_swizzled(from);
    mbarrier_wait(r->full + 8 * stage, r->phase);
    fetch_columns(columns, from + WIDE_A_BYTES + group * 2 * WIDE_BOX_BYTES);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < WIDE_K / 8; i++)
        wgmma_m64n256k8_tf32(sums, columns[i], rows + i * NEXT_32_BYTES, !first || i > 0);
    wgmma_commit_group();
    wgmma_wait_group<1>();
    ring_advance(r, 1, WIDE_STAGES);
    if (!first && threadIdx.x % WARPGROUP < WIDE_PAIR) /* both blocks copy into the stage before */
        mbarrier_arrive_cluster(r->empty + 8 * ((stage + WIDE_STAGES - 1) % WIDE_STAGES),
                                threadIdx.x % WARPGROUP);
}

/* Sums up all of k for a group's 64 columns and 256 rows. */
__device__ inline void multiply_wide_tile(ring *r, float (&sums)[128], int depth)
{
    uint32_t even[WIDE_K / 8][4], odd[WIDE_K / 8][4];
    const int stages = (depth + WIDE_K - 1) / WIDE_K;
    for (int k = 0; k + 1 < stages; k += 2) {
        multiply_stage(r, sums, even, k == 0);
        multiply_stage(r, sums, odd, false);
    }
    if (stages % 2)
        multiply_stage(r, sums, even, stages == 1);
    wgmma_wait_group<0>();
    if (threadIdx.x % WARPGROUP < WIDE_PAIR)
        mbarrier_arrive_cluster(r->empty + 8 * ((r->stage + WIDE_STAGES - 1) % WIDE_STAGES),
                                threadIdx.x % WARPGROUP);
}

/*
 * Leaves 32 rows of a group's results in one of two rooms in shared memory, taken in turns: two
 * boxes side by side, of 32 columns, in the copies' swizzle. sums[4 j + 2 i + c] is that of the
 * i-th of a thread's two columns and row 8 j + 2 t + c. Half of the lanes take the other c first:
 * the 32 lanes then write 32 different banks.
 */
__device__ inline void leave_piece(const float *sums, int thread, uint32_t room)
{
    const int warp = thread % WARPGROUP / 32, g = thread % 32 / 4, t = thread % 4;
    const int other = g / 4, chunk = 4 * (g / 4) + 2 * (warp % 2);
    const uint32_t box = room + warp / 2 * (WIDE_PIECE_BYTES / 2) + g % 4 * 4;
#pragma unroll
    for (int n = 0; n < 4; n++) {
        const int row = 2 * t + (n % 2 ^ other);
        const uint32_t at = box + row * 128 + (chunk + n / 2 ^ row) * 16;
#pragma unroll
        for (int j = 0; j < WIDE_PIECE / 8; j++)
            st_shared(at + j * 8 * 128, other ? sums[4 * j + (n ^ 1)] : sums[4 * j + n]);
    }
}

/* Stores a piece by threads, where C's rows do not start at multiples of 16 bytes, as the copy
 * engine wants them. */
__device__ inline void store_piece(float *c, shape s, int m, int n, uint32_t room)
{
    for (int i = threadIdx.x % WARPGROUP; i < WIDE_PIECE * WIDE_GROUP_N; i += WARPGROUP) {
        const int row = i / WIDE_GROUP_N, x = i % WIDE_GROUP_N;
        const uint32_t box = room + x / 32 * WIDE_PIECE_BYTES / 2;
        if (m + row < s.height && n + x < s.width)
            c[(size_t)(m + row) * s.width + n + x] =
                ld_shared(box + row * 128 + (x % 32 / 4 ^ row % 8) * 16 + x % 4 * 4);
    }
}

/* Stores a tile; while its last pieces are on their way, the group is at the next one. */
__device__ inline void store_wide_tile(const float (&sums)[128], uint32_t rooms,
                                       const CUtensorMap *map, float *c, shape s, int m, int n)
{
    int thread = threadIdx.x;
    asm volatile("" : "+r"(thread)); /* what follows is worked out here, not kept in registers */
    const int group = thread / WARPGROUP - 1;
    const bool first = thread % WARPGROUP == 0, by_box = s.width % 4 == 0;
    rooms += group * 2 * WIDE_PIECE_BYTES;
    n += group * WIDE_GROUP_N;
#pragma unroll
    for (int i = 0; i < WIDE_M / WIDE_PIECE; i++) {
        const uint32_t room = rooms + i % 2 * WIDE_PIECE_BYTES;
        const int row = m + i * WIDE_PIECE;
        if (first)
            cp_async_bulk_wait_group_read<1>();
        named_barrier_sync(1 + group, WARPGROUP); /* the room is free */
        leave_piece(sums + i * (WIDE_PIECE / 8 * 4), thread, room);
        fence_proxy_async();
        named_barrier_sync(1 + group, WARPGROUP);
        if (!by_box) {
            store_piece(c, s, row, n, room);
        } else if (first) {
            cp_async_bulk_tensor_store(map, room, n, row);
            cp_async_bulk_tensor_store(map, room + WIDE_PIECE_BYTES / 2, n + 32, row);
            cp_async_bulk_commit_group();
        }
    }
}

__global__ void __launch_bounds__(WIDE_THREADS, 1)
    tensor_tf32_hopper(const __grid_constant__ CUtensorMap map_a,
                       const __grid_constant__ CUtensorMap map_b,
                       const __grid_constant__ CUtensorMap map_c, float *c, shape s)
{
#ifdef HOPPER_CODE
    extern __shared__ uint8_t dynamic[];
    __shared__ uint64_t barriers[2 * WIDE_STAGES];
    const uint32_t start = (shared_address(dynamic) + 1023) / 1024 * 1024;
    ring r = {start, shared_address(barriers), shared_address(barriers + WIDE_STAGES), 0, 0};
    if (threadIdx.x == 0)
        create_ring(&r, WIDE_STAGES, 2 * WIDE_PAIR);
    __syncthreads();
    cluster_sync_relaxed();
    griddepcontrol_wait();
    if (threadIdx.x < WARPGROUP) {
        setmaxnreg_dec<24>();
        if (threadIdx.x == 0)
            copy_wide_tiles(r, &map_a, &map_b, s);
    } else {
        setmaxnreg_inc<240>();
        const int end = wide_tiles(s);
        for (int t = blockIdx.x / WIDE_PAIR; t < end; t += gridDim.x / WIDE_PAIR) {
            float sums[128];
            int m, n;
            multiply_wide_tile(&r, sums, s.depth);
            wide_tile_at(t, s, &m, &n);
            store_wide_tile(sums, start + WIDE_STAGES * WIDE_STAGE_BYTES, &map_c, c, s, m, n);
        }
    }
    cluster_sync_relaxed(); /* nobody leaves while the other block may still arrive here */
    cp_async_bulk_wait_group_read<0>();
#endif
}

/* ---- on the host ---------------------------------------------------------------------------- */

typedef struct wide_plan {
    tensor_map map_a, map_b, map_c;
    int blocks;
} wide_plan;

/* Returns the bytes of a row, up to a multiple of 16, as the copy engine wants rows to start. */
static inline size_t padded_row(int columns)
{
    return (size_t)(columns + 3) / 4 * 4 * sizeof(float);
}

static inline bool is_padded(const problem *p)
{
    return p->width % 4 || p->depth % 4;
}

static size_t wide_bytes(const problem *p)
{
    return is_padded(p) ? padded_row(p->depth) * p->height + padded_row(p->width) * p->depth : 0;
}

static void *plan_wide(const problem *p, const launch *l)
{
    shape s = shape_of(p);
    const void *a = l->buffer[A], *b = l->buffer[B];
    wide_plan *plan = (wide_plan *)allocate(sizeof *plan);
    if (is_padded(p)) {
        a = l->workspace;
        b = (const char *)a + padded_row(s.depth) * s.height;
    }
    plan->map_a =
        tensor_map_of(a, sizeof(float), s.depth, s.height, padded_row(s.depth), WIDE_M / WIDE_PAIR);
    plan->map_b = tensor_map_of(b, sizeof(float), s.width, s.depth, padded_row(s.width), WIDE_K);
    plan->map_c = tensor_map_of(l->buffer[C], sizeof(float), s.width, s.height, padded_row(s.width),
                                WIDE_PIECE); /* if width % 4 is 0 */
    const int most = multiprocessors() / WIDE_PAIR, tiles = wide_tiles(s);
    plan->blocks = (tiles < most ? tiles : most) * WIDE_PAIR;
    CUDA_CHECK(cudaFuncSetAttribute(tensor_tf32_hopper, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    WIDE_SHARED_BYTES));
    return plan;
}

static void launch_wide(const problem *p, const launch *l)
{
    wide_plan *plan = (wide_plan *)l->plan;
    shape s = shape_of(p);
    float *c = (float *)l->buffer[C];
    void *arguments[] = {&plan->map_a, &plan->map_b, &plan->map_c, &c, &s};
    if (is_padded(p)) {
        const size_t a_row = padded_row(s.depth), b_row = padded_row(s.width);
        char *a = (char *)l->workspace, *b = a + a_row * s.height;
        CUDA_CHECK(cudaMemcpy2DAsync(a, a_row, l->buffer[A], s.depth * sizeof(float),
                                     s.depth * sizeof(float), s.height, cudaMemcpyDeviceToDevice,
                                     l->stream));
        CUDA_CHECK(cudaMemcpy2DAsync(b, b_row, l->buffer[B], s.width * sizeof(float),
                                     s.width * sizeof(float), s.depth, cudaMemcpyDeviceToDevice,
                                     l->stream));
    }
    cluster_launch((const void *)tensor_tf32_hopper, arguments, plan->blocks, WIDE_THREADS,
                   WIDE_SHARED_BYTES, WIDE_PAIR, l->stream);
}

static const char *refuse_wide(const problem *, dim3)
{
    return hopper_refuses((const void *)tensor_tf32_hopper);
}

#endif

const variant tensor_tf32_hopper_variant = GPU_VARIANT(
    "tensor_tf32_hopper", "TF32, not FP32: wgmma from shared memory, TMA, clusters",
    BUILT(HAVE_HOPPER, launch_wide), HOPPER_ONLY,
    .kernel = BUILT(HAVE_HOPPER, (const void *)tensor_tf32_hopper),
    .shared_bytes = BUILT(HAVE_HOPPER, shared_of<WIDE_SHARED_BYTES>),
    .workspace_bytes = BUILT(HAVE_HOPPER, wide_bytes), .refuse = BUILT(HAVE_HOPPER, refuse_wide),
    .plan = BUILT(HAVE_HOPPER, plan_wide), .release = free, .own = &tf32_accuracy);
