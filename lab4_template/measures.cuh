/*
 * measures.cuh - what else than R, the sum of squared differences, says how well the template fits:
 *
 *   sad   sum |I - T|: the less the better; at most 512 * 512 * 255, which 32 bits have
 *   ncc   sum I T / sqrt(sum I^2 sum T^2), from 0 to 1: the more the better
 *   zncc  the same once each has lost its mean, from -1 to 1; n are the template's pixels:
 *         (n sum I T - sum I sum T) / sqrt((n sum I^2 - (sum I)^2) (n sum T^2 - (sum T)^2))
 *
 * All these sums are whole numbers, and so are the numerator and both factors under the root, below
 * 2^53: rounding begins where they become floats. A window or a template without a difference to
 * show, black for ncc, of one gray for zncc, makes the root 0: the value is then defined as 0.
 */
#ifndef LAB4_MEASURES_CUH
#define LAB4_MEASURES_CUH

#include <math.h>

#include "template.h"

/* Sums over the pixels of a window of the image, over those of the template, and of products. */
typedef struct sums_of_both {
    uint64_t image, image_squares, templ, template_squares, products;
} sums_of_both;

/* ncc or zncc before the root is taken: products / sqrt(image templ). */
typedef struct fraction {
    int64_t products, image, templ;
} fraction;

template <int MEASURE>
__host__ __device__ inline fraction fraction_of(const sums_of_both &s, int64_t pixels)
{
    int64_t image = (int64_t)s.image, templ = (int64_t)s.templ;
    int64_t products = (int64_t)s.products, image_squares = (int64_t)s.image_squares;
    int64_t template_squares = (int64_t)s.template_squares;
    if (MEASURE == NCC)
        return {products, image_squares, template_squares};
    return {pixels * products - image * templ, pixels * image_squares - image * image,
            pixels * template_squares - templ * templ};
}

/* Divides on the host. */
inline double value_of(const fraction &f)
{
    double root = sqrt((double)f.image * (double)f.templ);
    return root > 0 ? (double)f.products / root : 0;
}

/*
 * Returns, on a GPU, 1 / root in FP32, which correlation() multiplies by a numerator. With u =
 * 2^-24 each factor is off by u, their product by another, of which the root leaves half; rsqrtf is
 * off by 2 ulp, that is 4 u at most (CUDA C++ Programming Guide, "Mathematical Functions"), the
 * numerator and the last product by u each: 7.5 u in all.
 */
#define CORRELATION_BOUND (8 * 0x1p-24)

__device__ inline float inverse_root(int64_t image, int64_t templ)
{
    float square = (float)image * (float)templ;
    return square > 0 ? rsqrtf(square) : 0;
}

/* Returns the quotient, which rounding does not leave beyond 1. */
__device__ inline float correlation(int64_t products, float inverse)
{
    return fminf(fmaxf((float)products * inverse, -1.0f), 1.0f);
}

#endif
