/*
 * ring.cuh - stages of shared memory in a ring, which some threads copy into and others multiply
 * from: a stage has an mbarrier for full and one for empty.
 */
#ifndef LAB2_RING_CUH
#define LAB2_RING_CUH

#include "ptx/mbarrier.cuh"

#ifndef CUDA_ON_CPU

/* A ring, and the place in it at which a thread stands. */
typedef struct ring {
    uint32_t stages, full, empty; /* addresses of the first ones */
    int stage, phase;
} ring;

/* Makes the barriers for full stages. One thread does it. */
__device__ inline void create_full(const ring *r, int stages)
{
    for (int i = 0; i < stages; i++)
        mbarrier_init(r->full + 8 * i, 1);
    fence_mbarrier_init();
}

/* Makes all barriers; a stage is full when `copiers` threads have said so, and empty when
 * `releases` have. One thread does it. */
__device__ inline void create_ring(const ring *r, int stages, int releases, int copiers = 1)
{
    for (int i = 0; i < stages; i++) {
        mbarrier_init(r->full + 8 * i, copiers);
        mbarrier_init(r->empty + 8 * i, releases);
    }
    fence_mbarrier_init();
}

__device__ inline void ring_advance(ring *r, int by, int stages)
{
    r->stage += by;
    if (r->stage == stages) {
        r->stage = 0;
        r->phase ^= 1;
    }
}

#endif
#endif
