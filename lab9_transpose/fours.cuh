/*
 * fours.cuh - four neighbours of a row at once, as far as the matrix goes.
 */
#ifndef LAB9_FOURS_CUH
#define LAB9_FOURS_CUH

#include <cuda_runtime.h>

enum { FOUR = 4, SIDE = 64 }; /* a load; a block makes 64 x 64 */

/* Loads four neighbours of row y, from x on, which is a multiple of 4; beyond an edge, zeros. Where
 * rows do not begin at multiples of 16 bytes, one by one. */
__device__ static void load_four(float (&four)[FOUR], const float *matrix, int columns, int rows,
                                 int x, int y)
{
    const float *from = matrix + y * columns + x;
    float4 loaded = {};
    if (columns % FOUR == 0 && x < columns && y < rows)
        loaded = *(const float4 *)from;
    four[0] = loaded.x, four[1] = loaded.y, four[2] = loaded.z, four[3] = loaded.w;
    if (columns % FOUR != 0)
#pragma unroll
        for (int j = 0; j < FOUR; j++)
            if (x + j < columns && y < rows)
                four[j] = from[j];
}

/* Stores them, in the same way. */
__device__ static void store_four(float *matrix, int columns, int rows, int x, int y, float4 four)
{
    float *to = matrix + y * columns + x;
    if (columns % FOUR == 0) {
        if (x < columns && y < rows)
            *(float4 *)to = four;
    } else if (y < rows) {
        const float each[FOUR] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int j = 0; j < FOUR; j++)
            if (x + j < columns)
                to[j] = each[j];
    }
}

#endif
