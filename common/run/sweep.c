#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "sweep.h"
#include "child.h"
#include "command_line/progress.h"
#include "cpu_limit.h"
#include "machine/host.h"
#include "measure/buffers.h"
#include "pictures/picture.h"
#include "process/die.h"
#include "rows/build.h"
#include "sweep_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LARGE_SIZE_THREADS = 64, L2_MULTIPLE = 3 };

static const dim3 no_block; /* of what has no kernel of ours */
static const file_times no_files = {NAN, NAN};
static const copy_times no_copies = {NAN, NAN, NAN, NAN};

typedef struct case_list {
    sweep_case *items; /* those on the host first */
    int count, on_host, capacity;
} case_list;

typedef struct sweep {
    const lab *lab;
    const options *options;
    const device *device;
    const char *machine;
    char parameters[RESULT_TEXT];
    cudaStream_t stream;
    store *store;
    store awkward; /* in memory: each variant and block, checked at the awkward size */
    bool aside;    /* it is at that size now, of which nothing is shown */
    progress progress;
    text_table terminal; /* set up with the first rows */
    bool any, presented_cpu, presented_gpu;
} sweep;

/* ---- which cases there are ------------------------------------------------------------------ */

static bool is_cpu(const variant *v)
{
    return v->kind == VARIANT_CPU;
}

/* OpenMP scaling: the serial variant, and those that scale with several numbers of threads. */
static bool is_scaling(const sweep *s)
{
    return s->options->cpu_threads.count > 0;
}

/* Several GPUs run what is for them alone, one by itself only if that is asked for by name. */
static bool is_for_other_runs(const sweep *s, const variant *v)
{
    if (ranks_now().count > 1 || s->options->divided)
        return !v->part;
    return v->part && !s->options->variants_text;
}

/* Does a default sweep leave this out? What the user asks for by size is always run. */
static bool left_out(const sweep *s, const variant *v, extent size, dim3 block, bool large)
{
    const lab *l = s->lab;
    if (is_for_other_runs(s, v))
        return true;
    if (s->options->transfer != TRANSFER_PAGEABLE && variant_is_on_host(v))
        return true; /* nothing is transferred */
    if (s->options->transfer == TRANSFER_OVERLAPPED && v->role == ROLE_YARDSTICK)
        return true; /* what it moves need not go by elements */
    if (large)
        return is_cpu(v) || v->slow ||
               (v->kind == VARIANT_GPU && block.x * block.y < LARGE_SIZE_THREADS);
    return !s->options->sizes_given && s->device->emulated && !is_cpu(v) &&
           l->sweep.emulated_max > 0 && (double)size.width * size.height > l->sweep.emulated_max;
}

static result row_for(const sweep *s, const variant *v, extent size, dim3 block)
{
    /* Messages between emulated GPUs are emulated, too. */
    bool emulated = s->device->emulated && (v->kind == VARIANT_GPU || (v->part && !v->on_host));
    const char *kind = emulated ? "emulated" : kind_names[v->kind];
    result row = variant_row(s->lab, v, kind, s->machine, s->parameters, size, block);
    bool hot = variant_is_on_host(v) || s->options->hot;
    snprintf(row.cache, sizeof row.cache, "%s", hot ? "hot" : "cold");
    snprintf(row.note, sizeof row.note, "%s", v->note ? v->note : "");
    if (v->part) {
        row.nodes = ranks_now().nodes;
        row.gpus = ranks_now().count;
    }
    row.frames = s->options->frames ? s->options->frames : -1;
    return row;
}

/* With so many OpenMP threads; 0: as many as there are. */
static void add_case(const sweep *s, case_list *list, const variant *v, extent size, dim3 block,
                     bool large, int cpu_threads)
{
    if (left_out(s, v, size, block, large))
        return;
    list->items = grow(list->items, list->count, &list->capacity, sizeof *list->items);
    sweep_case *c = &list->items[list->count++];
    list->on_host += variant_is_on_host(v);
    *c = (sweep_case){.runner = {.variant = v, .launch = {.block = block, .stream = s->stream}},
                      .cpu_threads = cpu_threads,
                      .row = row_for(s, v, size, block)};
    size_t used = strlen(c->row.parameters);
    if (cpu_threads)
        snprintf(c->row.parameters + used, sizeof c->row.parameters - used, ";cpu_threads=%d",
                 cpu_threads);
}

