/*
 * hopper_march_ncc.cu - hopper_march for ncc and zncc: the sums of squares, for zncc those of
 * pixels, too, and the measure in the same kernel.
 */
#ifndef CUDA_ON_CPU

#include "hopper_kernels.h"
#include "hopper_march.cuh"

const void *march_ncc_kernel(void)
{
    return measure == ZNCC ? (const void *)hopper_march<true, uint32_t, ZNCC>
                           : (const void *)hopper_march<true, uint32_t, NCC>;
}

#endif
