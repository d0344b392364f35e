/*
 * device_atomics.h - atomics and fences. Part of cuda_runtime.h.
 *
 * Relaxed, as on the device; a fence orders. The race checker sees each as one atomic access, not
 * as the loop of loads and stores that it is here.
 */
#ifndef CUDA_CPU_DEVICE_ATOMICS_H
#define CUDA_CPU_DEVICE_ATOMICS_H

#include "engine.h"
#include <type_traits>

#ifdef __SANITIZE_THREAD__
#define CUDA_CPU_NOTE_ATOMIC(pointer, kind)                                                        \
    if (cuda_cpu::checker)                                                                         \
    cuda_cpu::checker->atomic(pointer, sizeof *(pointer), cuda_cpu::kind,                          \
                              __builtin_return_address(0))
#define CUDA_CPU_ATOMIC __attribute__((no_sanitize("thread"), no_sanitize_coverage, noinline))
#else
#define CUDA_CPU_NOTE_ATOMIC(pointer, kind) (void)0
#define CUDA_CPU_ATOMIC                     inline
#endif

/* The value's type is not deduced, so that atomicAdd(&a_float, 1) works as with nvcc. */
#define CUDA_CPU_VALUE(T) std::type_identity_t<T>

namespace cuda_cpu
{

template <class T>
CUDA_CPU_GLUE inline T load_relaxed(T *pointer)
{
    T value;
    __atomic_load(pointer, &value, __ATOMIC_RELAXED);
    return value;
}

template <class T>
CUDA_CPU_GLUE inline bool replace_relaxed(T *pointer, T *expected, T value)
{
    return __atomic_compare_exchange(pointer, expected, &value, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

} /* namespace cuda_cpu */

/* name(pointer, value) stores expression of o (the old value) and v, and returns the old value. */
#define CUDA_CPU_ATOMIC_FUNCTION(name, kind, expression)                                           \
    template <class T>                                                                             \
    CUDA_CPU_ATOMIC T name(T *pointer, CUDA_CPU_VALUE(T) v)                                        \
    {                                                                                              \
        CUDA_CPU_NOTE_ATOMIC(pointer, kind);                                                       \
        T o = cuda_cpu::load_relaxed(pointer);                                                     \
        while (!cuda_cpu::replace_relaxed(pointer, &o, (T)(expression)))                           \
            ;                                                                                      \
        return o;                                                                                  \
    }
CUDA_CPU_ATOMIC_FUNCTION(atomicAdd, CHANGES, o + v)
CUDA_CPU_ATOMIC_FUNCTION(atomicSub, CHANGES, o - v)
CUDA_CPU_ATOMIC_FUNCTION(atomicMin, CHANGES, o < v ? o : v)
CUDA_CPU_ATOMIC_FUNCTION(atomicMax, CHANGES, o > v ? o : v)
CUDA_CPU_ATOMIC_FUNCTION(atomicAnd, CHANGES, o &v)
CUDA_CPU_ATOMIC_FUNCTION(atomicOr, CHANGES, o | v)
CUDA_CPU_ATOMIC_FUNCTION(atomicXor, CHANGES, o ^ v)
CUDA_CPU_ATOMIC_FUNCTION(atomicInc, CHANGES, o >= v ? 0 : o + 1)
CUDA_CPU_ATOMIC_FUNCTION(atomicDec, CHANGES, o == 0 || o > v ? v : o - 1)

namespace cuda_cpu
{

CUDA_CPU_ATOMIC_FUNCTION(exchange, REPLACES, v)
#undef CUDA_CPU_ATOMIC_FUNCTION

template <class T>
CUDA_CPU_ATOMIC T compare_exchange(T *pointer, T expected, T value)
{
    CUDA_CPU_NOTE_ATOMIC(pointer, COMPARES);
    replace_relaxed(pointer, &expected, value);
    return expected;
}

} /* namespace cuda_cpu */

/*
 * A loop that waits for a lock calls one of these two again and again without changing anything;
 * then the thread that holds the lock must get its turn.
 */
template <class T>
__forceinline__ T atomicExch(T *pointer, CUDA_CPU_VALUE(T) value, CUDA_CPU_CALLER)
{
    T old = cuda_cpu::exchange(pointer, value);
    if (old == value)
        cuda_cpu::spin_wait(file, line);
    return old;
}

template <class T>
__forceinline__ T atomicCAS(T *pointer, CUDA_CPU_VALUE(T) expected, CUDA_CPU_VALUE(T) value,
                            CUDA_CPU_CALLER)
{
    T old = cuda_cpu::compare_exchange(pointer, expected, value);
    if (old != expected)
        cuda_cpu::spin_wait(file, line);
    return old;
}

inline void __nanosleep(unsigned, CUDA_CPU_CALLER)
{
    cuda_cpu::spin_wait(file, line);
}

/* One fence serves all scopes: a block, the device, the system. */
CUDA_CPU_GLUE inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (cuda_cpu::checker)
        cuda_cpu::checker->fence();
}
#define __threadfence_block  __threadfence
#define __threadfence_system __threadfence

/* The atomics of other scopes are the device's. */
#define atomicAdd_system  atomicAdd
#define atomicAdd_block   atomicAdd
#define atomicSub_system  atomicSub
#define atomicMin_system  atomicMin
#define atomicMin_block   atomicMin
#define atomicMax_system  atomicMax
#define atomicMax_block   atomicMax
#define atomicAnd_system  atomicAnd
#define atomicOr_system   atomicOr
#define atomicXor_system  atomicXor
#define atomicInc_system  atomicInc
#define atomicDec_system  atomicDec
#define atomicExch_system atomicExch
#define atomicExch_block  atomicExch
#define atomicCAS_system  atomicCAS
#define atomicCAS_block   atomicCAS

#undef CUDA_CPU_NOTE_ATOMIC
#undef CUDA_CPU_ATOMIC
#undef CUDA_CPU_VALUE

#endif
