/*
 * tma.cuh - the copy engine of compute capability 9.0 (TMA; PTX ISA, "cp.async.bulk"): bytes, and
 * boxes of a matrix that a tensor map describes, to shared memory, where they arrive at an
 * mbarrier, and back.
 */
#ifndef COMMON_TMA_CUH
#define COMMON_TMA_CUH

#include "hopper.cuh"
#include "shared_memory.cuh"

#ifndef CUDA_ON_CPU
#include <cuda.h>
#include <stdint.h>
#include <string.h>

/* Copies bytes to shared memory, where the barrier lies, too: a multiple of 16 as both addresses.
 */
__device__ inline void cp_async_bulk(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* Copies bytes of shared memory to global memory, likewise; in the thread's group. */
__device__ inline void cp_async_bulk_store(void *to, const void *from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}

/* Copies the map's box at element x of line y to shared memory; zeros for what lies beyond the
 * matrix. */
__device__ inline void cp_async_bulk_tensor(uint32_t to, const CUtensorMap *map, uint32_t barrier,
                                            int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

/* Copies a box to all blocks of the mask, at the same place in each, whose barriers count the
 * bytes. */
__device__ inline void cp_async_bulk_tensor_multicast(uint32_t blocks, uint32_t to,
                                                      const CUtensorMap *map, uint32_t barrier,
                                                      int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y), "h"((uint16_t)blocks)
                 : "memory");
}

/* Stores a box of shared memory to the matrix, but for what lies beyond it; in the thread's group.
 */
__device__ inline void cp_async_bulk_tensor_store(const CUtensorMap *map, uint32_t from, int x,
                                                  int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
                 " [%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(from), "r"(x), "r"(y)
                 : "memory");
}

/* Fetches what describes a matrix, a kernel's argument, before it is wanted. */
__device__ inline void prefetch_tensormap(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* Commits the stores issued since the last commit as a group. */
__device__ inline void cp_async_bulk_commit_group()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until the boxes of all the thread's groups but the last PENDING ones have been read. */
template <int PENDING>
__device__ inline void cp_async_bulk_wait_group_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

#ifdef HAVE_HOPPER

/* A CUtensorMap, wherever it lies: the type itself wants to be aligned to 64 bytes. */
typedef struct tensor_map {
    unsigned char bytes[sizeof(CUtensorMap)];
} tensor_map;

/*
 * Describes a matrix of `lines` lines to the copy engine: `width` elements a line, FP16 of 2 bytes
 * or FP32 of 4, `pitch` bytes from one to the next (a multiple of 16), boxes of 128 bytes by
 * `box_lines` lines with the swizzle that wgmma_swizzled() speaks of.
 */
static inline tensor_map tensor_map_of(const void *matrix, size_t element, size_t width,
                                       size_t lines, size_t pitch, int box_lines)
{
    typedef CUresult encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                            const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                            const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    const CUtensorMapDataType type =
        element == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    const cuuint64_t sizes[] = {width, lines}, pitches[] = {pitch};
    const cuuint32_t box[] = {(cuuint32_t)(128 / element), (cuuint32_t)box_lines}, steps[] = {1, 1};
    cudaDriverEntryPointQueryResult found;
    void *call = NULL;
    CUtensorMap map;
    tensor_map kept;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &call, 12000,
                                                cudaEnableDefault, &found));
    CUresult status =
        ((encode *)call)(&map, type, 2, (void *)matrix, sizes, pitches, box, steps,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    CUDA_CHECK(status == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue);
    memcpy(kept.bytes, &map, sizeof map);
    return kept;
}

#endif
#endif
#endif
