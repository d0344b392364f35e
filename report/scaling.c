/* scaling.c - see scaling.h. */
#include "scaling.h"
#include "die.h"
#include "fit.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The rows of one lab, by threads, and what the law makes of them. */
typedef struct scaling {
    const lab_info *lab;
    const row **rows;
    int n;
    const row *base; /* what speedups are over */
    const row *fastest;
    bool fitted;
    double parallel, rms;
} scaling;

static bool same_experiment(const row *a, const row *b)
{
    return work_of(a).id == work_of(b).id && a->width == b->width && a->height == b->height;
}

/* Rows of one experiment together, the larger sizes last, then by threads and time. */
static int by_experiment(const void *a, const void *b)
{
    const row *p = *(const row *const *)a, *q = *(const row *const *)b;
    double areas = row_area(p) - row_area(q);
    if (areas != 0)
        return areas < 0 ? -1 : 1;
    int order = p->width - q->width;
    if (order == 0)
        order = work_of(p).id - work_of(q).id;
    if (order == 0)
        order = work_of(p).cpu_threads - work_of(q).cpu_threads;
    return order ? order : (p->time_s > q->time_s) - (p->time_s < q->time_s);
}

/* Of rows with the same number of threads the fastest. */
static int without_doubles(const row **rows, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (kept == 0 || !same_experiment(rows[kept - 1], rows[i]) ||
            work_of(rows[kept - 1]).cpu_threads != work_of(rows[i]).cpu_threads)
            rows[kept++] = rows[i];
    return kept;
}

static const row *serial_row(const row_list *list, const row *like)
{
    const row *found = NULL;
    int cpu = text_id("cpu");
    for (int i = 0; i < list->count; i++) {
        const row *r = &list->rows[i];
        if (r->variant == cpu && r->kind == KIND_CPU && row_measured(r) &&
            work_of(r).cpu_threads < 0 && same_experiment(r, like) &&
            (!found || r->time_s < found->time_s))
            found = r;
    }
    return found;
}

static double speedup_of(const scaling *s, int i)
{
    return s->base->time_s / s->rows[i]->time_s;
}

static void fit(scaling *s)
{
    double *threads = allocate((unsigned long long)s->n * sizeof *threads);
    double *speedup = allocate((unsigned long long)s->n * sizeof *speedup);
    for (int i = 0; i < s->n; i++) {
        threads[i] = work_of(s->rows[i]).cpu_threads;
        speedup[i] = speedup_of(s, i);
        if (!s->fastest || s->rows[i]->time_s < s->fastest->time_s)
            s->fastest = s->rows[i];
    }
    s->fitted = fit_amdahl(threads, speedup, s->n, &s->parallel, &s->rms);
    free(threads);
    free(speedup);
}

/* The experiment with the most rows stays, at the front. */
static void keep_largest(scaling *s)
{
    int best = 0, best_n = 0;
    for (int first = 0, end; first < s->n; first = end) {
        for (end = first + 1; end < s->n && same_experiment(s->rows[first], s->rows[end]);)
            end++;
        if (end - first >= best_n) {
            best = first;
            best_n = end - first;
        }
    }
    for (int i = 0; i < best_n; i++)
        s->rows[i] = s->rows[best + i];
    s->n = best_n;
}

static scaling scaling_of(const study *study, int lab)
{
    scaling s = {.lab = &lab_infos[lab]};
    const row_list *list = &study->rows[lab][ORIGIN_OWN];
    int omp = text_id("cpu_omp"), capacity = 0;
    for (int i = 0; i < list->count; i++) {
        const row *r = &list->rows[i];
        if (r->variant == omp && row_measured(r) && r->kind == KIND_CPU &&
            work_of(r).cpu_threads > 0) {
            s.rows = grow(s.rows, s.n, &capacity, sizeof *s.rows);
            s.rows[s.n++] = r;
        }
    }
    if (s.n) {
        qsort(s.rows, (size_t)s.n, sizeof *s.rows, by_experiment);
        s.n = without_doubles(s.rows, s.n);
        keep_largest(&s);
        s.base = work_of(s.rows[0]).cpu_threads == 1 ? s.rows[0] : serial_row(list, s.rows[0]);
    }
    if (s.base)
        fit(&s);
    else
        s.n = 0;
    return s;
}

