/*
 * transpose.cu - the transpose of a matrix of floats, B = A^T: element (x, y) of A, row y, column
 * x, becomes row x, column y of B.
 *
 * Data: A has `height` rows of `width` floats, B `width` rows of `height`, both row after row; no
 * side is over 32768, so an int holds every index. Nothing is computed: an element is read once and
 * written once, 8 bytes, and memory's rate is all there is. But a row of A is a column of B: either
 * what a warp reads or what it writes lies apart, unless it goes through something that both sides
 * may cross in their own direction.
 *
 *   cpu, cpu_omp      squares of 16 x 16, whose lines stay in a cache
 *   coalesced_reads   a thread an element, neighbours along A's rows
 *   coalesced_writes  the same, neighbours along B's rows
 *   shared_tile       through shared memory: both along rows
 *   padded_tile       rows of the tile one float longer: no two lanes in one bank
 *   swizzled_tile     no padding: a row's columns exchanged by the row's number
 *   rows_per_thread   tiles of 32 x 32 by 256 threads, four loads under way in each
 *   vector_loads      4 x 4 elements a thread, turned in registers, 16 bytes a load and a store
 *   wide_tile         tiles of 64 x 64 in shared memory, 16 bytes wherever possible (wide_tile.cu)
 *   tile_order        the same, blocks in the order of B's rows
 *   cublas            cublasSgeam (vendor.cu)
 *   memcpy            no transpose: the driver copies as many bytes
 *
 *   build/cuda/transpose 4096 4096 32x8               width, height, block
 */
#include <cuda_runtime.h>
#include <stdio.h>

#include "fours.cuh"
#include "transpose.h"
#include "random.h"

/* ---- CPU reference -------------------------------------------------------------------------- */

enum { SQUARE = 16 }; /* a line of 64 bytes in either direction */

/* Transposes rows top .. top + SQUARE - 1, square after square. */
static void transpose_rows(const float *a, float *b, int width, int height, int top)
{
    int below = min(top + SQUARE, height);
    for (int left = 0; left < width; left += SQUARE)
        for (int x = left; x < min(left + SQUARE, width); x++)
            for (int y = top; y < below; y++)
                b[x * height + y] = a[y * width + x];
}

static void transpose_serial(const float *a, float *b, int width, int height)
{
    for (int top = 0; top < height; top += SQUARE)
        transpose_rows(a, b, width, height, top);
}

static void transpose_omp(const float *a, float *b, int width, int height)
{
#pragma omp parallel for
    for (int top = 0; top < height; top += SQUARE)
        transpose_rows(a, b, width, height, top);
}

/* ---- the ladder ----------------------------------------------------------------------------- */

/*
 * coalesced_reads: thread (x, y) moves element (x, y). A warp reads 32 neighbours of a row of A,
 * which are 32 rows of B: a store touches 32 sectors of 32 bytes and fills 4 bytes of each. The L2
 * cache has to gather what other warps store there. Any block.
 *
 *        A                     B
 *     y  o o o o o o          o        a warp: one load of 128 bytes,
 *                             o        32 stores of 4
 *                             o
 *                             x
 */
__global__ void coalesced_reads(const float *a, float *b, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        b[x * height + y] = a[y * width + x];
}

/* [exercise 9.1] */
/*
 * coalesced_writes: against coalesced_reads, neighbouring threads are neighbours in a row of B:
 * thread (x, y) moves what becomes column x, row y of B. Now a load touches 32 sectors; but what
 * it does not take of them lies in L1 until other warps of the block ask for it. The block covers
 * bx rows of A. Any block.
 */
__global__ void coalesced_writes(const float *a, float *b, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < height && y < width)
        b[y * height + x] = a[x * width + y];
}
/* [end 9.1] */

