/*
 * integer_dp2a.cu - the walk of flat_bytes on integers: their weights, and the kernel.
 */
#include <cuda_runtime.h>
#include <math.h>

#include "byte_strips.cuh"
#include "gaussian.h"
#include "integer_rule.cuh"
#include "lab.h"

/*
 * integer_dp2a: against flat_bytes, nothing is converted: a row's five taps are three dp2a, on
 * bytes as they are, and their sums are floats bit by bit (integer_rule.cuh). Block and thread take
 * what they take in flat_bytes. Any block; radius 2 only, and a sigma whose weights have such a
 * ratio.
 *
 *      a channel's bytes    a   b   c   d   e
 *      first dp2a           A   B
 *      second                       C   0         each adds to the sum of the one before
 *      third                            B   A
 */
template <int DISTANCE>
__global__ void integer_dp2a(const uint8_t *in, uint8_t *out, shape s, integer_rule rule)
{
    walk_own_strip<DISTANCE>(in, out, s, rule);
}

static void launch_integer_dp2a(const problem *p, const launch *l)
{
    typedef void (*bytes_kernel)(const uint8_t *in, uint8_t *out, shape s, integer_rule rule);
    bytes_kernel kernel = (bytes_kernel)l->kernel;
    kernel<<<grid_of_strips(p, l->block), l->block, 0, l->stream>>>(
        (uint8_t *)l->buffer[INPUT], (uint8_t *)l->buffer[OUTPUT], shape_of(p),
        fixed_point_weights);
    CUDA_CHECK(cudaGetLastError());
}

/* ---- the weights ---------------------------------------------------------------------------- */

integer_rule fixed_point_weights;
static double weights_off_by; /* their distance from the exact ones */

/*
 * Returns how far A/S, B/S, .. are from the weights, added up. The differences add up to 0, so a
 * row's sum of bytes is off by no more than half of this times 255.
 */
static double distance_of_weights(double s, double a, double b, const double *exact)
{
    return 2 * fabs(a / s - exact[0]) + 2 * fabs(b / s - exact[1]) +
           fabs((s - 2 * a - 2 * b) / s - exact[2]);
}

/* Finds the nearest ones to `exact`, w(-2), w(-1) and w(0). Returns their distance. */
static double nearest_integer_weights(const double *exact, integer_rule *rule)
{
    double nearest = INFINITY;
    for (int s = 32768; s < 65536; s++) {
        double a = floor(exact[0] * s + 0.5), b = floor(exact[1] * s + 0.5);
        double distance = distance_of_weights(s, a, b, exact);
        if (distance < nearest) {
            uint32_t outer = (uint32_t)a, inner = (uint32_t)b;
            rule->before = outer | inner << 16;
            rule->own = s - 2 * outer - 2 * inner;
            rule->after = inner | outer << 16;
            rule->scale = (float)(exact[2] / s);
            nearest = distance;
        }
    }
    rule->next = (float)(exact[1] / exact[2]);
    rule->last = (float)(exact[0] / exact[2]);
    return nearest;
}

void find_fixed_point_weights()
{
    if (filter_radius() == 2)
        weights_off_by = nearest_integer_weights(gauss.exact, &fixed_point_weights);
}

/*
 * Refuses weights that are off by more than 40 u, u = 2^-24. Half of that and 5 u of a column's
 * roundings (a sum, the quotient of two weights, two fused multiply-adds, the scale) are less than
 * the 27 u of 255 that check() allows.
 */
const char *refuse_unfit_weights(const problem *p, dim3 block)
{
    const char *refused = refuse_all_but_5x5(p, block);
    bool fit = weights_off_by <= 40 * 0x1p-24;
    return refused ? refused
           : fit   ? NULL
                   : "no whole numbers of 16 bits are near its weights' ratio";
}

extern const variant integer_dp2a_variant =
    GPU_VARIANT("integer_dp2a", "the same without conversions: whole weights, dp2a",
                run_in_passes<launch_integer_dp2a>,
                .kernel_for = instance<integer_dp2a<1>, integer_dp2a<3>, integer_dp2a<4>>,
                .workspace_bytes = picture_between, .refuse = refuse_unfit_weights);