static bool belongs(const variant *v)
{
    return !v->applies || v->applies();
}

/* The cases of a size that show how the CPU scales; a serial row of this run serves again. */
static void list_scaling_cases(const sweep *s, case_list *list, extent size)
{
    const count_list *threads = &s->options->cpu_threads;
    for (int i = 0; i < s->lab->n_variants; i++) {
        const variant *v = &s->lab->variants[i];
        result row = row_for(s, v, size, no_block);
        if (!belongs(v))
            continue;
        if (v->role == ROLE_SERIAL &&
            !store_is_own(s->store, result_table_find(&s->store->rows, &row)))
            add_case(s, list, v, size, no_block, false, 0);
        for (int k = 0; v->role == ROLE_SCALES && k < threads->count; k++)
            add_case(s, list, v, size, no_block, false, threads->items[k]);
    }
}

/* All cases of a size, those on the host first. */
static case_list list_cases(const sweep *s, extent size, bool large)
{
    case_list list = {.items = NULL};
    if (is_scaling(s)) {
        list_scaling_cases(s, &list, size);
        return list;
    }
    for (int host_pass = 1; host_pass >= 0; host_pass--)
        for (int i = 0; i < s->lab->n_variants; i++) {
            const variant *v = &s->lab->variants[i];
            if (!s->options->chosen[i] || variant_is_on_host(v) != host_pass || !belongs(v))
                continue;
            const block_list *chosen = &s->options->blocks;
            dim3 block;
            if (v->kind != VARIANT_GPU)
                add_case(s, &list, v, size, no_block, large, 0);
            else
                for (int b = 0; variant_block(v, chosen->items, chosen->count, b, &block); b++)
                    add_case(s, &list, v, size, block, large, 0);
        }
    return list;
}

