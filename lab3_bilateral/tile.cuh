/*
 * tile.cuh - what blocks make and the pixels that they need for it: grids, tiles.
 */
#ifndef LAB3_TILE_CUH
#define LAB3_TILE_CUH

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#include "bilateral.h"

enum { ROWS = 4 }; /* that a thread makes, one below the other */

/* Returns the pixel, but for NaN infinity: NaN marks what is outside the picture, and infinity
 * makes NaN of its windows, too. */
__device__ inline float not_nan(float pixel)
{
    return isnan(pixel) ? INFINITY : pixel;
}

__device__ inline float not_nan(uint8_t pixel)
{
    return pixel;
}

/*
 * Copies the block's pixels and their halo into the tile: multiplied by `scale`, and `outside`
 * where there is no pixel. If that is NaN there is no scale.
 *
 *      R    bx     R
 *     +--+------+--+      a block of bx x by threads makes bx columns of ROWS by rows;
 *     |            | R    thread (tx, ty) copies columns tx, tx + bx, .. of rows ty, ty + by, ..
 *     +  +------+  +
 *     |  | made |  | ROWS by
 *     +  +------+  +
 *     |            | R
 *     +--+------+--+
 */
template <int R, class Pixel>
__device__ inline void fill_tile(float *tile, const Pixel *in, int width, int height, float scale,
                                 float outside)
{
    int tile_width = blockDim.x + 2 * R, tile_height = ROWS * blockDim.y + 2 * R;
    int left = blockIdx.x * blockDim.x - R, top = blockIdx.y * ROWS * blockDim.y - R;
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y)
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) {
            int x = left + tx, y = top + ty;
            bool inside = x >= 0 && x < width && y >= 0 && y < height;
            int i = y * width + x;
            tile[ty * tile_width + tx] = !inside          ? outside
                                         : isnan(outside) ? not_nan(in[i])
                                                          : scale * (float)in[i];
        }
}

/* Returns the tile's bytes: a variant's shared_bytes(). */
static inline size_t rows_tile_bytes(const problem *, dim3 block)
{
    const int halo = 2 * settings.radius;
    return sizeof(float) * (block.x + halo) * (ROWS * block.y + halo);
}

/* Returns the grid of blocks that make `rows` rows a thread. */
static inline dim3 grid_of(filter f, int rows, dim3 block)
{
    return grid_over(f.width, blocks_for(f.height, rows), block);
}

#endif
