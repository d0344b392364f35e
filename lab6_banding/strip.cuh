/*
 * strip.cuh - a block's strip of the picture: rows of QUAD * blockDim.x columns and a halo beside
 * them, how they come into shared memory, and how many of them a block makes.
 *
 * They are copied by lines as they lie in the frame, and past the registers (cp.async).
 *
 *          halo columns   QUAD * blockDim.x   halo columns
 *         +-------------+-------------------+-------------+
 *         |             |  quads of the     |             |   strip_row_bytes() each
 *         |             |  block's threads  |             |
 */
#ifndef LAB6_STRIP_CUH
#define LAB6_STRIP_CUH

#include <limits.h>

#include <cuda_runtime.h>

#include "ptx/async_copy.cuh"
#include "quad.cuh"

/* ---- rows in shared memory ------------------------------------------------------------------ */

/* Returns the columns beside a strip: the halo, up to two whole quads, 48 bytes of the frame. */
__host__ __device__ inline int halo_columns(filter f)
{
    return (f.range + 2 * QUAD - 1) / (2 * QUAD) * 2 * QUAD;
}

/* Returns the bytes of a strip's row in shared memory, a multiple of 16. */
__host__ __device__ inline int strip_row_bytes(filter f, int block_x)
{
    return (QUAD_BYTES * block_x + 2 * PIXEL_BYTES * halo_columns(f) + 15) / 16 * 16;
}

/* What the picture has of a block's columns and those beside them: where in a row it begins and how
 * much it is, and where that goes in a row of shared memory. */
typedef struct strip {
    int x, bytes, to;
} strip;

/* Returns this block's strip. */
__device__ inline strip strip_of(filter f)
{
    int own = blockDim.x * QUAD, beside = halo_columns(f);
    int left = (int)blockIdx.x * own - beside, x = max(left, 0);
    return {x, (min(left + own + 2 * beside, f.width) - x) * PIXEL_BYTES, (x - left) * PIXEL_BYTES};
}

/* Starts the copy of bytes that lie side by side, by threads that do. */
template <int BYTES>
__device__ inline void copy_row(char *to, const char *from, int bytes)
{
    for (int i = threadIdx.x * BYTES; i < bytes; i += blockDim.x * BYTES)
        copy_async<BYTES>(to + i, from + i, true);
}

/* Copies a row that ends within a quad, of which words are read as a whole: the rest is zeros. */
__device__ inline void copy_odd_row(char *to, const char *from, int bytes, int room)
{
    const int step = sizeof(short), end = min(bytes + QUAD_BYTES, room);
    for (int i = threadIdx.x * step; i < end; i += blockDim.x * step)
        *(short *)(to + i) = i < bytes ? *(const short *)(from + i) : 0;
}

/* Rows y to end of a strip, which are rows `row` and on of a ring of `ring` rows. */
typedef struct stretch {
    int y, end, row, ring;
} stretch;

/* Starts the copies of a stretch, lines of 128 bytes in order, and commits them. */
__device__ inline void copy_rows(char *shared, const yc48 *in, filter f, strip s, stretch rows)
{
    int row_bytes = strip_row_bytes(f, blockDim.x);
    for (int k = threadIdx.y; k < rows.end - rows.y; k += blockDim.y) {
        int row = rows.row + k < rows.ring ? rows.row + k : rows.row + k - rows.ring;
        char *to = shared + row * row_bytes + s.to;
        const char *from = (const char *)(in + ((rows.y + k) * f.width + s.x));
        if (f.width % 8 == 0 && blockDim.x % 2 == 0)
            copy_row<16>(to, from, s.bytes);
        else if (quads_are_words(f))
            copy_row<4>(to, from, s.bytes);
        else
            copy_odd_row(to, from, s.bytes, row_bytes - s.to);
    }
    copy_async_commit();
}

/* ---- how many rows a block makes ------------------------------------------------------------ */

enum { RESERVED = 1024 }; /* bytes of shared memory that a block has beside its own */

/* Returns the bytes of shared memory of a multiprocessor of the current device. */
inline int multiprocessor_shared_bytes(void)
{
    int device, bytes;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    return bytes;
}

/* Returns how many blocks a multiprocessor has where registers leave room for so many threads. */
inline int resident_blocks(dim3 block, int threads)
{
    return max(1, threads / (int)(block.x * block.y));
}

/*
 * Returns the rows of a block of which `most` would fit: such that the last round of blocks is as
 * full as the others and the halos are few. A block's time is that of its rows, so many a step, and
 * of loading its halo.
 */
inline int rows_of_block(const problem *p, dim3 block, int resident, int most, int step)
{
    filter f = filter_of(p);
    int strips = (int)blocks_for(f.width, QUAD * block.x), slots = resident * multiprocessors();
    int best = 1, least = INT_MAX;
    for (int cut = (int)blocks_for(f.height, most); cut <= f.height; cut++) {
        int rows = (int)blocks_for(f.height, cut);
        int rounds = (int)blocks_for(strips * (int)blocks_for(f.height, rows), slots);
        int cost = rounds * (2 * (int)blocks_for(rows, step) * step + 2 * halo_of(f));
        if (cost < least) {
            least = cost;
            best = rows;
        }
    }
    return best;
}

/* ---- the kernels' shape --------------------------------------------------------------------- */

/* A block makes `rows` rows of its strip. */
typedef void (*strip_kernel)(const yc48 *in, yc48 *out, const uint8_t *random, filter f, int rows);

/* Returns the grid of blocks that make so many rows each. */
inline dim3 strip_grid(const problem *p, dim3 block, int rows)
{
    return dim3(blocks_for(p->width, QUAD * block.x), blocks_for(p->height, rows));
}

#endif
