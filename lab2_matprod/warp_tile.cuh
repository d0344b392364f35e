/*
 * warp_tile.cuh - tiles that a block's warps share in squares: the loop of warp_tile, slice_k and
 * panel_tile (warp_tile.cu), and what tensor_split_mma multiplies in FP32.
 *
 *        64   64   64   64        A warp's square is its 32 lanes' 4 x 4 elements, twice below each
 *      +----+----+----+----+      other and four times side by side. The lanes lie so:
 *   64 | w0 | w1 | w2 | w3 |
 *      +----+----+----+----+         0  1  8  9     Shared memory serves 16-byte reads by quarters
 *   64 | w4 | w5 | w6 | w7 |         2  3 10 11     of a warp, and two quarters at once where lanes
 *      +----+----+----+----+         4  5 12 13     read in pairs: lanes 0 and 1 share a row and
 *                                    6  7 14 15     read the same of A, lanes 0 and 2 a column and
 *                                   16 17 24 25     the same of B.
 *
 * Tiles that lie inside the matrices have an instance without what edges need.
 */
#ifndef LAB2_WARP_TILE_CUH
#define LAB2_WARP_TILE_CUH

#include "edges.cuh"
#include "panel.cuh"
#include "slab.cuh"

/*
 * What makes a tile: its rows and columns; `depth` of k in a slab, `stages` slabs in shared memory.
 * warps_y x warps_x warps share the tile's elements; `slices` times so many are there, and each of
 * these sets takes its slice of every slab's k. The loop over slabs is `nested` in another one, if
 * the compiler then gives its registers better banks, which only measuring tells (slice_k: 50 us,
 * nested 48; warp_tile: 343 us, nested 356). If `promoted` is not 0, sums of so many slabs are
 * added to others, which an error that grows with k stays out of.
 *
 * A kernel's tiling has nothing behind its first zero: nvcc and g++ name such kernels differently.
 */
typedef struct tiling {
    int rows, columns, depth, stages, warps_y, warps_x, slices;
    bool nested;
    int promoted;
} tiling;

template <tiling T>
using slab_of = slab<T.rows, T.columns, T.depth>;

/* ---- lanes ---------------------------------------------------------------------------------- */

/* Returns where a lane lies in the 8 x 4 of its warp. */
__device__ inline int lane_row(int lane)
{
    return lane / 2 % 4 + lane / 16 * 4;
}

__device__ inline int lane_column(int lane)
{
    return lane % 2 + lane / 8 % 2 * 2;
}

/* Loads a step's numbers: those of A in fours 32 rows apart, of B in fours 16 columns apart. */
template <int ROWS, int COLUMNS>
__device__ inline void load_step(float left[ROWS], float right[COLUMNS], const float *a,
                                 const float *b)
{
#pragma unroll
    for (int i = 0; i < ROWS; i += 4)
        load_four(left + i, a + 8 * i);
#pragma unroll
    for (int j = 0; j < COLUMNS; j += 4)
        load_four(right + j, b + 4 * j);
}

/*
 * Multiplies and adds a step's numbers, along the rows to and fro: from one to the next only one of
 * the two numbers changes, and the register that stays need not be read again.
 */
template <int ROWS, int COLUMNS>
__device__ inline void multiply_step(float sum[ROWS][COLUMNS], const float *left,
                                     const float *right)
{
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int n = 0; n < COLUMNS; n++) {
            int j = i % 2 ? COLUMNS - 1 - n : n;
            sum[i][j] += left[i] * right[j];
        }
}

/* ---- a tile --------------------------------------------------------------------------------- */

/* Adds to four sums what C has of them. */
template <class S>
__device__ inline void add_before(const float *c, const S &s, int y, int x, float *sum)
{
    for (int j = 0; j < 4; j++)
        if (adds(s) && y < s.height && x + j < s.width)
            sum[j] += c[y * s.width + x + j];
}

/* Adds the sums of the other slices to those of slice 0, through shared memory that is free. */
template <tiling T, int ROWS, int COLUMNS>
__device__ inline void add_slices(float *room, int slice, float sum[ROWS][COLUMNS])
{
    constexpr int threads = THREADS / T.slices;
    static_assert((T.slices - 1) * T.rows * T.columns * sizeof(float) <=
                  T.stages * sizeof(slab_of<T>));
    room += thread_number() % threads;
    if (slice > 0)
#pragma unroll
        for (int n = 0; n < ROWS * COLUMNS; n++)
            room[((slice - 1) * ROWS * COLUMNS + n) * threads] = sum[n / COLUMNS][n % COLUMNS];
    __syncthreads();
    for (int other = 0; other < T.slices - 1 && slice == 0; other++)
#pragma unroll
        for (int n = 0; n < ROWS * COLUMNS; n++)
            sum[n / COLUMNS][n % COLUMNS] += room[(other * ROWS * COLUMNS + n) * threads];
}

