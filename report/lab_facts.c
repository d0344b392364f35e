/* lab_facts.c - the facts of labs.h. */
#include "labs.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_size(const view *v, facts *f, const char *name, const row *r)
{
    char text[LABEL_SIZE];
    if (r)
        fact_text(f, v->info->name, name, size_text(text, v->lab->shape, r->width, r->height),
                  FROM(r));
}

static void add_block(const view *v, facts *f, const char *name, const row *r)
{
    char text[LABEL_SIZE];
    if (r)
        fact_text(f, v->info->name, name, block_text(text, v->lab->shape, r->block_x, r->block_y),
                  FROM(r));
}

static void add_ms(const view *v, facts *f, const char *name, const row *r)
{
    if (r)
        fact_number(f, v->info->name, name, r->time_s * 1e3, FROM(r));
}

static void add_speedup(const view *v, facts *f, const char *name, const row *r)
{
    if (r)
        fact_number(f, v->info->name, name, view_speedup(v, r), FROM(r, view_serial(v, r)));
}

/* ---- the CPU, and the variants at their best blocks ------------------------------------------ */

/* Whether the machine has a time of the lab itself, its CPU's or its GPU's. */
static void measured_fact(const view *v, facts *f)
{
    const row *own = NULL;
    for (int i = 0; i < v->now.count && !own; i++)
        if (v->now.rows[i]->origin == ORIGIN_OWN)
            own = v->now.rows[i];
    fact_flag(f, v->info->name, "measured", own != NULL, FROM(own));
}

static void cpu_facts(const view *v, facts *f)
{
    const row *serial = view_row(&v->now, text_id("cpu"), v->size, -1, -1);
    const row *omp = view_row(&v->now, text_id("cpu_omp"), v->size, -1, -1);
    measured_fact(v, f);
    fact_flag(f, v->info->name, "present", v->cpu_work >= 0, FROM(serial ? serial : omp));
    add_ms(v, f, "cpu_ms", serial);
    add_ms(v, f, "omp_ms", omp);
    add_speedup(v, f, "omp_speedup", omp);
}

/* The fastest kernel against the fastest CPU program, which may be a library's on all cores. */
static void best_against_best(const view *v, facts *f, const row *fastest)
{
    const row *cpu = view_fastest(v, KIND_CPU, v->size);
    if (!cpu || cpu->origin != fastest->origin)
        return;
    fact_text(f, v->info->name, "cpu_best_variant", text_of(cpu->variant), FROM(cpu));
    add_ms(v, f, "cpu_best_ms", cpu);
    fact_gain(f, v->info->name, "cpu_best_gain", cpu->time_s / fastest->time_s, FROM(cpu, fastest));
}

static void fastest_facts(const view *v, facts *f, const row *fastest, const row *naive)
{
    const char *prefix = v->info->name;
    fact_text(f, prefix, "fastest_variant", text_of(fastest->variant), FROM(fastest));
    add_block(v, f, "fastest_block", fastest);
    add_ms(v, f, "fastest_ms", fastest);
    add_speedup(v, f, "fastest_speedup", fastest);
    best_against_best(v, f, fastest);
    fact_number(f, prefix, "fastest_gb_per_s", fastest->gb_per_s, FROM(fastest));
    fact_number(f, prefix, "fastest_gflop_per_s", fastest->gflop_per_s, FROM(fastest));
    if (naive && naive != fastest)
        fact_gain(f, prefix, "fastest_gain", naive->time_s / fastest->time_s, FROM(naive, fastest));
    fact_number(f, prefix, "end_to_end_ms", fastest->end_to_end_s * 1e3, FROM(fastest));
    const row *serial = view_serial(v, fastest);
    fact_flag(f, prefix, "end_to_end_slower", serial && serial->time_s < fastest->end_to_end_s,
              FROM(serial, fastest));
    if (serial)
        fact_number(f, prefix, "end_to_end_speedup", serial->time_s / fastest->end_to_end_s,
                    FROM(serial, fastest));
}

/* How many times as fast as `naive` each of our kernels is: fact gain_VARIANT. */
static void gain_facts(const view *v, facts *f, const row *naive)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    char name[96];
    for (int i = 0; i < v->n_variants; i++) {
        const row *r = view_row(&v->now, v->variants[i], v->size, -1, -1);
        const char *variant = text_of(v->variants[i]);
        if (!r || r == naive || r->kind != KIND_GPU || strlen(variant) > 64 ||
            variant[strspn(variant, plain)] != '\0')
            continue;
        snprintf(name, sizeof name, "gain_%s", variant);
        fact_gain(f, v->info->name, name, naive->time_s / r->time_s, FROM(naive, r));
    }
}

