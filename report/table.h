/*
 * table.h - tables as CSV files (RFC 4180), cell after cell.
 *
 *     table t;
 *     table_start(&t, folder, "scaling", "lab,size,cpu_threads,time_ms");
 *     table_text(&t, "lab2"); ... table_end_row(&t);
 *     table_finish(&t);
 *
 * A table without rows leaves no file, nor one of an earlier run. What cannot be written ends the
 * program (exit 2).
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stddef.h>

#include "file.h"
#include "rows.h"

/* What a lab's data are: a size and a block are written accordingly. */
typedef enum shape_kind { SHAPE_VECTOR, SHAPE_MATRIX, SHAPE_PICTURE } shape_kind;

typedef struct table {
    file_draft file;
    char path[4096];
    int cells, rows;
} table;

/* Begins FOLDER/NAME.csv; `columns` are the names of its columns, joined by commas. */
void table_start(table *t, const char *folder, const char *name, const char *columns);

void table_text(table *t, const char *text);
/* A number to four significant digits, without an exponent from 1e-6 to 1e15; NaN: an empty cell.
 */
void table_number(table *t, double value);
/* A whole number with all its digits; negative: an empty cell. */
void table_int(table *t, long value);
void table_empty(table *t);
void table_size(table *t, shape_kind shape, int width, int height);
void table_block(table *t, shape_kind shape, const row *r); /* empty where there is no block */
void table_end_row(table *t);
void table_finish(table *t);

enum { LABEL_SIZE = 32 }; /* bytes of a number, a size or a block as text */

/* A value to so many significant digits, without trailing zeros or, as above, an exponent. */
char *number_text(char *text, double value, int digits);

/* `1024` for vectors and matrices, `1024x768` for pictures. */
char *size_text(char *text, shape_kind shape, int width, int height);

/* `16x16`, for vectors `256`; "" where there is no block. */
char *block_text(char *text, shape_kind shape, int block_x, int block_y);

#endif
