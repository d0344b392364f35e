#define _POSIX_C_SOURCE 200809L /* access */

#include "occupancy_table.h"
#include "files/csv.h"
#include "machine/device.h"
#include "measure/buffers.h"
#include "measure/variant.h"
#include "process/die.h"
#include "rows/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_RESOURCES "build/resources.csv"
/* The rows that stand in for nvcc's figures where it is missing, and what they were compiled for.
 */
#define RECORDED     "data/reference/nvidia-h200/%s.csv"
#define RECORDED_FOR "sm_90a"

/* A kernel in the file that `make resources` writes; its symbol is the mangled name. */
typedef struct kernel_entry {
    char lab[64], symbol[1024]; /* CUB's are long */
    kernel_figures figures;
} kernel_entry;

typedef struct table {
    const lab *lab;
    const char *name; /* of the card */
    const struct cudaDeviceProp *card;
    const char *path;      /* of the figures; NULL: the binary's own, of the current device */
    kernel_entry *entries; /* what the file holds */
    int count;
    result_table recorded; /* rows that tell the figures */
    result_table rows;     /* all, for the CSV */
} table;

/* ---- the kernels' figures ------------------------------------------------------------------- */

#define FIGURE(type, name)                                                                         \
    CSV_##type, #name, offsetof(kernel_entry, figures.name),                                       \
        sizeof(((kernel_entry *)0)->figures.name), true

static const csv_column columns[] = {
    {CSV_COLUMN(TEXT, kernel_entry, lab), true},
    {CSV_COLUMN(TEXT, kernel_entry, symbol), true},
    {FIGURE(TEXT, architecture)},
    {FIGURE(INT, registers)},
    {FIGURE(INT, shared_bytes)},
    {FIGURE(INT, local_bytes)},
    {FIGURE(INT, constant_bytes)},
};

enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static const csv_format format = {"a file of `make resources`", columns, N_COLUMNS,
                                  sizeof(kernel_entry)};

/* Finds the row of the same block, or of another one where the kernel does not depend on it. */
static const result *find_recorded(const table *t, const variant *v, const result *like)
{
    const result *found = NULL;
    for (int i = 0; i < t->recorded.count; i++) {
        const result *r = &t->recorded.rows[i];
        bool same = r->block_x == like->block_x && r->block_y == like->block_y;
        if (r->registers >= 0 && (same || (!found && !v->kernel_for)) &&
            strcmp(r->variant, like->variant) == 0 && strcmp(r->parameters, like->parameters) == 0)
            found = r;
    }
    return found;
}

/* Returns false where the kernel is not known. */
static bool find_figures(const table *t, const problem *p, const variant *v, const result *row,
                         const void *kernel, kernel_figures *figures)
{
    if (!t->path && kernel) {
        *figures = device_kernel_figures(kernel);
        return true;
    }
    const result *recorded = find_recorded(t, v, row);
    if (recorded) {
        dim3 block = {(unsigned)recorded->block_x, (unsigned)recorded->block_y, 1};
        int own = recorded->shared_bytes - (int)variant_shared_bytes(v, p, block);
        *figures = (kernel_figures){.architecture = RECORDED_FOR,
                                    .registers = recorded->registers,
                                    .shared_bytes = own > 0 ? own : 0,
                                    .local_bytes = recorded->local_bytes,
                                    .constant_bytes = recorded->constant_bytes};
        return true;
    }
    const char *symbol = kernel ? device_kernel_symbol(kernel) : NULL;
    for (int i = 0; symbol && i < t->count; i++)
        if (strcmp(t->entries[i].lab, t->lab->name) == 0 &&
            strcmp(t->entries[i].symbol, symbol) == 0) {
            *figures = t->entries[i].figures;
            return true;
        }
    return false;
}

/* ---- a row ---------------------------------------------------------------------------------- */

/* What the kernel takes and what comes of it; a row that cannot be has the reason. */
static result make_row(const table *t, const problem *p, const variant *v, dim3 block)
{
    char parameters[RESULT_TEXT];
    kernel_figures f;
    occupancy found;
    const void *kernel = variant_kernel(v, block, 0);
    size_t dynamic = variant_shared_bytes(v, p, block);
    t->lab->parameters(parameters, sizeof parameters);
    result row = variant_row(t->lab, v, "gpu", t->name, parameters,
                             (extent){p->width, p->height, p->depth}, block);
    snprintf(row.status, sizeof row.status, "skipped");
    if (variant_refuses(v, p, block, t->card->major, t->card->minor, row.note))
        return row;
    if (!find_figures(t, p, v, &row, kernel, &f)) {
        snprintf(row.note, sizeof row.note,
                 kernel ? "its kernel is not in %s" : "it names no kernel", t->path);
        return row;
    }
    const char *reason = occupancy_of(t->card, f.registers, (size_t)f.shared_bytes + dynamic,
                                      row.threads_per_block, &found);
    if (reason)
        die_bad_input("--occupancy-of %s: %s", t->name, reason);
    variant_add_kernel(&row, &f, dynamic, &found);
    snprintf(row.status, sizeof row.status, "ok");
    snprintf(row.note, sizeof row.note, "compiled for %s", f.architecture);
    return row;
}

/* ---- on the terminal ------------------------------------------------------------------------ */

