/*
 * vecadd.h - what lab 1's files share: the vectors' order, and the library's variant.
 */
#ifndef LAB1_VECADD_H
#define LAB1_VECADD_H

#include "lab.h"

enum { A, B, C }; /* buffers, in layout's order */

extern const variant cub_variant; /* vendor.cu */

#endif
