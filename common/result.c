#include "result.h"
#include "allocate.h"
#include "csv.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum column_type { COLUMN_TEXT, COLUMN_INT, COLUMN_REAL } column_type;

typedef struct column {
    column_type type;
    const char *name;
    size_t offset, bytes;
} column;

#define FIELD(name) #name, offsetof(result, name), sizeof(((result *)0)->name)
#define TEXT(name)  COLUMN_TEXT, FIELD(name)
#define INT(name)   COLUMN_INT, FIELD(name)
#define REAL(name)  COLUMN_REAL, FIELD(name)

static const column columns[] = {
    {TEXT(lab)},           {TEXT(variant)},      {TEXT(kind)},         {TEXT(role)},
    {TEXT(machine)},       {TEXT(parameters)},   {INT(width)},         {INT(height)},
    {INT(depth)},          {INT(block_x)},       {INT(block_y)},       {INT(threads_per_block)},
    {INT(trials)},         {REAL(time_s)},       {REAL(time_min_s)},   {REAL(time_q1_s)},
    {REAL(time_q3_s)},     {REAL(time_max_s)},   {REAL(end_to_end_s)}, {REAL(read_s)},
    {REAL(copy_in_s)},     {REAL(copy_out_s)},   {REAL(write_s)},      {TEXT(cache)},
    {REAL(bytes)},         {REAL(flops)},        {REAL(gb_per_s)},     {REAL(gflop_per_s)},
    {REAL(speedup)},       {INT(registers)},     {INT(shared_bytes)},  {INT(local_bytes)},
    {INT(constant_bytes)}, {INT(blocks_per_sm)}, {INT(warps_per_sm)},  {INT(threads_per_sm)},
    {REAL(occupancy)},     {TEXT(limiter)},      {REAL(max_error)},    {REAL(tolerance)},
    {TEXT(status)},        {TEXT(note)},         {TEXT(commit)},       {TEXT(date)},
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

extent result_extent(const result *row)
{
    return (extent){row->width, row->height, row->depth};
}

/* Rows of a time before products had a depth are of square ones. */
static bool same_size(const result *a, const result *b)
{
    bool square = a->width == a->height;
    return a->width == b->width && a->height == b->height &&
           (a->depth == b->depth || (a->depth < 0 && square && b->depth == b->width) ||
            (b->depth < 0 && square && a->depth == a->width));
}

bool result_same_case(const result *a, const result *b)
{
    return same_size(a, b) && a->block_x == b->block_x && a->block_y == b->block_y &&
           strcmp(a->variant, b->variant) == 0 && strcmp(a->lab, b->lab) == 0 &&
           strcmp(a->parameters, b->parameters) == 0 && strcmp(a->machine, b->machine) == 0 &&
           strcmp(a->cache, b->cache) == 0;
}

result *result_table_find(const result_table *table, const result *like)
{
    for (int i = 0; i < table->count; i++)
        if (result_same_case(&table->rows[i], like))
            return &table->rows[i];
    return NULL;
}

void result_table_put(result_table *table, const result *row)
{
    result *there = result_table_find(table, row);
    if (!there) {
        table->rows = grow(table->rows, table->count, &table->capacity, sizeof *row);
        there = &table->rows[table->count++];
    }
    *there = *row;
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

int result_table_write(const result_table *table, const char *path, FILE_ERROR(error))
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

static int find_column(const char *name)
{
    int c = N_COLUMNS - 1;
    while (c >= 0 && strcmp(name, columns[c].name) != 0)
        c--;
    return c;
}

/* One field's text into the row; false if it does not fit its column. */
static bool set_field(void *row, int index, const char *text)
{
    const column *c = &columns[index];
    char *field = (char *)row + c->offset, *end = NULL;
    if (c->type == COLUMN_TEXT) {
        if (strlen(text) >= c->bytes)
            return false;
        strcpy(field, text);
        return true;
    }
    if (text[0] == '\0')
        return true;
    if (c->type == COLUMN_INT)
        return (*(int *)(void *)field = csv_count(text)) >= 0;
    *(double *)(void *)field = strtod(text, &end);
    return *end == '\0';
}

static bool read_heading(FILE *file, csv_heading *heading)
{
    return csv_read_heading(file, heading, find_column) &&
           csv_has_column(heading, find_column("lab")) &&
           csv_has_column(heading, find_column("variant"));
}

int result_table_read(result_table *table, const char *path, FILE_ERROR(error))
{
    csv_heading heading;
    int record = 1;
    FILE *file = fopen(path, "rb");
    if (!file)
        return file_error(error, path, "%s", strerror(errno));
    csv_end end = read_heading(file, &heading) ? CSV_RECORD : CSV_BROKEN;
    while (end == CSV_RECORD) {
        result row = result_empty();
        end = csv_read_record(file, &heading, set_field, &row);
        if (end == CSV_RECORD)
            result_table_put(table, &row);
        record += end == CSV_RECORD;
    }
    fclose(file);
    if (end == CSV_FILE)
        return 0;
    return file_error(error, path, "not a results file, at record %d", record);
}
