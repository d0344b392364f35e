/*
 * wgmma.cuh - what kernels for the tensor cores of compute capability 9.0 have in common, a PTX
 * instruction a function (PTX ISA, "mbarrier", "wgmma"). For .cu files; not for CUDA on the CPU.
 *
 * wgmma is of sm_90a alone, no later card has it: kernels have a body in HOPPER_CODE only.
 */
#ifndef COMMON_WGMMA_CUH
#define COMMON_WGMMA_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define HOPPER_CODE 1
#endif

#ifndef CUDA_ON_CPU

__device__ inline uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Arrives at a barrier in shared memory, and announces bytes that will be copied. */
__device__ inline void barrier_expect(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

/* Registers that wgmma reads or adds to are written; it comes next. */
__device__ inline void products_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/* Those since the last such call are a group. */
__device__ inline void products_end()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* All groups but the last PENDING ones are done. */
template <int PENDING>
__device__ inline void products_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

#endif

#endif
