/*
 * steps.h - the steps around a run that every program has: reading its inputs from files into
 * memory, writing its outputs to files.
 */
#ifndef COMMON_STEPS_H
#define COMMON_STEPS_H

#include "data.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STEPS_MAX_BYTES = 256 << 20 }; /* of a file; beyond, nothing is measured */

/* Seconds; NaN where a step was not measured. */
typedef struct file_steps {
    double read_s, write_s;
} file_steps;

/*
 * Medians of three: reading the problem's inputs (BUFFER_INPUT) from a file into their host memory,
 * and writing its outputs to a new one. The bytes lie there as they lie in memory and do not leave
 * the operating system's page cache, so this is the least that any file format on any disk costs.
 * The inputs come back as they were; the outputs' host memory is poisoned, so that it is there.
 *
 * The files lie in $TMPDIR, or else /tmp, and have no name: nothing stays behind, however the
 * program ends. Not measured, both NaN: inputs or outputs of more than STEPS_MAX_BYTES, a folder or
 * a disk without room for them, a limit on files.
 */
file_steps file_steps_measure(const problem *p);

#ifdef __cplusplus
}
#endif

#endif
