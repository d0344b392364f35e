/*
 * shared_memory.cuh - instructions on shared memory by its 32-bit addresses, which other
 * instructions of PTX want. Not for CUDA on the CPU.
 */
#ifndef COMMON_SHARED_MEMORY_CUH
#define COMMON_SHARED_MEMORY_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#ifndef CUDA_ON_CPU

/* Returns the address in shared memory of what a pointer points to. */
__device__ inline uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ inline float ld_shared(uint32_t from)
{
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(from) : "memory");
    return value;
}

__device__ inline void st_shared(uint32_t to, float value)
{
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(value) : "memory");
}

__device__ inline void st_shared_v4(uint32_t to, const float *from)
{
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(from[0]), "f"(from[1]),
                 "f"(from[2]), "f"(from[3])
                 : "memory");
}

/* Shows what this thread has written to shared memory to the copy engine and the tensor cores. */
__device__ inline void fence_proxy_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif
#endif
