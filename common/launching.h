/*
 * launching.h - helpers for launchers and for the tables that name them.
 */
#ifndef COMMON_LAUNCHING_H
#define COMMON_LAUNCHING_H

#include <stddef.h>
#include <cuda_runtime_api.h>

#include "process/cuda_check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns how many blocks of `size` elements cover `count` of them: the quotient rounded up. */
static inline unsigned blocks_for(int count, unsigned size)
{
    return ((unsigned)count + size - 1) / size;
}

/* Returns a grid of such blocks that covers width x height elements, one a thread. */
static inline dim3 grid_over(int width, int height, dim3 block)
{
    dim3 grid = block;
    grid.x = blocks_for(width, block.x);
    grid.y = blocks_for(height, block.y);
    return grid;
}

/* Returns the room in a workspace for so many bytes and a part behind them that begins as aligned.
 */
size_t workspace_part(size_t bytes);

/* Returns the number of multiprocessors of the current device. */
static inline int multiprocessors(void)
{
    int device = 0, count = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

/* What a block may have of shared memory if its kernel has not opted in to more. */
enum { DEFAULT_SHARED_BYTES = 48 * 1024 };

/* Returns how many blocks of the kernel the current device holds at a time; 0 if it has not so much
 * shared memory for one. A kernel that takes more than the default may have it from then on. */
static inline unsigned resident_blocks(const void *kernel, dim3 block, size_t shared_bytes)
{
    int blocks = 0;
    if (shared_bytes > DEFAULT_SHARED_BYTES &&
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)shared_bytes) != cudaSuccess) {
        (void)cudaGetLastError(); /* handled here */
        return 0;
    }
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, kernel, (int)(block.x * block.y * block.z), shared_bytes));
    const unsigned resident = (unsigned)(multiprocessors() * blocks);
#ifdef CHECK_BUILD
    return resident < 2 ? 2 : resident; /* between two blocks there may be a race */
#else
    return resident;
#endif
}

/*
 * BUILT(HAVE_CUBLAS, launch_cublas) is that function where HAVE_CUBLAS is defined as 1, else NULL:
 * with it a variant that not every build has stands in the table once.
 */
#define BUILT(have, ...)             BUILT_IF(have, __VA_ARGS__)
#define BUILT_IF(have, ...)          BUILT_SECOND(BUILT_##have(__VA_ARGS__), NULL, )
#define BUILT_1(...)                 , (__VA_ARGS__)
#define BUILT_SECOND(...)            BUILT_TAKE_SECOND(__VA_ARGS__)
#define BUILT_TAKE_SECOND(a, b, ...) b

#ifdef __cplusplus
}
#endif

#endif
