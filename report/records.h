/*
 * records.h - the records of a CSV file (RFC 4180), one after the other.
 *
 * Quoted fields may hold commas, doubled quotes and line breaks; lines end in LF or CR LF; a byte
 * order mark before the header and empty lines are passed over. The file is read whole and taken
 * apart in place, so a field may be of any length.
 *
 *     records file;
 *     if (records_open(&file, path) == 0)
 *         while (records_next(&file)) ... file.fields[i], file.line ...
 *     if (file.error[0]) ...
 *     records_close(&file);
 */
#ifndef REPORT_RECORDS_H
#define REPORT_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "file.h"

typedef struct records {
    char **fields; /* of the present record, until the next one is read */
    int n_fields;
    long line; /* where the present record begins, from 1 */
    /* what is wrong, one line: the file cannot be opened, or is broken from a record on */
    char error[FILE_ERROR_SIZE];
    /* private */
    char *text, *at, *end;
    char **header;
    long next_line;
    int capacity, n_columns;
} records;

/* Opens the file and reads its header. Returns 0, or -1 with error set; close it either way. */
int records_open(records *file, const char *path);

/* The place of a column among the fields; -1 if there is none of that name. */
int records_column(const records *file, const char *name);

/*
 * Reads the next record. False at the end of the file, and where the file is broken: then error
 * says so. A record has as many fields as the header, a quote is closed, no byte is 0.
 */
bool records_next(records *file);

void records_close(records *file);

#endif
