/*
 * chunk_maps.h - what a chunk of a line does to the recursive filter's state: the numbers with
 * which recursive_chunks.cu carries states from chunk to chunk, and how far that may be off. For
 * .cu files.
 *
 * All is linear. What leaves a chunk at its end is what came in, carried through CHUNK pixels of 0,
 * plus what the chunk's own pixels leave from nothing, a sum with weights that are known
 * beforehand. Backward it is the same, plus what the forward state that came in has left in the
 * chunk.
 */
#ifndef LAB7_CHUNK_MAPS_H
#define LAB7_CHUNK_MAPS_H

#include <math.h>

#include "recursive_step.cuh"
#include "young_van_vliet.h"

constexpr int CHUNK = 64; /* pixels of a line that a thread filters */
constexpr int SPAN = 8;   /* chunks of a line through which a thread carries a state */

/* The kernels' parameter, which lies in constant memory. Maps are [to][from]. */
typedef struct chunk_maps {
    recursion filter;
    float forward_weights[CHUNK][3];  /* what a pixel of 1 leaves at the chunk's end */
    float backward_weights[CHUNK][3]; /* and at its start */
    float through_chunk[3][3];        /* a state, in either direction */
    float forward_to_backward[3][3];  /* a forward state that came in: what it leaves backward */
    float through_span[3][3];         /* through_chunk, SPAN times */
} chunk_maps;

/* Returns the chunks of a line. */
__host__ __device__ static inline int chunks_of(int length)
{
    return (length + CHUNK - 1) / CHUNK;
}

/* Takes a state forward through a chunk, and another backward from nothing over what that made. */
static inline void filter_chunk(double forward[3], double backward[3], const double *pixels,
                                young_van_vliet v)
{
    double values[CHUNK];
    for (int i = 0; i < CHUNK; i++)
        values[i] = exact_step(forward, pixels[i], v);
    backward[0] = backward[1] = backward[2] = 0;
    for (int i = CHUNK - 1; i >= 0; i--)
        exact_step(backward, values[i], v);
}

/* Returns the maps for a sigma of RECURSIVE_SIGMA_MIN or more, else zeros. */
static inline chunk_maps chunk_maps_for(double sigma)
{
    chunk_maps maps = {};
    if (sigma < RECURSIVE_SIGMA_MIN)
        return maps;
    maps.filter = recursion_for(sigma);
    young_van_vliet v = coefficients_for(sigma);
    for (int from = 0; from < CHUNK + 3; from++) { /* a pixel, then a part of the state */
        bool pixel = from < CHUNK;
        int part = from - CHUNK;
        double pixels[CHUNK] = {0}, forward[3] = {0}, backward[3];
        (pixel ? pixels[from] : forward[part]) = 1;
        filter_chunk(forward, backward, pixels, v);
        for (int to = 0; to < 3; to++) {
            (pixel ? maps.forward_weights[from][to] : maps.through_chunk[to][part]) =
                (float)forward[to];
            (pixel ? maps.backward_weights[from][to] : maps.forward_to_backward[to][part]) =
                (float)backward[to];
        }
        for (int i = CHUNK; i < SPAN * CHUNK; i++)
            exact_step(forward, 0, v);
        for (int to = 0; to < 3 && !pixel; to++)
            maps.through_span[to][part] = (float)forward[to];
    }
    return maps;
}

/* ---- how far carrying may be off ------------------------------------------------------------ */

/*
 * Returns what an error of 1 in a part of the state that comes into a chunk can do to a pixel, if
 * each chunk makes one: such an error settles, and all of them add up.
 */
static inline double settled_errors(int part, double sigma)
{
    young_van_vliet v = coefficients_for(sigma);
    double state[3] = {0}, sums[CHUNK] = {0}, most = 0;
    state[part] = 1;
    for (int i = 0; i < settling_length(sigma); i++) {
        sums[i % CHUNK] += fabs(state[0]);
        most = fmax(most, sums[i % CHUNK]);
        exact_step(state, 0, v);
    }
    return most;
}

/*
 * Works out recursion_bound()'s `carry_errors`, for pixels up to 1. A chunk's sum of CHUNK products
 * is off by CHUNK + 1 u of its size (the weight is rounded, too) and takes part in two further
 * sums; the products of a map and a state that came in go through 6 roundings at most.
 */
static inline void carries_bound(double carry_errors[2], double sigma)
{
    chunk_maps maps = chunk_maps_for(sigma);
    young_van_vliet y = coefficients_for(sigma);
    settling pixel = settle(y.gain, y.gain, 0, sigma);
    const double sizes[3] = {pixel.values, pixel.changes, pixel.changes};
    carry_errors[0] = carry_errors[1] = 0;
    for (int to = 0; to < 3; to++) {
        double forward = 0, backward = 0, errors = 0x1p-24 * settled_errors(to, sigma);
        for (int i = 0; i < CHUNK; i++) {
            forward += (CHUNK + 3) * fabs(maps.forward_weights[i][to]);
            backward += (CHUNK + 3) * fabs(maps.backward_weights[i][to]);
        }
        for (int from = 0; from < 3; from++) {
            double carried = fabs(maps.through_chunk[to][from]) + fabs(maps.through_span[to][from]);
            forward += 6 * carried * sizes[from];
            backward += 6 * (carried + fabs(maps.forward_to_backward[to][from])) * sizes[from];
        }
        carry_errors[0] += errors * forward;
        carry_errors[1] += errors * backward;
    }
}

#endif
