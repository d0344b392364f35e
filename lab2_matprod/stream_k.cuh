/*
 * stream_k.cuh - tiles whose slabs of k are shared evenly by all blocks that run at once, wherever
 * a block's share begins and ends (Osama, Merrill, Cecka, Garland and Owens, "Stream-K", PPoPP
 * 2023). At N = 1280 slice_k has 200 tiles for 132 multiprocessors, whose second round leaves half
 * of them idle; 264 blocks, two to each, have 60 or 61 of all 16000 slabs:
 *
 *   slab      0             80            160           240           320
 *   tile      |      0      |      1      |      2      |      3      |   ...
 *   block     |    0     |    1     |    2     |    3     |    4     |   ...
 *
 * Each block leaves the products of its part of a tile in global memory, and the one that is there
 * last adds them up. Of many tiles the first ones have a block each.
 */
#ifndef LAB2_STREAM_K_CUH
#define LAB2_STREAM_K_CUH

#include <limits.h>
#include <algorithm>

#include "launching.h"
#include "warp_tile.cuh"

/*
 * The first `whole` tiles have a block each; the slabs of all others belong to `shares` blocks. A
 * part's products are in a matrix at `c`, one behind the other, as wide as C, whose first row is
 * C's row `y0`. `there` counts the parts of a tile that are there; it is zero before and after.
 */
typedef struct k_shares {
    int whole, shares, y0;
    float *c;
    unsigned *there;
} k_shares;

/* ---- which slabs ---------------------------------------------------------------------------- */

/* What a block makes at a time: slabs of one tile, of which that is part `part` of `parts`. */
typedef struct stretch {
    int tile, first, last, part, parts;
} stretch;

/* Returns the first slab of a share, of `slabs` in all; 32 bits hold the products (plan_shares()),
 * for a quotient of 64 bits is a call of some hundred instructions. */
__device__ inline int first_of_share(int share, int slabs, int shares)
{
    return share * slabs / shares;
}

/* Returns whose share has a slab. */
__device__ inline int share_with(int slab, int slabs, int shares)
{
    return ((slab + 1) * shares - 1) / slabs;
}

/* Returns the block's first stretch, or the one behind `now`, which is empty behind its last. */
template <tiling T>
__device__ inline stretch next_stretch(const stretch &now, bool begins, shape s, k_shares of)
{
    const int deep = (s.depth + T.depth - 1) / T.depth, share = (int)blockIdx.x - of.whole;
    if (share < 0)
        return {(int)blockIdx.x, 0, begins ? deep : 0, 0, 1};
    const int wide = (s.width + T.columns - 1) / T.columns;
    const int slabs = ((s.height + T.rows - 1) / T.rows * wide - of.whole) * deep;
    const int slab =
        begins ? first_of_share(share, slabs, of.shares) : (now.tile - of.whole) * deep + now.last;
    const int end = first_of_share(share + 1, slabs, of.shares), tile = slab / deep;
    const int first = slab % deep, from = share_with(tile * deep, slabs, of.shares);
    const int to = share_with((tile + 1) * deep - 1, slabs, of.shares);
    return {of.whole + tile, first, min(deep, first + end - slab), share - from, to - from + 1};
}

/* ---- parts of a tile ------------------------------------------------------------------------ */

/* Returns where the matrix of a part's products would begin if it had C's first rows, too. */
__device__ inline float *matrix_of(k_shares of, shape s, int part)
{
    return of.c + ((ptrdiff_t)part * (s.height - of.y0) - of.y0) * s.width;
}

/* Are all parts of a tile there, now that this block's one is? Blocks come in any order: the last
 * one goes on, and nobody waits. Fences are cumulative: one thread's, between barriers of the
 * block, orders what all threads have written, and what they read. */
__device__ inline bool all_are_there(unsigned *there, unsigned parts)
{
    __shared__ unsigned before;
    __syncthreads();
    if (thread_number() == 0) {
        __threadfence();
        before = atomicInc(there, parts - 1);
        __threadfence();
    }
    __syncthreads();
    return before == parts - 1;
}

/*
 * Adds up a tile's parts in the order of k, WIDTH columns of four rows at a time, whose loads are
 * all under way at once. It has registers of its own: where the loop over slabs is compiled along
 * with it, a twentieth of its FFMA read three numbers from one bank.
 */
