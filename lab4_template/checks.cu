/*
 * checks.cu - the pictures that lab 4 works on, what the map should be, in whole numbers up to the
 * last division, and whether it is; and whether the positions that were found are the best of it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matches.h"
#include "measures.cuh"
#include "pictures/picture.h"
#include "process/die.h"

/* ---- settings ------------------------------------------------------------------------------- */

int template_width = 64, template_height = 64, measure = SSD, top_count;
const char *dat_path, *map_path, *match_path, *gray_path;
static const char *image_path, *template_path;

static const char *const measure_names[] = {"ssd", "sad", "ncc", "zncc", NULL};

const lab_option data_options[] = {
    {"--input", OPTION_TEXT, &image_path, 0, 0, "image to search; without one, random pixels"},
    {"--template", OPTION_TEXT, &template_path, 0, 0,
     "what to look for; without one, a piece of the image"},
    {"--template-width", OPTION_INT, &template_width, 1, TEMPLATE_SIDE_MAX, "w, in pixels"},
    {"--template-height", OPTION_INT, &template_height, 1, TEMPLATE_SIDE_MAX, "h, in pixels"},
    {"--measure", OPTION_CHOICE, &measure, 0, 0,
     "ssd, sad: sums of squared or absolute differences, the least is the best; ncc, zncc: the "
     "correlation of the pixels, or of what they differ from their means, the largest is the best; "
     "0 where the window or the template is black (ncc) or of one gray (zncc)",
     measure_names},
    {"--top", OPTION_INT, &top_count, 0, TOP_MAX,
     "find the so many best positions, too, as a part of the run: any two of them half a template "
     "apart in x or in y; 0: the map alone"},
    {"--dat", OPTION_OUTPUT, &dat_path, 0, 0, "where a single run writes the map, a value a line"},
    {"--map", OPTION_OUTPUT, &map_path, 0, 0, "where a single run writes the map as a picture"},
    {"--match", OPTION_OUTPUT, &match_path, 0, 0, "where a single run writes the match, 'x y w h'"},
    {"--gray", OPTION_OUTPUT, &gray_path, 0, 0, "where a single run writes the image in gray"},
};

#ifdef HAVE_CUFFT
#define AND_FFT ",fft"
#else
#define AND_FFT ""
#endif

/*
 * Runs beside the report's R the other measures, and other templates, to see where which variant is
 * the fastest: of large pictures, by kernels for a GPU and, in a build that has it, cuFFT. Without
 * a GPU nothing is left of them, or it would work out what to compare with, for minutes.
 */
#define SQUARE(side) "--template-width " #side " --template-height " #side " "
#define MEASURE(name, variants)                                                                    \
    {                                                                                              \
        .options =                                                                                 \
            "--measure " name " --sizes 4096x3072 --blocks 16,32x8 --variants naive," variants,    \
        .full = true                                                                               \
    }
#define SIDE(side)                                                                                 \
    {                                                                                              \
        .options = SQUARE(side) "--sizes 2048x1536 --blocks 16 "                                   \
                                "--variants integer_dp4a,tensor_int8,tensor_int8_hopper" AND_FFT,  \
        .full = true                                                                               \
    }

const lab_settings configurations[] = {
    {"--measure ssd"},
    MEASURE("sad", "sad_words"),
    MEASURE("ncc", "tensor_int8,tensor_int8_hopper"),
    MEASURE("zncc", "tensor_int8,tensor_int8_hopper"),
    SIDE(8),
    SIDE(16),
    SIDE(32),
    SIDE(128),
    SIDE(256),
    SIDE(512),
    {NULL},
};

/* ---- the problem ---------------------------------------------------------------------------- */

static image photo, pattern; /* the input pictures; empty without them */

void configure(void)
{
    if (template_path && !image_path)
        die_bad_input("--template needs --input, the image to search");
    picture_load(&photo, image_path);
    picture_load(&pattern, template_path);
    picture_check_writable(map_path);
    picture_check_writable(gray_path);
}

void parameters(char *text, size_t bytes)
{
    int used = snprintf(text, bytes, "template=%dx%d;measure=%s;type=u8", template_width,
                        template_height, measure_names[measure]);
    if (top_count > 0)
        snprintf(text + used, bytes - used, ";top=%d", top_count);
}

const char *refuse_size(int width, int height)
{
    static char text[96];
    if (width >= template_width && height >= template_height)
        return NULL;
    snprintf(text, sizeof text, "the %dx%d template is larger than the image", template_width,
             template_height);
    return text;
}

void layout(problem *p)
{
    shapes s = shapes_of(p);
    problem_add_buffer(p, "image", BUFFER_INPUT, (size_t)p->width * p->height);
    problem_add_buffer(p, "template", BUFFER_INPUT, (size_t)template_width * template_height);
    problem_add_buffer(p, "map", BUFFER_OUTPUT, (size_t)s.map_width * s.map_height * value_bytes());
    if (top_count == 0)
        return;
    problem_add_buffer(p, "matches", BUFFER_OUTPUT, top_count * sizeof(uint32_t));
    problem_add_buffer(p, "keys", BUFFER_SCRATCH, tile_keys(s) * sizeof(uint64_t));
}

