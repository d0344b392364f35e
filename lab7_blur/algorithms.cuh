/*
 * algorithms.cuh - the recursive Gaussian filter of blur.cu: its kernel, its coefficients, and
 * bounds for its errors.
 *
 * Young and van Vliet (Recursive implementation of the Gaussian filter, Signal Processing 44, 1995)
 * go along a line of pixels x twice, forward and then backward over what that made, each time with
 *
 *   w[n] = gain x[n] + b1 w[n-1] + b2 w[n-2] + b3 w[n-3],   gain = 1 - b1 - b2 - b3,
 *
 * first along all rows, then along all columns: four passes, whatever sigma is. Both passes
 * together are about a Gaussian. It is computed here as a change of w (the same sum, sorted),
 *
 *   w[n] - w[n-1] = gain (x[n] - w[n-1]) + near (w[n-1] - w[n-2]) + far (w[n-2] - w[n-3]),
 *   near = -(b2 + b3), far = -b3,
 *
 * which rounds far less and leaves a constant line as it is, to the bit.
 *
 * Before its first pixel a line is that pixel for ever, so the forward pass starts settled on it.
 * Behind the last pixel it is the last for ever: the forward pass would go on to settle there, and
 * the backward pass come back from it. Both together are a linear map of the state at the last
 * pixel, `turn` (Triggs and Sdika, Boundary conditions for Young-van Vliet recursive filtering,
 * IEEE Trans. Signal Processing 54, 2006).
 */
#ifndef LAB7_ALGORITHMS_CUH
#define LAB7_ALGORITHMS_CUH

#include <cuda_runtime.h>
#include <math.h>
#include <stdlib.h>

#include "die.h"

/* ---- kernel --------------------------------------------------------------------------------- */

typedef struct recursion {
    float gain, near, far;
    float turn[3][3];
} recursion;

typedef struct line_state {
    float value, change, change_before; /* w[n], w[n] - w[n-1], w[n-1] - w[n-2] */
} line_state;

__device__ static void step(line_state *state, float in, recursion r)
{
    float change =
        r.gain * (in - state->value) + (r.near * state->change + r.far * state->change_before);
    state->value += change;
    state->change_before = state->change;
    state->change = change;
}

/*
 * One pass along a line, in place, from pixel `at` on in steps of `stride`. The steps wait for each
 * other, but the loads need not: BATCH pixels at a time are asked for together.
 */
enum { BATCH = 32 };

__device__ static line_state filter_line(float *pixels, int at, int stride, int length,
                                         line_state state, recursion r)
{
    float batch[BATCH];
    for (; length >= BATCH; length -= BATCH) {
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            batch[i] = pixels[at + i * stride];
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            step(&state, batch[i], r);
            pixels[at + i * stride] = state.value;
        }
        at += BATCH * stride;
    }
    for (; length > 0; length--, at += stride) {
        step(&state, pixels[at], r);
        pixels[at] = state.value;
    }
    return state;
}

/*
 * filter_lines: thread x filters column x of the picture in place, forward and backward; threads of
 * a warp go down neighbouring columns, so what they touch lies together. There are only as many
 * threads as columns: small blocks spread over more multiprocessors. One row of threads a block, up
 * to LINES_MAX, so that the batch stays in registers.
 */
enum { LINES_MAX = 256 };

__global__ void __launch_bounds__(LINES_MAX)
    filter_lines(float *picture, int width, int height, recursion r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width)
        return;
    int end = (height - 1) * width + x;
    float last = picture[end];
    line_state start = {picture[x], 0, 0};
    line_state forth = filter_line(picture, x, width, height, start, r);

    float a = forth.value - last, b = forth.change, c = forth.change_before;
    line_state back = {last + (r.turn[0][0] * a + r.turn[0][1] * b + r.turn[0][2] * c),
                       r.turn[1][0] * a + r.turn[1][1] * b + r.turn[1][2] * c,
                       r.turn[2][0] * a + r.turn[2][1] * b + r.turn[2][2] * c};
    filter_line(picture, end, -width, height, back, r);
}

