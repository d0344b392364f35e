/*
 * gaussian.h - what lab 5's files share: the settings, how a variant filters several times, what
 * check() is told of a variant, and the variants that have files of their own. gaussian.cu lists
 * them all. Weights, shape, clamp() and the exact result are in common/gaussian.cuh.
 */
#ifndef LAB5_GAUSSIAN_H
#define LAB5_GAUSSIAN_H

#include <cuda_runtime.h>
#include <stdint.h>

#include "gaussian.cuh"
#include "lab.h"

enum { INPUT, OUTPUT }; /* buffers, in layout's order */
enum { GRAY, RGB24, RGBA32 };

enum { STRIP = 16 }; /* rows that a thread walks down; two more above and below are read */

/* The experiment's settings, from the command line; sigma and radius are in gauss. */
extern int pixel_type, passes; /* checks.cu */

/* Returns how many bytes a pixel has. */
static inline int channels()
{
    static const int of_type[] = {1, 3, 4};
    return of_type[pixel_type];
}

static inline size_t row_bytes(const problem *p)
{
    return (size_t)p->width * channels();
}

/* Returns the instance for the current type of pixel: a variant's kernel_for(). */
template <auto... INSTANCES>
static const void *instance(dim3)
{
    static const void *const all[] = {(const void *)INSTANCES...};
    return all[pixel_type];
}

/* Makes that function for a kernel<Pixel, Sum>. */
#define FOR_TYPE(kernel)                                                                           \
    instance<kernel<uint8_t, float>, kernel<uchar3, float3>, kernel<uchar4, float3>>

/* ---- several passes ------------------------------------------------------------------------- */

/* Runs pass after pass. Their pictures lie in turn in `between` and in the output, where the last
 * one is. */
template <auto *PASS>
static void run_in_turn(const problem *p, const launch *l, void *between)
{
    void *from = l->buffer[INPUT];
    for (int left = passes; left > 0; left--) {
        void *to = left % 2 ? l->buffer[OUTPUT] : between, *pictures[] = {from, to};
        launch pass = *l;
        pass.buffer = pictures;
        PASS(p, &pass);
        from = to;
    }
}

/* Asks for a picture's room in device memory, which run_in_passes() needs between passes. */
static inline size_t picture_between(const problem *p)
{
    return passes > 1 ? p->buffer[OUTPUT].bytes : 0;
}

template <auto *PASS>
static void run_in_passes(const problem *p, const launch *l)
{
    run_in_turn<PASS>(p, l, l->workspace);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static inline const char *refuse_high(const problem *p, dim3 block)
{
    const unsigned most = 65535;
    return blocks_for(p->height, block.y) > most ? "more rows of blocks than a grid has" : NULL;
}

static inline const char *refuse_all_but_5x5(const problem *p, dim3 block)
{
    return filter_radius() == 2 ? refuse_high(p, block) : "its loops are written for radius 2";
}

/* ---- data and checks: checks.cu ------------------------------------------------------------- */

/* What check() is told of a variant, as its `own`; NULL: it rounds to the nearest level. */
typedef struct rounding {
    bool truncates; /* cuts fractions off: one level lower is right, too */
} rounding;

extern const lab_option options[6];
void configure();
void parameters(char *text, size_t bytes);
const char *refuse_picture(int width, int height);
void layout(problem *p);
void fill(const problem *p);
void *reference(const problem *p);
check_result check(const problem *p, const variant *v);
lab_work work(const problem *p);
void present(const problem *p, const variant *v, dim3 block);

/* ---- the summit: a file each ---------------------------------------------------------------- */

extern const variant flat_bytes_variant, integer_dp2a_variant, async_rows_variant;
extern const variant bands_variant, deep_bands_variant; /* several_gpus.cu */
extern const variant npp_variant;                       /* vendor.cu */
extern const lab_settings several_gpus[];               /* settings of a run over them */

/* Works out the weights of integer_dp2a and async_rows; called by configure(). */
void find_fixed_point_weights(); /* integer_dp2a.cu */

#endif
