/*
 * pixels.cuh - what the filter does with a pixel of each kind, gray or colours, and which pixel it
 * takes beyond the picture's edge.
 */
#ifndef LAB3_PIXELS_CUH
#define LAB3_PIXELS_CUH

#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

#include "bilateral.h"

typedef struct colour {
    float channel[3];
} colour;

/* Returns the value that is filtered of a pixel as it is stored. */
__host__ __device__ inline float value_of(float pixel)
{
    return pixel;
}

__host__ __device__ inline float value_of(uint8_t pixel)
{
    return pixel;
}

__host__ __device__ inline colour value_of(rgb24 pixel)
{
    return {{(float)pixel.channel[0], (float)pixel.channel[1], (float)pixel.channel[2]}};
}

/* Returns the exponent of the weight of two values; colours differ by their distance. */
__host__ __device__ inline float range_exponent(float range, float value, float center)
{
    float difference = value - center;
    return range * difference * difference;
}

__host__ __device__ inline float range_exponent(float range, colour value, colour center)
{
    float squared_distance = 0;
    for (int c = 0; c < 3; c++) {
        float difference = value.channel[c] - center.channel[c];
        squared_distance += difference * difference;
    }
    return range * squared_distance;
}

__host__ __device__ inline void add_weighted(float *sum, float weight, float value)
{
    *sum += weight * value;
}

__host__ __device__ inline void add_weighted(colour *sum, float weight, colour value)
{
    for (int c = 0; c < 3; c++)
        sum->channel[c] += weight * value.channel[c];
}

__host__ __device__ inline float quotient(float numerator, float denominator)
{
    return numerator / denominator;
}

__host__ __device__ inline colour quotient(colour numerator, float denominator)
{
    return {{numerator.channel[0] / denominator, numerator.channel[1] / denominator,
             numerator.channel[2] / denominator}};
}

/* Stores a result. Means of bytes are between 0 and 255, or off by less than a half. */
__host__ __device__ inline void put_pixel(float *pixel, float value)
{
    *pixel = value;
}

__host__ __device__ inline void put_pixel(uint8_t *pixel, float value)
{
    float shifted = value + 0x1p23f; /* its last bits are the nearest integer: no conversion */
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    *pixel = (uint8_t)bits;
}

__host__ __device__ inline void put_pixel(rgb24 *pixel, colour value)
{
    for (int c = 0; c < 3; c++)
        put_pixel(&pixel->channel[c], value.channel[c]);
}

/* ---- beyond the edge ------------------------------------------------------------------------ */

/* Returns the column, or the row, that stands in for i, of n. By the rule MIDDLE none does, but the
 * one that it returns can be read. */
__host__ __device__ inline int inside_of(int border, int i, int n)
{
    if (border != REFLECT)
        return i < 0 ? 0 : i < n ? i : n - 1;
    while (i < 0 || i >= n) /* a small picture has mirror images of mirror images */
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

/* Returns the value of the window's tap at (x, y), whose middle pixel has the value `center`. */
template <int BORDER, class Pixel, class Value>
__host__ __device__ inline Value tap(const Pixel *in, filter f, int x, int y, Value center)
{
    bool inside = x >= 0 && x < f.width && y >= 0 && y < f.height;
    if (BORDER == MIDDLE)
        return inside ? value_of(in[y * f.width + x]) : center;
    return value_of(in[inside_of(BORDER, y, f.height) * f.width + inside_of(BORDER, x, f.width)]);
}

#endif
