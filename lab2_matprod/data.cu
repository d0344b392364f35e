/*
 * data.cu - what lab 2's matrices hold: kinds of data that people multiply, and kinds that are
 * chosen against a product in parts (docs/accuracy.md has the errors of each). What the C library
 * computes is rounded from double, so that its last bits do not matter.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "matprod.h"
#include "element.h"
#include "random.h"

/* ---- numbers that people multiply ---- */

static float ones(const element *)
{
    return 1;
}
static float constant(const element *s)
{
    return s->of_b ? 0.7f : 1 / 3.0f;
}
static float bytes(const element *s)
{
    return (float)(1 + integer(s, 255));
}
static float integers(const element *s)
{
    return (float)(integer(s, 8191) - 4095);
}
static float powers(const element *s)
{
    return sign(s) * ldexpf(1, integer(s, 17) - 8);
}
static float fp16(const element *s)
{
    return rounded(symmetric(s), 11);
}
static float fp16_a(const element *s)
{
    return s->of_b ? symmetric(s) : fp16(s);
}
static float fp16_b(const element *s)
{
    return s->of_b ? fp16(s) : symmetric(s);
}
static float bf16(const element *s)
{
    return rounded(normal(s), 8);
}
static float bf16_a(const element *s)
{
    return s->of_b ? symmetric(s) : rounded(symmetric(s), 8);
}
static float bytes_b(const element *s)
{
    return s->of_b ? bytes(s) : symmetric(s);
}
static float binary(const element *s)
{
    return integer(s, 10) < 3;
}
static float zeros(const element *s)
{
    return integer(s, 10) < 3 ? 0 : symmetric(s);
}
static float sparse(const element *s)
{
    return integer(s, 20) ? 0 : symmetric(s);
}
static float relu(const element *s)
{
    return fmaxf(normal(s), 0);
}
static float relu_a(const element *s)
{
    return s->of_b ? normal(s) : relu(s);
}
static float normal_b(const element *s)
{
    return s->of_b ? normal(s) : symmetric(s);
}
static float softmax(const element *s)
{
    return s->of_b ? normal(s) : (float)exp(2.0 * normal(s));
}
static float lognormal(const element *s)
{
    return (float)exp(normal(s));
}
static float tiny(const element *s)
{
    return symmetric(s) * 0x1p-60f;
}
static float huge(const element *s)
{
    return symmetric(s) * 0x1p50f;
}

static float hadamard(const element *s)
{
    return __builtin_popcount((unsigned)(s->line & s->k)) % 2 ? -1 : 1;
}

static float one_hot(const element *s)
{
    return s->of_b ? symmetric(s) : is_peak(s);
}

static float permutation(const element *s)
{
    return s->of_b ? symmetric(s) : s->k == (int)(s->line * 97LL % s->depth);
}

/* A's upper triangle is zeros; of `triangles` B's, too. */
static float triangular(const element *s)
{
    return !s->of_b && s->k > s->line ? 0 : symmetric(s);
}

static float triangles(const element *s)
{
    return (s->of_b ? s->line > s->k : s->k > s->line) ? 0 : symmetric(s);
}

static float banded(const element *s)
{
    return abs(s->line - s->k) > 8 ? 0 : symmetric(s);
}

static float hilbert(const element *s)
{
    return 1 / (float)(s->line + s->k + 1);
}

static float vandermonde(const element *s)
{
    return (float)pow((s->line + 1.0) / (s->lines + 1.0), s->k);
}

static float toeplitz(const element *s)
{
    return (float)(bits_of(s, s->line - s->k + s->depth) >> 40) * 0x1p-23f - 1;
}

static float image(const element *s)
{
    const double wave = sin(s->line * 0.02) * cos(s->k * 0.03);
    return (float)(int)(127.5 + 100 * wave + integer(s, 9)) / 255;
}

/* Four bits times a scale of the line; A is normal. */
static float quantised(const element *s)
{
    const float scale = 0.01f + (float)(bits_of(s, s->line) >> 40) * 0x1p-24f;
    return s->of_b ? (float)(integer(s, 16) - 8) * scale : normal(s);
}

static float waves(const element *s)
{
    return (float)cos(2 * M_PI * (double)((long long)s->line * s->k % s->depth) / s->depth);
}

static float cauchy(const element *s)
{
    return (float)tan(1.5707 * symmetric(s));
}

/* ---- numbers chosen against parts ---- */

/* Low parts of one sign: 499 thousandths behind 10 bits. */
static float lows_positive(const element *s)
{
    return ((float)(512 + integer(s, 512)) + 0.499f) / 1024;
}

static float lows(const element *s)
{
    const float m = (float)(512 + integer(s, 512));
    return ((s->of_b ? sign(s) * m : m) + 0.499f) / 1024;
}

/* The largest low parts that there are. */
static float ties(const element *s)
{
    return sign(s) * (1 + 4095 * 0x1p-23f);
}

/* Digits 2 and 3 to the base 256 at their largest, one peak a line. */
static float digits(const element *s)
{
    return is_peak(s) ? 0.9375f : (float)(4 * 65536 + 127 * 256 + 127) * 0x1p-23f;
}

static float digits_signed(const element *s)
{
    return s->of_b ? sign(s) * digits(s) : digits(s);
}

static float outliers(const element *s)
{
    return sign(s) * (is_peak(s) ? 15.9f : (float)(1.1 + 0.9 * positive(s)));
}

static float runs(const element *s)
{
    return (!s->of_b && s->k % 64 >= 48 ? -1 : 1) * (0.5f + 0.5f * positive(s));
}

