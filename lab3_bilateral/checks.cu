/*
 * checks.cu - lab 3's settings and pictures, equation (1) in double precision, and what of it a
 * variant may miss. Nothing here is on the GPU.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bilateral.h"
#include "pictures/picture.h"
#include "process/die.h"
#include "random.h"

/* ---- settings ------------------------------------------------------------------------------- */

#define SIGMA_MIN 1e-3 /* -1 / (2 sigma^2) is a float; that of 1e-20 is not */

bilateral_settings settings = {.radius = 3, .passes = 1, .type = F32, .border = MIDDLE};
static double sigma = 30; /* for either of the two that is 0 */

static const char *const types[] = {"f32", "u8", "rgb24", NULL};
static const char *const borders[] = {"middle", "replicate", "reflect", NULL};

const lab_option options[] = {
    {"--type", OPTION_CHOICE, &settings.type, 0, 0, "of a pixel: f32, u8 or rgb24", types},
    {"--border", OPTION_CHOICE, &settings.border, 0, 0,
     "outside the picture: the window's middle, the nearest pixel or the mirror image", borders},
    {"--input", OPTION_TEXT, &settings.input, 0, 0,
     "picture to filter; without one, random pixels"},
    {"--output", OPTION_OUTPUT, &settings.output, 0, 0, "where a single run writes the result"},
    {"--radius", OPTION_INT, &settings.radius, 0, 100,
     "r: the filter covers (2r+1) x (2r+1) pixels"},
    {"--sigma", OPTION_DOUBLE, &sigma, SIGMA_MIN, 1e6, "both sigmas, in pixels and in gray levels"},
    {"--sigma-space", OPTION_DOUBLE, &settings.sigma_space, 0, 1e6, "in pixels; 0 for --sigma's"},
    {"--sigma-range", OPTION_DOUBLE, &settings.sigma_range, 0, 1e6,
     "in gray levels; 0 for --sigma's"},
    {"--passes", OPTION_INT, &settings.passes, 1, 100, "apply the filter this often"},
    {"--not-finite", OPTION_INT, &settings.not_finite, 0, 1000000,
     "so many pixels of f32 are no numbers or infinite"},
};

/* ---- pictures ------------------------------------------------------------------------------- */

static image photo; /* the input picture, empty without one */

/* Gives one of the sigmas the value of --sigma where it is 0. */
static void settle_sigma(const char *option, double *own)
{
    if (*own == 0)
        *own = sigma;
    if (*own < SIGMA_MIN)
        die_bad_input("%s: %g is neither 0 nor %g or more", option, *own, SIGMA_MIN);
}

void configure(void)
{
    settle_sigma("--sigma-space", &settings.sigma_space);
    settle_sigma("--sigma-range", &settings.sigma_range);
    if (settings.not_finite && settings.type != F32)
        die_bad_input("--not-finite %d: bytes are finite; with --type f32", settings.not_finite);
    picture_load(&photo, settings.input);
    picture_check_writable(settings.output);
}

void parameters(char *text, size_t bytes)
{
    int length = snprintf(text, bytes, "radius=%d;sigma_space=%g;sigma_range=%g;passes=%d;type=%s",
                          settings.radius, settings.sigma_space, settings.sigma_range,
                          settings.passes, types[settings.type]);
    if (settings.border != MIDDLE)
        length += snprintf(text + length, bytes - length, ";border=%s", borders[settings.border]);
    if (settings.not_finite)
        snprintf(text + length, bytes - length, ";not_finite=%d", settings.not_finite);
}

static int channels(void)
{
    return settings.type == RGB24 ? 3 : 1;
}

static size_t pixel_bytes(void)
{
    return settings.type == F32 ? sizeof(float) : channels();
}

void layout(problem *p)
{
    size_t bytes = (size_t)p->width * p->height * pixel_bytes();
    problem_add_buffer(p, "input", BUFFER_INPUT, bytes);
    problem_add_buffer(p, "output", BUFFER_OUTPUT, bytes);
    if (settings.passes > 1)
        problem_add_buffer(p, "scratch", BUFFER_SCRATCH, bytes);
}

/* Spoils a picture with numbers that are none, three kinds in turn; one and two of them are all. */
static void spoil(const problem *p, float *values)
{
    static const float kinds[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < settings.not_finite; i++)
        values[random_bits(p->seed + 1, i) % ((size_t)p->width * p->height)] =
            kinds[(i + settings.not_finite - 1) % 3];
}

void fill(const problem *p)
{
    void *pixels = p->buffer[INPUT].host;
    if (settings.type == F32) {
        picture_fit_floats(&photo, settings.input, p->width, p->height, p->seed, (float *)pixels);
        spoil(p, (float *)pixels);
    } else {
        picture_fit(&photo, settings.input, p->width, p->height, channels(), p->seed,
                    (uint8_t *)pixels);
    }
}

/* ---- checking ------------------------------------------------------------------------------- */

