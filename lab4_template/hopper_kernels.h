/*
 * hopper_kernels.h - which of its kernels tensor_int8_hopper takes: hopper_tile.cu for small maps,
 * hopper_march.cuh for large ones. All take (map, hopper_job).
 */
#ifndef LAB4_HOPPER_KERNELS_H
#define LAB4_HOPPER_KERNELS_H

#include "pieces.cuh"

/* Says whether the kernels make the sums of squares, too. */
static inline bool is_fused(void)
{
    return template_width == PIECE_SIDE && template_height == PIECE_SIDE;
}

/* Return the instance for the current settings: of hopper_tile; of hopper_march where it is not
 * fused; where it is, for ncc and zncc. */
const void *hopper_tile_kernel(void);
const void *march_pieces_kernel(void);
const void *march_ncc_kernel(void);

#endif
