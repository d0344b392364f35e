/*
 * edges.cuh - reading and writing matrices of any size by tiles: beyond the edge there are zeros,
 * and nothing is stored there.
 */
#ifndef LAB2_EDGES_CUH
#define LAB2_EDGES_CUH

#include "matprod.h"

constexpr int THREADS = 256; /* of a block that makes a tile */

/* Returns the thread's number in its block, or among any THREADS in a row of a larger one. */
__device__ inline int thread_number()
{
    return (threadIdx.y * blockDim.x + threadIdx.x) % THREADS;
}

/* Returns A[y][k], or B[k][x]; zero beyond the edge. */
__device__ inline float a_at(const float *a, shape s, int y, int k)
{
    return y < s.height && k < s.depth ? a[y * s.depth + k] : 0;
}

__device__ inline float b_at(const float *b, shape s, int k, int x)
{
    return k < s.depth && x < s.width ? b[k * s.width + x] : 0;
}

/* Stores C[y][x], if it is inside. */
__device__ inline void set_c(float *c, shape s, int y, int x, float value)
{
    if (y < s.height && x < s.width)
        c[y * s.width + x] = value;
}

constexpr int PAD = 4; /* words behind a row of A on its side: who stores it has other banks then */

/* Do all rows of A and B begin at multiples of 16 bytes, so that float4 may be used? */
__device__ inline bool in_fours(shape s)
{
    return s.depth % 4 == 0 && s.width % 4 == 0;
}

/* Returns four neighbours in a row of a matrix, zero beyond its edge. */
__device__ inline float4 four_at(const float *matrix, int rows, int columns, int y, int x,
                                 bool fours)
{
    float4 v = {0, 0, 0, 0};
    const float *from = matrix + y * columns + x;
    if (y < rows && fours && x < columns)
        v = *(const float4 *)from;
    else if (y < rows) {
        v.x = x < columns ? from[0] : 0;
        v.y = x + 1 < columns ? from[1] : 0;
        v.z = x + 2 < columns ? from[2] : 0;
        v.w = x + 3 < columns ? from[3] : 0;
    }
    return v;
}

/* Stores four neighbours in C, if they are inside. */
__device__ inline void set_four(float *c, shape s, int y, int x, const float v[4], bool fours)
{
    if (fours && y < s.height && x < s.width)
        *(float4 *)(c + y * s.width + x) = {v[0], v[1], v[2], v[3]};
    for (int j = 0; j < 4 && !fours; j++)
        set_c(c, s, y, x + j, v[j]);
}

/* Adds to a sum, or to four, what other blocks have written. */
template <int WIDTH>
__device__ inline void add_columns(float sum[WIDTH], const float *from)
{
    if constexpr (WIDTH == 4) {
        const float4 v = __ldcg((const float4 *)from);
        sum[0] += v.x, sum[1] += v.y, sum[2] += v.z, sum[3] += v.w;
    } else
        sum[0] += __ldcg(from);
}

template <int WIDTH>
__device__ inline void store_columns(float *to, const float sum[WIDTH])
{
    if constexpr (WIDTH == 4)
        *(float4 *)to = {sum[0], sum[1], sum[2], sum[3]};
    else
        *to = sum[0];
}

/* Loads four neighbours from shared memory. */
__device__ inline void load_four(float to[4], const float *from)
{
    float4 v = *(const float4 *)from;
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

#endif
