/*
 * pixel_sums.cuh - pixels and sums of pixels, gray and coloured: kernels are templates over the
 * type of a pixel and of a sum, and write both with + and * and rounded().
 *
 *   gray    Pixel uint8_t   Sum float
 *   rgb24   Pixel uchar3    Sum float3
 *   rgba32  Pixel uchar4    Sum float3; alpha is left out of it and copied
 */
#ifndef LAB5_PIXEL_SUMS_CUH
#define LAB5_PIXEL_SUMS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "gaussian.cuh"

/*
 * Tells whether all taps of a pixel lie in the picture. Nearly all do and need no clamping, which
 * would cost more than the sum itself: five integer operations a tap. So kernels have their loop
 * twice, and a warp takes the second one only where it touches the edge.
 */
__device__ inline bool is_inside(shape s, int x, int y)
{
    return x >= s.radius && x < s.width - s.radius && y >= s.radius && y < s.height - s.radius;
}

/* Returns the pixel (x, y), or beyond the edge the nearest one. */
template <class Pixel>
__device__ inline Pixel nearest(const Pixel *in, shape s, int x, int y)
{
    return in[clamp(y, s.height) * s.width + clamp(x, s.width)];
}

/* Rounds a sum to a pixel in the place of `middle`, whose alpha it takes. */
__device__ inline uint8_t rounded(float sum, uint8_t)
{
    return (uint8_t)(int)(sum + 0.5f);
}

__device__ inline uchar3 rounded(float3 sum, uchar3 middle)
{
    return make_uchar3(rounded(sum.x, middle.x), rounded(sum.y, middle.y),
                       rounded(sum.z, middle.z));
}

__device__ inline uchar4 rounded(float3 sum, uchar4 middle)
{
    return make_uchar4(rounded(sum.x, middle.x), rounded(sum.y, middle.y), rounded(sum.z, middle.z),
                       middle.w);
}

/*
 * A coloured pixel times a weight. It is multiplied out where it is added, one channel after the
 * other: ptxas takes half the registers.
 */
typedef struct colour_tap {
    float weight;
    uchar3 pixel;
} colour_tap;

__device__ inline colour_tap operator*(float weight, uchar3 pixel)
{
    return {weight, pixel};
}

__device__ inline colour_tap operator*(float weight, uchar4 pixel)
{
    return {weight, make_uchar3(pixel.x, pixel.y, pixel.z)};
}

__device__ inline void operator+=(float3 &sum, colour_tap tap)
{
    sum.x += tap.weight * tap.pixel.x;
    sum.y += tap.weight * tap.pixel.y;
    sum.z += tap.weight * tap.pixel.z;
}

/* Three channels' sums times a weight, to be added to others. */
typedef struct weighted_sum {
    float weight;
    float3 sum;
} weighted_sum;

__device__ inline weighted_sum operator*(float weight, float3 sum)
{
    return {weight, sum};
}

__device__ inline void operator+=(float3 &sum, weighted_sum tap)
{
    sum.x += tap.weight * tap.sum.x;
    sum.y += tap.weight * tap.sum.y;
    sum.z += tap.weight * tap.sum.z;
}

#endif
