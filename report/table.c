/* table.c - see table.h. */
#include "table.h"
#include "csv.h"
#include "die.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void table_start(table *t, const char *folder, const char *name, const char *columns)
{
    char error[FILE_ERROR_SIZE];
    memset(t, 0, sizeof *t);
    int length = snprintf(t->path, sizeof t->path, "%s/%s.csv", folder, name);
    if (length >= (int)sizeof t->path)
        die_bad_input("%.100s...: a path too long", folder);
    if (file_create(&t->file, t->path, error) != 0)
        die_bad_input("%s", error);
    fprintf(t->file.stream, "%s\n", columns);
}

void table_text(table *t, const char *text)
{
    if (t->cells++)
        fputc(',', t->file.stream);
    csv_write_field(t->file.stream, text);
}

void table_number(table *t, double value)
{
    char text[LABEL_SIZE];
    table_text(t, isnan(value) ? "" : number_text(text, value, 4));
}

void table_int(table *t, long value)
{
    char text[LABEL_SIZE] = "";
    if (value >= 0)
        snprintf(text, sizeof text, "%ld", value);
    table_text(t, text);
}

void table_empty(table *t)
{
    table_text(t, "");
}

void table_size(table *t, shape_kind shape, int width, int height)
{
    char text[LABEL_SIZE];
    table_text(t, size_text(text, shape, width, height));
}

void table_block(table *t, shape_kind shape, const row *r)
{
    char text[LABEL_SIZE];
    table_text(t, block_text(text, shape, r->block_x, r->block_y));
}

void table_end_row(table *t)
{
    fputc('\n', t->file.stream);
    t->cells = 0;
    t->rows++;
}

void table_finish(table *t)
{
    char error[FILE_ERROR_SIZE];
    if (t->rows == 0) {
        file_abandon(&t->file);
        remove(t->path);
    } else if (file_commit(&t->file, error) != 0) {
        die_bad_input("%s", error);
    }
}

char *number_text(char *text, double value, int digits)
{
    value *= 1 + 1e-12; /* 2.605 is a little less in binary, but rounds up */
    snprintf(text, LABEL_SIZE, "%.*e", digits - 1, value);
    double rounded = strtod(text, NULL), size = fabs(rounded);
    if (size != 0 && (size < 1e-6 || size >= 1e15)) {
        snprintf(text, LABEL_SIZE, "%.*g", digits, value);
        return text;
    }
    int decimals = size == 0 ? 0 : digits - 1 - atoi(strchr(text, 'e') + 1);
    snprintf(text, LABEL_SIZE, "%.*f", decimals > 0 ? decimals : 0, size == 0 ? 0 : rounded);
    if (strchr(text, '.')) {
        char *end = text + strlen(text) - 1;
        while (*end == '0')
            *end-- = '\0';
        if (*end == '.')
            *end = '\0';
    }
    return text;
}

char *size_text(char *text, shape_kind shape, int width, int height)
{
    if (shape != SHAPE_PICTURE)
        snprintf(text, LABEL_SIZE, "%d", width);
    else
        snprintf(text, LABEL_SIZE, "%dx%d", width, height);
    return text;
}

char *block_text(char *text, shape_kind shape, int block_x, int block_y)
{
    text[0] = '\0';
    if (block_x > 0 && shape == SHAPE_VECTOR && block_y <= 1)
        snprintf(text, LABEL_SIZE, "%d", block_x);
    else if (block_x > 0)
        snprintf(text, LABEL_SIZE, "%dx%d", block_x, block_y > 0 ? block_y : 1);
    return text;
}
