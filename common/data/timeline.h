/*
 * timeline.h - when the steps of a stream's first frames were: a file beside the rows, of a row a
 * step.
 */
#ifndef COMMON_TIMELINE_H
#define COMMON_TIMELINE_H

#include "rows/result.h"
#include "stream.h"

/*
 * Sends the first frames once more, untimed, and adds when their steps began and ended by CUDA
 * events: to timeline_LAB.csv beside rows_path, LAB.csv, which holds those of this run. NULL: does
 * nothing.
 */
void timeline_add(const char *rows_path, const result *row, frame_stream *s, const runner *r);

#endif
