/*
 * recursive_chunks.cu - against recursive (blur.cu), lines are cut into chunks of CHUNK pixels,
 * each filtered by a thread of its own, without an approximation (Nehab, Maximo, Lima, Hoppe,
 * GPU-efficient recursive filtering and summed-area tables, ACM Trans. Graphics 30, 2011).
 *
 * The filter is linear, so the state that comes into a chunk follows from sums over the chunks
 * before it (chunk_maps.h), and a chunk can be filtered once that state is known:
 *
 *   sum_rows         of each chunk of a row: what it leaves forward and backward, 6 numbers
 *   carry_states     along each row, chunk by chunk: the states that come in, from either end
 *   filter_rows      each chunk forward and backward from these; then, of the results, the sums of
 *                    each chunk of a column
 *   carry_states     along each column
 *   filter_columns   each chunk of a column, in registers
 *
 *       CHUNK      CHUNK
 *    +----------+----------+      A block of sum_rows or filter_rows has TILES tiles in shared
 *    | thread 0 : thread 64|      memory. A thread brings a column of a tile, as its neighbours do
 *    | ........ : .........|      the columns beside it; then it has a row. In filter_rows it has a
 *    |       63 :      127 |      column again behind that.
 *    +----------+----------+
 *
 * Behind a picture's last pixel its last one is repeated until the chunk is full. That changes
 * nothing: the turn (recursive_step.cuh) takes it for repeated for ever.
 */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "blur.h"
#include "carry_states.cuh"
#include "chunk_maps.h"
#include "process/die.h"
#include "ptx/async_copy.cuh"
#include "recursive_step.cuh"

enum {
    TILES = 2, /* of CHUNK x CHUNK, side by side, in a block */
    COLUMN_THREADS = 128
};

/* A state, or what is added to one: value, change, change before. */
typedef struct state_sum {
    float part[3];
} state_sum;

/* ---- kernels -------------------------------------------------------------------------------- */

/* Loads column t of a tile, whose first row is `top`; it lies at x in the picture. */
__device__ static void load_tile_column(float (*tile)[CHUNK + 1], const float *in, int t, int x,
                                        int top, int width, int height)
{
    const float *column = in + clamp(x, width);
#pragma unroll 8
    for (int i = 0; i < CHUNK; i++)
        copy_async<4>(&tile[i][t], column + clamp(top + i, height) * width, true);
    copy_async_commit();
    copy_async_wait<0>();
}

/* Adds what a chunk's i-th pixel leaves at either end. */
__device__ static void add_pixel(state_sum *forward, state_sum *backward, float pixel, int i,
                                 const chunk_maps &maps)
{
#pragma unroll
    for (int k = 0; k < 3; k++) {
        forward->part[k] += maps.forward_weights[i][k] * pixel;
        backward->part[k] += maps.backward_weights[i][k] * pixel;
    }
}

/* Stores a chunk's sums, unless the line is beyond the picture. */
__device__ static void store_sums(float *carries, state_sum forward, state_sum backward, int chunk,
                                  int lines, int line)
{
    if (line >= lines)
        return;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        *carry_at(carries, chunk, k, lines, line) = forward.part[k];
        *carry_at(carries, chunk, 3 + k, lines, line) = backward.part[k];
    }
}

/*
 * sum_rows: a block of TILES * CHUNK threads brings as many tiles of CHUNK x CHUNK; of each tile
 * CHUNK threads sum up a row each.
 */
__global__ void __launch_bounds__(TILES *CHUNK)
    sum_rows(const float *in, float *carries, int width, int height,
             const __grid_constant__ chunk_maps maps)
{
    __shared__ float tiles[TILES][CHUNK][CHUNK + 1];
    float(*tile)[CHUNK + 1] = tiles[threadIdx.x / CHUNK];
    int t = threadIdx.x % CHUNK, chunk = blockIdx.x * TILES + threadIdx.x / CHUNK;
    int top = blockIdx.y * CHUNK;
    load_tile_column(tile, in, t, chunk * CHUNK + t, top, width, height);
    __syncthreads();
    state_sum forward = {}, backward = {};
#pragma unroll
    for (int i = 0; i < CHUNK; i++)
        add_pixel(&forward, &backward, tile[t][i], i, maps);
    if (chunk < chunks_of(width))
        store_sums(carries, forward, backward, chunk, height, top + t);
}

/* Loads the state that comes into a chunk, from its start (first = 0) or from its end (3). */
__device__ static line_state load_state(float *carries, int chunk, int first, int lines, int line)
{
    return {*carry_at(carries, chunk, first, lines, line),
            *carry_at(carries, chunk, first + 1, lines, line),
            *carry_at(carries, chunk, first + 2, lines, line)};
}

/*
 * filter_rows: against sum_rows, each row is filtered, in place. Then each thread has a column: it
 * stores it and sums it up. Blocks from the last one on: the end of the picture is what sum_rows
 * has left in the L2 cache.
 */
