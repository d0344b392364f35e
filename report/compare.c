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

/* One machine has a variant at a size. */
typedef struct place {
    int variant;
    extent size;
    int order; /* of the variant, as the machines' files list them */
} place;

static int by_place(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->variant != q->variant)
        return p->order - q->order;
    double areas = (double)p->size.width * p->size.height - (double)q->size.width * q->size.height;
    return areas ? (areas > 0) - (areas < 0) : p->size.width - q->size.width;
}

static bool same_size(extent a, extent b)
{
    return a.width == b.width && a.height == b.height;
}

/* Every machine's variants and sizes, once a machine, sorted. Returns how many; the caller frees.
 */
static int gather(const view *views, int n, place **places)
{
    place *list = NULL;
    int count = 0, capacity = 0, highest = 0;
    for (int m = 0; m < n; m++)
        for (int i = 0; i < views[m].n_variants; i++)
            highest = views[m].variants[i] > highest ? views[m].variants[i] : highest;
    int *order = allocate(((unsigned long long)highest + 1) * sizeof *order), variants = 0;
    memset(order, 0, ((size_t)highest + 1) * sizeof *order);
    for (int m = 0; m < n; m++)
        for (int i = 0; i < views[m].n_variants; i++)
            if (!order[views[m].variants[i]])
                order[views[m].variants[i]] = ++variants;
    for (int m = 0; m < n; m++)
        for (int i = 0; i < views[m].now.count; i++) {
            const row *r = views[m].now.rows[i];
            const row *before = i ? views[m].now.rows[i - 1] : NULL;
            if (r->kind == KIND_VENDOR || (before && before->variant == r->variant &&
                                           same_size(extent_of(before), extent_of(r))))
                continue;
            list = grow(list, count, &capacity, sizeof *list);
            list[count++] = (place){r->variant, extent_of(r), order[r->variant]};
        }
    free(order);
    if (count)
        qsort(list, (size_t)count, sizeof *list, by_place);
    *places = list;
    return count;
}

/* The size of a variant that the most machines have, of equals the largest: its last place. */
static const place *shared_place(const place *list, int n)
{
    int most = 0, run = 0;
    const place *best = NULL;
    for (int i = 0; i < n; i++) {
        run = i && same_size(list[i].size, list[i - 1].size) ? run + 1 : 1;
        if (run >= most) {
            most = run;
            best = &list[i];
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

static void compare_row(table *t, const view *views, int n, const place *at)
{
    const row **rows = allocate((unsigned long long)n * sizeof *rows);
    for (int m = 0; m < n; m++) {
        rows[m] = view_row(&views[m].now, at->variant, at->size, -1, -1);
        if (rows[m] && rows[m]->kind == KIND_VENDOR)
            rows[m] = NULL;
    }
    table_text(t, views[0].info->name);
    table_text(t, text_of(at->variant));
    table_size(t, views[0].lab->shape, at->size.width, at->size.height);
    blocks_cell(t, views, rows, n);
    for (int m = 0; m < n; m++)
        table_number(t, rows[m] ? rows[m]->time_s * 1e3 : NAN);
    table_end_row(t);
    free(rows);
}

static void compare_view(table *t, const study *studies, int n, const view_info *info)
{
    place *list;
    view *views = allocate((unsigned long long)n * sizeof *views);
    for (int m = 0; m < n; m++)
        view_read(&views[m], &studies[m], info);
    int count = gather(views, n, &list);
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && list[end].variant == list[first].variant;)
            end++;
        compare_row(t, views, n, shared_place(list + first, end - first));
    }
    for (int m = 0; m < n; m++)
        view_free(&views[m]);
    free(views);
    free(list);
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
