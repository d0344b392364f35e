/*
 * hopper_tile.h - which of its kernels tensor_int8_hopper takes (hopper_tile.cu).
 */
#ifndef LAB4_HOPPER_TILE_H
#define LAB4_HOPPER_TILE_H

#include "pieces.cuh"

/* Says whether the kernels make the sums of squares, too. */
static inline bool is_fused(void)
{
    return template_width == PIECE_SIDE && template_height == PIECE_SIDE;
}

/* Returns hopper_tile's instance for the current settings, with hopper_march's arguments. */
const void *hopper_tile_kernel(void);

#endif
