/*
 * recursive_step.cuh - one step of the recursive Gaussian filter.
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
 * IEEE Trans. Signal Processing 54, 2006). young_van_vliet.h works out all these numbers.
 */
#ifndef LAB7_RECURSIVE_STEP_CUH
#define LAB7_RECURSIVE_STEP_CUH

#include <cuda_runtime.h>

typedef struct recursion {
    float gain, near, far;
    float turn[3][3]; /* [to][from] */
} recursion;

typedef struct line_state {
    float value, change, change_before; /* w[n], w[n] - w[n-1], w[n-1] - w[n-2] */
} line_state;

/* Takes a state on by a pixel. */
__device__ inline void step(line_state *state, float in, recursion r)
{
    float change =
        r.gain * (in - state->value) + (r.near * state->change + r.far * state->change_before);
    state->value += change;
    state->change_before = state->change;
    state->change = change;
}

#endif