/* [exercise 9.2] */
/*
 * shared_tile: against coalesced_writes, the block brings bx x by elements into shared memory along
 * A's rows; then its threads, counted through, take them out along the tile's columns and store
 * them along B's rows, `by` of them side by side. Lanes that go down a column of a tile 32 wide all
 * want the same bank, one after the other: by-fold conflicts. Any block; no thread leaves before
 * the barrier.
 *
 *          bx                         by
 *      +---------+                  +------+
 *      | o o o o | by     ->        | o    | bx      o: a warp's first elements,
 *      +---------+                  | o    |            in the tile, then in B
 *                                   +------+
 */
__global__ void shared_tile(const float *a, float *b, int width, int height)
{
    extern __shared__ float tile[];
    int left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y * blockDim.x + threadIdx.x] = a[y * width + x];
    __syncthreads();

    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int tx = thread / blockDim.y, ty = thread % blockDim.y;
    if (left + tx < width && top + ty < height)
        b[(left + tx) * height + top + ty] = tile[ty * blockDim.x + tx];
}
/* [end 9.2] */

/*
 * padded_tile: against shared_tile, a row of the tile takes one float more than bx, which nobody
 * uses. A step down a column is a step of bx + 1 banks: 32 lanes, 32 banks. Any block.
 *
 *     bank    0  1  2 ..                     0  1  2 ..
 *            00 01 02                       00 01 02
 *            10 11 12     -> padded         -- 10 11 12     -- nobody's
 *            20 21 22                       -- -- 20 21
 */
__global__ void padded_tile(const float *a, float *b, int width, int height)
{
    extern __shared__ float tile[];
    int tile_width = blockDim.x + 1;
    int left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y * tile_width + threadIdx.x] = a[y * width + x];
    __syncthreads();

    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int tx = thread / blockDim.y, ty = thread % blockDim.y;
    if (left + tx < width && top + ty < height)
        b[(left + tx) * height + top + ty] = tile[ty * tile_width + tx];
}

/*
 * swizzled_tile: against padded_tile, the tile has bx x by floats and no more: row ty keeps column
 * tx at tx ^ ty, another order of the same bx places. A column's places differ from row to row, as
 * with padding; and rows still begin at multiples of 16 bytes, which padding destroys. Blocks whose
 * width is a power of two, and which are not taller than wide or have ty taken modulo bx.
 *
 *     row 0   0 1 2 3        column 0 lies at 0, 1, 2, 3;
 *     row 1   1 0 3 2        column 1 at 1, 0, 3, 2
 *     row 2   2 3 0 1
 *     row 3   3 2 1 0
 */
__global__ void swizzled_tile(const float *a, float *b, int width, int height)
{
    extern __shared__ float tile[];
    int left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    int x = left + threadIdx.x, y = top + threadIdx.y;
    int turned = threadIdx.x ^ threadIdx.y % blockDim.x;
    if (x < width && y < height)
        tile[threadIdx.y * blockDim.x + turned] = a[y * width + x];
    __syncthreads();

    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int tx = thread / blockDim.y, ty = thread % blockDim.y;
    if (left + tx < width && top + ty < height)
        b[(left + tx) * height + top + ty] = tile[ty * blockDim.x + (tx ^ ty % blockDim.x)];
}

/* The next rung's tile. */
constexpr int TILE = 32;

/* [exercise 9.3] */
/*
 * rows_per_thread: against swizzled_tile, a tile of 32 x 32 by 256 threads: a thread asks for four
 * elements before it waits for the first, and the tile's sides are known to the compiler. 2048
 * threads with a load of 4 bytes each are 8 KB under way in a multiprocessor. Memory of which 2.2
 * TB/s are loads, and which answers after 479 clocks (lab 0), under load after twice as many, wants
 * 4 to 8 KB in each of 132, all the time; but blocks that store load nothing.
 *
 *          32                  warp w loads rows w, w + 8, w + 16, w + 24
 *      +--------+ 8 warps      and stores columns w, w + 8, ...
 *      +--------+ 8
 *      +--------+ 8
 *      +--------+ 8
 */
