/*
 * test_check.c - comparing results: nothing slips through, least of all NaN.
 */
#include "check.h"
#include "tap.h"

#include <math.h>
#include <omp.h>

/* One comparison: does it pass, and what does the note say of the values? */
static const struct {
    double value, expected, scale, tolerance;
    bool passes;
    const char *told;
} comparisons[] = {
    {1, 1, 1, 0, true, ""},
    {1 + 0x1p-52, 1, 1, 0, false, "got 1.0000000000000002, expected 1"},
    {1 + 0x1p-23, 1, 1, 0, false, "got 1.00000012, expected 1"},
    {2, 3.14159265358979, 1, 0, false, "got 2, expected 3.14159"},
    {1.25, 1, 1, 0.25, true, ""}, /* as large as the tolerance */
    {0.75, 1, 1, 0.25, true, ""},
    {1.25 + 0x1p-50, 1, 1, 0.25, false, ""},
    {0.75 - 0x1p-50, 1, 1, 0.25, false, ""},
    {1, 1, 1, NAN, false, ""},
    {1, 1, 1, -1, false, ""},
    /* scaled */
    {104, 100, 8, 0.5, true, ""},
    {105, 100, 8, 0.5, false, ""},
    {3, 3, 0, 0, true, ""}, /* scale 0: equal values alone */
    {0, -0.0, 0, 0, true, ""},
    {1e-300, 0, 0, 1e300, false, ""},
    /* NaN and infinity never pass, however large the tolerance */
    {NAN, 1, 1, 0.25, false, "got nan, expected 1"},
    {-NAN, 1, 1, 1e300, false, "got nan, expected 1"},
    {INFINITY, 1, 1, 1e300, false, ""},
    {-INFINITY, 1e30, 1, 1e300, false, "got -inf, expected 1e+30"},
    {INFINITY, 5, 1e300, 1e300, false, ""},
    {INFINITY, INFINITY, 1, 1e300, false, ""},
    {1, NAN, 1, 1e300, false, ""},
    {NAN, NAN, 1, 1e300, false, ""},
    {2, 1, NAN, 1e300, false, ""},
};

static void test_comparisons(void)
{
    for (size_t i = 0; i < COUNT(comparisons); i++) {
        double value = comparisons[i].value, expected = comparisons[i].expected;
        check_result result = check_start(comparisons[i].tolerance, 10);
        check_scaled(&result, value, expected, comparisons[i].scale, 5);
        check_explain(&result);
        ok(check_passed(&result) == comparisons[i].passes &&
               strstr(result.note, comparisons[i].told),
           "%.17g for %.17g on the scale %g, tolerance %g: %s %s", value, expected,
           comparisons[i].scale, comparisons[i].tolerance,
           comparisons[i].passes ? "passes" : "fails", result.note);
    }
    float poisoned;
    memset(&poisoned, 0xFF, sizeof poisoned);
    check_result result = check_start(1e300, 10);
    check_scaled(&result, poisoned, 1, 1, 0);
    ok(!check_passed(&result), "a float that was never written (0xFF bytes) does not pass");
}

static const char *note_of(check_result *result)
{
    check_explain(result);
    return result->note;
}

static void test_counts(void)
{
    check_result result = check_start(0.5, 10);
    ok(!check_passed(&result), "nothing compared is not passed");
    is(note_of(&result), "nothing was compared", "and the note says so");

    result = check_start(0.5, 10);
    for (size_t i = 0; i < 100; i++)
        check_error(&result, i == 37 || i == 40 || i == 99 ? 2 : 0.25, i);
    ok(result.compared == 100 && result.wrong == 3 && result.max_error == 2 &&
           !check_passed(&result),
       "wrong values are counted, the largest error is kept");
    is(note_of(&result), "3 of 100 values wrong; the first at x=7 y=3",
       "the note tells how many and where the first one is");

    result = check_start(0.5, 10);
    snprintf(result.note, sizeof result.note, "checked 1 row");
    check_error(&result, 0.5, 0);
    is(note_of(&result), "checked 1 row", "a lab's own note on a passed check stays");

    result = check_start(0, 10);
    check_error(&result, NAN, 7);
    check_error(&result, 1, 8);
    ok(strstr(note_of(&result), "x=7 y=0: NaN"), "where only errors are known, NaN is named");
    check_values(&result, 3, 4);
    ok(strstr(note_of(&result), "x=7 y=0: got 3, expected 4"), "a lab may tell the values");

    /* A large image's index does not fit an int. */
    result = check_start(0, 100000);
    check_error(&result, 1, (size_t)70000 * 100000 + 5);
    ok(strstr(note_of(&result), "x=5 y=70000"), "the place of value 7 000 000 005");
}

static void test_max_error(void)
{
    check_result result = check_start(1, 10);
    check_error(&result, 0.125, 0);
    check_error(&result, 0.5, 1);
    check_error(&result, 0.25, 2);
    ok(result.max_error == 0.5 && check_passed(&result), "the largest error of a passed check");
    check_error(&result, NAN, 3);
    check_error(&result, 0.75, 4);
    check_error(&result, 1e9, 5);
    ok(isnan(result.max_error), "once an error is NaN, the largest is NaN and stays so");
    ok(result.wrong == 2 && result.first_wrong == 3, "and the NaN is the first wrong value");

    result = check_start(1, 10);
    check_scaled(&result, INFINITY, 0, 1, 0);
    check_scaled(&result, 3, 0, 1, 1);
    ok(result.max_error == INFINITY, "an infinite error is kept");
}

/* ---- many at once ---------------------------------------------------------------------------- */

static double error_at(const void *context, size_t index)
{
    return ((const double *)context)[index];
}

/* Whatever thread sees them: all are compared, the first wrong one is the first, NaN stays. */
static void test_many(int threads)
{
    enum { N = 10007 };
    static double errors[N];
    omp_set_num_threads(threads);
    for (int i = 0; i < N; i++)
        errors[i] = i % 2 ? 0.25 : 0;
    errors[5000] = 0.5;
    check_result result = check_all(0.5, 100, N, error_at, errors);
    ok(check_passed(&result) && result.compared == N && result.max_error == 0.5 &&
           result.tolerance == 0.5 && result.row_length == 100,
       "%d threads: all pass", threads);
    errors[9999] = 3;
    errors[7001] = 2;
    errors[1234] = 1;
    result = check_all(0.5, 100, N, error_at, errors);
    ok(result.compared == N && result.wrong == 3 && result.first_wrong == 1234 &&
           result.max_error == 3,
       "%d threads: three are wrong", threads);
    errors[N - 1] = NAN;
    result = check_all(0.5, 100, N, error_at, errors);
    ok(result.wrong == 4 && isnan(result.max_error), "%d threads: NaN in the last", threads);
    errors[N - 1] = 0;
    errors[0] = NAN;
    result = check_all(0.5, 100, N, error_at, errors);
    ok(result.wrong == 4 && result.first_wrong == 0 && isnan(result.max_error),
       "%d threads: NaN in the first", threads);
    result = check_all(0.5, 100, 0, error_at, errors);
    ok(!check_passed(&result), "%d threads: nothing is not passed", threads);
}

int main(void)
{
    test_comparisons();
    test_counts();
    test_max_error();
    test_many(1);
    test_many(7);
    return done_testing();
}
