/*
 * transfer.h - ways for data to get to the GPU and back, and how long a run takes with them.
 */
#ifndef COMMON_TRANSFER_H
#define COMMON_TRANSFER_H

#include "command_line/options.h"
#include "measure/buffers.h"
#include "measure/variant.h"
#include "pipeline.h"

/* A problem's buffers in the memory that a transfer mode asks for. */
typedef struct transfer {
    transfer_mode mode;
    const problem *problem;
    void *host[LAB_MAX_BUFFERS];   /* what host code touches, pinned or managed; NULL: p's own */
    void *device[LAB_MAX_BUFFERS]; /* what kernels get */
    pipeline parts;                /* TRANSFER_OVERLAPPED: a part of the vectors is an item */
} transfer;

/*
 * Allocates the buffers. `sets` lends its first set where a mode copies into device memory. Returns
 * NULL, or why this device cannot do it, as a phrase: no room, no managed memory.
 */
const char *transfer_create(transfer *t, transfer_mode mode, const problem *p,
                            const device_sets *sets);
void transfer_free(transfer *t);

/*
 * One run from end to end, by the host's clock: inputs that lie in host memory to outputs that host
 * code can read there. Allocation is not counted. In the managed modes
 * host code has written the inputs just before, and reads a byte of every page of the outputs.
 * Afterwards the outputs lie in the problem's host buffers, to be checked. `b` is bound to
 * t->device. Returns seconds.
 */
double transfer_run(transfer *t, const runner *r, const binding *b);

/*
 * Seconds; NaN for what the mode does not copy. `both_s`, of a stream alone: both ways at once.
 * `noise`: as in rows, the noisier way's.
 */
typedef struct copy_times {
    double in_s, out_s, both_s, noise;
} copy_times;

/*
 * The copies of a run by themselves, without its kernel: the inputs' way in and the outputs' way
 * out, medians of several, by the host's clock from an idle stream to an idle stream. What the
 * outputs' host memory holds afterwards means nothing.
 */
copy_times transfer_time_copies(const transfer *t, cudaStream_t stream);

#endif
