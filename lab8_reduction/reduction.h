/*
 * reduction.h - what lab 8's files share: buffers, which problem a run solves, CUB's variants.
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

extern const variant cub_sum_variant, cub_scan_variant; /* vendor.cu */

#endif
