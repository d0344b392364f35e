/*
 * vendor.cu - the toolkit's own histogram, cub::DeviceHistogram. Its header takes nvcc longer than
 * the rest of the lab.
 */
#include <cuda_runtime.h>
#if defined __CUDACC__ && __has_include(<cub/device/device_histogram.cuh>)
#include <cub/device/device_histogram.cuh>
#define HAVE_CUB 1
#endif

#include "histogram.h"

#ifdef HAVE_CUB
/* Counts into 256 bins between the 257 levels 0 to 256; without room it tells how much it wants. */
static void count_by_cub(void *room, size_t *bytes, const problem *p, const launch *l)
{
    const uint8_t *data = l ? (const uint8_t *)l->buffer[DATA] : NULL;
    unsigned *counts = l ? (unsigned *)l->buffer[COUNTS] : NULL;
    CUDA_CHECK(cub::DeviceHistogram::HistogramEven(room, *bytes, data, counts, BINS + 1, 0, BINS,
                                                   p->width, l ? l->stream : NULL));
}

static size_t cub_bytes(const problem *p)
{
    size_t bytes = 0;
    count_by_cub(NULL, &bytes, p, NULL);
    return bytes;
}

static void launch_cub(const problem *p, const launch *l)
{
    size_t bytes = cub_bytes(p);
    count_by_cub(l->workspace, &bytes, p, l);
}
#endif

const variant cub_variant =
    VENDOR_VARIANT("cub", "cub::DeviceHistogram::HistogramEven", BUILT(HAVE_CUB, launch_cub),
                   .needs = "CUB", .workspace_bytes = BUILT(HAVE_CUB, cub_bytes));
