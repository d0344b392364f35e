/*
 * cuda_runtime.h - lets g++ build plain CUDA C for the CPU.
 *
 * Stands in for the toolkit's header of the same name. The language is here (qualifiers, launches,
 * typed forms of the C interface); where threads meet, atomics and arithmetic are in device_sync.h,
 * device_atomics.h and device_math.h. cu2cpp.awk rewrites the two things that are not C++.
 */
#ifndef CUDA_CPU_CUDA_RUNTIME_H
#define CUDA_CPU_CUDA_RUNTIME_H

#include <cstring> /* undefines what is defined below */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <type_traits>
#include <utility>
#include "cuda_runtime_api.h"

#pragma GCC visibility push(default) /* of both sides: host_calls.awk */
#include "engine.h"
#include "ptx.h"

/*
 * host_calls.awk finds these in what g++ lists of functions, variables and calls, to tell the
 * device's from the host's, and kernels from others. None changes what a function does: the first
 * keeps its place among its like, the second leaves it out of profiles, which nobody makes, the
 * third is not made one with another that does the same.
 */
#ifdef __clang__
#define CUDA_CPU_DEVICES
#define CUDA_CPU_BOTH
#define CUDA_CPU_KERNEL
#else
#define CUDA_CPU_DEVICES __attribute__((no_reorder))
#define CUDA_CPU_BOTH    __attribute__((no_profile_instrument_function))
#define CUDA_CPU_KERNEL  __attribute__((no_reorder, no_icf))
#endif

/*
 * gcc's -fsanitize=thread leaves out the store of a structure that a call returns (`out[i] =
 * f(...)`), and a barrier in a function is told from another call's only where both are inlined: in
 * a kernel of the builds for checks every call is.
 */
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
#define __global__ CUDA_CPU_KERNEL __attribute__((flatten))
#else
#define __global__ CUDA_CPU_KERNEL
#endif
#define __device__   CUDA_CPU_DEVICES
#define __host__     CUDA_CPU_BOTH
#define __constant__ CUDA_CPU_DEVICES
#define __managed__  CUDA_CPU_DEVICES
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n)    __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))

/*
 * What nobody reads is kept ("used"), for the race checker sees no store that is optimised away.
 * One copy of a block's shared memory for each worker. AddressSanitizer puts no red zones around
 * thread-local arrays; its build has one worker, so that plain statics, which get them, will do, in
 * an order by which host_calls.awk knows them.
 */
#ifdef __SANITIZE_ADDRESS__
#define __shared__ static __attribute__((used, no_reorder))
#else
#define __shared__ static __thread __attribute__((used))
#endif

/*
 * cu2cpp.awk puts these before variables, so that they are known from the host's.
 * AddressSanitizer would put no red zones around them.
 */
#ifdef __SANITIZE_ADDRESS__
#define CUDA_CPU_device
#define CUDA_CPU_constant
#else
#define CUDA_CPU_device   __attribute__((section("cuda_cpu_device")))
#define CUDA_CPU_constant __attribute__((section("cuda_cpu_constant")))
#endif

/* cu2cpp.awk puts this behind the declaration of a variable that is managed. */
#define CUDA_CPU_MANAGED(name)                                                                     \
    [[maybe_unused]] static const bool cuda_cpu_managed_##name =                                   \
        cuda_cpu::note_variable(&name, sizeof name, true);

#ifdef __SANITIZE_THREAD__
/* gcc does not instrument these three. */
extern "C" void *cuda_cpu_memcpy(void *target, const void *source, size_t size);
extern "C" void *cuda_cpu_memmove(void *target, const void *source, size_t size);
extern "C" void *cuda_cpu_memset(void *target, int value, size_t size);
namespace std
{
using ::cuda_cpu_memcpy, ::cuda_cpu_memmove, ::cuda_cpu_memset;
}
#define memcpy           cuda_cpu_memcpy
#define memmove          cuda_cpu_memmove
#define memset           cuda_cpu_memset
#define __builtin_memcpy cuda_cpu_memcpy
#define __builtin_memset cuda_cpu_memset
#endif

/* Kernels compare int with blockDim.x all the time, and nvcc does not mind. */
#pragma GCC diagnostic ignored "-Wsign-compare"

/* The launch glue copies arguments from the host's stack, which kernels must not touch. */
#define CUDA_CPU_GLUE __attribute__((no_sanitize("thread")))

