/*
 * occupancy.h - how many blocks of a kernel a multiprocessor (SM) holds at once, and why not more.
 *
 * Needs no GPU: a card is a row of a table. From compute capability 3.5 on, the rules are
 * those of cuda_occupancy.h, plain C that comes with the CUDA Toolkit; a build without the toolkit
 * has only those of the cards before, which are written down here (see occupancy.c).
 */
#ifndef COMMON_OCCUPANCY_H
#define COMMON_OCCUPANCY_H

#include <cuda_runtime_api.h>
#include <stddef.h>

/*
 * What a card's multiprocessor has, as the runtime tells it of a device: capability, threads,
 * registers and shared memory. "sm_86" stands for a compute capability ("sm_90a" is "sm_90"), or a
 * name such as "nvidia-h200" or "tesla-c2050". Any other name is bad input.
 */
const struct cudaDeviceProp *occupancy_card(const char *name);

typedef struct occupancy {
    int blocks_per_sm; /* resident at once, as are the next two; 0: the card cannot launch it */
    int warps_per_sm, threads_per_sm; /* threads in whole warps */
    double share;                     /* resident warps over the most the SM holds, 0..1 */
    const char *limiter; /* warps, registers, shared_memory, blocks, barriers; joined by '+' */
} occupancy;

/*
 * The occupancy of a kernel with `registers` per thread, `shared_bytes` of static and dynamic
 * shared memory per block and `threads` per block. Returns NULL; or a phrase that says why it
 * cannot be told, and *result is then {-1, -1, -1, NaN, ""}. The limiter lies in static memory
 * until the next call.
 */
const char *occupancy_of(const struct cudaDeviceProp *card, int registers, size_t shared_bytes,
                         int threads, occupancy *result);

/* Fills in what follows from so many resident blocks: blocks, warps, threads and share. */
void occupancy_set_blocks(occupancy *o, const struct cudaDeviceProp *card, int threads, int blocks);

#endif
