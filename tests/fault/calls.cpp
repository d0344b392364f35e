/*
 * calls.cpp - what `make test-faults` links between a program and the CUDA runtime (ld's --wrap):
 * each call of the runtime passes here, and one of them fails. The program's own objects are those
 * of the ordinary build.
 *
 *   FAULT_AT=N      the call that fails, counted from 1
 *   FAULT_ERROR=E   its error. After 700, an illegal access, every later call fails, too, as on a
 *                   GPU; any other one is over once it was told, here and by cudaGetLastError()
 *   FAULT_LOG=FILE  gets the failing call's name; without so many calls there is no such file
 *
 * On the CPU the device also pretends to be a GPU that can be timed: with a small L2 cache, so that
 * there are a few sets of buffers, figures of kernels, and graphs, whose launch does nothing.
 */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <type_traits>
#include <utility>

#include "device.h"
#ifdef CUDA_ON_CPU
#include "engine.h"
#endif

static cudaError_t told; /* the failure that cudaGetLastError() still has to tell */

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

/* The error of this call; success leaves it to the runtime. */
static cudaError_t next_call(const char *name)
{
    static const long at = setting("FAULT_AT"), error = setting("FAULT_ERROR");
    static long calls;
    calls++;
    if (calls != at && (calls < at || at == 0 || error != cudaErrorIllegalAddress))
        return cudaSuccess;
    FILE *log = calls == at ? fopen(getenv("FAULT_LOG"), "w") : NULL;
    if (log) {
        fprintf(log, "%s\n", name);
        fclose(log);
    }
    return told = (cudaError_t)error;
}

/* ---- a GPU where there is none -------------------------------------------------------------- */

#ifdef CUDA_ON_CPU
extern "C" device __real_device_open(int index);
extern "C" device __wrap_device_open(int index)
{
    device d = __real_device_open(index);
    d.emulated = false;
    d.properties.l2CacheSize = 4096;
    return d;
}

static void pretend(cudaGraphExec_t *graph, cudaGraph_t, unsigned long long)
{
    *graph = (cudaGraphExec_t)graph;
}

static void pretend(cudaFuncAttributes *figures, const void *)
{
    *figures = {};
    figures->numRegs = 32;
    figures->maxThreadsPerBlock = 1024;
}

static void pretend(...)
{
}
#else
template <class... Arguments>
static void pretend(Arguments...)
{
}
#endif

/* ---- each call ------------------------------------------------------------------------------ */

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
        if (status != cudaSuccess)
            return status;
        status = Real(arguments...);
        if (status == cudaErrorNotSupported) { /* the engine of the CPU lacks it */
            pretend(arguments...);
            return __real_cudaGetLastError(), cudaSuccess;
        }
        return status;
    }
};

/* Of a function, which has the type of `like`, and whose symbol to the linker it is. */
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
#include "calls.inc" /* a CALL(name) for each call of the C interface that the program has */

#ifdef CUDA_ON_CPU
HOOK(_ZN8cuda_cpu11copy_symbolEPvPKvmb14cudaMemcpyKindS3_P11CUstream_st, cuda_cpu::copy_symbol,
     "cudaMemcpyToSymbol")

extern "C" void __real__ZN8cuda_cpu3runERKNS_13kernel_launchE(const cuda_cpu::kernel_launch &);
extern "C" void __wrap__ZN8cuda_cpu3runERKNS_13kernel_launchE(const cuda_cpu::kernel_launch &launch)
{
    if (next_call("cudaLaunchKernel") == cudaSuccess)
        __real__ZN8cuda_cpu3runERKNS_13kernel_launchE(launch);
}
#endif
