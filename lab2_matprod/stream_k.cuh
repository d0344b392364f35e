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

#include "edges.cuh"
#include "launching.h"
#include "panel.cuh"

/*
 * How tiles are made is TILES' own: BLOCK threads make ROWS x COLUMNS, DEPTH of k in a slab;
 * make(a, b, c, part, s, first, last, y0, x0) does so from `first` of k, where a and b begin, to
 * `last`, in C, or in `part` unless it is NULL, whose numbers are TILES::sum.
 *
 * The first `whole` tiles are a block's each, in rounds if there are fewer blocks; the slabs of all
 * others belong to the last `shares` blocks. A part's sums are in a matrix at `parts`, one behind
 * the other, as wide as C, whose first row is C's row `y0`. `there` counts the parts of a tile that
 * are there; it is zero before and after.
 */
typedef struct k_shares {
    int whole, shares, y0;
    void *parts;
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

/* Returns where the matrix of a part's sums would begin if it had C's first rows, too. */
template <class SUM>
__device__ inline SUM *matrix_of(k_shares of, shape s, int part)
{
    return (SUM *)of.parts + ((ptrdiff_t)part * (s.height - of.y0) - of.y0) * s.width;
}

/* Are all parts of a tile there, now that this block's one is? Blocks come in any order: the last
 * one goes on, and nobody waits. Fences are cumulative: one thread's, between barriers of the
 * block, orders what all threads have written, and what they read. */
__device__ inline bool all_are_there(unsigned *there, unsigned parts)
{
    __shared__ unsigned before;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        before = atomicInc(there, parts - 1);
        __threadfence();
    }
    __syncthreads();
    return before == parts - 1;
}

/*
 * Adds up a tile's parts in the order of k, WIDTH columns of four rows at a time, whose loads are
 * all under way at once, and rounds them; adds them to what a panel's C has. It has registers of
 * its own: where the loop over slabs is compiled along with it, a twentieth of stream_k's FFMA read
 * three numbers from one bank.
 */
template <class TILES, int WIDTH, class S>
__device__ __noinline__ void add_parts(k_shares of, int parts, float *c, S s, int y0, int x0)
{
    typedef typename TILES::sum SUM;
    constexpr int across = TILES::COLUMNS / WIDTH, down = TILES::BLOCK / across, each = 4;
    const int x = x0 + (int)threadIdx.x % across * WIDTH;
#pragma unroll 1
    for (int y = y0 + (int)threadIdx.x / across; y < y0 + TILES::ROWS; y += each * down) {
        const int rows = x < s.width ? (s.height - y + down - 1) / down : 0;
        const size_t first = (size_t)y * s.width + x, next = (size_t)down * s.width;
        SUM sum[each][WIDTH] = {};
#pragma unroll 1
        for (int part = 0; part < parts; part++)
#pragma unroll
            for (int i = 0; i < each; i++)
                if (i < rows)
                    add_columns<WIDTH>(sum[i], matrix_of<SUM>(of, s, part) + first + i * next);
#pragma unroll
        for (int i = 0; i < each; i++)
            if (i < rows) {
                float v[WIDTH];
                for (int j = 0; j < WIDTH; j++)
                    v[j] = (float)sum[i][j];
                if (adds(s))
                    add_columns<WIDTH>(v, c + first + i * next);
                store_columns<WIDTH>(c + first + i * next, v);
            }
    }
}

/* ---- a block -------------------------------------------------------------------------------- */

/* Makes a stretch at (y0, x0), and the tile if its other parts are there. */
template <class TILES, class S>
__device__ inline void make_stretch(TILES *tiles, const float *a, const float *b, float *c, S s,
                                    k_shares of, const stretch &now, int wide)
{
    const int y0 = now.tile / wide * TILES::ROWS, x0 = now.tile % wide * TILES::COLUMNS;
    const int first = now.first * TILES::DEPTH, last = min(now.last * TILES::DEPTH, s.depth);
    const bool whole = now.parts == 1;
    tiles->make(a + first, b + (size_t)first * s.width, c,
                whole ? NULL : matrix_of<typename TILES::sum>(of, s, now.part), s, first, last, y0,
                x0);
    if (whole || !all_are_there(of.there + now.tile - of.whole, now.parts))
        return;
    if (s.width % 4 == 0)
        add_parts<TILES, 4>(of, now.parts, c, s, y0, x0);
    else
        add_parts<TILES, 1>(of, now.parts, c, s, y0, x0);
}

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
        make_stretch(&tiles, a, b, c, s, of, now, wide);
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
    const size_t parts = of.shares ? blocks_for(deep, slabs / of.shares) + 1 : 0;
    const size_t bytes = parts * (s.height - of.y0) * s.width * sizeof(typename TILES::sum);
    if (30 * idle <= tiles || of.shares < 2 || !more || !fit || bytes > room)
        return {tiles};
    if (needs)
        *needs = bytes;
    return of;
}

#endif
