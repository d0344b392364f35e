/*
 * mma.cuh - products of small matrices by a warp, from its registers (mma.sync, compute capability
 * 8.0: kernels are refused on older cards, where these functions do nothing), and the loads that
 * bring operands from shared memory into just those registers (ldmatrix; not on the CPU).
 *
 * PTX ISA, "Matrix Fragments for mma.m16n8k8" (TF32), "m16n8k16" (FP16, FP64) and "m16n8k32"
 * (bytes), with g = lane / 4, t = lane % 4; a register of A or B has P = 1, 2 or 4 neighbours of k,
 * the first one in its lowest bits (FP64: of a pair of registers P = 1):
 *
 *   register r of A   row g + 8 (r % 2), k from P t + 4 P (r / 2) on
 *   register r of B   k from P t + 4 P r on, column g
 *   register r of D   row g + 8 (r / 2), column 2 t + r % 2
 */
#ifndef COMMON_MMA_CUH
#define COMMON_MMA_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#ifndef CUDA_ON_CPU

/*
 * Loads four matrices of 8 x 8: lane l tells where in shared memory row l % 8 of matrix l / 8
 * begins, 16 bytes long.
 * Register r then has row g, columns 2 t and 2 t + 1 of matrix r.
 */
__device__ inline void ldmatrix_x4(uint32_t *to, uint32_t row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
}

/* Loads them on their side: register r has rows 2 t and 2 t + 1, column g of matrix r. */
__device__ inline void ldmatrix_x4_trans(uint32_t *to, uint32_t row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
}

/* Each of these adds a warp's A B to D. */
__device__ inline void mma_m16n8k16_f16(float *d, const uint32_t *a, const uint32_t *b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/* The lowest 13 bits of A and B are taken for zeros. */
__device__ inline void mma_m16n8k8_tf32(float *d, const uint32_t *a, const uint32_t *b)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

__device__ inline void mma_m16n8k32_u8(uint32_t *d, const uint32_t *a, const uint32_t *b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

__device__ inline void mma_m16n8k32_s8(int *d, const uint32_t *a, const uint32_t *b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/* Multiplies and adds in FP64, on compute capability 9.0 (8.0 has m8n8k4). */
__device__ inline void mma_m16n8k16_f64(double *d, const double *a, const double *b)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
          "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#endif
}

#else

#include <mma.h>

__device__ inline void mma_m16n8k16_f16(float *d, const uint32_t *a, const uint32_t *b,
                                        CUDA_CPU_CALLER)
{
    cuda_cpu::mma_m16n8<__half, 2>(d, a, b, file, line);
}

__device__ inline void mma_m16n8k8_tf32(float *d, const uint32_t *a, const uint32_t *b,
                                        CUDA_CPU_CALLER)
{
    cuda_cpu::mma_m16n8<nvcuda::wmma::precision::tf32, 1>(d, a, b, file, line);
}

__device__ inline void mma_m16n8k32_u8(uint32_t *d, const uint32_t *a, const uint32_t *b,
                                       CUDA_CPU_CALLER)
{
    cuda_cpu::mma_m16n8<unsigned char, 4>(d, a, b, file, line);
}

#endif
#endif
