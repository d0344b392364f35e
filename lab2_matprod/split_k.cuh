/*
 * split_k.cuh - products whose last tiles are shared among all blocks that run at once, wherever
 * they begin and end along k (stream-K). N = 1280 has 200 tiles of slice_k for 132
 * multiprocessors: in two rounds the second leaves half of them idle. 264 blocks, two to each, take
 * 60 or 61 slabs of the 16000 instead:
 *
 *   slabs     0             80            160           240           320
 *   tiles     |      0      |      1      |      2      |      3      |   ...
 *   blocks    |    0     |    1     |    2     |    3     |    4     |   ...
 *
 * Blocks 0 and 1 leave what each has of tile 0 in global memory; the one that comes last adds it
 * up. Of more tiles than twice as many as blocks at once, those before have a block each.
 */
#ifndef LAB2_SPLIT_K_CUH
#define LAB2_SPLIT_K_CUH

#include "warp_tile.cuh"

/*
 * The first `whole` tiles have a block each; the slabs of the others are shared by `shares` blocks.
 * Products of parts are matrices at `c`, as wide as C, from the row `y0` on, where the first such
 * tile lies. `there` counts the parts of a tile that are there.
 */
typedef struct k_shares {
    int whole, shares, y0;
    float *c;
    unsigned *there;
} k_shares;

/* Are all parts of a tile there, now that this block's one is? Blocks come in any order: the one
 * that comes last goes on, and nobody waits. The count is zero then, for the next run. */
__device__ inline bool all_are_there(unsigned *there, unsigned parts)
{
    __shared__ unsigned before;
    __threadfence();
    __syncthreads();
    if (thread_number() == 0)
        before = atomicInc(there, parts - 1);
    __syncthreads();
    __threadfence();
    return before == parts - 1;
}

/* Returns where the matrix of a part's products would begin if it had C's first rows, too. */
__device__ inline float *matrix_of(const k_shares &of, shape s, int part)
{
    return of.c + ((ptrdiff_t)part * (s.height - of.y0) - of.y0) * s.width;
}

/* Adds up a tile's parts, in the order of k, by WIDTH columns: a thread has many loads under way.
 */
template <tiling T, int WIDTH, class S>
__device__ __noinline__ void add_parts(const k_shares &of, int parts, float *c, S s, int y0, int x0)
{
    constexpr int each = T.rows * T.columns / (WIDTH * THREADS), row = T.columns / WIDTH;
    const int y = y0 + thread_number() / row, x = x0 + thread_number() % row * WIDTH;
    float sum[each][WIDTH] = {};
    for (int part = 0; part < parts; part++) {
        const float *from = matrix_of(of, s, part) + (size_t)y * s.width + x;
#pragma unroll
        for (int n = 0; n < each; n++)
            if (y + n * (THREADS / row) < s.height && x < s.width) {
                float v[WIDTH];
                if constexpr (WIDTH == 4) {
                    const float4 f =
                        __ldcg((const float4 *)(from + (size_t)n * (THREADS / row) * s.width));
                    v[0] = f.x, v[1] = f.y, v[2] = f.z, v[3] = f.w;
                } else
                    v[0] = __ldcg(from + (size_t)n * (THREADS / row) * s.width);
                for (int j = 0; j < WIDTH; j++)
                    sum[n][j] += v[j];
            }
    }
#pragma unroll
    for (int n = 0; n < each; n++)
        if (y + n * (THREADS / row) < s.height && x < s.width) {
            float *to = c + (size_t)(y + n * (THREADS / row)) * s.width + x;
            for (int j = 0; j < WIDTH; j++)
                sum[n][j] += adds(s) ? to[j] : 0;
            if constexpr (WIDTH == 4)
                *(float4 *)to = {sum[n][0], sum[n][1], sum[n][2], sum[n][3]};
            else
                *to = sum[n][0];
        }
}

/* Returns the share that has a slab, of `slabs` in all. */
__device__ inline int share_with(int slab, int slabs, int shares)
{
    return (int)(((int64_t)(slab + 1) * shares - 1) / slabs);
}

__device__ inline int first_slab_of(int share, int slabs, int shares)
{
    return (int)((int64_t)share * slabs / shares);
}

/* Makes the tiles of the block's share, and adds up those of which it has the last part. */
template <tiling T, class S>
__device__ inline void make_share(float4 *room, const float *a, const float *b, float *c, S s,
                                  k_shares of)
{
    __shared__ int next;
    const int wide = (s.width + T.columns - 1) / T.columns,
              deep = (s.depth + T.depth - 1) / T.depth;
    const int tiles = (s.height + T.rows - 1) / T.rows * wide;
    const int share = (int)blockIdx.x - of.whole, slabs = (tiles - of.whole) * deep;
    const int begin = share < 0 ? (int)blockIdx.x * deep
                                : of.whole * deep + first_slab_of(share, slabs, of.shares);
    for (int slab = begin;; slab = next) {
        const int share = (int)blockIdx.x - of.whole;
        const int end = share < 0 ? ((int)blockIdx.x + 1) * deep
                                  : of.whole * deep + first_slab_of(share + 1, slabs, of.shares);
        if (slab >= end)
            break;
        const int tile = slab / deep, first = slab % deep, last = min(deep, first + end - slab);
        const int y0 = tile / wide * T.rows, x0 = tile % wide * T.columns;
        int part = 0, parts = 1;
        if (first > 0 || last < deep) {
            const int before = share_with((tile - of.whole) * deep, slabs, of.shares);
            part = share - before;
            parts = share_with((tile - of.whole + 1) * deep - 1, slabs, of.shares) - before + 1;
        }
        tile_sync<T>();
        if (thread_number() == 0)
            next = slab + last - first;
        make_any_tile<T>(room, a + first * T.depth, b + (size_t)first * T.depth * s.width,
                         parts > 1 ? matrix_of(of, s, part) : c, s, first * T.depth,
                         min(last * T.depth, s.depth), y0, x0);
        if (parts == 1 || !all_are_there(of.there + tile - of.whole, parts))
            continue;
        if (s.width % 4 == 0)
            add_parts<T, 4>(of, parts, c, s, y0, x0);
        else
            add_parts<T, 1>(of, parts, c, s, y0, x0);
    }
}

#endif
