/*
 * stream_k.cu - slice_k for any number of tiles: against it, blocks share the slabs of all tiles
 * evenly (stream_k.cuh), so that no multiprocessor waits for a last round of tiles, nor is without
 * one where they are few.
 */
#include <stdlib.h>

#include "process/die.h"
#include "stream_k.cuh"
#include "warp_tile.cuh"

/* slice_k's tiles. */
struct ffma_tiles {
    enum { BLOCK = THREADS, ROWS = sliced.rows, COLUMNS = sliced.columns, DEPTH = sliced.depth };
    typedef float sum;
    float4 *room;
    __device__ void make(const float *a, const float *b, float *c, float *part, shape s, int first,
                         int last, int y0, int x0)
    {
        make_any_tile<sliced>(room, a, b, part ? part : c, s, first, last, y0, x0);
    }
};

/* Two blocks to a multiprocessor, so that one multiplies while the other begins or ends a tile. */
__global__ void __launch_bounds__(THREADS, 2)
    stream_k(const float *a, const float *b, float *c, shape s, k_shares of)
{
    extern __shared__ float4 room[];
    make_share(ffma_tiles{room}, a, b, c, s, of);
}

/* ---- launcher and variant ------------------------------------------------------------------- */

static int resident()
{
    return (int)resident_blocks((const void *)stream_k, dim3(THREADS),
                                slabs_bytes<sliced>(NULL, dim3()));
}

static size_t bytes_of_parts(const problem *p)
{
    size_t bytes;
    plan_shares<ffma_tiles>(shape_of(p), resident(), SIZE_MAX, &bytes);
    return bytes;
}

static void *plan_stream_k(const problem *p, const launch *l)
{
    k_shares *of = (k_shares *)allocate(sizeof *of);
    *of = plan_shares<ffma_tiles>(shape_of(p), resident(), SIZE_MAX, NULL);
    of->parts = l->workspace;
    of->there = (unsigned *)device_zeros(2 * (of->shares + 1) * sizeof *of->there);
    return of;
}

static void release_stream_k(void *plan)
{
    CUDA_RELEASE(cudaFree(((k_shares *)plan)->there));
    free(plan);
}

static void launch_stream_k(const problem *p, const launch *l)
{
    const k_shares *of = (const k_shares *)l->plan;
    stream_k<<<of->whole + of->shares, l->block, l->shared_bytes, l->stream>>>(
        (float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], shape_of(p), *of);
    CUDA_CHECK(cudaGetLastError());
}

const variant stream_k_variant = GPU_VARIANT(
    "stream_k", "slice_k, its slabs shared evenly by all blocks", launch_stream_k,
    .own_block = THREADS, .kernel = (const void *)stream_k, .shared_bytes = slabs_bytes<sliced>,
    .workspace_bytes = bytes_of_parts, .plan_once = plan_stream_k, .release = release_stream_k);
