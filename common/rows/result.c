#include "result.h"
#include "files/csv.h"
#include "process/die.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(name) CSV_COLUMN(TEXT, result, name)
#define INT(name)  CSV_COLUMN(INT, result, name)
#define REAL(name) CSV_COLUMN(REAL, result, name)

/* Needed is what tells one case from another: a file without it would lose rows. */
static const csv_column columns[] = {
    {TEXT(lab), true},     {TEXT(variant), true}, {TEXT(kind)},         {TEXT(role)},
    {TEXT(machine)},       {TEXT(parameters)},    {INT(width), true},   {INT(height), true},
    {INT(depth)},          {INT(block_x), true},  {INT(block_y), true}, {INT(threads_per_block)},
    {INT(nodes)},          {INT(gpus)},           {REAL(exposed)},      {INT(trials)},
    {REAL(time_s)},        {REAL(time_min_s)},    {REAL(time_q1_s)},    {REAL(time_q3_s)},
    {REAL(time_max_s)},    {REAL(noise)},         {REAL(end_to_end_s)}, {INT(frames)},
    {REAL(read_s)},        {REAL(copy_in_s)},     {REAL(copy_out_s)},   {REAL(copy_both_s)},
    {REAL(copy_noise)},    {REAL(write_s)},       {TEXT(cache)},        {REAL(bytes)},
    {REAL(flops)},         {REAL(int_ops)},       {REAL(gb_per_s)},     {REAL(gflop_per_s)},
    {REAL(gop_per_s)},     {REAL(speedup)},       {INT(registers)},     {INT(shared_bytes)},
    {INT(local_bytes)},    {INT(constant_bytes)}, {INT(blocks_per_sm)}, {INT(warps_per_sm)},
    {INT(threads_per_sm)}, {REAL(occupancy)},     {TEXT(limiter)},      {REAL(max_error)},
    {REAL(tolerance)},     {TEXT(status)},        {TEXT(note)},         {TEXT(seal)},
    {TEXT(commit)},        {TEXT(date)},
};

static const csv_format format = {"a results file (--fresh starts it anew)", columns,
                                  sizeof columns / sizeof columns[0], sizeof(result)};

const char *extent_text(extent size, char text[EXTENT_TEXT])
{
    bool cube = size.width == size.height && size.width == size.depth;
    if (size.depth > 0 && !cube)
        snprintf(text, EXTENT_TEXT, "%dx%dx%d", size.height, size.width, size.depth);
    else
        snprintf(text, EXTENT_TEXT, "%dx%d", size.width, size.height);
    return text;
}

result result_empty(void)
{
    result row;
    csv_empty_record(&format, &row);
    return row;
}

extent result_extent(const result *row)
{
    return (extent){row->width, row->height, row->depth};
}

static bool is_same_case(const result *a, const result *b)
{
    return a->width == b->width && a->height == b->height && a->depth == b->depth &&
           a->block_x == b->block_x && a->block_y == b->block_y && a->gpus == b->gpus &&
           a->nodes == b->nodes && strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->lab, b->lab) == 0 && strcmp(a->parameters, b->parameters) == 0 &&
           strcmp(a->machine, b->machine) == 0 && strcmp(a->cache, b->cache) == 0;
}