static void describe_case(const sweep_case *c, char text[128])
{
    char size[EXTENT_TEXT];
    int used = snprintf(text, 128, "%s %s", c->runner.variant->name,
                        extent_text(result_extent(&c->row), size));
    if (c->row.block_x > 0)
        snprintf(text + used, 128 - (size_t)used, " block %dx%d", c->row.block_x, c->row.block_y);
    if (c->cpu_threads)
        snprintf(text + used, 128 - (size_t)used, " %d thread%s", c->cpu_threads,
                 c->cpu_threads == 1 ? "" : "s");
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Takes over the row of an earlier run. */
static void keep(const sweep *s, sweep_case *c)
{
    c->row = *result_table_find(&s->store->rows, &c->row);
    c->state = CASE_KEPT;
}

/* Is the row of this lab, machine, size and parameters? */
static bool is_of_size(const sweep *s, const result *row, extent size)
{
    return row->width == size.width && row->height == size.height &&
           (row->depth > 0 ? row->depth : 0) == size.depth && strcmp(row->lab, s->lab->name) == 0 &&
           strcmp(row->machine, s->machine) == 0 && strcmp(row->parameters, s->parameters) == 0;
}

/* The serial variant's time at this size, of this run or one before it. */
static double serial_time(const sweep *s, extent size)
{
    const result_table *rows = &s->store->rows;
    for (int i = 0; i < rows->count; i++)
        if (strcmp(rows->rows[i].role, "serial") == 0 && is_of_size(s, &rows->rows[i], size))
            return rows->rows[i].time_s;
    return NAN;
}

/* Has the case a row that says all, with a speedup if there is a serial time by now? */
static bool is_finished(const sweep *s, const sweep_case *c)
{
    const result *row = result_table_find(&s->store->rows, &c->row);
    bool timed = !s->options->check_only;
    if (!store_is_finished(s->store, &c->row, timed))
        return false;
    return !timed || isnan(row->time_s) || !isnan(row->speedup) ||
           c->runner.variant->role == ROLE_YARDSTICK || isnan(serial_time(s, result_extent(row)));
}

/* With --resume, takes over the rows that are finished; returns how many cases are left to run. */
static int keep_finished_rows(const sweep *s, case_list *list)
{
    int left = 0;
    for (int k = 0; k < list->count; k++) {
        sweep_case *c = &list->items[k];
        bool finished = ranks_first(s->options->resume && is_finished(s, c));
        if (finished && ranks_now().rank == 0)
            keep(s, c);
        else if (finished)
            c->state = CASE_KEPT; /* rank 0 has the rows */
        left += c->state == CASE_NEW;
    }
    return left;
}

/* The rows of the cases that have one, under a heading if they are the first. */
static void print_rows(sweep *s, const case_list *list)
{
    int count = 0;
    if (s->aside || list->count == 0)
        return;
    progress_clear(&s->progress);
    if (!s->terminal.count) {
        s->terminal = result_terminal(s->options->wide);
        result_print_heading(s->lab->name, s->machine, s->parameters);
    }
    const result **rows = allocate((size_t)list->count * sizeof(const result *));
    for (int k = 0; k < list->count; k++)
        if (list->items[k].row.status[0])
            rows[count++] = &list->items[k].row;
    result_print_rows(&s->terminal, rows, count);
    free(rows);
    fflush(stdout);
}

static void finish_all(sweep_case *cases, int count, const char *status, const char *reason)
{
    for (int k = 0; k < count; k++)
        if (cases[k].state == CASE_NEW)
            case_finish(&cases[k], status, reason);
}

static void release(sweep_case *cases, int count)
{
    for (int k = 0; k < count; k++)
        case_free(&cases[k]);
}

/* Was the serial loop stopped before it had its time, which the others' speedups are over? */
static bool serial_was_stopped(const case_list *list)
{
    for (int k = 0; k < list->count; k++)
        if (list->items[k].runner.variant->role == ROLE_SERIAL)
            return list->items[k].state == CASE_NEW || list->items[k].state == CASE_TIMED;
    return false;
}

/* Puts the cases' rows into the store; an interrupted one without enough samples gives none. */
static void collect(sweep *s, sweep_case *cases, int count, size_times *times)
{
    result *rows = allocate((size_t)count * sizeof *rows);
    int n = 0;
    for (int k = 0; k < count; k++)
        if (cases[k].runner.variant->role == ROLE_SERIAL && cases[k].row.status[0])
            times->serial_s = cases[k].row.time_s;
    for (int k = 0; k < count; k++) {
        sweep_case *c = &cases[k];
        if (c->state != CASE_DONE && c->state != CASE_RIGHT)
            continue;
        case_complete(c, times);
        rows[n++] = c->row;
    }
    store_put(s->store, rows, n);
    free(rows);
}

/* ---- timing --------------------------------------------------------------------------------- */

/* Has the case a timer that wants more samples, until it has that share of them? */
static bool wants_samples(const sweep *s, const sweep_case *c, double share)
{
    return c->state == CASE_TIMED && !interrupted() &&
           !timer_done(&c->timer, s->options->trials, s->options->time_cap, share);
}

/*
 * CPU variants are sampled one after the other: a thread pool that has just worked keeps spinning
 * for a while, and takes cores from whatever is timed next, which waits until that is over.
 */
static void sample_in_turn(const sweep *s, sweep_case *cases, int count, case_room *room,
                           double share)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    bool spinning = false;
    for (int k = 0; k < count; k++) {
        if (!wants_samples(s, &cases[k], share))
            continue;
        if (spinning)
            nanosleep(&pause, NULL);
        while (wants_samples(s, &cases[k], share))
            case_do(case_sample, &cases[k], room);
        spinning = !variant_is_one_thread(cases[k].runner.variant);
    }
}

