/*
 * csv.h - reading and writing RFC 4180 text, one field at a time.
 */
#ifndef COMMON_CSV_H
#define COMMON_CSV_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes one field, quoted if it holds a comma, a quote or a line break. */
void csv_write_field(FILE *file, const char *text);

typedef enum csv_end { CSV_FIELD, CSV_RECORD, CSV_FILE, CSV_BROKEN } csv_end;

/*
 * Reads one field into text[bytes] (always terminated; what does not fit is CSV_BROKEN) and tells
 * what ended it: a comma, the end of the record, the end of the file with no field left to read
 * (text is then empty), or broken quoting.
 */
csv_end csv_read_field(FILE *file, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
