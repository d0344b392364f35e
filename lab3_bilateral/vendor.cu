/*
 * vendor.cu - NPP's bilateral filter, where the toolkit has it. Where a tap is outside the picture
 * it takes the nearest pixel, and is checked by that.
 */
#include <stdlib.h>

#include "bilateral.h"
#include "npp.h"

#ifdef HAVE_NPP
/* Runs a pass; NPP takes the squares of the sigmas. */
template <class Pixel>
static void pass_npp(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    const NppStreamContext *context = (const NppStreamContext *)l->plan;
    NppiSize size = {f.width, f.height};
    NppiPoint origin = {0, 0};
    int step = f.width * (int)sizeof(Pixel);
    float range = (float)(settings.sigma_range * settings.sigma_range);
    float space = (float)(settings.sigma_space * settings.sigma_space);
    if constexpr (sizeof(Pixel) == 1)
        NPP_CHECK(nppiFilterBilateralGaussBorder_8u_C1R_Ctx(d_in, step, size, origin, d_out, step,
                                                            size, f.radius, 1, range, space,
                                                            NPP_BORDER_REPLICATE, *context));
    else
        NPP_CHECK(nppiFilterBilateralGaussBorder_32f_C1R_Ctx(d_in, step, size, origin, d_out, step,
                                                             size, f.radius, 1, range, space,
                                                             NPP_BORDER_REPLICATE, *context));
}
#endif

static const char *refuse_npp(const problem *p, dim3 block)
{
    if (settings.not_finite)
        return "it is not asked what it makes of pixels that are no numbers";
    if (settings.passes > 1 && settings.border != REPLICATE)
        return "its other rule for the border spreads with each pass";
    if (settings.passes > 1 && settings.type == U8)
        return "it rounds to bytes after each pass in a way of its own";
    return refuse_colour(p, block);
}

/* NPP cuts the fractions of bytes off. */
static const deviation npp_deviation = {.off_by_level = true, .replicates_edge = true};

extern const variant npp_variant = VENDOR_VARIANT(
    "npp", "NPP's FilterBilateralGaussBorder",
    BUILT(HAVE_NPP, run_passes<pass_npp<float>, pass_npp<uint8_t>>), .needs = "NPP",
    .refuse = refuse_npp, .plan_once = BUILT(HAVE_NPP, plan_npp_context), .release = free,
    .singly = true, .note = "takes the nearest pixel for a tap outside the picture; timed singly",
    .own = &npp_deviation);
