/*
 * wide_tile.cu - two summits: tiles of 64 x 64 through shared memory with 16 bytes wherever
 * possible, and the same in an order that suits the memory.
 */
#include <cuda_runtime.h>

#include "fours.cuh"
#include "transpose.h"

/*
 * wide_tile: against vector_loads, the 64 x 64 elements go through shared memory, so that a warp
 * stores runs of 256 bytes and loads whole lines; both with 16 bytes a lane, by 512 threads. The
 * tile holds B's rows: a lane's four neighbours in A go to four rows of it, and come out as fours
 * of B. A row's fours are exchanged by (row / 4) % 8:
 *
 *     stores to the tile   8 lanes of A's row, each in another four, x 4 rows of A, which are the
 *                          four's floats: 32 banks
 *     loads from it        8 lanes have 8 fours of a row: 32 banks
 */
constexpr int WIDE_THREADS = 512, WIDE_WARPS = WIDE_THREADS / 32;

__device__ static int place_in_tile(int row, int four)
{
    return row * SIDE + (four ^ row / FOUR % 8) * FOUR;
}

/* Moves tile (column, row) of A; all threads of a block. */
__device__ static void move_tile(const float *a, float *b, int width, int height, int column,
                                 int row)
{
    __shared__ __align__(16) float tile[SIDE * SIDE];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int left = column * SIDE, top = row * SIDE, steps = SIDE * SIDE / FOUR / WIDE_THREADS;
    float mine[steps][FOUR];
#pragma unroll
    for (int i = 0; i < steps; i++) { /* 32 columns of four rows a warp */
        int part = i * WIDE_WARPS + warp, tx = part % 2 * 32 + lane % 8 * FOUR;
        load_four(mine[i], a, width, height, left + tx, top + part / 2 * FOUR + lane / 8);
    }
#pragma unroll
    for (int i = 0; i < steps; i++) {
        int part = i * WIDE_WARPS + warp, tx = part % 2 * 32 + lane % 8 * FOUR;
        float *to = tile + place_in_tile(tx, part / 2) + lane / 8;
#pragma unroll
        for (int j = 0; j < FOUR; j++)
            to[j * SIDE] = mine[i][j];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < steps; i++) { /* two rows of B a warp */
        int tx = i * 2 * WIDE_WARPS + warp * 2 + lane / 16, four = lane % 16;
        store_four(b, height, width, top + four * FOUR, left + tx,
                   *(const float4 *)(tile + place_in_tile(tx, four)));
    }
}

__global__ void __launch_bounds__(WIDE_THREADS)
    wide_tile(const float *a, float *b, int width, int height)
{
    move_tile(a, b, width, height, blockIdx.x, blockIdx.y);
}

/*
 * tile_order: against wide_tile, blocks that start after each other go down A's columns of tiles:
 * what they store lies beside each other in 64 rows of B, whole rows soon, and their loads are
 * spread. With wide_tile it is the other way round.
 *
 *     wide_tile           tile_order
 *      0  1  2  3          0  3  6  9
 *      4  5  6  7          1  4  7 10
 *      8  9 10 11          2  5  8 11
 */
__global__ void __launch_bounds__(WIDE_THREADS)
    tile_order(const float *a, float *b, int width, int height)
{
    move_tile(a, b, width, height, blockIdx.y, blockIdx.x);
}

static void launch_wide(const problem *p, const launch *l)
{
    launch_grid(dim3(blocks_for(p->width, SIDE), blocks_for(p->height, SIDE)), p, l);
}

static void launch_down(const problem *p, const launch *l)
{
    launch_grid(dim3(blocks_for(p->height, SIDE), blocks_for(p->width, SIDE)), p, l);
}

const variant wide_tile_variant =
    GPU_VARIANT("wide_tile", "tiles of 64 x 64, float4 both ways", launch_wide,
                .own_block = WIDE_THREADS, KERNEL(wide_tile));

const variant tile_order_variant =
    GPU_VARIANT("tile_order", "the same, tiles in the order of B's rows", launch_down,
                .own_block = WIDE_THREADS, KERNEL(tile_order));
