/*
 * device_sync.h - where the threads of a block and the lanes of a warp meet: barriers, shuffles,
 * votes. Part of cuda_runtime.h.
 */
#ifndef CUDA_CPU_DEVICE_SYNC_H
#define CUDA_CPU_DEVICE_SYNC_H

#include "engine.h"

inline void __syncthreads(CUDA_CPU_CALLER)
{
    cuda_cpu::barrier(false, file, line);
}

inline int __syncthreads_count(int predicate, CUDA_CPU_CALLER)
{
    return cuda_cpu::barrier(predicate != 0, file, line);
}

inline int __syncthreads_or(int predicate, CUDA_CPU_CALLER)
{
    return cuda_cpu::barrier(predicate != 0, file, line) != 0;
}

inline int __syncthreads_and(int predicate, CUDA_CPU_CALLER)
{
    return cuda_cpu::barrier(predicate == 0, file, line) == 0;
}

inline void __syncwarp(unsigned mask = 0xffffffffu, CUDA_CPU_CALLER)
{
    cuda_cpu::warp_exchange({cuda_cpu::warp_operation::sync, mask, 0, 0}, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, CUDA_CPU_CALLER)
{
    cuda_cpu::warp_request request = {cuda_cpu::warp_operation::vote, mask, predicate != 0, 0};
    return (unsigned)cuda_cpu::warp_exchange(request, file, line);
}

inline int __any_sync(unsigned mask, int predicate, CUDA_CPU_CALLER)
{
    return __ballot_sync(mask, predicate, file, line) != 0;
}

inline int __all_sync(unsigned mask, int predicate, CUDA_CPU_CALLER)
{
    return __ballot_sync(mask, !predicate, file, line) == 0;
}

/* The lanes known to run together: here each runs alone, which every correct caller allows for. */
inline unsigned __activemask()
{
    return 1u << cuda_cpu::current_thread() % warpSize;
}

namespace cuda_cpu
{

/*
 * A lane of the group of width lanes that holds the caller takes value from the lane source,
 * counted within the warp; its own, if that is in no lane, or in a later group's.
 */
template <class T>
inline T shuffle(unsigned mask, T value, int source, int width, const char *file, int line)
{
    static_assert(sizeof value <= sizeof(uint64_t), "a shuffle moves at most 8 bytes");
    int self = (int)current_thread() % warpSize;
    int first = self & ~(width - 1);
    if (source < 0 || source >= first + width)
        source = self;
    warp_request request = {warp_operation::shuffle, mask, 0, (unsigned)source};
    memcpy(&request.value, &value, sizeof value);
    uint64_t answer = warp_exchange(request, file, line);
    memcpy(&value, &answer, sizeof value);
    return value;
}

} /* namespace cuda_cpu */

#define CUDA_CPU_SHUFFLE(name, type, source)                                                       \
    template <class T>                                                                             \
    inline T name(unsigned mask, T value, type other, int width = warpSize, CUDA_CPU_CALLER)       \
    {                                                                                              \
        int self = (int)cuda_cpu::current_thread() % warpSize;                                     \
        return cuda_cpu::shuffle(mask, value, source, width, file, line);                          \
    }
CUDA_CPU_SHUFFLE(__shfl_sync, int, (self & -width) + (other & (width - 1)))
CUDA_CPU_SHUFFLE(__shfl_up_sync, unsigned,
                 (unsigned)self % width < other ? self : self - (int)other)
CUDA_CPU_SHUFFLE(__shfl_down_sync, unsigned, self + (int)other)
CUDA_CPU_SHUFFLE(__shfl_xor_sync, int, self ^ other)
#undef CUDA_CPU_SHUFFLE

/* The lanes of mask that hold the same value as the caller. */
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, CUDA_CPU_CALLER)
{
    unsigned same = 0;
    for (int lane = 0; lane < warpSize; lane++)
        if (mask >> lane & 1) {
            T other = cuda_cpu::shuffle(mask, value, lane, warpSize, file, line);
            same |= (unsigned)(memcmp(&other, &value, sizeof value) == 0) << lane;
        }
    return same;
}

/* mask, and *all becomes 1, if all its lanes hold the same value; else 0. */
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int *all, CUDA_CPU_CALLER)
{
    *all = __match_any_sync(mask, value, file, line) == mask;
    return *all ? mask : 0;
}

/* __reduce_*_sync: every lane of mask gets the values of all of them, folded. */
#define CUDA_CPU_REDUCE(name, expression)                                                          \
    template <class T>                                                                             \
    inline T name(unsigned mask, T value, CUDA_CPU_CALLER)                                         \
    {                                                                                              \
        int first = __builtin_ctz(mask);                                                           \
        T a = cuda_cpu::shuffle(mask, value, first, warpSize, file, line);                         \
        for (int lane = first + 1; lane < warpSize; lane++)                                        \
            if (mask >> lane & 1) {                                                                \
                T b = cuda_cpu::shuffle(mask, value, lane, warpSize, file, line);                  \
                a = expression;                                                                    \
            }                                                                                      \
        return a;                                                                                  \
    }
CUDA_CPU_REDUCE(__reduce_add_sync, a + b)
CUDA_CPU_REDUCE(__reduce_min_sync, b < a ? b : a)
CUDA_CPU_REDUCE(__reduce_max_sync, a < b ? b : a)
CUDA_CPU_REDUCE(__reduce_and_sync, a &b)
CUDA_CPU_REDUCE(__reduce_or_sync, a | b)
CUDA_CPU_REDUCE(__reduce_xor_sync, a ^ b)
#undef CUDA_CPU_REDUCE

#endif
