/*
 * test_fit.c - power laws with and without a bend, and Amdahl's law, by answers known beforehand.
 */
#include "fit.h"
#include "tap.h"

#include <math.h>

static int near(double got, double expected)
{
    int passed = fabs(got - expected) <= 1e-9 * fmax(1, fabs(expected));
    if (!passed)
        printf("#   got %.17g, expected %.17g\n", got, expected);
    return passed;
}

/* ---- one line -------------------------------------------------------------------------------- */

static void test_line(void)
{
    power_fit fit;
    double x[8], t[8];
    for (int i = 0; i < 8; i++) {
        x[i] = pow(4, i);
        t[i] = 3e-7 * pow(x[i], 1.5);
    }
    ok(fit_power(x, t, 8, &fit), "eight points can be fitted");
    ok(!fit.bent && isnan(fit.bend_x) && fit.n_small == 0, "an exact power law has no bend");
    ok(near(fit.large.slope, 1.5) && near(fit.small.slope, 1.5), "its exponent is found");
    ok(fit.rms < 1e-7, "nothing is left over");
    ok(near(fit_power_at(&fit, 5, 1024) / (3e-7 * pow(1024, 1.5)), 1), "and the times come back");

    /* in powers of two: x 0 1 2 3, y 0 1 3 3; Sxy = 5.5, Sxx = 5, residuals -.1 -.2 .7 -.4 */
    static const double u[] = {1, 2, 4, 8}, v[] = {1, 2, 8, 8};
    ok(fit_power(u, v, 4, &fit) && near(fit.large.slope, 1.1), "the slope worked out by hand");
    ok(near(fit.rms, sqrt(0.70 / 4) * log(2)), "and its residual");
    ok(near(fit_power_at(&fit, 0, 1), pow(2, 0.1)), "and its intercept");
}

static void test_too_few(void)
{
    power_fit fit;
    static const double x[] = {1, 2, 4, 8, 16}, t[] = {1, 1, 1, 9, 81};
    static const double same[] = {7, 7, 7, 7, 7};
    ok(!fit_power(x, t, 3, &fit), "three points are too few");
    ok(!fit_power(x, t, 0, &fit), "and so are none");
    ok(!fit_power(same, t, 5, &fit), "one x alone has no exponent");
    ok(fit_power(x, t, 5, &fit) && !fit.bent, "five points have room for no bend");
}

/* ---- a bend ---------------------------------------------------------------------------------- */

static void test_bend(void)
{
    power_fit fit;
    static const double x[] = {1, 2, 4, 8, 16, 32, 64, 128};
    double t[8];
    for (int i = 0; i < 8; i++)
        t[i] = i < 4 ? 1 : x[i] / 12;
    ok(fit_power(x, t, 8, &fit) && fit.bent, "flat, then linear: a bend");
    ok(fabs(fit.small.slope) < 1e-9 && near(fit.large.slope, 1), "with exponents 0 and 1");
    ok(fit.n_small == 4 && near(fit.bend_x, 12), "where the lines cross");
    ok(near(fit_power_at(&fit, 3, 8), 1) && near(fit_power_at(&fit, 4, 16), 16. / 12),
       "each side has its own line");

    for (int i = 0; i < 8; i++)
        t[i] = i < 4 ? x[i] : 10 * x[i];
    ok(fit_power(x, t, 8, &fit) && fit.bent && fit.n_small == 4,
       "a jump: two lines that do not meet");
    ok(near(fit.bend_x, sqrt(8 * 16)), "the bend is halfway");
    ok(near(fit.small.slope, 1) && near(fit.large.slope, 1), "and both exponents are 1");
}

