/*
 * runtime.cpp - errors, the device's description, streams, events, and what kernels may ask for.
 */
#include "engine.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <omp.h>
#include <set>
#include <unistd.h>

typedef std::chrono::steady_clock::time_point time_point;

struct CUstream_st {
    unsigned flags;
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
    time_point time;
};

namespace cuda_cpu
{

/* The handles that were created and not destroyed, and what kernels opted in to. */
static std::mutex mutex;
static std::set<cudaStream_t> streams;
static std::set<cudaEvent_t> events;
static std::map<const void *, size_t> shared_limits;

typedef std::lock_guard<std::mutex> guard;

static __thread cudaError_t last_error;

cudaError_t set_error(cudaError_t error)
{
    last_error = error;
    return error;
}

bool is_stream(cudaStream_t stream)
{
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return true;
    guard lock(mutex);
    return streams.count(stream) > 0;
}

static bool is_event(cudaEvent_t event)
{
    guard lock(mutex);
    return events.count(event) > 0;
}

size_t dynamic_shared_limit(const void *kernel)
{
    guard lock(mutex);
    auto found = shared_limits.find(kernel);
    return found == shared_limits.end() ? (size_t)DEFAULT_SHARED_BYTES : found->second;
}

/* What the device may use at most: the race checker's part where there is one. */
size_t physical_memory()
{
    if (checker)
        return checker->capacity();
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

static int second_level_cache()
{
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (int)bytes : 1 << 20;
}

/* The device's numbers: a GPU's where the engine keeps to them. */
static cudaDeviceProp describe()
{
    const int registers = 65536;
    cudaDeviceProp p = {};
    int threads = omp_get_max_threads();
    snprintf(p.name, sizeof p.name, "CPU (%d thread%s)", threads, threads == 1 ? "" : "s");
    p.totalGlobalMem = physical_memory();
    p.sharedMemPerBlock = DEFAULT_SHARED_BYTES;
    p.sharedMemPerBlockOptin = OPT_IN_SHARED_BYTES;
    p.sharedMemPerMultiprocessor = MULTIPROCESSOR_SHARED_BYTES;
    p.reservedSharedMemPerBlock = MULTIPROCESSOR_SHARED_BYTES - OPT_IN_SHARED_BYTES;
    p.regsPerBlock = p.regsPerMultiprocessor = registers;
    p.warpSize = warpSize;
    p.maxThreadsPerBlock = p.maxThreadsPerMultiProcessor = MAX_THREADS;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = MAX_THREADS;
    p.maxThreadsDim[2] = MAX_BLOCK_Z;
    p.maxGridSize[0] = MAX_GRID_X;
    p.maxGridSize[1] = p.maxGridSize[2] = MAX_GRID_YZ;
    p.totalConstMem = 64 * 1024;
    p.multiProcessorCount = threads;
    p.maxBlocksPerMultiProcessor = 1;
    p.integrated = p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = 1;
    p.l2CacheSize = second_level_cache();
    return p;
}

static int attribute_value(const cudaDeviceProp &p, cudaDeviceAttr attribute, bool *known)
{
    const struct {
        cudaDeviceAttr attribute;
        int value;
    } table[] = {
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, (int)p.sharedMemPerBlock},
        {cudaDevAttrTotalConstantMemory, (int)p.totalConstMem},
        {cudaDevAttrWarpSize, p.warpSize},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrIntegrated, p.integrated},
        {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)p.sharedMemPerMultiprocessor},
        {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)p.sharedMemPerBlockOptin},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
    };
    for (const auto &entry : table)
        if (entry.attribute == attribute) {
            *known = true;
            return entry.value;
        }
    *known = false;
    return 0;
}

} /* namespace cuda_cpu */

using namespace cuda_cpu;

/* ---- errors --------------------------------------------------------------------------------- */

static const struct {
    cudaError_t error;
    const char *name, *text;
} error_table[] = {
#define CUDA_CPU_ERROR_ENTRY(name, number, text) {name, #name, text},
    CUDA_CPU_ERRORS(CUDA_CPU_ERROR_ENTRY)
#undef CUDA_CPU_ERROR_ENTRY
};

