/*
 * fp64_tile.cuh - FP32's product on the FP64 tensor cores of compute capability 9.0: tensor_fp64
 * (tensor_fp64.cu), and what tensor_split does with data that its parts will not do for.
 *
 * Two numbers of FP32 have a product of 48 bits, which FP64 holds; sums of 53 bits lose 2^-29 of
 * what FP32's lose. So a result is rounded once, to within u = 2^-24 of |A||B|, whatever the data
 * are. These tensor cores make 128 multiply-adds a cycle and multiprocessor, as many as FP32 has
 * without tensor cores, but a warp gets 2048 of them with one instruction: mma.sync.m16n8k16.
 *
 *                  B: 128 columns           Twelve warps make 96 x 128 results, a warp 32 x 32: 2 x
 *             +----+----+----+----+         4 pieces of 16 x 8, whose sums are 64 registers a
 *      A   32 | w0 | w1 | w2 | w3 |         thread. 32 of k are a slab; six of them are in shared
 *     96      +----+----+----+----+         memory, in FP32, two of which are on their way.
 *    rows     | w4 | w5 | w6 | w7 |
 *             +----+----+----+----+         A warp widens 32 numbers a thread for 8 instructions,
 *             | w8 | w9 | 10 | 11 |         16 of k. Three warps share a quarter of the
 *             +----+----+----+----+         multiprocessor.
 *
 * Nobody waits for all others: who has read a slab says so, and who copies into its place waits for
 * that, four slabs later. So warps drift apart, and one widens while others multiply. With a
 * barrier for all at each slab they do the same at the same time: 43 TFLOP/s in place of 57.
 *
 * Which of 16 k an operand's register has is free, if A and B agree: with g = lane / 4 and t = lane
 * % 4, a lane has 2 t and 2 t + 1 and those 8 further on, so that it reads neighbours of A's row.
 * It has four neighbours of the warp's columns, one for each piece, so that it stores neighbours,
 * too. Rows of A lie 40 words apart in shared memory and B's 132: lanes that are served at once
 * read 32 different banks.
 */
#ifndef LAB2_FP64_TILE_CUH
#define LAB2_FP64_TILE_CUH

#include "edges.cuh"
#include "panel.cuh"
#include "ptx/async_copy.cuh"
#include "ptx/hopper.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_memory.cuh"
#include "ring.cuh"
#include "stream_k.cuh"

#ifdef HAVE_HOPPER

enum {
    FP64_ROWS = 96,
    FP64_COLUMNS = 128,
    FP64_K = 32, /* of k in a slab */
    FP64_SLABS = 6,
    FP64_AHEAD = 2 /* slabs that are on their way */
};

typedef struct fp64_slab {
    float a[FP64_ROWS][FP64_K + 8], b[FP64_K][FP64_COLUMNS + 4];
} fp64_slab;

/* A thread's next number of A and B, and how many rows of A, columns of B and k there are still. */
template <class S>
struct fp64_source {
    const float *a, *b;
    int rows, columns, left;
    S s;
};

/* Finds a thread's first number, of WIDTH that it copies at a time, where A's row y0 and B's column
 * x0 begin. */
template <int WIDTH, class S>
__device__ inline fp64_source<S> fp64_source_of(const float *a, const float *b, const S &s,
                                                int left, int y0, int x0)
{
    constexpr int a_row = FP64_K / WIDTH, b_row = FP64_COLUMNS / WIDTH;
    const int y = y0 + threadIdx.x / a_row, x = x0 + threadIdx.x % b_row * WIDTH;
    return {a + (size_t)y * pitch_of(s) + threadIdx.x % a_row * WIDTH,
            b + (size_t)(threadIdx.x / b_row) * s.width + x,
            s.height - y,
            s.width - x,
            left,
            s};
}

