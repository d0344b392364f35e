/*
 * cuda_pipeline.h - asynchronous copies from global to shared memory, by CUDA's names.
 *
 * A GPU may write a copy's target at any time from its start until it has been waited for. Here the
 * start fills it with 0xff, and the wait copies: who writes to a part of shared memory that others
 * still read, and who reads what has not been waited for, is found by the race checker or by the
 * result. A thread must have waited for all its copies when it returns.
 */
#ifndef CUDA_CPU_CUDA_PIPELINE_H
#define CUDA_CPU_CUDA_PIPELINE_H

#include "engine.h"

#pragma GCC visibility push(default) /* of both sides: host_calls.awk */

inline void __pipeline_memcpy_async(void *shared, const void *global, size_t size, size_t zeros = 0,
                                    CUDA_CPU_CALLER)
{
    if ((size != 4 && size != 8 && size != 16) || zeros > size ||
        ((uintptr_t)shared | (uintptr_t)global) % size != 0)
        cuda_cpu::die(file, line, "an asynchronous copy is of 4, 8 or 16 bytes, all aligned to it");
#ifdef LENS_BUILD /* which counts it where it stands */
    cuda_cpu::pass_l1(size == 16);
    memcpy(shared, global, size - zeros);
    memset((char *)shared + size - zeros, 0, zeros);
    cuda_cpu::pass_l1(false);
#else
    memset(shared, 0xff, size);
    cuda_cpu::start_copy({shared, global, size - zeros, zeros, file, line});
#endif
}

inline void __pipeline_commit()
{
    cuda_cpu::close_copies();
}

inline void __pipeline_wait_prior(size_t groups)
{
    cuda_cpu::async_copy copy;
    while (cuda_cpu::next_copy(groups, &copy)) {
        memcpy(copy.shared, copy.global, copy.bytes);
        memset((char *)copy.shared + copy.bytes, 0, copy.zeros);
    }
}

#pragma GCC visibility pop

#endif