static void vendor_facts(const view *v, facts *f, const row *vendor, const row *fastest)
{
    const char *prefix = v->info->name;
    double gain = fastest->time_s / vendor->time_s;
    fact_text(f, prefix, "vendor_variant", text_of(vendor->variant), FROM(vendor));
    add_ms(v, f, "vendor_ms", vendor);
    fact_gain(f, prefix, "vendor_gain", gain, FROM(fastest, vendor));
    fact_flag(f, prefix, "vendor_slower", gain < 1, FROM(fastest, vendor));
    if (gain < 1)
        fact_gain(f, prefix, "vendor_loss", 1 / gain, FROM(fastest, vendor));
}

static void gpu_facts(const view *v, facts *f, const row *naive)
{
    const row *fastest = view_fastest(v, KIND_GPU, v->size);
    const row *vendor = view_fastest(v, KIND_VENDOR, v->size);
    const row *serial = naive ? view_serial(v, naive) : NULL;
    fact_flag(f, v->info->name, "present_gpu", fastest != NULL, FROM(fastest));
    add_ms(v, f, "naive_ms", naive);
    add_block(v, f, "naive_block", naive);
    add_speedup(v, f, "naive_speedup", naive);
    if (serial && serial->origin != ORIGIN_OWN)
        add_ms(v, f, "host_cpu_ms", serial);
    if (fastest)
        fastest_facts(v, f, fastest, naive);
    if (naive)
        gain_facts(v, f, naive);
    if (fastest && vendor)
        vendor_facts(v, f, vendor, fastest);
}

