/* growth.c - see growth.h. */
#include "growth.h"
#include "die.h"
#include "fit.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a kernel is held against, of the GPU; NaN: unknown. */
typedef struct limits {
    double gb_per_s, gflop_per_s, l2_bytes, multiprocessors;
} limits;

/* One variant's points. */
typedef struct curve {
    const view *view;
    const row **rows; /* ascending x */
    double *x, *t;
    int n;
    power_fit fit;
} curve;

static limits limits_of(const view *views, const ceilings *c)
{
    const run_json *run = study_gpu_run(views[0].study);
    limits l = {NAN, NAN, strtod(run_json_text(run, "l2_bytes"), NULL),
                strtod(run_json_text(run, "multiprocessors"), NULL)};
    for (int i = 0; i < N_VIEWS; i++)
        for (int k = 0; k < views[i].now.count; k++) {
            const row *r = views[i].now.rows[k];
            if (r->kind != KIND_CPU && row_computes(r))
                l.gb_per_s = fmax(l.gb_per_s, r->gb_per_s); /* fmax passes over NaN */
        }
    if (c->gpu.copy)
        l.gb_per_s = c->gpu.copy->gb_per_s;
    if (c->gpu.fma)
        l.gflop_per_s = c->gpu.fma->gflop_per_s;
    return l;
}

/* ---- why ------------------------------------------------------------------------------------- */

static bool is_launch(const curve *c)
{
    double least = INFINITY, most = 0;
    int end = c->fit.bent ? c->fit.n_small : c->n;
    for (int i = 0; i < c->n; i++)
        least = fmin(least, c->t[i]);
    for (int i = 0; i < end; i++)
        most = fmax(most, c->t[i]);
    return most <= LAUNCH_RATIO * least;
}

static bool is_near(double value, double limit)
{
    return limit > 0 && value >= limit / 2 && value <= limit * 2;
}

/* The results at the bend, a thread each, are as many as the GPU has room for. */
static bool is_full(const curve *c, double multiprocessors)
{
    double side = c->fit.bend_x;
    double threads = c->view->lab->shape == SHAPE_MATRIX ? side * side : side;
    return c->fit.bent && is_near(threads, multiprocessors * c->rows[c->n - 1]->threads_per_sm);
}

/* The traffic at the bend, between its two neighbours on logarithmic axes. */
static bool is_cache(const curve *c, double l2_bytes)
{
    if (!c->fit.bent)
        return false;
    const row *below = c->rows[c->fit.n_small - 1], *above = c->rows[c->fit.n_small];
    double x = c->x[c->fit.n_small - 1];
    double along = log(c->fit.bend_x / x) / log(c->x[c->fit.n_small] / x);
    return is_near(below->bytes * pow(above->bytes / below->bytes, along), l2_bytes);
}

static void why(char *text, size_t bytes, const curve *c, const limits *l)
{
    const row *last = c->rows[c->n - 1];
    const struct {
        const char *name;
        bool holds;
    } reasons[] = {{"launch", is_launch(c)},
                   {"full", is_full(c, l->multiprocessors)},
                   {"cache", is_cache(c, l->l2_bytes)},
                   {"bandwidth", last->gb_per_s >= NEAR_CEILING * l->gb_per_s},
                   {"arithmetic", last->gflop_per_s >= NEAR_CEILING * l->gflop_per_s}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0] && last->kind != KIND_CPU; i++)
        if (reasons[i].holds)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? ", " : "",
                                     reasons[i].name);
}

/* ---- one curve ------------------------------------------------------------------------------- */

/* The rows of a variant with one block, by size; NULL rows if they are too few for a fit. */
static curve curve_of(const view *v, int variant)
{
    curve c = {.view = v};
    const row *const *all, *best = view_row(&v->now, variant, v->size, -1, -1);
    int n = view_all(&v->now, variant, &all);
    if (!best || n < FIT_POINTS)
        return c;
    c.rows = allocate((unsigned long long)n * sizeof *c.rows);
    c.x = allocate((unsigned long long)n * sizeof *c.x);
    c.t = allocate((unsigned long long)n * sizeof *c.t);
    for (int i = 0; i < n; i++)
        if (all[i]->block_x == best->block_x && all[i]->block_y == best->block_y) {
            c.rows[c.n] = all[i];
            c.x[c.n] = view_x(v, all[i]);
            c.t[c.n++] = all[i]->time_s;
        }
    for (int i = 1; i < c.n; i++) /* areas ascend; positions of odd shapes may not */
        if (c.x[i] < c.x[i - 1])
            c.n = 0;
    if (!fit_power(c.x, c.t, c.n, &c.fit))
        c.n = 0;
    return c;
}

