/*
 * rows.h - result rows in memory, read by the columns' names.
 *
 * A file needs the columns variant, kind, width, height, time_s and status; of the others those
 * that are there are taken, in any order, and unknown ones are passed over. So files of earlier and
 * of later versions read, too.
 */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include <stdbool.h>

typedef enum row_status {
    STATUS_OK,
    STATUS_WRONG,
    STATUS_SKIPPED,
    STATUS_FAILED,
    N_STATUS
} row_status;
typedef enum row_kind { KIND_CPU, KIND_GPU, KIND_VENDOR, KIND_EMULATED, KIND_OTHER } row_kind;

/* Where a row was measured. */
typedef enum row_origin {
    ORIGIN_OWN,      /* on the machine that the analysis is about */
    ORIGIN_RECORDED, /* on the recorded GPU that stands in for one that is missing */
    ORIGIN_PAST,     /* in 2012 */
    N_ORIGINS
} row_origin;

/* Texts are numbers of text.h. A number that is not given is -1, for a double NaN. */
typedef struct row {
    int file; /* as sources name it: "lab2_matprod.csv", "tesla-c2050/lab2_matprod.csv" */
    int line; /* where the record begins */
    row_origin origin;
    row_kind kind;
    row_status status;
    int variant, parameters, cache, limiter, note;
    int width, height;
    int block_x, block_y, threads_per_block;
    int registers, shared_bytes, local_bytes, constant_bytes;
    int blocks_per_sm, warps_per_sm, threads_per_sm;
    double time_s, end_to_end_s, read_s, copy_in_s, copy_out_s, write_s;
    double bytes, flops, gb_per_s, gflop_per_s;
    double occupancy; /* 0..1 */
    double max_error, tolerance;
} row;

typedef struct row_list {
    row *rows;
    int count, capacity;
} row_list;

extern const char *const status_names[N_STATUS]; /* ok, wrong, skipped, failed */

/*
 * Appends a file's rows. `label` is the file's name in sources. Returns 0; or -1 with one line in
 * error[FILE_ERROR_SIZE] where the file cannot be read or is broken: the records before the broken
 * one are kept.
 *
 * A row whose status is ok but whose numbers cannot be (a time that is not positive, a width that
 * is no number ...) becomes a failed one whose note says so; so does one of unknown status.
 */
int rows_read(row_list *list, const char *path, const char *label, row_origin origin, char *error);

/* Whether a row may give a number: checked, measured, and not emulated. */
bool row_measured(const row *r);

/* What a row's parameters mean. Texts are -1 where the key is missing. */
typedef struct work {
    int id;          /* the parameters without transfer and cpu_threads, which do not change what is
                      * computed */
    int type, mode;  /* values of these keys */
    int transfer;    /* way of the copies; -1: through pageable memory */
    int cpu_threads; /* number; -1: all */
    int template_width, template_height; /* 0: there is no template */
} work;

work work_of(const row *r);

/*
 * Whether two works are the same as far as both tell: no key that both name has two values, the
 * type aside. (conditions.awk compares a recorded row with a measured one by this rule.)
 */
bool work_alike(int work_a, int work_b);

/* Number of elements: n, N x N, pixels. */
double row_area(const row *r);

#endif
