/*
 * transpose.h - what lab 9's files share: the matrices' order, and the library's variant.
 */
#ifndef LAB9_TRANSPOSE_H
#define LAB9_TRANSPOSE_H

#include "lab.h"

enum { A, B }; /* buffers, in layout's order */

extern const variant cublas_variant; /* vendor.cu */

#endif
