/*
 * young_van_vliet.h - the coefficients of the recursive Gaussian filter (recursive_step.cuh), and
 * the filter's step in double precision, by which maps and bounds are worked out. For .cu files.
 */
#ifndef LAB7_YOUNG_VAN_VLIET_H
#define LAB7_YOUNG_VAN_VLIET_H

#include <math.h>
#include <stdlib.h>

#include "gaussian.cuh"
#include "process/die.h"
#include "recursive_step.cuh"

#define RECURSIVE_SIGMA_MIN 0.5 /* the paper's formula for q starts there */

typedef struct young_van_vliet {
    double gain, b1, b2, b3;
} young_van_vliet;

/* Returns what equations (8c), (10) and (11b) of the paper give. */
static inline young_van_vliet coefficients_for(double sigma)
{
    double q =
        sigma >= 2.5 ? 0.98711 * sigma - 0.96330 : 3.97156 - 4.14554 * sqrt(1 - 0.26891 * sigma);
    double b0 = 1.57825 + 2.44413 * q + 1.4281 * q * q + 0.422205 * q * q * q;
    double b1 = (2.44413 * q + 2.85619 * q * q + 1.26661 * q * q * q) / b0;
    double b2 = -(1.4281 * q * q + 1.26661 * q * q * q) / b0;
    double b3 = 0.422205 * q * q * q / b0;
    return {1 - b1 - b2 - b3, b1, b2, b3};
}

/* Returns after how many pixels less than 1e-10 is left of what the filter knew before. */
static inline int settling_length(double sigma)
{
    return (int)(25 * sigma) + 50;
}

/* Takes a state on by a pixel, in double precision; returns the value. */
static inline double exact_step(double state[3], double in, young_van_vliet v)
{
    double change = v.gain * (in - state[0]) - (v.b2 + v.b3) * state[1] - v.b3 * state[2];
    state[0] += change;
    state[2] = state[1];
    state[1] = change;
    return state[0];
}

/* Applies the turn's map to one state: on over zeros until all is settled, and back. */
static inline void turn_around(double state[3], double sigma, young_van_vliet v)
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

/* Returns what the kernels need for a sigma of RECURSIVE_SIGMA_MIN or more, else zeros. */
static inline recursion recursion_for(double sigma)
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

/* Refuses a sigma for which there are no coefficients. */
static inline const char *refuse_recursive(const problem *, dim3)
{
    bool fits = gauss.sigma >= RECURSIVE_SIGMA_MIN;
    return fits ? NULL : "its coefficients are for a sigma of 0.5 or more";
}

/* ---- how errors settle ---------------------------------------------------------------------- */

/* What becomes of a state while it settles over zeros, itself included. */
typedef struct settling {
    double values, changes; /* sums of magnitudes */
    double largest;         /* |value| */
} settling;

/* Follows a state until it has settled. */
static inline settling settle(double value, double change, double change_before, double sigma)
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

#endif
