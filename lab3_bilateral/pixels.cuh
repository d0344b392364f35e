/*
 * pixels.cuh - the kinds of pixels that bilateral.cu filters, and what is beyond the picture's
 * edge.
 */
#ifndef LAB3_PIXELS_CUH
#define LAB3_PIXELS_CUH

#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

/* One pass of a filter: from one picture to another. */
typedef struct filter {
    int width, height, radius;
    float space, range; /* -1 / (2 sigma^2): what squared distances are multiplied by */
} filter;

/* ---- a pixel as it is stored, and the value that is filtered --------------------------------- */

typedef struct rgb24 {
    uint8_t channel[3];
} rgb24;

typedef struct colour {
    float channel[3];
} colour;

__host__ __device__ static float value_of(float pixel)
{
    return pixel;
}

__host__ __device__ static float value_of(uint8_t pixel)
{
    return pixel;
}

__host__ __device__ static colour value_of(rgb24 pixel)
{
    return {{(float)pixel.channel[0], (float)pixel.channel[1], (float)pixel.channel[2]}};
}

/* The exponent of the weight of two values: of colours, by their distance. */
__host__ __device__ static float range_exponent(float range, float value, float center)
{
    float difference = value - center;
    return range * difference * difference;
}

__host__ __device__ static float range_exponent(float range, colour value, colour center)
{
    float distance = 0; /* squared */
    for (int c = 0; c < 3; c++) {
        float difference = value.channel[c] - center.channel[c];
        distance += difference * difference;
    }
    return range * distance;
}

__host__ __device__ static void add_weighted(float *sum, float weight, float value)
{
    *sum += weight * value;
}

__host__ __device__ static void add_weighted(colour *sum, float weight, colour value)
{
    for (int c = 0; c < 3; c++)
        sum->channel[c] += weight * value.channel[c];
}

__host__ __device__ static float quotient(float numerator, float denominator)
{
    return numerator / denominator;
}

__host__ __device__ static colour quotient(colour numerator, float denominator)
{
    return {{numerator.channel[0] / denominator, numerator.channel[1] / denominator,
             numerator.channel[2] / denominator}};
}

/* A result as a pixel. Means of bytes are between 0 and 255, or off by less than a half. */
__host__ __device__ static void put_pixel(float *pixel, float value)
{
    *pixel = value;
}

__host__ __device__ static void put_pixel(uint8_t *pixel, float value)
{
    float shifted = value + 0x1p23f; /* its last bits are the nearest integer: no conversion */
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    *pixel = (uint8_t)bits;
}

__host__ __device__ static void put_pixel(rgb24 *pixel, colour value)
{
    for (int c = 0; c < 3; c++)
        put_pixel(&pixel->channel[c], value.channel[c]);
}

/* ---- beyond the edge ------------------------------------------------------------------------- */

/*
 * What stands in for a pixel outside the picture: the middle one of the window, as in the report;
 * the nearest one; or the picture's mirror image, c b a | a b c ... x y z | z y x.
 */
enum { MIDDLE, REPLICATE, REFLECT, BORDERS };

/* The column, or the row, that stands in for i, of n; of MIDDLE, too, one that can be read. */
__host__ __device__ static int inside_of(int border, int i, int n)
{
    if (border != REFLECT)
        return i < 0 ? 0 : i < n ? i : n - 1;
    while (i < 0 || i >= n) /* a small picture has mirror images of mirror images */
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

template <int BORDER, class Pixel, class Value>
__host__ __device__ static Value tap(const Pixel *in, filter f, int x, int y, Value center)
{
    bool inside = x >= 0 && x < f.width && y >= 0 && y < f.height;
    if (BORDER == MIDDLE)
        return inside ? value_of(in[y * f.width + x]) : center;
    return value_of(in[inside_of(BORDER, y, f.height) * f.width + inside_of(BORDER, x, f.width)]);
}

#endif
