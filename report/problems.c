/* problems.c - see problems.h. */
#include "problems.h"
#include "die.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(problem_list *problems, problem p)
{
    problems->list = grow(problems->list, problems->count, &problems->capacity, sizeof p);
    problems->list[problems->count++] = p;
}

void problem_file(problem_list *problems, const char *lab, const char *status, const char *file,
                  const char *note)
{
    add(problems, (problem){.lab = lab,
                            .status = status,
                            .variant = -1,
                            .note = text_id(note),
                            .where = text_id(file)});
    problems->serious = true;
}

/* Like rows together, the first of them first. */
static int by_likeness(const void *a, const void *b)
{
    const problem *p = a, *q = b;
    int order = strcmp(p->status, q->status);
    if (order == 0)
        order = p->variant - q->variant;
    if (order == 0)
        order = p->note - q->note;
    return order ? order : p->line - q->line;
}

void problem_rows(problem_list *problems, const char *lab, const row_list *rows)
{
    int first = problems->count, kept = first;
    for (int i = 0; i < rows->count; i++) {
        const row *r = &rows->rows[i];
        if (r->status == STATUS_OK)
            continue;
        add(problems,
            (problem){lab, status_names[r->status], r->variant, r->note, r->file, r->line, 1});
        problems->serious |= r->status != STATUS_SKIPPED;
    }
    if (problems->count == first)
        return;
    problem *list = problems->list;
    qsort(list + first, (size_t)(problems->count - first), sizeof *list, by_likeness);
    for (int i = first + 1; i < problems->count; i++) {
        problem *last = &list[kept];
        if (last->status == list[i].status && last->variant == list[i].variant &&
            last->note == list[i].note)
            last->count++;
        else
            list[++kept] = list[i];
    }
    problems->count = kept + 1;
}

void problems_append(problem_list *problems, const problem_list *more, const char *machine)
{
    char where[1024];
    for (int i = 0; i < more->count; i++) {
        problem p = more->list[i];
        snprintf(where, sizeof where, "%s/%s", machine, text_of(p.where));
        p.where = text_id(where);
        add(problems, p);
    }
    problems->serious |= more->serious;
}

/* What is wrong before what is left out; then by lab, the most rows first. */
static int by_weight(const void *a, const void *b)
{
    static const char *const order[] = {"broken", "wrong", "failed", "skipped", "missing"};
    const problem *p = a, *q = b;
    int rank[2] = {0, 0};
    while (strcmp(p->status, order[rank[0]]) != 0)
        rank[0]++;
    while (strcmp(q->status, order[rank[1]]) != 0)
        rank[1]++;
    if (rank[0] != rank[1])
        return rank[0] - rank[1];
    int labs = strcmp(p->lab, q->lab);
    if (labs)
        return labs;
    return p->count != q->count ? q->count - p->count : p->line - q->line;
}

static void write_more(table *t, const problem_list *problems)
{
    long rows = 0;
    char note[64];
    for (int i = PROBLEMS_SHOWN; i < problems->count; i++)
        rows += problems->list[i].count;
    snprintf(note, sizeof note, "and %d more of this kind", problems->count - PROBLEMS_SHOWN);
    table_empty(t);
    table_text(t, "more");
    table_int(t, rows);
    table_empty(t);
    table_empty(t);
    table_text(t, note);
    table_end_row(t);
}

void problems_write(const problem_list *problems, const char *folder)
{
    table t;
    char where[640];
    if (problems->count)
        qsort(problems->list, (size_t)problems->count, sizeof *problems->list, by_weight);
    table_start(&t, folder, "problems", "lab,status,count,variant,where,note");
    for (int i = 0; i < problems->count && i < PROBLEMS_SHOWN; i++) {
        const problem *p = &problems->list[i];
        table_text(&t, p->lab);
        table_text(&t, p->status);
        table_int(&t, p->count ? p->count : -1);
        table_text(&t, p->variant >= 0 ? text_of(p->variant) : "");
        snprintf(where, sizeof where, p->line ? "%s:%d" : "%s", text_of(p->where), p->line);
        table_text(&t, where);
        table_text(&t, text_of(p->note));
        table_end_row(&t);
    }
    if (problems->count > PROBLEMS_SHOWN)
        write_more(&t, problems);
    table_finish(&t);
}

void problems_free(problem_list *problems)
{
    free(problems->list);
    memset(problems, 0, sizeof *problems);
}