/* Starts the copies of a thread's share of a slab; zeros where there are no numbers. */
template <int WIDTH, class S>
__device__ inline void copy_fp64_slab(fp64_slab *to, fp64_source<S> *from)
{
    constexpr int a_row = FP64_K / WIDTH, b_row = FP64_COLUMNS / WIDTH;
    constexpr int a_rows = HOPPER_THREADS / a_row, b_rows = HOPPER_THREADS / b_row;
    const int k_of_a = threadIdx.x % a_row * WIDTH, k_of_b = threadIdx.x / b_row;
    float *to_a = &to->a[threadIdx.x / a_row][k_of_a];
    float *to_b = &to->b[k_of_b][threadIdx.x % b_row * WIDTH];
#pragma unroll(WIDTH == 4 ? 2 : 1)
    for (int i = 0; i < FP64_ROWS; i += a_rows)
        copy_async<4 * WIDTH>(to_a + i * sizeof to->a[0] / sizeof(float),
                              from->a + (size_t)i * pitch_of(from->s),
                              i < from->rows && k_of_a < from->left);
#pragma unroll(WIDTH == 4 ? 3 : 1)
    for (int i = 0; i < FP64_K - k_of_b; i += b_rows)
        copy_async<4 * WIDTH>(to_b + i * sizeof to->b[0] / sizeof(float),
                              from->b + (size_t)i * from->s.width,
                              from->columns > 0 && k_of_b + i < from->left);
    from->a += FP64_K;
    from->b += (size_t)FP64_K * from->s.width;
    from->left -= FP64_K;
}

/* A warp's place in the tile, and a lane's among its numbers. */
typedef struct fp64_lane {
    int row, column, g, t;
} fp64_lane;

__device__ inline fp64_lane fp64_lane_of()
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return {warp / 4 * 32, warp % 4 * 32, lane / 4, lane % 4};
}

/* Adds the products of 16 of k to a warp's sums. */
__device__ inline void multiply_fp64(double (&sums)[2][4][4], const fp64_slab *slab, int k,
                                     fp64_lane at)
{
    double left[2][8], right[4][4];
    k += 2 * at.t;
#pragma unroll
    for (int i = 0; i < 8; i++) { /* of a piece the upper or lower half, of that 8 of k */
        const int piece = i / 4, half = i / 2 % 2, eight = i % 2;
        const float *from = &slab->a[at.row + piece * 16 + half * 8 + at.g][k + eight * 8];
        const float2 v = *(const float2 *)from;
        left[piece][eight * 4 + half] = v.x;
        left[piece][eight * 4 + 2 + half] = v.y;
    }
#pragma unroll
    for (int n = 0; n < 4; n++) {
        const float *from = &slab->b[k + n / 2 * 8 + n % 2][at.column + 4 * at.g];
        const float4 v = *(const float4 *)from;
        right[0][n] = v.x, right[1][n] = v.y, right[2][n] = v.z, right[3][n] = v.w;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        mma_m16n8k16_f64(sums[i / 4][i % 4], left[i / 4], right[i % 4]);
}

/* Rounds a warp's sums and stores them; adds them to what a panel's C has. */
template <class S>
__device__ inline void store_fp64(float *c, const S &s, int y0, int x0, fp64_lane at,
                                  const double (&sums)[2][4][4])
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int piece = i / 4, r = i % 4;
        const int y = y0 + at.row + piece * 16 + r / 2 * 8 + at.g;
        const int x = x0 + at.column + (2 * at.t + r % 2) * 4;
        float v[4];
        for (int j = 0; j < 4; j++)
            v[j] = (float)sums[piece][j][r];
        for (int j = 0; j < 4; j++)
            if (adds(s) && y < s.height && x + j < s.width)
                v[j] += c[y * s.width + x + j];
        set_four(c, {s.height, s.width, s.depth}, y, x, v, s.width % 4 == 0);
    }
}

/* ---- parts of a tile ------------------------------------------------------------------------ */

/* Returns where a thread's sums of a part lie, two by two, HOPPER_THREADS from one to the next. */
__device__ inline double2 *fp64_part(const k_shares &of, int tile, int part)
{
    const size_t slot = (size_t)(tile - of.whole) * of.parts + part;
    return (double2 *)of.sums + slot * (FP64_ROWS * FP64_COLUMNS / 2) + threadIdx.x;
}

__device__ inline void leave_fp64(double2 *to, const double (&sums)[2][4][4])
{
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const double *pair = &sums[i / 8][i / 2 % 4][i % 2 * 2];
        __stcg(to + i * HOPPER_THREADS, make_double2(pair[0], pair[1]));
    }
}

/* Adds up a tile's parts in the order of k. Of two only the other one is read: its order is no
 * matter. */
