/*
 * test_statistics.c - quantiles by hand-worked examples, and the standard error that tells when
 * there are samples enough.
 */
#include "statistics.h"
#include "tap.h"

#include <math.h>

static samples list_of(int count, const double *values)
{
    samples list = {0};
    for (int i = 0; i < count; i++)
        samples_add(&list, values[i]);
    return list;
}

#define LIST(...)                                                                                  \
    list_of((int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)), (double[]){__VA_ARGS__})

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

/* Type 7 of Hyndman & Fan: the quantile of fraction f lies at (n - 1) f among the sorted values. */
static void summary_is(const char *name, samples list, double min, double q1, double median,
                       double q3, double max)
{
    summary s = samples_summarise(&list);
    if (!ok(s.count == list.count && s.min == min && near(s.q1, q1) && near(s.median, median) &&
                near(s.q3, q3) && s.max == max,
            "quantiles of %s", name))
        printf("#   got %g %g %g %g %g\n", s.min, s.q1, s.median, s.q3, s.max);
    samples_free(&list);
}

static void test_quantiles(void)
{
    summary_is("one value", LIST(7), 7, 7, 7, 7, 7);
    summary_is("two values", LIST(3, 1), 1, 1.5, 2, 2.5, 3);
    summary_is("three values", LIST(5, 1, 2), 1, 1.5, 2, 3.5, 5);
    summary_is("four values", LIST(4, 3, 2, 1), 1, 1.75, 2.5, 3.25, 4);
    summary_is("five values", LIST(50, 10, 40, 20, 30), 10, 20, 30, 40, 50);
    summary_is("one outlier", LIST(1, 1, 1, 1, 1, 1, 1, 1000), 1, 1, 1, 1, 1000);
    summary_is("tiny times", LIST(3e-9, 1e-9, 2e-9), 1e-9, 1.5e-9, 2e-9, 2.5e-9, 3e-9);

    samples none = {0};
    summary s = samples_summarise(&none);
    ok(s.count == 0 && isnan(s.median) && isnan(s.min) && isnan(s.q1) && isnan(s.q3) &&
           isnan(s.max),
       "without samples every quantile is NaN");
}

static void test_growth(void)
{
    enum { N = 1001 };
    samples list = {0};
    for (int i = 0; i < N; i++)
        samples_add(&list,
                    (i * 7) % N); /* 7 and 1001 share a factor: 0, 7, ..., 994, seven times */
    int kept = list.count == N;
    for (int i = 0; i < N && kept; i++)
        kept = list.values[i] == (i * 7) % N;
    ok(kept, "%d samples are kept in their order", N);
    summary s = samples_summarise(&list);
    ok(s.min == 0 && s.max == 994 && s.median == 497, "their least, middle and largest");
    ok(list.values[1] == 7 && list.values[2] == 14, "summarising leaves the list as it was");
    samples_free(&list);
    ok(list.count == 0 && list.values == NULL, "a freed list is an empty one");
    samples_add(&list, 1);
    ok(list.count == 1 && list.values[0] == 1, "and can be used again");
    samples_free(&list);
}

static void error_is(const char *name, samples list, double expected)
{
    double got = samples_relative_error(&list);
    if (!ok(got == expected || near(got, expected), "relative standard error of %s", name))
        printf("#   got %.17g, expected %.17g\n", got, expected);
    samples_free(&list);
}

static void test_relative_error(void)
{
    samples none = {0};
    error_is("no sample is infinite", none, INFINITY);
    error_is("one sample is infinite", LIST(1), INFINITY);
    error_is("equal samples is 0", LIST(2, 2, 2), 0);
    /* mean 2, deviation sqrt(2), standard error 1 */
    error_is("1, 3", LIST(1, 3), 0.5);
    /* mean 5, squares 9 1 1 1 0 0 4 16: deviation sqrt(32/7), standard error sqrt(4/7) */
    error_is("2 4 4 4 5 5 7 9", LIST(2, 4, 4, 4, 5, 5, 7, 9), sqrt(4.0 / 7) / 5);
    error_is("the same in nanoseconds", LIST(2e-9, 4e-9, 4e-9, 4e-9, 5e-9, 5e-9, 7e-9, 9e-9),
             sqrt(4.0 / 7) / 5);
}

int main(void)
{
    test_quantiles();
    test_growth();
    test_relative_error();
    return done_testing();
}
