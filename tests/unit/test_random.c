/*
 * test_random.c - the input data are SplitMix64's, the same everywhere, and look random.
 */
#include "random.h"
#include "tap.h"

#include <math.h>
#include <omp.h>

enum { MANY = 1 << 20 };

static float floats[MANY], few_floats[MANY];
static uint8_t bytes[MANY], few_bytes[MANY];

/* The state from which SplitMix64's published example starts is 1234567; this seed gives it. */
static void test_published_values(void)
{
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u,
                                         9817491932198370423u, 4593380528125082431u,
                                         16408922859458223821u};
    const uint64_t seed = 0x4373fdbf155465a2u;
    random_fill_bytes(bytes, 5, seed);
    random_fill_float(floats, 5, 0, 1, seed);
    for (int i = 0; i < 5; i++)
        ok(random_bits(seed, (uint64_t)i) == published[i] && bytes[i] == published[i] >> 56 &&
               floats[i] == (float)(published[i] >> 40) / (1 << 24),
           "value %d of SplitMix64's published example, and its upper bits", i);
    /* the last two are others where a product is rounded to float before it is added */
    const float bits[] = {0x1.3105dep+3F, 0x1.2e7016p+3F, 0x1.336278p+3F, 0x1.0a2c96p+3F};
    random_fill_float(floats, 4, -0.1F, 10.3F, 7);
    ok(memcmp(floats, bits, sizeof bits) == 0, "floats have the same bits with any compiler");
}

static void test_depends_on_seed_and_index_alone(void)
{
    enum { FEW = 1000 };
    omp_set_num_threads(1);
    random_fill_float(floats, MANY, -1, 1, 7);
    random_fill_bytes(bytes, MANY, 7);
    omp_set_num_threads(5);
    random_fill_float(few_floats, FEW, -1, 1, 7);
    random_fill_bytes(few_bytes, FEW, 7);
    ok(memcmp(floats, few_floats, sizeof(float) * FEW) == 0 && memcmp(bytes, few_bytes, FEW) == 0 &&
           few_floats[FEW] == 0 && few_bytes[FEW] == 0,
       "%d values by 5 threads are the first of many by one, and no more are written", FEW);
}

/* Neighbouring seeds, as the inputs of one problem have, share nothing, shifted or not. */
static void test_streams_differ(void)
{
    enum { N = 512, SHIFT = 16 };
    int equal = 0;
    for (uint64_t i = SHIFT; i < N; i++)
        for (int shift = -SHIFT; shift <= SHIFT; shift++)
            equal += random_bits(1, i) == random_bits(2, i + (uint64_t)shift);
    ok(equal == 0, "seeds 1 and 2 are not shifted copies of each other");
}

static void test_bytes(void)
{
    int seen[256] = {0}, values = 0;
    double mean = 0;
    random_fill_bytes(few_bytes, 100, 1);
    random_fill_bytes(bytes, 100, 2);
    ok(memcmp(bytes, few_bytes, 100) != 0, "another seed, other bytes");
    random_fill_bytes(bytes, MANY, 1);
    for (int i = 0; i < MANY; i++) {
        mean += bytes[i] / (double)MANY;
        values += seen[bytes[i]]++ == 0;
    }
    ok(values == 256 && fabs(mean - 127.5) < 0.5, "all bytes come, around their middle");
}

static void test_ranges(void)
{
    /* where the sum of low and the rest is rounded, up to high perhaps: the last one */
    static const float ranges[][2] = {{0, 1}, {-1, 1}, {0, 255}, {1000, 1001}};
    for (size_t r = 0; r < COUNT(ranges); r++) {
        float low = ranges[r][0], high = ranges[r][1], least = INFINITY, most = -INFINITY;
        double mean = 0, width = (double)high - low, middle = ((double)high + low) / 2;
        random_fill_float(floats, MANY, low, high, 5);
        for (int i = 0; i < MANY; i++) {
            least = fminf(least, floats[i]);
            most = fmaxf(most, floats[i]);
            mean += floats[i] / (double)MANY;
        }
        ok(least >= low && most < high, "[%g, %g): no value is outside", low, high);
        ok(least < low + 1e-4 * width && most > high - 1e-4 * width, "and they reach both ends");
        /* a uniform value's deviation is width / sqrt(12) */
        ok(fabs(mean - middle) < 6 * width / sqrt(12.0 * MANY), "and their mean is its middle");
    }
}

int main(void)
{
    test_published_values();
    test_depends_on_seed_and_index_alone();
    test_streams_differ();
    test_bytes();
    test_ranges();
    return done_testing();
}
