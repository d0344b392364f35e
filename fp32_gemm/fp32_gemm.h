/*
 * fp32_gemm.h - products of matrices of floats with FP32's accuracy, on the FP16 tensor cores of
 * compute capability 9.0, or, small ones, its FP64 tensor cores: lab 2's tensor_split and
 * tensor_fp64 as a function of their own.
 *
 *     C = alpha op(A) op(B) + beta C       op(A) is m x k, op(B) is k x n, C is m x n
 *
 * |C - C64| is at most 4 u |alpha| |A||B|, u = 2^-24, or what FP32's own sums have;
 * lab2_matprod/tensor_split.cu has the proof; FP64's products are rounded once. Scaling by alpha
 * and adding beta C rounds once more each. NaN and infinity go the way that they go in FP32.
 *
 *     fp32_gemm_product p = {.m = m, .n = n, .k = k, .alpha = 1, .a = a, .lda = k,
 *                            .b = b, .ldb = n, .c = c, .ldc = n};
 *     size_t bytes = fp32_gemm_workspace(&p);
 *     cudaMallocAsync(&workspace, bytes, stream);
 *     if (fp32_gemm(&p, workspace, bytes, stream) != FP32_GEMM_OK) ...
 *
 * `make lib` builds build/cuda/libfp32_gemm.so, and build/cuda/fp32_gemm_preload.so, with which
 * programs that call cuBLAS get it without a change (docs/fp32_gemm.md).
 */
#ifndef FP32_GEMM_H
#define FP32_GEMM_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FP32_GEMM_API __attribute__((visibility("default")))

/*
 * Matrices in device memory; they do not overlap. A row-major matrix has its rows `ld` floats
 * apart, a column-major one its columns. A transposed operand lies as its transpose: a row-major A
 * with transpose_a is k rows of m floats. Starts at multiples of 16 bytes, row-major without
 * transposition and without gaps (ld the length of a row), or column-major likewise: any other
 * matrix is copied first. As in BLAS, C is not read if beta is 0, nor A and B if alpha is 0.
 */
typedef struct fp32_gemm_product {
    bool column_major; /* all three matrices */
    bool transpose_a, transpose_b;
    int m, n, k; /* 0 to 32768 */
    float alpha;
    const float *a;
    int lda;
    const float *b;
    int ldb;
    float beta;
    float *c;
    int ldc;
} fp32_gemm_product;

typedef enum fp32_gemm_status {
    FP32_GEMM_OK,
    FP32_GEMM_BAD_PRODUCT,  /* a size, a leading dimension, or a pointer that is NULL */
    FP32_GEMM_NO_WORKSPACE, /* it is too small, or starts at no multiple of 256 bytes */
    FP32_GEMM_WRONG_DEVICE, /* the current device is none of compute capability 9.0 */
    FP32_GEMM_CUDA_ERROR    /* a call of CUDA failed; cudaGetLastError() has been asked */
} fp32_gemm_status;

FP32_GEMM_API const char *fp32_gemm_text(fp32_gemm_status status); /* in words */

/* Returns the bytes of the current device's memory that the product takes while it runs there; 0
 * for a small one of which nothing is copied or scaled, for one that is none, or where the device
 * is none of compute capability 9.0. */
FP32_GEMM_API size_t fp32_gemm_workspace(const fp32_gemm_product *p);

/*
 * Starts the product on the current device and returns without waiting for it. Any thread may call
 * it, and a stream that is being captured takes it. The workspace belongs to the product until the
 * stream has passed it; what it holds does not matter.
 */
FP32_GEMM_API fp32_gemm_status fp32_gemm(const fp32_gemm_product *p, void *workspace, size_t bytes,
                                         cudaStream_t stream);

/* Returns why cuBLAS in FP32 is likely faster for this product, as a phrase, or NULL. By its sizes
 * and by what has to be copied; the data may still make the product slower (docs/fp32_gemm.md). */
FP32_GEMM_API const char *fp32_gemm_declines(const fp32_gemm_product *p);

#ifdef __cplusplus
}
#endif

#endif
