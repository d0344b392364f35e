#include "csv.h"
#include "die.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
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

/* ---- records -------------------------------------------------------------------------------- */

enum { MAX_COLUMNS = 128, MAX_FIELD = 4096 };

void csv_empty_record(const csv_format *format, void *record)
{
    memset(record, 0, format->record_bytes);
    for (int i = 0; i < format->count; i++) {
        void *field = (char *)record + format->columns[i].offset;
        if (format->columns[i].type == CSV_INT)
            *(int *)field = -1;
        else if (format->columns[i].type == CSV_REAL)
            *(double *)field = NAN;
    }
}

void csv_write_heading(FILE *file, const csv_format *format)
{
    for (int i = 0; i < format->count; i++)
        fprintf(file, "%s%s", format->columns[i].name, i + 1 < format->count ? "," : "\r\n");
}

void csv_write_record(FILE *file, const csv_format *format, const void *record)
{
    for (int i = 0; i < format->count; i++) {
        const void *field = (const char *)record + format->columns[i].offset;
        csv_type type = format->columns[i].type;
        char number[64] = "";
        if (type == CSV_INT && *(const int *)field >= 0)
            snprintf(number, sizeof number, "%d", *(const int *)field);
        if (type == CSV_REAL && !isnan(*(const double *)field))
            snprintf(number, sizeof number, "%.6g", *(const double *)field);
        csv_write_field(file, type == CSV_TEXT ? field : number);
        fputs(i + 1 < format->count ? "," : "\r\n", file);
    }
}

/* For each column of a file the format's index of it, -1 where it is none of the format's. */
typedef struct heading {
    int count;
    int column[MAX_COLUMNS];
} heading;

static int find_column(const csv_format *format, const char *name)
{
    int c = format->count - 1;
    while (c >= 0 && strcmp(name, format->columns[c].name) != 0)
        c--;
    return c;
}

static bool read_heading(FILE *file, const csv_format *format, heading *h)
{
    char name[MAX_FIELD];
    csv_end end = CSV_FIELD;
    unsigned there = 0; /* a bit for each needed column */
    for (h->count = 0; end == CSV_FIELD; h->count++) {
        if (h->count == MAX_COLUMNS)
            return false;
        end = csv_read_field(file, name, sizeof name);
        int c = h->column[h->count] = find_column(format, name);
        there |= c >= 0 && c < format->needed ? 1U << c : 0;
    }
    return end == CSV_RECORD && there == (1U << format->needed) - 1;
}

/* False if the text cannot be what the column says. */
static bool set_field(void *record, const csv_column *c, const char *text)
{
    void *field = (char *)record + c->offset;
    char *end = NULL;
    if (c->type == CSV_TEXT)
        return (size_t)snprintf(field, c->bytes, "%s", text) < c->bytes;
    if (text[0] == '\0')
        return true;
    errno = 0;
    if (c->type == CSV_REAL) {
        *(double *)field = strtod(text, &end);
        return *end == '\0';
    }
    long value = strtol(text, &end, 10);
    *(int *)field = (int)value;
    return *end == '\0' && !errno && value >= 0 && value <= INT_MAX;
}

static csv_end read_record(FILE *file, const csv_format *format, const heading *h, void *record)
{
    char text[MAX_FIELD];
    csv_empty_record(format, record);
    for (int i = 0; i < h->count; i++) {
        csv_end end = csv_read_field(file, text, sizeof text);
        if (end == CSV_FILE && i == 0)
            return CSV_FILE;
        if (end != (i + 1 < h->count ? CSV_FIELD : CSV_RECORD) ||
            (h->column[i] >= 0 && !set_field(record, &format->columns[h->column[i]], text)))
            return CSV_BROKEN;
    }
    return CSV_RECORD;
}

int csv_read(FILE *file, const csv_format *format, void (*take)(void *context, const void *record),
             void *context)
{
    heading h;
    void *record = allocate(format->record_bytes);
    csv_end end = read_heading(file, format, &h) ? CSV_RECORD : CSV_BROKEN;
    int number = 0;
    for (; end == CSV_RECORD; number++)
        if ((end = read_record(file, format, &h, record)) == CSV_RECORD)
            take(context, record);
    free(record);
    return end == CSV_FILE ? 0 : number > 0 ? number : 1;
}