/* Samples all waiting cases in rounds, forward and backward, until each has enough. */
static void sample_interleaved(sweep *s, sweep_case *cases, int count, case_room *room)
{
    bool more = true;
    for (int round = 0; more; round++) {
        more = false;
        for (int k = 0; k < count; k++) {
            sweep_case *c = &cases[round % 2 ? count - 1 - k : k];
            if (wants_samples(s, c, 1)) {
                case_do(case_sample, c, room);
                more = true;
            }
        }
        progress_show(&s->progress, 0, "timing");
    }
}

static double median_of(const sweep_case *c)
{
    return summarise(c->timer.samples.values, c->timer.samples.count).median;
}

/* Is no other block of its variant faster? */
static bool is_fastest_block(const sweep_case *cases, int count, const sweep_case *c)
{
    for (const sweep_case *other = cases; other < cases + count; other++)
        if (other->runner.variant == c->runner.variant && other->state == CASE_TIMED &&
            median_of(other) < median_of(c))
            return false;
    return true;
}

/* Copies take longer than kernels: a default sweep times each variant's fastest block alone with
 * them. */
static void choose_end_to_end(const sweep *s, sweep_case *cases, int count, const case_room *room)
{
    for (int k = 0; k < count && room->on_gpu && !room->hot; k++)
        if (cases[k].state == CASE_TIMED)
            cases[k].from_end_to_end =
                s->options->every_end_to_end || is_fastest_block(cases, count, &cases[k]);
}

static void end_timers(const sweep *s, sweep_case *cases, int count, case_room *room)
{
    choose_end_to_end(s, cases, count, room);
    for (int k = 0; k < count; k++) {
        sweep_case *c = &cases[k];
        if (c->state != CASE_TIMED)
            continue;
        if (timer_done(&c->timer, s->options->trials, s->options->time_cap, 1))
            case_do(case_end_timer, c, room);
        else
            case_abandon_timer(c);
    }
}

/* ---- checking ------------------------------------------------------------------------------- */

static bool is_bad(const result *row)
{
    return strcmp(row->status, "wrong") == 0 || strcmp(row->status, "failed") == 0;
}

/* What the variant came to at the awkward size with this block: its row if it was bad there. */
static const result *bad_at_awkward_size(const sweep *s, const result *row)
{
    for (int i = 0; i < s->awkward.rows.count; i++) {
        const result *r = &s->awkward.rows.rows[i];
        if (strcmp(r->variant, row->variant) == 0 && r->block_x == row->block_x &&
            r->block_y == row->block_y && is_bad(r))
            return r;
    }
    return NULL;
}

/* Would a CPU case that nobody named take too long? Its row then says so. */
static bool is_over_limit(const sweep *s, sweep_case *c)
{
    char note[RESULT_TEXT];
    const options *o = s->options;
    if (!is_cpu(c->runner.variant) || o->single || o->variants_text || is_scaling(s) || s->aside)
        return false;
    picture_set_quiet(true); /* the pieces that it runs are nobody's business */
    double seconds = cpu_limit_predict(s->lab, c->runner.variant, &c->row, o->seed, &s->store->rows,
                                       o->cpu_limit);
    picture_set_quiet(false);
    if (!(seconds > o->cpu_limit))
        return false;
    snprintf(note, sizeof note,
             "predicted to take about %.0f s, over --cpu-limit %g; name it in --variants to run it",
             seconds, o->cpu_limit);
    if (store_is_finished(s->store, &c->row, !o->check_only))
        keep(s, c); /* somebody did run it */
    else
        case_finish(c, "skipped", note);
    return true;
}

static void present(sweep *s, const problem *p, const sweep_case *c)
{
    bool *done = is_cpu(c->runner.variant) ? &s->presented_cpu : &s->presented_gpu;
    if (!s->options->single || !s->lab->present || *done || ranks_now().rank > 0)
        return;
    *done = true;
    progress_clear(&s->progress);
    s->lab->present(p, c->runner.variant, c->runner.launch.block);
}

