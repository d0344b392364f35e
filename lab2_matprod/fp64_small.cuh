/*
 * fp64_small.cuh - small products on FP64's tensor cores, for tensor_fp64: against fp64_tile.cuh,
 * tiles of 32 x 32, of which 512 x 512 results are 256, where they are 24 of 96 x 128. Most of a
 * small product's time is latency; here all multiprocessors share it.
 *
 *              B: 32 columns       Four warps make 16 x 16 results each: two pieces of 16 x 8 by
 *             +----+----+          mma.sync.m16n8k16, from 16 of k. Three such groups have 48 of k,
 *      A   16 | w0 | w1 |          a slab, and add up their sums at the end: twelve warps, three to
 *     32      +----+----+          a quarter of the multiprocessor, where four would leave its
 *    rows  16 | w2 | w3 |          tensor cores idle between one instruction and the next. Five
 *             +----+----+          slabs are in shared memory, four of them on their way.
 *
 * A cluster's blocks have a part of k each, where tiles are few, and round a share of the tile
 * each, of sums that they read in the others' shared memory.
 *
 * A lane's numbers of an operand are those of fp64_tile.cuh, but it has two neighbours of the
 * warp's columns. Rows of A lie 56 words apart in shared memory and B's 36: lanes that are served
 * at once read 32 different banks.
 */
#ifndef LAB2_FP64_SMALL_CUH
#define LAB2_FP64_SMALL_CUH

#include <limits.h>
#include <stdint.h>

#include "edges.cuh"
#include "ptx/async_copy.cuh"
#include "ptx/cluster.cuh"
#include "ptx/hopper.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_memory.cuh"

#ifdef HAVE_HOPPER

enum {
    SMALL_TILE = 32,                             /* rows and columns */
    SMALL_GROUP = 4 * 32,                        /* threads */
    SMALL_GROUPS = HOPPER_THREADS / SMALL_GROUP, /* of a block */
    SMALL_K = 16 * SMALL_GROUPS,                 /* of k in a slab */
    SMALL_SLABS = 5,                             /* in shared memory */
    SMALL_SUMS = SMALL_TILE * SMALL_TILE / 2,    /* pairs of a group's sums */
    SMALL_BLOCKS = 2,                            /* of a multiprocessor */
    SMALL_PARTS = 8,                             /* of k, at most */
    SMALL_PART_K = 2 * SMALL_K,                  /* of a part, at least */
    QUICK_SLABS = 12,     /* take less time than tensor_split (H200: 11 slabs 11.0 us for 14.4) */
    MOST_SMALL_SLABS = 32 /* take less time than tiles of 96 x 128 */
};

typedef struct small_slab {
    float a[SMALL_TILE][SMALL_K + 8], b[SMALL_K][SMALL_TILE + 4];
} small_slab;

/* A block's tile, and its slabs of k. */
typedef struct small_place {
    int y, x, first, last;
} small_place;

__device__ inline small_place small_place_of(shape s)
{
    const int parts = (int)cluster_nctarank(), tile = (int)blockIdx.x / parts;
    const int wide = (s.width + SMALL_TILE - 1) / SMALL_TILE;
    const int slabs = (s.depth + SMALL_K - 1) / SMALL_K, share = (slabs + parts - 1) / parts;
    const int first = min(slabs, (int)cluster_ctarank() * share);
    return {tile / wide * SMALL_TILE, tile % wide * SMALL_TILE, first, min(slabs, first + share)};
}

/* Starts the copies of a thread's share of a slab, WIDTH numbers at a time; zeros where there are
 * none. */
template <int WIDTH>
__device__ inline void copy_small_slab(small_slab *to, const float *a, const float *b, shape s,
                                       const small_place &at, int slab)
{
    constexpr int a_row = SMALL_K / WIDTH, b_row = SMALL_TILE / WIDTH;
    const int k0 = slab * SMALL_K;
#pragma unroll
    for (int i = threadIdx.x; i < SMALL_TILE * a_row; i += HOPPER_THREADS) {
        const int y = i / a_row, k = i % a_row * WIDTH;
        copy_async<4 * WIDTH>(&to->a[y][k], a + (size_t)(at.y + y) * s.depth + k0 + k,
                              at.y + y < s.height && k0 + k < s.depth);
    }
#pragma unroll
    for (int i = threadIdx.x; i < SMALL_K * b_row; i += HOPPER_THREADS) {
        const int k = i / b_row, x = i % b_row * WIDTH;
        copy_async<4 * WIDTH>(&to->b[k][x], b + (size_t)(k0 + k) * s.width + at.x + x,
                              k0 + k < s.depth && at.x + x < s.width);
    }
}

