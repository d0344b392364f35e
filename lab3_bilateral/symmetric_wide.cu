/*
 * symmetric_wide.cu - symmetric of radius 8 to 16: against symmetric, the open rows are in shared
 * memory, a ring of R rows a warp, for registers have no room for them (open_rows.cuh). A row is
 * taken from there, meets the new one, and its sums are put back:
 *
 *   ring of a warp      |  y-3  |  y-2  |  y-1  | y-R | .. | y-4 |      oldest: the row y-R, whose
 *                                                  ^                    place the row y gets
 *   a row of the ring   | values     | numerators | denominators |
 *   each of them        | lane 0 | lane 1 | ..        | lane 31 |       words of 4 columns
 */
#include "bilateral.h"
#include "radii.h"
#include "shares.cuh"
#include "walk.cuh"

/*
 * symmetric_wide: each warp by itself. At radius 8 a multiprocessor's registers have room for two
 * blocks without spills. Blocks of whole warps, up to SYMMETRIC_THREADS, whose rings fit shared
 * memory.
 */
template <class Pixel, int R>
__global__ void __launch_bounds__(SYMMETRIC_THREADS, R == 8 ? 2 : 1)
    symmetric_wide(const Pixel *in, Pixel *out, shares s,
                   const __grid_constant__ scaled_filter<R> f)
{
    extern __shared__ float4 open_memory[];
    int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % 32;
    pixel_word<float, COLUMNS> *ring =
        (pixel_word<float, COLUMNS> *)open_memory + thread / 32 * R * WORDS + lane;
    share mine = share_of(s, (blockIdx.x * blockDim.x * blockDim.y + thread) / 32);
    if (mine.top < f.height)
        walk_strip(place_of<false, R, COLUMNS>(in, out, mine.strip, lane, f), mine.top, mine.rows,
                   ring, f);
}

/* ---- for symmetric.cu ----------------------------------------------------------------------- */

size_t symmetric_wide_bytes(const problem *, dim3 block)
{
    size_t ring = sizeof(pixel_word<float, COLUMNS>) * WORDS * settings.radius;
    return block.x * block.y / 32 * ring;
}

const void *symmetric_wide_for(dim3 block)
{
    return FOR_RADII(symmetric_wide, 8, 16)(block);
}

template <class Pixel, int R>
static void pass_of_radius(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    shares s = shares_for(strips_of<R, COLUMNS>(f.width), f.height, R, multiprocessors(), true);
    int threads = l->block.x * l->block.y, blocks = blocks_for(32 * warps_of(s, f.height), threads);
    symmetric_wide<Pixel, R>
        <<<blocks, l->block, l->shared_bytes, l->stream>>>(d_in, d_out, s, scale_filter<R>(f));
    CUDA_CHECK(cudaGetLastError());
}

void pass_symmetric_wide(const float *d_in, float *d_out, filter f, const launch *l)
{
    static const filter_pass<float> all[] = {RADII_8_TO_16(pass_of_radius, float)};
    all[f.radius - 8](d_in, d_out, f, l);
}

void pass_symmetric_wide(const uint8_t *d_in, uint8_t *d_out, filter f, const launch *l)
{
    static const filter_pass<uint8_t> all[] = {RADII_8_TO_16(pass_of_radius, uint8_t)};
    all[f.radius - 8](d_in, d_out, f, l);
}