static void test_no_bend(void)
{
    power_fit fit;
    double x[8], t[8];
    /* 0.3 % up, then down: two lines fit it exactly, but times are not known that well */
    for (int i = 0; i < 8; i++) {
        x[i] = pow(2, i);
        t[i] = x[i] * exp(i < 4 ? 0.001 * i : 0.001 * (8 - i));
    }
    ok(fit_power(x, t, 8, &fit) && !fit.bent && fit.rms > 1e-4, "0.2 %% are no bend");
    /* up and down by turns: two lines fit it hardly better than one */
    for (int i = 0; i < 8; i++)
        t[i] = x[i] * (i % 2 ? 1.3 : 1 / 1.3);
    ok(fit_power(x, t, 8, &fit) && !fit.bent && fit.rms > 0.2, "scatter is no bend");
    /* a line and one wild point at its end: no three points for it */
    for (int i = 0; i < 8; i++)
        t[i] = i < 7 ? x[i] : 100 * x[i];
    ok(fit_power(x, t, 8, &fit) && (!fit.bent || fit.n_small <= 5),
       "one wild point is no side of a bend");
}

static void test_many(void)
{
    enum { N = 100000 };
    static double x[N], t[N];
    power_fit fit;
    for (int i = 0; i < N; i++) {
        x[i] = 1 + i;
        t[i] = i < 1000 ? 1e-5 : 1e-5 * pow(x[i] / 1000, 2);
    }
    ok(fit_power(x, t, N, &fit) && fit.bent && fabs(fit.bend_x - 1000) < 2 &&
           fabs(fit.large.slope - 2) < 1e-6 && fabs(fit.small.slope) < 1e-6,
       "%d points: the same bend to the third digit", N);
}

/* ---- Amdahl ---------------------------------------------------------------------------------- */

static void test_amdahl(void)
{
    double parallel, rms;
    static const double threads[] = {1, 2, 4, 8, 16};
    double speedup[5];
    for (int i = 0; i < 5; i++)
        speedup[i] = amdahl(0.9, threads[i]);
    ok(near(amdahl(0.5, 2), 4. / 3) && near(amdahl(0, 64), 1) && near(amdahl(1, 64), 64),
       "the law itself");
    ok(fabs(amdahl(0.95, 1e12) - 20) < 1e-6, "a share of 0.95 has the limit 20");
    ok(fit_amdahl(threads, speedup, 5, &parallel, &rms) && near(parallel, 0.9) && rms < 1e-9,
       "speedups of the law give its share back");

    /* 1 - 1/N = .5 .75, 1 - 1/S = .4 .6: (.5 .4 + .75 .6) / (.25 + .5625) = .8 */
    static const double n[] = {2, 4}, s[] = {1 / 0.6, 1 / 0.4};
    ok(fit_amdahl(n, s, 2, &parallel, &rms) && near(parallel, 0.8), "least squares by hand");
    ok(rms < 1e-7, "which these two points meet exactly");

    static const double uneven[] = {1 / 0.6, 1 / 0.3};
    /* u = 5/6 and 5/2, v = 2/3 and 7/3: P = (5/9 + 35/6) / (25/36 + 25/4) = 0.92 */
    ok(fit_amdahl(n, uneven, 2, &parallel, &rms) && near(parallel, 0.92) && rms > 0.01,
       "and where they do not");

    static const double super[] = {4, 16};
    ok(fit_amdahl(n, super, 2, &parallel, &rms) && parallel == 1 && rms > 0.5,
       "faster than N: all of it is parallel, and the law does not hold");
    static const double slower[] = {0.5, 0.5};
    ok(fit_amdahl(n, slower, 2, &parallel, &rms) && parallel == 0, "slower than one: nothing is");
    ok(fit_amdahl(threads, speedup, 2, &parallel, &rms) && near(parallel, 0.9) && isnan(rms),
       "one number of threads beyond 1 gives a share, but no residual");
    ok(!fit_amdahl(threads, speedup, 1, &parallel, &rms), "a single thread gives none");
    ok(!fit_amdahl(threads, speedup, 0, &parallel, &rms), "and nothing gives none");
}

int main(void)
{
    test_line();
    test_too_few();
    test_bend();
    test_no_bend();
    test_many();
    test_amdahl();
    return done_testing();
}
