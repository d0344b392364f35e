/*
 * fiber.cpp - see fiber.h.
 */
#include "fiber.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace context = boost::context::detail;

namespace cuda_cpu
{

static const size_t PAGE = 4096;
static const size_t GUARD = 16 * PAGE; /* more than a function's frame usually takes at once */
static const size_t CACHE_LINE = 64;
static const size_t COLOURS = 61; /* odd, so that all of a page's lines come round */

/*
 * Each guarded stack costs two of a process's memory mappings (by default 65530). Past this
 * number stacks go without a guard; neighbours then share one mapping.
 */
static const int MAX_GUARDED_STACKS = 24000;
static std::atomic<int> guarded_stacks;

static void enter(context::transfer_t transfer)
{
    fiber *self = ((fiber *)transfer.data)->switching_to;
    fiber_landed(self, transfer);
    self->body(self->argument);
}

fiber *fiber_create(size_t stack_bytes, size_t number, void (*body)(void *), void *argument)
{
    size_t bytes = GUARD + stack_bytes + PAGE; /* the last page gives room for the colour */
    bool guarded = guarded_stacks.fetch_add(1) < MAX_GUARDED_STACKS;
    char *memory = (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || (guarded && mprotect(memory, GUARD, PROT_NONE) != 0)) {
        perror("CUDA on the CPU: a thread's stack");
        abort();
    }
    fiber *f = new fiber();
    f->memory = memory;
    f->memory_bytes = bytes;
    f->bottom = memory + GUARD;
    f->top = memory + bytes - number % COLOURS * CACHE_LINE;
    f->body = body;
    f->argument = argument;
    f->context = context::make_fcontext(f->top, f->top - f->bottom, enter);
    return f;
}

void fiber_destroy(fiber *f)
{
    munmap(f->memory, f->memory_bytes);
    guarded_stacks--;
    delete f;
}

bool fiber_overflowed(const fiber *f, const void *address)
{
    return f->memory && (const char *)address >= f->memory && (const char *)address < f->bottom;
}

} /* namespace cuda_cpu */
