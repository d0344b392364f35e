/* compare.c - see compare.h. */
#include "compare.h"
#include "csv.h"
#include "die.h"
#include "text.h"
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double area(extent size)
{
    return (double)size.width * size.height;
}

/* How many of CPU (the serial one) and GPU were measured at a size, over all machines. */
static int measured_at(const view *views, int n, extent size)
{
    int count = 0;
    for (int m = 0; m < n; m++) {
        const view *v = &views[m];
        const extent *at =
            v->n_sizes ? bsearch(&size, v->sizes, (size_t)v->n_sizes, sizeof size, extent_compare)
                       : NULL;
        count += at && v->size_has_gpu[at - v->sizes];
        count += view_row(&v->now, text_id("cpu"), size, -1, -1) != NULL;
    }
    return count;
}

/* The size at which the most was measured, of equals the largest. */
static extent shared_size(const view *views, int n)
{
    extent best = {0, 0};
    int most = 0;
    for (int m = 0; m < n; m++)
        for (int i = 0; i < views[m].n_sizes; i++) {
            extent size = views[m].sizes[i];
            int count = measured_at(views, n, size);
            if (count > most || (count == most && area(size) > area(best))) {
                most = count;
                best = size;
            }
        }
    return best;
}

static void blocks_cell(table *t, const view *views, const row *const *rows, int n)
{
    char text[LABEL_SIZE], last[LABEL_SIZE] = "";
    bool differ = false;
    char *all = allocate((unsigned long long)n * LABEL_SIZE + 1), *to = all;
    *all = '\0';
    for (int m = 0; m < n; m++) {
        if (!rows[m])
            continue;
        block_text(text, views[m].lab->shape, rows[m]->block_x, rows[m]->block_y);
        differ |= to > all && strcmp(text, last) != 0;
        to += sprintf(to, "%s%s", to > all ? "/" : "", text);
        snprintf(last, sizeof last, "%s", text);
    }
    table_text(t, differ ? all : last);
    free(all);
}

/* A variant's row, unless no machine has it at that size or it is a library's. */
static void compare_row(table *t, const view *views, int n, int variant, extent size)
{
    int found = 0;
    const row **rows = allocate((unsigned long long)n * sizeof *rows);
    for (int m = 0; m < n; m++) {
        rows[m] = view_row(&views[m].now, variant, size, -1, -1);
        if (rows[m] && rows[m]->kind == KIND_VENDOR)
            rows[m] = NULL;
        found += rows[m] != NULL;
    }
    if (found) {
        table_text(t, views[0].info->name);
        table_text(t, text_of(variant));
        table_size(t, views[0].lab->shape, size.width, size.height);
        blocks_cell(t, views, rows, n);
        for (int m = 0; m < n; m++)
            table_number(t, rows[m] ? rows[m]->time_s * 1e3 : NAN);
        table_end_row(t);
    }
    free(rows);
}

static void compare_view(table *t, const study *studies, int n, const view_info *info)
{
    view *views = allocate((unsigned long long)n * sizeof *views);
    for (int m = 0; m < n; m++)
        view_read(&views[m], &studies[m], info);
    extent size = shared_size(views, n);
    bool *listed = allocate((unsigned long long)text_count() * sizeof *listed);
    memset(listed, 0, (size_t)text_count() * sizeof *listed);
    for (int m = 0; m < n; m++)
        for (int k = 0; k < views[m].n_variants; k++) {
            int variant = views[m].variants[k];
            if (!listed[variant])
                compare_row(t, views, n, variant, size);
            listed[variant] = true;
        }
    free(listed);
    for (int m = 0; m < n; m++)
        view_free(&views[m]);
    free(views);
}

/* Begins the table: the machines' names may hold what CSV must quote. */
static void start(table *t, const char *folder, const study *studies, int n)
{
    table_start(t, folder, "compare", "lab,variant,size,block");
    fseek(t->file.stream, -1L, SEEK_CUR); /* the header's line goes on */
    for (int m = 0; m < n; m++) {
        fputc(',', t->file.stream);
        csv_write_field(t->file.stream, studies[m].machine);
    }
    fputc('\n', t->file.stream);
}

static void all_problems(study *studies, int n, const char *folder)
{
    problem_list all = {0};
    for (int m = 0; m < n; m++)
        problems_append(&all, &studies[m].problems, studies[m].machine);
    problems_write(&all, folder);
    problems_free(&all);
}

void compare_analyse(study *studies, int n, const char *folder, facts *f)
{
    table t;
    char name[LABEL_SIZE];
    start(&t, folder, studies, n);
    for (int i = 0; i < N_VIEWS; i++)
        compare_view(&t, studies, n, &view_infos[i]);
    table_finish(&t);
    all_problems(studies, n, folder);
    fact_count(f, "machines", n, "");
    for (int m = 0; m < n; m++) {
        snprintf(name, sizeof name, "machine_%d", m + 1);
        fact_said(f, name, studies[m].machine, "");
    }
}
