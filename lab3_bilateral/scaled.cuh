/*
 * scaled.cuh - what the kernels of bilateral.cu share whose radius the compiler knows: tiles of
 * several rows a thread, and the filter with its scales folded into the pixels.
 */
#ifndef LAB3_SCALED_CUH
#define LAB3_SCALED_CUH

#include <cuda_runtime.h>
#include <math.h>

#include "lab.h"
#include "pixels.cuh"
#include "power_of_two.cuh"

enum { ROWS = 4 };

/* Where NaN marks what is outside: a pixel is none, for infinity makes NaN of its windows, too. */
__device__ static float not_nan(float pixel)
{
    return isnan(pixel) ? INFINITY : pixel;
}

__device__ static float not_nan(uint8_t pixel)
{
    return pixel;
}

/* ---- several rows a thread ------------------------------------------------------------------- */

/*
 * Copies the block's pixels and a halo of R into the tile: `outside` where there is no pixel. If
 * that is NaN there is no scale.
 */
template <int R, class Pixel>
__device__ static void fill_tile(float *tile, const Pixel *in, int width, int height, float scale,
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

/* ---- the scaled filter ---------------------------------------------------------------------- */

/*
 * The same filter of values v = scale f, scale^2 = log2 e / (2 sigma_range^2): then
 *
 *   s(p,q) = 2^(exponent[dx^2 + dy^2] - (v(p) - v(q))^2),
 *   exponent[d] = -d log2 e / (2 sigma_space^2)
 *
 * with no product that does not depend on the pixels. Outside the picture v is OUTSIDE: so far from
 * all that is inside that its weight is 0, without a test. What these taps add to the sums, f(p) by
 * weights of their distance alone, is the same for a column and for a row of the picture wherever
 * it is: weight_outside() has it, once a pixel, and only for pixels near the edge.
 */
template <int R>
struct scaled_filter {
    int width, height;
    float scale, unscale;          /* unscale = 1 / scale */
    float exponent[2 * R * R + 1]; /* by squared distance */
    float line[R + 1];             /* 2^exponent[d^2]: the weights along a line */
    float beyond[R + 2];           /* [d]: the sum of those from d to R */
    float whole;                   /* the sum of all 2R+1 of them */
};

static const float OUTSIDE = 1e15f; /* its square is a float, too */

/* The sum of the weights along a line of n pixels that are beyond both of its ends, of pixel i. */
template <int R>
__device__ static float beyond(const scaled_filter<R> &f, int i, int n)
{
    return f.beyond[max(min(i + 1, R + 1), 0)] + f.beyond[max(min(n - i, R + 1), 0)];
}

/* The sum of the spatial weights of the taps around (x, y) that are outside: rows, then columns. */
template <int R>
__device__ static float weight_outside(const scaled_filter<R> &f, int x, int y)
{
    float rows = beyond(f, y, f.height);
    return rows * f.whole + (f.whole - rows) * beyond(f, x, f.width);
}

/* Adds them, each with the value of the middle, to the sums of the taps inside. */
template <int R>
__device__ static void add_outside(const scaled_filter<R> &f, int x, int y, float center,
                                   float *numerator, float *denominator)
{
    float weight = weight_outside(f, x, y);
    *numerator += weight * center;
    *denominator += weight;
}

/* 1 / x by the hardware's instruction, for the sum of weights: it is 1 or more. */
__device__ static float reciprocal(float x)
{
#ifdef __CUDA_ARCH__
    float quotient;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(quotient) : "f"(x));
    return quotient;
#else
    return 1 / x;
#endif
}

#endif
