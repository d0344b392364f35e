/*
 * scan_tile.cuh - a block's tile of a scan: fours in registers, and the sums before them.
 */
#ifndef LAB8_SCAN_TILE_CUH
#define LAB8_SCAN_TILE_CUH

#include <cuda_runtime.h>

constexpr int VECTORS = 4, ITEMS = 4 * VECTORS;
typedef unsigned fours[VECTORS][4];

/* Returns the index of the thread's first element; those beyond the end are 0. */
__device__ static int load_fours(fours own, const unsigned *value, unsigned tile, int n)
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int first = tile * (ITEMS * blockDim.x) + warp * (ITEMS * 32) + 4 * lane;
    if (first + 128 * (VECTORS - 1) + 4 <= n)
        for (int k = 0; k < VECTORS; k++)
            *(uint4 *)own[k] = __ldcs((const uint4 *)(value + first + 128 * k));
    else
        for (int k = 0, i = first; k < VECTORS; k++, i += 128)
            for (int j = 0; j < 4; j++)
                own[k][j] = i + j < n ? value[i + j] : 0;
    return first;
}

/* Stores them with what comes before them added. */
__device__ static void store_fours(fours own, unsigned before, unsigned *result, int first, int n)
{
    for (int k = 0; k < ITEMS; k++)
        own[k / 4][k % 4] += before;
    if (first + 128 * (VECTORS - 1) + 4 <= n)
        for (int k = 0; k < VECTORS; k++)
            __stcs((uint4 *)(result + first + 128 * k), *(uint4 *)own[k]);
    else
        for (int k = 0, i = first; k < VECTORS; k++, i += 128)
            for (int j = 0; j < 4; j++)
                if (i + j < n)
                    result[i + j] = own[k][j];
}

/* Returns the sum of the lanes up to this one. */
__device__ static unsigned scan_lanes(unsigned sum)
{
    for (unsigned apart = 1; apart < 32; apart *= 2) {
        unsigned before = __shfl_up_sync(~0u, sum, apart);
        sum += threadIdx.x % 32 >= apart ? before : 0;
    }
    return sum;
}

/* Scans the warp's elements in place; returns the sum of the block's warps before this one, and in
 * *of_block of all. */
__device__ static unsigned scan_fours(fours own, unsigned *of_block)
{
    __shared__ unsigned of_warp[32];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int k = 0; k < VECTORS; k++) {
        for (int j = 1; j < 4; j++)
            own[k][j] += own[k][j - 1];
        unsigned through = scan_lanes(own[k][3]), before = sum + through - own[k][3];
        for (int j = 0; j < 4; j++)
            own[k][j] += before;
        sum += __shfl_sync(~0u, through, 31);
    }
    if (lane == 0)
        of_warp[warp] = sum;
    __syncthreads();
    unsigned through = scan_lanes(lane < blockDim.x / 32 ? of_warp[lane] : 0);
    *of_block = __shfl_sync(~0u, through, 31);
    return __shfl_sync(~0u, through, warp) - sum;
}

#endif