/* A value in double precision, and how far a variant's may be from it. */
typedef struct exact_value {
    double value, off;
} exact_value;

template <int CHANNELS>
struct exact_pixel {
    exact_value channel[CHANNELS];
};

/* Returns the weight of a tap at (dx, dy) whose value differs by `distance`. */
static double exact_weight(int dx, int dy, double distance)
{
    return exp(-((double)dx * dx + (double)dy * dy) /
                   (2 * settings.sigma_space * settings.sigma_space) -
               distance * distance / (2 * settings.sigma_range * settings.sigma_range));
}

static double value_in(const lab_buffer *b, size_t i)
{
    return settings.type == F32 ? ((const float *)b->host)[i] : ((const uint8_t *)b->host)[i];
}

/* Returns a pixel that a pass filters: what the pass before has made, or the input. */
template <int CHANNELS>
static exact_pixel<CHANNELS> pixel_before(const problem *p, const exact_pixel<CHANNELS> *before,
                                          int x, int y)
{
    size_t i = (size_t)y * p->width + x;
    if (before)
        return before[i];
    exact_pixel<CHANNELS> pixel = {};
    for (int c = 0; c < CHANNELS; c++)
        pixel.channel[c].value = value_in(&p->buffer[INPUT], i * CHANNELS + c);
    return pixel;
}

/* Tells how far two pixels are apart, and by how much that may be wrong. */
template <int CHANNELS>
static exact_value distance(const exact_pixel<CHANNELS> &a, const exact_pixel<CHANNELS> &b)
{
    if (CHANNELS == 1)
        return {fabs(a.channel[0].value - b.channel[0].value), a.channel[0].off + b.channel[0].off};
    exact_value squared = {};
    for (int c = 0; c < CHANNELS; c++) {
        double apart = a.channel[c].value - b.channel[c].value;
        double both = a.channel[c].off + b.channel[c].off;
        squared.value += apart * apart;
        squared.off += both * both;
    }
    return {sqrt(squared.value), sqrt(squared.off)};
}

/* Returns the row or column that stands in for i; -1 for the middle one. Mirrors step by step. */
static int stands_in(int rule, int i, int n)
{
    if (rule == REPLICATE)
        return min(max(i, 0), n - 1);
    while (rule == REFLECT && (i < 0 || i >= n))
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i < 0 || i >= n ? -1 : i;
}

/* Calls visit(dx, dy, pixel) for each tap. */
template <int CHANNELS, class Visit>
static void each_tap(const problem *p, const exact_pixel<CHANNELS> *before, int px, int py,
                     int rule, Visit visit)
{
    for (int dy = -settings.radius; dy <= settings.radius; dy++)
        for (int dx = -settings.radius; dx <= settings.radius; dx++) {
            int x = stands_in(rule, px + dx, p->width), y = stands_in(rule, py + dy, p->height);
            bool middle = x < 0 || y < 0;
            visit(dx, dy, pixel_before(p, before, middle ? px : x, middle ? py : y));
        }
}

/*
 * Returns what one pass rounds off at most, relatively, but absolutely below one gray level. A sum
 * over n taps rounds n times, u = 2^-24; a weight exp(-t) is off by (8.4 t + 9) u; t is in the mean
 * at most ln(255 n) in the numerator and ln n in the denominator. docs/tolerances.md has the proof.
 */
static double one_pass_bound(void)
{
    double side = 2 * settings.radius + 1, n = side * side;
    return 1.01 * 0x1p-24 * (8.4 * log(255 * n * n) + 2 * n + 18);
}

/*
 * Works out a pixel of equation (1) in double precision, written apart from the variants; and how
 * far it is off where the pixels before it are (docs/tolerances.md): two come nearer or go further
 * apart by both of theirs, so a weight lies between `least` and `most`. More than one level is not
 * allowed.
 */
template <int CHANNELS>
static exact_pixel<CHANNELS> reference_pixel(const problem *p, const exact_pixel<CHANNELS> *before,
                                             int px, int py, int rule)
{
    exact_pixel<CHANNELS> center = pixel_before(p, before, px, py), result = {};
    double weights = 0, moved[CHANNELS] = {}, least_weights = 0;
    each_tap(p, before, px, py, rule, [&](int dx, int dy, const exact_pixel<CHANNELS> &q) {
        double weight = exact_weight(dx, dy, distance(q, center).value);
        for (int c = 0; c < CHANNELS; c++)
            result.channel[c].value += weight * q.channel[c].value;
        weights += weight;
    });
    for (exact_value &c : result.channel) {
        c.value /= weights;
        c.off = one_pass_bound() * fmax(c.value, 1);
    }
    if (!before)
        return result;
    each_tap(p, before, px, py, rule, [&](int dx, int dy, const exact_pixel<CHANNELS> &q) {
        exact_value apart = distance(q, center);
        double weight = exact_weight(dx, dy, apart.value);
        double least = exact_weight(dx, dy, apart.value + apart.off);
        double most = exact_weight(dx, dy, fmax(apart.value - apart.off, 0));
        for (int c = 0; c < CHANNELS; c++)
            moved[c] +=
                most * q.channel[c].off + fmax(most - weight, weight - least) *
                                              fabs(q.channel[c].value - result.channel[c].value);
        least_weights += least;
    });
    for (int c = 0; c < CHANNELS; c++)
        result.channel[c].off += fmin(moved[c] / least_weights, 1);
    return result;
}