/* Takes the image's middle as the template, where none is given. */
static void cut_template(const problem *p)
{
    const uint8_t *image = (const uint8_t *)p->buffer[IMAGE].host;
    uint8_t *templ = (uint8_t *)p->buffer[TEMPLATE].host;
    int left = (p->width - template_width) / 2, top = (p->height - template_height) / 2;
    for (int j = 0; j < template_height; j++)
        memcpy(templ + j * template_width, image + (size_t)(top + j) * p->width + left,
               (size_t)template_width);
}

void fill(const problem *p)
{
    picture_fit(&photo, image_path, p->width, p->height, 1, p->seed,
                (uint8_t *)p->buffer[IMAGE].host);
    if (pattern.pixels)
        picture_fit(&pattern, template_path, template_width, template_height, 1, p->seed,
                    (uint8_t *)p->buffer[TEMPLATE].host);
    else
        cut_template(p);
}

/*
 * Counts a tap as difference, product or absolute value, sum; ncc's and zncc's as product and sum,
 * for the sums over windows need not be made tap by tap.
 */
lab_work work(const problem *p)
{
    shapes s = shapes_of(p);
    double positions = (double)s.map_width * s.map_height;
    double taps = (double)template_width * template_height;
    return {.bytes = (double)p->width * p->height + taps + value_bytes() * positions,
            .int_ops = (is_normalised() ? 2 : 3) * positions * taps};
}

/* ---- checking ------------------------------------------------------------------------------- */

static double get_float(const void *map, size_t i)
{
    return ((const float *)map)[i];
}

value_reader reader_for(const variant *v)
{
    return accuracy_of(v).over_root ? get_float : get_value;
}

/* What the map should be, and what bounds errors in FP32. */
typedef struct match_reference {
    uint64_t *sums; /* for each position R, sum |I - T|, or sum I T */
    /* (W+1) x (H+1) each: sum I and sum I^2 of what is left of and above each corner */
    uint64_t *before, *squares_before;
    uint64_t template_sum, template_squares;
} match_reference;

/* Adds to a row of sums what a pixel of the template adds to each. */
static void add_taps(uint32_t *sums, const uint8_t *row, int pixel, int count)
{
    if (measure == SSD)
        for (int x = 0; x < count; x++)
            sums[x] += (row[x] - pixel) * (row[x] - pixel);
    else if (measure == SAD)
        for (int x = 0; x < count; x++)
            sums[x] += row[x] > pixel ? row[x] - pixel : pixel - row[x];
    else
        for (int x = 0; x < count; x++)
            sums[x] += row[x] * pixel;
}

/*
 * Makes a row of the map once more, in another order and with other loops than the variants': a row
 * of sums takes one template pixel at a time, so that the compiler can keep many sums in a
 * register. Sums of 32 bits over a row of the template go to those of 64.
 */
static void sum_row(const problem *p, int y, uint32_t *sums, uint64_t *totals)
{
    shapes s = shapes_of(p);
    const uint8_t *image = (const uint8_t *)p->buffer[IMAGE].host;
    const uint8_t *templ = (const uint8_t *)p->buffer[TEMPLATE].host;
    memset(totals, 0, (size_t)s.map_width * sizeof *totals);
    for (int j = 0; j < s.template_height; j++) {
        memset(sums, 0, (size_t)s.map_width * sizeof *sums);
        for (int i = 0; i < s.template_width; i++)
            add_taps(sums, image + (y + j) * s.image_width + i, templ[j * s.template_width + i],
                     s.map_width);
        for (int x = 0; x < s.map_width; x++)
            totals[x] += sums[x];
    }
}

static void sum_boxes(const problem *p, match_reference *r)
{
    const uint8_t *image = (const uint8_t *)p->buffer[IMAGE].host;
    const uint8_t *templ = (const uint8_t *)p->buffer[TEMPLATE].host;
    size_t row = (size_t)p->width + 1;
    memset(r->before, 0, row * sizeof *r->before);
    memset(r->squares_before, 0, row * sizeof *r->squares_before);
    for (int y = 0; y < p->height; y++) {
        uint64_t sum = 0, squares = 0, *above = r->before + y * row;
        uint64_t *squares_above = r->squares_before + y * row;
        above[row] = squares_above[row] = 0;
        for (int x = 0; x < p->width; x++) {
            int pixel = image[(size_t)y * p->width + x];
            sum += pixel;
            squares += pixel * pixel;
            above[row + x + 1] = above[x + 1] + sum;
            squares_above[row + x + 1] = squares_above[x + 1] + squares;
        }
    }
    for (int i = 0; i < template_width * template_height; i++) {
        r->template_sum += templ[i];
        r->template_squares += templ[i] * templ[i];
    }
}

