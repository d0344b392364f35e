/* lab_tables.c - the tables of labs.h. */
#include "labs.h"
#include "die.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Labs 2 to 4 have values of 2012 beside them. */
static bool has_past(const view *v)
{
    return v->info->lab >= 2 && v->info->lab <= 4;
}

static void ms(table *t, const row *r)
{
    table_number(t, r ? r->time_s * 1e3 : NAN);
}

static void start(table *t, const view *v, const char *folder, const char *what,
                  const char *columns)
{
    char name[96];
    snprintf(name, sizeof name, "%s_%s", v->lab->name, what);
    table_start(t, folder, name, columns);
}

/* ---- by size --------------------------------------------------------------------------------- */

/* The sizes of now and of 2012, ascending; returns how many, the caller frees. */
static int all_sizes(const view *v, extent **sizes)
{
    int n = 0, kept = 0;
    extent *list =
        allocate(((unsigned long long)v->n_sizes + (unsigned)v->past.count + 1) * sizeof *list);
    for (int i = 0; i < v->n_sizes; i++)
        list[n++] = v->sizes[i];
    for (int i = 0; i < v->past.count; i++)
        list[n++] = extent_of(v->past.rows[i]);
    qsort(list, (size_t)n, sizeof *list, extent_compare);
    for (int i = 0; i < n; i++)
        if (kept == 0 || extent_compare(&list[kept - 1], &list[i]) != 0)
            list[kept++] = list[i];
    *sizes = list;
    return kept;
}

static void cpu_table(const view *v, const char *folder)
{
    table t;
    extent *sizes;
    int n = all_sizes(v, &sizes), cpu = text_id("cpu"), omp = text_id("cpu_omp");
    start(&t, v, folder, "cpu",
          has_past(v) ? "size,cpu_ms,cpu_omp_ms,past_cpu_ms" : "size,cpu_ms,cpu_omp_ms");
    for (int i = 0; i < n && v->now.count; i++) {
        const row *serial = view_row(&v->now, cpu, sizes[i], -1, -1);
        const row *parallel = view_row(&v->now, omp, sizes[i], -1, -1);
        const row *past = view_row(&v->past, cpu, sizes[i], -1, -1);
        if (!serial && !parallel && !past)
            continue;
        table_size(&t, v->lab->shape, sizes[i].width, sizes[i].height);
        ms(&t, serial);
        ms(&t, parallel);
        if (has_past(v))
            ms(&t, past);
        table_end_row(&t);
    }
    table_finish(&t);
    free(sizes);
}