static void check_and_start(sweep *s, sweep_case *c, case_room *room)
{
    const result *bad = bad_at_awkward_size(s, &c->row);
    if (bad) {
        case_finish_as(c, bad);
        return;
    }
    if (is_over_limit(s, c))
        return;
    case_do(case_check, c, room);
    if (c->state != CASE_RIGHT)
        return;
    present(s, room->problem, c);
    bool timed = !s->options->check_only && strcmp(c->row.kind, "emulated") != 0;
    if (timed) /* an emulated kernel's time says nothing about a GPU */
        case_do(case_start_timer, c, room);
    else if (s->options->frames)
        case_do(case_stream, c, room);
}

/* ---- one size ------------------------------------------------------------------------------- */

/* A group of cases are the CPU's, or the GPU's, of one size. Half of a group's work is to check it.
 */
static double half_of(const sweep *s, const problem *p)
{
    return s->aside ? 0 : work_of(s->lab, (extent){p->width, p->height, p->depth}) / 2;
}

static void check_group(sweep *s, sweep_case *cases, int count, case_room *room)
{
    char what[128] = "";
    for (int k = 0; k < count && !interrupted(); k++) {
        describe_case(&cases[k], what);
        progress_show(&s->progress, 0, what);
        if (cases[k].state == CASE_NEW)
            check_and_start(s, &cases[k], room);
        progress_show(&s->progress, half_of(s, room->problem), what);
    }
}

static void end_group(sweep *s, sweep_case *cases, int count, case_room *room)
{
    end_timers(s, cases, count, room);
    release(cases, count);
    progress_show(&s->progress, half_of(s, room->problem) * count, "timing");
}

/* The bytes that the inputs of all sets must exceed for a cold cache; 0 where one set will do. */
static size_t cold_bytes(const sweep *s)
{
    if (s->options->hot || s->options->check_only || s->device->emulated)
        return 0;
    return (size_t)L2_MULTIPLE * (size_t)s->device->properties.l2CacheSize;
}

/* Device memory for a group of cases. Returns NULL, or why there is none, as a phrase. */
static const char *open_room(case_room *room, const sweep *s, const sweep_case *cases, int count)
{
    const problem *p = &room->part;
    bool fits = device_sets_create(&room->sets, p, cold_bytes(s));
    if (ranks_any(!fits))
        return "more memory than the device has";
    size_t *needs = allocate((size_t)count * sizeof *needs);
    for (int k = 0; k < count; k++)
        needs[k] = cases[k].state == CASE_NEW ? workspace_need(cases[k].runner.variant, p) : 0;
    room->workspace = workspace_create(needs, count);
    free(needs);
    if (s->options->frames)
        return stream_create(&room->stream, s->lab, p, s->options->frames, &room->sets);
    return transfer_create(&room->transfer, s->options->transfer, p, &room->sets);
}

static void run_gpu_group(sweep *s, const problem *p, sweep_case *cases, int count,
                          size_times *times)
{
    case_room room = {.lab = s->lab,
                      .device = s->device,
                      .problem = p,
                      .hot = s->options->hot,
                      .diagnose = s->options->diagnose,
                      .on_gpu = true,
                      .timed = !s->options->check_only,
                      .rows_path = s->store->path};
    const char *lost = cuda_context_lost();
    const ranks all = ranks_now();
    if (count > 0)
        room.part = problem_part(p, cases[0].runner.variant, all.rank, all.count);
    if (count == 0 || interrupted() || (lost && s->aside))
        return; /* the rows of the sizes to come will say that it is lost */
    const char *reason = lost ? lost : open_room(&room, s, cases, count);
    if (reason)
        finish_all(cases, count, lost ? "failed" : "skipped", reason);
    else if (!s->options->check_only && !s->device->emulated)
        times->copies = s->options->frames ? stream_time_copies(&room.stream, s->stream)
                                           : transfer_time_copies(&room.transfer, s->stream);
    check_group(s, cases, count, &room);
    sample_interleaved(s, cases, count, &room);
    end_group(s, cases, count, &room);
    stream_free(&room.stream);
    transfer_free(&room.transfer);
    device_memory_free(&room.workspace);
    device_sets_free(&room.sets);
    free(room.right);
}

/* A group of emulated kernels, which a child runs: it finds all that it needs in its copy of this
 * process's memory, and changes these. */
