/*
 * exp2_scaled.cu - against register_rows, a tap is a difference, a fused multiply-add for its
 * exponent, the exponential itself, and one more of either for the sums: five instructions. Scales
 * and border are out of the loop (scaled.cuh), and the row's part of the weight is multiplied with
 * the row's sums.
 */
#include "bilateral.h"
#include "pixels.cuh"
#include "radii.h"
#include "scaled.cuh"
#include "tile.cuh"

/* Adds the taps outside the picture, each with the value of the middle, to the sums of those
 * inside. */
template <int R>
__device__ static void add_outside(const scaled_filter<R> &f, int x, int y, float center,
                                   float *numerator, float *denominator)
{
    float weight = weight_outside(f, x, y);
    *numerator += weight * center;
    *denominator += weight;
}

/*
 * exp2_scaled: tile, block and a thread's way down are those of register_rows: a block of bx x by
 * threads makes bx columns of ROWS by rows, and a thread's rows go through its ROWS outputs like
 * this, with row sums for each of them:
 *
 *   value[0 .. 2R]     of a row of the tile, in registers
 *      |  - center[o], squared, from exponent[dx^2], 2^
 *   row sums of output o, o = 0 .. ROWS-1 where |row - o - R| <= R
 *      |  * line[|dy|]
 *   numerator[o], denominator[o]
 *
 * Any block whose tile of (bx + 2R)(ROWS by + 2R) floats fits shared memory; no thread leaves
 * before the barrier.
 */
template <class Pixel, int R>
__global__ void exp2_scaled(const Pixel *in, Pixel *out, const __grid_constant__ scaled_filter<R> f)
{
    extern __shared__ float tile[];
    fill_tile<R>(tile, in, f.width, f.height, f.scale, OUTSIDE);
    __syncthreads();

    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int top = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (x >= f.width || top >= f.height)
        return;
    int tile_width = blockDim.x + 2 * R;
    const float *corner = tile + threadIdx.y * ROWS * tile_width + threadIdx.x;
    float center[ROWS], numerator[ROWS] = {}, denominator[ROWS] = {};
#pragma unroll
    for (int o = 0; o < ROWS; o++)
        center[o] = corner[(o + R) * tile_width + R];
    for (int row = 0; row < ROWS + 2 * R; row++) {
        float value[2 * R + 1];
#pragma unroll
        for (int i = 0; i <= 2 * R; i++)
            value[i] = corner[row * tile_width + i];
#pragma unroll
        for (int o = 0; o < ROWS; o++) {
            int dy = row - o - R;
            if (dy < -R || dy > R)
                continue;
            float row_numerator = 0, row_denominator = 0;
#pragma unroll
            for (int i = 0; i <= 2 * R; i++) {
                float difference = value[i] - center[o];
                float weight =
                    power_of_two(f.exponent[(i - R) * (i - R)] - difference * difference);
                row_numerator += weight * value[i];
                row_denominator += weight;
            }
            numerator[o] += f.line[abs(dy)] * row_numerator;
            denominator[o] += f.line[abs(dy)] * row_denominator;
        }
    }
    bool edge_columns = x < R || x >= f.width - R;
#pragma unroll
    for (int o = 0; o < ROWS; o++) {
        int y = top + o;
        if (y >= f.height)
            return;
        if (edge_columns || y < R || y >= f.height - R)
            add_outside(f, x, y, center[o], &numerator[o], &denominator[o]);
        put_pixel(&out[y * f.width + x], numerator[o] * reciprocal(denominator[o]) * f.unscale);
    }
}

/* ---- launchers ------------------------------------------------------------------------------ */

template <class Pixel, int R>
static void pass_of_radius(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    exp2_scaled<Pixel, R><<<grid_of(f, ROWS, l->block), l->block, l->shared_bytes, l->stream>>>(
        d_in, d_out, scale_filter<R>(f));
    CUDA_CHECK(cudaGetLastError());
}

template <class Pixel>
static void pass_exp2_scaled(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    static const filter_pass<Pixel> all[] = {RADII_1_TO_8(pass_of_radius, Pixel)};
    all[f.radius - 1](d_in, d_out, f, l);
}

extern const variant exp2_scaled_variant =
    GPU_VARIANT("exp2_scaled", "powers of 2 of scaled pixels, the border out of the loop",
                (run_passes<pass_exp2_scaled<float>, pass_exp2_scaled<uint8_t>>),
                .kernel_for = FOR_RADII(exp2_scaled, 1, 8), .shared_bytes = rows_tile_bytes,
                .refuse = refuse_to_radius_8);