namespace cuda_cpu
{

template <class T>
bool close_host_pointers(T &argument)
{
    if constexpr (std::is_trivially_copyable_v<T> && (std::is_pointer_v<T> || std::is_class_v<T>)) {
#if __has_builtin(__builtin_clear_padding)  /* clang 14 lacks it */
        __builtin_clear_padding(&argument); /* which may hold anything */
#endif
        return close_host_pointers(&argument, sizeof argument);
    }
    return false;
}

/* What runs a thread of the kernel, with its arguments. */
template <class Thread>
void set_thread(kernel_launch &launch, Thread &thread)
{
    launch.arguments = &thread;
    launch.run_thread = [](void *p) CUDA_CPU_GLUE { (*static_cast<Thread *>(p))(); };
    launch.copy = [](const void *p) -> void * {
        return new Thread(*static_cast<const Thread *>(p));
    };
    launch.discard = [](void *p) { delete static_cast<Thread *>(p); };
}

/* A reference is passed as the address that it is. */
template <class T>
struct reference {
    T *address;
    reference(T &of) : address(&of)
    {
    }
    CUDA_CPU_GLUE operator T &() const
    {
        return *address;
    }
};
template <class Parameter>
using passed_as = std::conditional_t<std::is_reference_v<Parameter>,
                                     reference<std::remove_reference_t<Parameter>>, Parameter>;

/* The arguments are converted and copied once, as a launch does; each thread gets its copy. */
template <class... Parameters>
void start(kernel_launch launch, void (*kernel)(Parameters...), passed_as<Parameters>... arguments)
{
    launch.host_pointer = (0 | ... | int(close_host_pointers(arguments))); /* of all of them */
    auto thread = [=]() CUDA_CPU_GLUE { kernel(arguments...); };
    launch.kernel = (const void *)kernel;
    set_thread(launch, thread);
    const launch_argument list[] = {{&arguments, sizeof arguments}..., {nullptr, 0}};
    launch.list = list;
    run(launch);
}

/*
 * A kernel that is called by its name, because its address would not tell all: template arguments
 * to be deduced, default arguments. cu2cpp.awk knows such kernels.
 */
template <class Call>
struct named_kernel {
    Call call;
};
template <class Call>
named_kernel(Call) -> named_kernel<Call>;
#define CUDA_CPU_NAMED(...)                                                                        \
    cuda_cpu::named_kernel                                                                         \
    {                                                                                              \
        [&](auto &...a) CUDA_CPU_GLUE requires requires                                            \
        {                                                                                          \
            __VA_ARGS__(a...);                                                                     \
        }                                                                                          \
        {                                                                                          \
            __VA_ARGS__(a...);                                                                     \
        }                                                                                          \
    }

/* NULL, a long by now, may become a pointer. */
struct integer_argument {
    uintptr_t value;
    template <class T>
    CUDA_CPU_GLUE operator T() const
    {
        return (T)value;
    }
};
template <class Argument>
auto integer_or(const Argument &argument)
{
    if constexpr (std::is_same_v<Argument, long>)
        return integer_argument{(uintptr_t)argument};
    else
        return argument;
}

template <class Call, class... Arguments>
void start_named(kernel_launch launch, const named_kernel<Call> &kernel, Arguments... arguments)
{
    if constexpr ((std::is_same_v<Arguments, long> || ...) &&
                  !std::is_invocable_v<const Call &, const Arguments &...>) {
        start_named(launch, kernel, integer_or(arguments)...);
    } else {
        launch.host_pointer = (0 | ... | int(close_host_pointers(arguments)));
        auto thread = [=, call = kernel.call]() CUDA_CPU_GLUE { call(arguments...); };
        set_thread(launch, thread);
        run(launch);
    }
}

/* An argument on its way to a parameter. NULL, an integer by now, may go to a pointer. */
template <class Parameter, class Argument>
decltype(auto) passed(Argument &argument)
{
    if constexpr (std::is_pointer_v<Parameter> && std::is_integral_v<Argument>)
        return (Parameter)(uintptr_t)argument;
    else
        return (argument);
}

/* kernel<<<grid, block, shared_bytes, stream>>>(arguments) is kernel | launch(...)(arguments). */
template <class Start>
struct pending_launch {
    Start start;
};
template <class Start>
pending_launch(Start) -> pending_launch<Start>; /* clang before 17 does not see it */

template <class Kernel, class Start>
void operator|(Kernel *kernel, const pending_launch<Start> &pending)
{
    pending.start(kernel);
}
template <class Call, class Start>
void operator|(const named_kernel<Call> &kernel, const pending_launch<Start> &pending)
{
    pending.start(kernel);
}

template <class... Lambdas>
struct overloaded : Lambdas... {
    using Lambdas::operator()...;
};
template <class... Lambdas>
overloaded(Lambdas...) -> overloaded<Lambdas...>;

inline auto launch(const char *name, dim3 grid, dim3 block, size_t shared_bytes = 0,
                   cudaStream_t stream = 0, CUDA_CPU_CALLER)
{
    kernel_launch launch = {name,         file,   line,    nullptr, grid,  block,
                            shared_bytes, stream, nullptr, nullptr, false, false};
    return [launch](auto &&...arguments) {
        return pending_launch{overloaded{[&]<class... Parameters>(void (*kernel)(Parameters...)) {
                                             start(launch, kernel,
                                                   passed<Parameters>(arguments)...);
                                         },
                                         [&]<class Call>(const named_kernel<Call> &kernel) {
                                             start_named(launch, kernel, arguments...);
                                         }}};
    };
}

/* The arguments' addresses, as cudaLaunchKernel() has them. */
template <class... Parameters>
cudaError_t launch_by_addresses(kernel_launch launch, void (*kernel)(Parameters...),
                                void **addresses)
{
    [&]<size_t... I>(std::index_sequence<I...>)
    {
        start(launch, kernel, *(passed_as<Parameters> *)addresses[I]...);
    }
    (std::index_sequence_for<Parameters...>());
    return cudaPeekAtLastError();
}

} /* namespace cuda_cpu */

