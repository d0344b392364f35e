/*
 * power_of_two.cuh - 2^x by the hardware's instruction alone. For .cu files.
 */
#ifndef COMMON_POWER_OF_TWO_CUH
#define COMMON_POWER_OF_TWO_CUH

#include <math.h>

/* exp2f() adds instructions, for results below the normal floats; here they are 0. */
__device__ inline float power_of_two(float x)
{
#ifdef __CUDA_ARCH__
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
#else
    return exp2f(x);
#endif
}

#endif
