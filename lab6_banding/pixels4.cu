/*
 * pixels4.cu - pixels4: against shared_tile, a thread makes four pixels side by side: random bytes
 * come by the word, the tile is copied as it lies in the frame, and 16-bit arithmetic is done on
 * two values at once.
 *
 *          halo   QUAD * blockDim.x   halo
 *         +------------------------------+
 *    halo |                              |     a block makes `rows` rows of its strip; thread (x,
 * y) |     +------------------+     |     has quad x of rows y, y + blockDim.y, ... |     | ....
 * tttt ....   |     |  y |     | .... .... ....   |     | |     | .... tttt ....   |     |  y +
 * blockDim.y |     +------------------+     | halo |                              |
 *         +------------------------------+
 *
 * Any block whose tile fits shared memory.
 */
#include "strip.cuh"

template <int MODE, bool BLUR_FIRST>
__global__ void __launch_bounds__(1024)
    pixels4(const yc48 *__restrict__ in, yc48 *__restrict__ out, const uint8_t *__restrict__ random,
            filter f, int rows)
{
    extern __shared__ __align__(16) char shared[];
    int halo = halo_of(f), first = blockIdx.y * rows, top = first - halo, y_0 = max(top, 0);
    int bottom = min(first + rows, f.height);
    copy_rows(shared, in, f, strip_of(f),
              {y_0, min(bottom + halo, f.height), y_0 - top, rows + 2 * halo});
    copy_async_wait<0>();
    __syncthreads();

    unsigned row_bytes = strip_row_bytes(f, blockDim.x);
    pixel_rows r = {shared, row_bytes, 0};
    unsigned column = (halo_columns(f) + QUAD * threadIdx.x) * PIXEL_BYTES;
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * QUAD;
    for (int y = first + (int)threadIdx.y; y < bottom && x < f.width; y += blockDim.y) {
        unsigned word[PLANES];
        random_words<false>(word, random, f, x, y);
        quad_values v = filter_quad<MODE, BLUR_FIRST, false>(
            r, (unsigned)(y - top) * row_bytes + column, word, f, x, y);
        store_quad(out + (y * f.width + x), v, f, x);
    }
}

/* ---- launcher ------------------------------------------------------------------------------- */

/* Returns the rows of a block, whose tile is to leave room for as many blocks as threads do. */
static int tile_rows(const problem *p, dim3 block)
{
    filter f = filter_of(p);
    int resident = resident_blocks(block, 1024);
    int bytes = multiprocessor_shared_bytes() / resident - RESERVED;
    int fit = bytes / strip_row_bytes(f, block.x) - 2 * halo_of(f);
    return rows_of_block(p, block, resident, max(1, fit), 1);
}

/* Returns the bytes of a tile. */
static size_t tile_bytes(const problem *p, dim3 block)
{
    filter f = filter_of(p);
    return (size_t)strip_row_bytes(f, block.x) * (tile_rows(p, block) + 2 * halo_of(f));
}

static void launch_pixels4(const problem *p, const launch *l)
{
    strip_kernel kernel = (strip_kernel)l->kernel;
    int rows = tile_rows(p, l->block);
    kernel<<<strip_grid(p, l->block, rows), l->block, l->shared_bytes, l->stream>>>(
        (const yc48 *)l->buffer[FRAME], (yc48 *)l->buffer[OUTPUT],
        (const uint8_t *)l->buffer[RANDOM], filter_of(p), rows);
    CUDA_CHECK(cudaGetLastError());
}

extern const variant pixels4_variant = GPU_VARIANT(
    "pixels4", "four pixels a thread, two 16-bit values a register", launch_pixels4,
    .kernel_for = BY_MODE(pixels4), .shared_bytes = tile_bytes, .applies = frames_are<YC48>);
