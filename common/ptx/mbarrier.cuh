/*
 * mbarrier.cuh - barriers: those in shared memory, at which copies arrive, too ("mbarrier" in the
 * PTX ISA, compute capability 9.0), and the sixteen of a block by number. Not for CUDA on the CPU.
 *
 * An mbarrier has a phase, 0 or 1. It ends when so many threads have arrived and so many bytes have
 * been copied as were announced; mbarrier_wait(b, 0) returns once phase 0 has ended. A new
 * barrier's phase 1 counts as ended: who waits for a slot to become free passes the first time.
 */
#ifndef COMMON_MBARRIER_CUH
#define COMMON_MBARRIER_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#ifndef CUDA_ON_CPU

/*
 * Delays, with -DJITTER, a warp that has met others by up to two microseconds: what works only
 * because somebody always comes first then fails. matprod.t builds lab 2 so, too.
 */
__device__ inline void dawdle()
{
#ifdef JITTER
    unsigned now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
    __nanosleep((now + threadIdx.x / 32 * 40503u) * 2654435761u >> 21);
#endif
}

__device__ inline void mbarrier_init(uint32_t barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
                 : "memory");
}

/* Shows new barriers to the copy engine and to the cluster's other blocks. */
__device__ inline void fence_mbarrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and announces bytes that will be copied. */
__device__ inline void mbarrier_arrive_expect_tx(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

__device__ inline void mbarrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Arrives once all copies are there that the thread has started by cp.async (async_copy.cuh). */
__device__ inline void cp_async_mbarrier_arrive_noinc(uint32_t barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/*
 * Arrives at the barrier that lies at the same place in another block of the cluster. Without
 * .release: who arrives here has read, and has written nothing that somebody must see. (With it
 * lab 2's whole product took a fifth longer.)
 */
__device__ inline void mbarrier_arrive_cluster(uint32_t barrier, uint32_t rank)
{
    asm volatile("{ .reg .b32 there;\n"
                 "  mapa.shared::cluster.u32 there, %0, %1;\n"
                 "  mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}

/* Wait for the end of a phase for a while; return 1 where it has ended, else 0. What other blocks
 * of a cluster have stored (st_async() in cluster.cuh) the second one makes visible, too. */
#define MBARRIER_TRY_WAIT(NAME, SCOPE)                                                             \
    __device__ inline uint32_t NAME(uint32_t barrier, uint32_t phase)                              \
    {                                                                                              \
        uint32_t ended;                                                                            \
        asm volatile("{ .reg .pred p;\n"                                                           \
                     "  mbarrier.try_wait.parity" SCOPE ".shared::cta.b64 p, [%1], %2;\n"          \
                     "  selp.u32 %0, 1, 0, p; }"                                                   \
                     : "=r"(ended)                                                                 \
                     : "r"(barrier), "r"(phase)                                                    \
                     : "memory");                                                                  \
        return ended;                                                                              \
    }

MBARRIER_TRY_WAIT(mbarrier_try_wait, "")
MBARRIER_TRY_WAIT(mbarrier_try_wait_cluster, ".acquire.cluster")

/* Waits; what would hang, through a mistake in phases or bytes, is an error after seconds. */
template <uint32_t TRY_WAIT(uint32_t, uint32_t) = mbarrier_try_wait>
__device__ inline void mbarrier_wait(uint32_t barrier, uint32_t phase)
{
    uint32_t ended = 0;
    for (uint32_t tries = 0; !ended; tries++) {
        ended = TRY_WAIT(barrier, phase);
        if (tries > 4u * 1000 * 1000)
            __trap();
    }
    dawdle();
}

/* Waits for some of a block's warps, `threads` in all; barrier 0 is __syncthreads()'s. */
__device__ inline void named_barrier_sync(int number, int threads)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
    dawdle();
}

/* Waits likewise where a warp's threads all come at once. */
template <int THREADS>
__device__ inline void named_barrier_sync_aligned(int number)
{
    asm volatile("barrier.sync.aligned %0, %1;" ::"r"(number), "n"(THREADS) : "memory");
    dawdle();
}

/* Arrives at such a barrier and goes on; the others wait by the call before. */
template <int THREADS>
__device__ inline void named_barrier_arrive(int number)
{
    asm volatile("barrier.arrive.aligned %0, %1;" ::"r"(number), "n"(THREADS) : "memory");
}

#endif
#endif