/* ---- coefficients --------------------------------------------------------------------------- */

#define RECURSIVE_SIGMA_MIN 0.5 /* the paper's formula for q starts there */

typedef struct young_van_vliet {
    double gain, b1, b2, b3;
} young_van_vliet;

/* Equations (8c), (10) and (11b) of the paper. */
static young_van_vliet coefficients_for(double sigma)
{
    double q =
        sigma >= 2.5 ? 0.98711 * sigma - 0.96330 : 3.97156 - 4.14554 * sqrt(1 - 0.26891 * sigma);
    double b0 = 1.57825 + 2.44413 * q + 1.4281 * q * q + 0.422205 * q * q * q;
    double b1 = (2.44413 * q + 2.85619 * q * q + 1.26661 * q * q * q) / b0;
    double b2 = -(1.4281 * q * q + 1.26661 * q * q * q) / b0;
    double b3 = 0.422205 * q * q * q / b0;
    return {1 - b1 - b2 - b3, b1, b2, b3};
}

/* After this many pixels less than 1e-10 is left of what the filter knew before. */
static int settling_length(double sigma)
{
    return (int)(25 * sigma) + 50;
}

/* The kernel's step in double precision; returns the value. */
static double exact_step(double state[3], double in, young_van_vliet v)
{
    double change = v.gain * (in - state[0]) - (v.b2 + v.b3) * state[1] - v.b3 * state[2];
    state[0] += change;
    state[2] = state[1];
    state[1] = change;
    return state[0];
}

/* The turn's map for one state: on over zeros until all is settled, and back. */
static void turn_around(double state[3], double sigma, young_van_vliet v)
{
    int length = settling_length(sigma);
    double *values = (double *)allocate(length * sizeof *values);
    for (int i = 0; i < length; i++)
        values[i] = exact_step(state, 0, v);
    state[0] = state[1] = state[2] = 0;
    for (int i = length - 1; i >= 0; i--)
        exact_step(state, values[i], v);
    free(values);
}

/* What the kernel needs for a sigma of RECURSIVE_SIGMA_MIN or more, else nothing of use. */
static recursion recursion_for(double sigma)
{
    recursion r = {};
    if (sigma < RECURSIVE_SIGMA_MIN)
        return r;
    young_van_vliet v = coefficients_for(sigma);
    r.gain = (float)v.gain;
    r.near = (float)-(v.b2 + v.b3);
    r.far = (float)-v.b3;
    for (int from = 0; from < 3; from++) {
        double state[3] = {0, 0, 0};
        state[from] = 1;
        turn_around(state, sigma, v);
        for (int to = 0; to < 3; to++)
            r.turn[to][from] = (float)state[to];
    }
    return r;
}

/* ---- what it should give, and how far it may be off ----------------------------------------- */

/*
 * Filters a line in double precision as the paper has it. Where the kernel turns around by a map,
 * this goes on past the line's end until the filter has settled; `w` is room for length +
 * settling_length(sigma) values.
 */
static void recursive_line(double *line, int length, size_t stride, double *w, double sigma)
{
    young_van_vliet v = coefficients_for(sigma);
    int whole = length + settling_length(sigma);
    double last = line[(length - 1) * stride], w1 = line[0], w2 = w1, w3 = w1;
    for (int i = 0; i < whole; i++) {
        w[i] = v.gain * (i < length ? line[i * stride] : last) + v.b1 * w1 + v.b2 * w2 + v.b3 * w3;
        w3 = w2;
        w2 = w1;
        w1 = w[i];
    }
    w1 = w2 = w3 = last;
    for (int i = whole - 1; i >= 0; i--) {
        double out = v.gain * w[i] + v.b1 * w1 + v.b2 * w2 + v.b3 * w3;
        w3 = w2;
        w2 = w1;
        w1 = out;
        if (i < length)
            line[i * stride] = out;
    }
}

