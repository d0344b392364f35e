/*
 * variant.h - what a variant launches with a block, the row that tells of it, and one run of it.
 */
#ifndef COMMON_VARIANT_H
#define COMMON_VARIANT_H

#include "lab.h"
#include "result.h"

/* The kernel that it launches with this block; NULL where it names none. */
const void *variant_kernel(const variant *v, dim3 block);

/* Dynamic shared memory of such a block, in bytes. */
size_t variant_shared_bytes(const variant *v, const problem *p, dim3 block);

/*
 * Why a device of compute capability major.minor is too old for it, as a phrase that lies in static
 * memory until the next call; NULL if it is not.
 */
const char *variant_refuses_capability(const variant *v, int major, int minor);

/*
 * A row of the variant at a size and, for VARIANT_GPU, a block: it names its case and holds no
 * result yet.
 */
result variant_row(const lab *definition, const variant *v, const char *kind, const char *machine,
                   const char *parameters, extent size, dim3 block);

/* ---- running -------------------------------------------------------------------------------- */

/* One list of buffers, with what a variant made for it. */
typedef struct binding {
    void *buffer[LAB_MAX_BUFFERS];
    void *derived, *plan;
} binding;

/* A variant at one block, ready to run; its launch has all but what a binding adds. */
typedef struct runner {
    const variant *variant;
    const problem *problem;
    launch launch;
} runner;

/* Makes the variant's plan for these buffers; `derived` is their derived copies, or NULL. */
void runner_bind(const runner *r, binding *b, void *const buffer[LAB_MAX_BUFFERS], void *derived);

/* Releases the plan. */
void runner_release(const runner *r, binding *b);

/* Fills the derived copies, where the variant has any. */
void runner_derive(const runner *r, const binding *b);

/*
 * What goes before each check and each sample, untimed: the variant's prepare(). Whatever stream it
 * worked on, it is done afterwards.
 */
void runner_prepare(const runner *r, const binding *b);

/* One run, with its derived copies where they are a part of it. Does not wait for the GPU. */
void run_variant(const runner *r, const binding *b);

#endif