/* Adds the products of a warp's 16 of k in a slab to its sums. */
__device__ inline void add_products(double (&sums)[2][4], const small_slab *slab)
{
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int row = warp % 4 / 2 * 16 + g, column = warp % 2 * 16 + 2 * g;
    const int k = warp / 4 * 16 + 2 * t;
    double left[8], right[2][4];
#pragma unroll
    for (int i = 0; i < 4; i++) { /* the upper or lower half, of that 8 of k */
        const int half = i % 2, eight = i / 2;
        const float2 v = *(const float2 *)&slab->a[row + half * 8][k + eight * 8];
        left[eight * 4 + half] = v.x;
        left[eight * 4 + 2 + half] = v.y;
    }
#pragma unroll
    for (int n = 0; n < 4; n++) {
        const float2 v = *(const float2 *)&slab->b[k + n / 2 * 8 + n % 2][column];
        right[0][n] = v.x, right[1][n] = v.y;
    }
    mma_m16n8k16_f64(sums[0], left, right[0]);
    mma_m16n8k16_f64(sums[1], left, right[1]);
}

/* Sums the block's products. Everybody calls it. */
template <int WIDTH>
__device__ inline void sum_small_slabs(small_slab *slabs, const float *a, const float *b, shape s,
                                       const small_place &at, double (&sums)[2][4])
{
    int now = 0, next = SMALL_SLABS - 1; /* in the ring */
#pragma unroll 1
    for (int i = 0; i < SMALL_SLABS - 1; i++) {
        if (at.first + i < at.last)
            copy_small_slab<WIDTH>(slabs + i, a, b, s, at, at.first + i);
        copy_async_commit();
    }
#pragma unroll 1
    for (int slab = at.first; slab < at.last; slab++) {
        copy_async_wait<SMALL_SLABS - 2>();
        __syncthreads(); /* everybody's copies are there, and the slab before has been read */
        if (slab + SMALL_SLABS - 1 < at.last)
            copy_small_slab<WIDTH>(slabs + next, a, b, s, at, slab + SMALL_SLABS - 1);
        copy_async_commit();
        add_products(sums, slabs + now);
        now = now == SMALL_SLABS - 1 ? 0 : now + 1;
        next = next == SMALL_SLABS - 1 ? 0 : next + 1;
    }
}

/*
 * Adds up what a block's groups have summed. The sums of all of a part lie in `room` then, two by
 * two, those of one group: rows g and g + 8, columns 4 t and 4 t + 2, or 1 and 3 further on.
 * Everybody calls it.
 */
__device__ inline void add_small_groups(double2 *room, const double (&sums)[2][4])
{
    const int group = threadIdx.x / SMALL_GROUP, t = threadIdx.x % SMALL_GROUP;
    __syncthreads(); /* all slabs have been read, in whose place they lie */
#pragma unroll
    for (int i = 0; i < 4; i++) /* half, piece */
        room[group * SMALL_SUMS + i * SMALL_GROUP + t] =
            make_double2(sums[i % 2][i / 2 * 2], sums[i % 2][i / 2 * 2 + 1]);
    __syncthreads();
    for (int i = threadIdx.x; i < SMALL_SUMS; i += HOPPER_THREADS)
        for (int other = 1; other < SMALL_GROUPS; other++) {
            room[i].x += room[other * SMALL_SUMS + i].x;
            room[i].y += room[other * SMALL_SUMS + i].y;
        }
}

__device__ inline double2 ld_shared_cluster_sums(const double2 *from, int rank)
{
    const float4 bits = ld_shared_cluster_v4(mapa(shared_address(from), rank));
    return *(const double2 *)&bits;
}

