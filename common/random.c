#include "random.h"

#include <math.h>

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint64_t random_bits(uint64_t seed, uint64_t index)
{
    /* The seed is mixed too: neighbouring seeds must not give shifted copies of one stream. */
    return mix(mix(seed + 1) + (index + 1) * 0x9E3779B97F4A7C15u);
}

void random_fill_float(float *values, size_t count, float low, float high, uint64_t seed)
{
    float below_high = nextafterf(high, low); /* the sum may round up to high */
    double width = high - low;
#pragma omp parallel for
    for (size_t i = 0; i < count; i++) {
        double part = width * (double)(random_bits(seed, i) >> 40) * 0x1p-24; /* exact */
        values[i] = fminf((float)(low + part), below_high);
    }
}

void random_fill_bytes(uint8_t *values, size_t count, uint64_t seed)
{
#pragma omp parallel for
    for (size_t i = 0; i < count; i++)
        values[i] = (uint8_t)(random_bits(seed, i) >> 56);
}