void *reference(const problem *p)
{
    shapes s = shapes_of(p);
    size_t count = (size_t)s.map_width * s.map_height;
    size_t corners = ((size_t)p->width + 1) * ((size_t)p->height + 1);
    match_reference *r =
        (match_reference *)allocate(sizeof *r + (count + 2 * corners) * sizeof(uint64_t));
    uint64_t *room = (uint64_t *)(r + 1);
    *r = {room, room + count, room + count + corners, 0, 0};
    sum_boxes(p, r);
#pragma omp parallel
    {
        uint32_t *sums = (uint32_t *)allocate((size_t)s.map_width * sizeof *sums);
#pragma omp for schedule(dynamic)
        for (int y = 0; y < s.map_height; y++)
            sum_row(p, y, sums, r->sums + (size_t)y * s.map_width);
        free(sums);
    }
    return r;
}

/* Compares whole numbers below 2^53. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    return {get_value(p->buffer[MAP].host, i),
            (double)((const match_reference *)p->reference)->sums[i], 1};
}

/* Returns the sum over the window at position i, from sums left of and above each corner. */
static uint64_t over_window(const problem *p, const uint64_t *before, size_t i)
{
    shapes s = shapes_of(p);
    size_t row = (size_t)p->width + 1;
    const uint64_t *corner = before + i / s.map_width * row + i % s.map_width;
    const uint64_t *below = corner + template_height * row;
    return below[template_width] - below[0] - corner[template_width] + corner[0];
}

/* Compares ncc or zncc with FP64's of whole numbers; the error is relative. */
static checked correlation_value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const match_reference *r = (const match_reference *)p->reference;
    double pixels = template_width * template_height;
    double image = (double)over_window(p, r->before, i), templ = (double)r->template_sum;
    double products = (double)r->sums[i];
    double squares = (double)over_window(p, r->squares_before, i);
    double template_squares = (double)r->template_squares;
    if (measure == ZNCC) { /* whole numbers below 2^53 still */
        products = pixels * products - image * templ;
        squares = pixels * squares - image * image;
        template_squares = pixels * template_squares - templ * templ;
    }
    double root = sqrt(squares) * sqrt(template_squares);
    double expected = root > 0 ? products / root : 0;
    return {get_value(p->buffer[MAP].host, i), expected, fabs(expected)};
}

/* Compares NPP's value, but for black on black, of which it says nothing. The error is that of a
 * sum of squares, divided. */
static checked npp_value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const match_reference *r = (const match_reference *)p->reference;
    double image = (double)over_window(p, r->squares_before, i);
    double templ = (double)r->template_squares, root = sqrt(image * templ);
    if (root == 0)
        return {0, 0, 1};
    return {get_float(p->buffer[MAP].host, i), (double)r->sums[i] / root, (image + templ) / root};
}

/*
 * Bounds the error of R by cuFFT. A transform of N numbers in FP32 is off by at most 6 u log2 N of
 * its 2-norm, u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, section 24.1).
 * Here are three, each as large as sqrt(sum I^2) sum T at most; of the correlation R has twice,
 * rounded to a whole number.
 */
static double fft_bound(const problem *p)
{
    const match_reference *r = (const match_reference *)p->reference;
    double squares = (double)r->squares_before[((size_t)p->width + 1) * (p->height + 1) - 1];
    double transform = 6 * 0x1p-24 * (log2(p->width) + log2(p->height) + 1);
    return 2 * (3 * transform * sqrt(squares) * (double)r->template_sum + 1);
}

/* Checks that the places found are those that the variant's own map has. */
static void check_matches(const problem *p, check_result *result)
{
    shapes s = shapes_of(p);
    const uint32_t *places = (const uint32_t *)p->buffer[MATCHES].host;
    uint32_t expected[TOP_MAX];
    find_matches(p->buffer[MAP].host, expected, s);
    for (int i = 0; i < top_count; i++)
        check_scaled(result, places[i], expected[i], 0, (size_t)s.map_width * s.map_height + i);
}

static check_result check_map(const problem *p, const variant *v)
{
    shapes s = shapes_of(p);
    size_t count = (size_t)s.map_width * s.map_height;
    double taps = (double)template_width * template_height;
    if (accuracy_of(v).over_root) /* three sums of so many terms in FP32 */
        return check_all(3 * (taps + 2) * 0x1p-24, s.map_width, count, npp_value_at, p);
    if (is_normalised())
        return check_all(CORRELATION_BOUND, s.map_width, count, correlation_value_at, p);
    return check_all(accuracy_of(v).from_spectra ? fft_bound(p) : 0, s.map_width, count, value_at,
                     p);
}

/* Demands equality of all that is in integers. */
check_result check(const problem *p, const variant *v)
{
    check_result result = check_map(p, v);
    if (top_count > 0)
        check_matches(p, &result);
    if (accuracy_of(v).local)
        snprintf(result.note, sizeof result.note, "the map by %s", accuracy_of(v).local());
    return result;
}
