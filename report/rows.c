/* rows.c - see rows.h. */
#include "rows.h"
#include "die.h"
#include "records.h"
#include "text.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const status_names[N_STATUS] = {"ok", "wrong", "skipped", "failed"};

/* ---- columns --------------------------------------------------------------------------------- */

typedef enum column_type {
    COLUMN_TEXT,
    COLUMN_KIND,
    COLUMN_STATUS,
    COLUMN_INT,
    COLUMN_REAL
} column_type;

typedef struct column {
    const char *name;
    column_type type;
    size_t offset;
    bool required;
} column;

static const column columns[] = {
    {"status", COLUMN_STATUS, offsetof(row, status), true},
    {"kind", COLUMN_KIND, offsetof(row, kind), true},
    {"variant", COLUMN_TEXT, offsetof(row, variant), true},
    {"parameters", COLUMN_TEXT, offsetof(row, parameters), false},
    {"cache", COLUMN_TEXT, offsetof(row, cache), false},
    {"limiter", COLUMN_TEXT, offsetof(row, limiter), false},
    {"note", COLUMN_TEXT, offsetof(row, note), false},
    {"width", COLUMN_INT, offsetof(row, width), true},
    {"height", COLUMN_INT, offsetof(row, height), true},
    {"block_x", COLUMN_INT, offsetof(row, block_x), false},
    {"block_y", COLUMN_INT, offsetof(row, block_y), false},
    {"threads_per_block", COLUMN_INT, offsetof(row, threads_per_block), false},
    {"registers", COLUMN_INT, offsetof(row, registers), false},
    {"shared_bytes", COLUMN_INT, offsetof(row, shared_bytes), false},
    {"local_bytes", COLUMN_INT, offsetof(row, local_bytes), false},
    {"constant_bytes", COLUMN_INT, offsetof(row, constant_bytes), false},
    {"blocks_per_sm", COLUMN_INT, offsetof(row, blocks_per_sm), false},
    {"warps_per_sm", COLUMN_INT, offsetof(row, warps_per_sm), false},
    {"threads_per_sm", COLUMN_INT, offsetof(row, threads_per_sm), false},
    {"time_s", COLUMN_REAL, offsetof(row, time_s), true},
    {"end_to_end_s", COLUMN_REAL, offsetof(row, end_to_end_s), false},
    {"read_s", COLUMN_REAL, offsetof(row, read_s), false},
    {"copy_in_s", COLUMN_REAL, offsetof(row, copy_in_s), false},
    {"copy_out_s", COLUMN_REAL, offsetof(row, copy_out_s), false},
    {"write_s", COLUMN_REAL, offsetof(row, write_s), false},
    {"bytes", COLUMN_REAL, offsetof(row, bytes), false},
    {"flops", COLUMN_REAL, offsetof(row, flops), false},
    {"gb_per_s", COLUMN_REAL, offsetof(row, gb_per_s), false},
    {"gflop_per_s", COLUMN_REAL, offsetof(row, gflop_per_s), false},
    {"occupancy", COLUMN_REAL, offsetof(row, occupancy), false},
    {"max_error", COLUMN_REAL, offsetof(row, max_error), false},
    {"tolerance", COLUMN_REAL, offsetof(row, tolerance), false},
};

enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

/* ---- one record ------------------------------------------------------------------------------ */

static row_kind kind_of(const char *text)
{
    static const char *const names[] = {"cpu", "gpu", "vendor", "emulated"};
    int kind = 0;
    while (kind < KIND_OTHER && strcmp(text, names[kind]) != 0)
        kind++;
    return (row_kind)kind;
}

/* A decimal number that is finite and not negative. */
static bool parse_number(const char *text, double *value)
{
    char *end;
    if (text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) && *value >= 0;
}

static void fail(row *r, const char *name, const char *text)
{
    char note[160];
    if (r->status != STATUS_OK)
        return;
    snprintf(note, sizeof note, "%s cannot be '%.40s'", name, text);
    r->status = STATUS_FAILED;
    r->note = text_id(note);
}

static void set_status(row *r, const char *text)
{
    int status = 0;
    while (status < N_STATUS && strcmp(text, status_names[status]) != 0)
        status++;
    r->status = status < N_STATUS ? (row_status)status : STATUS_OK;
    if (status == N_STATUS)
        fail(r, "status", text);
}

static void set_number(row *r, const column *c, const char *text)
{
    char *field = (char *)r + c->offset;
    double value;
    if (text[0] == '\0') {
        if (c->required && c->type == COLUMN_INT)
            fail(r, c->name, text);
    } else if (!parse_number(text, &value) ||
               (c->type == COLUMN_INT && (value > INT_MAX || value != floor(value))) ||
               (value <= 0 && c->required)) {
        fail(r, c->name, text);
    } else if (c->type == COLUMN_INT) {
        *(int *)(void *)field = (int)value;
    } else {
        *(double *)(void *)field = value;
    }
}

static void set_field(row *r, const column *c, const char *text)
{
    char *field = (char *)r + c->offset;
    switch (c->type) {
    case COLUMN_STATUS:
        set_status(r, text);
        break;
    case COLUMN_KIND:
        r->kind = kind_of(text);
        if (r->kind == KIND_OTHER)
            fail(r, "kind", text);
        break;
    case COLUMN_TEXT:
        if (c->offset != offsetof(row, note) || r->status != STATUS_FAILED || r->note < 0)
            *(int *)(void *)field = text_id(text);
        break;
    default:
        set_number(r, c, text);
    }
}

