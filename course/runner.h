/*
 * runner.h - stands behind a kernel that was handed in, in a program that runs it on the CPU:
 *
 *   ... the lab's source up to the part, the part ...
 *   #include "course/runner.h"
 *   RUNNER({RUN(shared_tile<8>), RUN(shared_tile<16>)})
 *
 * The program gets a launch and its memory through standard input, and gives the memory back
 * (cuda_on_cpu/library.h). It knows neither seed nor expected output, and reads no file.
 */
#ifndef COURSE_RUNNER_H
#define COURSE_RUNNER_H

#include <cuda_runtime.h>
#include <initializer_list>

#include "library.h"

namespace runner
{

struct entry {
    const void *kernel;
    cudaError_t (*launch)(const cuda_cpu::request &r, const uint64_t *bytes, void **arguments);
};

template <class... Parameters>
bool takes(void (*)(Parameters...), const cuda_cpu::request &r, const uint64_t *bytes)
{
    const uint64_t own[] = {sizeof(Parameters)..., 0};
    for (uint32_t i = 0; r.arguments == sizeof...(Parameters) && i < r.arguments; i++)
        if (own[i] != bytes[i])
            return false;
    return r.arguments == sizeof...(Parameters);
}

template <auto *KERNEL>
cudaError_t launch(const cuda_cpu::request &r, const uint64_t *bytes, void **arguments)
{
    if (!takes(KERNEL, r, bytes))
        return cudaErrorInvalidDeviceFunction;
    if (r.cooperative)
        return cudaLaunchCooperativeKernel(KERNEL, r.grid, r.block, arguments, r.shared_bytes);
    return cudaLaunchKernel(KERNEL, r.grid, r.block, arguments, r.shared_bytes);
}

/* Runs what is asked for; returns the program's exit status. */
int serve(std::initializer_list<entry> kernels);

} /* namespace runner */

#define RUN(...)                                                                                   \
    {                                                                                              \
        (const void *)(__VA_ARGS__), runner::launch<__VA_ARGS__>                                   \
    }
#define RUNNER(...)                                                                                \
    int main()                                                                                     \
    {                                                                                              \
        return runner::serve(__VA_ARGS__);                                                         \
    }

#endif
