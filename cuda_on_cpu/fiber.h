/*
 * fiber.h - stacks to switch between, for the threads of a block (Boost.Context underneath).
 */
#ifndef CUDA_CPU_FIBER_H
#define CUDA_CPU_FIBER_H

#if __has_include(<boost/context/detail/fcontext.hpp>)
#include <boost/context/detail/fcontext.hpp>
#else /* a missing file ends the compilation at once; after #error 30 more errors would follow */
#include "CUDA on the CPU needs Boost.Context: make setup"
#endif
#include <cstddef>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
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
    void (*body)(void *);  /* what it runs first, and never returns from */
    void *argument;        /* of body */
    fiber *switching_to;   /* the fiber that it hands over to */
};

/*
 * A fiber whose first turn calls body(argument). Its stack has stack_bytes and, as long as the
 * system has mappings to spare, a guard page below. number spreads the stacks' hot lines over the
 * cache's sets. Aborts if memory is short.
 */
fiber *fiber_create(size_t stack_bytes, size_t number, void (*body)(void *), void *argument);

/* Releases a fiber that does not run. */
void fiber_destroy(fiber *f);

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

/* Is address in the guard page below the fiber's stack? */
bool fiber_overflowed(const fiber *f, const void *address);

} /* namespace cuda_cpu */

#endif