/* ---- by size and block ----------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    int p = *(const int *)a, q = *(const int *)b;
    return (p > q) - (p < q);
}

/* The sides of the square blocks that `naive` ran with, now or in 2012, ascending. */
static int square_blocks(const view *v, int **sides)
{
    int n = 0, kept = 0, naive = text_id("naive");
    int *list =
        allocate(((unsigned long long)v->now.count + (unsigned)v->past.count + 1) * sizeof *list);
    const case_list *sources[] = {&v->now, &v->past};
    for (int i = 0; i < 2; i++) {
        const row *const *rows;
        int count = view_all(sources[i], naive, &rows);
        for (int k = 0; k < count; k++)
            if (row_is_square(rows[k]))
                list[n++] = rows[k]->block_x;
    }
    qsort(list, (size_t)n, sizeof *list, ascending);
    for (int i = 0; i < n; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    *sides = list;
    return kept;
}

/* A time in ms, or a speedup; NaN if there is none. */
static double block_value(const view *v, const row *r, bool speedup)
{
    if (!r)
        return NAN;
    return speedup ? view_speedup(v, r) : r->time_s * 1e3;
}

/* A machine's line of a size, if it has any value there. */
static void block_row(table *t, const view *v, const case_list *cases, extent size,
                      const char *machine, const int *sides, int n, bool speedup)
{
    int naive = text_id("naive"), given = 0;
    for (int i = 0; i < n; i++)
        given += !isnan(block_value(v, view_row(cases, naive, size, sides[i], sides[i]), speedup));
    if (!given)
        return;
    table_size(t, v->lab->shape, size.width, size.height);
    table_text(t, machine);
    for (int i = 0; i < n; i++)
        table_number(t, block_value(v, view_row(cases, naive, size, sides[i], sides[i]), speedup));
    table_end_row(t);
}

enum { BLOCKS_SHOWN = 64 }; /* columns; more can only be a broken or hostile file */

static void block_table(const view *v, const char *folder, const char *what, bool speedup)
{
    table t;
    int *sides;
    extent *sizes;
    int n_sizes = all_sizes(v, &sizes), n = square_blocks(v, &sides);
    char columns[64 + BLOCKS_SHOWN * 32];
    int used = snprintf(columns, sizeof columns, "size,machine");
    n = n < BLOCKS_SHOWN ? n : BLOCKS_SHOWN;
    for (int i = 0; i < n; i++)
        used +=
            snprintf(columns + used, sizeof columns - (size_t)used, ",%dx%d", sides[i], sides[i]);
    start(&t, v, folder, what, columns);
    for (int i = 0; i < n_sizes && v->now.count; i++) {
        block_row(&t, v, &v->now, sizes[i], v->study->gpu_label, sides, n, speedup);
        block_row(&t, v, &v->past, sizes[i], PAST_LABEL, sides, n, speedup);
    }
    table_finish(&t);
    free(sizes);
    free(sides);
}

/* ---- by variant ------------------------------------------------------------------------------ */

static const char *kind_text(row_kind kind)
{
    return kind == KIND_CPU ? "cpu" : kind == KIND_GPU ? "gpu" : "vendor";
}

static void variants_table(const view *v, const char *folder)
{
    table t;
    char what[64];
    snprintf(what, sizeof what, "variants%s", v->info->suffix);
    start(&t, v, folder, what,
          "variant,kind,block,time_ms,end_to_end_ms,gb_per_s,gflop_per_s,speedup,"
          "occupancy_percent,max_error,tolerance");
    for (int i = 0; i < v->n_variants; i++) {
        const row *r = view_row(&v->now, v->variants[i], v->size, -1, -1);
        if (!r)
            continue;
        table_text(&t, text_of(r->variant));
        table_text(&t, kind_text(r->kind));
        table_block(&t, v->lab->shape, r);
        ms(&t, r);
        table_number(&t, r->end_to_end_s * 1e3);
        table_number(&t, r->gb_per_s);
        table_number(&t, row_computes(r) ? r->gflop_per_s : NAN);
        table_number(&t, row_computes(r) ? view_speedup(v, r) : NAN);
        table_number(&t, r->occupancy * 100);
        table_number(&t, r->max_error);
        table_number(&t, r->tolerance);
        table_end_row(&t);
    }
    table_finish(&t);
}

static void occupancy_table(const view *v, const char *folder)
{
    table t;
    start(&t, v, folder, "occupancy",
          "variant,block,threads_per_block,registers,shared_bytes,local_bytes,constant_bytes,"
          "blocks_per_sm,warps_per_sm,threads_per_sm,occupancy_percent,limiter,time_ms");
    for (int i = 0; i < v->n_variants; i++) {
        const row *const *rows;
        int n = view_blocks(&v->now, v->variants[i], v->size, &rows);
        for (int k = 0; k < n; k++) {
            const row *r = rows[k];
            if (r->kind != KIND_GPU)
                continue;
            table_text(&t, text_of(r->variant));
            table_block(&t, v->lab->shape, r);
            table_int(&t, r->threads_per_block);
            table_int(&t, r->registers);
            table_int(&t, r->shared_bytes);
            table_int(&t, r->local_bytes);
            table_int(&t, r->constant_bytes);
            table_int(&t, r->blocks_per_sm);
            table_int(&t, r->warps_per_sm);
            table_int(&t, r->threads_per_sm);
            table_number(&t, r->occupancy * 100);
            table_text(&t, text_of(r->limiter));
            ms(&t, r);
            table_end_row(&t);
        }
    }
    table_finish(&t);
}

void lab_tables(const view *v, const char *folder)
{
    variants_table(v, folder);
    if (strcmp(v->info->name, v->lab->name) != 0)
        return;
    cpu_table(v, folder);
    occupancy_table(v, folder);
    if (has_past(v)) {
        block_table(v, folder, "gpu", false);
        block_table(v, folder, "speedup", true);
    }
}