typedef struct emulated_group {
    sweep sweep;
    const problem *problem;
    size_times *times;
    int first, count; /* those from the first one on are still to be run */
    sweep_case cases[];
} emulated_group;

static void run_rest(void *context)
{
    emulated_group *g = context;
    run_gpu_group(&g->sweep, g->problem, g->cases + g->first, g->count - g->first, g->times);
    progress_clear(&g->sweep.progress);
}

/* Runs the group in children, one after the other: whatever ends one has ended the case that was
 * under way, and the next one goes on behind it. */
static void run_in_children(emulated_group *g, FILE *out)
{
    char reason[RESULT_TEXT];
    while (g->first < g->count && !interrupted()) {
        bool ended = child_run(run_rest, g, out, reason);
        while (g->first < g->count && g->cases[g->first].state != CASE_NEW)
            g->first++;
        g->first -= !ended && g->first == g->count; /* a heap that is broken shows in the end */
        if (g->first < g->count && !interrupted())
            case_finish(&g->cases[g->first++], "failed", reason);
    }
}

/* What kernels printed at the awkward size: if one was bad there, else they print it again. */
static void show_printed(const emulated_group *g, FILE *printed)
{
    char text[4096];
    bool bad = false;
    for (int k = 0; k < g->count; k++)
        bad = bad || is_bad(&g->cases[k].row);
    if (!bad)
        return;
    rewind(printed);
    for (size_t n; (n = fread(text, 1, sizeof text, printed)) > 0;)
        fwrite(text, 1, n, stdout);
}

/*
 * A kernel on the CPU that crashes takes its process with it, and may have written anywhere before;
 * one that never ends cannot be stopped in it. So each group has a process of its own, and a fork
 * costs a size some milliseconds. A process for each case would set up its threads, some hundred
 * stacks each, again and again.
 */
static void run_emulated_group(sweep *s, const problem *p, sweep_case *cases, int count,
                               size_times *times)
{
    const size_t bytes = sizeof(emulated_group) + (size_t)count * sizeof *cases;
    FILE *printed = s->aside ? tmpfile() : NULL;
    emulated_group *g = child_memory(bytes);
    *g = (emulated_group){.sweep = *s, .problem = p, .times = times, .count = count};
    memcpy(g->cases, cases, (size_t)count * sizeof *cases);
    progress_ends_at_once();
    run_in_children(g, printed ? printed : stdout);
    if (printed) {
        show_printed(g, printed);
        fclose(printed);
    }
    for (int k = 0; k < count; k++) { /* what else they had has gone with the children */
        cases[k].state = g->cases[k].state;
        cases[k].row = g->cases[k].row;
    }
    s->progress = g->sweep.progress;
    s->presented_gpu = g->sweep.presented_gpu;
    child_memory_free(g, bytes);
}

/*
 * Not in a child: what several ranks tell each other, what a build for checks finds out by its end,
 * and the timeline of a stream, which grows from size to size.
 */
static bool is_for_children(const sweep *s)
{
    return s->device->emulated && ranks_now().count == 1 && !this_build.checks &&
           !s->options->frames;
}

/* Each process of a node has the problem in its host memory; devices share it. */
static bool fits_memory(const sweep *s, extent size)
{
    const ranks all = ranks_now();
    double bytes = problem_bytes(s->lab, size);
    double copies = s->device->emulated ? 2 : 1; /* the emulated device's memory is the host's */
    bool fits = copies * bytes * all.on_node < 0.9 * host_memory_bytes() &&
                bytes / all.count < 0.95 * (double)s->device->properties.totalGlobalMem;
    return !ranks_any(!fits);
}

/* How many of the cases, from the first on, have the same parts of the problem on the devices? */
static int count_alike(const sweep_case *cases, int count)
{
    int alike = 1;
    while (alike < count && (ranks_now().count == 1 ||
                             cases[alike].runner.variant->part == cases[0].runner.variant->part))
        alike++;
    return alike;
}

/*
 * The CPU's samples are taken half before the GPU's and half behind: what else a computer does, or
 * a neighbour on it, changes its times within seconds, and the noise that a row states is to tell.
 */