__global__ void __launch_bounds__(TILES *CHUNK)
    filter_rows(const float *in, float *out, float *row_carries, float *column_carries, int width,
                int height, const __grid_constant__ chunk_maps maps)
{
    __shared__ float tiles[TILES][CHUNK][CHUNK + 1];
    float(*tile)[CHUNK + 1] = tiles[threadIdx.x / CHUNK];
    int t = threadIdx.x % CHUNK, chunk_y = gridDim.y - 1 - blockIdx.y, top = chunk_y * CHUNK;
    int chunk_x = (gridDim.x - 1 - blockIdx.x) * TILES + threadIdx.x / CHUNK;
    int x = chunk_x * CHUNK + t, y = clamp(top + t, height);
    int chunk_inside = clamp(chunk_x, chunks_of(width));
    line_state forward = load_state(row_carries, chunk_inside, 0, height, y);
    line_state backward = load_state(row_carries, chunk_inside, 3, height, y);
    load_tile_column(tile, in, t, x, top, width, height);
    __syncthreads();
#pragma unroll 16
    for (int i = 0; i < CHUNK; i++) {
        step(&forward, tile[t][i], maps.filter);
        tile[t][i] = forward.value;
    }
#pragma unroll 16
    for (int i = CHUNK - 1; i >= 0; i--) {
        step(&backward, tile[t][i], maps.filter);
        tile[t][i] = backward.value;
    }
    __syncthreads();

    state_sum down = {}, up = {};
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        add_pixel(&down, &up, tile[i][t], i, maps);
        if (x < width && top + i < height)
            out[(top + i) * width + x] = tile[i][t];
    }
    store_sums(column_carries, down, up, chunk_y, width, x);
}

/* filter_columns: thread x filters a chunk of column x in its registers, in place. */
__global__ void __launch_bounds__(COLUMN_THREADS)
    filter_columns(float *picture, float *carries, int width, int height, recursion r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, chunk = blockIdx.y, top = chunk * CHUNK;
    if (x >= width)
        return;
    float pixels[CHUNK];
#pragma unroll
    for (int i = 0; i < CHUNK; i++)
        pixels[i] = picture[clamp(top + i, height) * width + x];
    line_state forward = load_state(carries, chunk, 0, width, x);
    line_state backward = load_state(carries, chunk, 3, width, x);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        step(&forward, pixels[i], r);
        pixels[i] = forward.value;
    }
#pragma unroll
    for (int i = CHUNK - 1; i >= 0; i--) {
        step(&backward, pixels[i], r);
        if (top + i < height)
            picture[(top + i) * width + x] = backward.value;
    }
}

/* ---- launching ------------------------------------------------------------------------------ */

/* Works out the maps. */
static void *plan_chunks(const problem *, const launch *)
{
    chunk_maps *maps = (chunk_maps *)allocate(sizeof *maps);
    *maps = chunk_maps_for(gauss.sigma);
    return maps;
}

/* Returns the bytes for both sums of each chunk of a row, and of a column. */
static size_t chunks_bytes(const problem *p)
{
    return 6 * sizeof(float) *
           ((size_t)chunks_of(p->width) * p->height + (size_t)chunks_of(p->height) * p->width);
}

/* Launches carry_states for lines whose first pixels are `line_step` apart and whose last pixel is
 * `last_at` behind the first. */
static void launch_carries(float *carries, const float *d_pixels, int lines, int line_step,
                           int last_at, int chunks, const launch *l)
{
    dim3 block(CARRY_LINES, blocks_for(chunks, SPAN));
    carry_states<<<blocks_for(lines, CARRY_LINES), block, 0, l->stream>>>(
        carries, d_pixels, lines, line_step, last_at, chunks, *(const chunk_maps *)l->plan);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_chunks(const problem *p, const launch *l)
{
    const chunk_maps *maps = (const chunk_maps *)l->plan;
    const float *in = (const float *)l->buffer[INPUT];
    float *out = (float *)l->buffer[OUTPUT], *row_carries = (float *)l->workspace;
    int w = p->width, h = p->height, across = chunks_of(w), down = chunks_of(h);
    float *column_carries = row_carries + 6 * across * h;
    dim3 tiles(blocks_for(across, TILES), down), columns(blocks_for(w, COLUMN_THREADS), down);
    sum_rows<<<tiles, TILES * CHUNK, 0, l->stream>>>(in, row_carries, w, h, *maps);
    CUDA_CHECK(cudaGetLastError());
    launch_carries(row_carries, in, h, w, w - 1, across, l);
    filter_rows<<<tiles, TILES * CHUNK, 0, l->stream>>>(in, out, row_carries, column_carries, w, h,
                                                        *maps);
    CUDA_CHECK(cudaGetLastError());
    launch_carries(column_carries, out, w, 1, (h - 1) * w, down, l);
    filter_columns<<<columns, COLUMN_THREADS, 0, l->stream>>>(out, column_carries, w, h,
                                                              maps->filter);
    CUDA_CHECK(cudaGetLastError());
}

static const void *const chunk_kernels[] = {(const void *)sum_rows, (const void *)carry_states,
                                            (const void *)filter_columns, NULL};

static const accuracy chunks_accuracy = {.recursive = true, .carries_bound = carries_bound};

extern const variant recursive_chunks_variant = GPU_VARIANT(
    "recursive_chunks", "the same, a thread for each 64 pixels of a line", launch_chunks,
    .own_block = TILES * CHUNK, .kernel = (const void *)filter_rows, .more_kernels = chunk_kernels,
    .workspace_bytes = chunks_bytes, .refuse = refuse_recursive, .plan_once = plan_chunks,
    .release = free, .own = &chunks_accuracy);
