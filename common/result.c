#include "result.h"
#include "csv.h"
#include "die.h"
#include "file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum column_type { COLUMN_TEXT, COLUMN_INT, COLUMN_REAL } column_type;

typedef struct column {
    const char *name;
    column_type type;
    size_t offset, bytes;
} column;

#define COLUMN(type, field)                                                                        \
    {                                                                                              \
#field, type, offsetof(result, field), sizeof(((result *)0)->field)                        \
    }

static const column columns[] = {
    COLUMN(COLUMN_TEXT, lab),           COLUMN(COLUMN_TEXT, variant),
    COLUMN(COLUMN_TEXT, kind),          COLUMN(COLUMN_TEXT, machine),
    COLUMN(COLUMN_TEXT, parameters),    COLUMN(COLUMN_INT, width),
    COLUMN(COLUMN_INT, height),         COLUMN(COLUMN_INT, block_x),
    COLUMN(COLUMN_INT, block_y),        COLUMN(COLUMN_INT, threads_per_block),
    COLUMN(COLUMN_INT, trials),         COLUMN(COLUMN_REAL, time_s),
    COLUMN(COLUMN_REAL, time_min_s),    COLUMN(COLUMN_REAL, time_q1_s),
    COLUMN(COLUMN_REAL, time_q3_s),     COLUMN(COLUMN_REAL, time_max_s),
    COLUMN(COLUMN_REAL, end_to_end_s),  COLUMN(COLUMN_REAL, read_s),
    COLUMN(COLUMN_REAL, copy_in_s),     COLUMN(COLUMN_REAL, copy_out_s),
    COLUMN(COLUMN_REAL, write_s),       COLUMN(COLUMN_TEXT, cache),
    COLUMN(COLUMN_REAL, bytes),         COLUMN(COLUMN_REAL, flops),
    COLUMN(COLUMN_REAL, gb_per_s),      COLUMN(COLUMN_REAL, gflop_per_s),
    COLUMN(COLUMN_REAL, speedup),       COLUMN(COLUMN_INT, registers),
    COLUMN(COLUMN_INT, shared_bytes),   COLUMN(COLUMN_INT, local_bytes),
    COLUMN(COLUMN_INT, constant_bytes), COLUMN(COLUMN_INT, blocks_per_sm),
    COLUMN(COLUMN_INT, warps_per_sm),   COLUMN(COLUMN_INT, threads_per_sm),
    COLUMN(COLUMN_REAL, occupancy),     COLUMN(COLUMN_TEXT, limiter),
    COLUMN(COLUMN_REAL, max_error),     COLUMN(COLUMN_REAL, tolerance),
    COLUMN(COLUMN_TEXT, status),        COLUMN(COLUMN_TEXT, note),
};

enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

result result_empty(void)
{
    result row;
    memset(&row, 0, sizeof row);
    for (int i = 0; i < N_COLUMNS; i++) {
        char *field = (char *)&row + columns[i].offset;
        if (columns[i].type == COLUMN_INT)
            *(int *)(void *)field = -1;
        else if (columns[i].type == COLUMN_REAL)
            *(double *)(void *)field = NAN;
    }
    return row;
}

bool result_same_case(const result *a, const result *b)
{
    return a->width == b->width && a->height == b->height && a->block_x == b->block_x &&
           a->block_y == b->block_y && strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->lab, b->lab) == 0 && strcmp(a->parameters, b->parameters) == 0 &&
           strcmp(a->machine, b->machine) == 0 && strcmp(a->cache, b->cache) == 0;
}

void result_table_add(result_table *table, const result *row)
{
    table->rows = grow(table->rows, table->count, &table->capacity, sizeof *row);
    table->rows[table->count++] = *row;
}

void result_table_remove(result_table *table, int index)
{
    table->count--;
    memmove(&table->rows[index], &table->rows[index + 1],
            (size_t)(table->count - index) * sizeof *table->rows);
}

void result_table_free(result_table *table)
{
    free(table->rows);
    memset(table, 0, sizeof *table);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void write_row(FILE *file, const result *row)
{
    for (int i = 0; i < N_COLUMNS; i++) {
        const char *field = (const char *)row + columns[i].offset;
        char number[64] = "";
        if (columns[i].type == COLUMN_INT && *(const int *)(const void *)field >= 0)
            snprintf(number, sizeof number, "%d", *(const int *)(const void *)field);
        if (columns[i].type == COLUMN_REAL && !isnan(*(const double *)(const void *)field))
            snprintf(number, sizeof number, "%.6g", *(const double *)(const void *)field);
        csv_write_field(file, columns[i].type == COLUMN_TEXT ? field : number);
        fputs(i + 1 < N_COLUMNS ? "," : "\r\n", file);
    }
}

int result_table_write(const result_table *table, const char *path, char *error)
{
    file_draft file;
    if (file_create(&file, path, error))
        return -1;
    for (int i = 0; i < N_COLUMNS; i++)
        fprintf(file.stream, "%s%s", columns[i].name, i + 1 < N_COLUMNS ? "," : "\r\n");
    for (int i = 0; i < table->count; i++)
        write_row(file.stream, &table->rows[i]);
    return file_commit(&file, error);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* One field's text into the row; false if it does not fit its column. */
static bool parse_field(result *row, const column *c, const char *text)
{
    char *field = (char *)row + c->offset, *end = NULL;
    if (c->type == COLUMN_TEXT) {
        if (strlen(text) >= c->bytes)
            return false;
        strcpy(field, text);
        return true;
    }
    if (text[0] == '\0')
        return true;
    if (c->type == COLUMN_INT) {
        errno = 0;
        long value = strtol(text, &end, 10);
        if (errno || value < 0 || value > INT_MAX)
            return false;
        *(int *)(void *)field = (int)value;
    } else
        *(double *)(void *)field = strtod(text, &end);
    return *end == '\0';
}

/* One record; its end, with *row filled if that is CSV_RECORD. */
static csv_end read_row(FILE *file, result *row)
{
    char text[RESULT_TEXT];
    *row = result_empty();
    for (int i = 0; i < N_COLUMNS; i++) {
        csv_end end = csv_read_field(file, text, sizeof text);
        if (end == CSV_FILE && i == 0)
            return CSV_FILE;
        if (end != (i + 1 < N_COLUMNS ? CSV_FIELD : CSV_RECORD) ||
            !parse_field(row, &columns[i], text))
            return CSV_BROKEN;
    }
    return CSV_RECORD;
}

static bool read_header(FILE *file)
{
    char text[RESULT_TEXT];
    for (int i = 0; i < N_COLUMNS; i++) {
        csv_end end = csv_read_field(file, text, sizeof text);
        if (end != (i + 1 < N_COLUMNS ? CSV_FIELD : CSV_RECORD) || strcmp(text, columns[i].name))
            return false;
    }
    return true;
}

int result_table_read(result_table *table, const char *path, char *error)
{
    result row;
    FILE *file = fopen(path, "rb");
    if (!file)
        return file_error(error, path, "%s", strerror(errno));
    csv_end end = read_header(file) ? CSV_RECORD : CSV_BROKEN;
    while (end == CSV_RECORD && (end = read_row(file, &row)) == CSV_RECORD)
        result_table_add(table, &row);
    fclose(file);
    if (end == CSV_FILE)
        return 0;
    return file_error(error, path, "not a results file of this version, at record %d",
                      table->count + 1);
}
