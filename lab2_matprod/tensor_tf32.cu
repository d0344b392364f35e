/*
 * tensor_tf32.cu - the product on tensor cores by mma.sync, which every card since capability 8.0
 * has: D = A B + D for 16 x 8 results and 8 of k, by a warp, from its registers.
 *
 * TF32 has the range of FP32 and 11 bits of its 24: products are exact in FP32, sums are FP32's,
 * but the operands are rounded. This is no FP32 product; it has a bound of its own.
 *
 *                B: 128 columns          A block of 8 warps makes 128 x 128 results, a warp
 *             +----+----+----+----+      64 x 32 of them: 4 x 4 pieces of 16 x 8, 64 sums a
 *    A     64 | w0 | w1 | w2 | w3 |      thread. For 8 of k it reads 4 pieces of A and 4 of B
 *   128       +----+----+----+----+      from shared memory, 24 words a thread, for 16 mma.sync
 *  rows    64 | w4 | w5 | w6 | w7 |      of 1024 multiply-adds each. 16 of k lie in shared
 *             +----+----+----+----+      memory, twice: while the warps work on one, the next
 *                                        is on its way through 16 registers a thread.
 *
 * "Matrix Fragments for mma.m16n8k8" (PTX ISA): with g = lane / 4 and t = lane % 4, register r of A
 * holds row g + 8 (r % 2), k = t + 4 (r / 2); register r of B k = t + 4 r of column g; register r
 * of D row g + 8 (r / 2), column 2 t + r % 2. A's rows lie 20 words apart and B's 136, so that the
 * 32 lanes read 32 different banks.
 */
#include <stdint.h>

#include "matprod.h"
#include "ptx/mma.cuh"
#include "tensor.cuh"

enum {
    TF32_THREADS = 256,
    TF32_SIDE = 128, /* of a block's results */
    TF32_K = 16,     /* of k in shared memory at a time */
    TF32_A_PITCH = TF32_K + 4,
    TF32_B_PITCH = TF32_SIDE + 8
};

typedef struct tf32_tiles {
    uint32_t a[TF32_SIDE][TF32_A_PITCH], b[TF32_K][TF32_B_PITCH];
} tf32_tiles;

/* [exercise 2.7] */
/* Loads a thread's share of the next 16 of k: 8 numbers of a row of A, 8 of a row of B. */
__device__ inline void load_share(float4 (&next)[4], const float *a, const float *b, shape s, int m,
                                  int n, int k)
{
    const int y = m + threadIdx.x / 2, x = k + threadIdx.x % 2 * 8;
    const int row = k + threadIdx.x / 16, column = n + threadIdx.x % 16 * 4;
    for (int i = 0; i < 2; i++) {
        next[i] = load_4(a + (size_t)y * s.depth, x + 4 * i, y < s.height ? s.depth : 0);
        next[2 + i] =
            load_4(b + (size_t)row * s.width, column + 64 * i, row < s.depth ? s.width : 0);
    }
}

__device__ inline void store_share(tf32_tiles *to, const float4 (&next)[4])
{
    uint32_t *a = &to->a[threadIdx.x / 2][threadIdx.x % 2 * 8];
    uint32_t *b = &to->b[threadIdx.x / 16][threadIdx.x % 16 * 4];
    for (int i = 0; i < 2; i++) {
        *(uint4 *)(a + 4 * i) = make_uint4(to_tf32(next[i].x), to_tf32(next[i].y),
                                           to_tf32(next[i].z), to_tf32(next[i].w));
        *(uint4 *)(b + 64 * i) = make_uint4(to_tf32(next[2 + i].x), to_tf32(next[2 + i].y),
                                            to_tf32(next[2 + i].z), to_tf32(next[2 + i].w));
    }
}

/* Adds to a warp's 64 x 32 results all that shared memory has of k. */
__device__ inline void multiply_share(float (&sums)[4][4][4], const tf32_tiles *tiles)
{
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int m = warp / 4 * 64 + g, n = warp % 4 * 32 + g;
#pragma unroll
    for (int k = t; k < TF32_K; k += 8) {
        uint32_t a[4][4], b[4][2];
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int r = 0; r < 4; r++)
                a[i][r] = tiles->a[m + 16 * i + 8 * (r % 2)][k + 4 * (r / 2)];
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int r = 0; r < 2; r++)
                b[j][r] = tiles->b[k + 4 * r][n + 8 * j];
#pragma unroll
        for (int i = 0; i < 16; i++)
            mma_m16n8k8_tf32(sums[i / 4][i % 4], a[i / 4], b[i % 4]);
    }
}

/*
 * tensor_tf32: a block of 256 threads makes 128 x 128 results; any size, zeros beyond the edges.
 * One barrier a step: who stores the next tile has seen all leave the one before.
 */
__global__ void __launch_bounds__(TF32_THREADS, 2)
    tensor_tf32(const float *a, const float *b, float *c, shape s)
{
    __shared__ __align__(16) tf32_tiles tiles[2];
    const int m = blockIdx.y * TF32_SIDE, n = blockIdx.x * TF32_SIDE;
    float sums[4][4][4] = {};
    float4 next[4];
    load_share(next, a, b, s, m, n, 0);
    store_share(&tiles[0], next);
    __syncthreads();
    for (int k = 0, at = 0; k < s.depth; k += TF32_K, at ^= 1) {
        if (k + TF32_K < s.depth)
            load_share(next, a, b, s, m, n, k + TF32_K);
        multiply_share(sums, &tiles[at]);
        if (k + TF32_K < s.depth)
            store_share(&tiles[at ^ 1], next);
        __syncthreads();
    }
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        const int r = i % 4, y = m + warp / 4 * 64 + i / 16 * 16 + g + 8 * (r / 2);
        const int x = n + warp % 4 * 32 + i / 4 % 4 * 8 + 2 * t + r % 2;
        if (y < s.height && x < s.width)
            c[(size_t)y * s.width + x] = sums[i / 16][i / 4 % 4][r];
    }
}
/* [end 2.7] */

static void launch_tensor_tf32(const problem *p, const launch *l)
{
    const dim3 grid(blocks_for(p->width, TF32_SIDE), blocks_for(p->height, TF32_SIDE));
    tensor_tf32<<<grid, l->block, 0, l->stream>>>((float *)l->buffer[A], (float *)l->buffer[B],
                                                  (float *)l->buffer[C], shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

const variant tensor_tf32_variant =
    GPU_VARIANT("tensor_tf32", "TF32, not FP32: mma.sync from registers", launch_tensor_tf32,
                .architecture = "sm_80", .own_block = TF32_THREADS,
                .kernel = (const void *)tensor_tf32, .own = &tf32_accuracy);
