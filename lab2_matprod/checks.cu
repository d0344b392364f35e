/*
 * checks.cu - what lab 2's matrices hold, and whether a product is right.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matprod.h"
#include "process/die.h"
#include "random.h"

/* ---- data ----------------------------------------------------------------------------------- */

static int identity; /* B is the identity, so C must be A */

enum { UNIFORM, NORMAL, POSITIVE, PEAKS, SCALED, ROWS_SCALED, OPPOSITE, SPECIAL };
static int data_kind;

static const char *const data_names[] = {"uniform", "normal",   "positive", "peaks", "scaled",
                                         "rows",    "opposite", "special",  NULL};

const lab_option data_options[] = {
    {"--identity", OPTION_INT, &identity, 0, 1, "1: B is the identity matrix, so C must be A"},
    {"--data", OPTION_CHOICE, &data_kind, 0, 0,
     "uniform: -1 to 1; normal; positive: 0 to 1; peaks: uniform, but 2.5 once in each row of A "
     "and column of B; times powers of 2 from 2^-20 to 2^20, scaled: A's rows and B's columns, "
     "rows: all rows, opposite: A's columns, by which B's rows are divided; special: with "
     "infinities and NaN",
     data_names},
};

void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=f32%s%s%s", identity ? ";b=identity" : "",
             data_kind ? ";data=" : "", data_kind ? data_names[data_kind] : "");
}

/* ---- the problem ---------------------------------------------------------------------------- */

void layout(problem *p)
{
    shape s = shape_of(p);
    problem_add_buffer(p, "A", BUFFER_INPUT, count_of(s.height, s.depth) * sizeof(float));
    problem_add_buffer(p, "B", BUFFER_INPUT, count_of(s.depth, s.width) * sizeof(float));
    problem_add_buffer(p, "C", BUFFER_OUTPUT, count_of(s.height, s.width) * sizeof(float));
}

lab_work work(const problem *p)
{
    double m = p->height, n = p->width, k = p->depth;
    return {.bytes = sizeof(float) * (m * k + k * n + m * n),
            .flops = 2 * m * n * k,
            .steps = m * n * k};
}

/* Fills with sums of twelve uniform numbers of 16 bits: variance 1, all of it exact. */
static void fill_normal(float *values, size_t count, uint64_t seed)
{
#pragma omp parallel for
    for (size_t i = 0; i < count; i++) {
        int sum = 0;
        for (uint64_t draw = 0; draw < 3; draw++)
            for (uint64_t bits = random_bits(seed, 3 * i + draw), part = 0; part < 4; part++)
                sum += (int)(bits >> 16 * part & 0xFFFF);
        values[i] = (float)(sum - 6 * 0xFFFF) * 0x1p-16f;
    }
}

/* Multiplies each row, or column, by a drawn power of 2 from 2^-20 to 2^20, or divides: sign -1. */
static void spread(float *values, int rows, int columns, uint64_t seed, bool by_column, int sign)
{
#pragma omp parallel for
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            int exponent = (int)(random_bits(seed, (uint64_t)(by_column ? x : y)) % 41) - 20;
            float *value = values + count_of(y, columns) + x;
            *value = ldexpf(*value, sign * exponent);
        }
}

/* Puts a number larger than all others into each row of A and column of B, anywhere. */
static void put_peaks(float *a, float *b, shape s, uint64_t seed)
{
    const float peak = 2.5f;
    for (int y = 0; y < s.height; y++)
        a[count_of(y, s.depth) + random_bits(seed, (uint64_t)y) % s.depth] = peak;
    for (int x = 0; x < s.width; x++)
        b[count_of((int)(random_bits(seed + 1, (uint64_t)x) % s.depth), s.width) + x] = peak;
}

static void put_specials(float *a, float *b, shape s)
{
    a[0] = INFINITY;
    a[count_of(s.height / 4, s.depth) + s.depth / 3] = NAN;
    b[count_of(s.depth / 2, s.width) + s.width / 3] = -INFINITY;
    b[count_of(s.depth - 1, s.width) + s.width - 1] = NAN;
}