static void curve_free(curve *c)
{
    free(c->rows);
    free(c->x);
    free(c->t);
}

/* Table 19 of 2012, which has no vector addition. */
static double theory(const view *v, const row *r)
{
    if (v->lab->shape == SHAPE_VECTOR)
        return NAN;
    if (v->lab->shape == SHAPE_MATRIX)
        return r->kind == KIND_CPU ? 3 : 1;
    return r->kind == KIND_CPU ? 1 : 0;
}

/* The row at the size nearest to the bend. */
static const row *bend_row(const curve *c)
{
    int k = c->fit.n_small;
    return c->fit.bend_x * c->fit.bend_x < c->x[k - 1] * c->x[k] ? c->rows[k - 1] : c->rows[k];
}

static void exponents_row(table *t, const curve *c, const limits *l)
{
    char text[64];
    const view *v = c->view;
    const row *last = c->rows[c->n - 1];
    table_text(t, v->info->name);
    table_text(t, text_of(last->variant));
    table_block(t, v->lab->shape, last);
    table_number(t, theory(v, last));
    table_number(t, c->fit.bent ? c->fit.small.slope : NAN);
    table_number(t, c->fit.large.slope);
    if (c->fit.bent)
        table_size(t, v->lab->shape, bend_row(c)->width, bend_row(c)->height);
    else
        table_empty(t);
    table_int(t, c->n);
    table_number(t, c->fit.rms * 100);
    why(text, sizeof text, c, l);
    table_text(t, text);
    table_end_row(t);
}

static void points_rows(table *t, const curve *c)
{
    const view *v = c->view;
    for (int i = 0; i < c->n; i++) {
        const row *r = c->rows[i];
        table_text(t, v->info->name);
        table_text(t, text_of(r->variant));
        table_block(t, v->lab->shape, r);
        table_size(t, v->lab->shape, r->width, r->height);
        table_number(t, c->x[i]);
        table_number(t, c->t[i] * 1e3);
        table_number(t, fit_power_at(&c->fit, i, c->x[i]) * 1e3);
        table_end_row(t);
    }
}

static void curve_facts(const curve *c, const limits *l, facts *f)
{
    char text[LABEL_SIZE];
    const view *v = c->view;
    const char *prefix = v->info->name;
    int variant = c->rows[0]->variant;
    if (variant == text_id("cpu"))
        fact_gain(f, prefix, "exponent_cpu", c->fit.large.slope, c->rows, c->n);
    if (variant != text_id("naive"))
        return;
    fact_gain(f, prefix, "exponent_naive_large", c->fit.large.slope, c->rows, c->n);
    if (c->fit.bent) {
        const row *bend = bend_row(c);
        fact_gain(f, prefix, "exponent_naive_small", c->fit.small.slope, c->rows, c->n);
        fact_text(f, prefix, "exponent_bend",
                  size_text(text, v->lab->shape, bend->width, bend->height), c->rows, c->n);
        fact_flag(f, prefix, "bend_full", is_full(c, l->multiprocessors), FROM(bend));
        fact_number(f, prefix, "resident_threads",
                    l->multiprocessors * (bend->threads_per_sm > 0 ? bend->threads_per_sm : NAN),
                    FROM(bend));
    }
}

void growth_analyse(const view *views, const ceilings *c, const char *folder, facts *f)
{
    table exponents, points;
    limits l = limits_of(views, c);
    table_start(&exponents, folder, "exponents",
                "lab,variant,block,theory_2012,exponent_small,exponent_large,bend_size,points,"
                "rms_percent,why");
    table_start(&points, folder, "fit_points", "lab,variant,block,size,x,time_ms,fit_ms");
    for (int i = 0; i < N_VIEWS; i++)
        for (int k = 0; k < views[i].n_variants; k++) {
            curve fitted = curve_of(&views[i], views[i].variants[k]);
            if (fitted.n) {
                exponents_row(&exponents, &fitted, &l);
                points_rows(&points, &fitted);
                curve_facts(&fitted, &l, f);
            }
            curve_free(&fitted);
        }
    table_finish(&exponents);
    table_finish(&points);
}
