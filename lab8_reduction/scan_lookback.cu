/*
 * scan_lookback.cu - the scan in one pass: against scan_shuffle, one kernel that reads and writes
 * each element once (Merrill and Garland, 2016). A block takes the next tile, scans it and
 * publishes its total; its first warp looks back, 32 tiles at a time, and adds totals until it
 * meets a tile that knows the sum through its end; then it publishes such a sum itself. What is
 * known and the sum are one word: no fence. Tiles are numbered as blocks start, so that a block
 * waits for running ones alone. Blocks of whole warps.
 *
 *     tile         0        1        2     3     4
 *     published    THROUGH  THROUGH  OWN   OWN   ?    <- looks: OWN of 3, of 2, THROUGH of 1
 */
#include <cuda_runtime.h>

#include "reduction.h"
#include "scan_tile.cuh"

typedef unsigned long long tile_status; /* one of these in the upper half, a sum in the lower */
enum { NOTHING, OWN, THROUGH };

__device__ static void publish(tile_status *status, tile_status what, unsigned sum)
{
    atomicExch(status, what << 32 | sum);
}

/* Reads what another block may be writing. */
__device__ static tile_status look_at(tile_status *status)
{
#ifdef CUDA_ON_CPU
    return atomicAdd(status, 0); /* a race for its checker, if it were a load */
#else
    return *(volatile tile_status *)status;
#endif
}

/* [exercise 8.3] */
/* Each lane's result is the sum of all lanes. */
__device__ static unsigned sum_of_lanes(unsigned sum)
{
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(~0u, sum, apart);
    return sum;
}

/* Called by a whole warp: returns the sum of all tiles before this one, of the first one 0. */
__device__ static unsigned look_back(tile_status *status, int tile)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int at = tile - 1 - (int)lane;; at -= 32) {
        tile_status seen;
        unsigned missing, through, wanted; /* a bit a lane */
        while (true) {
            seen = at < 0 ? (tile_status)THROUGH << 32 : look_at(status + at);
            missing = __ballot_sync(~0u, seen >> 32 == NOTHING);
            through = __ballot_sync(~0u, seen >> 32 == THROUGH);
            wanted = through ^ (through - 1); /* up to the first one; all, where there is none */
            if (!(missing & wanted))
                break;
            __nanosleep(32);
        }
        sum += sum_of_lanes(wanted >> lane & 1 ? (unsigned)seen : 0);
        if (through)
            return sum;
    }
}
/* [end 8.3] */

__global__ void scan_lookback(const unsigned *value, unsigned *result, unsigned *tiles_taken,
                              tile_status *status, int n)
{
    __shared__ unsigned tile, of_tiles;
    alignas(16) fours own;
    unsigned of_block;
    if (threadIdx.x == 0)
        tile = atomicAdd(tiles_taken, 1);
    __syncthreads();
    int first = load_fours(own, value, tile, n);
    unsigned before = scan_fours(own, &of_block);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            publish(status + tile, OWN, of_block);
        unsigned sum = look_back(status, tile);
        if (threadIdx.x == 0) {
            publish(status + tile, THROUGH, sum + of_block);
            of_tiles = sum;
        }
    }
    __syncthreads();
    store_fours(own, of_tiles + before, result, first, n);
}

static void launch_lookback(const problem *p, const launch *l)
{
    const unsigned tiles = blocks_for(p->width, ITEMS * l->block.x);
    tile_status *status = (tile_status *)l->workspace; /* the first one counts tiles */
    CUDA_CHECK(cudaMemsetAsync(status, 0, sizeof *status * (1 + tiles), l->stream));
    scan_lookback<<<tiles, l->block, 0, l->stream>>>((unsigned *)l->buffer[VALUES],
                                                     (unsigned *)l->buffer[RESULT],
                                                     (unsigned *)status, status + 1, p->width);
    CUDA_CHECK(cudaGetLastError());
}

/* A status for each of the smallest tiles, and the counter. */
static size_t room(const problem *p)
{
    return sizeof(tile_status) * (1 + blocks_for(p->width, ITEMS * 32));
}

const variant scan_lookback_variant =
    GPU_VARIANT("scan_lookback", "one pass: a tile looks back at those before", launch_lookback,
                .kernel = (const void *)scan_lookback, .workspace_bytes = room,
                .applies = makes<SCAN>, .refuse = part_of_warp);
