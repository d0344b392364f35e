/*
 * gaussian.cuh - the Gaussian filter that labs compute in different ways: its settings, its
 * weights, its exact result. The formula stands at the top of the labs. For .cu files.
 *
 * Pictures are row-major, their channels interleaved, and so large at most that an int holds every
 * index.
 */
#ifndef COMMON_GAUSSIAN_CUH
#define COMMON_GAUSSIAN_CUH

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab.h"
#include "process/die.h"

enum { RADIUS_MAX = 50, TAPS_MAX = 2 * RADIUS_MAX + 1, SIDE_MAX = 16384 };

typedef struct gaussian_filter {
    double sigma;     /* in pixels */
    int given_radius; /* -1 for `reach` sigma */
    int reach;
    int side_max;                     /* of a legal picture */
    double exact[TAPS_MAX];           /* w(-r) .. w(r) */
    float line[TAPS_MAX];             /* the same, rounded */
    float plane[TAPS_MAX * TAPS_MAX]; /* w(dx) w(dy), row by row of 2r+1 */
} gaussian_filter;

/* The lab's, with its defaults for sigma and radius. */
extern gaussian_filter gauss;

static inline int filter_radius(void)
{
    int radius = (int)ceil(gauss.reach * gauss.sigma);
    return gauss.given_radius >= 0 ? gauss.given_radius : radius < RADIUS_MAX ? radius : RADIUS_MAX;
}

/* For a lab's configure(): the weights of the settings. */
static inline void work_out_weights(void)
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
static inline const char *refuse_size(int width, int height)
{
    static char text[128];
    int side = 2 * filter_radius() + 1;
    if (width >= side && height >= side)
        return NULL;
    snprintf(text, sizeof text, "the filter covers %dx%d pixels; legal are %dx%d to %dx%d", side,
             side, side, side, gauss.side_max, gauss.side_max);
    return text;
}

/* The shape of the work. */
typedef struct shape {
    int width, height, radius;
} shape;

static inline shape shape_of(const problem *p)
{
    return {p->width, p->height, filter_radius()};
}

/* An index beyond the ends of 0..length-1 becomes that of the end. */
__host__ __device__ static inline int clamp(int i, int length)
{
    return i < 0 ? 0 : i < length ? i : length - 1;
}

/* ---- the exact result ----------------------------------------------------------------------- */

/* Values beyond a row's ends: those of its first and its last pixel, as many as the radius. */
static inline void extend_sums(double *sums, int values, int channels, int beside)
{
    for (int i = 0; i < beside; i++) {
        sums[i - beside] = sums[i % channels];
        sums[values + i] = sums[values - channels + i % channels];
    }
}

/*
 * Row y, along the columns first. Tap by tap, each for the whole row, that a processor's vectors
 * are used; `room` is for two rows and what lies beyond the ends of one.
 */
template <class In, class Out>
static void filter_exact_row(const In *in, Out *out, shape s, int channels, int y, double *room)
{
    int values = s.width * channels, beside = s.radius * channels;
    double *results = room, *sums = room + values + beside;
    for (int i = 0; i < values; i++)
        sums[i] = results[i] = 0;
    for (int k = -s.radius; k <= s.radius; k++) {
        const double weight = gauss.exact[k + s.radius];
        const In *row = in + (size_t)clamp(y + k, s.height) * values;
        for (int i = 0; i < values; i++)
            sums[i] += weight * row[i];
    }
    extend_sums(sums, values, channels, beside);
    for (int k = -s.radius; k <= s.radius; k++) {
        const double weight = gauss.exact[k + s.radius], *shifted = sums + k * channels;
        for (int i = 0; i < values; i++)
            results[i] += weight * shifted[i];
    }
    for (int i = 0; i < values; i++)
        out[(size_t)y * values + i] = (Out)results[i];
}

/* The filtered picture, worked out in double precision on all cores. */
template <class In, class Out>
static void filter_exact(const In *in, Out *out, shape s, int channels)
{
#pragma omp parallel
    {
        size_t values = 2 * (size_t)(s.width + s.radius) * channels;
        double *room = (double *)allocate(values * sizeof *room);
#pragma omp for
        for (int y = 0; y < s.height; y++)
            filter_exact_row(in, out, s, channels, y, room);
        free(room);
    }
}

#endif
