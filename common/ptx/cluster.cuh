/*
 * cluster.cuh - blocks of a cluster, which meet and reach each other's shared memory (compute
 * capability 9.0; PTX ISA, "barrier.cluster", "mapa"). Not for CUDA on the CPU.
 */
#ifndef COMMON_CLUSTER_CUH
#define COMMON_CLUSTER_CUH

#include "mbarrier.cuh" /* dawdle() */

#ifndef CUDA_ON_CPU

/* A function that returns a special register. */
#define SPECIAL_REGISTER(NAME, REGISTER)                                                           \
    __device__ inline uint32_t NAME()                                                              \
    {                                                                                              \
        uint32_t value;                                                                            \
        asm volatile("mov.u32 %0, %%" REGISTER ";" : "=r"(value));                                 \
        return value;                                                                              \
    }

/* The block's number in its cluster, and how many blocks that has. */
SPECIAL_REGISTER(cluster_ctarank, "cluster_ctarank")
SPECIAL_REGISTER(cluster_nctarank, "cluster_nctarank")

/* The cluster's number, and how many there are, in a grid of one dimension. */
SPECIAL_REGISTER(clusterid_x, "clusterid.x")
SPECIAL_REGISTER(nclusterid_x, "nclusterid.x")

/*
 * Arrives, as all threads of all blocks of the cluster do, and tells of new mbarriers behind
 * fence_mbarrier_init(), but of nothing else that was written. (With .release it would, by a fence
 * for all of memory: lab 2's split waited for that an eighth of its time. st_async() tells faster.)
 */
__device__ inline void cluster_arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}

/* Waits until all have arrived. */
__device__ inline void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    dawdle();
}

/* Waits until all have come this far, and what they wrote to shared memory is there for all. */
__device__ inline void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    cluster_wait();
}

/* Waits until all have come this far, and nothing more: what they wrote need not be there. */
__device__ inline void cluster_sync_relaxed()
{
    cluster_arrive_relaxed();
    cluster_wait();
}

/* Returns where an address of shared memory lies in the cluster's block `rank`. */
__device__ inline uint32_t mapa(uint32_t address, uint32_t rank)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

/*
 * Stores 4 bytes in the shared memory of a block of the cluster, and tells the mbarrier there that
 * they have come; both addresses are mapa()'s. The barrier is made, with one arrival, before
 * cluster_arrive_relaxed(), and await_stores() waits for its phase 0.
 */
__device__ inline void st_async(uint32_t there, uint32_t value, uint32_t barrier)
{
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there),
        "r"(value), "r"(barrier)
        : "memory");
}

/* Waits until so many bytes have been stored here so. Everybody calls it. */
__device__ inline void await_stores(uint32_t barrier, uint32_t bytes)
{
    if (threadIdx.x == 0)
        mbarrier_arrive_expect_tx(barrier, bytes);
    mbarrier_wait<mbarrier_try_wait_cluster>(barrier, 0);
}

__device__ inline float4 ld_shared_cluster_v4(uint32_t there)
{
    float4 v;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(there)
                 : "memory");
    return v;
}

#endif
#endif