void fill(const problem *p)
{
    shape s = shape_of(p);
    size_t a_count = count_of(s.height, s.depth), b_count = count_of(s.depth, s.width);
    float *a = (float *)p->buffer[A].host, *b = (float *)p->buffer[B].host;
    const uint64_t scales = p->seed + 3000;
    if (data_kind == NORMAL) {
        fill_normal(a, a_count, 2 * p->seed);
        fill_normal(b, b_count, 2 * p->seed + 1);
    } else {
        random_fill_float(a, a_count, data_kind == POSITIVE ? 0 : -1, 1, 2 * p->seed);
        random_fill_float(b, b_count, data_kind == POSITIVE ? 0 : -1, 1, 2 * p->seed + 1);
    }
    if (data_kind == SCALED || data_kind == ROWS_SCALED || data_kind == OPPOSITE) {
        spread(a, s.height, s.depth, scales, data_kind == OPPOSITE, 1);
        spread(b, s.depth, s.width, data_kind == OPPOSITE ? scales : scales + 1,
               data_kind == SCALED, data_kind == OPPOSITE ? -1 : 1);
    }
    if (data_kind == PEAKS)
        put_peaks(a, b, s, scales);
    for (size_t i = 0; identity && i < b_count; i++)
        b[i] = i / s.width == i % s.width ? 1 : 0;
    if (data_kind == SPECIAL)
        put_specials(a, b, s);
}

/* ---- checking ------------------------------------------------------------------------------- */

/*
 * The bound is Higham's (Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1): for any
 * order of summation, with or without fused multiply-adds, |C - C64| <= K u / (1 - K u) |A||B|
 * elementwise, u = 2^-24. Up to FULL_CHECK multiply-adds every element is compared. Beyond, all of
 * SAMPLED_ROWS rows, and every row of the products C x with PROJECTIONS random sign vectors x
 * (Freivalds, 1977), where one wrong element changes |C x - A (B x)|. Right ones add up to SIGNS
 * times the bound times the norms of A's row and of all of B, or more, once in 10^13 rows.
 */
enum { FULL_CHECK = 512 * 512 * 512, SAMPLED_ROWS = 32, PROJECTIONS = 2, SIGNS = 8 };

static int checked_rows(shape s)
{
    bool all = (long long)s.height * s.width * s.depth <= FULL_CHECK || s.height <= SAMPLED_ROWS;
    return all ? s.height : SAMPLED_ROWS;
}

/* Returns the index-th checked row: all in order, or the first, the last and random ones. */
static int checked_row(const problem *p, int index)
{
    shape s = shape_of(p);
    if (checked_rows(s) == s.height)
        return index;
    if (index < 2)
        return index == 0 ? 0 : s.height - 1;
    return (int)(random_bits(p->seed + 1000, (uint64_t)index) % (uint64_t)s.height);
}

/* Draws the vector x of a projection, random signs. The caller frees it. */
static double *projection_vector(const problem *p, int projection)
{
    double *x = (double *)allocate(p->width * sizeof *x);
    for (int i = 0; i < p->width; i++) {
        uint64_t bits = random_bits(p->seed + 2000 + (uint64_t)projection, (uint64_t)i);
        x[i] = bits >> 63 ? 1 : -1;
    }
    return x;
}

/* What check() compares with, in double precision. All arrays lie behind the struct. */
typedef struct product_reference {
    double *product, *scale;            /* rows of A B and of |A||B|: checked_rows x width */
    double *projected[PROJECTIONS + 1]; /* A (B x), the last one the room for it: height */
} product_reference;

static void multiply_row(const problem *p, int y, double *product, double *scale)
{
    const float *a = (const float *)p->buffer[A].host, *b = (const float *)p->buffer[B].host;
    shape s = shape_of(p);
    for (int x = 0; x < s.width; x++)
        product[x] = scale[x] = 0;
    for (int k = 0; k < s.depth; k++) {
        double left = a[y * s.depth + k];
        const float *row = b + k * s.width;
        for (int x = 0; x < s.width; x++) {
            product[x] += left * row[x];
            scale[x] += fabs(left * row[x]);
        }
    }
}

/* Multiplies a matrix of rows x columns by a vector, in double. */
static void multiply_vector(const float *matrix, int rows, int columns, const double *vector,
                            double *out)
{
#pragma omp parallel for
    for (int y = 0; y < rows; y++) {
        double sum = 0;
        for (int x = 0; x < columns; x++)
            sum += matrix[y * columns + x] * vector[x];
        out[y] = sum;
    }
}

static double norm(const float *values, size_t count)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (double)values[i] * values[i];
    return sqrt(squares);
}

static void project(const problem *p, product_reference *r)
{
    const float *a = (const float *)p->buffer[A].host, *b = (const float *)p->buffer[B].host;
    shape s = shape_of(p);
    double *bx = (double *)allocate(s.depth * sizeof *bx);
    for (int i = 0; i < PROJECTIONS; i++) {
        double *x = projection_vector(p, i);
        multiply_vector(b, s.depth, s.width, x, bx);
        multiply_vector(a, s.height, s.depth, bx, r->projected[i]);
        free(x);
    }
    free(bx);
    double whole = (double)SIGNS * norm(b, count_of(s.depth, s.width));
    for (int y = 0; y < s.height; y++)
        r->projected[PROJECTIONS][y] = whole * norm(a + count_of(y, s.depth), s.depth);
}

