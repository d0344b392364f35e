/*
 * matprod.cu - experiment 2 of the 2012 report: the product of two matrices,
 * C[y][x] = sum over k of A[y][k] * B[k][x].
 *
 * Data: floats, row-major; x is the column, y the row. A is M x K, B is K x N and C is M x N, all
 * of them square in the report; M, N, K <= 32768, so an int holds every index. 2 M N K operations
 * on 4 (M K + K N + M N) bytes. Here is the ladder; each rung changes one thing:
 *
 *   cpu, cpu_omp      three loops, serial; rows spread over the cores
 *   naive             one element a thread, the running sum in global memory (the report's table 7)
 *   register_sum      the sum in a register
 *   uncoalesced       register_sum with rows and columns exchanged: what that costs
 *   shared_tile       tiles of A and B in shared memory, each element read once a block
 *   register_tile_1d  8 elements of a column a thread: 9 numbers for 8 multiply-adds
 *   register_tile_2d  8 x 8 elements: 16 numbers for 64
 *   vector_loads      the same, numbers move as float4, four at a time
 *   double_buffer     the next slab comes in (cp.async) while this one is multiplied
 *
 * What goes beyond it has files of its own, most of them a variant's name (README.md has a table);
 * tensor_fp32 takes the fastest way by itself. Data are in data.cu, checks in checks.cu.
 *
 *   build/cuda/matprod 1024 16 3               as the report: N, block side, trials
 *   build/cuda/matprod --sizes 1024x4096x512   M x N x K
 */
#include "matprod.h"
#include "edges.cuh"
#include "lab.h"
#include "slab.cuh"

/* ---- CPU reference -------------------------------------------------------------------------- */

static float dot(const float *a, const float *b, shape s, int x, int y)
{
    float sum = 0;
    for (int k = 0; k < s.depth; k++)
        sum += a[y * s.depth + k] * b[k * s.width + x];
    return sum;
}

static void multiply_serial(const float *a, const float *b, float *c, shape s)
{
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++)
            c[y * s.width + x] = dot(a, b, s, x, y);
}

static void multiply_omp(const float *a, const float *b, float *c, shape s)
{
#pragma omp parallel for
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++)
            c[y * s.width + x] = dot(a, b, s, x, y);
}

/* ---- one element a thread ------------------------------------------------------------------- */

/*
 * naive: thread (x, y) makes C[y][x] and keeps the running sum in C itself, as the report does.
 * A and B might overlap C for all the compiler knows, so each step stores the sum and loads anew.
 * Any block.
 */
__global__ void naive(const float *a, const float *b, float *c, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    c[y * s.width + x] = 0;
    for (int k = 0; k < s.depth; k++)
        c[y * s.width + x] += a[y * s.depth + k] * b[k * s.width + x];
}

/* [exercise 2.1] */
/*
 * register_sum: against naive, the sum stays in a register and is stored once: the loop is two
 * loads and one fused multiply-add. Threads of a warp share y: the load of A is a broadcast, the
 * load of B coalesced. Any block.
 */
__global__ void register_sum(const float *a, const float *b, float *c, shape s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    float sum = 0;
    for (int k = 0; k < s.depth; k++)
        sum += a[y * s.depth + k] * b[k * s.width + x];
    c[y * s.width + x] = sum;
}
/* [end 2.1] */

/*
 * uncoalesced: against register_sum, only who makes what has changed: lanes that lie side by side
 * make elements below each other. Now the load of B is the broadcast, and each lane reads A, and
 * writes C, in a row of its own: 32 lines of memory for an access where 4 would do. Any block.
 */
__global__ void uncoalesced(const float *a, const float *b, float *c, shape s)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.width || y >= s.height)
        return;
    float sum = 0;
    for (int k = 0; k < s.depth; k++)
        sum += a[y * s.depth + k] * b[k * s.width + x];
    c[y * s.width + x] = sum;
}

