#define _POSIX_C_SOURCE 200809L /* popen */

#include "device.h"
#include "cuda_check.h"
#include "die.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#ifndef CUDA_ON_CPU
#include <cuda_occupancy.h>
#endif

device device_open(int index)
{
    device d;
    int count = 0;
    memset(&d, 0, sizeof d);
    CUDA_CHECK(cudaGetDeviceCount(&count));
    if (index >= count)
        die_bad_input("--device %d: there %s %d device%s, counted from 0", index,
                      count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
    CUDA_CHECK(cudaSetDevice(index));
    CUDA_CHECK(cudaGetDeviceProperties(&d.properties, index));
    CUDA_CHECK(cudaDriverGetVersion(&d.driver_version));
    CUDA_CHECK(cudaRuntimeGetVersion(&d.runtime_version));
    d.index = index;
#ifdef CUDA_ON_CPU
    d.emulated = true;
#endif
    return d;
}

int device_clock_mhz(const device *d)
{
    char bus_id[32], command[160];
    int mhz = -1;
    if (d->emulated || cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, d->index) != cudaSuccess)
        return -1;
    snprintf(command, sizeof command,
             "nvidia-smi --query-gpu=clocks.sm --format=csv,noheader,nounits -i %s 2>/dev/null",
             bus_id);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return -1;
    if (fscanf(pipe, "%d", &mhz) != 1)
        mhz = -1;
    pclose(pipe);
    return mhz;
}

/* ---- occupancy ------------------------------------------------------------------------------ */

#ifndef CUDA_ON_CPU
static const char *name_limits(unsigned factors)
{
    static char text[128];
    static const struct {
        unsigned bit;
        const char *name;
    } limits[] = {
        {OCC_LIMIT_WARPS, "warps"},
        {OCC_LIMIT_REGISTERS, "registers"},
        {OCC_LIMIT_SHARED_MEMORY, "shared_memory"},
        {OCC_LIMIT_BLOCKS, "blocks"},
        {OCC_LIMIT_BARRIERS, "barriers"},
    };
    text[0] = '\0';
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (factors & limits[i].bit) {
            if (text[0])
                strcat(text, "+");
            strcat(text, limits[i].name);
        }
    return text;
}

static const char *find_limiter(const device *d, const struct cudaFuncAttributes *a, int threads,
                                size_t dynamic_shared_bytes)
{
    const struct cudaDeviceProp *p = &d->properties;
    cudaOccDeviceProp properties = {
        .computeMajor = p->major,
        .computeMinor = p->minor,
        .maxThreadsPerBlock = p->maxThreadsPerBlock,
        .maxThreadsPerMultiprocessor = p->maxThreadsPerMultiProcessor,
        .regsPerBlock = p->regsPerBlock,
        .regsPerMultiprocessor = p->regsPerMultiprocessor,
        .warpSize = p->warpSize,
        .sharedMemPerBlock = p->sharedMemPerBlock,
        .sharedMemPerMultiprocessor = p->sharedMemPerMultiprocessor,
        .numSms = p->multiProcessorCount,
        .sharedMemPerBlockOptin = p->sharedMemPerBlockOptin,
        .reservedSharedMemPerBlock = p->reservedSharedMemPerBlock,
    };
    cudaOccFuncAttributes attributes = {
        .maxThreadsPerBlock = a->maxThreadsPerBlock,
        .numRegs = a->numRegs,
        .sharedSizeBytes = a->sharedSizeBytes,
        .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = p->sharedMemPerBlockOptin,
        .numBlockBarriers = 1,
    };
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE};
    cudaOccResult found;
    cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(
        &found, &properties, &attributes, &state, threads, dynamic_shared_bytes);
    return status == CUDA_OCC_SUCCESS ? name_limits(found.limitingFactors) : "";
}
#else
static const char *find_limiter(const device *d, const struct cudaFuncAttributes *a, int threads,
                                size_t dynamic_shared_bytes)
{
    (void)d, (void)a, (void)threads, (void)dynamic_shared_bytes;
    return "";
}
#endif

kernel_resources device_kernel_resources(const device *d, const void *kernel, dim3 block,
                                         size_t dynamic_shared_bytes)
{
    kernel_resources r = {-1, -1, -1, -1, -1, -1, -1, NAN, ""};
    struct cudaFuncAttributes a;
    int threads = (int)(block.x * block.y * block.z);
    if (d->emulated || !kernel)
        return r;
    CUDA_CHECK(cudaFuncGetAttributes(&a, kernel));
    r.registers = a.numRegs;
    r.shared_bytes = (int)(a.sharedSizeBytes + dynamic_shared_bytes);
    r.local_bytes = (int)a.localSizeBytes;
    r.constant_bytes = (int)a.constSizeBytes;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&r.blocks_per_sm, kernel, threads,
                                                             dynamic_shared_bytes));
    int warp = d->properties.warpSize;
    int warps_per_block = (threads + warp - 1) / warp;
    r.warps_per_sm = r.blocks_per_sm * warps_per_block;
    r.threads_per_sm = r.warps_per_sm * warp;
    r.occupancy = (double)r.threads_per_sm / d->properties.maxThreadsPerMultiProcessor;
    r.limiter = find_limiter(d, &a, threads, dynamic_shared_bytes);
    return r;
}

const char *device_refuses_launch(const device *d, const void *kernel, dim3 block,
                                  size_t dynamic_shared_bytes)
{
    enum { DEFAULT_SHARED_LIMIT = 48 * 1024 };
    static char reason[128];
    struct cudaFuncAttributes a = {.maxThreadsPerBlock = INT_MAX};
    int threads = (int)(block.x * block.y * block.z);
    if (!kernel)
        return NULL;
    if (!d->emulated)
        CUDA_CHECK(cudaFuncGetAttributes(&a, kernel));
    if (threads > a.maxThreadsPerBlock) {
        snprintf(reason, sizeof reason,
                 "%d threads are more than the %d its registers leave room for", threads,
                 a.maxThreadsPerBlock);
        return reason;
    }
    size_t available = d->properties.sharedMemPerBlockOptin;
    if (a.sharedSizeBytes + dynamic_shared_bytes > available) {
        snprintf(reason, sizeof reason, "%zu bytes of shared memory are more than the device's %zu",
                 a.sharedSizeBytes + dynamic_shared_bytes, available);
        return reason;
    }
    if (dynamic_shared_bytes > DEFAULT_SHARED_LIMIT)
        /* all there is: another block's case must not lower what this one needs */
        CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)(available - a.sharedSizeBytes)));
    return NULL;
}
