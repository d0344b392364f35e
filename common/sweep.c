#define _POSIX_C_SOURCE 200809L /* sigaction, nanosleep */

#include "sweep.h"
#include "data.h"
#include "die.h"
#include "file.h"
#include "host.h"
#include "progress.h"
#include "timing.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGE_SIZE_THREADS = 64, L2_MULTIPLE = 3 };

/* One variant at one block of the size at hand. */
typedef struct sweep_case {
    const variant *variant;
    launch launch;
    timer timer;
    bool timed; /* the timer is alive and the row waits for it */
    result row;
} sweep_case;

typedef struct sweep {
    const lab *lab;
    const options *options;
    const device *device;
    char machine[64], parameters[RESULT_TEXT];
    cudaStream_t stream;
    result_table *table;
    progress progress;
    bool wrong, heading_printed, presented_cpu, presented_gpu;
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

static const char *kind_name(const sweep *s, const variant *v)
{
    if (v->kind == VARIANT_CPU)
        return "cpu";
    if (v->kind == VARIANT_VENDOR)
        return "vendor";
    return s->device->emulated ? "emulated" : "gpu";
}

/* Does a default sweep leave this out? What the user asks for by size is always run. */
static bool left_out(const sweep *s, const variant *v, size2 size, dim3 block, bool large)
{
    const lab *l = s->lab;
    if (large)
        return is_cpu(v) || !v->large ||
               (v->kind == VARIANT_GPU && block.x * block.y < LARGE_SIZE_THREADS);
    return !s->options->sizes_given && s->device->emulated && v->kind == VARIANT_GPU &&
           l->emulated_max > 0 && (double)size.width * size.height > l->emulated_max;
}

static result row_for(const sweep *s, const variant *v, size2 size, dim3 block)
{
    result row = result_empty();
    snprintf(row.lab, sizeof row.lab, "%s", s->lab->name);
    snprintf(row.variant, sizeof row.variant, "%s", v->name);
    snprintf(row.kind, sizeof row.kind, "%s", kind_name(s, v));
    snprintf(row.machine, sizeof row.machine, "%s", s->machine);
    snprintf(row.parameters, sizeof row.parameters, "%s", s->parameters);
    snprintf(row.cache, sizeof row.cache, "%s", is_cpu(v) || s->options->hot ? "hot" : "cold");
    snprintf(row.note, sizeof row.note, "%s", v->note ? v->note : "");
    row.width = size.width;
    row.height = size.height;
    if (v->kind == VARIANT_GPU) {
        row.block_x = (int)block.x;
        row.block_y = (int)block.y;
        row.threads_per_block = (int)(block.x * block.y);
    }
    return row;
}

/* Is the case in the table already, from the run that is being resumed? */
static bool finished_before(const sweep *s, const result *row)
{
    for (int i = 0; i < s->table->count; i++)
        if (result_same_case(&s->table->rows[i], row))
            return true;
    return false;
}

static void add_case(const sweep *s, sweep_case *cases, int *count, const variant *v, size2 size,
                     dim3 block, bool large)
{
    if (left_out(s, v, size, block, large))
        return;
    result row = row_for(s, v, size, block);
    if (s->options->resume && finished_before(s, &row))
        return;
    sweep_case *c = &cases[(*count)++];
    memset(c, 0, sizeof *c);
    c->variant = v;
    c->launch.block = block;
    c->launch.stream = s->stream;
    c->row = row;
}

/* All cases of a size, CPU variants first; returns how many. */
static int list_cases(const sweep *s, size2 size, bool large, sweep_case *cases)
{
    int count = 0;
    const dim3 no_block = {0, 0, 0};
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

static void set_status(result *row, const char *status, const char *note)
{
    snprintf(row->status, sizeof row->status, "%s", status);
    if (note)
        snprintf(row->note, sizeof row->note, "%s", note);
}

static double serial_time(const sweep *s, const result *row)
{
    for (int i = 0; i < s->table->count; i++) {
        const result *r = &s->table->rows[i];
        if (strcmp(r->variant, "cpu") == 0 && r->width == row->width && r->height == row->height &&
            strcmp(r->parameters, row->parameters) == 0)
            return r->time_s;
    }
    return NAN;
}

static void set_times(result *row, summary times)
{
    row->trials = times.count;
    row->time_s = times.median;
    row->time_min_s = times.min;
    row->time_q1_s = times.q1;
    row->time_q3_s = times.q3;
    row->time_max_s = times.max;
}

/* Rates and speedup; an emulated kernel has none, since its time says nothing about a GPU. */
static void set_rates(const sweep *s, result *row)
{
    if (strcmp(row->kind, "emulated") == 0)
        return;
    row->gb_per_s = 1e-9 * row->bytes / row->time_s;
    row->gflop_per_s = 1e-9 * row->flops / row->time_s;
    bool serial = strcmp(row->variant, "cpu") == 0;
    row->speedup = (serial ? row->time_s : serial_time(s, row)) / row->time_s;
}

static void format_time(double seconds, char text[16])
{
    if (isnan(seconds))
        snprintf(text, 16, "-");
    else if (seconds < 1e-6)
        snprintf(text, 16, "%.4g ns", 1e9 * seconds);
    else if (seconds < 1e-3)
        snprintf(text, 16, "%.4g us", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(text, 16, "%.4g ms", 1e3 * seconds);
    else
        snprintf(text, 16, "%.4g s", seconds);
}

static void format_number(double value, char text[16])
{
    if (isnan(value))
        snprintf(text, 16, "-");
    else
        snprintf(text, 16, "%.4g", value);
}

static void print_heading(const sweep *s)
{
    printf("%s on %s  %s\n", s->lab->name, s->machine, s->parameters);
    printf("%-17s %-8s %-11s %-7s %11s %11s %8s %8s %8s %9s  %s\n", "variant", "kind", "size",
           "block", "time", "end to end", "speedup", "GFLOP/s", "GB/s", "max error", "status");
}

static void print_row(const result *row)
{
    char size[32], block[32] = "-", time[16], whole[16], speedup[16], gflops[16], gbs[16],
                   error[16];
    snprintf(size, sizeof size, "%dx%d", row->width, row->height);
    if (row->block_x > 0)
        snprintf(block, sizeof block, "%dx%d", row->block_x, row->block_y);
    format_time(row->time_s, time);
    format_time(row->end_to_end_s, whole);
    format_number(row->speedup, speedup);
    format_number(row->gflop_per_s, gflops);
    format_number(row->gb_per_s, gbs);
    format_number(row->max_error, error);
    printf("%-17s %-8s %-11s %-7s %11s %11s %8s %8s %8s %9s  %s%s%s\n", row->variant, row->kind,
           size, block, time, whole, speedup, gflops, gbs, error, row->status,
           row->note[0] ? ": " : "", row->note);
}

/* The rows from `first` on, under a heading if they are the first ones. */
static void print_rows(sweep *s, int first)
{
    progress_clear(&s->progress);
    if (!s->heading_printed)
        print_heading(s);
    s->heading_printed = true;
    for (int i = first; i < s->table->count; i++)
        print_row(&s->table->rows[i]);
    fflush(stdout);
}

static void save(const sweep *s)
{
    char error[FILE_ERROR_SIZE];
    if (s->options->csv && result_table_write(s->table, s->options->csv, error))
        die_bad_input("%s", error);
}

/* ---- checking ------------------------------------------------------------------------------- */

static const void *kernel_of(const sweep_case *c)
{
    const variant *v = c->variant;
    return v->kernel_for ? v->kernel_for(c->launch.block) : v->kernel;
}

static size_t dynamic_shared_bytes(const problem *p, const sweep_case *c)
{
    return c->variant->shared_bytes ? c->variant->shared_bytes(p, c->launch.block) : 0;
}

/* Why the case cannot run here, or NULL. */
static const char *refusal(const sweep *s, const problem *p, const sweep_case *c)
{
    static char text[128];
    const variant *v = c->variant;
    const struct cudaDeviceProp *device = &s->device->properties;
    if (!v->run) {
        snprintf(text, sizeof text, "needs %s, which this build lacks", v->needs);
        return text;
    }
    if (device->major * 10 + device->minor < v->compute_capability) {
        snprintf(text, sizeof text, "needs compute capability %d.%d", v->compute_capability / 10,
                 v->compute_capability % 10);
        return text;
    }
    const char *reason = v->refuse ? v->refuse(p, c->launch.block) : NULL;
    if (!reason && v->kind == VARIANT_GPU)
        reason = device_refuses_launch(s->device, kernel_of(c), c->launch.block,
                                       dynamic_shared_bytes(p, c));
    return reason;
}

static void describe_resources(const sweep *s, const problem *p, sweep_case *c)
{
    kernel_resources r = device_kernel_resources(s->device, kernel_of(c), c->launch.block,
                                                 dynamic_shared_bytes(p, c));
    c->row.registers = r.registers;
    c->row.shared_bytes = r.shared_bytes;
    c->row.local_bytes = r.local_bytes;
    c->row.blocks_per_sm = r.blocks_per_sm;
    c->row.occupancy = r.occupancy;
    snprintf(c->row.limiter, sizeof c->row.limiter, "%s", r.limiter);
}

/* Runs the case once over poisoned outputs, which end up in host memory. Returns its seconds. */
static double run_once(const sweep *s, const problem *p, sweep_case *c, const device_sets *sets)
{
    void *buffers[LAB_MAX_BUFFERS];
    launch l = c->launch;
    l.buffer = buffers;
    problem_poison_host(p);
    if (is_cpu(c->variant)) {
        problem_host_buffers(p, buffers);
        double start = host_seconds();
        c->variant->run(p, &l);
        return host_seconds() - start;
    }
    device_sets_buffers(sets, p, 0, buffers);
    device_sets_poison(sets, p, s->stream);
    if (c->variant->prepare)
        c->variant->prepare(p, &l);
    CUDA_CHECK(cudaStreamSynchronize(s->stream));
    double start = host_seconds();
    c->variant->run(p, &l);
    CUDA_CHECK(cudaStreamSynchronize(s->stream));
    double seconds = host_seconds() - start;
    device_sets_copy_out(sets, p, s->stream);
    CUDA_CHECK(cudaStreamSynchronize(s->stream));
    return seconds;
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

/* Runs and checks the case; fills the row but for its times. Returns seconds, NaN if it failed. */
static double check_case(sweep *s, const problem *p, sweep_case *c, const device_sets *sets)
{
    const char *reason = refusal(s, p, c);
    if (reason) {
        set_status(&c->row, "skipped", reason);
        return NAN;
    }
    const variant *v = c->variant;
    size_t workspace = v->workspace_bytes ? v->workspace_bytes(p) : 0;
    if (workspace && cudaMalloc(&c->launch.workspace, workspace) != cudaSuccess) {
        (void)cudaGetLastError();
        set_status(&c->row, "skipped", "the device has no room for the workspace");
        return NAN;
    }
    s->lab->work(p, &c->row.bytes, &c->row.flops);
    if (v->kind == VARIANT_GPU)
        describe_resources(s, p, c);
    double seconds = run_once(s, p, c, sets);
    check_result checked = s->lab->check(p);
    c->row.max_error = checked.max_error;
    c->row.tolerance = checked.tolerance;
    if (!check_passed(&checked)) {
        check_explain(&checked);
        set_status(&c->row, "wrong", checked.note);
        s->wrong = true;
        return NAN;
    }
    set_status(&c->row, "ok", NULL);
    if (checked.note[0])
        set_status(&c->row, "ok", checked.note);
    present(s, p, c);
    return seconds;
}

/* ---- timing --------------------------------------------------------------------------------- */

/* An emulated kernel is run once; its time is kept for curiosity and drawn nowhere. */
static void set_emulated_time(result *row, double seconds)
{
    samples once = {0};
    samples_add(&once, seconds);
    set_times(row, samples_summarise(&once));
    samples_free(&once);
}

static double median_end_to_end(const problem *p, const sweep_case *c, const device_sets *sets)
{
    enum { MOST = 5 };
    const double enough = 0.1; /* seconds in all */
    samples list = {0};
    double spent = 0;
    while (list.count == 0 || (list.count < MOST && spent < enough && !interrupted)) {
        double seconds = timer_end_to_end(p, c->variant, &c->launch, sets);
        spent += seconds;
        samples_add(&list, seconds);
    }
    summary times = samples_summarise(&list);
    samples_free(&list);
    return times.median;
}

static void start_timer(const sweep *s, const problem *p, sweep_case *c, device_sets *sets,
                        double seconds)
{
    if (is_cpu(c->variant)) {
        c->timer = timer_create_cpu(p, c->variant, &c->launch, seconds);
    } else {
        c->row.end_to_end_s = median_end_to_end(p, c, sets);
        c->timer = timer_create_gpu(p, c->variant, &c->launch, sets, s->options->hot);
    }
    c->timed = true;
}

/*
 * CPU variants are sampled one after the other: a thread pool that has just worked keeps spinning
 * for a while, and takes cores from whatever is timed next. Each waits until that is over.
 */
static void sample_in_turn(sweep *s, sweep_case *cases, int count)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    for (int k = 0; k < count; k++) {
        timer *t = &cases[k].timer;
        if (cases[k].timed)
            nanosleep(&pause, NULL);
        while (cases[k].timed && !interrupted &&
               !timer_done(t, s->options->trials, s->options->time_cap))
            timer_sample(t);
    }
}

/* Samples all waiting cases in rounds, forward and backward, until each has enough. */
static void sample_interleaved(sweep *s, sweep_case *cases, int count, const char *what)
{
    bool more = true;
    for (int round = 0; more && !interrupted; round++) {
        more = false;
        for (int k = 0; k < count && !interrupted; k++) {
            sweep_case *c = &cases[round % 2 ? count - 1 - k : k];
            if (!c->timed || timer_done(&c->timer, s->options->trials, s->options->time_cap))
                continue;
            timer_sample(&c->timer);
            more = true;
        }
        progress_show(&s->progress, 0, what);
    }
}

/* Rows of what was fully sampled; an interrupted case without enough samples gives none. */
static void collect(sweep *s, sweep_case *cases, int count)
{
    for (int k = 0; k < count; k++) {
        sweep_case *c = &cases[k];
        bool complete = c->row.status[0] != '\0';
        if (c->timed) {
            complete = timer_done(&c->timer, s->options->trials, s->options->time_cap);
            set_times(&c->row, samples_summarise(&c->timer.samples));
            timer_free(&c->timer);
        }
        if (c->launch.workspace)
            CUDA_CHECK(cudaFree(c->launch.workspace));
        if (!complete)
            continue;
        if (!isnan(c->row.time_s))
            set_rates(s, &c->row);
        result_table_add(s->table, &c->row);
    }
}

/* ---- one size ------------------------------------------------------------------------------- */

static void describe_case(const sweep_case *c, char text[128])
{
    int used = snprintf(text, 128, "%s %dx%d", c->variant->name, c->row.width, c->row.height);
    if (c->row.block_x > 0)
        snprintf(text + used, 128 - (size_t)used, " block %dx%d", c->row.block_x, c->row.block_y);
}

/* Checks and times a group of cases: the CPU's or the GPU's of one size. */
static void run_group(sweep *s, const problem *p, sweep_case *cases, int count, device_sets *sets)
{
    char what[128];
    double bytes, flops;
    if (count == 0)
        return;
    s->lab->work(p, &bytes, &flops);
    for (int k = 0; k < count && !interrupted; k++) {
        sweep_case *c = &cases[k];
        describe_case(c, what);
        progress_show(&s->progress, 0, what);
        double seconds = check_case(s, p, c, sets);
        if (!isnan(seconds) && !s->options->check_only) {
            if (strcmp(c->row.kind, "emulated") == 0)
                set_emulated_time(&c->row, seconds);
            else
                start_timer(s, p, c, sets, seconds);
        }
        progress_show(&s->progress, flops, what);
    }
    if (sets)
        sample_interleaved(s, cases, count, what);
    else
        sample_in_turn(s, cases, count);
    collect(s, cases, count);
}

static void skip_all(sweep *s, sweep_case *cases, int count, const char *reason)
{
    for (int k = 0; k < count; k++) {
        set_status(&cases[k].row, "skipped", reason);
        result_table_add(s->table, &cases[k].row);
    }
}

/* The bytes that the inputs of all sets must exceed for a cold cache; 0 where one set will do. */
static size_t cold_bytes(const sweep *s)
{
    if (s->options->hot || s->options->check_only || s->device->emulated)
        return 0;
    return (size_t)L2_MULTIPLE * (size_t)s->device->properties.l2CacheSize;
}

static bool fits_memory(const sweep *s, size2 size)
{
    double bytes = problem_bytes(s->lab, size.width, size.height);
    double copies = s->device->emulated ? 2 : 1; /* the emulated device's memory is the host's */
    return copies * bytes < 0.9 * host_memory_bytes() &&
           bytes < 0.95 * (double)s->device->properties.totalGlobalMem;
}

static void run_size(sweep *s, size2 size, bool large, sweep_case *cases)
{
    int count = list_cases(s, size, large, cases), cpu_count = 0, first_row = s->table->count;
    while (cpu_count < count && is_cpu(cases[cpu_count].variant))
        cpu_count++;
    if (count == 0)
        return;
    if (!fits_memory(s, size)) {
        skip_all(s, cases, count, "more memory than this machine has");
        print_rows(s, first_row);
        return;
    }
    problem p = problem_create(s->lab, size.width, size.height, s->options->seed);
    run_group(s, &p, cases, cpu_count, NULL);
    save(s);
    if (count > cpu_count && !interrupted) {
        device_sets sets;
        if (device_sets_create(&sets, &p, cold_bytes(s)) == 0) {
            run_group(s, &p, cases + cpu_count, count - cpu_count, &sets);
            device_sets_free(&sets);
        } else {
            skip_all(s, cases + cpu_count, count - cpu_count, "more memory than the device has");
        }
        save(s);
    }
    print_rows(s, first_row);
    problem_free(&p);
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

/* An unwritable path shows before the work, not after it. */
static void check_csv_path(const char *path)
{
    char error[FILE_ERROR_SIZE];
    file_draft draft;
    if (file_create(&draft, path, error))
        die_bad_input("%s", error);
    file_abandon(&draft);
}

/* Takes over the good rows of an interrupted run; without a file it is a first run. */
static void load_finished_rows(const char *path, result_table *table)
{
    char error[FILE_ERROR_SIZE];
    result_table old = {0};
    if (access(path, F_OK) != 0)
        return;
    if (result_table_read(&old, path, error))
        die_bad_input("--resume: %s", error);
    for (int i = 0; i < old.count; i++)
        if (strcmp(old.rows[i].status, "ok") == 0 || strcmp(old.rows[i].status, "skipped") == 0)
            result_table_add(table, &old.rows[i]);
    result_table_free(&old);
}

void sweep_open(const options *o, result_table *table)
{
    if (o->csv)
        check_csv_path(o->csv);
    if (o->resume)
        load_finished_rows(o->csv, table);
}

int sweep_run(const lab *definition, const options *o, const device *d, const char *machine,
              result_table *table)
{
    sweep s = {.lab = definition, .options = o, .device = d, .table = table};
    snprintf(s.machine, sizeof s.machine, "%s", machine);
    definition->parameters(s.parameters, sizeof s.parameters);
    refuse_huge_sizes(&s);
    CUDA_CHECK(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    catch_interrupts();

    size_t most = (size_t)definition->n_variants * (size_t)(o->blocks.count + 1);
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
                table->count, o->csv ? " in " : "", o->csv ? o->csv : "");
        return EXIT_INTERRUPTED;
    }
    return s.wrong ? EXIT_WRONG_RESULT : 0;
}