void *reference(const problem *p)
{
    shape s = shape_of(p);
    size_t rows = (size_t)checked_rows(s), checked = rows * s.width, height = (size_t)s.height;
    size_t doubles = 2 * checked + (PROJECTIONS + 1) * height;
    product_reference *r = (product_reference *)allocate(sizeof *r + doubles * sizeof(double));
    r->product = (double *)(r + 1);
    r->scale = r->product + checked;
    for (int i = 0; i <= PROJECTIONS; i++)
        r->projected[i] = r->scale + checked + i * height;
#pragma omp parallel for
    for (int i = 0; i < (int)rows; i++)
        multiply_row(p, checked_row(p, i), r->product + (size_t)i * s.width,
                     r->scale + (size_t)i * s.width);
    project(p, r);
    return r;
}

static void check_projections(const problem *p, const product_reference *r, check_result *result)
{
    const float *c = (const float *)p->buffer[C].host;
    shape s = shape_of(p);
    double *cx = (double *)allocate(s.height * sizeof *cx);
    for (int i = 0; i < PROJECTIONS; i++) {
        double *x = projection_vector(p, i);
        multiply_vector(c, s.height, s.width, x, cx);
        for (int y = 0; y < s.height; y++)
            if (isfinite(r->projected[i][y])) /* a sum that is not finite tells nothing */
                check_scaled(result, cx[y], r->projected[i][y], r->projected[PROJECTIONS][y],
                             (size_t)y * s.width);
        free(x);
    }
    free(cx);
}

static double tolerance_of(const accuracy *has, shape s)
{
    double ku = (s.depth + 1) * has->unit; /* one more for the reference's own */
    return ku / (1 - ku) + has->factors;
}

/* Checks a value; one that is not finite must be just what the reference has. */
static void check_value(check_result *result, double value, double expected, double scale,
                        size_t index)
{
    bool same = isnan(expected) ? isnan(value) : isinf(expected) && value == expected;
    check_scaled(result, same ? 0 : value, same ? 0 : expected, scale, index);
}

/* Adds to a note, behind what it has. */
static void add_note(check_result *result, const char *text)
{
    size_t used = strlen(result->note);
    snprintf(result->note + used, sizeof result->note - used, "%s%s", used ? "; " : "", text);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Notes the median of |C - C64| / |A||B| in the checked rows. */
static void note_median(const problem *p, const product_reference *r, check_result *result)
{
    const float *c = (const float *)p->buffer[C].host;
    shape s = shape_of(p);
    size_t count = 0, all = count_of(checked_rows(s), s.width);
    double *errors = (double *)allocate(all * sizeof *errors);
    char text[64];
    for (size_t i = 0; i < all; i++) {
        double value = c[count_of(checked_row(p, (int)(i / s.width)), s.width) + i % s.width];
        double error = fabs(value - r->product[i]) / r->scale[i];
        if (isfinite(error))
            errors[count++] = error;
    }
    qsort(errors, count, sizeof *errors, compare_doubles);
    snprintf(text, sizeof text, "median error %.2g", count ? errors[count / 2] : 0);
    add_note(result, text);
    free(errors);
}

/* Notes what multiplied on each GPU, and which way it went. */
static void note_way(const accuracy *has, check_result *result)
{
    if (has->local)
        add_note(result, has->local);
    if (has->way)
        add_note(result, has->way());
}

check_result check(const problem *p, const variant *v)
{
    static const accuracy fp32 = {};
    const float *c = (const float *)p->buffer[C].host;
    const product_reference *r = (const product_reference *)p->reference;
    shape s = shape_of(p);
    const accuracy *has = v->own ? (const accuracy *)v->own : &fp32;
    int rows = checked_rows(s);
    check_result result = check_start(tolerance_of(has, s), s.width);
    for (int i = 0; i < rows; i++) {
        size_t row = (size_t)checked_row(p, i) * s.width, from = (size_t)i * s.width;
        for (int x = 0; x < s.width; x++)
            check_value(&result, c[row + x], r->product[from + x], r->scale[from + x], row + x);
    }
    if (rows < s.height) {
        check_projections(p, r, &result);
        snprintf(result.note, sizeof result.note, "checked %d rows and %d random products", rows,
                 PROJECTIONS);
    }
    if (has->median)
        note_median(p, r, &result);
    note_way(has, &result);
    return result;
}
