/*
 * run_record.h - run.json: what the rows beside it were measured on and built with; and which
 * machine this is, for the rows' `machine` column and the results' folder.
 */
#ifndef COMMON_RUN_RECORD_H
#define COMMON_RUN_RECORD_H

#include "machine/device.h"
#include "rows/store.h"

/* Short form of the GPU's name; of the CPU's where the kernels are emulated. */
void machine_name(const device *d, char *text, size_t bytes);

/* What run.json tells of one program's run. */
typedef struct run_record {
    const char *lab, *machine, *date; /* date: of the run's start */
    const device *device;
    int argc;
    char **argv;
    double seconds;             /* the whole run */
    device_state before, after; /* the run */
    store_counts rows;
} run_record;

/*
 * Puts the record into run.json beside the CSV file, on the lab's line; those of other labs stay,
 * also where they come at the same time.
 */
void run_record_write(const run_record *record, const char *csv_path);

#endif