__global__ void __launch_bounds__(THREADS)
    rows_per_thread(const float *a, float *b, int width, int height)
{
    __shared__ float tile[TILE * TILE];
    int lane = threadIdx.x % TILE, warp = threadIdx.x / TILE;
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    float mine[TILE / WARPS];
#pragma unroll
    for (int i = 0; i < TILE / WARPS; i++) {
        int y = top + warp + i * WARPS;
        mine[i] = left + lane < width && y < height ? a[y * width + left + lane] : 0;
    }
#pragma unroll
    for (int i = 0; i < TILE / WARPS; i++) {
        int ty = warp + i * WARPS;
        tile[ty * TILE + (lane ^ ty)] = mine[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE / WARPS; i++) {
        int tx = warp + i * WARPS;
        if (left + tx < width && top + lane < height)
            b[(left + tx) * height + top + lane] = tile[lane * TILE + (tx ^ lane)];
    }
}
/* [end 9.3] */

/*
 * vector_loads: against rows_per_thread, a thread loads four neighbours of each of four rows with
 * one instruction a row, and stores four neighbours of each of four rows of B: the turn is made by
 * naming registers, without shared memory and barrier. 64 bytes under way a thread. A warp has 4 x
 * 8 of such squares, so that its loads are runs of 64 bytes and its stores whole lines of 128. A
 * block makes 64 x 64.
 *
 *     A: a thread           B
 *       a b c d               a e i m
 *       e f g h      ->       b f j n       a row is one float4
 *       i j k l               c g k o
 *       m n o p               d h l p
 */
__global__ void __launch_bounds__(THREADS)
    vector_loads(const float *a, float *b, int width, int height)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = blockIdx.x * SIDE + (warp % 4 * 4 + lane % 4) * FOUR;
    int y = blockIdx.y * SIDE + (warp / 4 * 8 + lane / 4) * FOUR;
    float row[FOUR][FOUR];
#pragma unroll
    for (int i = 0; i < FOUR; i++)
        load_four(row[i], a, width, height, x, y + i);
#pragma unroll
    for (int j = 0; j < FOUR; j++)
        store_four(b, height, width, y, x + j,
                   make_float4(row[0][j], row[1][j], row[2][j], row[3][j]));
}

/* ---- launchers ------------------------------------------------------------------------------ */

template <auto *PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    PROGRAM((float *)l->buffer[A], (float *)l->buffer[B], p->width, p->height);
}

typedef void (*transpose_kernel)(const float *a, float *b, int width, int height);

