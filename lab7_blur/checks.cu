/*
 * checks.cu - lab 7's settings and pictures, and whether a picture is filtered right.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "blur.h"
#include "pictures/picture.h"
#include "process/die.h"
#include "recursive_step.cuh"
#include "young_van_vliet.h"

/* ---- settings ------------------------------------------------------------------------------- */

gaussian_filter gauss = {.sigma = 5, .given_radius = -1, .reach = 3, .side_max = SIDE_MAX};
static const char *input_path, *output_path;

extern const lab_option blur_options[] = {
    {"--sigma", OPTION_DOUBLE, &gauss.sigma, 0.1, 100, "in pixels"},
    {"--radius", OPTION_INT, &gauss.given_radius, 0, RADIUS_MAX,
     "r, of (2r+1) x (2r+1) taps; without it 3 sigma"},
    {"--input", OPTION_TEXT, &input_path, 0, 0, "picture to filter; without one, random pixels"},
    {"--output", OPTION_OUTPUT, &output_path, 0, 0, "where a single run writes the result"},
};

static image photo; /* the input picture as its file has it; empty without one */

void configure(void)
{
    work_out_weights();
    picture_load(&photo, input_path);
    picture_check_writable(output_path);
}

void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=f32;sigma=%g;radius=%d", gauss.sigma, filter_radius());
}

/* ---- the problem ---------------------------------------------------------------------------- */

static size_t pixels_of(const problem *p)
{
    return (size_t)p->width * p->height;
}

void layout(problem *p)
{
    size_t bytes = pixels_of(p) * sizeof(float);
    problem_add_buffer(p, "input", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "output", BUFFER_OUTPUT, bytes);
    problem_add_buffer(p, "scratch", BUFFER_SCRATCH, bytes);
}

void fill(const problem *p)
{
    picture_fit_floats(&photo, input_path, p->width, p->height, p->seed,
                       (float *)p->buffer[INPUT].host);
}

/*
 * Counts the operations of the separable filter, the fewest of an exact one.
 */
lab_work work(const problem *p)
{
    double pixels = (double)pixels_of(p), taps = 2 * pixels * (2 * filter_radius() + 1);
    return {.bytes = 2 * pixels * sizeof(float), .flops = 2 * taps};
}

/* ---- the result of a single run ------------------------------------------------------------- */

void present(const problem *p, const variant *v, dim3)
{
    static bool written;
    if (written && v->role == ROLE_YARDSTICK)
        return; /* a copy of the input is not to replace the filtered picture */
    picture_write_floats(output_path, (const float *)p->buffer[OUTPUT].host, p->width, p->height);
    written = true;
}

/* ---- the reference -------------------------------------------------------------------------- */

/*
 * Filters a line in double precision as the paper has it. Where the kernel turns around by a map,
 * this goes on past the line's end until the filter has settled; `w` is room for length +
 * settling_length(sigma) values.
 */
static void recursive_line(double *line, int length, size_t stride, double *w, double sigma)
{
    young_van_vliet v = coefficients_for(sigma);
    int whole = length + settling_length(sigma);
    double last = line[(length - 1) * stride], w1 = line[0], w2 = w1, w3 = w1;
    for (int i = 0; i < whole; i++) {
        w[i] = v.gain * (i < length ? line[i * stride] : last) + v.b1 * w1 + v.b2 * w2 + v.b3 * w3;
        w3 = w2;
        w2 = w1;
        w1 = w[i];
    }
    w1 = w2 = w3 = last;
    for (int i = whole - 1; i >= 0; i--) {
        double out = v.gain * w[i] + v.b1 * w1 + v.b2 * w2 + v.b3 * w3;
        w3 = w2;
        w2 = w1;
        w1 = out;
        if (i < length)
            line[i * stride] = out;
    }
}

/*
 * What check() compares with, a value a pixel: the exact result, and what the recursive filter
 * would give in double precision, worked out when it is first asked for. Both lie behind the
 * struct.
 */
typedef struct blur_reference {
    double *exact, *recursive;
    bool recursive_known;
} blur_reference;

void *reference(const problem *p)
{
    size_t count = pixels_of(p);
    blur_reference *r = (blur_reference *)allocate(sizeof *r + 2 * count * sizeof(double));
    r->exact = (double *)(r + 1);
    r->recursive = r->exact + count;
    r->recursive_known = false;
    filter_exact((const float *)p->buffer[INPUT].host, r->exact, shape_of(p), 1);
    return r;
}

/* Works out what the recursion gives, unless that is known. */
static void work_out_recursion(const problem *p, blur_reference *r)
{
    int longer = p->width > p->height ? p->width : p->height;
    if (r->recursive_known)
        return;
    r->recursive_known = true;
    for (size_t i = 0; i < pixels_of(p); i++)
        r->recursive[i] = ((const float *)p->buffer[INPUT].host)[i];
#pragma omp parallel
    {
        double *w = (double *)allocate((longer + settling_length(gauss.sigma)) * sizeof *w);
#pragma omp for
        for (int y = 0; y < p->height; y++)
            recursive_line(r->recursive + (size_t)y * p->width, p->width, 1, w, gauss.sigma);
#pragma omp for
        for (int x = 0; x < p->width; x++)
            recursive_line(r->recursive + x, p->height, p->width, w, gauss.sigma);
        free(w);
    }
}

/* ---- bounds --------------------------------------------------------------------------------- */

