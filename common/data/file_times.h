/*
 * file_times.h - the steps around a run that every program has: reading its inputs from files into
 * memory, writing its outputs to files.
 */
#ifndef COMMON_FILE_TIMES_H
#define COMMON_FILE_TIMES_H

#include "measure/buffers.h"

enum { FILE_TIMES_MAX_BYTES = 256 << 20 }; /* of a file; beyond, nothing is measured */

/* Seconds; NaN where a step was not measured. */
typedef struct file_times {
    double read_s, write_s;
} file_times;

/*
 * Medians of three: reading the problem's inputs (BUFFER_INPUT) from a file into their host memory,
 * and writing its outputs to a new one. The bytes lie there as they lie in memory and do not leave
 * the operating system's page cache, so this is the least that any file format on any disk costs.
 * The inputs come back as they were; the outputs' host memory is poisoned, so that it is there.
 *
 * The files lie in $TMPDIR, or else /tmp, and have no name: nothing stays behind, however the
 * program ends. Not measured: inputs or outputs of more than FILE_TIMES_MAX_BYTES, and what finds
 * no folder, no room on the disk, or a limit on files.
 */
file_times file_times_measure(const problem *p);

/* Returns what was measured of a problem whose inputs and outputs have as many bytes, or measures.
 */
file_times file_times_of(const problem *p);

#endif
