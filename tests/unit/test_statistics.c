/*
 * test_statistics.c - quantiles by hand-worked examples, and the standard error that tells when
 * there are samples enough.
 */
#include "statistics.h"
#include "tap.h"

#include <math.h>

static int near(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-12 * fabs(b);
}

/* Type 7 of Hyndman & Fan: the quantile of fraction f lies at (n - 1) f among the sorted values. */
static void test_quantiles(void)
{
    static const struct {
        int count;
        double values[8], min, q1, median, q3, max;
    } cases[] = {
        {1, {7}, 7, 7, 7, 7, 7},
        {2, {3, 1}, 1, 1.5, 2, 2.5, 3},
        {3, {5, 1, 2}, 1, 1.5, 2, 3.5, 5},
        {4, {4, 3, 2, 1}, 1, 1.75, 2.5, 3.25, 4},
        {5, {50, 10, 40, 20, 30}, 10, 20, 30, 40, 50},
        {8, {1, 1, 1, 1, 1, 1, 1, 1000}, 1, 1, 1, 1, 1000},
        {3, {3e-9, 1e-9, 2e-9}, 1e-9, 1.5e-9, 2e-9, 2.5e-9, 3e-9},
        {0, {0}, NAN, NAN, NAN, NAN, NAN},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        samples list = {0};
        for (int k = 0; k < cases[i].count; k++)
            samples_add(&list, cases[i].values[k]);
        summary s = samples_summarise(&list);
        ok(s.count == cases[i].count &&
               (s.count == 0
                    ? isnan(s.min) && isnan(s.q1) && isnan(s.median) && isnan(s.q3) && isnan(s.max)
                    : s.min == cases[i].min && near(s.q1, cases[i].q1) &&
                          near(s.median, cases[i].median) && near(s.q3, cases[i].q3) &&
                          s.max == cases[i].max),
           "quantiles of %d values: %g %g %g %g %g", s.count, s.min, s.q1, s.median, s.q3, s.max);
        samples_free(&list);
    }
}

static void test_growth(void)
{
    enum { N = 1001 };
    samples list = {0};
    for (int i = 0; i < N; i++) /* 7 and 1001 share a factor: 0, 7, ..., 994, seven times */
        samples_add(&list, (i * 7) % N);
    summary s = samples_summarise(&list);
    ok(s.min == 0 && s.max == 994 && s.median == 497, "least, middle and largest of many");
    int kept = list.count == N;
    for (int i = 0; i < N && kept; i++)
        kept = list.values[i] == (i * 7) % N;
    ok(kept, "all are kept in their order, summarised or not");
    samples_free(&list);
    samples_add(&list, 1);
    ok(list.count == 1 && list.values[0] == 1, "a freed list can be used again");
    samples_free(&list);
}

static void test_relative_error(void)
{
    static const struct {
        int count;
        double values[8], squared; /* of the error that is expected */
    } cases[] = {
        {0, {0}, INFINITY},
        {1, {1}, INFINITY},
        {3, {2, 2, 2}, 0},
        {2, {1, 3}, 0.25}, /* mean 2, deviation sqrt(2), standard error 1 */
        /* mean 5, squares 9 1 1 1 0 0 4 16: deviation sqrt(32/7), standard error sqrt(4/7) */
        {8, {2, 4, 4, 4, 5, 5, 7, 9}, 4.0 / 7 / 25},
        {8, {2e-9, 4e-9, 4e-9, 4e-9, 5e-9, 5e-9, 7e-9, 9e-9}, 4.0 / 7 / 25},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        samples list = {0};
        for (int k = 0; k < cases[i].count; k++)
            samples_add(&list, cases[i].values[k]);
        double got = samples_relative_error(&list);
        ok(near(got, sqrt(cases[i].squared)), "relative standard error of %d samples: %.17g",
           list.count, got);
        samples_free(&list);
    }
}

int main(void)
{
    test_quantiles();
    test_growth();
    test_relative_error();
    return done_testing();
}
