/*
 * test_check.c - comparing results: nothing slips through, least of all NaN.
 */
#include "check.h"
#include "tap.h"

#include <math.h>
#include <omp.h>

static void test_one_value(void)
{
    static const struct {
        double value, expected, scale, tolerance;
        bool passes;
    } cases[] = {
        {1, 1, 1, 0, true},
        {1 + 0x1p-52, 1, 1, 0, false},
        /* an error as large as the tolerance, above and below, and a larger one */
        {1.25, 1, 1, 0.25, true},
        {0.75, 1, 1, 0.25, true},
        {1.25 + 0x1p-50, 1, 1, 0.25, false},
        {0.75 - 0x1p-50, 1, 1, 0.25, false},
        {104, 100, 8, 0.5, true},
        {105, 100, 8, 0.5, false},
        /* on the scale 0 values are equal, whatever the sign of a zero, or fail */
        {3, 3, 0, 0, true},
        {0, -0.0, 0, 0, true},
        {1e-300, 0, 0, 1e300, false},
        /* NaN anywhere fails, however large the tolerance; so does infinity */
        {NAN, 1, 1, 1e300, false},
        {1, NAN, 1, 1e300, false},
        {NAN, NAN, 1, 1e300, false},
        {2, 1, NAN, 1e300, false},
        {1, 1, 1, NAN, false},
        {INFINITY, 1, 1, 1e300, false},
        {-INFINITY, 1, 1, 1e300, false},
        {INFINITY, 5, 1e300, 1e300, false},
        {INFINITY, INFINITY, 1, 1e300, false},
        {1, 1, 1, -1, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        check_result result = check_start(cases[i].tolerance, 10);
        check_scaled(&result, cases[i].value, cases[i].expected, cases[i].scale, 0);
        ok(check_passed(&result) == cases[i].passes, "%.17g, expected %.17g +- %g x %g, %s",
           cases[i].value, cases[i].expected, cases[i].tolerance, cases[i].scale,
           cases[i].passes ? "passes" : "fails");
    }
}

/* ---- what a failed check says ---------------------------------------------------------------- */

/* The note where `value` is the first wrong one of two, in a row of 100000. */
static void note_is(double value, double expected, size_t index, const char *text)
{
    check_result result = check_start(0, 100000);
    check_scaled(&result, 1, 1, 1, index - 1);
    check_scaled(&result, value, expected, 1, index);
    check_scaled(&result, 8, 9, 1, index + 1);
    check_explain(&result);
    is(result.note, text, "note of value %zu", index);
}

static void test_notes(void)
{
    note_is(2, 3.14159265358979, 5,
            "2 of 3 values wrong; the first at x=5 y=0: got 2, expected 3.14159");
    note_is(-NAN, 1, 5, "2 of 3 values wrong; the first at x=5 y=0: got nan, expected 1");
    note_is(-INFINITY, 1e30, 5,
            "2 of 3 values wrong; the first at x=5 y=0: got -inf, expected 1e+30");
    /* digits enough to see that they differ */
    note_is(1 + 0x1p-23, 1, 5,
            "2 of 3 values wrong; the first at x=5 y=0: got 1.00000012, expected 1");
    note_is(1 + 0x1p-52, 1, 5,
            "2 of 3 values wrong; the first at x=5 y=0: got 1.0000000000000002, expected 1");
    /* a large image's index does not fit an int */
    note_is(1, 0, (size_t)70000 * 100000 + 5,
            "2 of 3 values wrong; the first at x=5 y=70000: got 1, expected 0");

    check_result nothing = check_start(0.5, 10);
    check_explain(&nothing);
    is(nothing.note, "nothing was compared", "note of no value");
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
           result.tolerance == 0.5 && result.row_length == 100 && result.unequal == N / 2 + 1,
       "%d threads: all pass", threads);
    errors[9999] = 3;
    errors[7001] = 2;
    errors[1234] = 1;
    result = check_all(0.5, 100, N, error_at, errors);
    ok(!check_passed(&result) && result.wrong == 3 && result.first_wrong == 1234 &&
           result.value == 1 && result.max_error == 3,
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
    test_one_value();
    test_notes();
    test_many(1);
    test_many(7);
    return done_testing();
}
