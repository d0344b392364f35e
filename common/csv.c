#include "csv.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void csv_write_field(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/* The line break after a field may be LF or CR LF. */
static csv_end end_of_field(FILE *file, int c)
{
    if (c == ',')
        return CSV_FIELD;
    if (c == '\r')
        c = fgetc(file);
    return c == '\n' || c == EOF ? CSV_RECORD : CSV_BROKEN;
}

csv_end csv_read_field(FILE *file, char *text, size_t bytes)
{
    size_t used = 0;
    int c = fgetc(file);
    text[0] = '\0';
    if (c == EOF)
        return CSV_FILE;
    bool quoted = c == '"';
    if (quoted)
        c = fgetc(file);
    for (;; c = fgetc(file)) {
        if (quoted && c == '"') {
            c = fgetc(file);
            if (c != '"')
                return end_of_field(file, c);
        } else if (quoted ? c == EOF : c == '"') {
            return CSV_BROKEN;
        } else if (!quoted && (c == ',' || c == '\r' || c == '\n' || c == EOF)) {
            return end_of_field(file, c);
        }
        if (used + 1 >= bytes || c == '\0')
            return CSV_BROKEN;
        text[used++] = (char)c;
        text[used] = '\0';
    }
}

int csv_count(const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    return end == text || *end || errno || value < 0 || value > INT_MAX ? -1 : (int)value;
}

bool csv_read_heading(FILE *file, csv_heading *heading, int (*find)(const char *name))
{
    char name[CSV_MAX_FIELD];
    csv_end end = CSV_FIELD;
    for (heading->count = 0; end == CSV_FIELD; heading->count++) {
        if (heading->count == CSV_MAX_COLUMNS)
            return false;
        end = csv_read_field(file, name, sizeof name);
        heading->column[heading->count] = find(name);
    }
    return end == CSV_RECORD;
}

bool csv_has_column(const csv_heading *heading, int index)
{
    for (int i = 0; i < heading->count; i++)
        if (heading->column[i] == index)
            return true;
    return false;
}

csv_end csv_read_record(FILE *file, const csv_heading *heading,
                        bool (*set)(void *record, int column, const char *text), void *record)
{
    char text[CSV_MAX_FIELD];
    for (int i = 0; i < heading->count; i++) {
        csv_end end = csv_read_field(file, text, sizeof text);
        if (end == CSV_FILE && i == 0)
            return CSV_FILE;
        if (end != (i + 1 < heading->count ? CSV_FIELD : CSV_RECORD) ||
            (heading->column[i] >= 0 && !set(record, heading->column[i], text)))
            return CSV_BROKEN;
    }
    return CSV_RECORD;
}