/*
 * Stores four sums. A store of four wants them in four registers side by side, and so would have
 * them all through the loop, where each FFMA reads one along with one of B's, which lie in fours,
 * too: in the same bank of the register file. The zero, which the compiler cannot know to be one,
 * is or'ed to them so that they may lie anywhere until now.
 */
template <class S>
__device__ inline void store_four(float *c, S s, int y, int x, float *sum, bool fours)
{
    float v[4];
    add_before(c, s, y, x, sum);
    int zero = s.depth >> 31;
#pragma unroll
    for (int j = 0; j < 4; j++)
        v[j] = __int_as_float(__float_as_int(sum[j]) | zero);
    set_four(c, {s.height, s.width, s.depth}, y, x, v, fours);
}

/* Do a library's blocks share the product's k? */
__device__ inline bool is_small(shape s)
{
    return s.height * s.width < 1 << 19;
}

/*
 * Must promoted sums carry what rounding cuts off (Kahan)? Of terms of one sign plain ones have
 * errors up to 4.4 u here; a library's are larger, unless blocks share a smaller product's k.
 */
__device__ inline bool must_carry(shape s)
{
    return s.depth > 1024 || is_small(s);
}

/* Returns the slabs of k whose sums are promoted, if any are: fewer of small products, for terms
 * that are all alike are rounded alike. (From N = 1024 on it would cost time.) */
template <tiling T>
__device__ inline int slabs_of_sums(shape s)
{
    return T.promoted > 2 && is_small(s) ? 2 : T.promoted;
}

/* Adds sums of some slabs to those that are kept; the next ones start at zero, or at what was cut
 * off. */
template <int ROWS, int COLUMNS>
__device__ inline void promote(float kept[ROWS][COLUMNS], float sum[ROWS][COLUMNS], bool carries)
{
#pragma unroll
    for (int n = 0; n < ROWS * COLUMNS; n++) {
        float *to = &kept[n / COLUMNS][n % COLUMNS], *from = &sum[n / COLUMNS][n % COLUMNS];
        const float before = *to;
        *to += *from;
        if (carries)
            *from = fmaxf(*from - (*to - before), -0x1p126f); /* of an infinite sum not NaN */
        else
            *from = 0;
    }
}

/* What a thread has of a tile: its first element's place, and which slice of each slab's k. */
template <tiling T>
struct thread_tile {
    static constexpr int ROWS = T.rows / T.warps_y / 8, COLUMNS = T.columns / T.warps_x / 4;
    int row, column, slice;
};

template <tiling T>
__device__ inline thread_tile<T> thread_tile_of()
{
    using M = thread_tile<T>;
    const int warp = thread_number() / 32, lane = thread_number() % 32;
    return {warp / T.warps_x % T.warps_y * 8 * M::ROWS + 4 * lane_row(lane),
            warp % T.warps_x * 4 * M::COLUMNS + 4 * lane_column(lane),
            warp / (T.warps_y * T.warps_x)};
}

/*
 * Sums a tile's products from `first` of k, where `a` and `b` begin, to `last`. T.stages slabs are
 * in shared memory or on their way. Once a slab's last numbers are in registers, all wait for the
 * next slab, and the copies of a further one start into its place; a step's numbers come in while
 * those of the step before are multiplied. The loop ends where sums are promoted: a branch within
 * it costs each slab a tenth of its time.
 */
