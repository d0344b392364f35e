#define _POSIX_C_SOURCE 200809L /* sigaction, nanosleep */

#include "sweep.h"
#include "allocate.h"
#include "data.h"
#include "die.h"
#include "host.h"
#include "progress.h"
#include "result_print.h"
#include "steps.h"
#include "sweep_case.h"
#include "variant.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LARGE_SIZE_THREADS = 64, L2_MULTIPLE = 3 };

typedef struct sweep {
    const lab *lab;
    const options *options;
    const device *device;
    char machine[64], parameters[RESULT_TEXT];
    cudaStream_t stream;
    store *store;
    file_steps files; /* of the size at hand, as the next */
    copy_times copies;
    progress progress;
    bool any, wrong, heading_printed, presented_cpu, presented_gpu;
} sweep;

/* ---- Ctrl-C --------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

/* The first Ctrl-C lets the run in progress end and the finished rows be kept; a second kills. */
static void on_interrupt(int signal_number)
{
    interrupted = 1;
    signal(signal_number, SIG_DFL);
}

static void catch_interrupts(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- which cases there are ------------------------------------------------------------------ */

static bool is_cpu(const variant *v)
{
    return v->kind == VARIANT_CPU;
}

static bool is_serial(const variant *v)
{
    return strcmp(v->name, "cpu") == 0;
}

/* OpenMP scaling: the serial variant, and cpu_omp with several numbers of threads. */
static bool is_scaling(const sweep *s)
{
    return s->options->cpu_threads.count > 0;
}

static const char *kind_name(const sweep *s, const variant *v)
{
    if (v->kind == VARIANT_CPU)
        return "cpu";
    if (v->kind == VARIANT_VENDOR)
        return "vendor";
    return s->device->emulated ? "emulated" : "gpu";
}

/* Does a default sweep leave this out? What the user asks for by size is always run. */
static bool left_out(const sweep *s, const variant *v, extent size, dim3 block, bool large)
{
    const lab *l = s->lab;
    if (s->options->transfer != TRANSFER_PAGEABLE && is_cpu(v))
        return true; /* nothing is transferred */
    if (large)
        return is_cpu(v) || !v->large ||
               (v->kind == VARIANT_GPU && block.x * block.y < LARGE_SIZE_THREADS);
    return !s->options->sizes_given && s->device->emulated && v->kind == VARIANT_GPU &&
           l->sweep.emulated_max > 0 && (double)size.width * size.height > l->sweep.emulated_max;
}

static result row_for(const sweep *s, const variant *v, extent size, dim3 block)
{
    result row = variant_row(s->lab, v, kind_name(s, v), s->machine, s->parameters, size, block);
    snprintf(row.cache, sizeof row.cache, "%s", is_cpu(v) || s->options->hot ? "hot" : "cold");
    snprintf(row.note, sizeof row.note, "%s", v->note ? v->note : "");
    return row;
}

static void add_case(const sweep *s, sweep_case *cases, int *count, const variant *v, extent size,
                     dim3 block, bool large)
{
    if (left_out(s, v, size, block, large))
        return;
    sweep_case *c = &cases[(*count)++];
    memset(c, 0, sizeof *c);
    c->lab = s->lab;
    c->variant = v;
    c->device = s->device;
    c->launch.block = block;
    c->launch.stream = s->stream;
    c->row = row_for(s, v, size, block);
}

/* cpu_omp with each number of threads. */
static void add_scaling_cases(const sweep *s, sweep_case *cases, int *count, const variant *v,
                              extent size)
{
    const count_list *threads = &s->options->cpu_threads;
    for (int i = 0; i < threads->count; i++) {
        int before = *count;
        add_case(s, cases, count, v, size, (dim3){0, 0, 0}, false);
        if (*count == before)
            continue;
        sweep_case *c = &cases[before];
        size_t used = strlen(c->row.parameters);
        c->cpu_threads = threads->items[i];
        snprintf(c->row.parameters + used, sizeof c->row.parameters - used, ";cpu_threads=%d",
                 c->cpu_threads);
    }
}

/* The cases of a size that show how cpu_omp scales; a serial row that is there serves again. */
static int list_scaling_cases(const sweep *s, extent size, sweep_case *cases)
{
    int count = 0;
    const dim3 no_block = {0, 0, 0};
    for (int i = 0; i < s->lab->n_variants; i++) {
        const variant *v = &s->lab->variants[i];
        result row = row_for(s, v, size, no_block);
        if (v->applies && !v->applies())
            continue;
        if (is_serial(v) && !store_find_own(s->store, &row))
            add_case(s, cases, &count, v, size, no_block, false);
        else if (strcmp(v->name, "cpu_omp") == 0)
            add_scaling_cases(s, cases, &count, v, size);
    }
    return count;
}

/* All cases of a size, CPU variants first; returns how many. */
static int list_cases(const sweep *s, extent size, bool large, sweep_case *cases)
{
    int count = 0;
    const dim3 no_block = {0, 0, 0};
    if (is_scaling(s))
        return list_scaling_cases(s, size, cases);
    for (int cpu_pass = 1; cpu_pass >= 0; cpu_pass--)
        for (int i = 0; i < s->lab->n_variants; i++) {
            const variant *v = &s->lab->variants[i];
            if (!s->options->chosen[i] || is_cpu(v) != cpu_pass || (v->applies && !v->applies()))
                continue;
            if (v->kind != VARIANT_GPU)
                add_case(s, cases, &count, v, size, no_block, large);
            else
                for (int b = 0; b < s->options->blocks.count; b++)
                    add_case(s, cases, &count, v, size, s->options->blocks.items[b], large);
        }
    return count;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* With --resume, takes over the rows that are finished; returns how many cases are left to run. */
static int take_kept_rows(const sweep *s, sweep_case *cases, int count)
{
    int left = 0;
    for (int k = 0; k < count; k++) {
        if (s->options->resume &&
            store_is_finished(s->store, &cases[k].row, !s->options->check_only)) {
            cases[k].row = *store_find(s->store, &cases[k].row);
            cases[k].state = CASE_KEPT;
        }
        left += cases[k].state == CASE_NEW;
    }
    return left;
}

/* Is this the row's experiment, the number of CPU threads aside? */
static bool same_parameters(const char *serial, const char *row)
{
    size_t length = strlen(serial);
    return strncmp(serial, row, length) == 0 &&
           (row[length] == '\0' || strncmp(row + length, ";cpu_threads=", 13) == 0);
}

static double serial_time(const sweep *s, const result *row)
{
    const result_table *rows = &s->store->rows;
    for (int i = 0; i < rows->count; i++) {
        const result *r = &rows->rows[i];
        if (strcmp(r->variant, "cpu") == 0 && r->width == row->width && r->height == row->height &&
            same_parameters(r->parameters, row->parameters))
            return r->time_s;
    }
    return NAN;
}

/* Rates and speedup; an emulated kernel has none, since its time says nothing about a GPU. */
static void set_rates(const sweep *s, result *row)
{
    if (strcmp(row->kind, "emulated") == 0 || isnan(row->time_s))
        return;
    row->gb_per_s = 1e-9 * row->bytes / row->time_s;
    row->gflop_per_s = 1e-9 * row->flops / row->time_s;
    bool serial = strcmp(row->variant, "cpu") == 0;
    row->speedup = (serial ? row->time_s : serial_time(s, row)) / row->time_s;
}

/* The steps around a run are the same for all that was timed at a size. */
static void set_steps(const sweep *s, result *row)
{
    if (strcmp(row->status, "ok") != 0 || isnan(row->time_s))
        return;
    row->read_s = s->files.read_s;
    row->write_s = s->files.write_s;
    if (strcmp(row->kind, "gpu") == 0 || strcmp(row->kind, "vendor") == 0) {
        row->copy_in_s = s->copies.in_s;
        row->copy_out_s = s->copies.out_s;
    }
}

/* The rows of the cases that have one, under a heading if they are the first. */
static void print_rows(sweep *s, const sweep_case *cases, int count)
{
    progress_clear(&s->progress);
    if (!s->heading_printed)
        result_print_heading(s->lab->name, s->machine, s->parameters);
    s->heading_printed = true;
    for (int k = 0; k < count; k++)
        if (cases[k].state == CASE_DONE || cases[k].state == CASE_KEPT)
            result_print_row(&cases[k].row);
    fflush(stdout);
}

static void skip_all(sweep_case *cases, int count, const char *reason)
{
    for (int k = 0; k < count; k++)
        if (cases[k].state == CASE_NEW)
            case_finish(&cases[k], "skipped", reason);
}

/* Puts the cases' rows into the store; an interrupted one without enough samples gives none. */
static void collect(sweep *s, sweep_case *cases, int count)
{
    for (int k = 0; k < count; k++) {
        sweep_case *c = &cases[k];
        case_free(c);
        s->wrong = s->wrong || strcmp(c->row.status, "wrong") == 0;
        if (c->state != CASE_DONE)
            continue;
        set_rates(s, &c->row);
        set_steps(s, &c->row);
        store_put(s->store, &c->row, 1);
    }
}

/* ---- timing --------------------------------------------------------------------------------- */

/* Has the case a timer that wants more samples? */
static bool wants_samples(const sweep *s, const sweep_case *c)
{
    return c->state == CASE_TIMED && !interrupted &&
           !timer_done(&c->timer, s->options->trials, s->options->time_cap);
}

/*
 * CPU variants are sampled one after the other: a thread pool that has just worked keeps spinning
 * for a while, and takes cores from whatever is timed next. Each waits until that is over.
 */
static void sample_in_turn(const sweep *s, sweep_case *cases, int count)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    for (int k = 0; k < count; k++) {
        if (wants_samples(s, &cases[k]))
            nanosleep(&pause, NULL);
        while (wants_samples(s, &cases[k]))
            case_sample(&cases[k]);
    }
}

/* Samples all waiting cases in rounds, forward and backward, until each has enough. */
static void sample_interleaved(sweep *s, sweep_case *cases, int count, const char *what)
{
    bool more = true;
    for (int round = 0; more; round++) {
        more = false;
        for (int k = 0; k < count; k++) {
            sweep_case *c = &cases[round % 2 ? count - 1 - k : k];
            if (wants_samples(s, c)) {
                case_sample(c);
                more = true;
            }
        }
        progress_show(&s->progress, 0, what);
    }
}

static void end_timers(const sweep *s, const problem *p, sweep_case *cases, int count,
                       const device_sets *sets)
{
    for (int k = 0; k < count; k++) {
        sweep_case *c = &cases[k];
        if (c->state != CASE_TIMED)
            continue;
        if (timer_done(&c->timer, s->options->trials, s->options->time_cap))
            case_end_timer(c, p, sets);
        else
            case_abandon_timer(c);
    }
}

/* ---- one size ------------------------------------------------------------------------------- */

static void describe_case(const sweep_case *c, char text[128])
{
    int used = snprintf(text, 128, "%s %dx%d", c->variant->name, c->row.width, c->row.height);
    if (c->row.block_x > 0)
        snprintf(text + used, 128 - (size_t)used, " block %dx%d", c->row.block_x, c->row.block_y);
    if (c->cpu_threads)
        snprintf(text + used, 128 - (size_t)used, " %d threads", c->cpu_threads);
}

static void present(sweep *s, const problem *p, const sweep_case *c)
{
    bool *done = is_cpu(c->variant) ? &s->presented_cpu : &s->presented_gpu;
    if (!s->options->single || !s->lab->present || *done)
        return;
    *done = true;
    progress_clear(&s->progress);
    s->lab->present(p, c->variant, c->launch.block);
}

static void check_and_start(sweep *s, const problem *p, sweep_case *c, device_sets *sets,
                            transfer *t)
{
    double seconds = case_check(c, p, sets);
    if (isnan(seconds))
        return;
    present(s, p, c);
    if (s->options->check_only)
        return;
    if (strcmp(c->row.kind, "emulated") == 0)
        case_set_emulated_time(c, seconds);
    else if (!t || case_time_end_to_end(c, p, t))
        case_start_timer(c, p, sets, seconds, s->options->hot);
}

/* Checks and times a group of cases: the CPU's (no sets, no transfer) or the GPU's of one size. */
static void run_group(sweep *s, const problem *p, sweep_case *cases, int count, device_sets *sets,
                      transfer *t)
{
    char what[128] = "";
    double bytes, flops;
    s->lab->work(p, &bytes, &flops);
    for (int k = 0; k < count && !interrupted; k++) {
        if (cases[k].state == CASE_NEW) {
            describe_case(&cases[k], what);
            progress_show(&s->progress, 0, what);
            check_and_start(s, p, &cases[k], sets, t);
        }
        progress_show(&s->progress, flops, what);
    }
    if (sets)
        sample_interleaved(s, cases, count, what);
    else
        sample_in_turn(s, cases, count);
    end_timers(s, p, cases, count, sets);
    collect(s, cases, count);
}

/* The bytes that the inputs of all sets must exceed for a cold cache; 0 where one set will do. */
static size_t cold_bytes(const sweep *s)
{
    if (s->options->hot || s->options->check_only || s->device->emulated)
        return 0;
    return (size_t)L2_MULTIPLE * (size_t)s->device->properties.l2CacheSize;
}

static void run_gpu_group(sweep *s, const problem *p, sweep_case *cases, int count)
{
    device_sets sets;
    transfer t;
    if (count == 0 || interrupted)
        return;
    if (device_sets_create(&sets, p, cold_bytes(s)) != 0) {
        skip_all(cases, count, "more memory than the device has");
        collect(s, cases, count);
        return;
    }
    const char *reason = transfer_create(&t, s->options->transfer, p, &sets);
    if (reason)
        skip_all(cases, count, reason);
    else if (!s->options->check_only && !s->device->emulated)
        s->copies = transfer_time_copies(&t, s->stream);
    run_group(s, p, cases, count, &sets, &t);
    transfer_free(&t);
    device_sets_free(&sets);
}

static bool fits_memory(const sweep *s, extent size)
{
    double bytes = problem_bytes(s->lab, size.width, size.height);
    double copies = s->device->emulated ? 2 : 1; /* the emulated device's memory is the host's */
    return copies * bytes < 0.9 * host_memory_bytes() &&
           bytes < 0.95 * (double)s->device->properties.totalGlobalMem;
}

/*
 * Reading the size's inputs and writing its outputs, for all its rows; what the rows of a sweep
 * before say of it holds still.
 */
static file_steps find_file_steps(const sweep *s, const problem *p)
{
    const result_table *rows = &s->store->rows;
    if (s->options->check_only)
        return (file_steps){NAN, NAN};
    for (int i = 0; i < rows->count; i++) {
        const result *r = &rows->rows[i];
        if (store_is_own(s->store, r) && r->width == p->width && r->height == p->height &&
            !isnan(r->read_s) && strcmp(r->parameters, s->parameters) == 0)
            return (file_steps){r->read_s, r->write_s};
    }
    return file_steps_measure(p);
}

static void run_size(sweep *s, extent size, bool large, sweep_case *cases)
{
    int cpu_count = 0;
    int count = list_cases(s, size, large, cases);
    while (cpu_count < count && is_cpu(cases[cpu_count].variant))
        cpu_count++;
    int left = take_kept_rows(s, cases, count);
    if (count == 0)
        return;
    s->any = true;
    bool fits = fits_memory(s, size);
    if (!fits)
        skip_all(cases, count, "more memory than this machine has");
    if (fits && left > 0) {
        problem p = problem_create(s->lab, size.width, size.height, s->options->seed);
        s->files = find_file_steps(s, &p);
        s->copies = (copy_times){NAN, NAN};
        run_group(s, &p, cases, cpu_count, NULL, NULL);
        run_gpu_group(s, &p, cases + cpu_count, count - cpu_count);
        problem_free(&p);
    } else {
        collect(s, cases, count);
    }
    print_rows(s, cases, count);
}

/* ---- the whole sweep ------------------------------------------------------------------------ */

/* The user's own sizes must fit; a default size that does not becomes skipped rows. */
static void refuse_huge_sizes(const sweep *s)
{
    const size_list *sizes = &s->options->sizes;
    for (int i = 0; s->options->sizes_given && i < sizes->count; i++)
        if (!fits_memory(s, sizes->items[i]))
            die_bad_input("size %dx%d needs %.1f GiB, more than this machine has memory for",
                          sizes->items[i].width, sizes->items[i].height,
                          problem_bytes(s->lab, sizes->items[i].width, sizes->items[i].height) /
                              0x1p30);
}

static double total_work(const sweep *s, const size_list *sizes, bool large, sweep_case *cases)
{
    double total = 0;
    for (int i = 0; i < sizes->count; i++) {
        problem p = {.width = sizes->items[i].width, .height = sizes->items[i].height};
        double bytes, flops;
        s->lab->work(&p, &bytes, &flops);
        total += flops * list_cases(s, sizes->items[i], large, cases);
    }
    return total;
}

int sweep_run(const lab *definition, const options *o, const device *d, const char *machine,
              store *rows)
{
    sweep s = {.lab = definition, .options = o, .device = d, .store = rows};
    snprintf(s.machine, sizeof s.machine, "%s", machine);
    definition->parameters(s.parameters, sizeof s.parameters);
    if (o->transfer != TRANSFER_PAGEABLE) {
        size_t used = strlen(s.parameters);
        snprintf(s.parameters + used, sizeof s.parameters - used, ";transfer=%s",
                 transfer_names[o->transfer]);
    }
    refuse_huge_sizes(&s);
    CUDA_CHECK(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    catch_interrupts();

    size_t most = (size_t)definition->n_variants * (size_t)(o->blocks.count + 1) +
                  (size_t)o->cpu_threads.count;
    sweep_case *cases = allocate(most * sizeof *cases);
    const size_list *large = d->emulated ? &(size_list){NULL, 0} : &o->sizes_large;
    s.progress = progress_start(definition->name, total_work(&s, &o->sizes, false, cases) +
                                                      total_work(&s, large, true, cases));
    for (int i = 0; i < o->sizes.count && !interrupted; i++)
        run_size(&s, o->sizes.items[i], false, cases);
    for (int i = 0; i < large->count && !interrupted; i++)
        run_size(&s, large->items[i], true, cases);
    free(cases);
    progress_clear(&s.progress);
    CUDA_CHECK(cudaStreamDestroy(s.stream));
    if (interrupted) {
        fprintf(stderr, "%s: interrupted; %d finished rows are kept%s%s\n", definition->name,
                rows->rows.count, rows->path ? " in " : "", rows->path ? rows->path : "");
        return EXIT_INTERRUPTED;
    }
    return s.wrong ? EXIT_WRONG_RESULT : s.any ? 0 : SWEEP_NOTHING;
}