/* What becomes of a state while it settles over zeros, itself included. */
typedef struct settling {
    double values, changes; /* sums of magnitudes */
    double largest;         /* |value| */
} settling;

static settling settle(double value, double change, double change_before, double sigma)
{
    young_van_vliet v = coefficients_for(sigma);
    double state[3] = {value, change, change_before};
    settling sum = {fabs(value), fabs(change), fabs(value)};
    for (int i = 0; i < settling_length(sigma); i++) {
        sum.values += fabs(exact_step(state, 0, v));
        sum.changes += fabs(state[1]);
        sum.largest = fmax(sum.largest, fabs(state[0]));
    }
    return sum;
}

/*
 * How far the kernel may be from its own formula in double precision, for pixels 0..size; u =
 * 2^-24. In a pass pixels up to 1 give values up to v and changes up to c. A change is a sum of
 * three products, each off by 5 u of its size at most (a coefficient, a difference, a product, two
 * sums), a value by u of its own; every such error settles, and all of them add up. What a pass
 * gets wrong the next makes larger by v at most. The turn rounds three such sums of the state at
 * the last pixel, once a line, and each of the three errors settles. Where lines are cut into
 * chunks, `of_carries` is what carrying a state from one to the next gets wrong besides, in a
 * forward and in a backward pass over pixels up to 1. First order in u, so 1 % is added.
 */
static double recursion_bound(double size, double sigma, const double of_carries[2])
{
    const double u = 0x1p-24;
    young_van_vliet y = coefficients_for(sigma);
    recursion r = recursion_for(sigma);
    settling pixel = settle(y.gain, y.gain, 0, sigma); /* what a pixel of 1 leaves */
    double v = pixel.values, c = pixel.changes, bound = 0, of_turn = 0;
    for (int to = 0; to < 3; to++)
        of_turn +=
            5 * u * settle(to == 0, to == 1, to == 2, sigma).largest *
            (fabs(r.turn[to][0]) * (1 + v) + (fabs(r.turn[to][1]) + fabs(r.turn[to][2])) * c);
    double of_pass = 5 * u * settle(1, 1, 0, sigma).values *
                         (r.gain * (1 + v) + (fabs(r.near) + fabs(r.far)) * c) +
                     u * v * settle(1, 0, 0, sigma).values;
    for (int pass = 0; pass < 4; pass++) {
        bound = bound * v + size * (of_pass + (pass % 2 == 1 ? of_turn : 0) + of_carries[pass % 2]);
        size *= v;
    }
    return 1.01 * bound;
}

/*
 * How far the recursive filter may be from the Gaussian of weights g[-radius..radius], for pixels
 * 0..255. Both are weighted means, of weights h and g along a line and h h', g g' in the plane, so
 * with pixels counted from 127.5 the difference is at most 127.5 |h h' - g g'|, and |h h' - g g'|
 * <= |h - g| (|h| + |g|), where |.| is a sum of magnitudes.
 */
static double gaussian_bound(const double *g, int radius, double sigma)
{
    young_van_vliet v = coefficients_for(sigma);
    int reach = settling_length(sigma) + radius, length = 2 * reach + 1;
    double *h = (double *)allocate(length * sizeof *h), forth[3] = {0}, back[3] = {0};
    double difference = 0, size = 0;
    for (int i = 0; i < length; i++)
        h[i] = exact_step(forth, i == reach ? 1 : 0, v);
    for (int i = length - 1; i >= 0; i--) {
        int d = i - reach;
        h[i] = exact_step(back, h[i], v);
        difference += fabs(h[i] - (abs(d) <= radius ? g[radius + d] : 0));
        size += fabs(h[i]);
    }
    free(h);
    return 127.5 * difference * (size + 1);
}

#endif
