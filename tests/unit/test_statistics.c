/*
 * test_statistics.c - quantiles and standard errors by hand-worked examples.
 */
#include "measure/statistics.h"
#include "tap.h"

#include <math.h>

static int near(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fabs(b);
}

/* Type 7 of Hyndman & Fan: the quantile of fraction f lies at (n - 1) f among the sorted values. */
static void test_examples(void)
{
    static const struct {
        int count;
        double values[8], min, q1, median, q3, max;
        double squared_error; /* of the mean, over its square */
    } cases[] = {
        {0, {0}, NAN, NAN, NAN, NAN, NAN, INFINITY},
        {1, {7}, 7, 7, 7, 7, 7, INFINITY},
        {3, {2, 2, 2}, 2, 2, 2, 2, 2, 0},
        {2, {3, 1}, 1, 1.5, 2, 2.5, 3, 0.25}, /* mean 2, deviation sqrt(2), standard error 1 */
        {4, {4, 3, 2, 1}, 1, 1.75, 2.5, 3.25, 4, 1 / 15.0},
        {5, {50, 10, 40, 20, 30}, 10, 20, 30, 40, 50, 1 / 18.0},
        /* mean 5, squares 9 1 1 1 0 0 4 16: deviation sqrt(32/7), standard error sqrt(4/7) */
        {8, {2, 4, 4, 4, 5, 5, 7, 9}, 2, 4, 4.5, 5.5, 9, 4.0 / 7 / 25},
        {3, {3e-9, 1e-9, 2e-9}, 1e-9, 1.5e-9, 2e-9, 2.5e-9, 3e-9, 1 / 12.0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        samples list = {0};
        for (int k = 0; k < cases[i].count; k++)
            samples_add(&list, cases[i].values[k]);
        summary s = summarise(list.values, list.count);
        double error = samples_relative_error(&list);
        ok(s.count == cases[i].count && near(s.min, cases[i].min) && near(s.q1, cases[i].q1) &&
               near(s.median, cases[i].median) && near(s.q3, cases[i].q3) &&
               near(s.max, cases[i].max),
           "quantiles of %d values: %g %g %g %g %g", s.count, s.min, s.q1, s.median, s.q3, s.max);
        ok(near(error, sqrt(cases[i].squared_error)), "relative standard error: %.17g", error);
        samples_free(&list);
    }
}

static void test_growth(void)
{
    enum { N = 1001 };
    samples list = {0};
    for (int i = 0; i < N; i++)
        samples_add(&list, N - i);
    summarise(list.values, list.count);
    int kept = list.count == N;
    for (int i = 0; i < N && kept; i++)
        kept = list.values[i] == N - i;
    ok(kept, "all are kept in their order, summarised or not");
    samples_free(&list);
    samples_add(&list, 1);
    ok(list.count == 1 && list.values[0] == 1, "a freed list can be used again");
    samples_free(&list);
}

int main(void)
{
    test_examples();
    test_growth();
    return done_testing();
}
