/*
 * template.h - what lab 4's files share: shapes and settings, what check() is told of a variant,
 * and the variants that have files of their own. template.cu lists them all.
 */
#ifndef LAB4_TEMPLATE_H
#define LAB4_TEMPLATE_H

#include <cuda_runtime.h>
#include <stdint.h>

#include "lab.h"

enum { IMAGE, TEMPLATE, MAP, MATCHES, KEYS }; /* buffers, in layout's order */
enum { SSD, SAD, NCC, ZNCC };                 /* measures (measures.cuh) */
enum {
    TEMPLATE_SIDE_MAX = 512,
    PIXELS_OF_32_BITS = UINT32_MAX / 65025 /* a template whose sums fit 32 bits has no more */
};

/* The shapes that every variant works on. */
typedef struct shapes {
    int image_width, image_height, template_width, template_height;
    int map_width, map_height;
} shapes;

/* ---- settings, from the command line: checks.cu --------------------------------------------- */

extern int template_width, template_height, measure;
extern int top_count; /* of --top */
/* Files that result.cu writes, or NULL. */
extern const char *dat_path, *map_path, *match_path, *gray_path;

static inline shapes shapes_of(const problem *p)
{
    return {p->width,
            p->height,
            template_width,
            template_height,
            p->width - template_width + 1,
            p->height - template_height + 1};
}

/* Says whether sums of squared differences take 64 bits. */
static inline bool is_wide(void)
{
    return template_width * template_height > PIXELS_OF_32_BITS;
}

/* Says whether the map's values are floats; else they are whole numbers. */
static inline bool is_normalised(void)
{
    return measure == NCC || measure == ZNCC;
}

static inline size_t value_bytes(void)
{
    return measure == SSD && is_wide() ? sizeof(uint64_t) : sizeof(uint32_t);
}

/* Reads a value of a map. */
typedef double (*value_reader)(const void *map, size_t i);

static inline double get_value(const void *map, size_t i)
{
    if (is_normalised())
        return ((const float *)map)[i];
    return value_bytes() == sizeof(uint64_t) ? (double)((const uint64_t *)map)[i]
                                             : ((const uint32_t *)map)[i];
}

static inline const char *refuse_all_but_ssd(const problem *, dim3)
{
    return measure == SSD ? NULL : "needs --measure ssd";
}

/* Refuses what those that expand the square cannot make. */
static inline const char *refuse_sad(const problem *, dim3)
{
    return measure == SAD ? "needs --measure ssd, ncc or zncc" : NULL;
}

/* ---- data and checks: checks.cu; what a single run shows and writes: result.cu --------------- */

/* What check() is told of a variant, as its `own`; NULL: its map is that of the measure, and exact
 * up to the last division. */
typedef struct accuracy {
    bool from_spectra;          /* R by products of spectra in FP32 */
    bool over_root;             /* not R, but R / sqrt(sum I^2 sum T^2) in floats */
    const char *(*local)(void); /* over several GPUs, what makes the map on each; or NULL */
} accuracy;

/* Returns what check() is told of a variant. */
static inline accuracy accuracy_of(const variant *v)
{
    return v->own ? *(const accuracy *)v->own : accuracy{};
}

extern const lab_option data_options[10];
extern const lab_settings configurations[];
void configure(void);
void parameters(char *text, size_t bytes);
const char *refuse_size(int width, int height);
void layout(problem *p);
void fill(const problem *p);
void *reference(const problem *p);
check_result check(const problem *p, const variant *v);
lab_work work(const problem *p);
value_reader reader_for(const variant *v);
void present(const problem *p, const variant *v, dim3 block);

/* ---- measures other than R: measures.cu ------------------------------------------------------ */

/* Makes the map's value at (x, y), as template.cu's loops do for R. */
void match_by_measure(const uint8_t *image, const uint8_t *templ, void *map, shapes s, int x,
                      int y);

/* Returns naive's kernel for the measure, with the same arguments but for the map's type. */
const void *naive_by_measure(void);

/* ---- the summit: a file each ---------------------------------------------------------------- */

extern const variant integer_dp4a_variant, sad_words_variant;
extern const variant tensor_int8_variant, tensor_int8_hopper_variant;
extern const variant divided_variant, fft_variant, npp_variant;
extern const lab_settings several_gpus[]; /* of a run over them */

#endif
