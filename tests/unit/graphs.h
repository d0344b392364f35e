/*
 * graphs.h - CUDA graphs for the CPU build, whose engine has none (ld's --wrap): runs that are
 * captured are done at once, and a replay does what the test wants.
 */
#ifndef TESTS_GRAPHS_H
#define TESTS_GRAPHS_H

#include <stdbool.h>
#include <cuda_runtime_api.h>

#ifdef CUDA_ON_CPU

static bool has_graphs;
static int graphs, replays; /* graphs that there are */
static void (*on_replay)(void);

cudaError_t __real_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);

cudaError_t __wrap_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return has_graphs ? cudaSuccess : __real_cudaStreamBeginCapture(stream, mode);
}

cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    (void)stream;
    *graph = (cudaGraph_t)&graphs;
    graphs++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGraphInstantiate(cudaGraphExec_t *batch, cudaGraph_t graph,
                                        unsigned long long flags)
{
    (void)flags;
    *batch = (cudaGraphExec_t)graph;
    graphs++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGraphLaunch(cudaGraphExec_t batch, cudaStream_t stream)
{
    (void)stream;
    replays++;
    if (on_replay)
        on_replay();
    return batch == (cudaGraphExec_t)&graphs ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t __wrap_cudaGraphDestroy(cudaGraph_t graph)
{
    graphs -= graph == (cudaGraph_t)&graphs;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGraphExecDestroy(cudaGraphExec_t batch)
{
    return __wrap_cudaGraphDestroy((cudaGraph_t)batch);
}

#endif

#endif
