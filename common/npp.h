/*
 * npp.h - what every call of NPP needs. For .cu files, where the toolkit has NPP (HAVE_NPP).
 */
#ifndef COMMON_NPP_H
#define COMMON_NPP_H

#ifdef HAVE_NPP

#include <nppi_filtering_functions.h>
#include <stdio.h>

#include "lab.h"
#include "process/cuda_check.h"
#include "process/die.h"

static inline const char *npp_text(int status)
{
    static char text[32];
    snprintf(text, sizeof text, "NPP status %d", status);
    return text;
}

/* What it does not offer, such as a radius, it says itself: that skips a row. */
static inline int npp_refusal(int status)
{
#define REFUSAL(name)                                                                              \
    if (status == (name))                                                                          \
        library_refuse("NPP answers " #name);
    REFUSAL(NPP_MASK_SIZE_ERROR)
    REFUSAL(NPP_ANCHOR_ERROR)
    REFUSAL(NPP_SIZE_ERROR)
    REFUSAL(NPP_RANGE_ERROR)
    REFUSAL(NPP_OUT_OFF_RANGE_ERROR)
    REFUSAL(NPP_BAD_ARGUMENT_ERROR)
    REFUSAL(NPP_NOT_IMPLEMENTED_ERROR)
    REFUSAL(NPP_NOT_SUPPORTED_MODE_ERROR)
    REFUSAL(NPP_NOT_SUFFICIENT_COMPUTE_CAPABILITY)
#undef REFUSAL
    return status;
}

#define NPP_CHECK(expression) LIBRARY_CHECK(npp_refusal(expression), NPP_SUCCESS, npp_text)

/* What NPP wants to know about the device and the stream. */
static inline NppStreamContext npp_context(cudaStream_t stream)
{
    NppStreamContext c = {.hStream = stream};
    cudaDeviceProp device;
    CUDA_CHECK(cudaGetDevice(&c.nCudaDeviceId));
    CUDA_CHECK(cudaGetDeviceProperties(&device, c.nCudaDeviceId));
    c.nMultiProcessorCount = device.multiProcessorCount;
    c.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
    c.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
    c.nSharedMemPerBlock = device.sharedMemPerBlock;
    c.nCudaDevAttrComputeCapabilityMajor = device.major;
    c.nCudaDevAttrComputeCapabilityMinor = device.minor;
    CUDA_CHECK(cudaStreamGetFlags(stream, &c.nStreamFlags));
    return c;
}

/* For .plan_once: that context; to be released by free(). */
static inline void *plan_npp_context(const problem *, const launch *l)
{
    NppStreamContext context = npp_context(l->stream), *kept;
    kept = (NppStreamContext *)allocate(sizeof *kept);
    *kept = context;
    return kept;
}

#endif

#endif
