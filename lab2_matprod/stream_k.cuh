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
#include <stdlib.h>
#include <algorithm>

#include "edges.cuh"
#include "launching.h"
#include "panel.cuh"
#include "process/die.h"

/*
 * How tiles are made is TILES' own: BLOCK threads make ROWS x COLUMNS, DEPTH of k in a slab;
 * make(a, b, c, s, of, now, last, y0, x0) makes a stretch, or the tile if its other parts are
 * there, and bytes_of_parts(s, of, tiles) is room for parts of so many tiles.
 *
 * The first `whole` tiles are a block's each, in rounds if there are fewer blocks; the slabs of all
 * others belong to the last `shares` blocks. A tile has `parts` parts at most, whose sums lie at
 * `sums`; C's row `y0` is the first that shared tiles have. `there` counts the parts of a tile that
 * are there; it is zero before and after.
 */
typedef struct k_shares {
    int whole, shares, y0, parts;
    void *sums;
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
template <class TILES>
__device__ inline stretch next_stretch(const stretch &now, bool begins, shape s, k_shares of)
{
    const int deep = (s.depth + TILES::DEPTH - 1) / TILES::DEPTH;
    const bool shares = !begins && now.tile >= of.whole; /* already */
    const int whole = begins ? (int)blockIdx.x : now.tile + (int)gridDim.x;
    const int share = (int)blockIdx.x + of.shares - (int)gridDim.x;
    if (!shares && whole < of.whole)
        return {whole, 0, deep, 0, 1};
    if (share < 0)
        return {of.whole, 0, 0, 0, 1};
    const int wide = (s.width + TILES::COLUMNS - 1) / TILES::COLUMNS;
    const int slabs = ((s.height + TILES::ROWS - 1) / TILES::ROWS * wide - of.whole) * deep;
    const int slab =
        shares ? (now.tile - of.whole) * deep + now.last : first_of_share(share, slabs, of.shares);
    const int end = first_of_share(share + 1, slabs, of.shares), tile = slab / deep;
    const int first = slab % deep, from = share_with(tile * deep, slabs, of.shares);
    const int to = share_with((tile + 1) * deep - 1, slabs, of.shares);
    return {of.whole + tile, first, min(deep, first + end - slab), share - from, to - from + 1};
}

/* ---- parts of a tile ------------------------------------------------------------------------ */

/* Are all parts of a tile there, now that this block's one is? Blocks come in any order: the last
 * one goes on, and nobody waits. Fences are cumulative: one thread's, between barriers of the
 * block, orders what all threads have written, and what they read. */
__device__ inline bool all_are_there(const k_shares &of, const stretch &now)
{
    __shared__ unsigned before;
    const unsigned parts = now.parts;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        before = atomicInc(of.there + now.tile - of.whole, parts - 1);
        __threadfence();
    }
    __syncthreads();
    return before == parts - 1;
}

/* ---- a block -------------------------------------------------------------------------------- */

/* Makes the block's tiles, or its share of those that are shared. Every thread calls it. */
template <class TILES, class S>
__device__ inline void make_share(TILES tiles, const float *a, const float *b, float *c, S s,
                                  k_shares of)
{
    __shared__ stretch now; /* the loop over slabs has no registers for it */
    const int wide = (s.width + TILES::COLUMNS - 1) / TILES::COLUMNS;
    for (bool begins = true;; begins = false) {
        __syncthreads(); /* nobody reads what was here before */
        if (threadIdx.x == 0)
            now = next_stretch<TILES>(now, begins, s, of);
        __syncthreads();
        if (now.first >= now.last)
            return;
        const int first = now.first * TILES::DEPTH;
        tiles.make(a + first, b + (size_t)first * s.width, c, s, of, now,
                   min(now.last * (int)TILES::DEPTH, s.depth), now.tile / wide * TILES::ROWS,
                   now.tile % wide * TILES::COLUMNS);
    }
}

/* ---- the host's side ------------------------------------------------------------------------ */

/*
 * Plans the shares of blocks of which `resident` run at once, with `room` for parts, in bytes: none
 * where whole tiles leave no more than a thirtieth of the card idle, so many blocks would have less
 * than LEAST_K of k, or 32 bits do not hold a share's first slab. Sets `needs`, unless NULL, to the
 * bytes that parts take.
 */
template <class TILES>
static k_shares plan_shares(shape s, int resident, size_t room, size_t *needs)
{
    enum { LEAST_K = 128 };
    const int wide = (int)blocks_for(s.width, TILES::COLUMNS);
    const int deep = (int)blocks_for(s.depth, TILES::DEPTH);
    const int tiles = (int)blocks_for(s.height, TILES::ROWS) * wide;
    if (needs)
        *needs = 0;
    if (resident < 2)
        return {tiles};
    const int idle = (int)blocks_for(tiles, multiprocessors()) * multiprocessors() - tiles;
    k_shares of = {};
    of.whole = std::max(0, tiles / resident - 1) * resident;
    of.y0 = of.whole / wide * TILES::ROWS;
    const int slabs = (tiles - of.whole) * deep;
    of.shares = std::min(resident, slabs * (int)TILES::DEPTH / LEAST_K);
    const bool more = of.shares == resident || of.shares > tiles - of.whole;
    const bool fit = (int64_t)of.shares * slabs <= INT_MAX; /* k up to some 200000 */
    of.parts = of.shares ? (int)blocks_for(deep, slabs / of.shares) + 1 : 0;
    const size_t bytes = TILES::bytes_of_parts(s, of, tiles - of.whole);
    if (30 * idle <= tiles || of.shares < 2 || !more || !fit || bytes > room)
        return {tiles};
    if (needs)
        *needs = bytes;
    return of;
}

/* Fields of a variant that is all shares, of blocks of which RESIDENT() run at once: its workspace,
 * its plan, which is a k_shares, and the plan's end. */
template <class TILES, int (*RESIDENT)()>
static size_t bytes_of_shares(const problem *p)
{
    size_t bytes;
    plan_shares<TILES>(shape_of(p), RESIDENT(), SIZE_MAX, &bytes);
    return bytes;
}

template <class TILES, int (*RESIDENT)()>
static void *plan_of_shares(const problem *p, const launch *l)
{
    k_shares *of = (k_shares *)allocate(sizeof *of);
    *of = plan_shares<TILES>(shape_of(p), RESIDENT(), SIZE_MAX, NULL);
    of->sums = l->workspace;
    of->there = (unsigned *)device_zeros(2 * (of->shares + 1) * sizeof *of->there);
    return of;
}

static inline void release_shares(void *plan)
{
    CUDA_RELEASE(cudaFree(((k_shares *)plan)->there));
    free(plan);
}

#endif
