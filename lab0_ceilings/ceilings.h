/*
 * ceilings.h - what lab 0's files share: which ceiling is measured, the buffers, what check() is
 * told of a variant, and the link between GPUs (link.cu).
 */
#ifndef LAB0_CEILINGS_H
#define LAB0_CEILINGS_H

#include <cuda_runtime.h>

#include "lab.h"

enum { X, Y }; /* buffers, in layout's order */
enum { COPY, READ, FMA, L2, SHARED, LOADS, INT32, EXP, TENSOR_FP16, TENSOR_TF32, TENSOR_INT8 };
enum { CONSTANT = TENSOR_INT8 + 1, L2_STORE, TAGS, ATOMICS, BLOCKS, LAUNCH, LATENCY, LINK };

extern int measure; /* from the command line */

/* Tells whether that is what is measured, as a variant's applies(). */
template <int WHAT>
static bool measures(void)
{
    return measure == WHAT;
}

/* What check() is told of a variant, as its `own`; NULL: what is expected tells the measure alone.
 */
typedef struct own_check {
    int first, period; /* of what is expected, those that y repeats; period 0: as many as y has */
    int way;           /* of a measure's `ways`, from 0 on */
    check_result (*check)(const problem *p, const variant *v); /* instead of all else, or NULL */
} own_check;

/* Launches the kernel `copy`, whose address copy_kernel() returns, for so many words. */
void launch_copy_of(const float *x, float *y, int words, const launch *l);
const void *copy_kernel(dim3 block);

/* ---- what compute capability 9.0 adds: bulk_copy.cu, wgmma.cu -------------------------------- */

extern const variant bulk_copy_variant;
extern const variant wgmma_fp16_variant, wgmma_tf32_variant, wgmma_int8_variant;

/* ---- the link: link.cu ---------------------------------------------------------------------- */

/* Return the words of a message, and of all GPUs' messages. */
size_t message_words(const problem *p);
size_t all_messages(const problem *p);

/* Tells NCCL, before it starts, that it will be told of memory. */
void allow_registration(void);

extern const variant link_copy_variant, link_load_variant, link_send_variant;
extern const variant link_copy_both_variant, link_load_both_variant, link_send_both_variant;
extern const variant link_registered_variant, link_registered_both_variant;
extern const variant link_gather_variant, link_reduce_variant;
extern const lab_settings several_gpus[]; /* of a run over them */

#endif
