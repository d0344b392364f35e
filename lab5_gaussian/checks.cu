/*
 * checks.cu - lab 5's settings, its pictures, and what is right: the exact result and how far from
 * it a byte may be.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gaussian.h"
#include "lab.h"
#include "pictures/picture.h"
#include "process/die.h"

enum { PASSES_MAX = 1000 };

/* ---- settings ------------------------------------------------------------------------------- */

gaussian_filter gauss = {.sigma = 1, .given_radius = -1, .reach = 2, .side_max = 4 * SIDE_MAX};
int pixel_type = GRAY, passes = 1;
static const char *input_path, *output_path;

static const char *const types[] = {"gray", "rgb24", "rgba32", NULL};

extern const lab_option options[] = {
    {"--type", OPTION_CHOICE, &pixel_type, 0, 0, "of a pixel: gray, rgb24 or rgba32", types},
    {"--sigma", OPTION_DOUBLE, &gauss.sigma, 0.1, 100, "in pixels"},
    {"--radius", OPTION_INT, &gauss.given_radius, 0, RADIUS_MAX,
     "r, of (2r+1) x (2r+1) taps; without it 2 sigma"},
    {"--passes", OPTION_INT, &passes, 1, PASSES_MAX, "filter N times in a row"},
    {"--input", OPTION_TEXT, &input_path, 0, 0, "picture to filter; without one, random pixels"},
    {"--output", OPTION_OUTPUT, &output_path, 0, 0, "where a single run writes the result"},
};

static image photo; /* the input picture as its file has it; empty without one */

void configure()
{
    work_out_weights();
    find_fixed_point_weights();
    picture_load(&photo, input_path);
    picture_check_writable(output_path);
}

void parameters(char *text, size_t bytes)
{
    int used = snprintf(text, bytes, "type=%s;sigma=%g;radius=%d", types[pixel_type], gauss.sigma,
                        filter_radius());
    if (passes > 1)
        snprintf(text + used, bytes - used, ";passes=%d", passes);
}

const char *refuse_picture(int width, int height)
{
    bool fits = (size_t)width * height * channels() <= (size_t)1 << 30;
    return fits ? refuse_size(width, height) : "a picture has 2^30 bytes at most";
}

/* ---- pictures ------------------------------------------------------------------------------- */

static size_t values(const problem *p)
{
    return (size_t)p->width * p->height * channels();
}

void layout(problem *p)
{
    problem_add_buffer(p, "input", BUFFER_INPUT, values(p));
    problem_add_buffer(p, "output", BUFFER_OUTPUT, values(p));
}

void fill(const problem *p)
{
    picture_fit(&photo, input_path, p->width, p->height, channels(), p->seed,
                (uint8_t *)p->buffer[INPUT].host);
}

/*
 * Counts, as table 1 of the blog post of lab 7, two operations a tap, each of the 2r+1 squared
 * taps, for each channel that is filtered.
 */
lab_work work(const problem *p)
{
    double pixels = (double)p->width * p->height, side = 2 * filter_radius() + 1;
    double taps = pixels * side * side * (pixel_type == RGBA32 ? 3 : channels());
    return {.bytes = passes * 2 * (double)values(p), .flops = 2 * passes * taps};
}

/* ---- checking ------------------------------------------------------------------------------- */

static bool is_alpha(size_t i)
{
    return pixel_type == RGBA32 && i % 4 == 3;
}

/*
 * Returns what a sum may be off. A float sum of n products of a byte and a weight, in any order, is
 * off by less than (n + 2) u 255, u = 2^-24 (0.0004 for 25 taps), and the exact result, kept as a
 * float, by another u 255.
 */
static double error_of_sum()
{
    double side = 2 * filter_radius() + 1;
    return (side * side + 3) * 255 * 0x1p-24;
}

/* Return the least and the greatest byte that an exact result may be rounded to. */
static double least_level(double exact)
{
    return floor(exact - error_of_sum() + 0.5);
}

static double greatest_level(double exact)
{
    return floor(exact + error_of_sum() + 0.5);
}

/* What a double becomes as filter_exact() stores it: a byte that is rounded one way. */
struct least_byte {
    uint8_t level;
    explicit least_byte(double exact) : level((uint8_t)least_level(exact))
    {
    }
};

struct greatest_byte {
    uint8_t level;
    explicit greatest_byte(double exact) : level((uint8_t)greatest_level(exact))
    {
    }
};

/* Works out the exact result of the last pass on the bytes that the passes before it give. */
template <class Byte>
static void exact_passes(const problem *p, float *exact)
{
    const uint8_t *input = (const uint8_t *)p->buffer[INPUT].host, *in = input;
    uint8_t *room[2] = {NULL, NULL};
    for (int pass = 0; pass < passes - 1; pass++) {
        uint8_t *&out = room[pass % 2];
        out = out ? out : (uint8_t *)allocate(values(p));
        filter_exact(in, (Byte *)out, shape_of(p), channels());
        in = out;
    }
    filter_exact(in, exact, shape_of(p), channels());
    for (size_t i = 3; i < values(p) && pixel_type == RGBA32; i += 4)
        exact[i] = input[i];
    free(room[0]);
    free(room[1]);
}

/*
 * Makes what check() compares with: the exact result; of several passes two, of the least and of
 * the greatest bytes that the passes before the last one may give. No weight is negative, so
 * whatever lies between them stays there.
 */
void *reference(const problem *p)
{
    float *exact = (float *)allocate((passes > 1 ? 2 : 1) * values(p) * sizeof *exact);
    exact_passes<least_byte>(p, exact);
    if (passes > 1)
        exact_passes<greatest_byte>(p, exact + values(p));
    return exact;
}

struct comparison {
    const problem *p;
    bool truncates; /* a fraction cut off is right, too */
};

/*
 * Compares a value, in levels. What the exact results, rounded, have between them is right. One
 * level beside them is as well where they are near to a half; elsewhere it counts as two.
 */
static checked value_at(const void *context, size_t i)
{
    const comparison *c = (const comparison *)context;
    const problem *p = c->p;
    const float *least = (const float *)p->reference, *most = least + (passes > 1) * values(p);
    double value = ((const uint8_t *)p->buffer[OUTPUT].host)[i];
    double lowest = floor(least[i] + 0.5), highest = floor(most[i] + 0.5);
    if (lowest <= value && value <= highest)
        return {value, value, 1};
    bool sure = least_level(least[i]) == greatest_level(most[i]);
    bool equal = is_alpha(i) || (sure && !c->truncates);
    return {value, value < lowest ? lowest : highest, equal ? 0.5 : 1};
}

check_result check(const problem *p, const variant *v)
{
    comparison c = {p, v->own && ((const rounding *)v->own)->truncates};
    check_result result = check_all(1, p->width * channels(), values(p), value_at, &c);
    snprintf(result.note, sizeof result.note, "%zu of %zu values off by a level (%.2g %%)",
             result.unequal, values(p), 100.0 * result.unequal / values(p));
    return result;
}

/* ---- the result of a single run ------------------------------------------------------------- */

void present(const problem *p, const variant *, dim3)
{
    picture_write(output_path, (uint8_t *)p->buffer[OUTPUT].host, p->width, p->height, channels());
}
