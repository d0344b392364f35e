/*
 * tensor.cuh - what lab 0's kernels for the tensor cores (mma.cu, wgmma.cu) have in common: the
 * matrices, in x and in registers. A is the same for all warps, each of a warp's TENSOR_CHAINS has
 * a B and sums of its own: D = A B + D, TENSOR_STEPS times. x holds whole numbers from -3 to 3,
 * exact in each type, and no sum outgrows 2^24: results are exact, whatever the order.
 *
 * A fragment here is a register: 4 bytes of consecutive k, or a double. PTX ISA, "Matrix Fragments
 * for mma": with g = lane / 4 and t = lane % 4, register r of A holds fragment t + 4 (r / 2) of row
 * g + 8 (r % 2), register r of B fragment t + 4 r of column g, register r of D row g + 8 (r / 2),
 * column 2 t
 * + r % 2. In this unit the shapes are one: a row of A and a column of B have 8 of them, of
 * doubles 16.
 */
#ifndef LAB0_TENSOR_CUH
#define LAB0_TENSOR_CUH

#include <stdint.h>

/* The element types; TENSOR_DEPTH[type] is k of the shape. */
enum { FP16, TF32, INT8, FP64 };
static const int TENSOR_DEPTH[] = {16, 8, 32, 16};

static const int TENSOR_STEPS = 1024, TENSOR_UNROLLED = 4, TENSOR_CHAINS = 8;
static const int MMA_ROWS = 16, MMA_COLUMNS = 8, WARP_SUMS = TENSOR_CHAINS * MMA_ROWS * MMA_COLUMNS;

/* How many of x's first values are A, then the Bs, column by column. */
static const int TENSOR_VALUES = (MMA_ROWS + TENSOR_CHAINS * MMA_COLUMNS) * 32;

#ifndef CUDA_ON_CPU
#include <cuda_fp16.h>

/* What a register holds of A or B, and of the sums. */
template <int TYPE>
struct matrices {
    typedef uint32_t word;
    typedef float sum;
};

template <>
struct matrices<INT8> {
    typedef uint32_t word;
    typedef int sum;
};

template <>
struct matrices<FP64> {
    typedef double word, sum;
};

/* Fragment `w` of the row of A, or of the column of B, that starts at `from`. */
template <int TYPE>
__device__ static typename matrices<TYPE>::word fragment(const float *from, int w)
{
    if (TYPE == FP64)
        return from[w];
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

/* The element of y that is register r of chain c: the sums of a warp lie one after the other. */
__device__ static int sum_index(int warp, int c, int r)
{
    int lane = threadIdx.x % 32, row = lane / 4 + 8 * (r / 2), column = 2 * (lane % 4) + r % 2;
    return warp * WARP_SUMS + c * (MMA_ROWS * MMA_COLUMNS) + row * MMA_COLUMNS + column;
}

#endif

#endif
