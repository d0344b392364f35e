/*
 * banding.h - what lab 6's files share: buffers, settings, what a kernel is told, the callbacks,
 * and the variants that have files of their own. banding.cu lists them all.
 */
#ifndef LAB6_BANDING_H
#define LAB6_BANDING_H

#include <cuda_runtime.h>
#include <stdint.h>

#include "lab.h"

enum { FRAME, RANDOM, OUTPUT }; /* buffers, in layout's order */
enum { PLANES = 5 };            /* of random bytes */

enum { YC48, YC64 };  /* --pixels */
enum { TABLE, HASH }; /* --random */

/* The experiment's settings, from the command line. */
typedef struct banding_settings {
    int mode, range, blur_first, interlaced, seed;
    int threshold_y, threshold_cb, threshold_cr, dither_y, dither_c;
    int pixels, random, quantise;
    const char *input, *output, *before; /* paths, or NULL */
} banding_settings;

extern banding_settings settings; /* banding.cu */

/* A pixel of yc48. One of yc64 is a short4, whose last value is 0. */
typedef struct yc48 {
    short y, cb, cr;
} yc48;

/* Returns how many 16-bit values a pixel of the frames has. */
static inline int values_per_pixel(void)
{
    return settings.pixels == YC64 ? 4 : 3;
}

/* What every variant works on. */
typedef struct filter {
    int width, height, range;
    int threshold_y, threshold_cb, threshold_cr; /* in the frame's units: shifted for the mode */
    int dither_y, dither_c;
    unsigned key;   /* of the hash that makes random words */
    int field_mask; /* and-ed with rows to go down: 0xfe if interlaced, 0xff if not */
} filter;

/* Returns the filter of this size with the current settings. */
static inline filter filter_of(const problem *p)
{
    int shift = settings.mode != 0 && settings.blur_first ? 1 : 2;
    return {p->width,
            p->height,
            settings.range,
            settings.threshold_y << shift,
            settings.threshold_cb << shift,
            settings.threshold_cr << shift,
            settings.dither_y,
            settings.dither_c,
            0x9e3779b9u * (settings.seed + 1u),
            settings.interlaced ? 0xfe : 0xff};
}

/* ---- for the table of variants -------------------------------------------------------------- */

/* Picks a kernel's instance for the mode and blur_first, which in mode 0 makes no difference. */
template <auto... INSTANCES>
static const void *instance(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    return all[2 * settings.mode + settings.blur_first];
}

#define BY_MODE(kernel)                                                                            \
    instance<kernel<0, false>, kernel<0, false>, kernel<1, false>, kernel<1, true>,                \
             kernel<2, false>, kernel<2, true>>

/* Says whether the settings ask for frames and random bytes of these kinds. */
template <int PIXELS, int SOURCE = TABLE>
static bool frames_are(void)
{
    return settings.pixels == PIXELS && settings.random == SOURCE;
}

/* ---- data: frames.cu; the check: checks.cu -------------------------------------------------- */

/* Returns pixel i of a frame in host memory. */
static inline int16_t *frame_pixel(void *frame, size_t i)
{
    return (int16_t *)frame + i * values_per_pixel();
}

void configure(void);
const char *refuse_size(int width, int height);
void layout(problem *p);
void fill(const problem *p);
void present(const problem *p, const variant *v, dim3 block);

void *reference(const problem *p);
check_result check(const problem *p, const variant *v);
lab_work work(const problem *p);

/* ---- the summit ----------------------------------------------------------------------------- */

/* in pixels4.cu */
extern const variant pixels4_variant;

/* in rolling.cu */
extern const variant rolling_tile_variant, early_start_variant, random_in_kernel_variant;

#endif
