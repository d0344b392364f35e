/*
 * awkward.h - the size at which every variant is checked before it is timed: default sizes are
 * multiples of default blocks, where a kernel without a bounds check is right by luck.
 */
#ifndef COMMON_AWKWARD_H
#define COMMON_AWKWARD_H

#include "lab.h"

/*
 * The lab's own (lab_sweep.awkward), or the usual one of its kind of sizes, grown until the lab
 * takes it. Returns false where there is none that is legal.
 */
bool awkward_size(const lab *definition, extent *size);

/* Does the lab take this size? */
bool awkward_is_legal(const lab *definition, extent size);

#endif
