/*
 * sweep.h - every chosen variant at every size and block: check it, time it, make it a row.
 *
 * First every variant is checked with every block at one awkward size; one that is wrong there is
 * wrong everywhere. Then the data of each size is made once. CPU variants come first (the serial
 * one is what speedups refer to), one after the other; then all GPU cases: each is checked; those
 * that passed are timed interleaved, in rounds that run forward and backward (A B C C B A), so that
 * a drifting clock touches all alike. Emulated kernels are not timed.
 *
 * OpenMP scaling (options.h: cpu_threads) is a sweep of its own: the serial variant, unless an
 * earlier sweep of the run has its row, then those that scale with each number of threads,
 * `;cpu_threads=K` behind their parameters.
 */
#ifndef COMMON_SWEEP_H
#define COMMON_SWEEP_H

#include "command_line/options.h"
#include "machine/device.h"
#include "rows/store.h"

/*
 * Rows go to stdout and to the store as sizes are finished; with --resume those that the store has
 * finished stay. Returns whether there is a case at all.
 */
bool sweep_run(const lab *definition, const options *o, const device *d, const char *machine,
               store *rows);

#endif
