/*
 * vendor.cu - NPP's filter with weights of one's own, where the toolkit has it.
 */
#include <stdlib.h>

#include "gaussian.h"
#include "lab.h"
#include "npp.h"
#include "process/die.h"

/* Tells whether there is one pass: with each further one what cuts fractions off gets farther from
 * the exact result. */
static bool is_one_pass()
{
    return passes == 1;
}

static const rounding truncating = {.truncates = true};

#ifdef HAVE_NPP
/* What NPP wants to know about the device and the stream, and the weights where it reads them. */
typedef struct npp_plan {
    NppStreamContext context;
    Npp32f *d_weights; /* (2r+1)^2 */
} npp_plan;

static void *plan_npp(const problem *, const launch *l)
{
    size_t side = 2 * filter_radius() + 1, bytes = side * side * sizeof(float);
    npp_plan plan = {npp_context(l->stream), NULL};
    CUDA_CHECK(cudaMalloc(&plan.d_weights, bytes));
    CUDA_CHECK(cudaMemcpy(plan.d_weights, gauss.plane, bytes, cudaMemcpyHostToDevice));
    npp_plan *kept = (npp_plan *)allocate(sizeof *kept);
    *kept = plan;
    return kept;
}

static void release_npp(void *plan)
{
    CUDA_RELEASE(cudaFree(((npp_plan *)plan)->d_weights));
    free(plan);
}

/*
 * Calls FilterBorder32f, which takes any weights; FilterGaussBorder has its own, which are not
 * those of sigma 1. Of four channels it filters three and leaves the fourth of the output alone, so
 * the picture is copied there first, for its alpha.
 */
static void launch_npp(const problem *p, const launch *l)
{
    const npp_plan *plan = (const npp_plan *)l->plan;
    const Npp8u *in = (const Npp8u *)l->buffer[INPUT];
    Npp8u *out = (Npp8u *)l->buffer[OUTPUT];
    int radius = filter_radius(), step = p->width * channels();
    NppiSize size = {p->width, p->height}, taps = {2 * radius + 1, 2 * radius + 1};
    NppiPoint origin = {0, 0}, middle = {radius, radius};
    if (pixel_type == RGBA32)
        CUDA_CHECK(
            cudaMemcpyAsync(out, in, p->buffer[INPUT].bytes, cudaMemcpyDeviceToDevice, l->stream));
    auto filter = pixel_type == GRAY    ? nppiFilterBorder32f_8u_C1R_Ctx
                  : pixel_type == RGB24 ? nppiFilterBorder32f_8u_C3R_Ctx
                                        : nppiFilterBorder32f_8u_AC4R_Ctx;
    NPP_CHECK(filter(in, step, size, origin, out, step, size, plan->d_weights, taps, middle,
                     NPP_BORDER_REPLICATE, plan->context));
}
#endif

extern const variant npp_variant =
    VENDOR_VARIANT("npp", "NPP's FilterBorder32f with our weights", BUILT(HAVE_NPP, launch_npp),
                   .needs = "NPP", .applies = is_one_pass, .plan_once = BUILT(HAVE_NPP, plan_npp),
                   .release = BUILT(HAVE_NPP, release_npp), .own = &truncating);