static float alternating(const element *s)
{
    return (!s->of_b && s->k % 2 ? -1 : 1) * (0.5f + 0.5f * positive(s));
}

/* Takes each second number of A from the one before with the other sign, of B with the same. */
static float cancel(const element *s)
{
    const element before = {.seed = s->seed,
                            .index = s->of_b && s->k % 2 ? s->index - (uint64_t)s->lines
                                                         : s->index - (uint64_t)(s->k % 2)};
    return symmetric(&before) * (!s->of_b && s->k % 2 ? -1 : 1);
}

/* Falls by 2^-5 in each 64 of k, or by 2^-20 along all of k. */
static float phases(const element *s)
{
    return (float)((0.5 + positive(s)) * exp2(s->k % 64 / -13.0));
}

static float graded(const element *s)
{
    return (float)(symmetric(s) * exp2(-20.0 * s->k / s->depth));
}

static float blocks(const element *s)
{
    return symmetric(s) * ldexpf(1, (int)(bits_of(s, s->k / 64) % 9) - 4);
}

static float column(const element *s)
{
    return symmetric(s) * (!s->of_b && s->k == 0 ? 1024 : 1);
}

static float subnormal(const element *s)
{
    return symmetric(s) * (integer(s, 2) ? 0x1p-130f : 1);
}

static float checkerboard(const element *s)
{
    return (s->line + s->k) % 2 ? 0 : symmetric(s);
}

static float rank_one(const element *s)
{
    return (1 + (float)(bits_of(s, s->line) >> 40) * 0x1p-24f) *
           (1 + (float)(bits_of(s, -s->k) >> 40) * 0x1p-24f);
}

/*
 * Features of two scales, the same k of all rows, and weights of which every other column has none
 * but for the small ones: a row and such a column are even by themselves, and what they make is
 * small beside both largest numbers.
 */
static float of_scales(const element *s, float small)
{
    const bool is_small = random_bits(0, (uint64_t)s->k) & 1;
    if (s->of_b)
        return s->line % 2 && !is_small ? 0 : symmetric(s);
    return symmetric(s) * (is_small ? small : 1);
}

static float features(const element *s)
{
    return of_scales(s, 0x1p-8f);
}

static float unmatched(const element *s)
{
    return of_scales(s, 0x1p-24f);
}

/* ---- the options ---------------------------------------------------------------------------- */

static int identity; /* B is the identity, so C must be A */
int all_rows;

typedef float (*kind)(const element *s);

/* The first ones have no function of their own: uniform, and what whole lines are changed by. */
enum { UNIFORM, NORMAL, POSITIVE, PEAKS, SCALED, ROWS_SCALED, OPPOSITE, SPECIAL, FIRST_OTHER };
static int data_kind;

/* All others. */
#define OTHERS(X)                                                                                  \
    X(ones), X(constant), X(bytes), X(integers), X(powers), X(fp16), X(fp16_a), X(fp16_b),         \
        X(bf16), X(bf16_a), X(bytes_b), X(binary), X(zeros), X(sparse), X(relu), X(relu_a),        \
        X(normal_b), X(softmax), X(lognormal), X(tiny), X(huge), X(hadamard), X(one_hot),          \
        X(permutation), X(triangular), X(triangles), X(banded), X(hilbert), X(vandermonde),        \
        X(toeplitz), X(image), X(quantised), X(waves), X(cauchy), X(lows), X(lows_positive),       \
        X(ties), X(digits), X(digits_signed), X(outliers), X(runs), X(alternating), X(cancel),     \
        X(phases), X(graded), X(blocks), X(column), X(subnormal), X(checkerboard), X(rank_one),    \
        X(features), X(unmatched)
#define NAME_OF(f) #f
#define ITSELF(f)  f

static const char *const data_names[] = {"uniform",       "normal", "positive", "peaks",
                                         "scaled",        "rows",   "opposite", "special",
                                         OTHERS(NAME_OF), NULL};
static const kind others[] = {OTHERS(ITSELF)};

const lab_option data_options[] = {
    {"--identity", OPTION_INT, &identity, 0, 1, "1: B is the identity matrix, so C must be A"},
    {"--data", OPTION_CHOICE, &data_kind, 0, 0,
     "what the matrices hold (docs/accuracy.md has all kinds); uniform: -1 to 1", data_names},
    {"--all-rows", OPTION_INT, &all_rows, 0, 1,
     "1: compare all rows of C, whatever the size, not only some"},
};

void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=f32%s%s%s", identity ? ";b=identity" : "",
             data_kind ? ";data=" : "", data_kind ? data_names[data_kind] : "");
}

/* ---- filling -------------------------------------------------------------------------------- */

/* Fills a matrix of rows x columns, element by element. */
static void fill_by(kind at, float *values, int rows, int columns, bool of_b, uint64_t seed)
{
#pragma omp parallel for
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            const uint64_t index = count_of(y, columns) + (uint64_t)x;
            const element s = of_b ? element{x, y, columns, rows, true, seed, index}
                                   : element{y, x, rows, columns, false, seed, index};
            values[index] = at(&s);
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
    if (data_kind == NORMAL || data_kind >= FIRST_OTHER) {
        const kind at = data_kind == NORMAL ? normal : others[data_kind - FIRST_OTHER];
        fill_by(at, a, s.height, s.depth, false, 2 * p->seed);
        fill_by(at, b, s.depth, s.width, true, 2 * p->seed + 1);
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
