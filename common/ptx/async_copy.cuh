/*
 * async_copy.cuh - copies from global to shared memory that go on while a thread computes
 * (cp.async, compute capability 8.0). Below it, the same calls copy at once.
 *
 * A thread starts copies, closes a group of them and waits until no more than its last few groups
 * are under way. What others copied is there behind a barrier only.
 */
#ifndef COMMON_ASYNC_COPY_CUH
#define COMMON_ASYNC_COPY_CUH

#ifdef CUDA_ON_CPU
#include "cuda_pipeline.h"
#endif

/* BYTES (4 or 16, to which both addresses are aligned) from global memory, or as many zeros. */
template <int BYTES>
__device__ inline void copy_async(void *shared, const void *global, bool inside)
{
#ifdef CUDA_ON_CPU
    __pipeline_memcpy_async(shared, global, BYTES, inside ? 0 : BYTES);
#elif __CUDA_ARCH__ >= 800
    unsigned to = (unsigned)__cvta_generic_to_shared(shared);
    int bytes = inside ? BYTES : 0; /* to be read; the rest is filled with zeros */
    if (BYTES == 16)                /* past the L1 cache, which has no use for it */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global),
                     "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global),
                     "r"(bytes)
                     : "memory");
#else
    for (int i = 0; i < BYTES / 4; i++)
        ((float *)shared)[i] = inside ? ((const float *)global)[i] : 0;
#endif
}

#ifndef CUDA_ON_CPU
/* Has the line of global memory brought to the L2 cache, for who reads it later. */
__device__ inline void prefetch_global_l2(const void *global)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(global));
}
#endif

/* Closes a group: all copies that the thread has started since the last one. */
__device__ inline void copy_async_commit()
{
#ifdef CUDA_ON_CPU
    __pipeline_commit();
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits for all of the thread's groups but the last GROUPS. */
template <int GROUPS>
__device__ inline void copy_async_wait()
{
#ifdef CUDA_ON_CPU
    __pipeline_wait_prior(GROUPS);
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
#endif
}

#endif
