/*
 * drawing.cuh - what programs that draw products by a seed share: numbers at random, and what ends
 * them where a call fails.
 */
#ifndef TESTS_FP32_GEMM_DRAWING_CUH
#define TESTS_FP32_GEMM_DRAWING_CUH

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((int)(call) != 0) {                                                                    \
            printf("Bail out! %s:%d: %s\n", __FILE__, __LINE__, #call);                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static uint64_t state;

/* Returns the next number of a generator (splitmix64), below `end`. */
static unsigned draw(unsigned end)
{
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (unsigned)((z ^ z >> 31) % end);
}

static int draw_size(int from, int to)
{
    return (int)(from * pow((double)to / from, draw(1000) / 999.0));
}

/* Returns how many blocks of 256 threads have one for each. */
static unsigned blocks(size_t count)
{
    return (unsigned)((count + 255) / 256);
}

#endif
