/*
 * mma.cuh - products of small matrices of 16-bit numbers by a warp, from its registers (mma.sync,
 * compute capability 8.0), and the loads that bring operands from shared memory into just those
 * registers (ldmatrix). Not for CUDA on the CPU.
 *
 * PTX ISA, "Matrix Fragments for mma.m16n8k16", with g = lane / 4, t = lane % 4; a register of A or
 * B has two neighbours of k, the lower one in its low half:
 *
 *   register r of A   row g + 8 (r % 2), k = 2 t + 8 (r / 2) and the next
 *   register r of B   k = 2 t + 8 r and the next, column g
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

/* Adds a warp's A B, of FP16, to D in FP32. */
__device__ inline void mma_m16n8k16_f16(float *d, const uint32_t *a, const uint32_t *b)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %11, %12, %13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(d[0]), "f"(d[1]),
          "f"(d[2]), "f"(d[3]));
}

#endif
#endif