__device__ inline void add_fp64(const k_shares &of, const stretch &now, double (&sums)[2][4][4])
{
    const bool two = now.parts == 2;
#pragma unroll
    for (int i = 0; i < 32 && !two; i++)
        sums[i / 16][i / 4 % 4][i % 4] = 0;
#pragma unroll 1
    for (int part = 0; part < now.parts; part++) {
        if (two && part == now.part)
            continue;
        const double2 *from = fp64_part(of, now.tile, part);
#pragma unroll
        for (int i = 0; i < 16; i++) {
            const double2 v = __ldcg(from + i * HOPPER_THREADS);
            sums[i / 8][i / 2 % 4][i % 2 * 2] += v.x;
            sums[i / 8][i / 2 % 4][i % 2 * 2 + 1] += v.y;
        }
    }
}

/* ---- a tile --------------------------------------------------------------------------------- */

/* Starts the copies of a slab once all have read what is in its place. */
template <int WIDTH, class S>
__device__ inline void send_fp64_slab(ring *to, fp64_slab *slabs, fp64_source<S> *from)
{
    mbarrier_wait(to->empty + 8 * to->stage, to->phase ^ 1);
    copy_fp64_slab<WIDTH>(slabs + to->stage, from);
    cp_async_mbarrier_arrive_noinc(to->full + 8 * to->stage);
    ring_advance(to, 1, FP64_SLABS);
}

/* Sums a tile's products. */
template <int WIDTH, class S>
__device__ inline void sum_fp64_slabs(ring *r, fp64_slab *slabs, fp64_source<S> from, fp64_lane at,
                                      double (&sums)[2][4][4])
{
    ring to = *r;
    int slabs_left = (from.left + FP64_K - 1) / FP64_K;
#pragma unroll 1
    for (int i = 0; i < FP64_AHEAD && from.left > 0; i++)
        send_fp64_slab<WIDTH>(&to, slabs, &from);
#pragma unroll 1
    for (; slabs_left > 0; slabs_left--) {
        if (from.left > 0)
            send_fp64_slab<WIDTH>(&to, slabs, &from);
        mbarrier_wait(r->full + 8 * r->stage, r->phase);
#pragma unroll
        for (int k = 0; k < FP64_K; k += 16)
            multiply_fp64(sums, slabs + r->stage, k, at);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            mbarrier_arrive(r->empty + 8 * r->stage);
        ring_advance(r, 1, FP64_SLABS);
    }
}

/* Tiles, as shares have them (stream_k.cuh). */
struct fp64_tiles {
    enum { BLOCK = HOPPER_THREADS, ROWS = FP64_ROWS, COLUMNS = FP64_COLUMNS, DEPTH = FP64_K };
    fp64_slab *slabs;
    ring r;

    /* `barriers` are 2 x FP64_SLABS. Everybody calls it. */
    __device__ fp64_tiles(void *room, uint64_t *barriers)
        : slabs((fp64_slab *)room), r{0, shared_address(barriers),
                                      shared_address(barriers + FP64_SLABS), 0, 0}
    {
        if (threadIdx.x == 0)
            create_ring(&r, FP64_SLABS, BLOCK / 32, BLOCK);
        __syncthreads();
    }

    static size_t bytes_of_parts(shape, const k_shares &of, int tiles)
    {
        return (size_t)tiles * of.parts * ROWS * COLUMNS * sizeof(double);
    }

    template <class S>
    __device__ void make(const float *a, const float *b, float *c, const S &s, const k_shares &of,
                         const stretch &now, int last, int y0, int x0)
    {
        const int left = last - now.first * DEPTH;
        const fp64_lane at = fp64_lane_of();
        double sums[2][4][4] = {};
        if (in_fours({s.height, s.width, s.depth}) && !has_odd_rows(a, s))
            sum_fp64_slabs<4>(&r, slabs, fp64_source_of<4>(a, b, s, left, y0, x0), at, sums);
        else
            sum_fp64_slabs<1>(&r, slabs, fp64_source_of<1>(a, b, s, left, y0, x0), at, sums);
        if (now.parts > 1) {
            leave_fp64(fp64_part(of, now.tile, now.part), sums);
            if (!all_are_there(of, now))
                return;
            add_fp64(of, now, sums);
        }
        store_fp64(c, s, y0, x0, at, sums);
    }
};

#endif
#endif
