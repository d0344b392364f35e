/*
 * async_rows.h - async_rows on some rows of a picture, for those who divide a picture's rows.
 */
#ifndef LAB5_ASYNC_ROWS_H
#define LAB5_ASYNC_ROWS_H

#include <cuda_runtime.h>
#include <stdint.h>

#include "gaussian.cuh"
#include "lab.h"

/* The rows that are made; others are only read. */
struct row_range {
    int first, end;
};

/* What a variant that calls filter_strips() has as its kernel_for, shared_bytes and refuse. */
const void *async_rows_kernel(dim3 block);
size_t rings_bytes(const problem *p, dim3 block);
const char *refuse_parts_of_warps(const problem *p, dim3 block);

/* Filters `rows` of a picture of shape `s` with l's kernel and block, on `stream`. */
void filter_strips(const launch *l, cudaStream_t stream, const uint8_t *in, uint8_t *out, shape s,
                   row_range rows);

#endif
