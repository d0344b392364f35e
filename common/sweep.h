/*
 * sweep.h - every chosen variant at every size and block: check it, time it, make it a row.
 *
 * For each size the data is made once. CPU variants come first (the serial one is what speedups
 * refer to), one after the other; then all GPU cases: each is checked; those that passed are timed
 * interleaved, in rounds that run forward and backward (A B C C B A), so that a drifting clock
 * touches all alike.
 *
 * OpenMP scaling (options.h: cpu_threads) is a sweep of its own: `cpu`, unless an earlier sweep has
 * its row, then `cpu_omp` with each number of threads, `;cpu_threads=K` behind its parameters.
 */
#ifndef COMMON_SWEEP_H
#define COMMON_SWEEP_H

#include "device.h"
#include "options.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sweep_results {
    result_table rows; /* of this run, in its order */
    result_table kept; /* of the run that is resumed, not reached yet */
} sweep_results;

/*
 * Before the first sweep: ends the program (exit 2) if the CSV file cannot be written, and where a
 * run is resumed reads its good rows into results->kept.
 */
void sweep_open(const options *o, sweep_results *results);

/*
 * Runs the sweep. Rows go to stdout and to the CSV file as sizes are finished. Returns an exit
 * status of die.h: 0, EXIT_WRONG_RESULT or EXIT_INTERRUPTED.
 */
int sweep_run(const lab *definition, const options *o, const device *d, const char *machine,
              sweep_results *results);

void sweep_results_free(sweep_results *results);

#ifdef __cplusplus
}
#endif

#endif
