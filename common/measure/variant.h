/*
 * variant.h - what a variant launches with a block, the row that tells of it, and one run of it.
 */
#ifndef COMMON_VARIANT_H
#define COMMON_VARIANT_H

#include "lab.h"
#include "machine/device.h"
#include "rows/result.h"

/*
 * The kernels that it launches with this block: the first for `i` = 0, which gets the dynamic
 * shared memory, then the further ones. NULL behind the last one.
 */
const void *variant_kernel(const variant *v, dim3 block, int i);

/* Dynamic shared memory of such a block, in bytes. */
size_t variant_shared_bytes(const variant *v, const problem *p, dim3 block);

/*
 * Does it refuse this size and block, or need more than compute capability major.minor? The reason
 * then says why, as a phrase.
 */
bool variant_refuses(const variant *v, const problem *p, dim3 block, int major, int minor,
                     char reason[RESULT_TEXT]);

/* The i-th block that it runs with, where `count` were chosen; false if there are no more. */
bool variant_block(const variant *v, const dim3 *chosen, int count, int i, dim3 *block);

/* Does it work on host pointers? */
bool variant_is_on_host(const variant *v);

/* Does it run on one thread of the CPU? */
bool variant_is_one_thread(const variant *v);

/*
 * A row of the variant at a size and, for VARIANT_GPU, a block: it names its case and holds no
 * result yet.
 */
result variant_row(const lab *definition, const variant *v, const char *kind, const char *machine,
                   const char *parameters, extent size, dim3 block);

/*
 * Adds to the row what one of the variant's kernels takes, dynamic shared memory included: of
 * several kernels it has the largest need, and the residency of the one with the least.
 */
void variant_add_kernel(result *row, const kernel_figures *figures, size_t dynamic_shared_bytes,
                        const occupancy *o);

/* ---- running -------------------------------------------------------------------------------- */

/* One list of buffers, with what a variant made for it. */
typedef struct binding {
    void *buffer[LAB_MAX_BUFFERS];
    void *plan; /* its own, by plan() */
} binding;

/*
 * A variant at one block, ready to run; its launch has all but what a binding adds, and the plan
 * that serves all of them, by plan_once().
 */
typedef struct runner {
    const variant *variant;
    const problem *problem;
    launch launch;
} runner;

/* Makes the variant's plan for these buffers, and before the first one that which serves all. */
void runner_bind(runner *r, binding *b, void *const buffer[LAB_MAX_BUFFERS]);
void runner_release(const runner *r, binding *b);

/* Releases the plan that serves all, behind the last binding. */
void runner_release_plan(runner *r);

/*
 * What goes before each check and each sample, untimed: the variant's prepare(). Whatever stream it
 * worked on, it is done afterwards.
 */
void runner_prepare(const runner *r, const binding *b);

/* One run. Does not wait for the GPU. */
void run_variant(const runner *r, const binding *b);

#endif
