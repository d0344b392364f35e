/* split.c - see split.h. */
#include "split.h"
#include "text.h"

#include <math.h>
#include <string.h>

typedef struct split {
    const row *gpu, *cpu; /* cpu may be NULL */
    double copies, files, total;
    double cpu_total, limit, speedup; /* NaN without a serial CPU */
} split;

static bool has_steps(const row *r)
{
    return r->kind == KIND_GPU && r->read_s >= 0 && r->copy_in_s >= 0 && r->copy_out_s >= 0 &&
           r->write_s >= 0;
}

/* Whether a's size comes before b's in the choice: the lab's own first, then the larger. */
static bool better(const view *v, const row *a, const row *b)
{
    extent size = v->size;
    bool a_own = a->width == size.width && a->height == size.height;
    bool b_own = b->width == size.width && b->height == size.height;
    if (a_own != b_own)
        return a_own;
    if (row_area(a) != row_area(b))
        return row_area(a) > row_area(b);
    return a->time_s < b->time_s;
}

static bool split_of(const view *v, split *s)
{
    *s = (split){.cpu_total = NAN, .limit = NAN, .speedup = NAN};
    for (int i = 0; i < v->now.count; i++) {
        const row *r = v->now.rows[i];
        if (has_steps(r) && (!s->gpu || better(v, r, s->gpu)))
            s->gpu = r;
    }
    if (!s->gpu)
        return false;
    const row *r = s->gpu;
    s->cpu = view_serial(v, r);
    s->copies = r->copy_in_s + r->copy_out_s;
    s->files = r->read_s + r->write_s;
    s->total = s->files + s->copies + r->time_s;
    if (s->cpu) {
        s->cpu_total = s->files + s->cpu->time_s;
        s->speedup = s->cpu_total / s->total;
        s->limit = s->cpu_total / (s->files + s->copies);
    }
    return true;
}

static void split_row(table *t, const view *v, const split *s)
{
    const row *r = s->gpu;
    table_text(t, v->lab->name);
    table_size(t, v->lab->shape, r->width, r->height);
    table_text(t, text_of(r->variant));
    table_block(t, v->lab->shape, r);
    table_number(t, r->read_s * 1e3);
    table_number(t, r->copy_in_s * 1e3);
    table_number(t, r->time_s * 1e3);
    table_number(t, r->copy_out_s * 1e3);
    table_number(t, r->write_s * 1e3);
    table_number(t, s->total * 1e3);
    table_number(t, s->cpu ? s->cpu->time_s * 1e3 : NAN);
    table_number(t, s->cpu_total * 1e3);
    table_number(t, s->cpu ? s->cpu->time_s / r->time_s : NAN);
    table_number(t, s->speedup);
    table_number(t, s->limit);
    table_end_row(t);
}

static void split_facts(const view *v, const split *s, facts *f)
{
    char text[LABEL_SIZE];
    const row *r = s->gpu;
    const char *prefix = v->lab->name;
    fact_text(f, prefix, "split_variant", text_of(r->variant), FROM(r));
    fact_text(f, prefix, "split_size", size_text(text, v->lab->shape, r->width, r->height),
              FROM(r));
    fact_number(f, prefix, "split_total_ms", s->total * 1e3, FROM(r));
    fact_number(f, prefix, "split_kernel_percent", r->time_s / s->total * 100, FROM(r));
    fact_number(f, prefix, "split_copy_percent", s->copies / s->total * 100, FROM(r));
    fact_number(f, prefix, "split_io_percent", s->files / s->total * 100, FROM(r));
    fact_number(f, prefix, "split_speedup", s->speedup, FROM(s->cpu, r));
    fact_number(f, prefix, "split_limit", s->limit, FROM(s->cpu, r));
    fact_flag(f, prefix, "split_hopeless", s->limit < 1, FROM(s->cpu, r));
}

void split_analyse(const view *views, const char *folder, facts *f)
{
    table t;
    table_start(&t, folder, "split",
                "lab,size,variant,block,read_ms,copy_in_ms,kernel_ms,copy_out_ms,write_ms,total_ms,"
                "cpu_ms,cpu_total_ms,kernel_speedup,total_speedup,limit");
    for (int i = 0; i < N_VIEWS; i++) {
        const view *v = &views[i];
        split s;
        if (strcmp(v->info->name, v->lab->name) == 0 && split_of(v, &s)) {
            split_row(&t, v, &s);
            split_facts(v, &s, f);
        }
    }
    table_finish(&t);
}
