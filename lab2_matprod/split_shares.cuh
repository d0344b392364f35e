/*
 * split_shares.cuh - tiles of packed parts (split_tiles.cuh) whose k all blocks share evenly, as
 * stream_k.cuh has it: 144 tiles, of N = 1536, would take 132 multiprocessors as long as 264.
 *
 * Whoever has a tile's first k adds up what the other blocks that share it leave. It is the last
 * thing that it does, and the first that they do, so that it hardly ever waits; and only for blocks
 * behind it, which need no more than a second multiprocessor to run on. (Whoever comes last could
 * do it, and nobody would wait; but then all write their parts while the tensor cores stand still:
 * NOTES.md.)
 */
#ifndef LAB2_SPLIT_SHARES_CUH
#define LAB2_SPLIT_SHARES_CUH

#include "split_tiles.cuh"
#include "stream_k.cuh"

#ifdef HAVE_HOPPER

/* ---- which tiles ---------------------------------------------------------------------------- */

/* Tiles whose k blocks share (stream_k.cuh), and the room for parts of them. */
template <class PARTS>
struct split_shares {
    enum { ROWS = TILE_ROWS, COLUMNS = 128, DEPTH = PARTS::WHOLE_K };
    static size_t bytes_of_parts(shape, const k_shares &of, int tiles)
    {
        return (size_t)tiles * of.parts * ROWS * COLUMNS * sizeof(float);
    }
};

/* A block's way from tile to tile: through those of its cluster ... */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST, bool SHARES>
struct tile_walk {
    place p;
    int t;

    __device__ tile_walk(shape s, const k_shares &)
        : p(place_in_cluster<PARTS, ROWS, ABREAST>(s.depth)), t((int)clusterid_x())
    {
    }

    /* Goes to the next one. Returns whether there is one. */
    __device__ bool next(shape s, const k_shares &)
    {
        if (t >= tiles_of<COLUMNS, ROWS, ABREAST>(s))
            return false;
        place_at<COLUMNS, ROWS, ABREAST>(&p, t, s);
        t += (int)nclusterid_x();
        return true;
    }
};

/* ... or through its share. */
template <class PARTS, int COLUMNS>
struct tile_walk<PARTS, COLUMNS, 1, 1, true> {
    place p;
    stretch now;
    bool begins;

    __device__ tile_walk(shape, const k_shares &) : p(), now(), begins(true)
    {
    }

    __device__ bool next(shape s, const k_shares &of)
    {
        now = next_stretch<split_shares<PARTS>>(now, begins, s, of);
        begins = false;
        if (now.first >= now.last)
            return false;
        place_at<COLUMNS, 1, 1>(&p, now.tile, s);
        p.first = now.first * PARTS::STEP;
        p.end = now.last * PARTS::STEP;
        return true;
    }
};

/* ---- parts of a tile ------------------------------------------------------------------------ */

/*
 * Two warps of group 0, which have nothing else to do, see to it: one tells others of what groups 1
 * and 2 have left, one waits for what others have. (A loop that waits, in those groups, would keep
 * descriptors for the tensor cores from uniform registers.)
 */
enum {
    TELLS = 1, /* warps */
    WAITS = 2,
    LEFT = 4, /* named barriers, of groups 1 and 2 and a warp */
    THERE = 5,
    WITH_WARP = 2 * WARPGROUP + 32
};

/* Returns where a thread's sums of a part lie in memory, four by four, 2 * WARPGROUP from one to
 * the next. */
__device__ inline float4 *part_of_tile(const k_shares &of, int tile, int part)
{
    const size_t slot = (size_t)(tile - of.whole) * of.parts + part;
    return (float4 *)of.sums + slot * (TILE_ROWS * 128 / 4) + threadIdx.x - WARPGROUP;
}

/* Leaves the sums of a part that is not the first one. Groups 1 and 2 call it. */
__device__ inline void leave_part(const k_shares &of, const stretch &now, const float (&sums)[64])
{
    float4 *to = part_of_tile(of, now.tile, now.part);
#pragma unroll
    for (int i = 0; i < 16; i++)
        __stcg(to + i * 2 * WARPGROUP, *(const float4 *)(sums + 4 * i));
    named_barrier_arrive<WITH_WARP>(LEFT);
}

/* Adds the other parts to the first one, in the order of k, once they are there. Groups 1 and 2
 * call it. */
__device__ inline void add_parts(const k_shares &of, const stretch &now, float (&sums)[64])
{
    named_barrier_sync_aligned<WITH_WARP>(THERE);
#pragma unroll 1
    for (int part = 1; part < now.parts; part++) {
        const float4 *from = part_of_tile(of, now.tile, part);
#pragma unroll
        for (int i = 0; i < 16; i++) {
            const float4 v = __ldcg(from + i * 2 * WARPGROUP);
            sums[4 * i] += v.x, sums[4 * i + 1] += v.y;
            sums[4 * i + 2] += v.z, sums[4 * i + 3] += v.w;
        }
    }
}

/* Tells of a part that the block leaves, if its share begins with one. A warp calls it. */
template <class WALK>
__device__ inline void tell_of_part(WALK walk, shape s, const k_shares &of)
{
    bool leaves = false;
    while (!leaves && walk.next(s, of))
        leaves = walk.now.part > 0;
    if (!leaves)
        return;
    named_barrier_sync_aligned<WITH_WARP>(LEFT);
    if (threadIdx.x % 32 == 0) {
        __threadfence();
        atomicAdd(of.there + walk.now.tile - of.whole, 1);
    }
}

/* Waits for the other parts of a tile of which the block has the first one, if its share ends so. A
 * warp calls it. */
template <class WALK>
__device__ inline void await_parts(WALK walk, shape s, const k_shares &of)
{
    bool adds_up = false;
    while (!adds_up && walk.next(s, of))
        adds_up = walk.now.part == 0 && walk.now.parts > 1;
    if (!adds_up)
        return;
    if (threadIdx.x % 32 == 0) {
        volatile unsigned *there = of.there + walk.now.tile - of.whole;
        while ((int)*there < walk.now.parts - 1)
            __nanosleep(20);
        *there = 0;
        __threadfence();
    }
    __syncwarp();
    named_barrier_sync_aligned<WITH_WARP>(THERE);
}

#endif
#endif
