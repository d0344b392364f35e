/*
 * scaled.cuh - the filter with its scales folded into the pixels: no product in a tap that does not
 * depend on them, and no test for the picture's edge.
 */
#ifndef LAB3_SCALED_CUH
#define LAB3_SCALED_CUH

#include <cuda_runtime.h>
#include <math.h>

#include "bilateral.h"
#include "power_of_two.cuh"

/*
 * The filter of values v = scale f, scale^2 = log2 e / (2 sigma_range^2): then
 *
 *   s(p,q) = 2^(exponent[dx^2 + dy^2] - (v(p) - v(q))^2),
 *   exponent[d] = -d log2 e / (2 sigma_space^2)
 *
 * Outside the picture v is OUTSIDE: so far from all that is inside that its weight is 0, without a
 * test. What these taps add to the sums, f(p) by weights of their distance alone, is the same for a
 * column and for a row of the picture wherever it is: weight_outside() has it, once a pixel, and
 * only for pixels near the edge.
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

/* Scales the filter: on the host, once a pass. */
template <int R>
static scaled_filter<R> scale_filter(filter f)
{
    const double log2_e = 1.4426950408889634;
    double space = -0.5 * log2_e / (settings.sigma_space * settings.sigma_space);
    double scale = sqrt(0.5 * log2_e) / settings.sigma_range, beyond = 0;
    scaled_filter<R> scaled = {f.width, f.height, (float)scale, (float)(1 / scale)};
    for (int d = 0; d <= 2 * R * R; d++)
        scaled.exponent[d] = (float)(space * d);
    for (int d = R; d >= 0; d--) {
        scaled.line[d] = (float)exp2(space * d * d);
        if (d > 0)
            scaled.beyond[d] = (float)(beyond += exp2(space * d * d));
    }
    scaled.whole = (float)(1 + 2 * beyond);
    return scaled;
}

/* Sums up the weights along a line of n pixels, around pixel i, that are beyond its two ends. */
template <int R>
__device__ static float beyond(const scaled_filter<R> &f, int i, int n)
{
    return f.beyond[max(min(i + 1, R + 1), 0)] + f.beyond[max(min(n - i, R + 1), 0)];
}

/* Sums up the spatial weights of the taps around (x, y) that are outside: rows, then columns. */
template <int R>
__device__ static float weight_outside(const scaled_filter<R> &f, int x, int y)
{
    float rows = beyond(f, y, f.height);
    return rows * f.whole + (f.whole - rows) * beyond(f, x, f.width);
}

/* Returns 1 / x by the hardware's instruction, for the sum of weights: it is 1 or more. */
__device__ inline float reciprocal(float x)
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