template <tiling T, int WIDTH, bool INNER, class S>
__device__ inline void sum_slabs(slab_of<T> *slabs, const float *a, const float *b, S s, int first,
                                 int last, int y0, int x0, thread_tile<T> at,
                                 float sum[thread_tile<T>::ROWS][thread_tile<T>::COLUMNS])
{
    constexpr int rows = thread_tile<T>::ROWS, columns = thread_tile<T>::COLUMNS,
                  depth = T.depth / T.slices;
    slab_of<T> *now = slabs;
    float left[2][rows], right[2][columns];
    float kept[T.promoted ? rows : 1][T.promoted ? columns : 1] = {};

    first_slab<WIDTH, T.columns, T.depth>(&a, &b, s, pitch_of(s), y0, x0);
#pragma unroll 1
    for (int i = 0; i < T.stages; i++)
        copy_slab<WIDTH, INNER>(slabs + i, &a, &b, {s.height, s.width, last}, pitch_of(s), y0,
                                first + i * T.depth);
    copy_async_wait<T.stages - 1>();
    __syncthreads();
    const float *a_step = &now->a[at.slice * depth][at.row];
    const float *b_step = &now->b[at.slice * depth][at.column];
    load_step<rows, columns>(left[0], right[0], a_step, b_step);

    const int apart = slabs_of_sums<T>({s.height, s.width, s.depth}) * T.depth;
    while (first < last) {
        const int end = T.promoted ? min(first + apart, last) : last;
#pragma unroll 1
        for (; first < end; first += T.depth) {
#pragma unroll
            for (int k = 0; k < depth; k++) {
                a_step += T.rows + PAD, b_step += T.columns;
                if (k == depth - 1) {
                    copy_async_wait<T.stages - 2>();
                    __syncthreads();
                    copy_slab<WIDTH, INNER>(now, &a, &b, {s.height, s.width, last}, pitch_of(s), y0,
                                            first + T.stages * T.depth);
                    now = now + 1 == slabs + T.stages ? slabs : now + 1;
                    a_step = &now->a[at.slice * depth][at.row];
                    b_step = &now->b[at.slice * depth][at.column];
                }
                load_step<rows, columns>(left[(k + 1) % 2], right[(k + 1) % 2], a_step, b_step);
                multiply_step<rows, columns>(sum, left[k % 2], right[k % 2]);
            }
        }
        if constexpr (T.promoted != 0)
            promote<rows, columns>(kept, sum, must_carry({s.height, s.width, s.depth}));
        if constexpr (!T.nested)
            break;
    }
    if constexpr (T.promoted != 0)
        for (int n = 0; n < rows * columns; n++)
            sum[n / columns][n % columns] += kept[n / columns][n % columns];
    copy_async_wait<0>();
    __syncthreads(); /* nobody reads slabs any more */
}

template <tiling T, int WIDTH, class S>
__device__ inline void store_tile(float *c, S s, int y0, int x0, thread_tile<T> at,
                                  float sum[thread_tile<T>::ROWS][thread_tile<T>::COLUMNS])
{
#pragma unroll
    for (int i = 0; i < thread_tile<T>::ROWS && at.slice == 0; i++)
#pragma unroll
        for (int j = 0; j < thread_tile<T>::COLUMNS; j += 4)
            store_four(c, s, y0 + at.row + i % 4 + i / 4 * 32, x0 + at.column + 4 * j, sum[i] + j,
                       WIDTH == 4);
}

/* Makes the tile at (y0, x0) from `first` of k, where `a` and `b` begin, to `last`. */
template <tiling T, int WIDTH, bool INNER, class S>
__device__ inline void make_tile(float4 *room, const float *a, const float *b, float *c, S s,
                                 int first, int last, int y0, int x0)
{
    const thread_tile<T> at = thread_tile_of<T>();
    float sum[thread_tile<T>::ROWS][thread_tile<T>::COLUMNS] = {};
    sum_slabs<T, WIDTH, INNER>((slab_of<T> *)room, a, b, s, first, last, y0, x0, at, sum);
    if (T.slices > 1)
        add_slices<T, thread_tile<T>::ROWS, thread_tile<T>::COLUMNS>((float *)room, at.slice, sum);
    store_tile<T, WIDTH>(c, s, y0, x0, at, sum);
}

/* Makes the tile at (y0, x0), with what edges need only where there are some. */
template <tiling T, class S>
__device__ inline void make_any_tile(float4 *room, const float *a, const float *b, float *c, S s,
                                     int first, int last, int y0, int x0)
{
    if (!in_fours({s.height, s.width, s.depth}))
        make_tile<T, 1, false>(room, a, b, c, s, first, last, y0, x0);
    else if (is_inner<T.rows, T.columns, T.depth>({s.height, s.width, last}, y0, x0))
        make_tile<T, 4, true>(room, a, b, c, s, first, last, y0, x0);
    else
        make_tile<T, 4, false>(room, a, b, c, s, first, last, y0, x0);
}

template <tiling T, class S>
__device__ inline void make_block(float4 *room, const float *a, const float *b, float *c, S s)
{
    make_any_tile<T>(room, a, b, c, s, 0, s.depth, blockIdx.y * T.rows, blockIdx.x * T.columns);
}

/* ---- tilings -------------------------------------------------------------------------------- */

/* A slab is only 8 of k deep so that the loop, 1100 instructions long, stays in the instruction
 * cache. Blocks of 256 threads, any size. */
constexpr tiling large = {
    .rows = 128, .columns = 256, .depth = 8, .stages = 4, .warps_y = 2, .warps_x = 4, .slices = 1};

/* For matrices of few tiles. */
constexpr tiling sliced = {.rows = 64,
                           .columns = 128,
                           .depth = 16,
                           .stages = 6,
                           .warps_y = 1,
                           .warps_x = 4,
                           .slices = 2,
                           .nested = true};

template <tiling T>
static size_t slabs_bytes(const problem *, dim3)
{
    return T.stages * sizeof(slab_of<T>);
}

#endif
