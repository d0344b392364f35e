/*
 * bilateral.h - what lab 3's files share: buffers, settings, the filter of one pass, how passes
 * follow each other, the callbacks, and the variants that have files of their own. bilateral.cu
 * lists them all.
 */
#ifndef LAB3_BILATERAL_H
#define LAB3_BILATERAL_H

#include <cuda_runtime.h>
#include <stdint.h>

#include "lab.h"

enum { INPUT, OUTPUT, SCRATCH }; /* buffers, in layout's order */

enum { F32, U8, RGB24 }; /* --type */

/*
 * --border: what stands in for a pixel outside the picture: the middle one of the window, as in the
 * report; the nearest one; or the picture's mirror image, c b a | a b c ... x y z | z y x.
 */
enum { MIDDLE, REPLICATE, REFLECT, BORDERS };

/* The experiment's settings, from the command line. */
typedef struct bilateral_settings {
    int radius, passes, type, border, not_finite;
    double sigma_space, sigma_range;
    const char *input, *output; /* paths, or NULL */
} bilateral_settings;

extern bilateral_settings settings; /* checks.cu */

typedef struct rgb24 {
    uint8_t channel[3];
} rgb24;

/* ---- passes --------------------------------------------------------------------------------- */

/* One pass of a filter: from one picture to another. */
typedef struct filter {
    int width, height, radius;
    float space, range; /* -1 / (2 sigma^2): what squared distances are multiplied by */
} filter;

template <class Pixel>
using filter_pass = void (*)(const Pixel *in, Pixel *out, filter f, const launch *l);

/* Runs pass after pass, back and forth between the output and the scratch buffer; the last one ends
 * in the output. */
template <class Pixel>
static void repeat(filter_pass<Pixel> pass, const problem *p, const launch *l)
{
    const double space = settings.sigma_space, range = settings.sigma_range;
    filter f = {p->width, p->height, settings.radius, (float)(-0.5 / (space * space)),
                (float)(-0.5 / (range * range))};
    const Pixel *in = (const Pixel *)l->buffer[INPUT];
    for (int left = settings.passes - 1; left >= 0; left--) {
        Pixel *out = (Pixel *)l->buffer[left % 2 ? SCRATCH : OUTPUT];
        pass(in, out, f, l);
        in = out;
    }
}

/* Filters gray pictures, by the pass for their type: a variant's run(). */
template <auto *FLOATS, auto *BYTES>
static void run_passes(const problem *p, const launch *l)
{
    if (settings.type == U8)
        repeat<uint8_t>(BYTES, p, l);
    else
        repeat<float>(FLOATS, p, l);
}

/* Refuses what a variant for gray pictures and the report's rule for the border does not serve. */
static inline const char *refuse_colour(const problem *, dim3)
{
    return settings.type == RGB24 ? "it filters gray pictures" : NULL;
}

static inline const char *refuse_colour_and_border(const problem *p, dim3 block)
{
    return settings.border != MIDDLE ? "beyond the edge it has the report's rule alone"
                                     : refuse_colour(p, block);
}

/* ---- data and checks: checks.cu ------------------------------------------------------------- */

/* What check() is told of a variant, as its `own`; NULL: equation (1), bytes rounded to nearest. */
typedef struct deviation {
    bool off_by_level;    /* bytes may be one level away from the nearest */
    bool replicates_edge; /* it knows no other rule for the border than REPLICATE */
} deviation;

extern const lab_option options[10];
void configure(void);
void parameters(char *text, size_t bytes);
void layout(problem *p);
void fill(const problem *p);
void present(const problem *p, const variant *v, dim3 block);
void *reference(const problem *p);
check_result check(const problem *p, const variant *v);
lab_work work(const problem *p);

/* ---- the summit ----------------------------------------------------------------------------- */

extern const variant exp2_scaled_variant; /* exp2_scaled.cu */
extern const variant symmetric_variant;   /* symmetric.cu */
extern const variant table8_variant;      /* table8.cu */
extern const variant npp_variant;         /* vendor.cu */

/* symmetric from radius 8 on: its shared memory, its kernels and its passes, in symmetric_wide.cu
 */
size_t symmetric_wide_bytes(const problem *p, dim3 block);
const void *symmetric_wide_for(dim3 block);
void pass_symmetric_wide(const float *d_in, float *d_out, filter f, const launch *l);
void pass_symmetric_wide(const uint8_t *d_in, uint8_t *d_out, filter f, const launch *l);

#endif