static void print_heading(const table *t, const result *first)
{
    char size[EXTENT_TEXT], text[512];
    const struct cudaDeviceProp *card = t->card;
    snprintf(text, sizeof text, "%s on %s (compute capability %d.%d)  %s  %s", t->lab->name,
             t->name, card->major, card->minor, extent_text(result_extent(first), size),
             first->parameters);
    text_print_wrapped(text, 0, 4);
    printf("a multiprocessor has %d warps, %d registers, %zu KiB of shared memory\n",
           card->maxThreadsPerMultiProcessor / 32, card->regsPerMultiprocessor,
           card->sharedMemPerMultiprocessor / 1024);
}

/* Registers and local memory are a thread's, threads and shared memory a block's. */
static const text_column shown[] = {
    {"variant", 0, true}, {"block", 0, true}, {"threads", 5},     {"registers", 1},
    {"shared/B", 1},      {"local/B", 8},     {"constant/B", 9},  {"blocks", 4},
    {"warps", 6},         {"threads/SM", 7},  {"occupancy/%", 0}, {"limiter", 0, true},
};

static text_line line_of(const result *r)
{
    text_line line = {.note = ""};
    const int numbers[] = {r->threads_per_block, r->registers,      r->shared_bytes,
                           r->local_bytes,       r->constant_bytes, r->blocks_per_sm,
                           r->warps_per_sm,      r->threads_per_sm};
    snprintf(line.cell[0], TEXT_CELL, "%s", r->variant);
    snprintf(line.cell[1], TEXT_CELL, "%dx%d", r->block_x, r->block_y);
    for (int i = 0; i < 8 && (i == 0 || r->registers >= 0); i++)
        snprintf(line.cell[2 + i], TEXT_CELL, "%d", numbers[i]);
    if (r->registers >= 0)
        snprintf(line.cell[10], TEXT_CELL, "%.0f", 100 * r->occupancy);
    else
        line.note = r->note;
    snprintf(line.cell[11], TEXT_CELL, "%s", r->registers < 0 ? r->status : r->limiter);
    return line;
}

static void print_rows(const table *t, int first, bool wide)
{
    const char *compiled = NULL;
    const int count = t->rows.count - first;
    text_table terminal = {.columns = shown, .count = sizeof shown / sizeof shown[0], .wide = wide};
    if (count == 0)
        return;
    print_heading(t, &t->rows.rows[first]);
    text_line *lines = allocate((size_t)count * sizeof *lines);
    for (int i = 0; i < count; i++) {
        const result *row = &t->rows.rows[first + i];
        lines[i] = line_of(row);
        if (!compiled && row->registers >= 0)
            compiled = row->note;
    }
    text_table_print(&terminal, lines, count);
    free(lines);
    if (compiled) {
        char text[512];
        snprintf(text, sizeof text, "(registers and memory: %s, %s%s)", compiled,
                 t->path ? "from " : "as this program holds them", t->path ? t->path : "");
        text_print_wrapped(text, 0, 1);
    }
    putchar('\n');
}

/* ---- the whole table ------------------------------------------------------------------------ */

static void add_size(table *t, const options *o, extent size)
{
    problem p = problem_lay_out(t->lab, size, o->seed); /* no callback below looks at its data */
    int first = t->rows.count;
    for (int i = 0; i < t->lab->n_variants; i++) {
        const variant *v = &t->lab->variants[i];
        if (!o->chosen[i] || v->kind != VARIANT_GPU || (v->applies && !v->applies()))
            continue;
        dim3 block;
        for (int b = 0; variant_block(v, o->blocks.items, o->blocks.count, b, &block); b++) {
            result row = make_row(t, &p, v, block);
            result_table_put(&t->rows, &row); /* of configurations that differ in no row, one */
        }
    }
    print_rows(t, first, o->wide);
}

static void add_sizes(table *t, const options *o)
{
    if (t->lab->configure)
        t->lab->configure();
    for (int i = 0; i < o->sizes.count; i++)
        add_size(t, o, o->sizes.items[i]);
}

/* As a sweep goes through the lab's configurations, unless the user has chosen one. */
static void add_configurations(table *t, const options *o)
{
    const lab_settings *s = t->lab->sweep.configurations;
    if (!s || o->single || o->configured) {
        add_sizes(t, o);
        return;
    }
    for (; s->options; s++) {
        if (options_leave_out(o, s))
            continue;
        options configured = options_configure(o, t->lab, s->options, false);
        add_sizes(t, &configured);
        options_free(&configured);
    }
}

void occupancy_table_print(const lab *definition, const options *o)
{
    char recorded[256];
    table t = {.lab = definition, .name = o->occupancy_of, .card = occupancy_card(o->occupancy_of)};
    store file = store_open(o->csv, o->fresh);
    /* in a build for the GPU it is the runtime that knows the kernels' names, and that needs one */
    device d = device_open(o->device);
    t.path = o->resources ? o->resources : d.emulated ? DEFAULT_RESOURCES : NULL;
    snprintf(recorded, sizeof recorded, RECORDED, definition->name);
    if (t.path && (o->resources || access(t.path, F_OK) == 0))
        t.entries = csv_read(t.path, &format, &t.count);
    else if (t.path && access(t.path = recorded, F_OK) == 0)
        result_table_read(&t.recorded, recorded);
    add_configurations(&t, o);
    if (t.rows.count == 0)
        die_bad_input("nothing to show: no chosen variant has a kernel of its own");
    store_put(&file, t.rows.rows, t.rows.count);
    store_free(&file);
    result_table_free(&t.rows);
    result_table_free(&t.recorded);
    free(t.entries);
}

void occupancy_table_print_architecture(const options *o)
{
    const struct cudaDeviceProp *card = occupancy_card(o->occupancy_of);
    printf("sm_%d%d\n", card->major, card->minor);
}
