/*
 * histogram.h - what lab 10's files share: the buffers' order, and the library's variant.
 */
#ifndef LAB10_HISTOGRAM_H
#define LAB10_HISTOGRAM_H

#include "lab.h"

constexpr int BINS = 256;
enum { DATA, COUNTS }; /* buffers, in layout's order */

extern const variant cub_variant; /* vendor.cu */

#endif
