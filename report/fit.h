/*
 * fit.h - least-squares fits: how a time grows with the size, and Amdahl's law.
 */
#ifndef REPORT_FIT_H
#define REPORT_FIT_H

#include <stdbool.h>

enum {
    FIT_POINTS = 4, /* a power law needs as many */
    BEND_POINTS = 3 /* and on each side of a bend */
};

/* log t = intercept + slope log x */
typedef struct fit_line {
    double slope, intercept;
} fit_line;

typedef struct power_fit {
    bool bent;
    fit_line small, large; /* below and above the bend; without one, both are the one line */
    double bend_x;         /* where they part; NaN without a bend */
    int n_small;           /* points below the bend; 0 without one */
    double rms;            /* of the residuals of log t: 0.05 is 5 % of the time */
} power_fit;

/*
 * Fits t = a x^p to n points, x ascending, all positive: a line through the logarithms. A bend
 * divides the points into two groups, each with a line of its own; the lines need not meet at it.
 * Of all divisions that leave BEND_POINTS on each side the one with the least residual is taken,
 * and it must at least halve the rms of the single line, which must be more than BEND_LEAST_RMS:
 * times are not known better. The bend lies where the lines cross if that is between the two
 * groups, else halfway (of the logarithms) between them.
 *
 * Returns false if there are fewer than FIT_POINTS points or all x are equal.
 */
#define BEND_LEAST_RMS 0.01
bool fit_power(const double *x, const double *t, int n, power_fit *fit);

/* The fitted time of point number i, at x. */
double fit_power_at(const power_fit *fit, int i, double x);

/*
 * Amdahl's law, 1/S = (1 - P) + P/N: the share P, 0 to 1, from speedups S with N threads, by least
 * squares of the relative error of the time, which counts few and many threads alike. A single
 * thread tells nothing of P; false where no point has more. *rms is that of the fitted speedup's
 * relative error, which is large where the points rise faster than N; NaN where P
 * comes from one point alone.
 */
bool fit_amdahl(const double *threads, const double *speedup, int n, double *parallel, double *rms);

/* The law: the speedup of N threads. */
double amdahl(double parallel, double threads);

#endif