static void run_cases(sweep *s, extent size, case_list *list)
{
    const ranks all = ranks_now();
    int host_count = list->on_host, gpu = list->count - host_count;
    sweep_case *kernels = list->items + host_count;
    problem p = problem_create(s->lab, size, s->options->seed);
    case_room host = {.lab = s->lab,
                      .device = s->device,
                      .problem = &p,
                      .part = p,
                      .timed = !s->options->check_only,
                      .diagnose = s->options->diagnose};
    if (host_count > 0)
        host.part = problem_part(&p, list->items[0].runner.variant, all.rank, all.count);
    bool moved = !s->options->check_only && all.count == 1;
    size_times times = {moved ? file_times_of(&p) : no_files, no_copies, serial_time(s, size)};
    check_group(s, list->items, host_count, &host);
    sample_in_turn(s, list->items, host_count, &host, 0.5);
    for (int k = 0, n; k < gpu; k += n) {
        n = count_alike(kernels + k, gpu - k);
        if (is_for_children(s))
            run_emulated_group(s, &p, kernels + k, n, &times);
        else
            run_gpu_group(s, &p, kernels + k, n, &times);
    }
    sample_in_turn(s, list->items, host_count, &host, 1);
    end_group(s, list->items, host_count, &host);
    free(host.right);
    if (!serial_was_stopped(list)) {
        collect(s, list->items, host_count, &times);
        collect(s, kernels, gpu, &times);
    }
    problem_free(&p);
}

static void run_size(sweep *s, extent size, bool large)
{
    size_times none = {{NAN, NAN}, no_copies, NAN};
    case_list list = list_cases(s, size, large);
    int left = keep_finished_rows(s, &list);
    s->any = s->any || list.count > 0;
    bool fits = list.count == 0 || fits_memory(s, size);
    if (!fits)
        finish_all(list.items, list.count, "skipped", "more memory than this machine has");
    if (fits && left > 0)
        run_cases(s, size, &list);
    else
        collect(s, list.items, list.count, &none);
    print_rows(s, &list);
    free(list.items);
}

/* ---- several GPUs ---------------------------------------------------------------------------- */

/* The number of the variant that leaves a rank without work at such a size, as the last one has the
 * least; -1 if there is none. */
static int without_work(const sweep *s, extent size)
{
    const problem p = problem_lay_out(s->lab, size, s->options->seed);
    const int count = ranks_now().count;
    for (int i = 0; i < s->lab->n_variants; i++) {
        const problem part = problem_part(&p, &s->lab->variants[i], count - 1, count);
        for (int b = 0; s->options->chosen[i] && !s->lab->variants[i].on_host && b < p.buffers; b++)
            if (p.buffer[b].role == BUFFER_OUTPUT && part.buffer[b].bytes == 0)
                return i;
    }
    return -1;
}

static void refuse_idle_ranks(const sweep *s)
{
    char text[EXTENT_TEXT];
    for (int i = 0; i < s->options->sizes.count; i++) {
        extent size = s->options->sizes.items[i];
        int idle = without_work(s, size);
        if (idle >= 0)
            die_bad_input("size %s leaves some of %d GPUs without work for %s; give a larger one",
                          extent_text(size, text), ranks_now().count, s->lab->variants[idle].name);
    }
}

/* ---- the awkward size ----------------------------------------------------------------------- */

/* An odd side about twice as long; the second side of a vector and the third of most stay. */
static int twice(int side)
{
    return side > 1 ? 2 * side + 1 : side;
}

/*
 * The usual awkward size of the lab's kind, about doubled until the lab takes it: primes and odd
 * numbers, multiples of no usual block. Returns false where there is none that is legal.
 */
static bool awkward_size(const lab *definition, extent *size)
{
    static const extent usual[] = {
        [SIZE_VECTOR] = {.width = 1013, .height = 1},
        [SIZE_IMAGE] = {.width = 67, .height = 49},
        [SIZE_PRODUCT] = {.height = 37, .width = 33, .depth = 35},
    };
    *size = usual[definition->sizes_are];
    while (!options_size_is_legal(definition, *size)) {
        if (size->width > definition->size_max / 2)
            return false;
        *size = (extent){twice(size->width), twice(size->height), twice(size->depth)};
    }
    return true;
}

