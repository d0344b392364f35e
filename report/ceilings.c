/* ceilings.c - see ceilings.h. */
#include "ceilings.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void raise_to(const row **ceiling, const row *r, double rate, double old)
{
    if (rate > 0 && (!*ceiling || rate > old))
        *ceiling = r;
}

static void take(ceiling *c, const row *r)
{
    int work = work_of(r).id;
    if (work == text_id("measure=copy"))
        raise_to(&c->copy, r, r->gb_per_s, c->copy ? c->copy->gb_per_s : 0);
    else if (work == text_id("measure=fma"))
        raise_to(&c->fma, r, r->gflop_per_s, c->fma ? c->fma->gflop_per_s : 0);
}

ceilings ceilings_of(const study *s)
{
    ceilings c = {0};
    for (int origin = ORIGIN_OWN; origin <= ORIGIN_RECORDED; origin++) {
        const row_list *list = &s->rows[LAB_CEILINGS][origin];
        for (int i = 0; i < list->count; i++) {
            const row *r = &list->rows[i];
            if (!row_measured(r))
                continue;
            if (r->kind == KIND_CPU && origin == ORIGIN_OWN)
                take(&c.cpu, r);
            if (r->kind == KIND_GPU && (row_origin)origin == study_gpu_origin(s))
                take(&c.gpu, r);
        }
    }
    return c;
}

const ceiling *ceiling_for(const ceilings *c, const row *r)
{
    return r->kind == KIND_CPU ? &c->cpu : &c->gpu;
}

static bool complete(const ceiling *c)
{
    return c->copy && c->fma;
}

static double ridge(const ceiling *c)
{
    return complete(c) ? c->fma->gflop_per_s / c->copy->gb_per_s : NAN;
}

/* ---- the table of ceilings ------------------------------------------------------------------- */

static void ceiling_row(table *t, const char *processor, const ceiling *c)
{
    if (!c->copy && !c->fma)
        return;
    table_text(t, processor);
    table_number(t, c->copy ? c->copy->gb_per_s : NAN);
    table_number(t, c->fma ? c->fma->gflop_per_s : NAN);
    table_number(t, ridge(c));
    table_end_row(t);
}

static void ceiling_facts(facts *f, const char *processor, const ceiling *c)
{
    if (c->copy)
        fact_number(f, processor, "copy_gb_per_s", c->copy->gb_per_s, FROM(c->copy));
    if (c->fma)
        fact_number(f, processor, "fma_gflop_per_s", c->fma->gflop_per_s, FROM(c->fma));
    fact_number(f, processor, "ridge", ridge(c), FROM(c->fma, c->copy));
}

/* ---- the roofline ---------------------------------------------------------------------------- */

typedef struct place {
    double intensity; /* operations a byte */
    double roof;      /* GFLOP/s; NaN without operations */
    double share;     /* of the roof */
    const char *bound;
} place;

/* Where a row stands under its ceiling; false if it cannot be told. */
static bool place_of(const ceiling *c, const row *r, place *p)
{
    if (!complete(c) || !(r->bytes > 0) || isnan(r->flops))
        return false;
    p->intensity = r->flops / r->bytes;
    bool memory = p->intensity < ridge(c);
    p->bound = memory ? "memory" : "arithmetic";
    p->roof = memory ? p->intensity * c->copy->gb_per_s : c->fma->gflop_per_s;
    p->share = p->roof > 0 ? r->gflop_per_s / p->roof : r->gb_per_s / c->copy->gb_per_s;
    if (p->roof == 0)
        p->roof = NAN;
    return true;
}

/* Pixels of three and four bytes do the same work on more data; their own tables have their rates.
 */
static bool is_shown(const view *v)
{
    const char *type = v->info->type;
    return !type || (strcmp(type, "rgb24") != 0 && strcmp(type, "rgba32") != 0);
}

static void roofline_row(table *t, const view *v, const ceilings *c, const row *r)
{
    place p;
    if (!place_of(ceiling_for(c, r), r, &p))
        return;
    table_text(t, v->info->name);
    table_text(t, text_of(r->variant));
    table_text(t, r->kind == KIND_CPU ? "cpu" : r->kind == KIND_GPU ? "gpu" : "vendor");
    table_text(t, r->kind == KIND_CPU ? "cpu" : "gpu");
    table_size(t, v->lab->shape, r->width, r->height);
    table_block(t, v->lab->shape, r);
    table_number(t, p.intensity);
    table_number(t, r->gflop_per_s);
    table_number(t, r->gb_per_s);
    table_number(t, p.roof);
    table_number(t, p.share * 100);
    table_text(t, p.bound);
    table_end_row(t);
}

static void roofline_facts(const view *v, const ceilings *c, facts *f)
{
    place p;
    const char *prefix = v->info->name;
    const row *fastest = view_fastest(v, KIND_GPU, v->size);
    const row *naive = view_row(&v->now, text_id("naive"), v->size, -1, -1);
    const row *told = fastest ? fastest : view_any(v, v->size);
    if (told && told->bytes > 0)
        fact_number(f, prefix, "flop_per_byte", told->flops / told->bytes, FROM(told));
    if (fastest && place_of(&c->gpu, fastest, &p)) {
        fact_text(f, prefix, "fastest_bound", p.bound, FROM(fastest, c->gpu.fma, c->gpu.copy));
        fact_number(f, prefix, "fastest_roof_percent", p.share * 100,
                    FROM(fastest, c->gpu.fma, c->gpu.copy));
    }
    if (naive && place_of(&c->gpu, naive, &p))
        fact_number(f, prefix, "naive_roof_percent", p.share * 100,
                    FROM(naive, c->gpu.fma, c->gpu.copy));
}

void ceilings_analyse(const ceilings *c, const view *views, const char *folder, facts *f)
{
    table t;
    table_start(&t, folder, "ceilings", "processor,gb_per_s,gflop_per_s,ridge_flop_per_byte");
    ceiling_row(&t, "gpu", &c->gpu);
    ceiling_row(&t, "cpu", &c->cpu);
    table_finish(&t);
    ceiling_facts(f, "gpu", &c->gpu);
    ceiling_facts(f, "cpu", &c->cpu);
    table_start(&t, folder, "roofline",
                "lab,variant,kind,processor,size,block,flop_per_byte,gflop_per_s,gb_per_s,"
                "roof_gflop_per_s,roof_percent,bound");
    for (int i = 0; i < N_VIEWS; i++) {
        const view *v = &views[i];
        for (int k = 0; k < v->n_variants && is_shown(v); k++) {
            const row *r = view_row(&v->now, v->variants[k], v->size, -1, -1);
            if (r && row_computes(r))
                roofline_row(&t, v, c, r);
        }
        roofline_facts(v, c, f);
    }
    table_finish(&t);
}
