/*
 * fiber.h - stacks to switch between, for the threads of a block (Boost.Context underneath). Part
 * of engine.cpp.
 */
#ifndef CUDA_CPU_FIBER_H
#define CUDA_CPU_FIBER_H

#if __has_include(<boost/context/detail/fcontext.hpp>)
#include <boost/context/detail/fcontext.hpp>
#else /* a missing file ends the compilation at once; after #error 30 more errors would follow */
#include "CUDA on the CPU needs Boost.Context: make setup"
#endif
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace cuda_cpu
{

/* A fiber's place; one with no memory of its own stands for the host thread's stack. */
struct fiber {
    boost::context::detail::fcontext_t context; /* where it left off */
    char *memory;                               /* the mapping that holds its stack, or NULL */
    size_t memory_bytes;
    char *bottom, *top;    /* its stack */
    void *sanitizer_state; /* AddressSanitizer's own, while another fiber runs */
    void (*body)();        /* what it runs first, and never returns from */
    fiber *switching_to;   /* the fiber that it hands over to */
};

/* The other side of a switch, on the stack of self: remembers where the fiber before left off. */
inline void fiber_landed(fiber *self, boost::context::detail::transfer_t transfer)
{
    fiber *previous = (fiber *)transfer.data;
    previous->context = transfer.fctx;
#ifdef __SANITIZE_ADDRESS__
    const void *bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(self->sanitizer_state, &bottom, &size);
    self->sanitizer_state = nullptr;
    if (!previous->bottom) {
        previous->bottom = (char *)bottom;
        previous->top = previous->bottom + size;
    }
#else
    (void)self;
#endif
}

/* Leaves from, which is running, and goes on with to; returns when somebody switches to from. */
inline void fiber_switch(fiber *from, fiber *to)
{
    from->switching_to = to;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&from->sanitizer_state, to->bottom, to->top - to->bottom);
#endif
    fiber_landed(from, boost::context::detail::jump_fcontext(to->context, from));
}

const size_t PAGE = 4096;
const size_t GUARD = 16 * PAGE; /* more than a function's frame usually takes at once */
const size_t CACHE_LINE = 64;
const size_t COLOURS = 61; /* odd, so that all of a page's lines come round */

/*
 * Each guarded stack costs two of a process's memory mappings (by default 65530). Past this
 * number stacks go without a guard; neighbours then share one mapping.
 */
const int MAX_GUARDED_STACKS = 24000;
static std::atomic<int> guarded_stacks;

inline void fiber_enter(boost::context::detail::transfer_t transfer)
{
    fiber *self = ((fiber *)transfer.data)->switching_to;
    fiber_landed(self, transfer);
    self->body();
}

/*
 * A fiber whose first turn calls body. Its stack has stack_bytes and, as long as the system has
 * mappings to spare, a guard page below. number spreads the stacks' hot lines over the cache's
 * sets. Ends the program if memory is short.
 */
inline fiber *fiber_create(size_t stack_bytes, size_t number, void (*body)())
{
    size_t bytes = GUARD + stack_bytes + PAGE; /* the last page gives room for the colour */
    bool guarded = guarded_stacks.fetch_add(1) < MAX_GUARDED_STACKS;
    char *memory = (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || (guarded && mprotect(memory, GUARD, PROT_NONE) != 0)) {
        perror("CUDA on the CPU: a thread's stack");
        fflush(stdout);
        _exit(2);
    }
    fiber *f = new fiber();
    f->memory = memory;
    f->memory_bytes = bytes;
    f->bottom = memory + GUARD;
    f->top = memory + bytes - number % COLOURS * CACHE_LINE;
    f->body = body;
    f->context = boost::context::detail::make_fcontext(f->top, f->top - f->bottom, fiber_enter);
    return f;
}

/* Releases a fiber that does not run. */
inline void fiber_destroy(fiber *f)
{
#ifdef __SANITIZE_ADDRESS__ /* the red zones of what it left open would outlast it */
    __asan_unpoison_memory_region(f->context, (size_t)(f->top - (char *)f->context));
#endif
    munmap(f->memory, f->memory_bytes);
    guarded_stacks--;
    delete f;
}

} /* namespace cuda_cpu */

#endif
