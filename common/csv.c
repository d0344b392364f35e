#include "csv.h"

#include <stdbool.h>
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
