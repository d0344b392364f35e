/*
 * tensor_tf32_hopper.cuh - against tensor_tf32, the tensor cores get their operands from shared
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
 */
#ifndef LAB2_TENSOR_TF32_HOPPER_CUH
#define LAB2_TENSOR_TF32_HOPPER_CUH

#include "hopper.cuh"
#include "tensor_tf32.cuh" /* to_tf32() */

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
    WIDE_SHARED_BYTES = WIDE_STAGES * WIDE_STAGE_BYTES + 1024,
    WIDE_THREADS = 3 * GROUP
};

/* The first row and column of the pair's t-th tile: eight rows of tiles at a time, for L2's sake.
 */
__device__ inline void wide_tile_at(int t, shape s, int *m, int *n)
{
    enum { BAND = 8 };
    const int tall = (s.height + WIDE_M - 1) / WIDE_M;
    const int wide = (s.width + WIDE_PAIR * WIDE_N - 1) / (WIDE_PAIR * WIDE_N);
    const int band = t / (BAND * wide), in_band = t % (BAND * wide);
    const int height = min(BAND, tall - band * BAND);
    *m = (band * BAND + in_band % height) * WIDE_M;
    *n = (in_band / height * WIDE_PAIR + (int)cluster_rank()) * WIDE_N;
}

__host__ __device__ inline int wide_tiles(shape s)
{
    const int wide = WIDE_PAIR * WIDE_N;
    return (s.height + WIDE_M - 1) / WIDE_M * ((s.width + wide - 1) / wide);
}

__device__ inline void copy_wide_tiles(ring r, const CUtensorMap *a, const CUtensorMap *b, shape s)
{
    enum { HALF = WIDE_M / WIDE_PAIR };
    const int rank = (int)cluster_rank(), end = wide_tiles(s);
    for (int t = blockIdx.x / WIDE_PAIR; t < end; t += gridDim.x / WIDE_PAIR) {
        int m, n;
        wide_tile_at(t, s, &m, &n);
        for (int k = 0; k < s.depth; k += WIDE_K) {
            const uint32_t full = r.full + 8 * r.stage, to = r.stages + r.stage * WIDE_STAGE_BYTES;
            barrier_wait(r.empty + 8 * r.stage, r.phase ^ 1);
            barrier_expect(full, WIDE_STAGE_BYTES);
            copy_box_to((1 << WIDE_PAIR) - 1, to + rank * HALF * 128, a, full, k, m + rank * HALF);
            for (int i = 0; i < 4; i++)
                copy_box(to + WIDE_A_BYTES + i * WIDE_BOX_BYTES, b, full, n + 32 * i, k);
            ring_advance(&r, 1, WIDE_STAGES);
        }
    }
}

/* A thread's numbers of B, four for each 8 of k, from a stage; `b` is where its group's boxes are.
 */
__device__ inline void fetch_columns(uint32_t (&columns)[WIDE_K / 8][4], uint32_t b)
{
    const int warp = threadIdx.x % GROUP / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < WIDE_K / 8 * 4; i++) {
        const int k = i / 4 * 8 + t + i % 4 / 2 * 4; /* k % 8 is the same for each second i */
        const int chunk = 4 * (g / 4) + 2 * (warp % 2) + i % 2; /* of 16 bytes */
        const uint32_t at = warp / 2 * WIDE_BOX_BYTES + k * 128 + (chunk ^ k % 8) * 16 + g % 4 * 4;
        columns[i / 4][i % 4] = to_tf32(shared_load(b + at));
    }
#pragma unroll
    for (int i = 0; i < WIDE_K / 8 * 4; i++) /* all of them are there before a product begins */
        asm volatile("" : "+r"(columns[i / 4][i % 4])::"memory");
}

/* One stage: fetched while the one before is multiplied, which is done when this one has begun. */
__device__ inline void multiply_stage(ring *r, float (&sums)[128],
                                      uint32_t (&columns)[WIDE_K / 8][4], bool first)
{
    const int group = threadIdx.x / GROUP - 1, stage = r->stage;
    const uint32_t from = r->stages + stage * WIDE_STAGE_BYTES;
    const uint64_t rows = tile_descriptor(from);
    barrier_wait(r->full + 8 * stage, r->phase);
    fetch_columns(columns, from + WIDE_A_BYTES + group * 2 * WIDE_BOX_BYTES);
    products_begin();
#pragma unroll
    for (int i = 0; i < WIDE_K / 8; i++)
        multiply_tf32(sums, columns[i], rows + i * NEXT_32_BYTES, !first || i > 0);
    products_end();
    products_wait<1>();
    ring_advance(r, 1, WIDE_STAGES);
    if (!first && threadIdx.x % GROUP < WIDE_PAIR) /* both blocks copy into the stage before */
        barrier_arrive(r->empty + 8 * ((stage + WIDE_STAGES - 1) % WIDE_STAGES),
                       threadIdx.x % GROUP);
}

/* All of k: sums of a group's 64 columns and 256 rows. */
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
    products_wait<0>();
    if (threadIdx.x % GROUP < WIDE_PAIR)
        barrier_arrive(r->empty + 8 * ((r->stage + WIDE_STAGES - 1) % WIDE_STAGES),
                       threadIdx.x % GROUP);
}

