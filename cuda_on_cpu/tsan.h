/*
 * tsan.h - the functions that -fsanitize=thread calls, in place of ThreadSanitizer's run-time: each
 * access goes to the on_access() of the file that includes this, the race checker or the lens. That
 * file has __tsan_func_exit(), too.
 */
#ifndef CUDA_CPU_TSAN_H
#define CUDA_CPU_TSAN_H

#include "engine.h"
#include <cstring>

namespace cuda_cpu
{

#define CALLER __builtin_return_address(0)

extern "C" {

#define ACCESSES(prefix, size)                                                                     \
    void __tsan_##prefix##read##size(void *address)                                                \
    {                                                                                              \
        on_access(address, size, true, false, false, CALLER);                                      \
    }                                                                                              \
    void __tsan_##prefix##write##size(void *address)                                               \
    {                                                                                              \
        on_access(address, size, false, true, false, CALLER);                                      \
    }
ACCESSES(, 1)
ACCESSES(, 2)
ACCESSES(, 4)
ACCESSES(, 8)
ACCESSES(, 16)
ACCESSES(unaligned_, 2)
ACCESSES(unaligned_, 4)
ACCESSES(unaligned_, 8)
ACCESSES(unaligned_, 16)

/* What is larger than its alignment, or than 16 bytes: structures. */
void __tsan_read_range(void *address, size_t size)
{
    on_access(address, size, true, false, false, CALLER, true);
}

void __tsan_write_range(void *address, size_t size)
{
    on_access(address, size, false, true, false, CALLER, true);
}

#define MEMORY_FUNCTION(name, second, reads)                                                       \
    void *cuda_cpu_##name(void *target, second, size_t size)                                       \
    {                                                                                              \
        reads;                                                                                     \
        on_access(target, size, false, true, false, CALLER);                                       \
        return name(target, source, size);                                                         \
    }
/* At another place of the call than the write: what is noted of places tells them apart. */
#define READ_SOURCE on_access((void *)source, size, true, false, false, (char *)CALLER - 1)
MEMORY_FUNCTION(memcpy, const void *source, READ_SOURCE)
MEMORY_FUNCTION(memmove, const void *source, READ_SOURCE)
MEMORY_FUNCTION(memset, int source, )

#define IGNORED(name, ...)                                                                         \
    void __tsan_##name(__VA_ARGS__)                                                                \
    {                                                                                              \
    }
IGNORED(init)
IGNORED(func_entry, void *)

IGNORED(vptr_update, void **, void *)
IGNORED(atomic_signal_fence, int)

void __tsan_atomic_thread_fence(int)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The host's atomics (OpenMP's among them): what they say, in sequential consistency. */
#define ATOMIC(T, bits, name, parameters, builtin)                                                 \
    T __tsan_atomic##bits##_##name parameters                                                      \
    {                                                                                              \
        return __atomic_##builtin;                                                                 \
    }
#define ATOMIC_FETCH(T, bits, name)                                                                \
    ATOMIC(T, bits, name, (T * p, T v, int), name(p, v, __ATOMIC_SEQ_CST))
#define ATOMIC_COMPARE(T, bits, name)                                                              \
    ATOMIC(int, bits, name, (T * p, T * expected, T v, int, int),                                  \
           compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
#define ATOMICS(T, bits)                                                                           \
    ATOMIC(T, bits, load, (const T *p, int), load_n(p, __ATOMIC_SEQ_CST))                          \
    ATOMIC(void, bits, store, (T * p, T v, int), store_n(p, v, __ATOMIC_SEQ_CST))                  \
    ATOMIC(T, bits, exchange, (T * p, T v, int), exchange_n(p, v, __ATOMIC_SEQ_CST))               \
    ATOMIC_COMPARE(T, bits, compare_exchange_strong)                                               \
    ATOMIC_COMPARE(T, bits, compare_exchange_weak)                                                 \
    ATOMIC_FETCH(T, bits, fetch_add)                                                               \
    ATOMIC_FETCH(T, bits, fetch_sub)                                                               \
    ATOMIC_FETCH(T, bits, fetch_and)                                                               \
    ATOMIC_FETCH(T, bits, fetch_or)                                                                \
    ATOMIC_FETCH(T, bits, fetch_xor)
ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)

} /* extern "C" */

} /* namespace cuda_cpu */

#endif
