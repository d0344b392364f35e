/*
 * csv.h - reading and writing RFC 4180 text: fields, and records whose columns are known by name.
 */
#ifndef COMMON_CSV_H
#define COMMON_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes one field, quoted if it holds a comma, a quote or a line break. */
void csv_write_field(FILE *file, const char *text);

typedef enum csv_type { CSV_TEXT, CSV_INT, CSV_REAL } csv_type;

/* A column, known by its name, and where a record has it. */
typedef struct csv_column {
    csv_type type;
    const char *name;
    size_t offset, bytes;
    bool needed; /* any other one that a file lacks reads as empty */
} csv_column;

#define CSV_COLUMN(type, record, member)                                                           \
    CSV_##type, #member, offsetof(record, member), sizeof(((record *)0)->member)

typedef struct csv_format {
    const char *kind; /* of file, "a results file" */
    const csv_column *columns;
    int count;
    size_t record_bytes;
} csv_format;

/* Gives every number of a record the value that an empty field stands for: -1 or NaN. */
void csv_empty_record(const csv_format *format, void *record);

/* Writes a heading and the records; the file is replaced as a whole. */
void csv_write(const char *path, const csv_format *format, const void *records, int count);

void csv_write_record(FILE *file, const csv_format *format, const void *record);

/*
 * Returns the records of a file, an array that the caller frees, and sets their number. Ends the
 * program with the number of the record that is broken, 1 also for the heading: it lacks a needed
 * column, or a record has more or fewer fields than the heading, or one that cannot be what its
 * column says.
 */
void *csv_read(const char *path, const csv_format *format, int *count);

#endif
