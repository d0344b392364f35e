/*
 * hopper.cuh - what a kernel for compute capability 9.0 needs beside its instructions, which are in
 * mbarrier.cuh, cluster.cuh, tma.cuh and wgmma.cuh, each under its name in the PTX ISA: whether a
 * build has it, and its launch in clusters, behind the kernel before.
 *
 * wgmma is of sm_90a alone, no later card has it: kernels have a body in HOPPER_CODE only, and
 * elsewhere none, which hopper_refuses() tells of them.
 */
#ifndef COMMON_HOPPER_CUH
#define COMMON_HOPPER_CUH

#include <cuda_runtime.h>

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define HOPPER_CODE 1
#endif

/* Does the toolkit know tensor maps and how to ask for the driver's calls? */
#if !defined CUDA_ON_CPU && CUDART_VERSION >= 12050
#define HAVE_HOPPER 1
#endif

#ifndef CUDA_ON_CPU

#include "process/cuda_check.h"

/* Lets the next kernel of the stream be set up while this one still works. */
__device__ inline void griddepcontrol_launch_dependents()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* Waits until the kernel before is done and what it wrote is there. */
__device__ inline void griddepcontrol_wait()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/* Hands registers back, down to so many: a warp that only copies needs few. */
template <int REGISTERS>
__device__ inline void setmaxnreg_dec()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

/* Takes more registers, up to so many. */
template <int REGISTERS>
__device__ inline void setmaxnreg_inc()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

/* Says why this build or card cannot run such a kernel, which has static shared memory, or a
 * product's many registers, if it has a body; NULL if it can. */
static inline const char *hopper_refuses(const void *kernel)
{
    cudaFuncAttributes figures;
    if (cudaFuncGetAttributes(&figures, kernel) == cudaSuccess)
        return figures.sharedSizeBytes || figures.numRegs >= 128
                   ? NULL
                   : "needs code for sm_90a: make ARCH=sm_90a";
    (void)cudaGetLastError(); /* handled here: there is no GPU, or no code for this one */
    return NULL;
}

/*
 * Launches a kernel in clusters of `cluster` blocks. It is set up while the kernel before still
 * works, and calls griddepcontrol_wait().
 */
static inline void cluster_launch(const void *kernel, void **arguments, dim3 blocks, int threads,
                                  size_t shared_bytes, int cluster, cudaStream_t stream)
{
    cudaLaunchAttribute attributes[2];
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {(unsigned)cluster, 1, 1};
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = 2;
    CUDA_CHECK(cudaLaunchKernelExC(&config, kernel, arguments));
}

#endif
#endif
