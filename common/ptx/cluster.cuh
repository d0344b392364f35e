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

/* Arrives, as all threads of all blocks of the cluster do. */
__device__ inline void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}

/* Waits until all have arrived, and what they wrote to shared memory is there for all. */
__device__ inline void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    dawdle();
}

__device__ inline void cluster_sync()
{
    cluster_arrive();
    cluster_wait();
}

/* Waits until all have come this far, and nothing more: what they wrote need not be there. */
__device__ inline void cluster_sync_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed;\n"
                 "barrier.cluster.wait;" ::
                     : "memory");
}

/* Returns where an address of shared memory lies in the cluster's block `rank`. */
__device__ inline uint32_t mapa(uint32_t address, uint32_t rank)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__device__ inline void st_shared_cluster(uint32_t there, uint32_t value)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
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
