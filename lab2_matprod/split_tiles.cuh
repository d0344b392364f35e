/*
 * split_tiles.cuh - a block's tiles in the product of packed parts (split_product.cuh): where they
 * lie in the matrix and in a cluster, and how results leave.
 */
#ifndef LAB2_SPLIT_TILES_CUH
#define LAB2_SPLIT_TILES_CUH

#include "split_operands.cuh"

#ifdef HAVE_HOPPER

/* ---- where tiles lie ------------------------------------------------------------------------ */

/*
 * A block's tile is TILE_ROWS x COLUMNS. A cluster has ROWS blocks below one another, which share
 * B, times ABREAST beside one another, which share A; that many again for each part of k.
 */
template <int COLUMNS, int ROWS, int ABREAST>
struct split_tile {
    enum {
        A_BYTES = TILE_ROWS * LINE_BYTES,
        STAGE_BYTES = A_BYTES + COLUMNS * LINE_BYTES,
        STAGES = COLUMNS == 256 ? 4 : 6,            /* an even number */
        SHARED_BYTES = STAGES * STAGE_BYTES + 1024, /* room to start at a multiple of 1024 */
        SHARING = ROWS * ABREAST,
        SENDERS = ROWS + ABREAST - 1, /* blocks whose copies arrive in one of them */
        HALVES = COLUMNS / 128
    };
};

/* A block's place in the cluster, and the tile it is at. */
typedef struct place {
    int row, abreast, part; /* in the cluster */
    int m, n;               /* the tile's first row and column */
    int first, end;         /* of k, in stages; a multiple of STEP of them */
} place;

template <class PARTS, int ROWS, int ABREAST>
__device__ inline place place_in_cluster(int depth)
{
    const int rank = (int)cluster_ctarank(), parts = (int)cluster_nctarank() / (ROWS * ABREAST);
    const int stages = pitch<PARTS>(depth) / LINE_BYTES, steps = stages / PARTS::STEP;
    const int share = (steps + parts - 1) / parts * PARTS::STEP;
    place p = {rank % ROWS, rank / ROWS % ABREAST, rank / (ROWS * ABREAST), 0, 0, 0, 0};
    p.first = min(stages, p.part * share);
    p.end = min(stages, p.first + share);
    return p;
}

/* The matrix in tiles of whole clusters, without parts of k. */
typedef struct split_tiling {
    int tall, wide;
} split_tiling;

template <int COLUMNS, int ROWS, int ABREAST>
__host__ __device__ inline split_tiling tiling_of(shape s)
{
    const int height = ROWS * TILE_ROWS, width = ABREAST * COLUMNS;
    return {(s.height + height - 1) / height, (s.width + width - 1) / width};
}

template <int COLUMNS, int ROWS, int ABREAST>
__host__ __device__ inline int tiles_of(shape s)
{
    const split_tiling all = tiling_of<COLUMNS, ROWS, ABREAST>(s);
    return all.tall * all.wide;
}

/*
 * Finds the t-th tile: 16 rows of tiles at a time, column by column, so that those that are worked
 * at together are near one another and find each other's lines of A and B in the L2 cache.
 */
template <int COLUMNS, int ROWS, int ABREAST>
__device__ inline void place_at(place *p, int t, shape s)
{
    enum { BAND = 16 / ROWS };
    const split_tiling all = tiling_of<COLUMNS, ROWS, ABREAST>(s);
    int band = t / (BAND * all.wide), in_band = t % (BAND * all.wide);
    int height = min(BAND, all.tall - band * BAND);
    p->m = ((band * BAND + in_band % height) * ROWS + p->row) * TILE_ROWS;
    p->n = (in_band / height * ABREAST + p->abreast) * COLUMNS;
}

/* ---- the results ---------------------------------------------------------------------------- */

/* What undoes the scales of a tile's rows and columns. */
template <int COLUMNS>
struct tile_unscale {
    __align__(16) unscale row[TILE_ROWS], column[COLUMNS];
};

