/*
 * awkward.h - the size at which every variant is checked before it is timed: default sizes are
 * multiples of default blocks, where a kernel without a bounds check is right by luck.
 */
#ifndef COMMON_AWKWARD_H
#define COMMON_AWKWARD_H

#include "lab.h"
#include "result.h"

/*
 * The usual one of the lab's kind of sizes (1013 elements, 67x49 pixels, a product of 37x33x35),
 * about doubled until the lab takes it. Returns false where there is none that is legal.
 */
bool awkward_size(const lab *definition, extent *size);

/* Does the lab take this size? */
bool awkward_is_legal(const lab *definition, extent size);

#endif
