/*
 * panel.cuh - a panel of a product: some columns of A and as many rows of B, whose product is added
 * to C. What kernels for whole products (shape) and for panels have in common asks the functions
 * here; of a shape the compiler knows the answers.
 *
 * To be included behind the definition of shape.
 */
#ifndef LAB2_PANEL_CUH
#define LAB2_PANEL_CUH

#include <stdint.h>

/* Of k, `depth`, rows of A lie `pitch` apart. To the first panel's sums nothing is added. */
struct panel : shape {
    int pitch;
    bool first;
};

/* How far A's rows lie apart. */
__device__ inline int pitch_of(shape s)
{
    return s.depth;
}

__device__ inline int pitch_of(panel s)
{
    return s.pitch;
}

/* Does A begin, or a row of it, elsewhere than at 16 bytes, though its length is one of four? */
__device__ inline bool has_odd_rows(const float *, shape)
{
    return false;
}

__device__ inline bool has_odd_rows(const float *a, panel s)
{
    return s.pitch % 4 || (uintptr_t)a % sizeof(float4);
}

/* Has C sums already, to which these are added? */
__device__ inline bool adds(shape)
{
    return false;
}

__device__ inline bool adds(panel s)
{
    return !s.first;
}

#endif
