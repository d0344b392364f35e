/*
 * wgmma.cu - the full rate of the tensor cores of compute capability 9.0: a warpgroup adds the
 * products of matrices in shared memory to sums in its registers, D = A B + D, TENSOR_STEPS times
 * (common/ptx/wgmma.cuh). What lab 2's and lab 4's fastest kernels use.
 *
 *   wgmma_fp16   m64n128k16, FP16 in, FP32 sums      in the loop: HGMMA.64x128x16.F32
 *   wgmma_tf32   m64n256k8, TF32 in, FP32 sums, A    in registers: HGMMA.64x256x8.F32.TF32
 *   wgmma_int8   m64n128k32, int8 in, int32 sums                   IGMMA.64x128x32.S8.S8
 *
 * The products are those of mma.cu, several of its 16 x 64 sums beside each other:
 *
 *              columns 0 .. 63, 64 .. 127, ...: the 64 columns of its 8 chains, over and over
 *     warp 0   rows  0 .. 15: its A
 *     ...
 *     warp 3   rows 48 .. 63: its A again
 *
 * so that a warp's sums are COLUMNS_OF / 64 of a warp's there, and y is the same. Nothing waits in
 * the loop: products that add to the same registers follow each other without a gap.
 *
 * Expected: the data sheet's rates at its 1.83 GHz, and more where small whole numbers, which take
 * little power, let the clock rise (mma.cu). A product of 64 x 128 x 16 takes 64 clocks and
 * reads 6 KiB of shared memory, 96 of the 128 bytes a clock. Blocks of whole warpgroups.
 */
#include "ceilings.h"
#include "ptx/wgmma.cuh"
#include "tensor.cuh"

#ifdef HAVE_HOPPER

/* How many columns a product has. */
template <int TYPE>
constexpr int COLUMNS_OF = TYPE == TF32 ? 256 : 128;

static const int GROUP_ROWS = 64;

#ifdef HOPPER_CODE

enum { LINE_WORDS = 8 }; /* a row or column is 32 bytes, whatever its type */

/*
 * Fills an operand with rows or columns, those `have` of x over and over, as wgmma_plain() takes
 * them: 8 rows of 16 bytes lie together, then those of the next 16 bytes, then the next 8 rows.
 */
template <int TYPE>
__device__ static void fill_operand(uint32_t *operand, const float *from, int have, int rows)
{
    const int depth = TYPE == FP16 ? 16 : TYPE == TF32 ? 8 : 32;
    for (int i = threadIdx.x; i < rows * LINE_WORDS; i += blockDim.x) {
        int row = i / LINE_WORDS, word = i % LINE_WORDS;
        operand[row / 8 * 64 + word / 4 * 32 + row % 8 * 4 + word % 4] =
            fragment<TYPE>(from + row % have * depth, word);
    }
}

__device__ static uint64_t describe(const uint32_t *operand)
{
    return wgmma_plain(shared_address(operand) >> 4, 128 / 16, 256 / 16);
}

__device__ static void add_product(float (&d)[64], uint64_t a, const uint32_t (&)[4], uint64_t b)
{
    wgmma_m64n128k16_f16(d, a, b, 1);
}

__device__ static void add_product(float (&d)[128], uint64_t, const uint32_t (&a)[4], uint64_t b)
{
    wgmma_m64n256k8_tf32(d, a, b, 1);
}

__device__ static void add_product(int (&d)[64], uint64_t a, const uint32_t (&)[4], uint64_t b)
{
    wgmma_m64n128k32_s8(d, a, b);
}

#endif

template <int TYPE>
__global__ void multiply_in_groups(const float *x, float *y, int n)
{
#ifdef HOPPER_CODE
    typedef typename matrices<TYPE>::sum sum;
    const int depth = TYPE == FP16 ? 16 : TYPE == TF32 ? 8 : 32;
    const int columns = COLUMNS_OF<TYPE>, tiles = columns / MMA_COLUMNS;
    __shared__ __align__(128) uint32_t rows[GROUP_ROWS * LINE_WORDS], cols[columns * LINE_WORDS];
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * (tiles / TENSOR_CHAINS);
    uint32_t a[4];
    sum d[columns / 2];
    fill_operand<TYPE>(rows, x, MMA_ROWS, GROUP_ROWS);
    fill_operand<TYPE>(cols, x + MMA_ROWS * depth, TENSOR_CHAINS * MMA_COLUMNS, columns);
#pragma unroll
    for (int r = 0; r < 4; r++)
        a[r] = fragment<TYPE>(x + (threadIdx.x % 32 / 4 + 8 * (r % 2)) * depth,
                              threadIdx.x % 4 + 4 * (r / 2));
#pragma unroll
    for (int i = 0; i < tiles * 4; i++) {
        int at = sum_index(warp + i / 4 / TENSOR_CHAINS, i / 4 % TENSOR_CHAINS, i % 4);
        d[i] = at < n ? (sum)x[at] : 0;
    }
    fence_proxy_async();
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < TENSOR_STEPS; k += TENSOR_UNROLLED) {
        wgmma_fence();
#pragma unroll
        for (int s = 0; s < TENSOR_UNROLLED; s++)
            add_product(d, describe(rows), a, describe(cols));
        wgmma_commit_group();
    }
    wgmma_wait_for(d);
#pragma unroll
    for (int i = 0; i < tiles * 4; i++) {
        int at = sum_index(warp + i / 4 / TENSOR_CHAINS, i / 4 % TENSOR_CHAINS, i % 4);
        if (at < n)
            ((sum *)y)[at] = d[i];
    }
#endif
}

template <int TYPE>
static void launch_groups(const problem *p, const launch *l)
{
    const unsigned sums = l->block.x / WARPGROUP * GROUP_ROWS * COLUMNS_OF<TYPE>;
    multiply_in_groups<TYPE><<<blocks_for(p->width, sums), l->block, 0, l->stream>>>(
        (const float *)l->buffer[X], (float *)l->buffer[Y], p->width);
    CUDA_CHECK(cudaGetLastError());
}

template <int TYPE>
static const char *refuse_groups(const problem *, dim3 block)
{
    return block.x % WARPGROUP ? "a product is a whole warpgroup's, 128 threads"
                               : hopper_refuses((const void *)multiply_in_groups<TYPE>);
}

#endif

#define GROUP_VARIANT(id, idea, type)                                                              \
    GPU_VARIANT(id, idea, BUILT(HAVE_HOPPER, launch_groups<type>), .needs = "tensor cores",        \
                .architecture = "sm_90a",                                                          \
                .kernel = BUILT(HAVE_HOPPER, (const void *)multiply_in_groups<type>),              \
                .applies = measures<TENSOR_##type>,                                                \
                .refuse = BUILT(HAVE_HOPPER, refuse_groups<type>))

const variant wgmma_fp16_variant =
    GROUP_VARIANT("wgmma_fp16", "tensor_fp16: wgmma.m64n128k16, FP32 sums", FP16);
const variant wgmma_tf32_variant =
    GROUP_VARIANT("wgmma_tf32", "tensor_tf32: wgmma.m64n256k8, FP32 sums", TF32);
const variant wgmma_int8_variant =
    GROUP_VARIANT("wgmma_int8", "tensor_int8: wgmma.m64n128k32, int32 sums", INT8);