static void check_facts(const view *v, facts *f)
{
    char source[512], name[96], text[LABEL_SIZE];
    const row_list *list = &v->study->rows[v->info->lab][ORIGIN_OWN];
    const row *worst = NULL;
    long checks = 0;
    int sizes = 0;
    for (int i = 0; i < v->n_sizes; i++)
        sizes += v->size_has_gpu[i];
    for (int i = 0; i < list->count; i++) {
        const row *r = &list->rows[i];
        if (r->status != STATUS_OK || !view_takes(v, r))
            continue;
        checks++;
        if (r->max_error >= 0 && (!worst || r->max_error > worst->max_error))
            worst = r;
    }
    snprintf(source, sizeof source, "%s", v->lab->file);
    snprintf(name, sizeof name, "%s.checks", v->info->name);
    if (checks)
        fact_count(f, name, checks, source);
    snprintf(name, sizeof name, "%s.sizes", v->info->name);
    snprintf(source, sizeof source, "%s%s", v->study->gpu_recorded ? RECORDED_MACHINE "/" : "",
             v->lab->file);
    if (sizes)
        fact_count(f, name, sizes, source);
    if (worst) {
        fact_text(f, v->info->name, "max_error", number_text(text, worst->max_error, 2),
                  FROM(worst));
        if (worst->tolerance >= 0)
            fact_text(f, v->info->name, "max_error_tolerance",
                      number_text(text, worst->tolerance, 2), FROM(worst));
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void percent_of_occupancy(const view *v, facts *f, const char *name, const row *r)
{
    fact_number(f, v->info->name, name, r->occupancy * 100, FROM(r));
}

/*
 * Of `naive` at the lab's size: the smallest and the largest block against the best. A loss of less
 * than 1 % is not told: times are known no better.
 */
static void block_facts(const view *v, facts *f, const row *best)
{
    const row *const *rows;
    const char *prefix = v->info->name;
    int n = view_blocks(&v->now, best->variant, v->size, &rows);
    if (n < 2)
        return;
    const row *smallest = rows[0], *largest = rows[n - 1];
    for (int i = 0; i < n; i++)
        if (row_is_square(rows[i]) && rows[i]->threads_per_block == largest->threads_per_block)
            largest = rows[i];
    double loss = largest->time_s / best->time_s - 1;
    add_block(v, f, "smallest_block", smallest);
    add_ms(v, f, "smallest_block_ms", smallest);
    fact_gain(f, prefix, "block_gain", smallest->time_s / best->time_s, FROM(smallest, best));
    add_block(v, f, "largest_block", largest);
    add_ms(v, f, "largest_block_ms", largest);
    fact_flag(f, prefix, "largest_slower", loss >= 0.01, FROM(largest, best));
    if (loss >= 0.01)
        fact_gain(f, prefix, "largest_slower_percent", loss * 100, FROM(largest, best));
    percent_of_occupancy(v, f, "best_occupancy_percent", best);
    percent_of_occupancy(v, f, "largest_occupancy_percent", largest);
    percent_of_occupancy(v, f, "smallest_occupancy_percent", smallest);
    fact_flag(f, prefix, "occupancy_differs",
              smallest->occupancy < best->occupancy || largest->occupancy < best->occupancy,
              FROM(smallest, best, largest));
}

/* ---- shares of the CPU's time, and 2012 ------------------------------------------------------ */

static void share(const view *v, facts *f, const char *end, const char *past, const row *r)
{
    char name[64];
    snprintf(name, sizeof name, "%sshare_%s_percent", past, end);
    fact_number(f, v->info->name, name, 100 / view_speedup(v, r), FROM(r, view_serial(v, r)));
    snprintf(name, sizeof name, "%sshare_%s_size", past, end);
    add_size(v, f, name, r);
    snprintf(name, sizeof name, "%sshare_%s_block", past, end);
    add_block(v, f, name, r);
}

/* The greatest and the least share of the serial CPU's time that `naive` takes, square blocks. */
static void share_facts(const view *v, facts *f, const case_list *cases, const char *past)
{
    const row *const *rows, *most = NULL, *least = NULL;
    int n = view_all(cases, text_id("naive"), &rows);
    for (int i = 0; i < n; i++) {
        double speedup = view_speedup(v, rows[i]);
        if (!row_is_square(rows[i]) || isnan(speedup))
            continue;
        if (!most || speedup < view_speedup(v, most))
            most = rows[i];
        if (!least || speedup > view_speedup(v, least))
            least = rows[i];
    }
    if (most) {
        share(v, f, "max", past, most);
        share(v, f, "min", past, least);
    }
}

static void past_facts(const view *v, facts *f, const row *naive)
{
    int cpu = text_id("cpu");
    const char *prefix = v->info->name;
    const row *now_cpu = view_row(&v->now, cpu, v->size, -1, -1);
    const row *past_cpu = view_row(&v->past, cpu, v->size, -1, -1);
    const row *past_naive = view_row(&v->past, text_id("naive"), v->size, -1, -1);
    add_ms(v, f, "past_cpu_ms", past_cpu);
    add_ms(v, f, "past_naive_ms", past_naive);
    add_block(v, f, "past_naive_block", past_naive);
    if (past_cpu && now_cpu) {
        double gain = past_cpu->time_s / now_cpu->time_s;
        fact_gain(f, prefix, "past_cpu_gain", gain, FROM(past_cpu, now_cpu));
        fact_flag(f, prefix, "past_cpu_faster", gain > 1, FROM(past_cpu, now_cpu));
    }
    /* In lab 4 the kernel of 2012, there called naive, sums in memory as today's global_sum. */
    const row *like = view_row(&v->now, text_id("global_sum"), v->size, -1, -1);
    if (past_naive && like) {
        add_ms(v, f, "global_sum_ms", like);
        fact_gain(f, prefix, "past_global_sum_gain", past_naive->time_s / like->time_s,
                  FROM(past_naive, like));
    }
    if (past_naive && naive) {
        double gain = past_naive->time_s / naive->time_s;
        fact_gain(f, prefix, "past_naive_gain", gain, FROM(past_naive, naive));
        fact_flag(f, prefix, "past_naive_faster", gain > 1, FROM(past_naive, naive));
    }
}

void lab_facts(const view *v, facts *f)
{
    const row *naive = view_row(&v->now, text_id("naive"), v->size, -1, -1);
    cpu_facts(v, f);
    if (v->now.count)
        add_size(v, f, "size", naive ? naive : view_any(v, v->size));
    gpu_facts(v, f, naive);
    check_facts(v, f);
    if (naive)
        block_facts(v, f, naive);
    if (v->info->lab >= 2 && v->info->lab <= 4 && v->now.count) {
        share_facts(v, f, &v->now, "");
        share_facts(v, f, &v->past, "past_");
        past_facts(v, f, naive);
    }
}
