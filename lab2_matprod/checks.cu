/*
 * checks.cu - lab 2's problem: its buffers, its work, and whether a product is right.
 */
#include <algorithm>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matprod.h"
#include "process/die.h"
#include "random.h"

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
    return {.bytes = sizeof(float) * (m * k + k * n + m * n), .flops = 2 * m * n * k};
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
    bool few = (long long)s.height * s.width * s.depth <= FULL_CHECK || s.height <= SAMPLED_ROWS;
    return few || all_rows ? s.height : SAMPLED_ROWS;
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

/* No sum of these numbers is rounded in FP32. */
constexpr double EXACT = -1;

/* What check() compares with, in double precision. All arrays lie behind the struct. */
typedef struct product_reference {
    double *product, *scale;            /* rows of A B and of |A||B|: checked_rows x width */
    double *own;                        /* |C - C64| / |A||B| of FP32's own sum; EXACT, see below */
    double *projected[PROJECTIONS + 1]; /* A (B x), the last one the room for it: height */
} product_reference;

/* Returns e of the last bit, 2^e, that a number has; NO_BIT if it is 0 or not finite. */
enum { NO_BIT = 1000 };

static int last_bit(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 23 & 255);
    uint32_t fraction = (bits & 0x7FFFFF) | (exponent ? 1u << 23 : 0);
    return fraction == 0 || exponent == 255 ? (int)NO_BIT
                                            : std::max(exponent, 1) - 150 + __builtin_ctz(fraction);
}

/* Finds the least of these in each column of B. The caller frees them. */
static int *last_bits(const float *b, int rows, int columns)
{
    int *least = (int *)allocate((size_t)columns * sizeof *least);
#pragma omp parallel for
    for (int x = 0; x < columns; x += 64) {
        const int end = std::min(columns, x + 64);
        for (int i = x; i < end; i++)
            least[i] = NO_BIT;
        for (int k = 0; k < rows; k++)
            for (int i = x; i < end; i++)
                least[i] = std::min(least[i], last_bit(b[count_of(k, columns) + i]));
    }
    return least;
}

/*
 * Makes a row of these; `own` holds FP32's sums on the way. All terms are multiples of the last bit
 * of A's row times that of B's column: where magnitudes add up to 2^24 of them or less, no order of
 * summation rounds.
 */
