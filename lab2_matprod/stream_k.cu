/*
 * stream_k.cu - slice_k for any number of tiles: against it, blocks share the slabs of all tiles
 * evenly (stream_k.cuh), so that no multiprocessor waits for a last round of tiles, nor is without
 * one where they are few.
 */
#include "stream_k.cuh"
#include "warp_tile.cuh"

/* Returns where the matrix of a part's sums would begin if it had C's first rows, too. */
__device__ inline float *matrix_of(const k_shares &of, shape s, int part)
{
    return (float *)of.sums + ((ptrdiff_t)part * (s.height - of.y0) - of.y0) * s.width;
}

/*
 * Adds up a tile's parts in the order of k, WIDTH columns of four rows at a time, whose loads are
 * all under way at once. It has registers of its own: where the loop over slabs is compiled along
 * with it, a twentieth of its FFMA read three numbers from one bank.
 */
template <int WIDTH>
__device__ __noinline__ void add_parts(k_shares of, int parts, float *c, shape s, int y0, int x0)
{
    constexpr int across = sliced.columns / WIDTH, down = THREADS / across, each = 4;
    const int x = x0 + thread_number() % across * WIDTH;
#pragma unroll 1
    for (int y = y0 + thread_number() / across; y < y0 + sliced.rows; y += each * down) {
        const int rows = x < s.width ? (s.height - y + down - 1) / down : 0;
        const size_t first = (size_t)y * s.width + x, next = (size_t)down * s.width;
        float sum[each][WIDTH] = {};
#pragma unroll 1
        for (int part = 0; part < parts; part++)
#pragma unroll
            for (int i = 0; i < each; i++)
                if (i < rows)
                    add_columns<WIDTH>(sum[i], matrix_of(of, s, part) + first + i * next);
#pragma unroll
        for (int i = 0; i < each; i++)
            if (i < rows)
                store_columns<WIDTH>(c + first + i * next, sum[i]);
    }
}

/* slice_k's tiles; a part's sums are a matrix as wide as C. */
struct ffma_tiles {
    enum { BLOCK = THREADS, ROWS = sliced.rows, COLUMNS = sliced.columns, DEPTH = sliced.depth };
    float4 *room;

    static size_t bytes_of_parts(shape s, const k_shares &of, int)
    {
        return (size_t)of.parts * (s.height - of.y0) * s.width * sizeof(float);
    }

    __device__ void make(const float *a, const float *b, float *c, shape s, const k_shares &of,
                         const stretch &now, int last, int y0, int x0)
    {
        make_any_tile<sliced>(room, a, b, now.parts > 1 ? matrix_of(of, s, now.part) : c, s,
                              now.first * DEPTH, last, y0, x0);
        if (now.parts == 1 || !all_are_there(of, now))
            return;
        if (s.width % 4 == 0)
            add_parts<4>(of, now.parts, c, s, y0, x0);
        else
            add_parts<1>(of, now.parts, c, s, y0, x0);
    }
};

/* Two blocks to a multiprocessor, so that one multiplies while the other begins or ends a tile. */
__global__ void __launch_bounds__(THREADS, 2)
    stream_k(const float *a, const float *b, float *c, shape s, k_shares of)
{
    extern __shared__ float4 room[];
    make_share(ffma_tiles{room}, a, b, c, s, of);
}

/* ---- launcher and variant ------------------------------------------------------------------- */

static int resident()
{
    return (int)resident_blocks((const void *)stream_k, dim3(THREADS),
                                slabs_bytes<sliced>(NULL, dim3()));
}

static void launch_stream_k(const problem *p, const launch *l)
{
    const k_shares *of = (const k_shares *)l->plan;
    stream_k<<<of->whole + of->shares, l->block, l->shared_bytes, l->stream>>>(
        (float *)l->buffer[A], (float *)l->buffer[B], (float *)l->buffer[C], shape_of(p), *of);
    CUDA_CHECK(cudaGetLastError());
}

const variant stream_k_variant = GPU_VARIANT(
    "stream_k", "slice_k, its slabs shared evenly by all blocks", launch_stream_k,
    .own_block = THREADS, .kernel = (const void *)stream_k, .shared_bytes = slabs_bytes<sliced>,
    .workspace_bytes = bytes_of_shares<ffma_tiles, resident>,
    .plan_once = plan_of_shares<ffma_tiles, resident>, .release = release_shares);
