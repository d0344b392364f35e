/*
 * async_rows.cu - the walk of integer_dp2a with rows that are copied ahead. Five rows that are
 * loaded into registers are waited for before any of them is summed. Here a warp has a ring of five
 * rows' pieces in shared memory, and four of them are always under way to it, by asynchronous
 * copies, which take no registers. So a thread can have sixteen bytes of a row: what is done once a
 * row is done half as often. Neighbours share what each would have loaded.
 */
#include <cuda_runtime.h>

#include "async_rows.h"
#include "byte_strips.cuh"
#include "gaussian.h"
#include "integer_rule.cuh"
#include "lab.h"
#include "ptx/async_copy.cuh"

enum {
    WIDE = 2 * STRETCH,         /* bytes that a thread makes of a row */
    LANES = 32,                 /* of a warp, each with a stretch */
    PIECE = (LANES + 2) * WIDE, /* of a row, of a warp: a stretch's room on either side */
    RING = TAPS * PIECE
};

/* Starts the copy of row y's piece: each lane its own bytes, the first two what lies beside. */
__device__ inline void fetch_row(const uint8_t *in, const stretch_place &at, int lane, int y,
                                 uint8_t *piece)
{
    const uint8_t *row = in + clamp(y, at.height) * at.row_bytes;
    if (at.left < at.row_bytes)
        copy_async<WIDE>(piece + (lane + 1) * WIDE, row + at.left, true);
    int beside = lane == 0 ? at.left - WIDE : at.left + (LANES - 1) * WIDE;
    if (lane < 2 && beside >= 0 && beside < at.row_bytes)
        copy_async<WIDE>(piece + lane * (LANES + 1) * WIDE, row + beside, true);
    copy_async_commit();
}

/*
 * Walks with a warp's piece down a strip. All lanes of a warp come here, also those beyond the
 * row's end. Row i is at ring[i % 5]: behind the barrier everyone's copies of it are there, and
 * everyone has taken row i - 1, whose place is that of row i + 4.
 */
template <int DISTANCE>
__device__ inline void walk_pieces(const uint8_t *in, uint8_t *out, const stretch_place &at,
                                   int top, int bottom, const integer_rule &rule, uint8_t *ring,
                                   int lane)
{
    bool owner = at.left < at.row_bytes;
    five_rows<WIDE> rows;
#pragma unroll
    for (int u = 0; u < TAPS - 1; u++)
        fetch_row(in, at, lane, top - 2 + u, ring + u * PIECE);
#pragma unroll 1
    for (int y = top - 4; y < bottom; y += TAPS) {
#pragma unroll
        for (int u = 0; u < TAPS; u++) {
            copy_async_wait<TAPS - 2>();
            __syncwarp();
            if (y + u + TAPS - 1 < bottom)
                fetch_row(in, at, lane, y + u + 2 + TAPS - 1, ring + (u + 4) % TAPS * PIECE);
            else
                copy_async_commit(); /* of nothing, for commits are what is counted */
            if (!owner || y + u >= bottom)
                continue;
            uint32_t word[WORDS<WIDE>];
            load_words<DISTANCE, WIDE>(ring + u * PIECE + (lane + 1) * WIDE, at, word);
            extend_ends<DISTANCE>(at, word);
            sum_row<DISTANCE, WIDE>(rows, u, word, rule);
            if (y + u < top)
                continue;
            uint32_t result[WIDE / 4];
            finish_row<DISTANCE, WIDE>(rows, u, result, rule);
            *(uint4 *)(out + (y + u) * at.row_bytes + at.left) =
                make_uint4(result[0], result[1], result[2], result[3]);
        }
    }
}

/*
 * async_rows: against integer_dp2a, a warp's rows come by asynchronous copies, and a thread makes
 * sixteen bytes of a row. Warp w of block (x, y) has piece x of the rows of strip y * warps + w.
 * Rows that are no multiple of sixteen bytes are walked as by integer_dp2a, one half of a stretch
 * after the other. Any block of whole warps; radius 2 only.
 *
 *      a warp's ring    | beside | lane 0 | lane 1 | .. | lane 31 | beside |   16 bytes each
 *      [0] row i        being summed; lane n reads its own 16 bytes and some on either side
 *      [1] row i + 1    under way
 *      [2] row i + 2    under way
 *      [3] row i + 3    under way
 *      [4] row i + 4    under way, where row i - 1 was
 */
template <int DISTANCE>
__global__ void async_rows(const uint8_t *in, uint8_t *out, shape s, row_range rows,
                           integer_rule rule)
{
    extern __shared__ uint4 rings[];
    int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % LANES;
    int warp = thread / LANES, warps = blockDim.x * blockDim.y / LANES;
    int stretch = blockIdx.x * LANES + lane;
    int top = rows.first + (blockIdx.y * warps + warp) * STRIP;
    int bottom = min(top + STRIP, rows.end);
    if (top >= rows.end)
        return;
    stretch_place at = place_of<DISTANCE, WIDE>(s, stretch);
    if (at.whole) {
        uint8_t *ring = (uint8_t *)rings + warp * RING;
        walk_pieces<DISTANCE>(in, out, at, top, bottom, rule, ring, lane);
        return;
    }
    for (int i = 0; i < 2; i++) {
        stretch_place half = place_of<DISTANCE, STRETCH>(s, 2 * stretch + i);
        if (half.left < half.row_bytes)
            walk<DISTANCE>(in, out, half, top, bottom, rule);
    }
}

/* ---- launchers ------------------------------------------------------------------------------ */

void filter_strips(const launch *l, cudaStream_t stream, const uint8_t *in, uint8_t *out, shape s,
                   row_range rows)
{
    typedef void (*rows_kernel)(const uint8_t *in, uint8_t *out, shape s, row_range rows,
                                integer_rule rule);
    rows_kernel kernel = (rows_kernel)l->kernel;
    int strips = blocks_for(rows.end - rows.first, STRIP);
    dim3 grid(blocks_for(s.width * channels(), LANES * WIDE),
              blocks_for(strips, l->block.x * l->block.y / LANES));
    kernel<<<grid, l->block, l->shared_bytes, stream>>>(in, out, s, rows, fixed_point_weights);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_async_rows(const problem *p, const launch *l)
{
    filter_strips(l, l->stream, (uint8_t *)l->buffer[INPUT], (uint8_t *)l->buffer[OUTPUT],
                  shape_of(p), {0, p->height});
}

const void *async_rows_kernel(dim3 block)
{
    return instance<async_rows<1>, async_rows<3>, async_rows<4>>(block);
}

size_t rings_bytes(const problem *, dim3 block)
{
    return (size_t)block.x * block.y / LANES * RING;
}

const char *refuse_parts_of_warps(const problem *p, dim3 block)
{
    const char *refused = refuse_unfit_weights(p, block);
    bool whole = block.x * block.y % LANES == 0;
    return refused ? refused : whole ? NULL : "its blocks are of whole warps";
}

extern const variant async_rows_variant = GPU_VARIANT(
    "async_rows", "sixteen bytes a thread, rows copied ahead to shared memory",
    run_in_passes<launch_async_rows>, .kernel_for = async_rows_kernel, .shared_bytes = rings_bytes,
    .workspace_bytes = picture_between, .refuse = refuse_parts_of_warps);
