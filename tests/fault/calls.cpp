/*
 * calls.cpp - stands between a program and the CUDA runtime (ld's --wrap), so that one call fails:
 *
 *   FAULT_AT=N      the Nth that the program makes
 *   FAULT_ERROR=E   with this error. After 700, an illegal access, all later ones fail, too, as on
 *                   a GPU; any other one is over once cudaGetLastError() has told it
 *   FAULT_LOG=FILE  gets its name; without so many calls there is no such file
 *
 * On the CPU the device pretends to be a GPU, so that all is timed: with figures of kernels, and a
 * small L2 cache, which makes it a few sets of buffers. Graphs there are only on a GPU.
 */
#include <cstdlib>
#include <fstream>
#include <type_traits>
#include <utility>
#include "machine/device.h"
#ifdef CUDA_ON_CPU
#include "engine.h"

/* Does what a call asks for where the CPU's engine does not? */
static bool pretend(cudaFuncAttributes *figures, const void *)
{
    *figures = {};
    figures->numRegs = 32;
    figures->maxThreadsPerBlock = 1024;
    return true;
}

template <class... Arguments>
static bool pretend(Arguments...)
{
    return false;
}
#endif

static cudaError_t told; /* what cudaGetLastError() still has to tell */

static cudaError_t next_call(const char *name)
{
    static const char *const at = getenv("FAULT_AT"), *const error = getenv("FAULT_ERROR");
    static long left = at ? atol(at) : 0;
    left--;
    if (!at || left > 0 || (left < 0 && atoi(error) != cudaErrorIllegalAddress))
        return cudaSuccess;
    if (left == 0)
        std::ofstream(getenv("FAULT_LOG")) << name << "\n";
    return told = (cudaError_t)atoi(error);
}

extern "C" cudaError_t __real_cudaGetLastError(void);

template <auto Real>
struct hook;

template <class... Arguments, cudaError_t (*Real)(Arguments...)>
struct hook<Real> {
    static const char *const name;
    static cudaError_t call(Arguments... arguments)
    {
        cudaError_t status = next_call(name);
        if constexpr (std::is_same_v<hook, hook<__real_cudaGetLastError>>)
            status = std::exchange(told, cudaSuccess);
        if (status == cudaSuccess)
            status = Real(arguments...);
#ifdef CUDA_ON_CPU
        if (status == cudaErrorNotSupported && pretend(arguments...))
            return __real_cudaGetLastError(), cudaSuccess;
#endif
        return status;
    }
};

/* A symbol of the linker's, of a function of like's type, and the name that programs call it by. */
#define HOOK(symbol, like, label)                                                                  \
    extern "C" decltype(like) __real_##symbol;                                                     \
    template <>                                                                                    \
    const char *const hook<__real_##symbol>::name = label;                                         \
    extern "C" auto resolve_##symbol()->decltype(like) *                                           \
    {                                                                                              \
        return hook<__real_##symbol>::call;                                                        \
    }                                                                                              \
    extern "C" __attribute__((ifunc("resolve_" #symbol))) decltype(like) __wrap_##symbol;
#define CALL(name) HOOK(name, name, #name)
#include "calls.inc" /* a CALL(name) for each that programs make */

#ifdef CUDA_ON_CPU
HOOK(_ZN8cuda_cpu11copy_symbolEPvPKvmb14cudaMemcpyKindS3_P11CUstream_st, cuda_cpu::copy_symbol,
     "cudaMemcpyToSymbol")

extern "C" void __real__ZN8cuda_cpu3runERKNS_13kernel_launchE(const cuda_cpu::kernel_launch &);
extern "C" void __wrap__ZN8cuda_cpu3runERKNS_13kernel_launchE(const cuda_cpu::kernel_launch &launch)
{
    if (next_call("cudaLaunchKernel") == cudaSuccess)
        __real__ZN8cuda_cpu3runERKNS_13kernel_launchE(launch);
}

extern "C" device __real_device_open(int index);
extern "C" device __wrap_device_open(int index)
{
    device d = __real_device_open(index);
    d.emulated = false;
    d.properties.l2CacheSize = 4096;
    return d;
}
#endif