/* Rounds a result as a picture holds it: to the nearest byte; then `off` is how many levels from
 * that one are right, too. */
template <int CHANNELS>
static exact_pixel<CHANNELS> stored(exact_pixel<CHANNELS> exact)
{
    if (settings.type == F32)
        return exact;
    for (exact_value &c : exact.channel) {
        double nearest = floor(c.value + 0.5);
        c = {nearest, floor(c.off + 0.5 + fabs(c.value - nearest))};
    }
    return exact;
}

template <int CHANNELS>
static void *reference_of(const problem *p)
{
    typedef exact_pixel<CHANNELS> pixel;
    const size_t count = (size_t)p->width * p->height;
    pixel *before = NULL, *after = NULL;
    for (int pass = 0; pass < settings.passes; pass++) {
        pixel *free_one = pass < 2 ? (pixel *)allocate(count * sizeof *after) : before;
        before = after;
        after = free_one;
#pragma omp parallel for schedule(dynamic)
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++)
                after[y * p->width + x] = stored(reference_pixel(p, before, x, y, settings.border));
    }
    free(before);
    return after;
}

void *reference(const problem *p)
{
    return settings.type == RGB24 ? reference_of<3>(p) : reference_of<1>(p);
}

/* What is compared: the outputs, and what a variant may miss. */
typedef struct comparison {
    const problem *p;
    deviation may;
} comparison;

/* Returns value i of equation (1), by the variant's rule for the border: of another one than the
 * setting's only pixels near the edge differ. */
static exact_value expected_at(const comparison *c, size_t i)
{
    const problem *p = c->p;
    const exact_value *expected = (const exact_value *)p->reference + i;
    if (!c->may.replicates_edge || settings.border == REPLICATE)
        return *expected;
    const int r = settings.radius, x = (int)(i % p->width), y = (int)(i / p->width);
    const bool edge = x < r || y < r || x >= p->width - r || y >= p->height - r;
    return edge ? stored(reference_pixel<1>(p, NULL, x, y, REPLICATE)).channel[0] : *expected;
}

/*
 * Compares a float, in units that make one_pass_bound() the tolerance of any number of passes.
 * If a tap is no number or infinite, equation (1) gives none, and nothing else is right.
 */
static checked float_at(const void *context, size_t i)
{
    const comparison *c = (const comparison *)context;
    exact_value expected = expected_at(c, i);
    double value = value_in(&c->p->buffer[OUTPUT], i);
    if (isnan(expected.value))
        return {isnan(value) ? 0.0 : NAN, 0, 1};
    return {value, expected.value, expected.off / one_pass_bound()};
}

/* Compares a byte, in levels. Where the nearest one is demanded, one level off counts as two. */
static checked byte_at(const void *context, size_t i)
{
    const comparison *c = (const comparison *)context;
    exact_value expected = expected_at(c, i);
    return {value_in(&c->p->buffer[OUTPUT], i), expected.value,
            fmax(expected.off, c->may.off_by_level ? 1 : 0.5)};
}

check_result check(const problem *p, const variant *v)
{
    const deviation none = {};
    const comparison c = {p, v->own ? *(const deviation *)v->own : none};
    int row = p->width * channels();
    size_t values = (size_t)row * p->height;
    if (settings.type == F32)
        return check_all(one_pass_bound(), row, values, float_at, &c);
    check_result result = check_all(1, row, values, byte_at, &c);
    snprintf(result.note, sizeof result.note, "%zu of %zu %s off by a level (%.2g %%)",
             result.unequal, values, settings.type == RGB24 ? "values" : "pixels",
             100.0 * result.unequal / values);
    return result;
}

/*
 * Counts the work. A tap: difference, square, two scalings and a sum, exponential, product and two
 * sums.
 */
lab_work work(const problem *p)
{
    double pixels = (double)settings.passes * p->width * p->height, side = 2 * settings.radius + 1;
    double taps = pixels * side * side;
    return {.bytes = pixels * 2 * (double)pixel_bytes(),
            .flops = taps * (4 + 5 * channels()) + pixels * channels()};
}

void present(const problem *p, const variant *, dim3)
{
    const void *pixels = p->buffer[OUTPUT].host;
    if (settings.type == F32)
        picture_write_floats(settings.output, (const float *)pixels, p->width, p->height);
    else
        picture_write(settings.output, (const uint8_t *)pixels, p->width, p->height, channels());
}