/* Starts the copies of them into shared memory, where the end of the tile finds them. */
template <class PARTS, int COLUMNS>
__device__ inline void fetch_unscale(PARTS, tile_unscale<COLUMNS> *to, const split_matrices *from,
                                     const place *p, facts)
{
    const int i = (threadIdx.x - WARPGROUP) * 2;
    if (i < TILE_ROWS)
        copy_async<16>(to->row + i, from->row + p->m + i, true);
    else if (i < TILE_ROWS + COLUMNS)
        copy_async<16>(to->column + i - TILE_ROWS, from->column + p->n + i - TILE_ROWS, true);
    copy_async_commit();
}

/* The place of a thread's sums: rows m and m + 8; columns n, n + 1, n + 8, n + 9, n + 16, ... */
typedef struct spot {
    float *c;
    shape s;
    int m, n;
    bool whole; /* the tile is within C, whose rows start at multiples of 16 bytes */
    bool add;   /* to what C has */
    unscale row[2];
    const unscale *column; /* that of n */
} spot;

template <int COLUMNS, class S>
__device__ inline spot spot_of(const place *p, float *c, const S &s,
                               const tile_unscale<COLUMNS> *by)
{
    const int t = threadIdx.x % WARPGROUP, group = threadIdx.x / WARPGROUP - 1;
    spot at;
    at.c = c;
    at.s = s;
    at.m = p->m + group * 64 + t / 32 * 16 + t % 32 / 4;
    at.n = p->n + 2 * (t % 4);
    at.whole = p->m + TILE_ROWS <= s.height && p->n + COLUMNS <= s.width && s.width % 4 == 0;
    at.add = adds(s);
    at.row[0] = by->row[at.m - p->m];
    at.row[1] = by->row[at.m - p->m + 8];
    at.column = by->column + at.n - p->n;
    return at;
}

/*
 * Divides, right but for rare last bits. (__fdiv_rn() asks of each number whether it is normal.)
 * An infinite x, of rows of next to nothing, or an infinite quotient, of huge ones, leaves no
 * finite remainder; the first quotient, 0 or infinite, is right then.
 */
__device__ inline float divided(float sum, float x)
{
    const float y = nearly_1_by(x), q = sum * y, rest = fmaf(-q, x, sum);
    return fabsf(rest) < INFINITY ? fmaf(rest, y, q) : q;
}

template <class PARTS>
__device__ inline float scaled_back(float sum, unscale row, float column_x, float column_y)
{
    const float x = row.x * column_x;
    return (PARTS::FILLS ? divided(sum, x) : sum * x) * (row.y * column_y);
}

/* Adds to results, or to one, what C has there. */
__device__ inline float4 with_before(const spot *at, const float *c, float4 v)
{
    if (at->add) {
        const float4 before = __ldcs((const float4 *)c);
        v.x += before.x, v.y += before.y, v.z += before.z, v.w += before.w;
    }
    return v;
}

__device__ inline float with_before(const spot *at, const float *c, float x)
{
    return at->add ? *c + x : x;
}

/* A row's results from 2 x 2 sums: columns n and n + 1 in x and y, those 8 further on in z and w.
 */
template <class PARTS>
__device__ inline float4 results_of(const spot *at, int row, const float *column, const float *sums)
{
    const float4 near = *(const float4 *)column, far = *(const float4 *)(column + 16);
    const unscale by = at->row[row];
    return make_float4(scaled_back<PARTS>(sums[0], by, near.x, near.y),
                       scaled_back<PARTS>(sums[1], by, near.z, near.w),
                       scaled_back<PARTS>(sums[4], by, far.x, far.y),
                       scaled_back<PARTS>(sums[5], by, far.z, far.w));
}

/*
 * Stores COUNT results of a whole tile, columns n + offset and so on. Neighbouring lanes swap two
 * of theirs, so that each has four that lie beside one another.
 */
