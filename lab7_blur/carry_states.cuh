/*
 * carry_states.cuh - a kernel of recursive_chunks.cu: from what each chunk of a line leaves by
 * itself to the states that come into the chunks, forward and backward.
 *
 *   a line's chunks   | 0 1 2 3 4 5 6 7 | 8 9 10 .. 15 | 16 ..   SPAN of them a thread
 *   forward, first    | ------> left[0] | ---> left[1] | ..      each thread from nothing
 *   then              | ------------->  | ---------->  | ..      from what all before it left
 *   backward          the same from the line's other end
 *
 * A line's states lie in `carries`: 6 numbers a chunk, 3 forward and 3 backward; neighbours in
 * memory are of neighbouring lines.
 */
#ifndef LAB7_CARRY_STATES_CUH
#define LAB7_CARRY_STATES_CUH

#include <cuda_runtime.h>

#include "blur.h"
#include "chunk_maps.h"

enum {
    SPANS_MAX = (SIDE_MAX / CHUNK + SPAN - 1) / SPAN,
    CARRY_LINES = 16 /* a block */
};

/* Returns where the k-th of a chunk's 6 numbers lies. */
__device__ inline float *carry_at(float *carries, int chunk, int k, int lines, int line)
{
    return carries + (chunk * 6 + k) * lines + line;
}

/* Adds a state's image: to += map from. */
__device__ inline void add_mapped(float *to, const float (*map)[3], const float *from)
{
#pragma unroll
    for (int i = 0; i < 3; i++)
        to[i] += map[i][0] * from[0] + map[i][1] * from[1] + map[i][2] * from[2];
}

/* Carries a state on: state = map state + sum. */
__device__ inline void carry(float *state, const float (*map)[3], const float *sum)
{
    float next[3] = {sum[0], sum[1], sum[2]};
    add_mapped(next, map, state);
#pragma unroll
    for (int k = 0; k < 3; k++)
        state[k] = next[k];
}

/* Loads the 3 numbers from `first` on of each chunk of a span, `c` being the span's first chunk. */
__device__ inline void load_span(float (*sums)[3], float *carries, int c, int count, int first,
                                 int lines, int line)
{
#pragma unroll
    for (int i = 0; i < SPAN; i++)
#pragma unroll
        for (int k = 0; k < 3; k++)
            sums[i][k] = i < count ? *carry_at(carries, c + i, first + k, lines, line) : 0;
}

/* Stores them. */
__device__ inline void store_span(float *carries, float (*states)[3], int c, int count, int first,
                                  int lines, int line)
{
#pragma unroll
    for (int i = 0; i < SPAN; i++)
#pragma unroll
        for (int k = 0; k < 3; k++)
            if (i < count)
                *carry_at(carries, c + i, first + k, lines, line) = states[i][k];
}

/*
 * Takes a state through a span's `count` chunks, from the first or from the last one on; if told
 * to, puts in place of each chunk's sums the state that comes into it.
 */
__device__ inline void carry_through(float *state, float (*sums)[3], int count, bool is_backward,
                                     bool keeps, const chunk_maps &maps)
{
#pragma unroll
    for (int step = 0; step < SPAN; step++) {
        const int i = is_backward ? SPAN - 1 - step : step;
        if (i < count) {
            const float in[3] = {state[0], state[1], state[2]};
            carry(state, maps.through_chunk, sums[i]);
#pragma unroll
            for (int k = 0; k < 3; k++)
                sums[i][k] = keeps ? in[k] : sums[i][k];
        }
    }
}

/* What each span of a block's lines leaves; a line's threads stand below each other. */
typedef float span_states[SPANS_MAX][CARRY_LINES][3];

/*
 * Carries in one direction: through each span from nothing, the one where the line starts from
 * `start`; then adds up in `start` what the spans before this one left, and goes through the span
 * again, for good.
 */
__device__ inline void carry_line(float *start, float (*sums)[3], int count, bool is_backward,
                                  span_states left, const chunk_maps &maps)
{
    const int span = threadIdx.y, next = is_backward ? -1 : 1;
    const int first = is_backward ? blockDim.y - 1 : 0;
    float state[3] = {0, 0, 0};
#pragma unroll
    for (int k = 0; k < 3; k++)
        state[k] = span == first ? start[k] : 0;
    carry_through(state, sums, count, is_backward, false, maps);
#pragma unroll
    for (int k = 0; k < 3; k++)
        left[span][threadIdx.x][k] = state[k];
    __syncthreads();
    for (int i = first; i != span; i += next)
        if (i == first) /* this one's start is in what it left */
#pragma unroll
            for (int k = 0; k < 3; k++)
                start[k] = left[i][threadIdx.x][k];
        else
            carry(start, maps.through_span, left[i][threadIdx.x]);
    carry_through(start, sums, count, is_backward, true, maps);
}

/*
 * carry_states: thread (x, i) takes line x through its i-th SPAN of chunks, forward and backward;
 * the first pixel of the line is pixels[x * line_step], the last one `last_at` behind it. The
 * states that come into the chunks go where the chunks' sums were. Block CARRY_LINES x spans of a
 * line.
 */
__global__ void __launch_bounds__(CARRY_LINES *SPANS_MAX)
    carry_states(float *carries, const float *pixels, int lines, int line_step, int last_at,
                 int chunks, const __grid_constant__ chunk_maps maps)
{
    __shared__ span_states left_forward, left_backward;
    __shared__ float turned[CARRY_LINES][3];
    const int x = blockIdx.x * CARRY_LINES + threadIdx.x, line = min(x, lines - 1);
    const int c = threadIdx.y * SPAN, count = min(SPAN, chunks - c);
    const float first = pixels[line * line_step], last = pixels[line * line_step + last_at];
    float forward[SPAN][3], backward[SPAN][3], state[3] = {first, 0, 0};
    load_span(forward, carries, c, count, 0, lines, line);
    load_span(backward, carries, c, count, 3, lines, line);
    carry_line(state, forward, count, false, left_forward, maps);
    if (threadIdx.y == blockDim.y - 1) {
        const float off[3] = {state[0] - last, state[1], state[2]};
        float at_end[3] = {last, 0, 0};
        add_mapped(at_end, maps.filter.turn, off);
#pragma unroll
        for (int k = 0; k < 3; k++)
            turned[threadIdx.x][k] = at_end[k];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SPAN; i++)
        add_mapped(backward[i], maps.forward_to_backward, forward[i]);
#pragma unroll
    for (int k = 0; k < 3; k++)
        state[k] = turned[threadIdx.x][k];
    carry_line(state, backward, count, true, left_backward, maps);
    if (x < lines) {
        store_span(carries, forward, c, count, 0, lines, line);
        store_span(carries, backward, c, count, 3, lines, line);
    }
}

#endif