static void multiply_row(const problem *p, int y, const int *b_bits, double *product, double *scale,
                         double *own)
{
    const float *a = (const float *)p->buffer[A].host, *b = (const float *)p->buffer[B].host;
    shape s = shape_of(p);
    int a_bit = NO_BIT;
    for (int x = 0; x < s.width; x++)
        product[x] = scale[x] = own[x] = 0;
    for (int k = 0; k < s.depth; k++) {
        double left = a[y * s.depth + k];
        const float *row = b + k * s.width;
        a_bit = std::min(a_bit, last_bit((float)left));
        for (int x = 0; x < s.width; x++) {
            const double term = left * row[x];
            product[x] += term;
            scale[x] += fabs(term);
            own[x] = (float)(own[x] + term);
        }
    }
    for (int x = 0; x < s.width; x++)
        own[x] = scale[x] <= ldexp(1, std::min(24 + a_bit + b_bits[x], (int)NO_BIT))
                     ? EXACT
                     : fabs(own[x] - product[x]) / scale[x];
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
    size_t doubles = 3 * checked + (PROJECTIONS + 1) * height;
    product_reference *r = (product_reference *)allocate(sizeof *r + doubles * sizeof(double));
    r->product = (double *)(r + 1);
    r->scale = r->product + checked;
    r->own = r->scale + checked;
    for (int i = 0; i <= PROJECTIONS; i++)
        r->projected[i] = r->own + checked + i * height;
    int *b_bits = last_bits((const float *)p->buffer[B].host, s.depth, s.width);
#pragma omp parallel for
    for (int i = 0; i < (int)rows; i++)
        multiply_row(p, checked_row(p, i), b_bits, r->product + (size_t)i * s.width,
                     r->scale + (size_t)i * s.width, r->own + (size_t)i * s.width);
    free(b_bits);
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

/* Returns the bound of |C - C64| / |A||B| for a kernel that has no promise of its own. */
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

/* Returns the median of those that are finite; changes their order. */
static double median_of(double *errors, size_t all)
{
    size_t count = 0;
    for (size_t i = 0; i < all; i++)
        if (isfinite(errors[i]))
            errors[count++] = errors[i];
    std::nth_element(errors, errors + count / 2, errors + count);
    return count ? errors[count / 2] : 0;
}

/* Returns the median of |C - C64| / |A||B| in the checked rows. */
static double median_error(const problem *p, const product_reference *r)
{
    const float *c = (const float *)p->buffer[C].host;
    shape s = shape_of(p);
    size_t all = count_of(checked_rows(s), s.width);
    double *errors = (double *)allocate(all * sizeof *errors);
    for (size_t i = 0; i < all; i++) {
        double value = c[count_of(checked_row(p, (int)(i / s.width)), s.width) + i % s.width];
        errors[i] = fabs(value - r->product[i]) / r->scale[i];
    }
    double median = median_of(errors, all);
    free(errors);
    return median;
}

/* ---- the promise of the ways that have FP32's accuracy ---- */

/*
 * What tensor_split and tensor_int8_slices promise, of any data: no error is larger than 4 u, nor
 * half of them larger than u, unless FP32's own sums have larger ones (of a random sum they grow
 * with the root of K); and a sum that FP32 does not round is exact. FP32's own sum here is the one
 * along k; another order of the same terms may have twice its errors.
 */
typedef struct promise {
    double largest, median;
} promise;

static promise promise_of(const problem *p, const product_reference *r)
{
    const double u = 0x1p-24;
    size_t all = count_of(checked_rows(shape_of(p)), p->width);
    double *errors = (double *)allocate(all * sizeof *errors), largest = 0;
    for (size_t i = 0; i < all; i++) {
        errors[i] = r->own[i] == EXACT ? 0 : r->own[i];
        if (errors[i] > largest)
            largest = errors[i];
    }
    promise made = {fmax(4 * u, 2 * largest), fmax(u, 2 * median_of(errors, all))};
    free(errors);
    return made;
}

/* Notes what multiplied on each GPU, and which way it went. */
static void note_way(const accuracy *has, check_result *result)
{
    if (has->local)
        add_note(result, has->local);
    if (has->way)
        add_note(result, has->way());
}

static void note_median(double median, check_result *result)
{
    char text[64];
    snprintf(text, sizeof text, "median error %.2g", median);
    add_note(result, text);
}

check_result check(const problem *p, const variant *v)
{
    static const accuracy fp32 = {};
    const float *c = (const float *)p->buffer[C].host;
    const product_reference *r = (const product_reference *)p->reference;
    shape s = shape_of(p);
    const accuracy *has = v->own ? (const accuracy *)v->own : &fp32;
    const promise made = has->promises ? promise_of(p, r) : promise{tolerance_of(has, s), INFINITY};
    int rows = checked_rows(s);
    check_result result = check_start(made.largest, s.width);
    for (int i = 0; i < rows; i++) {
        size_t row = (size_t)checked_row(p, i) * s.width, from = (size_t)i * s.width;
        for (int x = 0; x < s.width; x++) {
            const bool exact = has->promises && r->own[from + x] == EXACT;
            check_value(&result, c[row + x], r->product[from + x], exact ? 0 : r->scale[from + x],
                        row + x);
        }
    }
    if (rows < s.height) {
        check_projections(p, r, &result);
        snprintf(result.note, sizeof result.note, "checked %d rows and %d random products", rows,
                 PROJECTIONS);
    }
    if (has->median) {
        const double median = median_error(p, r);
        if (median > made.median) /* wrong: as an error that is as much too large */
            check_scaled(&result, median, 0, made.median / made.largest, 0);
        note_median(median, &result);
    }
    note_way(has, &result);
    return result;
}
