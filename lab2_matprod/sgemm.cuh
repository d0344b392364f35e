/*
 * sgemm.cuh - lab 2's kernels from the register tile upwards, all on FP32 units. A block of THREADS
 * makes a tile of C; it brings a slab of A and B after the other into shared memory, each `depth`
 * of k deep, and every thread multiplies its own small tile out of it, in registers.
 *
 * To be included by matprod.cu, which has `shape` and dynamic_shared(). Beyond the matrices' edge
 * the slabs hold zeros, so that every size is right, and what lies there is not stored.
 *
 *   register_tile_1d   a thread makes 8 elements of a column: 9 numbers for 8 multiply-adds
 *   register_tile_2d   8 x 8 elements: 16 numbers for 64
 *   vector_loads       the same, numbers move as float4, four at a time
 *   double_buffer      the next slab comes in (cp.async) while this one is multiplied
 *   warp_tile          8 x 16 elements, a square of 64 x 64 a warp; three slabs come in while one
 *                      is multiplied, and the next step's numbers while this one's are
 *   slice_k            the same for matrices with few tiles: smaller ones, and each half of a block
 *                      takes half of every slab's k
 */
#ifndef LAB2_SGEMM_CUH
#define LAB2_SGEMM_CUH

#include "async_copy.cuh"
#include "panel.cuh"

constexpr int THREADS = 256;

/* The thread's number in its block. */
__device__ inline int thread_number()
{
    return threadIdx.y * blockDim.x + threadIdx.x;
}

/* A[y][k] and B[k][x], zero beyond the edge. */
__device__ inline float a_at(const float *a, shape s, int y, int k)
{
    return y < s.height && k < s.depth ? a[y * s.depth + k] : 0;
}

__device__ inline float b_at(const float *b, shape s, int k, int x)
{
    return k < s.depth && x < s.width ? b[k * s.width + x] : 0;
}

/* C[y][x], if it is inside. */
__device__ inline void set_c(float *c, shape s, int y, int x, float value)
{
    if (y < s.height && x < s.width)
        c[y * s.width + x] = value;
}

/* ---- register tiles ------------------------------------------------------------------------- */

/*
 * register_tile_1d: against shared_tile, a thread makes ROWS elements below each other: one number
 * of B, kept in a register, serves ROWS multiply-adds. Lanes of a warp lie side by side: the number
 * of A is the same for all of them, those of B are neighbours.
 */
constexpr int ROWS_1D = 8, COLUMNS_1D = 32, DEPTH_1D = 32;
constexpr int HEIGHT_1D = THREADS / COLUMNS_1D * ROWS_1D; /* of the block's tile: 64 */

__global__ void __launch_bounds__(THREADS)
    register_tile_1d(const float *a, const float *b, float *c, shape s)
{
    __shared__ float slab_a[HEIGHT_1D][DEPTH_1D];
    __shared__ float slab_b[DEPTH_1D][COLUMNS_1D];
    int t = thread_number(), row = t / COLUMNS_1D * ROWS_1D, column = t % COLUMNS_1D;
    int x0 = blockIdx.x * COLUMNS_1D, y0 = blockIdx.y * HEIGHT_1D;
    float sum[ROWS_1D] = {};
    for (int first = 0; first < s.depth; first += DEPTH_1D) {
        for (int i = t; i < HEIGHT_1D * DEPTH_1D; i += THREADS)
            slab_a[i / DEPTH_1D][i % DEPTH_1D] =
                a_at(a, s, y0 + i / DEPTH_1D, first + i % DEPTH_1D);
        for (int i = t; i < DEPTH_1D * COLUMNS_1D; i += THREADS)
            slab_b[i / COLUMNS_1D][i % COLUMNS_1D] =
                b_at(b, s, first + i / COLUMNS_1D, x0 + i % COLUMNS_1D);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH_1D; k++) {
            float right = slab_b[k][column];
#pragma unroll
            for (int i = 0; i < ROWS_1D; i++)
                sum[i] += slab_a[row + i][k] * right;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS_1D; i++)
        set_c(c, s, y0 + row + i, x0 + column, sum[i]);
}

/* The block's tile from here on, and a thread's share of it. */
constexpr int TILE = 128, SIDE = 16, PER_THREAD = TILE / SIDE;

/*
 * register_tile_2d: against register_tile_1d, 8 x 8 elements a thread: a column of A and a row of
 * B, 16 numbers, serve 64 multiply-adds. The elements lie 16 apart, so that the lanes of a warp
 * read words side by side.
 */