void launch_grid(dim3 grid, const problem *p, const launch *l)
{
    transpose_kernel kernel = (transpose_kernel)l->kernel;
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>(
        (float *)l->buffer[A], (float *)l->buffer[B], p->width, p->height);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_over_a(const problem *p, const launch *l)
{
    launch_grid(grid_over(p->width, p->height, l->block), p, l);
}

static void launch_over_b(const problem *p, const launch *l)
{
    launch_grid(grid_over(p->height, p->width, l->block), p, l);
}

template <int WIDE>
static void launch_tiles(const problem *p, const launch *l)
{
    launch_grid(dim3(blocks_for(p->width, WIDE), blocks_for(p->height, WIDE)), p, l);
}

template <int MORE>
static size_t tile_bytes(const problem *, dim3 block)
{
    return sizeof(float) * (block.x + MORE) * block.y;
}

static const char *refuse_swizzled(const problem *, dim3 block)
{
    return block.x & (block.x - 1) ? "its blocks are as wide as a power of two" : NULL;
}

/* Copies A as it lies there. Timed singly, as lab 1's. */
static void launch_memcpy(const problem *p, const launch *l)
{
    CUDA_CHECK(cudaMemcpyAsync(l->buffer[B], l->buffer[A], p->buffer[A].bytes,
                               cudaMemcpyDeviceToDevice, l->stream));
}

/* ---- variants and callbacks ----------------------------------------------------------------- */

static const variant variants[] = {
    SERIAL_VARIANT("squares of 16 x 16, one thread", run_cpu<transpose_serial>),
    OPENMP_VARIANT("the same, OpenMP", run_cpu<transpose_omp>),
    GPU_VARIANT("coalesced_reads", "an element a thread, along A's rows", launch_over_a,
                KERNEL(coalesced_reads)),
    GPU_VARIANT("coalesced_writes", "an element a thread, along B's rows", launch_over_b,
                KERNEL(coalesced_writes)),
    GPU_VARIANT("shared_tile", "through shared memory, along rows both times", launch_over_a,
                KERNEL(shared_tile), .shared_bytes = tile_bytes<0>),
    GPU_VARIANT("padded_tile", "the tile's rows one float longer: no conflicts", launch_over_a,
                KERNEL(padded_tile), .shared_bytes = tile_bytes<1>),
    GPU_VARIANT("swizzled_tile", "columns exchanged by row: no conflicts, no padding",
                launch_over_a, KERNEL(swizzled_tile), .shared_bytes = tile_bytes<0>,
                .refuse = refuse_swizzled),
    GPU_VARIANT("rows_per_thread", "tiles of 32 x 32, four elements a thread", launch_tiles<TILE>,
                .own_block = THREADS, KERNEL(rows_per_thread)),
    GPU_VARIANT("vector_loads", "4 x 4 a thread in registers, float4 both ways", launch_tiles<SIDE>,
                .own_block = THREADS, KERNEL(vector_loads)),
    wide_tile_variant,
    tile_order_variant,
    cublas_variant,
    VENDOR_VARIANT("memcpy", "as many bytes copied by cudaMemcpyAsync", launch_memcpy,
                   .role = ROLE_YARDSTICK, .singly = true),
};

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=f32");
}

static void layout(problem *p)
{
    size_t bytes = (size_t)p->width * p->height * sizeof(float);
    problem_add_buffer(p, "A", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "B", BUFFER_OUTPUT, bytes);
}

static void fill(const problem *p)
{
    random_fill_float((float *)p->buffer[A].host, (size_t)p->width * p->height, -1, 1, p->seed);
}

/* Nothing is rounded: equality is demanded. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    size_t x = i / p->height, y = i % p->height;
    return {((const float *)p->buffer[B].host)[i],
            ((const float *)p->buffer[A].host)[y * p->width + x], 1};
}

/* The yardstick's. */
static checked copied_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    return {((const float *)p->buffer[B].host)[i], ((const float *)p->buffer[A].host)[i], 1};
}

static check_result check(const problem *p, const variant *v)
{
    const bool copied = v->role == ROLE_YARDSTICK;
    return check_all(0, copied ? p->width : p->height, (size_t)p->width * p->height,
                     copied ? copied_at : value_at, p);
}

static lab_work work(const problem *p)
{
    return {.bytes = 2 * sizeof(float) * (double)p->width * p->height};
}

/* ---- main ----------------------------------------------------------------------------------- */

static const char *const positional[] = {"WIDTH", "HEIGHT", "--blocks", "--trials", NULL};

static const lab transpose = {
    .name = "lab9_transpose",
    .title = "B = A^T for a matrix of floats",
    .sizes_are = SIZE_IMAGE,
    .size_axis = "matrix size / elements",
    .sweep = {.sizes = "1024x1024 4000x3000 8192x8192",
              .scaling_size = "8192x8192",
              .emulated_max = 1 << 20,
              .blocks = "8 16 32x8 32 8x32"},
    .size_max = 32768,
    .block_dimensions = 2,
    .single = {.positional = positional, .size = "1024x1024", .block = "32x8", .trials = "3"},
    LAB_VARIANTS(variants),
    .parameters = parameters,
    .layout = layout,
    .fill = fill,
    .check = check,
    .work = work,
};

int main(int argc, char **argv)
{
    return lab_main(&transpose, argc, argv);
}