template <tiling T, int WIDTH>
__device__ __noinline__ void add_parts(k_shares of, int parts, float *c, shape s, int y0, int x0)
{
    constexpr int across = T.columns / WIDTH, down = THREADS / across, each = 4;
    const int x = x0 + thread_number() % across * WIDTH;
#pragma unroll 1
    for (int y = y0 + thread_number() / across; y < y0 + T.rows; y += each * down) {
        const int rows = x < s.width ? (s.height - y + down - 1) / down : 0;
        const size_t first = (size_t)y * s.width + x, next = (size_t)down * s.width;
        float sum[each][WIDTH] = {};
#pragma unroll 1
        for (int part = 0; part < parts; part++)
#pragma unroll
            for (int i = 0; i < each; i++)
                if (i < rows)
                    add_columns<WIDTH>(sum[i], matrix_of(of, s, part) + first + i * next);
#pragma unroll
        for (int i = 0; i < each; i++)
            if (i < rows)
                store_columns<WIDTH>(c + first + i * next, sum[i]);
    }
}

/* ---- a block -------------------------------------------------------------------------------- */

/* Makes a stretch at (y0, x0), and the tile if its other parts are there. */
template <tiling T>
__device__ inline void make_stretch(float4 *room, const float *a, const float *b, float *c, shape s,
                                    k_shares of, const stretch &now, int wide)
{
    const int y0 = now.tile / wide * T.rows, x0 = now.tile % wide * T.columns;
    const int first = now.first * T.depth;
    make_any_tile<T>(room, a + first, b + (size_t)first * s.width,
                     now.parts > 1 ? matrix_of(of, s, now.part) : c, s, first,
                     min(now.last * T.depth, s.depth), y0, x0);
    if (now.parts == 1 || !all_are_there(of.there + now.tile - of.whole, now.parts))
        return;
    if (s.width % 4 == 0)
        add_parts<T, 4>(of, now.parts, c, s, y0, x0);
    else
        add_parts<T, 1>(of, now.parts, c, s, y0, x0);
}

/* Makes the block's tile, or its share of those that are shared. */
template <tiling T>
__device__ inline void make_share(float4 *room, const float *a, const float *b, float *c, shape s,
                                  k_shares of)
{
    __shared__ stretch now; /* the loop over slabs has no registers for it */
    const int wide = (s.width + T.columns - 1) / T.columns;
    for (bool begins = true;; begins = false) {
        tile_sync<T>(); /* nobody reads what was here before */
        if (thread_number() == 0)
            now = next_stretch<T>(now, begins, s, of);
        tile_sync<T>();
        if (now.first >= now.last)
            return;
        make_stretch<T>(room, a, b, c, s, of, now, wide);
    }
}

/* ---- the host's side ------------------------------------------------------------------------ */

/*
 * Plans the shares of blocks of which `resident` run at once, with `room` for parts, in bytes: none
 * where whole tiles leave no more than a thirtieth of the card idle, so many blocks would have less
 * than LEAST_SLABS each, or 32 bits do not hold a share's first slab. Sets `needs`, unless NULL, to
 * the bytes that parts take.
 */
template <tiling T>
static k_shares plan_shares(shape s, int resident, size_t room, size_t *needs)
{
    enum { LEAST_SLABS = 8 };
    const int wide = (int)blocks_for(s.width, T.columns), deep = (int)blocks_for(s.depth, T.depth);
    const int tiles = (int)blocks_for(s.height, T.rows) * wide;
    if (needs)
        *needs = 0;
    if (resident < 2)
        return {tiles};
    const int idle = (int)blocks_for(tiles, multiprocessors()) * multiprocessors() - tiles;
    k_shares of = {};
    of.whole = std::max(0, tiles / resident - 1) * resident;
    of.y0 = of.whole / wide * T.rows;
    const int slabs = (tiles - of.whole) * deep;
    of.shares = std::min(resident, slabs / LEAST_SLABS);
    const bool more = of.shares == resident || of.shares > tiles - of.whole;
    const bool fit = (int64_t)of.shares * slabs <= INT_MAX; /* k up to some 200000 */
    const size_t parts = of.shares ? blocks_for(deep, slabs / of.shares) + 1 : 0;
    const size_t bytes = parts * (s.height - of.y0) * s.width * sizeof(float);
    if (30 * idle <= tiles || of.shares < 2 || !more || !fit || bytes > room)
        return {tiles};
    if (needs)
        *needs = bytes;
    return of;
}

#endif