/* [exercise 2.2] */
/*
 * shared_tile: against register_sum, a block first brings a TILE x TILE piece of A and of B into
 * shared memory, each thread one element of either, and every element is then used TILE times: the
 * traffic from global memory falls by that factor. Two barriers a step: nobody reads a tile before
 * it is whole, and nobody overwrites it before all have read it. Beyond the matrices' edge the
 * tiles hold zeros, so any size works, and no thread leaves before the barriers. Block SIDE x SIDE.
 *
 *                     +---+ - first        The block's square of C is the sum, over all `first`, of
 *                     | b |                the products a b. Both go on to the next: a to the
 *         first       +---+                right, b downwards.
 *          +---+      +---+
 *          | a |      | C |
 *          +---+      +---+
 */
template <int TILE>
__global__ void shared_tile(const float *a, const float *b, float *c, shape s)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx;
    int y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int first = 0; first < s.depth; first += TILE) {
        bool a_inside = y < s.height && first + tx < s.depth;
        bool b_inside = first + ty < s.depth && x < s.width;
        tile_a[ty][tx] = a_inside ? a[y * s.depth + first + tx] : 0;
        tile_b[ty][tx] = b_inside ? b[(first + ty) * s.width + x] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (x < s.width && y < s.height)
        c[y * s.width + x] = sum;
}
/* [end 2.2] */

/* ---- tiles in registers --------------------------------------------------------------------- */

/* [exercise 2.3] */
/*
 * register_tile_1d: against shared_tile, a thread makes ROWS_1D elements below each other: one
 * number of B, kept in a register, serves 8 multiply-adds. Lanes of a warp lie side by side: the
 * number of A is the same for all of them, those of B are neighbours. From here on 256 threads make
 * a tile of C out of slabs of A and B, each some steps of k deep.
 *
 *       32 columns
 *      +--------+
 *    8 | warp 0 |   a thread has one column of these 8 rows; 8 warps make 64 rows
 *      +--------+
 *    8 | warp 1 |
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
/* [end 2.3] */

/* The block's tile from here on, and a thread's share of it. */
constexpr int TILE = 128, SIDE = 16, PER_THREAD = TILE / SIDE;

/* [exercise 2.4] */
/*
 * register_tile_2d: against register_tile_1d, 8 x 8 elements a thread: a column of A and a row of
 * B, 16 numbers, serve 64 multiply-adds. The elements lie 16 apart, so that the lanes of a warp
 * read words side by side.
 *
 *      0..15  16..31  ..  112..127      thread (row, column) of 16 x 16 has one element of each of
 *     +------+------+    +------+       the 8 x 8 squares, at the same place
 *     |  t   |  t   | .. |  t   | 0..15
 *     +------+------+    +------+
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
/* [end 2.4] */

/* [exercise 2.5] */
/*
 * vector_loads: against register_tile_2d, one access moves four numbers: a quarter of the load
 * instructions. For it the slab of A is stored on its side (a thread's four rows are neighbours
 * then), and a thread's elements are two by two squares of 4 x 4, 64 apart. PAD keeps the 16 x 2
 * lanes that store a step's numbers of A in different banks.
 *
 *            64          64
 *     +-----------+-----------+     a thread's squares, at (row, column) of each quarter
 *     |  4x4      |  4x4      | 64
 *     +-----------+-----------+     slab_a[k][y], not [y][k]: left = slab_a[k][row .. row + 3]
 *     |  4x4      |  4x4      | 64
 *     +-----------+-----------+
 */
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
/* [end 2.5] */

/* ---- slabs that come in meanwhile (slab.cuh) ------------------------------------------------ */

/* [exercise 2.6] */
/*
 * double_buffer: against vector_loads, there are two slabs: while one is multiplied, the copies of
 * the next are under way, without a detour through registers. A thread waits for its own copies;
 * the barrier behind that makes it wait for everybody's.
 *
 *     copies       slab 0 | slab 1 | slab 0 | slab 1 | ..
 *     multiplies          | slab 0 | slab 1 | slab 0 | ..
 */
