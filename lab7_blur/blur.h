/*
 * blur.h - what lab 7's files share: the buffers, what check() is told of a variant, the callbacks,
 * and the variants that have files of their own. blur.cu lists them all.
 */
#ifndef LAB7_BLUR_H
#define LAB7_BLUR_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>

#include "gaussian.cuh"
#include "lab.h"

enum { INPUT, OUTPUT, SCRATCH }; /* buffers, in layout's order */

/* Returns steps per block, so that about `blocks` blocks cover `steps`; 2 or more. */
static inline unsigned steps_per_block(unsigned steps, unsigned blocks)
{
    unsigned each = blocks > 0 ? blocks_for((int)steps, blocks) : steps;
    return each > 2 ? each : 2;
}

/* ---- data and checks: checks.cu ------------------------------------------------------------- */

/* What check() is told of a variant, as its `own`; NULL: two lines of sums in FP32. */
typedef struct accuracy {
    double (*roundings)(double taps); /* of 2^-24 each, relatively, for lines of so many taps */
    bool recursive; /* its result is the recursion's, which is near the Gaussian's */
    /* works out, for a recursion whose lines are cut, what carrying a state from part to part gets
     * wrong in a forward and in a backward pass over pixels up to 1; or NULL */
    void (*carries_bound)(double carry_errors[2], double sigma);
} accuracy;

extern const accuracy plane_accuracy, recursive_accuracy;

extern const lab_option blur_options[4];
void configure(void);
void parameters(char *text, size_t bytes);
void layout(problem *p);
void fill(const problem *p);
void *reference(const problem *p);
check_result check(const problem *p, const variant *v);
lab_work work(const problem *p);
void present(const problem *p, const variant *v, dim3 block);

/* ---- the summit: a file each ---------------------------------------------------------------- */

extern const variant separable_fused_variant;  /* separable_fused.cu */
extern const variant separable_tensor_variant; /* separable_tensor.cu */
extern const variant recursive_chunks_variant; /* recursive_chunks.cu */

#endif
