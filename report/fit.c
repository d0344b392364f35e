/* fit.c - see fit.h. */
#include "fit.h"
#include "die.h"

#include <math.h>
#include <stdlib.h>

/* Sums over the first points, about a common centre, so that those of any group are differences. */
typedef struct sums {
    double n, x, y, xx, xy, yy;
} sums;

static sums difference(const sums *a, const sums *b)
{
    return (sums){a->n - b->n,   a->x - b->x,   a->y - b->y,
                  a->xx - b->xx, a->xy - b->xy, a->yy - b->yy};
}

/* The line through a group; *squares is the sum of its squared residuals. False for a single x. */
static bool fit_group(sums s, fit_line *line, double *squares)
{
    double xx = s.xx - s.x * s.x / s.n, xy = s.xy - s.x * s.y / s.n, yy = s.yy - s.y * s.y / s.n;
    if (!(xx > 1e-9 * s.n))
        return false;
    line->slope = xy / xx;
    line->intercept = (s.y - line->slope * s.x) / s.n;
    *squares = fmax(0, yy - line->slope * xy);
    return true;
}

static void bend(const sums *prefix, int n, power_fit *fit, double *least)
{
    for (int k = BEND_POINTS; k <= n - BEND_POINTS; k++) {
        fit_line small, large;
        double below, above;
        if (fit_group(prefix[k], &small, &below) &&
            fit_group(difference(&prefix[n], &prefix[k]), &large, &above) &&
            below + above < *least) {
            *least = below + above;
            fit->small = small;
            fit->large = large;
            fit->n_small = k;
        }
    }
}

/* Where the lines cross, if between the two groups; both in logarithms about the centre. */
static double parting(const power_fit *fit, double last_small, double first_large)
{
    double x =
        (fit->large.intercept - fit->small.intercept) / (fit->small.slope - fit->large.slope);
    return x >= last_small && x <= first_large ? x : (last_small + first_large) / 2;
}

static void move_centre(fit_line *line, double x, double y)
{
    line->intercept += y - line->slope * x;
}

bool fit_power(const double *x, const double *t, int n, power_fit *fit)
{
    double centre_x = 0, centre_y = 0, squares;
    *fit = (power_fit){.bend_x = NAN};
    if (n < FIT_POINTS)
        return false;
    for (int i = 0; i < n; i++) {
        centre_x += log(x[i]) / n;
        centre_y += log(t[i]) / n;
    }
    sums *prefix = allocate(((unsigned long long)n + 1) * sizeof *prefix);
    prefix[0] = (sums){0};
    for (int i = 0; i < n; i++) {
        double u = log(x[i]) - centre_x, v = log(t[i]) - centre_y;
        const sums *s = &prefix[i];
        prefix[i + 1] =
            (sums){s->n + 1, s->x + u, s->y + v, s->xx + u * u, s->xy + u * v, s->yy + v * v};
    }
    bool fitted = fit_group(prefix[n], &fit->small, &squares);
    if (fitted) {
        power_fit bent = *fit;
        double least = INFINITY;
        fit->large = fit->small;
        fit->rms = sqrt(squares / n);
        bend(prefix, n, &bent, &least);
        if (fit->rms > BEND_LEAST_RMS && sqrt(least / n) <= fit->rms / 2) {
            int k = bent.n_small;
            *fit = bent;
            fit->bent = true;
            fit->rms = sqrt(least / n);
            fit->bend_x =
                exp(centre_x + parting(fit, log(x[k - 1]) - centre_x, log(x[k]) - centre_x));
        }
        move_centre(&fit->small, centre_x, centre_y);
        move_centre(&fit->large, centre_x, centre_y);
    }
    free(prefix);
    return fitted;
}

double fit_power_at(const power_fit *fit, int i, double x)
{
    const fit_line *line = i < fit->n_small ? &fit->small : &fit->large;
    return exp(line->intercept + line->slope * log(x));
}

double amdahl(double parallel, double threads)
{
    return 1 / (1 - parallel + parallel / threads);
}

bool fit_amdahl(const double *threads, const double *speedup, int n, double *parallel, double *rms)
{
    /* the law's time over the measured one is S (1 - P (1 - 1/N)) = 1 + v - P u */
    double uu = 0, uv = 0, errors = 0;
    int told = 0;
    for (int i = 0; i < n; i++) {
        double u = speedup[i] * (1 - 1 / threads[i]), v = speedup[i] - 1;
        uu += u * u;
        uv += u * v;
        told += threads[i] > 1;
    }
    if (told == 0)
        return false;
    *parallel = fmin(fmax(uv / uu, 0), 1); /* the best of all shares: the sum is convex in P */
    for (int i = 0; i < n; i++) {
        double error = amdahl(*parallel, threads[i]) / speedup[i] - 1;
        errors += error * error;
    }
    *rms = told > 1 ? sqrt(errors / n) : NAN; /* a single point is met by some P */
    return true;
}
