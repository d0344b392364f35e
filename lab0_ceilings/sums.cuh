/*
 * sums.cuh - sums of whole numbers that wrap around: in any order they are the same, to the bit,
 * and an addition costs a quarter of what a load does, or less.
 */
#ifndef LAB0_SUMS_CUH
#define LAB0_SUMS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

__device__ static inline void add(uint32_t *sum, uint32_t v)
{
    *sum += v;
}

__device__ static inline void add(uint4 *sum, uint4 v)
{
    sum->x += v.x;
    sum->y += v.y;
    sum->z += v.z;
    sum->w += v.w;
}

/* y[i..] = the sum, for the words that a vector has; `i` counts vectors. */
__device__ static inline void put(uint32_t *y, int i, int n, uint32_t sum)
{
    if (i < n)
        y[i] = sum;
}

__device__ static inline void put(uint32_t *y, int i, int n, uint4 sum)
{
    const uint32_t word[4] = {sum.x, sum.y, sum.z, sum.w};
    if (i < n / 4)
        ((uint4 *)y)[i] = sum;
    else
        for (int j = n / 4 * 4; i == n / 4 && j < n; j++)
            y[j] = word[j % 4];
}

#endif