result *result_table_find(const result_table *table, const result *like)
{
    for (int i = 0; i < table->count; i++)
        if (is_same_case(&table->rows[i], like))
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

/* ---- files ---------------------------------------------------------------------------------- */

void result_table_write(const result_table *table, const char *path)
{
    csv_write(path, &format, table->rows, table->count);
}

void result_write(FILE *file, const result *row)
{
    csv_write_record(file, &format, row);
}

int result_table_read(result_table *table, const char *path)
{
    int count, before = table->count;
    result *rows = csv_read(path, &format, &count);
    for (int i = 0; i < count; i++)
        result_table_put(table, &rows[i]);
    free(rows);
    return count - (table->count - before);
}

/* ---- on the terminal ------------------------------------------------------------------------ */

static void format_time(double seconds, char text[TEXT_CELL])
{
    if (isnan(seconds))
        text[0] = '\0';
    else if (seconds < 1e-6)
        snprintf(text, TEXT_CELL, "%.4g ns", 1e9 * seconds);
    else if (seconds < 1e-3)
        snprintf(text, TEXT_CELL, "%.4g us", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(text, TEXT_CELL, "%.4g ms", 1e3 * seconds);
    else
        snprintf(text, TEXT_CELL, "%.4g s", seconds);
}

static void format_number(double value, char text[TEXT_CELL])
{
    if (isnan(value))
        text[0] = '\0';
    else
        snprintf(text, TEXT_CELL, "%.4g", value);
}

/* The variant, and the number of CPU threads where its rows differ in that. */
static void format_variant(const result *row, char text[TEXT_CELL])
{
    const char *threads = strstr(row->parameters, ";cpu_threads=");
    int used = snprintf(text, TEXT_CELL, "%s", row->variant);
    if (threads)
        snprintf(text + used, TEXT_CELL - (size_t)used, " %s thread%s", strchr(threads, '=') + 1,
                 strcmp(threads, ";cpu_threads=1") == 0 ? "" : "s");
}

/* What is x1 of a vector and its blocks is left out. */
static void format_extents(const result *row, char size[TEXT_CELL], char block[TEXT_CELL])
{
    extent_text(result_extent(row), size);
    if (row->block_x > 0)
        snprintf(block, TEXT_CELL, "%dx%d", row->block_x, row->block_y);
    if (row->height == 1 && row->block_y <= 1) {
        *strchr(size, 'x') = '\0';
        block[strcspn(block, "x")] = '\0';
    }
}

/* Behind a row that is bad: what tells more of a kernel of ours. */
static void format_hint(const result *row, char text[256])
{
    bool is_bad = strcmp(row->status, "wrong") == 0 || strcmp(row->status, "failed") == 0;
    bool is_own = strcmp(row->kind, "gpu") == 0 || strcmp(row->kind, "emulated") == 0;
    if (is_bad && is_own)
        snprintf(text, 256, "why: make doctor LAB=%.*s VARIANTS=%s", (int)strcspn(row->lab, "_"),
                 row->lab, row->variant);
}

static void format_stream(const result *row, char text[256])
{
    char frame[TEXT_CELL], in[TEXT_CELL], out[TEXT_CELL], both[TEXT_CELL];
    if (row->frames <= 0 || !(row->end_to_end_s > 0))
        return;
    format_time(row->end_to_end_s, frame);
    format_time(row->copy_in_s, in);
    format_time(row->copy_out_s, out);
    format_time(row->copy_both_s, both);
    snprintf(
        text, 256,
        "%.4g frames/s, %.16s each: %.3f times the slower copy alone (in %.16s, out %.16s, both "
        "at once %.16s)",
        1 / row->end_to_end_s, frame, row->end_to_end_s / fmax(row->copy_in_s, row->copy_out_s), in,
        out, both);
}

static const text_column shown[] = {
    {"variant", 0, true}, {"kind", 8, true}, {"size     ", 0, true}, {"block  ", 0, true},
    {"    time", 1},      {"end to end", 5}, {"speedup", 2},         {"G(FL)OP/s", 3},
    {"  GB/s", 4},        {"max error", 6},  {"status", 0, true},
};

text_table result_terminal(bool wide)
{
    return (text_table){.columns = shown, .count = sizeof shown / sizeof shown[0], .wide = wide};
}

static text_line line_of(const result *row)
{
    text_line line = {.note = row->note};
    char(*cell)[TEXT_CELL] = line.cell;
    const bool ok = strcmp(row->status, "ok") == 0;
    format_variant(row, cell[0]);
    snprintf(cell[1], TEXT_CELL, "%s", row->kind);
    format_extents(row, cell[2], cell[3]);
    format_time(row->time_s, cell[4]);
    format_time(row->end_to_end_s, cell[5]);
    format_number(row->speedup, cell[6]);
    format_number(isnan(row->gflop_per_s) ? row->gop_per_s : row->gflop_per_s, cell[7]);
    format_number(row->gb_per_s, cell[8]);
    format_number(row->max_error, cell[9]);
    snprintf(cell[10], TEXT_CELL, "%s", row->status);
    format_stream(row, line.below);
    format_hint(row, line.below);
    line.spare_note = ok;
    line.bad = !ok && strcmp(row->status, "skipped") != 0;
    return line;
}

void result_print_heading(const char *lab, const char *machine, const char *parameters)
{
    char text[512];
    snprintf(text, sizeof text, "%s on %s  %s", lab, machine, parameters);
    for (char *c = text; (c = strchr(c, ';'));)
        *c = ' ';
    text_print_wrapped(text, 0, 4);
}

void result_print_rows(text_table *t, const result *const *rows, int count)
{
    text_line *lines = allocate((size_t)count * sizeof *lines);
    for (int k = 0; k < count; k++)
        lines[k] = line_of(rows[k]);
    text_table_print(t, lines, count);
    free(lines);
}
