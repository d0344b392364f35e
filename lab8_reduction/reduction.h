/*
 * reduction.h - what lab 8's files share: buffers, which problem a run solves, variants.
 */
#ifndef LAB8_REDUCTION_H
#define LAB8_REDUCTION_H

#include "lab.h"

enum { VALUES, RESULT }; /* buffers, in layout's order */
enum { SUM, SCAN };      /* --op */
extern int op;

template <int OP>
bool makes()
{
    return op == OP;
}

/* The refusal of kernels whose blocks are of whole warps. */
inline const char *part_of_warp(const problem *, dim3 block)
{
    return block.x % 32 ? "its blocks are of whole warps" : NULL;
}

extern const variant scan_lookback_variant;             /* scan_lookback.cu */
extern const variant cub_sum_variant, cub_scan_variant; /* vendor.cu */

#endif