constexpr int DEPTH_BUFFERED = 16;
typedef slab<TILE, TILE, DEPTH_BUFFERED> buffered_slab;

template <int WIDTH, bool INNER>
__device__ inline void make_buffered(const float *a, const float *b, float *c, shape s, int y0,
                                     int x0)
{
    extern __shared__ float4 room[];
    buffered_slab *slabs = (buffered_slab *)room;
    int t = thread_number(), row = t / SIDE * 4, column = t % SIDE * 4;
    float sum[PER_THREAD][PER_THREAD] = {}, left[PER_THREAD], right[PER_THREAD];
    first_slab<WIDTH, TILE, DEPTH_BUFFERED>(&a, &b, s, s.depth, y0, x0);
    for (int first = -DEPTH_BUFFERED, now = 1; first < s.depth; first += DEPTH_BUFFERED) {
        now = 1 - now;
        copy_slab<WIDTH, INNER>(slabs + 1 - now, &a, &b, s, s.depth, y0, first + DEPTH_BUFFERED);
        if (first < 0)
            continue;
        copy_async_wait<1>();
        __syncthreads(); /* everybody's part of the slab is there */
#pragma unroll
        for (int k = 0; k < DEPTH_BUFFERED; k++) {
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

/* Has an instance without what edges need for blocks that have none. */
__global__ void __launch_bounds__(THREADS, 2)
    double_buffer(const float *a, const float *b, float *c, shape s)
{
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    if (!in_fours(s))
        make_buffered<1, false>(a, b, c, s, y0, x0);
    else if (is_inner<TILE, TILE, DEPTH_BUFFERED>(s, y0, x0))
        make_buffered<4, true>(a, b, c, s, y0, x0);
    else
        make_buffered<4, false>(a, b, c, s, y0, x0);
}
/* [end 2.6] */

/* ---- launchers ------------------------------------------------------------------------------ */

void launch_grid(dim3 grid, const problem *p, const launch *l)
{
    typedef void (*matrix_kernel)(const float *a, const float *b, float *c, shape s);
    matrix_kernel kernel = (matrix_kernel)l->kernel;
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>(
        (float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], shape_of(p));
    CUDA_CHECK(cudaGetLastError());
}

/* Launch a thread for each element, x being the column, or the row. */
static void launch_kernel(const problem *p, const launch *l)
{
    launch_grid(grid_over(p->width, p->height, l->block), p, l);
}

static void launch_exchanged(const problem *p, const launch *l)
{
    launch_grid(grid_over(p->height, p->width, l->block), p, l);
}

/* Returns the instance whose tile is the block; NULL where there is none. */
static const void *shared_tile_for(dim3 block)
{
    unsigned side = block.x == block.y ? block.x : 0;
    return side == 2    ? (const void *)shared_tile<2>
           : side == 4  ? (const void *)shared_tile<4>
           : side == 8  ? (const void *)shared_tile<8>
           : side == 16 ? (const void *)shared_tile<16>
           : side == 32 ? (const void *)shared_tile<32>
                        : NULL;
}

static const char *refuse_shared_tile(const problem *, dim3 block)
{
    return shared_tile_for(block) ? NULL : "the tile is the block: 2x2, 4x4, 8x8, 16x16 or 32x32";
}

/* ---- variants ------------------------------------------------------------------------------- */

#define RUNG(program)      .kernel = (const void *)program
#define TILE_RUNG(program) .own_block = THREADS, RUNG(program)

static const variant variants[] = {
    SERIAL_VARIANT("three loops, serial", run_cpu<multiply_serial>),
    OPENMP_VARIANT("three loops, rows spread over the cores", run_cpu<multiply_omp>),
    cpu_panels_variant,
    cpu_omp_panels_variant,
    cpu_blas_variant,
    GPU_VARIANT("naive", "one element a thread, running sum in global memory", launch_kernel,
                RUNG(naive)),
    GPU_VARIANT("register_sum", "one element a thread, sum in a register", launch_kernel,
                RUNG(register_sum)),
    GPU_VARIANT("uncoalesced", "register_sum with x and y exchanged", launch_exchanged,
                RUNG(uncoalesced)),
    GPU_VARIANT("shared_tile", "tiles of A and B in shared memory, tile = block", launch_kernel,
                .kernel_for = shared_tile_for, .refuse = refuse_shared_tile),
    GPU_VARIANT("register_tile_1d", "8 elements of a column a thread",
                (launch_tiles<HEIGHT_1D, COLUMNS_1D>), TILE_RUNG(register_tile_1d)),
    GPU_VARIANT("register_tile_2d", "8 x 8 elements a thread", (launch_tiles<TILE, TILE>),
                TILE_RUNG(register_tile_2d)),
    GPU_VARIANT("vector_loads", "the same, numbers moved in fours", (launch_tiles<TILE, TILE>),
                TILE_RUNG(vector_loads)),
    GPU_VARIANT("double_buffer", "the next slab copied while this one is multiplied",
                (launch_tiles<TILE, TILE>), TILE_RUNG(double_buffer),
                .shared_bytes = shared_of<2 * sizeof(buffered_slab)>),
    warp_tile_variant,
    slice_k_variant,
    stream_k_variant,
    tensor_tf32_variant,
    tensor_fp64_variant,
    tf32_wgmma_variant,
    tf32_tma_variant,
    tf32_groups_variant,
    tf32_stages_variant,
    tf32_producer_variant,
    tf32_cluster_variant,
    tf32_order_variant,
    tensor_tf32_hopper_variant,
    tensor_split_mma_variant,
    tensor_split_variant,
    tensor_int8_slices_variant,
    tensor_mixed_variant,
    tensor_fp32_variant,
    cublas_variant,
    cublas_tf32_variant,
    cublas_bf16x9_variant,
    replicated_b_variant,
    ring_variant,
    tensor_ring_variant,
    cublas_xt_variant,
};

/* ---- the lab -------------------------------------------------------------------------------- */

static const char *const positional[] = {"--sizes", "--blocks", "--trials", NULL};

#define FASTEST                                                                                    \
    "tensor_tf32_hopper,tensor_split,tensor_int8_slices,tensor_mixed,tensor_fp32,cublas,"          \
    "cublas_tf32"
/* Sizes that fill a GPU best, and of the tutorial on shared_tile (docs/paper_and_suite.md). */
static const lab_settings configurations[] = {
    {"--data uniform"},
    {.options = "--sizes 8192 --variants warp_tile,slice_k," FASTEST, .full = true},
    {.options = "--sizes 16384 --variants warp_tile," FASTEST, .full = true},
    {.options = "--sizes 16,160,1600 --blocks 16 --variants cpu,register_sum,shared_tile",
     .full = true},
    {NULL},
};

static const lab matprod = {
    .name = "lab2_matprod",
    .title = "C = A B for matrices of floats",
    .sizes_are = SIZE_PRODUCT,
    .sweep = {.sizes = "32 64 128 256 512 1000 1040 1024",
              .sizes_large = "2048 4096",
              .scaling_size = "512",
              .emulated_max = 256 * 256,
              .blocks = "1 2 4 8 16 32",
              .configurations = configurations,
              .divided = several_gpus},
    .size_max = 32768,
    .block_dimensions = 2,
    .single = {.positional = positional, .size = "32", .block = "16", .trials = "3"},
    LAB_OPTIONS(data_options),
    LAB_VARIANTS(variants),
    .parameters = parameters,
    .layout = layout,
    .fill = fill,
    .reference = reference,
    .check = check,
    .work = work,
};

int main(int argc, char **argv)
{
    return lab_main(&matprod, argc, argv);
}