/*
 * Four lanes that have four consecutive columns, 4, 8 and 12 lanes apart, each with the same four
 * rows, swap them: each then has the four columns of one row, the one whose number is its g % 4.
 */
__device__ inline float4 swap_4x4(float x0, float x1, float x2, float x3)
{
    const bool second = threadIdx.x & 4, upper = threadIdx.x & 8;
    const float y0 = __shfl_xor_sync(~0u, second ? x0 : x1, 4);
    const float y1 = __shfl_xor_sync(~0u, second ? x2 : x3, 4);
    const float a = second ? y0 : x0, b = second ? x1 : y0; /* row 0 or 1: two columns */
    const float c = second ? y1 : x2, d = second ? x3 : y1; /* row 2 or 3 */
    const float z0 = __shfl_xor_sync(~0u, upper ? a : c, 8);
    const float z1 = __shfl_xor_sync(~0u, upper ? b : d, 8);
    return upper ? make_float4(z0, z1, c, d) : make_float4(a, b, z0, z1);
}

__device__ inline void store_4(float *c, shape s, int m, int n, float4 v)
{
    float *to = c + (size_t)m * s.width + n;
    if (m >= s.height)
        return;
    if (n + 4 <= s.width && s.width % 4 == 0) {
        __stcs((float4 *)to, v);
    } else {
        const float x[] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (n + i < s.width)
                to[i] = x[i];
    }
}

/* sums[4 j + 2 i + c] is that of the i-th of a thread's two columns and row 8 j + 2 t + c. */
__device__ inline void store_wide_tile(const float (&sums)[128], float *c, shape s, int m, int n)
{
    const int group = threadIdx.x / GROUP - 1, warp = threadIdx.x % GROUP / 32;
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int column = n + 64 * group + 32 * (warp / 2) + 16 * (g / 4) + 8 * (warp % 2);
    const int row = m + 8 * (g % 4 / 2) + 2 * t + g % 2;
#pragma unroll
    for (int j = 0; j < 32; j += 2)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float *v = sums + 4 * j + 2 * i;
            store_4(c, s, row + 8 * j, column + 4 * i, swap_4x4(v[0], v[1], v[4], v[5]));
        }
}

__global__ void __launch_bounds__(WIDE_THREADS, 1)
    tensor_tf32_hopper(const __grid_constant__ CUtensorMap map_a,
                       const __grid_constant__ CUtensorMap map_b, float *c, shape s)
{
#ifdef HOPPER_CODE
    extern __shared__ uint8_t dynamic[];
    __shared__ uint64_t barriers[2 * WIDE_STAGES];
    const uint32_t start = (shared_address(dynamic) + 1023) / 1024 * 1024;
    ring r = {start, shared_address(barriers), shared_address(barriers + WIDE_STAGES), 0, 0};
    if (threadIdx.x == 0)
        create_ring(&r, WIDE_STAGES, 2 * WIDE_PAIR);
    __syncthreads();
    cluster_meet();
    wait_for_kernel_before();
    if (threadIdx.x < GROUP) {
        give_registers<24>();
        if (threadIdx.x == 0)
            copy_wide_tiles(r, &map_a, &map_b, s);
    } else {
        take_registers<240>();
        const int end = wide_tiles(s);
        for (int t = blockIdx.x / WIDE_PAIR; t < end; t += gridDim.x / WIDE_PAIR) {
            float sums[128];
            int m, n;
            multiply_wide_tile(&r, sums, s.depth);
            wide_tile_at(t, s, &m, &n);
            store_wide_tile(sums, c, s, m, n);
        }
    }
    cluster_meet(); /* nobody leaves while the other block may still arrive here */
#endif
}

/* ---- on the host ---------------------------------------------------------------------------- */

typedef struct wide_plan {
    tensor_map map_a, map_b;
    int blocks;
} wide_plan;

/* The copy engine wants rows that start at multiples of 16 bytes. */
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
    int device, multiprocessors;
    wide_plan *plan = (wide_plan *)allocate(sizeof *plan);
    if (is_padded(p)) {
        a = l->workspace;
        b = (const char *)a + padded_row(s.depth) * s.height;
    }
    plan->map_a =
        tensor_map_of(a, sizeof(float), s.depth, s.height, padded_row(s.depth), WIDE_M / WIDE_PAIR);
    plan->map_b = tensor_map_of(b, sizeof(float), s.width, s.depth, padded_row(s.width), WIDE_K);
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const int most = multiprocessors / WIDE_PAIR, tiles = wide_tiles(s);
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
    void *arguments[] = {&plan->map_a, &plan->map_b, &c, &s};
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

static size_t wide_shared_bytes(const problem *, dim3)
{
    return WIDE_SHARED_BYTES;
}

#define release_wide free
#else
#define launch_wide       NULL
#define plan_wide         NULL
#define release_wide      NULL
#define refuse_wide       NULL
#define wide_bytes        NULL
#define wide_shared_bytes NULL
#endif
#endif
