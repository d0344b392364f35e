/*
 * result.h - one row of results, and the CSV file (RFC 4180) that holds them.
 *
 * The columns, in order, stand in result.c's table; each lab's README explains them. Numbers that
 * do not apply are NaN or -1 here and an empty field in the file.
 */
#ifndef COMMON_RESULT_H
#define COMMON_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RESULT_TEXT = 256 };

typedef struct result {
    char lab[64], variant[64];
    char kind[16]; /* cpu, gpu, vendor, emulated */
    char machine[64];
    char parameters[RESULT_TEXT];
    int width, height;
    int block_x, block_y, threads_per_block; /* -1 where there is no block */
    int trials;                              /* timed samples; -1 if none was taken */
    double time_s, time_min_s, time_q1_s, time_q3_s, time_max_s; /* one run; time_s is the median */
    double end_to_end_s; /* copy in, run, copy out, from and to pageable memory */
    /* the steps around a run, each by itself: inputs from a file into host memory, to the device,
     * outputs back from it, into a file */
    double read_s, copy_in_s, copy_out_s, write_s;
    char cache[16];      /* cold or hot */
    double bytes, flops; /* compulsory traffic and operations of the work */
    double gb_per_s, gflop_per_s;
    double speedup;                                  /* over the variant `cpu` at the same size */
    int registers;                                   /* per thread */
    int shared_bytes, local_bytes;                   /* per block; per thread */
    int constant_bytes;                              /* what the kernel's module declares */
    int blocks_per_sm, warps_per_sm, threads_per_sm; /* resident at once */
    double occupancy;                                /* 0..1, what the resources allow */
    char limiter[32]; /* what keeps occupancy from being higher: warps, registers, ... */
    double max_error, tolerance;
    char status[16]; /* ok, wrong, skipped, failed */
    char note[RESULT_TEXT];
} result;

/* A row with every field empty. */
result result_empty(void);

/* Are these two rows of the same experiment (lab, variant, machine, parameters, size, block,
 * cache)? */
bool result_same_case(const result *a, const result *b);

typedef struct result_table {
    result *rows;
    int count, capacity;
} result_table;

void result_table_add(result_table *table, const result *row);
/* Takes out one row; the others keep their order. */
void result_table_remove(result_table *table, int index);

void result_table_free(result_table *table);

/*
 * Writes all rows under a header line. The file is replaced as a whole: it holds either the old
 * rows or the new ones. Returns 0, or -1 and one line in error[256].
 */
int result_table_write(const result_table *table, const char *path, char *error);

/*
 * Reads a file that result_table_write made. Returns 0; else -1 and one line in error[256]: the
 * file is missing, its header differs, or a row does not fit.
 */
int result_table_read(result_table *table, const char *path, char *error);

#ifdef __cplusplus
}
#endif

#endif
