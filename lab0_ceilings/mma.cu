/*
 * mma.cu - the tensor cores as every card since capability 8.0 has them: a warp adds the products
 * of matrices that stay in its registers, D = A B + D, TENSOR_STEPS times (tensor.cuh).
 *
 *   mma_fp16   m16n8k16, FP16 in, FP32 sums      in the loop: HMMA.16816.F32
 *   mma_tf32   m16n8k8, TF32 in, FP32 sums                    HMMA.1688.F32.TF32
 *   mma_int8   m16n8k32, int8 in, int32 sums                  IMMA.16832.S8.S8
 *   mma_fp64   m16n8k16, FP64 (capability 9.0)                DMMA.16x8x16, four NOPs behind each
 *
 * Nothing else is in the loop but a counter and a branch for TENSOR_UNROLLED rounds of a warp's
 * chains.
 *
 * Expected: the data sheet's dense rates are those of wgmma, whose operands come from shared memory
 * (H200: 989 T FP16, 495 T TF32, 1979 T int8 operations a second, that is 2048, 1024 and 4096
 * multiply-adds a clock and multiprocessor at 1.83 GHz). mma.sync, which is what runs on every card
 * since capability 8.0, reaches about 62 % of them on Hopper ([micro], ceilings.h), and what the
 * sheet says on Ampere. Small whole numbers take less power than random bits do: a card that its
 * power limit holds down is a little slower with those. In FP64 there is no wgmma: [white] has 67
 * TFLOP/s, 128 multiply-adds a clock and multiprocessor at 1.98 GHz, as many as FP32's units do.
 */
#include "ceilings.h"
#include "ptx/mma.cuh"
#include "tensor.cuh"

/* The CPU's engine has no tensor cores. */
#ifdef CUDA_ON_CPU
#define LAUNCH_TENSOR(type) NULL
#define TENSOR_KERNEL(type) NULL
#else
#define LAUNCH_TENSOR(type) launch_each<CHAINS_OF<type> * MMA_ROWS * MMA_COLUMNS / 32>
#define TENSOR_KERNEL(type) (const void *)multiply_matrices<type>

/*
 * Doubles of eight chains would take 234 registers and leave room for 8 warps a multiprocessor,
 * which is too few (lab 2's notes); with one, two or four chains an H200 makes 65.4, 65.6 and 65.5
 * TFLOP/s.
 */
template <int TYPE>
constexpr int CHAINS_OF = TYPE == FP64 ? 2 : TENSOR_CHAINS;

template <int TYPE>
__device__ static void multiply(typename matrices<TYPE>::sum *d,
                                const typename matrices<TYPE>::word *a,
                                const typename matrices<TYPE>::word *b)
{
    if constexpr (TYPE == FP16)
        mma_m16n8k16_f16(d, a, b);
    else if constexpr (TYPE == TF32)
        mma_m16n8k8_tf32(d, a, b);
    else if constexpr (TYPE == INT8)
        mma_m16n8k32_s8(d, a, b);
    else
        mma_m16n8k16_f64(d, a, b);
}

/* y[i] = x[i] + TENSOR_STEPS (A B)[i % WARP_SUMS]. Blocks of whole warps. */
template <int TYPE>
__global__ void multiply_matrices(const float *x, float *y, int n)
{
    const int depth = TYPE == TF32 ? 8 : TYPE == INT8 ? 32 : 16;
    const int fragments = TYPE == FP64 ? 16 : 8; /* of a row of A, of a column of B */
    const int chains = CHAINS_OF<TYPE>;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    int of = warp * chains / TENSOR_CHAINS, first = warp * chains % TENSOR_CHAINS; /* chains */
    typename matrices<TYPE>::word a[fragments / 2], b[chains][fragments / 4];
    typename matrices<TYPE>::sum d[chains][4];
#pragma unroll
    for (int r = 0; r < fragments / 2; r++)
        a[r] = fragment<TYPE>(x + (g + 8 * (r % 2)) * depth, t + 4 * (r / 2));
#pragma unroll
    for (int c = 0; c < chains; c++) {
        const float *column = x + (MMA_ROWS + (first + c) * MMA_COLUMNS + g) * depth;
#pragma unroll
        for (int r = 0; r < fragments / 4; r++)
            b[c][r] = fragment<TYPE>(column, t + 4 * r);
#pragma unroll
        for (int r = 0; r < 4; r++) {
            int i = sum_index(of, first + c, r);
            d[c][r] = i < n ? x[i] : 0;
        }
    }
#pragma unroll 1
    for (int k = 0; k < TENSOR_STEPS; k += TENSOR_UNROLLED) {
#pragma unroll
        for (int s = 0; s < TENSOR_UNROLLED; s++)
#pragma unroll
            for (int c = 0; c < chains; c++)
                multiply<TYPE>(d[c], a, b[c]);
    }
#pragma unroll
    for (int c = 0; c < chains; c++)
#pragma unroll
        for (int r = 0; r < 4; r++) {
            int i = sum_index(of, first + c, r);
            if (i < n && TYPE == INT8)
                ((int *)y)[i] = (int)d[c][r];
            else if (i < n)
                y[i] = (float)d[c][r];
        }
}
#endif

#define TENSOR_VARIANT(id, idea, type, least)                                                      \
    GPU_VARIANT(id, idea, LAUNCH_TENSOR(type), .needs = "tensor cores", .architecture = least,     \
                .kernel = TENSOR_KERNEL(type), .applies = measures<TENSOR_##type>,                 \
                .refuse = refuse_part_of_warp)

const variant mma_fp16_variant =
    TENSOR_VARIANT("mma_fp16", "tensor_fp16: mma.sync.m16n8k16, FP32 sums", FP16, "sm_80");
const variant mma_tf32_variant =
    TENSOR_VARIANT("mma_tf32", "tensor_tf32: mma.sync.m16n8k8, FP32 sums", TF32, "sm_80");
const variant mma_int8_variant =
    TENSOR_VARIANT("mma_int8", "tensor_int8: mma.sync.m16n8k32, int32 sums", INT8, "sm_80");
const variant mma_fp64_variant =
    TENSOR_VARIANT("mma_fp64", "tensor_fp64: mma.sync.m16n8k16 of doubles", FP64, "sm_90");