static const char UNKNOWN_ERROR[] = "unrecognized error code";

const char *cudaGetErrorName(cudaError_t error)
{
    for (const auto &entry : error_table)
        if (entry.error == error)
            return entry.name;
    return UNKNOWN_ERROR;
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (const auto &entry : error_table)
        if (entry.error == error)
            return entry.text;
    return UNKNOWN_ERROR;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

/* ---- the device ----------------------------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : set_error(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device)
{
    if (device != 0)
        return set_error(cudaErrorInvalidDevice);
    *prop = describe();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int device)
{
    if (device != 0)
        return set_error(cudaErrorInvalidDevice);
    bool known;
    int found = attribute_value(describe(), attr, &known);
    if (!known)
        return set_error(cudaErrorInvalidValue);
    *value = found;
    return cudaSuccess;
}

/* A CPU is on no bus: an empty name. */
cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    if (device != 0)
        return set_error(cudaErrorInvalidDevice);
    if (!pciBusId || len < 1)
        return set_error(cudaErrorInvalidValue);
    pciBusId[0] = '\0';
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

/* Neither a driver nor the toolkit's runtime is here. */
cudaError_t cudaDriverGetVersion(int *driverVersion)
{
    *driverVersion = 0;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
    *runtimeVersion = 0;
    return cudaSuccess;
}

/* ---- streams -------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
    return cudaStreamCreateWithFlags(pStream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    if (!pStream || flags > cudaStreamNonBlocking)
        return set_error(cudaErrorInvalidValue);
    guard lock(mutex);
    *pStream = new CUstream_st{flags};
    streams.insert(*pStream);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int)
{
    return cudaStreamCreateWithFlags(pStream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    guard lock(mutex);
    if (streams.erase(stream) == 0)
        return set_error(cudaErrorInvalidResourceHandle);
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return is_stream(stream) ? cudaSuccess : set_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int)
{
    if (!is_stream(stream) || !is_event(event))
        return set_error(cudaErrorInvalidResourceHandle);
    return cudaSuccess;
}

/* ---- events --------------------------------------------------------------------------------- */

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    if (!event || (flags & ~(cudaEventBlockingSync | cudaEventDisableTiming)))
        return set_error(cudaErrorInvalidValue);
    guard lock(mutex);
    *event = new CUevent_st{flags, false, {}};
    events.insert(*event);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    guard lock(mutex);
    if (events.erase(event) == 0)
        return set_error(cudaErrorInvalidResourceHandle);
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (!is_event(event) || !is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    event->recorded = true;
    event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return is_event(event) ? cudaSuccess : set_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

static bool has_time(cudaEvent_t event)
{
    return is_event(event) && event->recorded && !(event->flags & cudaEventDisableTiming);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!has_time(start) || !has_time(end))
        return set_error(cudaErrorInvalidResourceHandle);
    *ms = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return cudaSuccess;
}

/* ---- graphs --------------------------------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode)
{
    return set_error(cudaErrorNotSupported);
}

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *pGraph)
{
    if (pGraph)
        *pGraph = nullptr;
    return set_error(cudaErrorNotSupported);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *pCaptureStatus)
{
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    *pCaptureStatus = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t, unsigned long long)
{
    if (pGraphExec)
        *pGraphExec = nullptr;
    return set_error(cudaErrorNotSupported);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t)
{
    return set_error(cudaErrorNotSupported);
}

cudaError_t cudaGraphDestroy(cudaGraph_t)
{
    return set_error(cudaErrorNotSupported);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t)
{
    return set_error(cudaErrorNotSupported);
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

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attr, const void *)
{
    if (attr)
        *attr = {};
    return set_error(cudaErrorNotSupported);
}

/* A host thread works on one block at a time. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *,
                                                          int blockSize, size_t dynamicSMemSize)
{
    if (!numBlocks || blockSize < 1)
        return set_error(cudaErrorInvalidValue);
    *numBlocks = blockSize <= MAX_THREADS && dynamicSMemSize <= OPT_IN_SHARED_BYTES ? 1 : 0;
    return cudaSuccess;
}
