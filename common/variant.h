/*
 * variant.h - what a variant launches with a block, and the row that tells of it.
 */
#ifndef COMMON_VARIANT_H
#define COMMON_VARIANT_H

#include "lab.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
