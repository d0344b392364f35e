/* view.c - see view.h. */
#include "view.h"
#include "die.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const view_info view_infos[N_VIEWS] = {
    {"lab1", "", 1, NULL, NULL},
    {"lab2", "", 2, NULL, NULL},
    {"lab3", "", 3, NULL, NULL},
    {"lab4", "", 4, NULL, NULL},
    {"lab5", "_gray", 5, "gray", NULL},
    {"lab5_rgb24", "_rgb24", 5, "rgb24", NULL},
    {"lab5_rgba32", "_rgba32", 5, "rgba32", NULL},
    {"lab5_f32", "_f32", 5, "f32", NULL},
    {"lab6", "", 6, NULL, "1"},
};

extent extent_of(const row *r)
{
    return (extent){r->width, r->height};
}

bool row_is_square(const row *r)
{
    return r->block_x > 0 && r->block_x == r->block_y;
}

/* ---- order ----------------------------------------------------------------------------------- */

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_size(const row *p, const row *q)
{
    int order = compare(row_area(p), row_area(q));
    return order ? order : compare(p->width, q->width);
}

static double threads_of(const row *r)
{
    return r->block_x > 0 ? (double)r->block_x * (r->block_y > 0 ? r->block_y : 1) : 0;
}

static int by_case(const row *p, const row *q)
{
    int order = compare(p->variant, q->variant);
    if (order == 0)
        order = by_size(p, q);
    if (order == 0)
        order = compare(threads_of(p), threads_of(q));
    return order ? order : compare(p->block_x, q->block_x);
}

static int by_case_and_time(const void *a, const void *b)
{
    const row *p = *(const row *const *)a, *q = *(const row *const *)b;
    int order = by_case(p, q);
    if (order == 0)
        order = compare(p->time_s, q->time_s);
    return order ? order : compare(p->line, q->line);
}

static int by_machine_work_and_size(const row *p, const row *q)
{
    int order = compare(p->origin, q->origin);
    if (order == 0)
        order = compare(work_of(p).id, work_of(q).id);
    return order ? order : by_size(p, q);
}

static int by_serial(const void *a, const void *b)
{
    const row *p = *(const row *const *)a, *q = *(const row *const *)b;
    int order = by_machine_work_and_size(p, q);
    if (order == 0)
        order = compare(p->time_s, q->time_s);
    return order ? order : compare(p->line, q->line);
}

static void add_case(case_list *list, const row *r)
{
    list->rows = grow(list->rows, list->count, &list->capacity, sizeof *list->rows);
    list->rows[list->count++] = r;
}

/* Sorts; of rows that are the same case the first stays. */
static void arrange(case_list *list, int (*order)(const void *, const void *),
                    int (*same)(const row *, const row *))
{
    int kept = 0;
    if (list->count == 0)
        return;
    qsort(list->rows, (size_t)list->count, sizeof *list->rows, order);
    for (int i = 1; i < list->count; i++)
        if (same(list->rows[kept], list->rows[i]) != 0)
            list->rows[++kept] = list->rows[i];
    list->count = kept + 1;
}

