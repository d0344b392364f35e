/*
 * occupancy_table.h - `--occupancy-of CARD`: how a lab's kernels would fill a multiprocessor.
 *
 * One line per GPU variant and block at the chosen size, computed (occupancy.h) from what the
 * compiler gave the kernels: this binary's own figures in a build for the GPU without --resources
 * FILE, else those of nvcc in FILE, by default build/resources.csv. A build for the GPU needs a GPU
 * either way, to be told its kernels' names. Nothing is run and nothing allocated.
 */
#ifndef COMMON_OCCUPANCY_TABLE_H
#define COMMON_OCCUPANCY_TABLE_H

#include "command_line/options.h"

/*
 * On stdout; and with --csv into the store (store.h) as rows without times, their machine being the
 * card, their note the architecture that the figures are for. Bad input (exit 2): an unknown card,
 * a card that cannot be computed, no figures of the kernels, no variant to show.
 */
void occupancy_table_print(const lab *definition, const options *o);

/* The card's architecture, "sm_86", on stdout. */
void occupancy_table_print_architecture(const options *o);

#endif
