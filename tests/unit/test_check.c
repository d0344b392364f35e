/*
 * test_check.c - comparing results: nothing slips through, least of all NaN.
 */
#include "check.h"
#include "tap.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static const double nan_value = NAN, infinite = INFINITY;

/* One comparison of a value with 1, on the scale 1, with this tolerance: does it pass? */
static bool passes(double value, double tolerance)
{
    check_result result = check_start(tolerance, 10);
    check_scaled(&result, value, 1, 1, 0);
    return check_passed(&result);
}

static void test_one_value(void)
{
    ok(passes(1, 0), "equal values pass a tolerance of 0");
    ok(!passes(1 + 0x1p-52, 0), "one unit in the last place does not");
    ok(passes(1.25, 0.25) && passes(0.75, 0.25), "an error as large as the tolerance passes");
    ok(!passes(1.25 + 0x1p-50, 0.25), "a larger one above does not");
    ok(!passes(0.75 - 0x1p-50, 0.25), "a larger one below does not");
    ok(!passes(nan_value, 0.25), "NaN does not pass");
    ok(!passes(-nan_value, 1e300), "NaN does not pass, however large the tolerance");
    ok(!passes(infinite, 1e300) && !passes(-infinite, 1e300), "infinity does not pass");
    ok(!passes(1, nan_value), "a tolerance that is NaN passes nothing");
    ok(!passes(1, -1), "nor does a negative one");
}

static bool scaled_passes(double value, double expected, double scale, double tolerance)
{
    check_result result = check_start(tolerance, 10);
    check_scaled(&result, value, expected, scale, 0);
    return check_passed(&result);
}

static void test_scale(void)
{
    ok(scaled_passes(104, 100, 8, 0.5), "an error of 4 is 0.5 on the scale 8");
    ok(!scaled_passes(105, 100, 8, 0.5), "an error of 5 is more");
    ok(scaled_passes(3, 3, 0, 0), "scale 0: equal values pass");
    ok(scaled_passes(0, -0.0, 0, 0), "scale 0: zeros of either sign are equal");
    ok(!scaled_passes(1e-300, 0, 0, 1e300), "scale 0: anything else fails");
    ok(!scaled_passes(2, 1, nan_value, 1e300), "a scale that is NaN fails");
    ok(!scaled_passes(1, nan_value, 1, 1e300), "an expected value that is NaN fails");
    ok(!scaled_passes(nan_value, nan_value, 1, 1e300), "even where the value is NaN too");
    ok(!scaled_passes(infinite, 5, 1e300, 1e300), "infinity fails on a large scale");
    ok(!scaled_passes(infinite, infinite, 1, 1e300), "and where infinity is expected");
}

static void test_poison(void)
{
    float poisoned;
    memset(&poisoned, 0xFF, sizeof poisoned);
    ok(!passes(poisoned, 1e300), "a float that was never written (0xFF bytes) does not pass");
}

static void test_counts(void)
{
    check_result result = check_start(0.5, 10);
    ok(!check_passed(&result), "nothing compared is not passed");
    check_explain(&result);
    ok(strcmp(result.note, "nothing was compared") == 0, "and the note says so");

    result = check_start(0.5, 10);
    for (size_t i = 0; i < 100; i++)
        check_scaled(&result, i == 37 || i == 40 || i == 99 ? 2 : 0.25, 0, 1, i);
    ok(result.compared == 100 && result.wrong == 3, "wrong values are counted");
    ok(result.max_error == 2, "the largest error is kept");
    ok(result.tolerance == 0.5 && !check_passed(&result), "and the check has failed");
    check_explain(&result);
    if (!ok(strcmp(result.note, "3 of 100 values wrong; the first at x=7 y=3: got 2, expected 0") ==
                0,
            "the note tells how many and where the first one is"))
        printf("#   %s\n", result.note);

    result = check_start(0.5, 10);
    snprintf(result.note, sizeof result.note, "checked 1 row");
    check_scaled(&result, 0.5, 0, 1, 0);
    check_explain(&result);
    ok(check_passed(&result) && strcmp(result.note, "checked 1 row") == 0,
       "a lab's own note on a passed check stays");
}

/* The first wrong value and what it should be, with digits enough to see that they differ. */
static void value_is(double value, double expected, const char *text)
{
    check_result result = check_start(0, 10);
    check_scaled(&result, 1, 1, 1, 4);
    check_scaled(&result, value, expected, 1, 5);
    check_scaled(&result, 8, 9, 1, 6);
    check_explain(&result);
    const char *told = strstr(result.note, "y=0");
    if (!ok(told && strcmp(told, text) == 0, "the note tells%s", text + 3))
        printf("#   %s\n", result.note);
}

static void test_values(void)
{
    value_is(2, 3.14159265358979, "y=0: got 2, expected 3.14159");
    value_is(nan_value, 1, "y=0: got nan, expected 1");
    value_is(-nan_value, 1, "y=0: got nan, expected 1");
    value_is(-infinite, 1e30, "y=0: got -inf, expected 1e+30");
    value_is(1 + 0x1p-23, 1, "y=0: got 1.00000012, expected 1");
    value_is(1 + 0x1p-52, 1, "y=0: got 1.0000000000000002, expected 1");
}

/* A large image's index does not fit an int. */
static void test_large_index(void)
{
    check_result result = check_start(0, 100000);
    check_scaled(&result, 1, 0, 1, (size_t)70000 * 100000 + 5);
    check_explain(&result);
    if (!ok(strstr(result.note, "x=5 y=70000") != NULL, "the place of value 7 000 000 005"))
        printf("#   %s\n", result.note);
}

static void test_max_error(void)
{
    check_result result = check_start(1, 10);
    check_scaled(&result, 0.125, 0, 1, 0);
    check_scaled(&result, 0.5, 0, 1, 1);
    check_scaled(&result, 0.25, 0, 1, 2);
    ok(result.max_error == 0.5 && check_passed(&result), "the largest error of a passed check");
    check_scaled(&result, nan_value, 0, 1, 3);
    check_scaled(&result, 0.75, 0, 1, 4);
    check_scaled(&result, 1e9, 0, 1, 5);
    ok(isnan(result.max_error), "once an error is NaN, the largest is NaN and stays so");
    ok(result.wrong == 2 && result.first_wrong == 3, "and the NaN is the first wrong value");

    result = check_start(1, 10);
    check_scaled(&result, infinite, 0, 1, 0);
    check_scaled(&result, 3, 0, 1, 1);
    ok(result.max_error == infinite, "an infinite error is kept");
}

/* ---- many at once ---------------------------------------------------------------------------- */

static checked error_at(const void *context, size_t index)
{
    return (checked){((const double *)context)[index], 0, 1};
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
    errors[N - 1] = nan_value;
    result = check_all(0.5, 100, N, error_at, errors);
    ok(result.wrong == 4 && isnan(result.max_error), "%d threads: NaN in the last", threads);
    errors[N - 1] = 0;
    errors[0] = nan_value;
    result = check_all(0.5, 100, N, error_at, errors);
    ok(result.wrong == 4 && result.first_wrong == 0 && isnan(result.max_error),
       "%d threads: NaN in the first", threads);
    result = check_all(0.5, 100, 0, error_at, errors);
    ok(!check_passed(&result), "%d threads: nothing is not passed", threads);
}

int main(void)
{
    test_one_value();
    test_scale();
    test_poison();
    test_counts();
    test_values();
    test_large_index();
    test_max_error();
    test_many(1);
    test_many(7);
    return done_testing();
}
