/*
 * redux.cuh - one value from those of a warp's lanes, in one instruction (compute capability 8.0).
 * Not for CUDA on the CPU.
 */
#ifndef COMMON_REDUX_CUH
#define COMMON_REDUX_CUH

#include <cuda_runtime.h>

#ifndef CUDA_ON_CPU

__device__ inline unsigned redux_or(unsigned bits)
{
    unsigned all;
    asm volatile("redux.sync.or.b32 %0, %1, -1;" : "=r"(all) : "r"(bits));
    return all;
}

__device__ inline unsigned redux_max(unsigned value)
{
    unsigned largest;
    asm volatile("redux.sync.max.u32 %0, %1, -1;" : "=r"(largest) : "r"(value));
    return largest;
}

__device__ inline int redux_add(int value)
{
    int sum;
    asm volatile("redux.sync.add.s32 %0, %1, -1;" : "=r"(sum) : "r"(value));
    return sum;
}

#endif
#endif
