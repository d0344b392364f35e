/*
 * test_random.c - the input data are SplitMix64's, the same everywhere, and look random.
 */
#include "random.h"
#include "tap.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 1 << 20 };

/* The state from which SplitMix64's published example starts is 1234567; this seed gives it. */
static void test_published_values(void)
{
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u,
                                         9817491932198370423u, 4593380528125082431u,
                                         16408922859458223821u};
    for (int i = 0; i < 5; i++)
        ok(random_bits(0x4373fdbf155465a2u, (uint64_t)i) == published[i],
           "value %d of SplitMix64's published example", i);
}

static void test_depends_on_seed_and_index_alone(void)
{
    float *all = malloc(MANY * sizeof *all), *few = malloc(MANY * sizeof *few);
    uint8_t *bytes = malloc(MANY), *fewer = malloc(MANY);
    omp_set_num_threads(1);
    random_fill_float(all, MANY, -1, 1, 7);
    random_fill_bytes(bytes, MANY, 7);
    omp_set_num_threads(5);
    random_fill_float(few, MANY, -1, 1, 7);
    random_fill_bytes(fewer, MANY, 7);
    ok(memcmp(all, few, MANY * sizeof *all) == 0, "floats: 1 thread and 5 give the same");
    ok(memcmp(bytes, fewer, MANY) == 0, "bytes: 1 thread and 5 give the same");

    few[1000] = 99;
    fewer[1000] = (uint8_t)(bytes[1000] + 1);
    random_fill_float(few, 1000, -1, 1, 7);
    random_fill_bytes(fewer, 1000, 7);
    ok(memcmp(all, few, 1000 * sizeof *all) == 0 && few[1000] == 99,
       "floats: 1000 values are the first 1000 of many, and no more are written");
    ok(memcmp(bytes, fewer, 1000) == 0 && fewer[1000] == (uint8_t)(bytes[1000] + 1),
       "bytes: so are they");
    free(all);
    free(few);
    free(bytes);
    free(fewer);
}

/* Neighbouring seeds, as the inputs of one problem have, share nothing, shifted or not. */
static void test_streams_differ(void)
{
    enum { N = 512, SHIFT = 16 };
    int equal = 0, repeated = 0;
    for (uint64_t i = SHIFT; i < N; i++) {
        uint64_t value = random_bits(1, i);
        for (int shift = -SHIFT; shift <= SHIFT; shift++)
            equal += value == random_bits(2, i + (uint64_t)shift);
        for (uint64_t j = 0; j < i; j++)
            repeated += value == random_bits(1, j);
    }
    ok(equal == 0, "seeds 1 and 2 are not shifted copies of each other");
    ok(repeated == 0, "no value comes twice among the first %d", N);
}

/* Bits of each place are set half of the time: 6 standard deviations of a fair coin. */
static void test_bits_are_fair(void)
{
    enum { N = 1 << 14 };
    int worst = 0;
    for (int bit = 0; bit < 64; bit++) {
        int set = 0;
        for (uint64_t i = 0; i < N; i++)
            set += (int)(random_bits(3, i) >> bit & 1);
        worst = abs(set - N / 2) > worst ? abs(set - N / 2) : worst;
    }
    ok(worst < 6 * sqrt(N) / 2, "each of the 64 bits is fair");
}

/* 255 degrees of freedom: chi-square has mean 255 and deviation 22.6. */
static void test_bytes_are_uniform(void)
{
    int seen[256] = {0};
    uint8_t *bytes = malloc(MANY);
    double chi_square = 0, expected = MANY / 256.0;
    random_fill_bytes(bytes, MANY, 1);
    for (int i = 0; i < MANY; i++)
        seen[bytes[i]]++;
    for (int v = 0; v < 256; v++)
        chi_square += (seen[v] - expected) * (seen[v] - expected) / expected;
    ok(chi_square > 255 - 6 * 22.6 && chi_square < 255 + 6 * 22.6,
       "all bytes come equally often (chi-square %.0f)", chi_square);
    free(bytes);
}

static void range_is_kept(float low, float high)
{
    float *values = malloc(MANY * sizeof *values);
    float least = INFINITY, most = -INFINITY;
    double mean = 0;
    random_fill_float(values, MANY, low, high, 5);
    for (int i = 0; i < MANY; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
        mean += values[i] / (double)MANY;
    }
    double width = (double)high - low, middle = ((double)high + low) / 2;
    if (!ok(least >= low && most < high, "[%g, %g): no value is outside", low, high))
        printf("#   from %.9g to %.9g\n", least, most);
    ok(least < low + 1e-4 * width && most > high - 1e-4 * width, "and they reach both ends");
    /* a uniform value's deviation is width / sqrt(12) */
    ok(fabs(mean - middle) < 6 * width / sqrt(12.0 * MANY), "and their mean is its middle");
    free(values);
}

int main(void)
{
    test_published_values();
    test_depends_on_seed_and_index_alone();
    test_streams_differ();
    test_bits_are_fair();
    test_bytes_are_uniform();
    range_is_kept(0, 1);
    range_is_kept(-1, 1);
    range_is_kept(0, 255);
    range_is_kept(1000,
                  1001); /* where the sum of low and the rest is rounded, up to high perhaps */
    return done_testing();
}