constexpr int DEPTH_2D = 8;

__global__ void __launch_bounds__(THREADS)
    register_tile_2d(const float *a, const float *b, float *c, shape s)
{
    __shared__ float slab_a[TILE][DEPTH_2D];
    __shared__ float slab_b[DEPTH_2D][TILE];
    int t = thread_number(), row = t / SIDE, column = t % SIDE;
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    float sum[PER_THREAD][PER_THREAD] = {}, left[PER_THREAD], right[PER_THREAD];
    for (int first = 0; first < s.depth; first += DEPTH_2D) {
        for (int i = t; i < TILE * DEPTH_2D; i += THREADS) {
            slab_a[i / DEPTH_2D][i % DEPTH_2D] =
                a_at(a, s, y0 + i / DEPTH_2D, first + i % DEPTH_2D);
            slab_b[i / TILE][i % TILE] = b_at(b, s, first + i / TILE, x0 + i % TILE);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH_2D; k++) {
            for (int i = 0; i < PER_THREAD; i++)
                left[i] = slab_a[row + SIDE * i][k];
            for (int j = 0; j < PER_THREAD; j++)
                right[j] = slab_b[k][column + SIDE * j];
            for (int i = 0; i < PER_THREAD; i++)
                for (int j = 0; j < PER_THREAD; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < PER_THREAD; i++)
        for (int j = 0; j < PER_THREAD; j++)
            set_c(c, s, y0 + row + SIDE * i, x0 + column + SIDE * j, sum[i][j]);
}

/* ---- four numbers at a time ----------------------------------------------------------------- */

/* Do all rows of A and B begin at multiples of 16 bytes, so that float4 may be used? */
__device__ inline bool in_fours(shape s)
{
    return s.depth % 4 == 0 && s.width % 4 == 0;
}

/* Four neighbours in a row of a matrix, zero beyond its edge. */
__device__ inline float4 four_at(const float *matrix, int rows, int columns, int y, int x,
                                 bool fours)
{
    float4 v = {0, 0, 0, 0};
    const float *from = matrix + y * columns + x;
    if (y < rows && fours && x < columns)
        v = *(const float4 *)from;
    else if (y < rows) {
        v.x = x < columns ? from[0] : 0;
        v.y = x + 1 < columns ? from[1] : 0;
        v.z = x + 2 < columns ? from[2] : 0;
        v.w = x + 3 < columns ? from[3] : 0;
    }
    return v;
}

/* Four neighbours in C, if they are inside. */
__device__ inline void set_four(float *c, shape s, int y, int x, const float v[4], bool fours)
{
    if (fours && y < s.height && x < s.width)
        *(float4 *)(c + y * s.width + x) = {v[0], v[1], v[2], v[3]};
    for (int j = 0; j < 4 && !fours; j++)
        set_c(c, s, y, x + j, v[j]);
}

__device__ inline void load_four(float to[4], const float *from)
{
    float4 v = *(const float4 *)from;
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

/*
 * vector_loads: against register_tile_2d, one access moves four numbers: a quarter of the load
 * instructions. For it the slab of A is stored on its side (a thread's four rows are neighbours
 * then), and a thread's elements are two by two squares of 4 x 4, 64 apart. PAD keeps the 16 x 2
 * lanes that store a step's numbers of A in different banks.
 */
constexpr int PAD = 4;

__global__ void __launch_bounds__(THREADS)
    vector_loads(const float *a, const float *b, float *c, shape s)
{
    __shared__ __align__(16) float slab_a[DEPTH_2D][TILE + PAD];
    __shared__ __align__(16) float slab_b[DEPTH_2D][TILE];
    int t = thread_number(), row = t / SIDE * 4, column = t % SIDE * 4;
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    bool fours = in_fours(s);
    float sum[PER_THREAD][PER_THREAD] = {}, left[PER_THREAD], right[PER_THREAD];
    int a_row = t / 2, a_k = t % 2 * 4, b_k = t / 32, b_column = t % 32 * 4; /* what it brings */
    for (int first = 0; first < s.depth; first += DEPTH_2D) {
        float4 v = four_at(a, s.height, s.depth, y0 + a_row, first + a_k, fours);
        slab_a[a_k][a_row] = v.x;
        slab_a[a_k + 1][a_row] = v.y;
        slab_a[a_k + 2][a_row] = v.z;
        slab_a[a_k + 3][a_row] = v.w;
        *(float4 *)&slab_b[b_k][b_column] =
            four_at(b, s.depth, s.width, first + b_k, x0 + b_column, fours);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH_2D; k++) {
            for (int i = 0; i < PER_THREAD; i += 4) {
                load_four(left + i, &slab_a[k][row + TILE / 8 * i]);
                load_four(right + i, &slab_b[k][column + TILE / 8 * i]);
            }
            for (int i = 0; i < PER_THREAD; i++)
                for (int j = 0; j < PER_THREAD; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < PER_THREAD; i++)
        for (int j = 0; j < PER_THREAD; j += 4)
            set_four(c, s, y0 + row + i % 4 + i / 4 * TILE / 2, x0 + column + TILE / 8 * j,
                     sum[i] + j, fours);
}

/* ---- copies that go on meanwhile ------------------------------------------------------------ */

/*
 * What makes a tile: its rows and columns; `depth` of k in a slab, `stages` slabs in shared memory.
 * The warps form groups of warps_y x warps_x, which share the tile's elements among them; with more
 * than one group, each takes its slice of every slab's k. A warp's lanes lie as 8 x 4.
 */
typedef struct tiling {
    int rows, columns, depth, stages, warps_y, warps_x, slices;
} tiling;

template <tiling T>
struct slab {
    float a[T.depth][T.rows + PAD]; /* on its side, as in vector_loads */
    float b[T.depth][T.columns];
};

/* Adds to four sums what C has of them. */
template <class S>
__device__ inline void add_before(const float *c, const S &s, int y, int x, float *sum)
{
    for (int j = 0; j < 4; j++)
        if (adds(s) && y < s.height && x + j < s.width)
            sum[j] += c[y * s.width + x + j];
}

/*
 * Starts the copies of a thread's share of a slab, which begins at `first` of k; zeros beyond the
 * last k. A's numbers come one by one, for only so can they be put on their side, B's by WIDTH, 4
 * or 1. from_a and from_b point to the first ones of the thread, and go on to those of the next
 * slab. A tile that is not INNER has rows and columns beyond the edge: for these the last ones
 * inside come again, since what is made of them is not stored; or its last slab has not all its k.
 */
template <int WIDTH, bool INNER, tiling T, class S>
__device__ inline void fetch(slab<T> *to, const float **from_a, const float **from_b, S s, int y0,
                             int first)
{
    constexpr int in_row = T.columns / WIDTH, a_rows = THREADS / T.depth, b_rows = THREADS / in_row;
    int t = thread_number(), below = max(s.height - 1 - y0 - t / T.depth, 0);
    float *to_a = &to->a[t % T.depth][t / T.depth], *to_b = &to->b[t / in_row][t % in_row * WIDTH];
#pragma unroll(INNER ? T.rows : 4)
    for (int i = 0; i < T.rows; i += a_rows)
        copy_async<4>(to_a + i, *from_a + (size_t)(INNER ? i : min(i, below)) * pitch_of(s),
                      first + (INNER ? 0 : t % T.depth) < s.depth);
#pragma unroll(INNER ? T.rows : 4)
    for (int i = 0; i < T.depth; i += b_rows)
        copy_async<4 * WIDTH>(to_b + i * T.columns, *from_b + (size_t)i * s.width,
                              first + (INNER ? 0 : t / in_row + i) < s.depth);
    *from_a += T.depth;
    *from_b += (size_t)T.depth * s.width;
}

/* The first numbers that fetch copies of a tile at (y0, x0). */
template <int WIDTH, tiling T, class S>
__device__ inline void start_of(const float **a, const float **b, S s, int y0, int x0)
{
    constexpr int in_row = T.columns / WIDTH;
    int t = thread_number();
    *a += min(y0 + t / T.depth, s.height - 1) * pitch_of(s) + t % T.depth;
    *b += t / in_row * s.width + min(x0 + t % in_row * WIDTH, s.width - WIDTH);
}

/* Does the tile at (y0, x0) lie inside, with all its slabs? */
template <tiling T>
__device__ inline bool is_inner(shape s, int y0, int x0)
{
    return y0 + T.rows <= s.height && x0 + T.columns <= s.width && s.depth % T.depth == 0;
}

/*
 * double_buffer: against vector_loads, there are two slabs: while one is multiplied, the copies of
 * the next are under way, from global to shared memory without a detour through registers. A thread
 * waits for its own copies; the barrier behind that makes it wait for everybody's.
 */
constexpr tiling buffered = {.rows = TILE, .columns = TILE, .depth = 16, .stages = 2};

template <int WIDTH, bool INNER>
__device__ inline void make_buffered(const float *a, const float *b, float *c, shape s, int y0,
                                     int x0)
{
    slab<buffered> *slabs = (slab<buffered> *)dynamic_shared();
    int t = thread_number(), row = t / SIDE * 4, column = t % SIDE * 4;
    float sum[PER_THREAD][PER_THREAD] = {}, left[PER_THREAD], right[PER_THREAD];
    start_of<WIDTH, buffered>(&a, &b, s, y0, x0);
    for (int first = -buffered.depth, now = 1; first < s.depth; first += buffered.depth) {
        now = 1 - now;
        fetch<WIDTH, INNER>(slabs + 1 - now, &a, &b, s, y0, first + buffered.depth);
        copy_async_commit();
        if (first < 0)
            continue;
        copy_async_wait<1>();
        __syncthreads(); /* everybody's part of the slab is there */
#pragma unroll
        for (int k = 0; k < buffered.depth; k++) {
            for (int i = 0; i < PER_THREAD; i += 4) {
                load_four(left + i, &slabs[now].a[k][row + TILE / 8 * i]);
                load_four(right + i, &slabs[now].b[k][column + TILE / 8 * i]);
            }
            for (int i = 0; i < PER_THREAD; i++)
                for (int j = 0; j < PER_THREAD; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads(); /* nobody needs it any more */
    }
    copy_async_wait<0>();
    for (int i = 0; i < PER_THREAD; i++)
        for (int j = 0; j < PER_THREAD; j += 4)
            set_four(c, s, y0 + row + i % 4 + i / 4 * TILE / 2, x0 + column + TILE / 8 * j,
                     sum[i] + j, WIDTH == 4);
}

__global__ void __launch_bounds__(THREADS, 2)
    double_buffer(const float *a, const float *b, float *c, shape s)
{
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    if (!in_fours(s))
        make_buffered<1, false>(a, b, c, s, y0, x0);
    else if (is_inner<buffered>(s, y0, x0))
        make_buffered<4, true>(a, b, c, s, y0, x0);
    else
        make_buffered<4, false>(a, b, c, s, y0, x0);
}

/* ---- tiles of warps ------------------------------------------------------------------------- */

/*
 * Where a lane lies in the 8 x 4 of its warp. Shared memory serves 16-byte reads by quarters of a
 * warp, and two quarters at once where lanes read in pairs. So lanes 0 and 1 share a row and read
 * the same of A, lanes 0 and 2 a column and the same of B:
 *
 *      0  1  8  9
 *      2  3 10 11
 *      4  5 12 13
 *      6  7 14 15
 *     16 17 24 25  and so on
 */
__device__ inline int lane_row(int lane)
{
    return lane / 2 % 4 + lane / 16 * 4;
}

__device__ inline int lane_column(int lane)
{
    return lane % 2 + lane / 8 % 2 * 2;
}

/* A step's numbers: those of A in fours 32 rows apart, those of B in fours 16 columns apart. */
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
 * A step's multiply-adds, along the rows to and fro: from one to the next only one of the two
 * numbers changes, and the register that stays need not be read again.
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

/* Adds the sums of the other slices to those of slice 0, through shared memory that is free. */
template <tiling T, int ROWS, int COLUMNS>
__device__ inline void add_slices(float *room, int slice, float sum[ROWS][COLUMNS])
{
    constexpr int threads = THREADS / T.slices;
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

/*
 * The tile at (y0, x0). T.stages slabs are there or on their way. Once a slab's last numbers are in
 * registers, all wait for the next slab, and the copies of a further one start into its place; a
 * step's numbers come in while those of the step before are multiplied.
 */
template <tiling T, int WIDTH, bool INNER, class S>
__device__ inline void make_tile(const float *a, const float *b, float *c, S s, int y0, int x0)
{
    constexpr int rows = T.rows / T.warps_y / 8, columns = T.columns / T.warps_x / 4;
    constexpr int depth = T.depth / T.slices;
    slab<T> *slabs = (slab<T> *)dynamic_shared(), *now = slabs;
    int warp = thread_number() / 32, lane = thread_number() % 32;
    int slice = warp / (T.warps_y * T.warps_x);
    int row = warp / T.warps_x % T.warps_y * 8 * rows + 4 * lane_row(lane);
    int column = warp % T.warps_x * 4 * columns + 4 * lane_column(lane);
    float sum[rows][columns] = {}, left[2][rows], right[2][columns];

    start_of<WIDTH, T>(&a, &b, s, y0, x0);
#pragma unroll 1
    for (int i = 0; i < T.stages; i++) {
        fetch<WIDTH, INNER>(slabs + i, &a, &b, s, y0, i * T.depth);
        copy_async_commit();
    }
    copy_async_wait<T.stages - 1>();
    __syncthreads();
    const float *a_step = &now->a[slice * depth][row], *b_step = &now->b[slice * depth][column];
    load_step<rows, columns>(left[0], right[0], a_step, b_step);

#pragma unroll 1
    for (int first = 0; first < s.depth; first += T.depth) {
#pragma unroll
        for (int k = 0; k < depth; k++) {
            a_step += T.rows + PAD, b_step += T.columns;
            if (k == depth - 1) {
                copy_async_wait<T.stages - 2>();
                __syncthreads();
                fetch<WIDTH, INNER>(now, &a, &b, s, y0, first + T.stages * T.depth);
                copy_async_commit();
                now = now + 1 == slabs + T.stages ? slabs : now + 1;
                a_step = &now->a[slice * depth][row], b_step = &now->b[slice * depth][column];
            }
            load_step<rows, columns>(left[(k + 1) % 2], right[(k + 1) % 2], a_step, b_step);
            multiply_step<rows, columns>(sum, left[k % 2], right[k % 2]);
        }
    }
    copy_async_wait<0>();
    __syncthreads(); /* nobody reads slabs any more */
    if (T.slices > 1)
        add_slices<T, rows, columns>((float *)slabs, slice, sum);
#pragma unroll
    for (int i = 0; i < rows && slice == 0; i++)
#pragma unroll
        for (int j = 0; j < columns; j += 4)
            store_four(c, s, y0 + row + i % 4 + i / 4 * 32, x0 + column + 4 * j, sum[i] + j,
                       WIDTH == 4);
}

/* The tile of a block; with what edges need only where there are some. */
template <tiling T, class S>
__device__ inline void make_block(const float *a, const float *b, float *c, S s)
{
    int x0 = blockIdx.x * T.columns, y0 = blockIdx.y * T.rows;
    if (!in_fours({s.height, s.width, s.depth}))
        make_tile<T, 1, false>(a, b, c, s, y0, x0);
    else if (is_inner<T>({s.height, s.width, s.depth}, y0, x0))
        make_tile<T, 4, true>(a, b, c, s, y0, x0);
    else
        make_tile<T, 4, false>(a, b, c, s, y0, x0);
}

/*
 * warp_tile: against double_buffer, twice the elements a thread, so that 24 numbers serve 128
 * multiply-adds, the lanes' order above, more slabs under way with one barrier each, and the two
 * sets of numbers, left and right, of which one comes in while the other is multiplied. A slab is
 * only 8 of k deep so that the loop, 1100 instructions long, stays in the instruction cache.
 */
constexpr tiling large = {
    .rows = 128, .columns = 256, .depth = 8, .stages = 4, .warps_y = 2, .warps_x = 4, .slices = 1};

__global__ void __launch_bounds__(THREADS)
    warp_tile(const float *a, const float *b, float *c, shape s)
{
    make_block<large>(a, b, c, s);
}

/*
 * slice_k: 64 x 128 elements, for at N = 1024 the large tiles are 32, fewer than multiprocessors.
 * Eight warps still share one, as two slices of four, so that a thread keeps 8 x 8 elements: a
 * smaller thread's tile would need more numbers a multiply-add.
 */
constexpr tiling sliced = {
    .rows = 64, .columns = 128, .depth = 16, .stages = 6, .warps_y = 1, .warps_x = 4, .slices = 2};

__global__ void __launch_bounds__(THREADS)
    slice_k(const float *a, const float *b, float *c, shape s)
{
    make_block<sliced>(a, b, c, s);
}

/* warp_tile of a panel, for products in parts (divided.cuh). */
__global__ void __launch_bounds__(THREADS)
    panel_tile(const float *a, const float *b, float *c, panel s)
{
    make_block<large>(a, b, c, s);
}

#endif
