/*
 * streams.h - the order of a stream's work.
 */
#ifndef CUDA_CPU_STREAMS_H
#define CUDA_CPU_STREAMS_H

#include "engine.h"
#include <functional>

namespace cuda_cpu
{

/* Puts work at a stream's end, which is_stream(). It runs when it is waited for. A launch says
 * where it is. */
void enqueue(cudaStream_t stream, std::function<void()> work, const char *file = nullptr,
             int line = 0);
/* Runs what the stream has, and before it what that waits for in others. */
void finish(cudaStream_t stream);
void finish_all();
/* The streams and events that were created and not destroyed. */
size_t live_handles();

} /* namespace cuda_cpu */

#endif