/* The first place whose row does not come before the key. */
static int lower_bound(const case_list *list, const row *key,
                       int (*order)(const row *, const row *))
{
    int low = 0, high = list->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (order(list->rows[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- conditions ------------------------------------------------------------------------------ */

typedef struct condition {
    int work, cache;
    bool cpu;
    int rows;
} condition;

typedef struct conditions {
    condition *list;
    int count, capacity;
    int first_name; /* text numbers of the keys, to find a condition again */
    int *number_of; /* by text number */
    int n_numbers;
} conditions;

static bool counts_as_cpu(const row *r)
{
    return r->kind == KIND_CPU;
}

/* The number of a row's condition; a new one is added. Conditions count in order of appearance. */
static int condition_of(conditions *c, const row *r)
{
    char key[64];
    int work = work_of(r).id;
    snprintf(key, sizeof key, "condition %d %d %d", counts_as_cpu(r), work, r->cache);
    int name = text_id(key);
    if (name >= c->n_numbers) {
        int larger = 2 * name + 64;
        int *numbers = allocate((unsigned long long)larger * sizeof *numbers);
        for (int i = 0; i < larger; i++)
            numbers[i] = i < c->n_numbers ? c->number_of[i] : -1;
        free(c->number_of);
        c->number_of = numbers;
        c->n_numbers = larger;
    }
    if (c->number_of[name] < 0) {
        c->list = grow(c->list, c->count, &c->capacity, sizeof *c->list);
        c->list[c->count] = (condition){work, r->cache, counts_as_cpu(r), 0};
        c->number_of[name] = c->count++;
    }
    return c->number_of[name];
}

/* Whether condition a is to be preferred to b; `work` goes first. */
static bool better(const conditions *c, int a, int b, int work)
{
    if (b < 0)
        return true;
    const condition *p = &c->list[a], *q = &c->list[b];
    if ((p->work == work) != (q->work == work))
        return p->work == work;
    if (p->rows != q->rows)
        return p->rows > q->rows;
    int cold = text_id("cold");
    if ((p->cache == cold) != (q->cache == cold))
        return p->cache == cold;
    return a < b;
}

/* The commonest condition's work among rows of one sort of processor; -1: no rows. */
static int commonest_work(const conditions *c, bool cpu, int preferred)
{
    int best = -1;
    for (int i = 0; i < c->count; i++)
        if (c->list[i].cpu == cpu && better(c, i, best, preferred))
            best = i;
    return best < 0 ? -1 : c->list[best].work;
}

/* Keeps the rows of one condition a variant. */
static void keep_chosen(view *v, const conditions *c, const int *number, case_list *all)
{
    int highest = -1;
    for (int i = 0; i < all->count; i++)
        highest = all->rows[i]->variant > highest ? all->rows[i]->variant : highest;
    int *chosen = allocate(((unsigned long long)highest + 1) * 2 * sizeof *chosen);
    for (int i = 0; i < 2 * (highest + 1); i++)
        chosen[i] = -1;
    for (int i = 0; i < all->count; i++) {
        bool cpu = counts_as_cpu(all->rows[i]);
        int *best = &chosen[2 * all->rows[i]->variant + cpu];
        if (better(c, number[i], *best, cpu ? v->gpu_work : -1))
            *best = number[i];
    }
    for (int i = 0; i < all->count; i++)
        if (number[i] == chosen[2 * all->rows[i]->variant + counts_as_cpu(all->rows[i])])
            add_case(&v->now, all->rows[i]);
    free(chosen);
}

static void choose(view *v, case_list *all)
{
    conditions c = {0};
    int *number = allocate(((unsigned long long)all->count + 1) * sizeof *number);
    for (int i = 0; i < all->count; i++) {
        number[i] = condition_of(&c, all->rows[i]);
        c.list[number[i]].rows++;
    }
    v->gpu_work = commonest_work(&c, false, -1);
    v->cpu_work = commonest_work(&c, true, v->gpu_work);
    keep_chosen(v, &c, number, all);
    free(number);
    free(c.list);
    free(c.number_of);
}

/* ---- gathering ------------------------------------------------------------------------------- */

bool view_takes(const view *v, const row *r)
{
    work w = work_of(r);
    return (!v->info->type || w.type == text_id(v->info->type)) &&
           (!v->info->mode || w.mode == text_id(v->info->mode));
}

static bool belongs(const view *v, const row *r)
{
    work w = work_of(r);
    return row_measured(r) && w.cpu_threads < 0 && w.transfer < 0 && view_takes(v, r);
}

/* The machine's rows, but of a GPU that is stood in for only the CPU's; of that which stands in,
 * the others. */
static void gather(view *v, case_list *all)
{
    row_origin gpu = study_gpu_origin(v->study);
    int cpu = text_id("cpu");
    for (int origin = 0; origin < N_ORIGINS; origin++) {
        const row_list *list = &v->study->rows[v->info->lab][origin];
        for (int i = 0; i < list->count; i++) {
            const row *r = &list->rows[i];
            if (!belongs(v, r))
                continue;
            if (r->variant == cpu && r->kind == KIND_CPU)
                add_case(&v->serial, r);
            if (r->origin == (r->kind == KIND_CPU ? ORIGIN_OWN : gpu))
                add_case(all, r);
        }
    }
}

static void gather_past(view *v)
{
    const row_list *list = &v->study->rows[v->info->lab][ORIGIN_PAST];
    for (int i = 0; i < list->count; i++) {
        const row *r = &list->rows[i];
        int work = r->kind == KIND_CPU ? v->cpu_work : v->gpu_work;
        if (belongs(v, r) && (work < 0 || work_alike(work_of(r).id, work)))
            add_case(&v->past, r);
    }
}

static void list_variants(view *v, const case_list *all)
{
    int highest = -1;
    for (int i = 0; i < all->count; i++)
        highest = all->rows[i]->variant > highest ? all->rows[i]->variant : highest;
    bool *seen = allocate((unsigned long long)highest + 1);
    memset(seen, 0, (size_t)(highest + 1));
    v->variants = allocate(((unsigned long long)all->count + 1) * sizeof *v->variants);
    for (int i = 0; i < all->count; i++)
        if (!seen[all->rows[i]->variant]) {
            seen[all->rows[i]->variant] = true;
            v->variants[v->n_variants++] = all->rows[i]->variant;
        }
    free(seen);
}

int extent_compare(const void *a, const void *b)
{
    const extent *p = a, *q = b;
    int order = compare((double)p->width * p->height, (double)q->width * q->height);
    return order ? order : compare(p->width, q->width);
}

static void list_sizes(view *v)
{
    int n = v->now.count, kept = 0;
    v->sizes = allocate(((unsigned long long)n + 1) * sizeof *v->sizes);
    for (int i = 0; i < n; i++)
        v->sizes[i] = extent_of(v->now.rows[i]);
    if (n == 0)
        return;
    qsort(v->sizes, (size_t)n, sizeof *v->sizes, extent_compare);
    for (int i = 1; i < n; i++)
        if (extent_compare(&v->sizes[kept], &v->sizes[i]) != 0)
            v->sizes[++kept] = v->sizes[i];
    v->n_sizes = kept + 1;
}

static void mark_gpu_sizes(view *v)
{
    v->size_has_gpu = allocate((unsigned long long)v->n_sizes + 1);
    memset(v->size_has_gpu, 0, (size_t)v->n_sizes);
    for (int i = 0; i < v->now.count; i++)
        if (v->now.rows[i]->kind == KIND_GPU) {
            extent size = extent_of(v->now.rows[i]), *found;
            found = bsearch(&size, v->sizes, (size_t)v->n_sizes, sizeof size, extent_compare);
            v->size_has_gpu[found - v->sizes] = true;
        }
}

static void choose_size(view *v)
{
    int cpu = text_id("cpu");
    extent both = {0, 0}, gpu_only = {0, 0}, cpu_only = {0, 0};
    for (int i = 0; i < v->n_sizes; i++) {
        bool has_gpu = v->size_has_gpu[i];
        bool has_cpu = view_row(&v->now, cpu, v->sizes[i], -1, -1) != NULL;
        both = has_gpu && has_cpu ? v->sizes[i] : both;
        gpu_only = has_gpu ? v->sizes[i] : gpu_only;
        cpu_only = has_cpu ? v->sizes[i] : cpu_only;
    }
    v->size = both.width ? both : gpu_only.width ? gpu_only : cpu_only;
    if (!v->size.width && v->n_sizes)
        v->size = v->sizes[v->n_sizes - 1];
}

void view_read(view *v, const study *s, const view_info *info)
{
    case_list all = {0};
    *v = (view){.info = info, .lab = &lab_infos[info->lab], .study = s};
    gather(v, &all);
    choose(v, &all);
    gather_past(v);
    list_variants(v, &all);
    arrange(&v->now, by_case_and_time, by_case);
    arrange(&v->past, by_case_and_time, by_case);
    arrange(&v->serial, by_serial, by_machine_work_and_size);
    list_sizes(v);
    mark_gpu_sizes(v);
    choose_size(v);
    free(all.rows);
}

void view_free(view *v)
{
    free(v->now.rows);
    free(v->past.rows);
    free(v->serial.rows);
    free(v->variants);
    free(v->sizes);
    free(v->size_has_gpu);
    memset(v, 0, sizeof *v);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static int by_variant(const row *p, const row *q)
{
    return compare(p->variant, q->variant);
}

static int by_variant_and_size(const row *p, const row *q)
{
    int order = by_variant(p, q);
    return order ? order : by_size(p, q);
}

static int range(const case_list *cases, const row *key, int (*order)(const row *, const row *),
                 const row *const **first)
{
    int begin = lower_bound(cases, key, order), end = begin;
    while (end < cases->count && order(cases->rows[end], key) == 0)
        end++;
    *first = cases->rows ? cases->rows + begin : NULL;
    return end - begin;
}

int view_blocks(const case_list *cases, int variant, extent size, const row *const **first)
{
    row key = {.variant = variant, .width = size.width, .height = size.height};
    return range(cases, &key, by_variant_and_size, first);
}

int view_all(const case_list *cases, int variant, const row *const **first)
{
    row key = {.variant = variant};
    return range(cases, &key, by_variant, first);
}

const row *view_row(const case_list *cases, int variant, extent size, int block_x, int block_y)
{
    const row *const *rows, *best = NULL;
    row key = {.variant = variant, .width = size.width, .height = size.height};
    if (block_x >= 0) {
        key.block_x = block_x;
        key.block_y = block_y;
        return range(cases, &key, by_case, &rows) ? rows[0] : NULL;
    }
    int n = range(cases, &key, by_variant_and_size, &rows);
    for (int i = 0; i < n; i++)
        if (!best || rows[i]->time_s < best->time_s)
            best = rows[i];
    return best;
}

const row *view_serial(const view *v, const row *r)
{
    int at = lower_bound(&v->serial, r, by_machine_work_and_size);
    if (at < v->serial.count && by_machine_work_and_size(v->serial.rows[at], r) == 0)
        return v->serial.rows[at];
    return NULL;
}

double view_speedup(const view *v, const row *r)
{
    const row *serial = view_serial(v, r);
    return serial ? serial->time_s / r->time_s : NAN;
}

bool row_computes(const row *r)
{
    return r->variant != text_id("copy");
}

const row *view_fastest(const view *v, row_kind kind, extent size)
{
    const row *best = NULL;
    for (int i = 0; i < v->n_variants; i++) {
        const row *r = view_row(&v->now, v->variants[i], size, -1, -1);
        if (r && r->kind == kind && row_computes(r) && (!best || r->time_s < best->time_s))
            best = r;
    }
    return best;
}

const row *view_any(const view *v, extent size)
{
    const row *found = view_row(&v->now, text_id("cpu"), size, -1, -1);
    for (int i = 0; i < v->n_variants && !found; i++)
        found = view_row(&v->now, v->variants[i], size, -1, -1);
    return found;
}

double view_x(const view *v, const row *r)
{
    work w = work_of(r);
    if (v->lab->shape != SHAPE_PICTURE)
        return r->width;
    if (w.template_width > 0 && w.template_height > 0 && w.template_width <= r->width &&
        w.template_height <= r->height)
        return (r->width - w.template_width + 1.0) * (r->height - w.template_height + 1.0);
    return row_area(r);
}
