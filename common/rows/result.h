/*
 * result.h - one row of results, the CSV file (RFC 4180) that holds them, and its line on a
 * terminal.
 *
 * The columns, in the order of new files, stand in result.c's table; each lab's README explains
 * them. They are known by name: a file may have them in another order, others beside them,
 * which are ignored and not written again; one that is missing reads as empty. Numbers that do not
 * apply are NaN or -1 here and an empty field in the file.
 */
#ifndef COMMON_RESULT_H
#define COMMON_RESULT_H

#include "text_table.h"

#include <stdbool.h>
#include <stdio.h>

/* How large a problem is. */
typedef struct extent {
    int width, height; /* n x 1 for vectors, pixels for images, columns x rows of C for products */
    int depth;         /* of a product what is summed over; 0 or -1 where there is no third one */
} extent;

enum { EXTENT_TEXT = 40 };

/* WIDTHxHEIGHT, of a product that is not square MxNxK: height, width, depth. Returns text. */
const char *extent_text(extent size, char text[EXTENT_TEXT]);

enum { RESULT_TEXT = 256 }; /* of a note: a reason is as long at most */

typedef struct result {
    char lab[64], variant[64];
    char kind[16]; /* cpu, gpu, vendor, emulated */
    char role[16]; /* serial, tuned, scales, yardstick or empty: what it is among its peers */
    char machine[64];
    char parameters[RESULT_TEXT];
    int width, height, depth;                /* depth: of a product; else -1 */
    int block_x, block_y, threads_per_block; /* -1 where there is no block */
    int nodes, gpus; /* that it ran on; -1 says nothing of them and means 1 */
    double exposed;  /* share of time_s in which GPUs waited for one another's data, 0..1 */
    int trials;      /* timed samples; -1 if none was taken */
    double time_s, time_min_s, time_q1_s, time_q3_s, time_max_s; /* one run; time_s is the median */
    double noise;        /* (time_q3_s - time_q1_s) / time_s */
    double end_to_end_s; /* copy in, run, copy out, from and to pageable memory */
    int frames;          /* of a stream, whose end_to_end_s is that of a frame; else -1 */
    /* the steps around a run, each by itself: inputs from a file into host memory, to the device,
     * outputs back from it, into a file */
    double read_s, copy_in_s, copy_out_s, write_s;
    double copy_both_s;           /* of a stream: both copies at once, without a kernel */
    double copy_noise;            /* as `noise`, of the noisier of the two ways */
    char cache[16];               /* cold or hot */
    double bytes, flops, int_ops; /* what the work asks for at least (lab_work) */
    double gb_per_s, gflop_per_s, gop_per_s;
    double speedup;                                  /* over the serial variant at the same size */
    int registers;                                   /* per thread */
    int shared_bytes, local_bytes;                   /* per block; per thread */
    int constant_bytes;                              /* what the kernel's module declares */
    int blocks_per_sm, warps_per_sm, threads_per_sm; /* resident at once */
    double occupancy;                                /* 0..1, what the resources allow */
    char limiter[32]; /* what keeps occupancy from being higher: warps, registers, ... */
    double max_error, tolerance;
    char status[16]; /* ok, wrong, skipped, failed */
    char note[RESULT_TEXT];
    char seal[64];             /* seal.h: shows that the row was edited; empty without a key */
    char commit[48], date[32]; /* of the build, and of the start of the run (ISO 8601, UTC) */
} result;

/* A row with every field empty. */
result result_empty(void);

extent result_extent(const result *row);

typedef struct result_table {
    result *rows;
    int count, capacity;
} result_table;

/* The row of the same case: lab, variant, machine, parameters, size, block, cache; or NULL. */
result *result_table_find(const result_table *table, const result *like);

/* In the place of the row of the same case, or at the end where there is none. */
void result_table_put(result_table *table, const result *row);

void result_table_free(result_table *table);

/*
 * Writes all rows under a header line. The file is replaced as a whole: it holds either the old
 * rows or the new ones.
 */
void result_table_write(const result_table *table, const char *path);

/* One row as the file has it. */
void result_write(FILE *file, const result *row);

/*
 * Puts a file's rows into the table; of several rows of one case the last counts. Returns how many
 * did not. Exit 2 where the file is missing, its header names no `lab` and `variant`, or a row does
 * not fit.
 */
int result_table_read(result_table *table, const char *path);

/* The columns of rows on the terminal; of all of them `wide` shows all. */
text_table result_terminal(bool wide);

/* On stdout: lab, machine and parameters, above the first rows. */
void result_print_heading(const char *lab, const char *machine, const char *parameters);

/* The rows; behind that of a stream, if it has a time, frames a second and the share of the bus's
 * limit. */
void result_print_rows(text_table *t, const result *const *rows, int count);

#endif