#include "device_sync.h"
#include "device_atomics.h"
#include "device_math.h"
#include "texture_fetch_functions.h"

#pragma GCC visibility pop

/* The calls that take the address of a pointer, of any type. */
#define CUDA_CPU_TYPED(name)                                                                       \
    template <class T, class... Arguments>                                                         \
    requires(!std::is_void_v<T>) cudaError_t name(T **pointer, Arguments... arguments)             \
    {                                                                                              \
        return name((void **)pointer, arguments...);                                               \
    }
CUDA_CPU_TYPED(cudaMalloc)
CUDA_CPU_TYPED(cudaMallocPitch)
CUDA_CPU_TYPED(cudaMallocManaged)
CUDA_CPU_TYPED(cudaMallocAsync)
CUDA_CPU_TYPED(cudaHostAlloc)
CUDA_CPU_TYPED(cudaHostGetDevicePointer)
#undef CUDA_CPU_TYPED

/* Describes texels that are numbers or short vectors. */
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc()
{
    const auto describe = []<class C>(C, int count) {
        const int bits = 8 * sizeof(C);
        return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                     count > 3 ? bits : 0,
                                     std::is_floating_point_v<C> ? cudaChannelFormatKindFloat
                                     : std::is_signed_v<C>       ? cudaChannelFormatKindSigned
                                                                 : cudaChannelFormatKindUnsigned);
    };
    if constexpr (std::is_arithmetic_v<T>)
        return describe(T(), 1);
    else
        return describe(decltype(T::x)(), (int)(sizeof(T) / sizeof(decltype(T::x))));
}

/* Hints as they were before CUDA 13, of a device's number. */
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = 0)
{
    return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int)
{
    return cudaSuccess;
}

template <class T>
cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned flags = cudaHostAllocDefault)
{
    return cudaHostAlloc(pointer, size, flags);
}

inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *source, size_t count,
                                    size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = 0)
{
    bool fits = offset <= sizeof symbol && count <= sizeof symbol - offset;
    return cuda_cpu::copy_symbol((char *)&symbol + offset, source, count, fits, kind,
                                 cudaMemcpyHostToDevice, stream);
}

template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *source, size_t count, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbolAsync(symbol, source, count, offset, kind);
}

template <class T>
cudaError_t
cudaMemcpyFromSymbolAsync(void *target, const T &symbol, size_t count, size_t offset = 0,
                          cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    bool fits = offset <= sizeof symbol && count <= sizeof symbol - offset;
    return cuda_cpu::copy_symbol(target, (const char *)&symbol + offset, count, fits, kind,
                                 cudaMemcpyDeviceToHost, stream);
}

template <class T>
cudaError_t cudaMemcpyFromSymbol(void *target, const T &symbol, size_t count, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbolAsync(target, symbol, count, offset, kind);
}

template <class T>
cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
    *pointer = (void *)&symbol;
    cuda_cpu::note_variable(&symbol, sizeof symbol, false);
    return cudaSuccess;
}

template <class T>
cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    *size = sizeof symbol;
    return cudaSuccess;
}

template <class T>
cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel)
{
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}

template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel, int block_size,
                                                          size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size,
                                                         shared_bytes);
}

#define cudaStreamBeginCapture cuda_cpu_begin_capture
/* As it was before CUDA 12. */
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, void *, char *,
                                        size_t)
{
    return cudaGraphInstantiate(exec, graph);
}

/* The block that fills a multiprocessor, and how many blocks fill the device. */
template <class T, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *blocks, int *block_size, T *,
                                                           SharedBytes, int limit = 0)
{
    *blocks = cuda_cpu::workers();
    *block_size = limit > 0 && limit < cuda_cpu::MAX_THREADS ? limit : cuda_cpu::MAX_THREADS;
    return cudaSuccess;
}

template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *blocks, int *block_size, T *kernel,
                                               size_t shared_bytes = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(blocks, block_size, kernel, shared_bytes,
                                                          limit);
}

template <class T>
cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}

/* cu2cpp.awk takes the cast to void * from the kernel. */
#define CUDA_CPU_LAUNCH(name, cooperative)                                                         \
    template <class... Parameters>                                                                 \
    cudaError_t name(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments,       \
                     size_t shared_bytes = 0, cudaStream_t stream = 0, CUDA_CPU_CALLER)            \
    {                                                                                              \
        return cuda_cpu::launch_by_addresses({"a kernel", file, line, nullptr, grid, block,        \
                                              shared_bytes, stream, nullptr, nullptr, false,       \
                                              cooperative},                                        \
                                             kernel, arguments);                                   \
    }
CUDA_CPU_LAUNCH(cudaLaunchKernel, false)
CUDA_CPU_LAUNCH(cudaLaunchCooperativeKernel, true)
#undef CUDA_CPU_LAUNCH

/* Nothing, because headers of the C++ library, which may come later, write the attribute with
 * underscores, too. */
#define __noinline__

#endif
