/*
 * vendor.cu - the toolkit's own sum and scan, of CUB, whose headers take nvcc longer than the rest.
 */
#include <cuda_runtime.h>
#ifdef __CUDACC__
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#define HAVE_CUB 1
#endif

#include "reduction.h"

#ifdef HAVE_CUB
/* Works in `room` of so many bytes; where there is none, CUB only says in *bytes what it wants. */
static void call_cub(void *room, size_t *bytes, const unsigned *value, unsigned *result, int n,
                     cudaStream_t stream)
{
    CUDA_CHECK(op == SUM ? cub::DeviceReduce::Sum(room, *bytes, value, result, n, stream)
                         : cub::DeviceScan::InclusiveSum(room, *bytes, value, result, n, stream));
}

static size_t cub_room(const problem *p)
{
    size_t bytes = 0;
    call_cub(NULL, &bytes, NULL, NULL, p->width, 0);
    return bytes;
}

static void launch_cub(const problem *p, const launch *l)
{
    size_t bytes = cub_room(p);
    call_cub(l->workspace, &bytes, (const unsigned *)l->buffer[VALUES],
             (unsigned *)l->buffer[RESULT], p->width, l->stream);
}
#endif

#define CUB_VARIANT(id, idea, OP)                                                                  \
    VENDOR_VARIANT(id, idea, BUILT(HAVE_CUB, launch_cub), .needs = "CUB",                          \
                   .workspace_bytes = BUILT(HAVE_CUB, cub_room), .applies = makes<OP>)

const variant cub_sum_variant = CUB_VARIANT("cub_sum", "cub::DeviceReduce::Sum", SUM);
const variant cub_scan_variant = CUB_VARIANT("cub_scan", "cub::DeviceScan::InclusiveSum", SCAN);
