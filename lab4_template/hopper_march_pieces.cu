/*
 * hopper_march_pieces.cu - hopper_march for templates of several pieces: products alone, which are
 * added to the map.
 */
#ifndef CUDA_ON_CPU

#include "hopper_kernels.h"
#include "hopper_march.cuh"

const void *march_pieces_kernel(void)
{
    return is_wide() ? (const void *)hopper_march<false, uint64_t>
                     : (const void *)hopper_march<false, uint32_t>;
}

#endif
