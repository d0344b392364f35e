#include "csv.h"
#include "file.h"
#include "process/die.h"

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

/*
 * Cuts the next field off the text, unquoted in place. Returns what ended it: a comma, '\n' for the
 * end of the record (LF, CR LF or the end of the text), or '\0' for broken quoting.
 */
static char cut_field(char **text, char **field)
{
    char *from = *text, *to = *field = from;
    bool quoted = *from == '"', open = quoted;
    while (open) {
        if (!*++from)
            return '\0';
        open = *from != '"' || *++from == '"'; /* two stand for one */
        if (open)
            *to++ = *from;
    }
    if (!quoted)
        to = from += strcspn(from, ",\"\r\n");
    bool returns = *from == '\r';
    from += returns;
    if (*from && *from != '\n' && (*from != ',' || returns))
        return '\0';
    char end = *from == ',' ? ',' : '\n';
    *text = from + (*from != '\0');
    *to = '\0';
    return end;
}

/* ---- records -------------------------------------------------------------------------------- */

enum { MAX_COLUMNS = 128 };

#define BYTE_ORDER_MARK "\xEF\xBB\xBF" /* UTF-8's, which spreadsheets write */

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

void csv_write(const char *path, const csv_format *format, const void *records, int count)
{
    file_draft file = file_create(path);
    for (int i = 0; i < format->count; i++)
        fprintf(file.stream, "%s%s", format->columns[i].name, i + 1 < format->count ? "," : "\r\n");
    for (int i = 0; i < count; i++)
        csv_write_record(file.stream, format,
                         (const char *)records + (size_t)i * format->record_bytes);
    file_commit(&file);
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

static bool read_heading(char **text, const csv_format *format, heading *h)
{
    char *name, end = ',';
    bool there[MAX_COLUMNS] = {false}; /* of the format's columns */
    for (h->count = 0; end == ','; h->count++) {
        if (h->count == MAX_COLUMNS)
            return false;
        end = cut_field(text, &name);
        int c = h->column[h->count] = find_column(format, name);
        if (c >= 0)
            there[c] = true;
    }
    for (int c = 0; c < format->count; c++)
        if (format->columns[c].needed && !there[c])
            return false;
    return end == '\n';
}

/* False if the text cannot be what the column says; no number of a column is below zero. */
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
        return *end == '\0' && *(double *)field >= 0; /* which NaN is not: that is an empty field */
    }
    long value = strtol(text, &end, 10);
    *(int *)field = (int)value;
    return *end == '\0' && !errno && value >= 0 && value <= INT_MAX;
}

static bool read_record(char **text, const csv_format *format, const heading *h, void *record)
{
    char *field;
    csv_empty_record(format, record);
    for (int i = 0; i < h->count; i++) {
        char end = cut_field(text, &field);
        if (end != (i + 1 < h->count ? ',' : '\n') ||
            (h->column[i] >= 0 && !set_field(record, &format->columns[h->column[i]], field)))
            return false;
    }
    return true;
}

void *csv_read(const char *path, const csv_format *format, int *count)
{
    heading h;
    size_t size;
    int capacity = 0;
    char *records = NULL, *content = (char *)file_read(path, &size), *text = content;
    if (strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
        text += strlen(BYTE_ORDER_MARK);
    bool sound = strlen(content) == size && read_heading(&text, format, &h);
    for (*count = 0; sound && *text; *count += sound) {
        records = grow(records, *count, &capacity, format->record_bytes);
        void *record = records + (size_t)*count * format->record_bytes;
        sound = read_record(&text, format, &h, record);
    }
    if (!sound)
        die_bad_file(path, "not %s, at record %d", format->kind, *count + 1);
    free(content);
    return records;
}
