/*
 * cpu_limit.h - how long a CPU variant would take, known before it is run: the serial product of
 * large matrices takes most of an hour, which nobody wants to learn by waiting.
 */
#ifndef COMMON_CPU_LIMIT_H
#define COMMON_CPU_LIMIT_H

#include "lab.h"
#include "rows/result.h"

/* What the time of a run is about proportional to: its operations, or bytes where it has none. */
double work_of(const lab *definition, extent size);

/*
 * Seconds that one run of the row's case would take, about; NaN where that cannot be told. The
 * largest smaller size in `rows` tells it, scaled by the lab's work(); without one, runs of the
 * same shape with its sides halved several times, then once less. `limit`: these get longer only as
 * long as it is in doubt.
 */
double cpu_limit_predict(const lab *definition, const variant *v, const result *row, uint64_t seed,
                         const result_table *rows, double limit);

#endif
