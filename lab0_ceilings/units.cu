/*
 * units.cu - arithmetic beside single precision's: integers, exponentials. Before each kernel
 * stands what is in its loop, at what rate the hardware should take it, and where the number is
 * from (sources: ceilings.h).
 */
#include "ceilings.h"
#include "power_of_two.cuh"
#include "steps.h"

/*
 * imad: v = a v + INCREMENT, INT_STEPS times, for a and the first v from x[i]: a generator of Knuth
 * (a - 1 a multiple of 4, an odd increment: no value comes again within 2^32 steps), eight chains a
 * thread as in `fma`. With a from memory no compiler makes one step of two. In the loop: IMAD, and
 * a counter and a branch for STEPS of each chain. Expected: 64 a clock and multiprocessor from
 * capability 7.0 on [guide], half of FP32's on Hopper: 132 x 64 x 2 x 1.98 GHz = 33.5 T operations
 * a second on an H200. Any block.
 */
static const int INT_CHAINS = 8, INT_UNROLLED = 64;

__global__ void multiply_add_int(const float *x, float *y, int n)
{
    const uint32_t *in = (const uint32_t *)x;
    int step = blockDim.x;
    int first = blockIdx.x * blockDim.x * INT_CHAINS + threadIdx.x;
    uint32_t v[INT_CHAINS], a[INT_CHAINS];
#pragma unroll
    for (int c = 0; c < INT_CHAINS; c++) {
        v[c] = first + c * step < n ? in[first + c * step] : 0;
        a[c] = multiplier(v[c]);
    }
#pragma unroll 1
    for (int k = 0; k < INT_STEPS; k += INT_UNROLLED) {
#pragma unroll
        for (int s = 0; s < INT_UNROLLED; s++)
#pragma unroll
            for (int c = 0; c < INT_CHAINS; c++)
                v[c] = a[c] * v[c] + INCREMENT;
    }
#pragma unroll
    for (int c = 0; c < INT_CHAINS; c++)
        if (first + c * step < n)
            ((uint32_t *)y)[first + c * step] = v[c];
}

const variant imad_variant =
    GPU_VARIANT("imad", "int32: eight chains a thread", launch_each<INT_CHAINS>,
                KERNEL(multiply_add_int), .applies = measures<INT32>);

/*
 * exp2: y[i] = the sum of 2^(x[i] + k / EXPS) for k = 0 .. EXPS-1. In the loop: MUFU.EX2 alone
 * (ex2.approx.ftz; exp2f adds instructions for subnormal results), an FADD for its argument and one
 * for the sum. Expected: 16 a clock and multiprocessor [guide]: 132 x 16 x 1.98 GHz = 4.18 T a
 * second on an H200, at which the additions take a quarter of theirs. Any block.
 */
static const int EXPS_UNROLLED = 32;

__global__ void exponentials(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], sum = 0;
#pragma unroll 1
    for (int k = 0; k < EXPS; k += EXPS_UNROLLED, v += (float)EXPS_UNROLLED / EXPS)
#pragma unroll
        for (int s = 0; s < EXPS_UNROLLED; s++)
            sum += power_of_two(v + (float)s / EXPS);
    y[i] = sum;
}

const variant exp2_variant =
    GPU_VARIANT("exp2", "exp: ex2.approx and two additions", launch_each<1>, KERNEL(exponentials),
                .applies = measures<EXP>);