/* ---- tables and facts ------------------------------------------------------------------------ */

static void scaling_rows(table *t, const scaling *s)
{
    for (int i = 0; i < s->n; i++) {
        const row *r = s->rows[i];
        double fitted = s->fitted ? amdahl(s->parallel, work_of(r).cpu_threads) : NAN;
        table_text(t, s->lab->name);
        table_size(t, s->lab->shape, r->width, r->height);
        table_int(t, work_of(r).cpu_threads);
        table_number(t, r->time_s * 1e3);
        table_number(t, speedup_of(s, i));
        table_number(t, fitted > 0 ? fitted : NAN);
        table_end_row(t);
    }
}

static double limit_of(const scaling *s)
{
    return s->fitted && s->parallel < 1 ? 1 / (1 - s->parallel) : NAN;
}

static void amdahl_row(table *t, const scaling *s)
{
    if (s->n == 0)
        return;
    table_text(t, s->lab->name);
    table_size(t, s->lab->shape, s->base->width, s->base->height);
    table_int(t, work_of(s->rows[s->n - 1]).cpu_threads);
    table_number(t, s->base->time_s / s->fastest->time_s);
    table_number(t, s->fitted ? s->parallel * 100 : NAN);
    table_number(t, limit_of(s));
    table_number(t, s->fitted ? s->rms * 100 : NAN);
    table_end_row(t);
}

static void scaling_facts(const scaling *s, const ceilings *c, facts *f)
{
    char text[LABEL_SIZE];
    const char *prefix = s->lab->name;
    if (s->n == 0)
        return;
    const row **from = allocate(((unsigned long long)s->n + 1) * sizeof *from);
    from[0] = s->base;
    for (int i = 0; i < s->n; i++)
        from[i + 1] = s->rows[i];
    const row *last = s->rows[s->n - 1];
    fact_text(f, prefix, "scaling_size", size_text(text, s->lab->shape, last->width, last->height),
              FROM(s->base));
    fact_number(f, prefix, "scaling_threads", work_of(last).cpu_threads, FROM(last));
    fact_number(f, prefix, "scaling_speedup", s->base->time_s / last->time_s, FROM(s->base, last));
    if (s->fitted)
        fact_number(f, prefix, "parallel_percent", s->parallel * 100, from, s->n + 1);
    fact_number(f, prefix, "scaling_limit", limit_of(s), from, s->n + 1);
    fact_flag(f, prefix, "superlinear",
              s->base->time_s / last->time_s > SUPERLINEAR * work_of(last).cpu_threads,
              FROM(s->base, last));
    fact_number(f, prefix, "scaling_gb_per_s", last->gb_per_s, FROM(last));
    if (c->cpu.copy)
        fact_flag(f, prefix, "scaling_from_cache", last->gb_per_s > c->cpu.copy->gb_per_s,
                  FROM(last, c->cpu.copy));
    free(from);
}

void scaling_analyse(const study *study, const ceilings *c, const char *folder, facts *f)
{
    table rows, fits;
    table_start(&rows, folder, "scaling", "lab,size,cpu_threads,time_ms,speedup,fit_speedup");
    table_start(&fits, folder, "amdahl",
                "lab,size,cpu_threads_max,speedup_max,parallel_percent,limit,rms_percent");
    for (int lab = LAB_FIRST; lab < N_LABS; lab++) {
        scaling s = scaling_of(study, lab);
        scaling_rows(&rows, &s);
        amdahl_row(&fits, &s);
        scaling_facts(&s, c, f);
        free(s.rows);
    }
    table_finish(&rows);
    table_finish(&fits);
}
