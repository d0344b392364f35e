/*
 * library.h - what goes to a runner, a program that holds kernels in the place of a library's file,
 * through its standard input, and back through its standard output.
 *
 *   there  request; the kernel's mangled name; the arguments, each with its length before it;
 * links; constants, each with its bytes behind it; lengths of the memories; their bytes back   the
 * launch's error, as uint32_t; the bytes of the memories
 */
#ifndef CUDA_CPU_LIBRARY_H
#define CUDA_CPU_LIBRARY_H

#include "cuda_runtime_api.h"
#include <cstdint>

namespace cuda_cpu
{

struct request {
    dim3 grid, block;
    uint32_t cooperative, name_bytes;
    uint64_t shared_bytes, shared_limit;
    uint32_t arguments, links, constants, memories;
};

/* A pointer in an argument: it is to lead to a memory's byte. */
struct pointer_link {
    uint32_t argument, at, memory, unused;
    uint64_t offset;
};

/* A variable behind the start of the section of constants. */
struct constant {
    uint64_t offset, bytes;
};

} /* namespace cuda_cpu */

#endif
