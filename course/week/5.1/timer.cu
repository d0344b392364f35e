__constant__ float constant_line[TAPS_MAX]; /* gauss.line */

#define rounded(sum, middle) (middle)
#include "check.h"

template <class Pixel, class Sum>
__global__ void separable(const Pixel *in, Pixel *out, shape s)
{
    out[0] = rounded(constant_line[0], in[0]);
}
