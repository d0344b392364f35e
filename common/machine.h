/*
 * machine.h - which machine this is, for the rows' `machine` column, the results' folder and
 * run.json.
 */
#ifndef COMMON_MACHINE_H
#define COMMON_MACHINE_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Short form of the GPU's name; of the CPU's where the kernels are emulated. */
void machine_name(const device *d, char *text, size_t bytes);

/* What run.json tells of one program's run. */
typedef struct run_record {
    const char *lab, *machine;
    const device *device;
    int argc;
    char **argv;
    double seconds;                        /* the whole run */
    int clock_before_mhz, clock_after_mhz; /* SM clock; -1 unknown */
    int rows, wrong_rows;
} run_record;

/*
 * Puts the record into run.json beside the CSV file: one line per lab, under the lab's name;
 * lines of other labs stay. Returns 0, or -1 and one line in error[FILE_ERROR_SIZE].
 */
int run_record_write(const run_record *record, const char *csv_path, char *error);

#ifdef __cplusplus
}
#endif

#endif
