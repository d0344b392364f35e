/*
 * gaussian.cuh - the Gaussian filter that labs compute in different ways: its settings, its
 * weights, its exact result. The formula stands at the top of the labs. For .cu files.
 *
 * Pictures are row-major, their channels interleaved. No side is over SIDE_MAX, so an int holds
 * every index.
 */
#ifndef COMMON_GAUSSIAN_CUH
#define COMMON_GAUSSIAN_CUH

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "die.h"
#include "lab.h"

enum { RADIUS_MAX = 50, TAPS_MAX = 2 * RADIUS_MAX + 1, SIDE_MAX = 16384 };

typedef struct gaussian_filter {
    double sigma;     /* in pixels */
    int given_radius; /* -1 for `reach` sigma */
    int reach;
    double exact[TAPS_MAX];           /* w(-r) .. w(r) */
    float line[TAPS_MAX];             /* the same, rounded */
    float plane[TAPS_MAX * TAPS_MAX]; /* w(dx) w(dy), row by row of 2r+1 */
} gaussian_filter;

/* The lab's, with its defaults for sigma and radius. */
extern gaussian_filter gauss;

static int filter_radius(void)
{
    int radius = (int)ceil(gauss.reach * gauss.sigma);
    return gauss.given_radius >= 0 ? gauss.given_radius : radius < RADIUS_MAX ? radius : RADIUS_MAX;
}

/* For a lab's configure(): the weights of the settings. */
static void work_out_weights(void)
{
    int radius = filter_radius(), side = 2 * radius + 1;
    double sum = 0;
    for (int k = 0; k < side; k++) {
        gauss.exact[k] = exp(-(k - radius) * (k - radius) / (2 * gauss.sigma * gauss.sigma));
        sum += gauss.exact[k];
    }
    for (int k = 0; k < side; k++) {
        gauss.exact[k] /= sum;
        gauss.line[k] = (float)gauss.exact[k];
    }
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            gauss.plane[j * side + i] = (float)(gauss.exact[j] * gauss.exact[i]);
}

/* A lab's refuse_size(): pictures are as large as the filter. */
static const char *refuse_size(int width, int height)
{
    static char text[128];
    int side = 2 * filter_radius() + 1;
    if (width >= side && height >= side)
        return NULL;
    snprintf(text, sizeof text, "the filter covers %dx%d pixels; legal are %dx%d to %dx%d", side,
             side, side, side, SIDE_MAX, SIDE_MAX);
    return text;
}

/* The shape of the work. */
typedef struct shape {
    int width, height, radius;
} shape;

static shape shape_of(const problem *p)
{
    return {p->width, p->height, filter_radius()};
}

/* An index beyond the ends of 0..length-1 becomes that of the end. */
__host__ __device__ static int clamp(int i, int length)
{
    return i < 0 ? 0 : i < length ? i : length - 1;
}

/* ---- the exact result ----------------------------------------------------------------------- */

/* Row y, along the columns first; `sums` is room for a row. */
template <class In, class Out>
static void filter_exact_row(const In *in, Out *out, shape s, int channels, int y, double *sums)
{
    int values = s.width * channels;
    for (int i = 0; i < values; i++)
        sums[i] = 0;
    for (int k = -s.radius; k <= s.radius; k++) {
        const In *row = in + (size_t)clamp(y + k, s.height) * values;
        for (int i = 0; i < values; i++)
            sums[i] += gauss.exact[k + s.radius] * row[i];
    }
    for (int i = 0; i < values; i++) {
        int x = i / channels, c = i % channels;
        double sum = 0;
        for (int k = -s.radius; k <= s.radius; k++)
            sum += gauss.exact[k + s.radius] * sums[clamp(x + k, s.width) * channels + c];
        out[(size_t)y * values + i] = (Out)sum;
    }
}

/* The filtered picture, worked out in double precision on all cores. */
template <class In, class Out>
static void filter_exact(const In *in, Out *out, shape s, int channels)
{
#pragma omp parallel
    {
        double *sums = (double *)allocate((size_t)s.width * channels * sizeof *sums);
#pragma omp for
        for (int y = 0; y < s.height; y++)
            filter_exact_row(in, out, s, channels, y, sums);
        free(sums);
    }
}

#endif
