/*
 * runtime.cpp - errors, the device's description, and what kernels may ask for.
 */
#include "streams.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <omp.h>
#include <unistd.h>

namespace cuda_cpu
{

/* What kernels opted in to. */
static std::mutex mutex;
static std::map<const void *, size_t> shared_limits LASTING;

typedef std::lock_guard<std::mutex> guard;

static __thread cudaError_t last_error;

cudaError_t set_error(cudaError_t error)
{
    last_error = error;
    note_failure("a call");
    return error;
}

cudaError_t succeed_if(bool right, cudaError_t error)
{
    return right ? cudaSuccess : set_error(error);
}

cudaError_t device_error()
{
    return succeed_if(!is_device_lost(), cudaErrorAssert);
}

/* A program that ended otherwise had no time for it; 1 is one of wrong results. */
static void tell_leaks(int status, void *)
{
    size_t memories = live_allocations();
    if (status > 1 || (memories == 0 && live_handles() == 0))
        return;
    fflush(nullptr);
    fprintf(stderr,
            "CUDA on the CPU: not released: %zu allocations, %zu streams, events and graphs\n",
            memories, live_handles());
    _exit(66);
}

bool is_strict()
{
    static const char *const wanted = getenv("CUDA_CPU_STRICT");
    return wanted && strcmp(wanted, "1") == 0;
}

void watch_leaks()
{
    static const bool watched = is_strict() && !on_exit(tell_leaks, nullptr);
    (void)watched;
}

/* The latest launch of this host thread, until somebody asks for its error. */
static __thread struct {
    const char *file;
    int line;
} unasked;

void note_launch(const char *file, int line)
{
    unasked = {file, line};
}

void want_asked()
{
    if (unasked.file && is_strict())
        die(unasked.file, unasked.line, "nobody asks for the error of this launch");
}

size_t dynamic_shared_limit(const void *kernel)
{
    guard lock(mutex);
    if (!kernel) { /* called by its name: the most that any may have */
        size_t most = DEFAULT_SHARED_BYTES;
        for (const auto &[address, limit] : shared_limits)
            most = std::max(most, limit);
        return most;
    }
    auto found = shared_limits.find(kernel);
    return found == shared_limits.end() ? (size_t)DEFAULT_SHARED_BYTES : found->second;
}

/* What the device may use at most: the race checker's part where there is one. */
size_t physical_memory()
{
    size_t bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    return checker ? bytes / checker->cost : bytes;
}

/* How many blocks run at a time. The race checker and AddressSanitizer (see __shared__) want one.
 */
int workers()
{
    return checker || ADDRESS_SANITIZER ? 1 : omp_get_max_threads();
}

/* Counts those of the card that the lens stands for; else one for each worker. */
static int multiprocessors()
{
    return checker && checker->multiprocessors ? (int)checker->multiprocessors : workers();
}

static int cache_size()
{
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (int)bytes : 1 << 20;
}

static cudaDeviceProp describe()
{
    cudaDeviceProp p = {};
#define SET(name, number, member, value) p.member = value;
    CUDA_CPU_ATTRIBUTES(SET)
#undef SET
    snprintf(p.name, sizeof p.name, "CPU (%d thread%s)", workers(), workers() == 1 ? "" : "s");
    p.totalGlobalMem = physical_memory();
    p.memPitch = 0x7fffffff, p.textureAlignment = 512, p.texturePitchAlignment = 32;
    p.reservedSharedMemPerBlock = MULTIPROCESSOR_SHARED_BYTES - OPT_IN_SHARED_BYTES;
    return p;
}

} /* namespace cuda_cpu */

using namespace cuda_cpu;

/* ---- errors --------------------------------------------------------------------------------- */

struct error_words {
    cudaError_t error;
    const char *name, *text;
};

static error_words words_of(cudaError_t error)
{
#define WORDS(name, number, text) {name, #name, text},
    static const error_words table[] = {CUDA_CPU_ERRORS(WORDS)};
#undef WORDS
    for (const error_words &words : table)
        if (words.error == error)
            return words;
    return {error, "unrecognized error code", "unrecognized error code"};
}

const char *cudaGetErrorName(cudaError_t error)
{
    return words_of(error).name;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return words_of(error).text;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    note_launch(nullptr, 0);
    return last_error;
}

