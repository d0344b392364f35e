/*
 * streams.h - the order of a stream's work.
 */
#ifndef CUDA_CPU_STREAMS_H
#define CUDA_CPU_STREAMS_H

#include "engine.h"
#include <functional>

namespace cuda_cpu
{

/* Puts work at a stream's end, which is_stream(), or into the graph that is captured there. It runs
 * when it is waited for. A launch says where it is. */
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work, const char *file = nullptr,
                    int line = 0);
/* What forbids a call that may wait for all streams, as an allocation may: a capture, by its mode.
 */
cudaError_t unsafe_call_error();
/* A call in the stream has failed: where it is captured, the graph cannot be had any more. */
void spoil_capture(cudaStream_t stream);
/* Runs what the stream has, and before it what that waits for in others; nothing if it is captured.
 */
void finish(cudaStream_t stream);
void finish_all();
/* The streams, events and graphs that were created and not destroyed. */
size_t live_handles();

} /* namespace cuda_cpu */

#endif
