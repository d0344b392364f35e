/*
 * transpose.h - what lab 9's files share: the matrices' order, the block of most rungs, variants.
 */
#ifndef LAB9_TRANSPOSE_H
#define LAB9_TRANSPOSE_H

#include "lab.h"

enum { A, B }; /* buffers, in layout's order */

/* The block of the rungs from rows_per_thread on. */
enum { THREADS = 256, WARPS = THREADS / 32 };

/* Launches the variant's kernel; in transpose.cu. */
void launch_grid(dim3 grid, const problem *p, const launch *l);

#define KERNEL(function) .kernel = (const void *)function

extern const variant wide_tile_variant, tile_order_variant; /* wide_tile.cu */
extern const variant cublas_variant;                        /* vendor.cu */

#endif
