/*
 * box_sums.h - what all variants that expand the square begin and end with (box_sums.cu).
 */
#ifndef LAB4_BOX_SUMS_H
#define LAB4_BOX_SUMS_H

#include "template.h"

/* Returns what these sums take of the workspace, from its start on; a multiple of 256 bytes. */
size_t box_bytes(const problem *p);

/* Returns where R goes, uint64_t where is_wide(), else uint32_t: the map, unless this has values of
 * fewer bits. */
void *ssd_room(const problem *p, const launch *l);

/* Launches sums of squares: R gets sum I^2 + sum T^2, from which products will be subtracted. */
void launch_box_sums(const problem *p, const launch *l);

/* Launches, behind the products, what makes of R the other measures; nothing for R itself. */
void launch_normalise(const problem *p, const launch *l);

/* The kernels of a map of R, for a variant's `more_kernels`. */
extern const void *const box_kernels[];

#endif
