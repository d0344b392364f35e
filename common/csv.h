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

typedef enum csv_end { CSV_FIELD, CSV_RECORD, CSV_FILE, CSV_BROKEN } csv_end;

/*
 * Reads one field into text[bytes] (always terminated; what does not fit is CSV_BROKEN) and tells
 * what ended it: a comma, the end of the record, the end of the file with no field left to read
 * (text is then empty), or broken quoting.
 */
csv_end csv_read_field(FILE *file, char *text, size_t bytes);

/* The whole number that a field is, from 0 to INT_MAX; -1 if it is none. */
int csv_count(const char *text);

enum { CSV_MAX_COLUMNS = 128, CSV_MAX_FIELD = 4096 };

/* For each column of the file the reader's index of it, -1 where the reader knows no such name. */
typedef struct csv_heading {
    int count;
    int column[CSV_MAX_COLUMNS];
} csv_heading;

/* Reads the line that names the columns; `find` gives a name's index or -1. False if broken. */
bool csv_read_heading(FILE *file, csv_heading *heading, int (*find)(const char *name));

/* Has the file a column that the reader knows by this index? */
bool csv_has_column(const csv_heading *heading, int index);

/*
 * Reads one record and hands the fields of all known columns to `set`, which returns whether the
 * field can be what its column says. Returns CSV_RECORD, CSV_FILE where there is none left, or
 * CSV_BROKEN: also if the record has more or fewer fields than the heading.
 */
csv_end csv_read_record(FILE *file, const csv_heading *heading,
                        bool (*set)(void *record, int column, const char *text), void *record);

#endif