/* Adds up the parts of k, rounds and stores the block's share of the tile, four neighbours of a row
 * at a time. Everybody calls it, when the cluster's sums are there. */
__device__ inline void store_small(float *c, shape s, const small_place &at, const double2 *room)
{
    const int parts = (int)cluster_nctarank(), share = SMALL_SUMS / 2 / parts;
    const int i = (int)cluster_ctarank() * share + (int)threadIdx.x;
    if ((int)threadIdx.x >= share)
        return;
    const int half = i / SMALL_GROUP, t = i % SMALL_GROUP, lane = t % 32;
    const double2 *from = room + half * 2 * SMALL_GROUP + t;
    double sums[4] = {};
#pragma unroll 2
    for (int part = 0; part < parts; part++) {
        const double2 even = ld_shared_cluster_sums(from, part);
        const double2 odd = ld_shared_cluster_sums(from + SMALL_GROUP, part);
        sums[0] += even.x, sums[1] += odd.x, sums[2] += even.y, sums[3] += odd.y;
    }
    const float v[4] = {(float)sums[0], (float)sums[1], (float)sums[2], (float)sums[3]};
    set_four(c, s, at.y + t / 64 * 16 + half * 8 + lane / 4, at.x + t / 32 % 2 * 16 + lane % 4 * 4,
             v, s.width % 4 == 0);
}

/* A cluster makes a tile: as many blocks as there are parts of k, 1, 2, 4 or 8. */
static __global__ void __launch_bounds__(HOPPER_THREADS, SMALL_BLOCKS)
    tensor_fp64_small(const float *a, const float *b, float *c, shape s)
{
#ifdef HOPPER_CODE
    extern __shared__ float4 room[];
    const small_place at = small_place_of(s);
    const bool in_parts = cluster_nctarank() > 1;
    double sums[2][4] = {};
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    if (in_fours(s))
        sum_small_slabs<4>((small_slab *)room, a, b, s, at, sums);
    else
        sum_small_slabs<1>((small_slab *)room, a, b, s, at, sums);
    add_small_groups((double2 *)room, sums);
    if (in_parts)
        cluster_sync();
    else
        __syncthreads();
    store_small(c, s, at, (const double2 *)room);
    if (in_parts)
        cluster_sync_relaxed(); /* nobody leaves while another block may still read here */
#endif
}

/* ---- the host's side ------------------------------------------------------------------------ */

/* Returns how many tiles of 32 x 32 there are. */
static inline int64_t small_tiles(shape s)
{
    return (int64_t)blocks_for(s.width, SMALL_TILE) * blocks_for(s.height, SMALL_TILE);
}

/* Returns into how many parts k is divided: as many as there are multiprocessors for. */
static inline int small_parts(shape s)
{
    const int all = multiprocessors();
    int parts = 1;
    while (2 * parts <= SMALL_PARTS && 2 * parts * small_tiles(s) <= all &&
           s.depth / (2 * parts) >= SMALL_PART_K)
        parts *= 2;
    return parts;
}

/* Returns how many slabs of k a block has, one behind the other; INT_MAX where not all blocks run
 * at once. */
static inline int small_slabs(shape s)
{
    if (small_tiles(s) > SMALL_BLOCKS * multiprocessors())
        return INT_MAX;
    return (int)blocks_for(blocks_for(s.depth, SMALL_K), small_parts(s));
}

/* Is a product faster so than by any other way of FP32's accuracy? */
static inline bool is_quick_small(shape s)
{
    return small_slabs(s) <= QUICK_SLABS;
}

/* Multiplies row-major matrices without gaps, which begin at multiples of 16 bytes. */
static inline void multiply_small(const float *a, const float *b, float *c, shape s,
                                  cudaStream_t stream)
{
    enum { BYTES = SMALL_SLABS * sizeof(small_slab) };
    const void *kernel = (const void *)tensor_fp64_small;
    const int parts = small_parts(s);
    void *arguments[] = {&a, &b, &c, &s};
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    cluster_launch(kernel, arguments, dim3((unsigned)(small_tiles(s) * parts)), HOPPER_THREADS,
                   BYTES, parts, stream);
}

#endif
#endif