/*
 * Checks every variant with every block where no block divides the size: default sizes are
 * multiples of default blocks, where a kernel without a bounds check is right by luck.
 */
static void check_awkward_size(sweep *s)
{
    extent size;
    if (s->options->check_only || !awkward_size(s->lab, &size) || without_work(s, size) >= 0)
        return; /* nothing is timed */
    options checks = *s->options;
    checks.check_only = true;
    checks.frames = 0;
    checks.transfer = checks.transfer == TRANSFER_STREAM ? TRANSFER_PAGEABLE : checks.transfer;
    checks.single = checks.resume = false;
    sweep aside = *s;
    aside.options = &checks;
    aside.store = &s->awkward;
    aside.aside = true;
    picture_set_quiet(true);
    run_size(&aside, size, false);
    picture_set_quiet(false);
    s->progress = aside.progress;
}

/* ---- the whole sweep ------------------------------------------------------------------------ */

/* The user's own sizes must fit; a default size that does not becomes skipped rows. */
static void refuse_huge_sizes(const sweep *s)
{
    char text[EXTENT_TEXT];
    const size_list *sizes = &s->options->sizes;
    for (int i = 0; s->options->sizes_given && i < sizes->count; i++)
        if (!fits_memory(s, sizes->items[i]))
            die_bad_input("size %s needs %.1f GiB, more than this machine has memory for",
                          extent_text(sizes->items[i], text),
                          problem_bytes(s->lab, sizes->items[i]) / 0x1p30);
}

static double total_work(const sweep *s, const size_list *sizes, bool large)
{
    double total = 0;
    for (int i = 0; i < sizes->count; i++) {
        case_list list = list_cases(s, sizes->items[i], large);
        total += work_of(s->lab, sizes->items[i]) * list.count;
        free(list.items);
    }
    return total;
}

/* Every size, after the awkward one. */
static void run_sizes(sweep *s)
{
    const options *o = s->options;
    const size_list none = {NULL, 0}, *large = s->device->emulated ? &none : &o->sizes_large;
    s->progress = progress_start(o->step, s->lab->name,
                                 total_work(s, &o->sizes, false) + total_work(s, large, true));
    check_awkward_size(s);
    for (int i = 0; i < o->sizes.count && !interrupted(); i++)
        run_size(s, o->sizes.items[i], false);
    for (int i = 0; i < large->count && !interrupted(); i++)
        run_size(s, large->items[i], true);
    store_free(&s->awkward);
    progress_clear(&s->progress);
}

static void say_interrupted(const sweep *s)
{
    const char *path = s->store->path;
    if (ranks_now().rank > 0)
        return;
    fprintf(stderr, "%s: interrupted", s->lab->name);
    if (path)
        fprintf(
            stderr,
            "; %d finished rows are kept in %s; the same with --resume (make: RESUME=1) goes on",
            s->store->rows.count, path);
    fputc('\n', stderr);
}

bool sweep_run(const lab *definition, const options *o, const device *d, const char *machine,
               store *rows)
{
    sweep s = {.lab = definition,
               .options = o,
               .device = d,
               .machine = machine,
               .store = rows,
               .awkward = store_open(NULL, false)};
    definition->parameters(s.parameters, sizeof s.parameters);
    if (o->transfer != TRANSFER_PAGEABLE) {
        size_t used = strlen(s.parameters);
        snprintf(s.parameters + used, sizeof s.parameters - used, ";transfer=%s",
                 transfer_names[o->transfer]);
    }
    refuse_huge_sizes(&s);
    refuse_idle_ranks(&s);
    if (!cuda_context_lost())
        CUDA_CHECK(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    run_sizes(&s);
    if (s.stream)
        CUDA_RELEASE(cudaStreamDestroy(s.stream));
    if (interrupted())
        say_interrupted(&s);
    return s.any;
}
