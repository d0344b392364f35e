/* transfers.c - see transfers.h. */
#include "transfers.h"
#include "die.h"
#include "text.h"

#include <stdlib.h>

enum { LAB = 5 };

static bool same_place(const row *a, const row *b)
{
    return a->variant == b->variant && a->width == b->width && a->height == b->height &&
           a->block_x == b->block_x && a->block_y == b->block_y && a->cache == b->cache &&
           work_of(a).id == work_of(b).id;
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* Rows of one place together, of larger sizes later; then by way, the fastest first. */
static int by_place(const void *a, const void *b)
{
    const row *p = *(const row *const *)a, *q = *(const row *const *)b;
    const double keys[][2] = {
        {row_area(p), row_area(q)},         {p->width, q->width},
        {p->variant, q->variant},           {p->block_x, q->block_x},
        {p->block_y, q->block_y},           {p->cache, q->cache},
        {work_of(p).id, work_of(q).id},     {work_of(p).transfer, work_of(q).transfer},
        {p->end_to_end_s, q->end_to_end_s},
    };
    int order = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && order == 0; i++)
        order = compare(keys[i][0], keys[i][1]);
    return order;
}

static bool belongs(const row *r)
{
    return row_measured(r) && r->kind != KIND_CPU && r->end_to_end_s > 0 &&
           work_of(r).type == text_id("gray");
}

/* All rows that may be compared, sorted; the pageable one of each place comes first. */
static const row **gather(const study *s, int *n)
{
    const row **rows = NULL;
    const row_list *list = &s->rows[LAB][study_gpu_origin(s)];
    int capacity = 0;
    *n = 0;
    for (int i = 0; i < list->count; i++)
        if (belongs(&list->rows[i])) {
            rows = grow(rows, *n, &capacity, sizeof *rows);
            rows[(*n)++] = &list->rows[i];
        }
    if (*n)
        qsort(rows, (size_t)*n, sizeof *rows, by_place);
    return rows;
}

/* Of each way the fastest row; the place with the most ways: from *first on, so many. */
static int busiest_place(const row **rows, int n, int *first)
{
    int kept = 0, most = 1;
    for (int i = 0; i < n; i++)
        if (kept == 0 || !same_place(rows[kept - 1], rows[i]) ||
            work_of(rows[kept - 1]).transfer != work_of(rows[i]).transfer)
            rows[kept++] = rows[i];
    *first = 0;
    for (int begin = 0, end; begin < kept; begin = end) {
        for (end = begin + 1; end < kept && same_place(rows[begin], rows[end]);)
            end++;
        if (end - begin > 1 && end - begin >= most) {
            most = end - begin;
            *first = begin;
        }
    }
    return most > 1 ? most : 0;
}

static const char *way_of(const row *r)
{
    int transfer = work_of(r).transfer;
    return transfer < 0 ? "pageable" : text_of(transfer);
}

static void transfer_facts(facts *f, const row *const *rows, int n)
{
    const row *best = NULL, *worst = NULL;
    for (int i = 0; i < n; i++) {
        const row *r = rows[i];
        if (!best || r->end_to_end_s < best->end_to_end_s)
            best = r;
        if (!worst || r->end_to_end_s > worst->end_to_end_s)
            worst = r;
        if (work_of(r).transfer < 0)
            fact_number(f, "lab5", "transfer_pageable_ms", r->end_to_end_s * 1e3, FROM(r));
    }
    if (!best)
        return;
    fact_text(f, "lab5", "transfer_best", way_of(best), FROM(best));
    fact_number(f, "lab5", "transfer_best_ms", best->end_to_end_s * 1e3, FROM(best));
    fact_text(f, "lab5", "transfer_worst", way_of(worst), FROM(worst));
    fact_number(f, "lab5", "transfer_worst_ms", worst->end_to_end_s * 1e3, FROM(worst));
}

void transfers_analyse(const study *s, const char *folder, facts *f)
{
    table t;
    int n, first;
    const row **rows = gather(s, &n);
    n = busiest_place(rows, n, &first);
    table_start(&t, folder, "transfers", "variant,transfer,size,block,kernel_ms,end_to_end_ms");
    for (int i = first; i < first + n; i++) {
        table_text(&t, text_of(rows[i]->variant));
        table_text(&t, way_of(rows[i]));
        table_size(&t, lab_infos[LAB].shape, rows[i]->width, rows[i]->height);
        table_block(&t, lab_infos[LAB].shape, rows[i]);
        table_number(&t, rows[i]->time_s * 1e3);
        table_number(&t, rows[i]->end_to_end_s * 1e3);
        table_end_row(&t);
    }
    table_finish(&t);
    if (n)
        transfer_facts(f, rows + first, n);
    free(rows);
}