template <class PARTS, int COUNT>
__device__ inline void store_whole(const spot *at, int offset, const float *sums)
{
    const bool odd = threadIdx.x & 1;
    const size_t below = (size_t)8 * at->s.width;
    float *to = at->c + (size_t)at->m * at->s.width + at->n + offset + (odd ? 6 : 0);
#pragma unroll
    for (int i = 0; i < COUNT; i += 8, to += 16)
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const float *column = (const float *)(at->column + offset + 2 * i);
            const float4 v = results_of<PARTS>(at, row, column, sums + i + 2 * row);
            const float s = __shfl_xor_sync(~0u, odd ? v.x : v.z, 1);
            const float t = __shfl_xor_sync(~0u, odd ? v.y : v.w, 1);
            float *here = to + row * below;
            __stcs((float4 *)here,
                   with_before(at, here,
                               odd ? make_float4(s, t, v.z, v.w) : make_float4(v.x, v.y, s, t)));
        }
}

/* Stores those of a tile that is not, or whose rows start anywhere. */
template <class PARTS, int COUNT>
__device__ inline void store_each(const spot *at, int offset, const float *sums)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 8)
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const int m = at->m + 8 * row, n = at->n + offset + 2 * i;
            const float *column = (const float *)(at->column + offset + 2 * i);
            const float4 v = results_of<PARTS>(at, row, column, sums + i + 2 * row);
            float *to = at->c + (size_t)m * at->s.width + n;
            if (m < at->s.height) {
                if (n < at->s.width)
                    to[0] = with_before(at, to, v.x);
                if (n + 1 < at->s.width)
                    to[1] = with_before(at, to + 1, v.y);
                if (n + 8 < at->s.width)
                    to[8] = with_before(at, to + 8, v.z);
                if (n + 9 < at->s.width)
                    to[9] = with_before(at, to + 9, v.w);
            }
        }
}

enum { SLOT_BYTES = 16 };

/*
 * Leaves a block's sums, where the parts of k are in different blocks: each leaves its own in its
 * shared memory, where both groups have done with the stages ...
 */
__device__ inline void leave_sums(const float (&sums)[64], uint32_t room)
{
    const uint32_t slot = room + (threadIdx.x - WARPGROUP) * SLOT_BYTES;
#pragma unroll
    for (int i = 0; i < 16; i++)
        st_shared_v4(slot + i * 2 * WARPGROUP * SLOT_BYTES, sums + 4 * i);
}

/*
 * ... and adds up, in order, what all have left of the columns that fall to it: each eighth of the
 * tile's. In a loop: its code is in no cache, and takes longer to come than to run.
 */
template <class PARTS>
__device__ inline void store_sums_of_parts(const spot *at, const place *p, int sharing,
                                           uint32_t room)
{
    enum { EIGHTHS = 8, GROUP = 2 * WARPGROUP * SLOT_BYTES /* of four sums of all threads */ };
    const int parts = (int)cluster_nctarank() / sharing, mine = (int)cluster_ctarank() % sharing;
    const uint32_t slot = room + (threadIdx.x - WARPGROUP) * SLOT_BYTES;
#pragma unroll 1
    for (int eighth = p->part; eighth < EIGHTHS; eighth += parts) {
        float sums[8] = {};
        for (int part = 0; part < parts; part++) {
            const uint32_t there = mapa(slot + 2 * eighth * GROUP, part * sharing + mine);
            const float4 near = ld_shared_cluster_v4(there);
            const float4 far = ld_shared_cluster_v4(there + GROUP);
            sums[0] += near.x, sums[1] += near.y, sums[2] += near.z, sums[3] += near.w;
            sums[4] += far.x, sums[5] += far.y, sums[6] += far.z, sums[7] += far.w;
        }
        if (at->whole)
            store_whole<PARTS, 8>(at, 16 * eighth, sums);
        else
            store_each<PARTS, 8>(at, 16 * eighth, sums);
    }
}

#endif
#endif
