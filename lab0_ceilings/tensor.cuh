/*
 * tensor.cuh - the kernels of ceilings.cu that keep the tensor cores busy: a warp adds the products
 * of matrices that stay in its registers, D = A B + D, TENSOR_STEPS times.
 *
 *   mma_fp16   m16n8k16, FP16 in, FP32 sums      in the loop: HMMA.16816.F32
 *   mma_tf32   m16n8k8, TF32 in, FP32 sums                    HMMA.1688.F32.TF32
 *   mma_int8   m16n8k32, int8 in, int32 sums                  IMMA.16832.S8.S8
 *
 * A is the same for all warps, each of a warp's 8 chains has its own B and 16 x 8 sums. Nothing
 * else is in the loop but a counter and a branch for TENSOR_UNROLLED rounds. x holds whole numbers
 * from -3 to 3, exact in each type, and no sum outgrows 2^24: results are exact, whatever the
 * order.
 *
 * Expected: the data sheet's dense rates are those of wgmma, whose operands come from shared memory
 * (H200: 989 T FP16, 495 T TF32, 1979 T int8 operations a second, that is 2048, 1024 and 4096
 * multiply-adds a clock and multiprocessor at 1.83 GHz). mma.sync, which is what runs on every card
 * since capability 8.0, reaches about 62 % of them on Hopper (Luo et al., see rates.cuh), and what
 * the sheet says on Ampere. Small whole numbers take less power than random bits do: a card that
 * its power limit holds down is a little slower with those.
 *
 * A fragment here is a register: 4 bytes of consecutive k. PTX ISA, "Matrix Fragments for mma":
 * with g = lane / 4 and t = lane % 4, register r of A holds fragment t + 4 (r / 2) of row g + 8 (r
 * % 2), register r of B fragment t + 4 r of column g, register r of D row g + 8 (r / 2), column 2 t
 * + r % 2. In this unit the three shapes are one: a row of A and a column of B have 8 of them.
 */
#ifndef LAB0_TENSOR_CUH
#define LAB0_TENSOR_CUH

#include <stdint.h>

/* The element types; TENSOR_DEPTH[type] is k of the shape. */
enum { FP16, TF32, INT8 };
static const int TENSOR_DEPTH[] = {16, 8, 32};

static const int TENSOR_STEPS = 1024, TENSOR_UNROLLED = 4, TENSOR_CHAINS = 8;
static const int MMA_ROWS = 16, MMA_COLUMNS = 8, WARP_SUMS = TENSOR_CHAINS * MMA_ROWS * MMA_COLUMNS;

/* How many of x's first values are A, then the Bs, column by column. */
static const int TENSOR_VALUES = (MMA_ROWS + TENSOR_CHAINS * MMA_COLUMNS) * 32;

#ifndef CUDA_ON_CPU
#include <cuda_fp16.h>

/* Fragment `w` of the row of A, or of the column of B, that starts at `from`. */
template <int TYPE>
__device__ static uint32_t fragment(const float *from, int w)
{
    if (TYPE == TF32)
        return __float_as_uint(from[w]);
    if (TYPE == FP16) {
        __half2 two = __floats2half2_rn(from[2 * w], from[2 * w + 1]);
        return *(const uint32_t *)&two;
    }
    uint32_t bytes = 0;
    for (int k = 3; k >= 0; k--)
        bytes = bytes << 8 | ((uint32_t)(int)from[4 * w + k] & 0xFF);
    return bytes;
}

template <int TYPE>
__device__ static uint32_t sum_bits(float whole)
{
    return TYPE == INT8 ? (uint32_t)(int)whole : __float_as_uint(whole);
}

#define MMA(shape, d, a, b)                                                                        \
    asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "              \
                 "{%0,%1,%2,%3};"                                                                  \
                 : "+r"((d)[0]), "+r"((d)[1]), "+r"((d)[2]), "+r"((d)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))

template <int TYPE>
__device__ static void multiply(uint32_t *d, const uint32_t *a, const uint32_t *b)
{
#if __CUDA_ARCH__ >= 800 /* elsewhere it is not launched: compute_capability */
    if (TYPE == FP16)
        MMA("m16n8k16.row.col.f32.f16.f16.f32", d, a, b);
    else if (TYPE == TF32)
        MMA("m16n8k8.row.col.f32.tf32.tf32.f32", d, a, b);
    else
        MMA("m16n8k32.row.col.s32.s8.s8.s32", d, a, b);
#endif
}

/* The element of y that is register r of chain c: the sums of a warp lie one after the other. */
__device__ static int sum_index(int warp, int c, int r)
{
    int lane = threadIdx.x % 32, row = lane / 4 + 8 * (r / 2), column = 2 * (lane % 4) + r % 2;
    return warp * WARP_SUMS + c * (MMA_ROWS * MMA_COLUMNS) + row * MMA_COLUMNS + column;
}

/* y[i] = x[i] + TENSOR_STEPS (A B)[i % WARP_SUMS]. Blocks of whole warps. */
template <int TYPE>
__global__ void multiply_matrices(const float *x, float *y, int n)
{
    const int depth = TYPE == FP16 ? 16 : TYPE == TF32 ? 8 : 32;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    uint32_t a[4], b[TENSOR_CHAINS][2], d[TENSOR_CHAINS][4];
#pragma unroll
    for (int r = 0; r < 4; r++)
        a[r] = fragment<TYPE>(x + (g + 8 * (r % 2)) * depth, t + 4 * (r / 2));
#pragma unroll
    for (int c = 0; c < TENSOR_CHAINS; c++) {
        const float *column = x + (MMA_ROWS + c * MMA_COLUMNS + g) * depth;
#pragma unroll
        for (int r = 0; r < 2; r++)
            b[c][r] = fragment<TYPE>(column, t + 4 * r);
#pragma unroll
        for (int r = 0; r < 4; r++) {
            int i = sum_index(warp, c, r);
            d[c][r] = sum_bits<TYPE>(i < n ? x[i] : 0);
        }
    }
#pragma unroll 1
    for (int k = 0; k < TENSOR_STEPS; k += TENSOR_UNROLLED) {
#pragma unroll
        for (int s = 0; s < TENSOR_UNROLLED; s++)
#pragma unroll
            for (int c = 0; c < TENSOR_CHAINS; c++)
                multiply<TYPE>(d[c], a, b[c]);
    }
#pragma unroll
    for (int c = 0; c < TENSOR_CHAINS; c++)
#pragma unroll
        for (int r = 0; r < 4; r++)
            if (sum_index(warp, c, r) < n)
                ((uint32_t *)y)[sum_index(warp, c, r)] = d[c][r];
}
#endif

#endif