static row empty_row(void)
{
    row r;
    memset(&r, 0, sizeof r);
    int none = text_id("");
    for (int i = 0; i < N_COLUMNS; i++) {
        char *field = (char *)&r + columns[i].offset;
        if (columns[i].type == COLUMN_INT)
            *(int *)(void *)field = -1;
        else if (columns[i].type == COLUMN_REAL)
            *(double *)(void *)field = NAN;
        else if (columns[i].type == COLUMN_TEXT)
            *(int *)(void *)field = none;
    }
    r.note = -1;
    return r;
}

/* Rates that a file leaves out follow from work and time. */
static void complete(row *r)
{
    if (r->note < 0)
        r->note = text_id("");
    if (isnan(r->gb_per_s))
        r->gb_per_s = r->bytes / r->time_s / 1e9;
    if (isnan(r->gflop_per_s))
        r->gflop_per_s = r->flops / r->time_s / 1e9;
    if (r->threads_per_block < 0 && r->block_x > 0 && r->block_y > 0)
        r->threads_per_block = r->block_x * r->block_y;
}

int rows_read(row_list *list, const char *path, const char *label, row_origin origin, char *error)
{
    records file;
    int place[N_COLUMNS];
    int opened = records_open(&file, path);
    for (int i = 0; opened == 0 && i < N_COLUMNS; i++) {
        place[i] = records_column(&file, columns[i].name);
        if (place[i] < 0 && columns[i].required) {
            snprintf(file.error, sizeof file.error, "there is no column '%s'", columns[i].name);
            opened = -1;
        }
    }
    while (opened == 0 && records_next(&file)) {
        row r = empty_row();
        for (int i = 0; i < N_COLUMNS; i++)
            if (place[i] >= 0)
                set_field(&r, &columns[i], file.fields[place[i]]);
        r.file = text_id(label);
        r.line = (int)file.line;
        r.origin = origin;
        complete(&r);
        list->rows = grow(list->rows, list->count, &list->capacity, sizeof r);
        list->rows[list->count++] = r;
    }
    snprintf(error, FILE_ERROR_SIZE, "%s", file.error);
    records_close(&file);
    return error[0] ? -1 : 0;
}

bool row_measured(const row *r)
{
    return r->status == STATUS_OK && r->kind <= KIND_VENDOR && r->time_s > 0;
}

double row_area(const row *r)
{
    return (double)r->width * r->height;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Takes the next `key=value` off the list; false at its end. Parts point into the text. */
static bool next_pair(const char **list, const char **key, int *key_length, const char **value,
                      int *value_length)
{
    if (!**list)
        return false;
    int length = (int)strcspn(*list, ";");
    *key = *list;
    *key_length = (int)strcspn(*list, "=;");
    *value = *key + *key_length + (*key_length < length);
    *value_length = (int)(*key + length - *value);
    *list += length;
    *list += **list == ';';
    return true;
}

static bool is_key(const char *key, int length, const char *name)
{
    return strlen(name) == (size_t)length && memcmp(key, name, (size_t)length) == 0;
}

static int text_of_part(const char *text, int length)
{
    char *copy = allocate((unsigned)length + 1);
    memcpy(copy, text, (size_t)length);
    copy[length] = '\0';
    int id = text_id(copy);
    free(copy);
    return id;
}

static work parse_work(int parameters)
{
    work w = {.type = -1, .mode = -1, .transfer = -1, .cpu_threads = -1};
    const char *list = text_of(parameters), *key, *value;
    char *kept = allocate(strlen(list) + 2), *to = kept;
    int key_length, value_length;
    while (next_pair(&list, &key, &key_length, &value, &value_length)) {
        if (is_key(key, key_length, "transfer")) {
            w.transfer = text_of_part(value, value_length);
            continue;
        }
        if (is_key(key, key_length, "cpu_threads")) {
            w.cpu_threads = (int)strtol(value, NULL, 10);
            w.cpu_threads = w.cpu_threads > 0 ? w.cpu_threads : 0;
            continue;
        }
        if (is_key(key, key_length, "type"))
            w.type = text_of_part(value, value_length);
        if (is_key(key, key_length, "mode"))
            w.mode = text_of_part(value, value_length);
        if (is_key(key, key_length, "template") &&
            sscanf(value, "%6dx%6d", &w.template_width, &w.template_height) != 2)
            w.template_width = w.template_height = 0;
        if (to > kept)
            *to++ = ';';
        memcpy(to, key, (size_t)(value + value_length - key));
        to += value + value_length - key;
    }
    *to = '\0';
    w.id = text_id(kept);
    free(kept);
    return w;
}

/* Remembers what was parsed, by the parameters' number; id + 1, so that 0 is unknown. */
work work_of(const row *r)
{
    static work *known;
    static int capacity;
    if (r->parameters >= capacity) {
        int larger = 2 * r->parameters + 64;
        work *grown = allocate((unsigned long long)larger * sizeof *grown);
        memset(grown, 0, (size_t)larger * sizeof *grown);
        if (capacity)
            memcpy(grown, known, (size_t)capacity * sizeof *grown);
        free(known);
        known = grown;
        capacity = larger;
    }
    work *w = &known[r->parameters];
    if (w->id == 0) {
        *w = parse_work(r->parameters);
        w->id++;
    }
    work found = *w;
    found.id--;
    return found;
}

bool work_alike(int work_a, int work_b)
{
    const char *a = text_of(work_a), *key, *value, *other_key, *other;
    int key_length, length, other_key_length, other_length;
    while (next_pair(&a, &key, &key_length, &value, &length)) {
        const char *b = text_of(work_b);
        while (!is_key(key, key_length, "type") &&
               next_pair(&b, &other_key, &other_key_length, &other, &other_length))
            if (key_length == other_key_length && memcmp(key, other_key, (size_t)key_length) == 0 &&
                (length != other_length || memcmp(value, other, (size_t)length) != 0))
                return false;
    }
    return true;
}
