/*
 * waits.cu - waiting: for a load, for a launch, for a block to start or to end. Before each kernel
 * stands what is expected of it, and where the number is from (sources: ceilings.h).
 */
#include "ceilings.h"
#include "steps.h"

/*
 * chase: x is a ring, each word the index of the next, in an order that no cache foresees. Thread 0
 * of block 0 follows it: HOPS loads, each of which waits for the one before; every HOPS / STOPS of
 * them, a prime number, it notes where it is. Before, all blocks read up to NEAR words, so that
 * they lie in the L2 cache, and the first CHUNK in block 0's L1 cache. Of a longer ring memory is
 * to answer: they read SPILL words behind it, which drives out of the L2 cache what the run before
 * had left there. So the times are the same on hot and on cold data. In the loop: LDG and the
 * IMAD.WIDE that makes an address of an index, which belongs to a hop as it does to any lookup.
 * Expected [micro]: 41 clocks from the L1 cache, 263 from the L2 cache, 479 from memory: 21, 133
 * and 242 ns at 1.98 GHz, and two or three more for the address. Any block, best of 1024 threads.
 */
__global__ void chase(const float *x, float *y, int n)
{
    const uint32_t *next = (const uint32_t *)x;
    int words = ring_words(n), spill = words > NEAR ? words : 0;
    const uint4 *near = (const uint4 *)(next + spill) + blockIdx.x * (CHUNK / 4);
    uint32_t any = 0, at = 0;
    for (int i = threadIdx.x; i < CHUNK / 4 && i < words / 4; i += blockDim.x)
        any |= near[i].x | near[i].y | near[i].z | near[i].w;
    if (any >> 31) /* never: it keeps the loads */
        y[0] = 0;
    __syncthreads();
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    for (int stop = 0; stop < STOPS; stop++) {
#pragma unroll 16
        for (int hop = 0; hop < HOPS / STOPS; hop++)
            at = next[at];
        ((uint32_t *)y)[stop] = at;
    }
}

static void launch_chase(const problem *p, const launch *l)
{
    int words = ring_words(p->width);
    launch_blocks(blocks_for(words > NEAR ? SPILL : words, CHUNK), p, l);
}

const variant chase_variant =
    GPU_VARIANT("chase", "latency: each load says where the next one is", launch_chase,
                KERNEL(chase), .applies = measures<LATENCY>);

/*
 * empty: what launching costs: one thread writes two words, so that it shows that it ran. Expected:
 * in a graph, one after the other, 1 to 2 us; alone, between two events, some more. Any block.
 */
__global__ void empty(const float *, float *y, int n)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *(uint2 *)y = {(uint32_t)n, ~(uint32_t)n};
}

static void launch_empty(const problem *p, const launch *l)
{
    launch_blocks(1, p, l);
}

const variant alone_variant =
    GPU_VARIANT("alone", "launch: one at a time, between two events", launch_empty, KERNEL(empty),
                .applies = measures<LAUNCH>, .singly = true);
const variant graph_variant = GPU_VARIANT("graph", "launch: one after the other in a graph",
                                          launch_empty, KERNEL(empty), .applies = measures<LAUNCH>);

/*
 * start, late: n blocks of which the first thread writes a word; in `late` after LATE_STEPS loads
 * from L1 that wait for each other, 51 clocks with their additions (chase, imad). A nanosecond's
 * blocks are gop_per_s. Expected of `start`: no source tells; a block a clock would be 1.98 a
 * nanosecond on an H200, and large blocks wait for room for all their warps. Expected of `late`: a
 * multiprocessor has room for 32 blocks, or 2048 threads. If a block's place is empty only when its
 * last warp has ended, 32 blocks of up to 64 threads or 2 of 1024 are under way for 13056 clocks
 * and what starting takes: 0.64 and 0.04 a nanosecond at most. If those of ended warps are empty at
 * once, more of the large ones are. Any block.
 */
template <int STEPS>
__global__ void start_blocks(const float *x, float *y, int n)
{
    if (threadIdx.x > 0)
        return;
    uint32_t v = blockIdx.x, first = (uint32_t)n >> 31; /* 0, which the compiler cannot know */
    for (int k = 0; k < STEPS; k++)
        v += ((const uint32_t *)x)[v & first];
    ((uint32_t *)y)[blockIdx.x] = v;
}

static void launch_starts(const problem *p, const launch *l)
{
    launch_blocks(p->width, p, l);
}

static const own_check late_blocks = {.way = 1};

const variant start_variant = GPU_VARIANT("start", "blocks: each writes a word", launch_starts,
                                          KERNEL(start_blocks<0>), .applies = measures<BLOCKS>);
const variant late_variant =
    GPU_VARIANT("late", "blocks: one warp of each ends late", launch_starts,
                KERNEL(start_blocks<LATE_STEPS>), .applies = measures<BLOCKS>, .own = &late_blocks);