/* The C library's, for the host; a kernel's counts as clock64() does. */
extern "C" clock_t clock(void)
{
    timespec now;
    clock_gettime(in_kernel() ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &now);
    const long units = in_kernel() ? 1 : 1000000000L / CLOCKS_PER_SEC;
    return now.tv_sec * (1000000000L / units) + now.tv_nsec / units;
}

/* ---- the device ----------------------------------------------------------------------------- */

#define ANSWER(name, value)                                                                        \
    cudaError_t name(int *answer)                                                                  \
    {                                                                                              \
        *answer = value;                                                                           \
        return cudaSuccess;                                                                        \
    }
/* What changes nothing here. */
#define HINT(name, ...)                                                                            \
    cudaError_t name(__VA_ARGS__)                                                                  \
    {                                                                                              \
        return cudaSuccess;                                                                        \
    }
HINT(cudaSetDeviceFlags, unsigned int)
HINT(cudaDeviceSetCacheConfig, cudaFuncCache)
HINT(cudaMemAdvise, const void *, size_t, cudaMemoryAdvise, cudaMemLocation)
HINT(cudaProfilerStart, void)
HINT(cudaProfilerStop, void)
HINT(cudaStreamAttachMemAsync, cudaStream_t, void *, size_t, unsigned int)
HINT(cudaMemPrefetchAsync, const void *, size_t, cudaMemLocation, unsigned int, cudaStream_t)
HINT(cudaFuncSetCacheConfig, const void *, cudaFuncCache)

ANSWER(cudaGetDeviceCount, 1)
ANSWER(cudaGetDevice, 0)
/* Neither a driver nor the toolkit's runtime is here. */
ANSWER(cudaDriverGetVersion, 0)
ANSWER(cudaRuntimeGetVersion, 0)

/* There is the device 0 only. */
cudaError_t cudaSetDevice(int device)
{
    return succeed_if(device == 0, cudaErrorInvalidDevice);
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *)
{
    *device = 0;
    return cudaSuccess;
}

static size_t limits[] = {1024, 1 << 20, 8 << 20}; /* a GPU's; nothing here heeds them */

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value)
{
    if (limit > cudaLimitMallocHeapSize)
        return set_error(cudaErrorUnsupportedLimit);
    limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, cudaLimit limit)
{
    if (limit > cudaLimitMallocHeapSize)
        return set_error(cudaErrorUnsupportedLimit);
    *pValue = limits[limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int)
{
    *canAccessPeer = 0;
    return cudaSetDevice(device);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device)
{
    *prop = describe();
    return cudaSetDevice(device);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int device)
{
    const cudaDeviceProp p = describe();
    switch (attr) {
#define CASE(name, number, member, ...)                                                            \
    case name:                                                                                     \
        *value = (int)p.member;                                                                    \
        return cudaSetDevice(device);
        CUDA_CPU_ATTRIBUTES(CASE)
#undef CASE
    default:
        return set_error(cudaErrorInvalidValue);
    }
}

/* A CPU is on no bus: an empty name. */
cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    if (!pciBusId || len < 1)
        return set_error(cudaErrorInvalidValue);
    pciBusId[0] = '\0';
    return cudaSetDevice(device);
}

/* ---- kernels -------------------------------------------------------------------------------- */

cudaError_t cudaFuncSetAttribute(const void *func, cudaFuncAttribute attr, int value)
{
    if (!func)
        return set_error(cudaErrorInvalidDeviceFunction);
    if (attr == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess; /* a hint */
    if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        value > OPT_IN_SHARED_BYTES)
        return set_error(cudaErrorInvalidValue);
    guard lock(mutex);
    shared_limits[func] = (size_t)value;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *)
{
    return set_error(cudaErrorNotSupported);
}

/* A host thread works on one block at a time; on none that the kernel has no shared memory for, as
 * long as it did not opt in. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                          int blockSize, size_t dynamicSMemSize)
{
    if (!numBlocks || blockSize < 1)
        return set_error(cudaErrorInvalidValue);
    *numBlocks = blockSize <= MAX_THREADS && dynamicSMemSize <= dynamic_shared_limit(func) ? 1 : 0;
    if (*numBlocks && checker && checker->resident)
        *numBlocks = (int)checker->resident((unsigned)blockSize, dynamicSMemSize);
    return cudaSuccess;
}