/*
 * Returns how far the kernels may be from their own formula in double precision, for pixels
 * 0..size; u = 2^-24. In a pass pixels up to 1 give values up to v and changes up to c. A change is
 * a sum of three products, each off by 5 u of its size at most (a coefficient, a difference, a
 * product, two sums), a value by u of its own; every such error settles, and all of them add up.
 * What a pass gets wrong the next makes larger by v at most. The turn rounds three such sums of the
 * state at the last pixel, once a line, and each of the three errors settles. Where lines are cut
 * into chunks, `carry_errors` is what carrying a state from one to the next gets wrong besides, in
 * a forward and in a backward pass over pixels up to 1. First order in u, so 1 % is added.
 */
static double recursion_bound(double size, double sigma, const double carry_errors[2])
{
    const double u = 0x1p-24;
    young_van_vliet y = coefficients_for(sigma);
    recursion r = recursion_for(sigma);
    settling pixel = settle(y.gain, y.gain, 0, sigma); /* what a pixel of 1 leaves */
    double v = pixel.values, c = pixel.changes, bound = 0, turn_error = 0;
    for (int to = 0; to < 3; to++)
        turn_error +=
            5 * u * settle(to == 0, to == 1, to == 2, sigma).largest *
            (fabs(r.turn[to][0]) * (1 + v) + (fabs(r.turn[to][1]) + fabs(r.turn[to][2])) * c);
    double pass_error = 5 * u * settle(1, 1, 0, sigma).values *
                            (r.gain * (1 + v) + (fabs(r.near) + fabs(r.far)) * c) +
                        u * v * settle(1, 0, 0, sigma).values;
    for (int pass = 0; pass < 4; pass++) {
        bound = bound * v +
                size * (pass_error + (pass % 2 == 1 ? turn_error : 0) + carry_errors[pass % 2]);
        size *= v;
    }
    return 1.01 * bound;
}

/*
 * Returns how far the recursive filter may be from the Gaussian of weights g[-radius..radius], for
 * pixels 0..255. Both are weighted means, of weights h and g along a line and h h', g g' in the
 * plane, so with pixels counted from 127.5 the difference is at most 127.5 |h h' - g g'|, and
 * |h h' - g g'| <= |h - g| (|h| + |g|), where |.| is a sum of magnitudes.
 */
static double gaussian_bound(const double *g, int radius, double sigma)
{
    young_van_vliet v = coefficients_for(sigma);
    int reach = settling_length(sigma) + radius, length = 2 * reach + 1;
    double *h = (double *)allocate(length * sizeof *h), forward[3] = {0}, backward[3] = {0};
    double difference = 0, size = 0;
    for (int i = 0; i < length; i++)
        h[i] = exact_step(forward, i == reach ? 1 : 0, v);
    for (int i = length - 1; i >= 0; i--) {
        int d = i - reach;
        h[i] = exact_step(backward, h[i], v);
        difference += fabs(h[i] - (abs(d) <= radius ? g[radius + d] : 0));
        size += fabs(h[i]);
    }
    free(h);
    return 127.5 * difference * (size + 1);
}

/*
 * Returns the roundings in two lines of n taps. A sum of n products, in any order, with or without
 * fused multiply-adds, is off by n u relatively (nothing cancels where no product is negative), and
 * its weights by another u, u = 2^-24.
 */
static double two_lines_roundings(double n)
{
    return 2 * (n + 1);
}

/* Returns the roundings in all n^2 taps at once. */
static double plane_roundings(double n)
{
    return n * n + 2;
}

static const accuracy two_lines_accuracy = {.roundings = two_lines_roundings};
extern const accuracy plane_accuracy = {.roundings = plane_roundings};
extern const accuracy recursive_accuracy = {.recursive = true};

/* ---- checking ------------------------------------------------------------------------------- */

static checked against_input(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    return {((const float *)p->buffer[OUTPUT].host)[i], ((const float *)p->buffer[INPUT].host)[i],
            1};
}

typedef struct comparison {
    const float *output;
    const double *expected;
    bool relative; /* or in levels */
} comparison;

static checked value_at(const void *context, size_t i)
{
    const comparison *c = (const comparison *)context;
    /* weights so small that float has no room for them may be lost */
    return {c->output[i], c->expected[i], c->relative ? fmax(c->expected[i], 1e-30) : 1};
}

static check_result compare(const problem *p, const double *expected, bool relative,
                            double tolerance)
{
    comparison c = {(const float *)p->buffer[OUTPUT].host, expected, relative};
    return check_all(tolerance, p->width, pixels_of(p), value_at, &c);
}

/* Checks a recursion: its own formula within the bound, and the Gaussian within the other one. */
static check_result check_recursive(const problem *p, const accuracy *has)
{
    blur_reference *r = (blur_reference *)p->reference;
    work_out_recursion(p, r);
    double carry_errors[2] = {0, 0};
    if (has->carries_bound)
        has->carries_bound(carry_errors, gauss.sigma);
    double own_bound = recursion_bound(255, gauss.sigma, carry_errors);
    check_result result = compare(p, r->recursive, false, own_bound);
    double bound = gaussian_bound(gauss.exact, filter_radius(), gauss.sigma) + result.tolerance;
    check_result difference = compare(p, r->exact, false, bound);
    if (!result.wrong && difference.wrong)
        return difference;
    snprintf(result.note, sizeof result.note,
             "up to %.3g levels from the Gaussian of %d taps a line (at most %.3g)",
             difference.max_error, 2 * filter_radius() + 1, bound);
    return result;
}

check_result check(const problem *p, const variant *v)
{
    const accuracy *has = v->own ? (const accuracy *)v->own : &two_lines_accuracy;
    if (v->role == ROLE_YARDSTICK)
        return check_all(0, p->width, pixels_of(p), against_input, p);
    if (has->recursive)
        return check_recursive(p, has);
    double roundings = has->roundings(2 * filter_radius() + 1);
    const double *exact = ((const blur_reference *)p->reference)->exact;
    return compare(p, exact, true, 1.001 * roundings * 0x1p-24);
}
