#include "sweep_case.h"
#include "check.h"
#include "command_line/progress.h"
#include "data/timeline.h"
#include "diagnose.h"
#include "machine/affinity.h"
#include "machine/host.h"
#include "measure/handed_in.h"
#include "process/die.h"
#include "rows/build.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_cpu(const sweep_case *c)
{
    return c->runner.variant->kind == VARIANT_CPU;
}

void case_finish(sweep_case *c, const char *status, const char *note)
{
    snprintf(c->row.status, sizeof c->row.status, "%s", status);
    if (note)
        snprintf(c->row.note, sizeof c->row.note, "%s", note);
    c->state = CASE_DONE;
}

void case_finish_as(sweep_case *c, const result *elsewhere)
{
    char note[RESULT_TEXT], size[EXTENT_TEXT];
    snprintf(note, sizeof note, "%.190s (at %s, which no block divides)", elsewhere->note,
             extent_text(result_extent(elsewhere), size));
    c->row.max_error = elsewhere->max_error;
    c->row.tolerance = elsewhere->tolerance;
    case_finish(c, elsewhere->status, note);
}

/* ---- one step, which may fail ---------------------------------------------------------------- */

typedef struct case_step {
    case_action *action;
    sweep_case *c;
    case_room *room;
} case_step;

static void take_step(void *context)
{
    const case_step *step = context;
    step->action(step->c, step->room);
}

/* Ends as this. It may have had its times already: they go. */
static void abandon(sweep_case *c, const char *status, const char *why)
{
    result *row = &c->row;
    timer_free(&c->timer);
    row->trials = -1;
    row->time_s = row->time_min_s = row->time_q1_s = row->time_q3_s = row->time_max_s = NAN;
    row->noise = row->end_to_end_s = NAN;
    case_finish(c, status, why);
}

static bool is_pinned(const variant *v)
{
    return v->kind == VARIANT_CPU && !v->unpinned;
}

void case_do(case_action *action, sweep_case *c, case_room *room)
{
    const variant *v = c->runner.variant;
    case_step step = {action, c, room};
    char failure[CUDA_FAILURE_SIZE];
    int threads = omp_get_max_threads();
    if (!is_cpu(c) && cuda_context_lost()) {
        abandon(c, "failed", cuda_context_lost());
        return;
    }
    if (c->cpu_threads)
        omp_set_num_threads(c->cpu_threads);
    bool pinned = is_pinned(v) && room->timed;
    if (pinned)
        affinity_pin(variant_is_one_thread(v) ? 1 : omp_get_max_threads());
    if (!cuda_check_guarded(take_step, &step, c->runner.launch.stream, failure)) {
        if (ranks_now().count > 1)
            ranks_abort(EXIT_CUDA_ERROR, failure); /* the others wait for what will not come */
        abandon(c, library_refused() ? "skipped" : "failed", failure);
    }
    if (pinned)
        affinity_release();
    omp_set_num_threads(threads);
}

/* ---- can it run ------------------------------------------------------------------------------ */

/* Dynamic shared memory of the variant's kernel `i`. */
static size_t dynamic_bytes(const launch *l, int i)
{
    return i == 0 ? l->shared_bytes : 0;
}

/* Why it cannot run, as a phrase; empty if it can. */
static void find_obstacle(const sweep_case *c, const case_room *room, char reason[RESULT_TEXT])
{
    const variant *v = c->runner.variant;
    const launch *l = &c->runner.launch;
    const struct cudaDeviceProp *device = &room->device->properties;
    const void *kernel;
    reason[0] = '\0';
    if (!v->run)
        snprintf(reason, RESULT_TEXT, "needs %s, which this build lacks", v->needs);
    else if (c->cpu_threads > omp_get_thread_limit())
        snprintf(reason, RESULT_TEXT, "OMP_THREAD_LIMIT is %d", omp_get_thread_limit());
    else if (workspace_need(v, &room->part) > room->workspace.bytes)
        snprintf(reason, RESULT_TEXT, "the device has no room for the workspace");
    else if (variant_refuses(v, &room->part, l->block, device->major, device->minor, reason))
        return;
    for (int i = 0; !reason[0] && (kernel = variant_kernel(v, l->block, i)); i++)
        device_can_launch(room->device, kernel, l->block, dynamic_bytes(l, i), reason);
}

/* Binds the case to the buffers of the first `count` sets, or to the host's. */
static void bind(sweep_case *c, case_room *room, int count)
{
    void *buffers[LAB_MAX_BUFFERS] = {NULL};
    if (!c->bindings)
        c->bindings = allocate((size_t)(room->on_gpu ? room->sets.count : 1) * sizeof *c->bindings);
    while (c->n_bindings < count) {
        if (room->on_gpu)
            device_sets_buffers(&room->sets, c->n_bindings, buffers);
        else
            problem_host_buffers(&room->part, buffers);
        runner_bind(&c->runner, &c->bindings[c->n_bindings++], buffers);
    }
}

static void settle_launch(sweep_case *c, case_room *room)
{
    const variant *v = c->runner.variant;
    launch *l = &c->runner.launch;
    c->runner.problem = &room->part;
    l->kernel = variant_kernel(v, l->block, 0);
    l->shared_bytes = variant_shared_bytes(v, &room->part, l->block);
    if (workspace_need(v, &room->part))
        l->workspace = device_memory_start(&room->workspace);
}

/* ---- what it takes --------------------------------------------------------------------------- */

static void describe_kernels(sweep_case *c, const device *d)
{
    const launch *l = &c->runner.launch;
    const void *kernel;
    int threads = (int)(l->block.x * l->block.y);
    for (int i = 0; (kernel = variant_kernel(c->runner.variant, l->block, i)); i++) {
        size_t dynamic = dynamic_bytes(l, i);
        kernel_figures f = device_kernel_figures(kernel);
        occupancy o = device_occupancy(d, kernel, &f, threads, dynamic);
        variant_add_kernel(&c->row, &f, dynamic, &o);
    }
}

/* A count for a row: an empty field where there is nothing. */
static double counted(double operations)
{
    return operations > 0 ? operations : NAN;
}

static void describe_work(sweep_case *c, case_room *room)
{
    const lab_work work = room->lab->work(room->problem);
    const variant *v = c->runner.variant;
    c->row.bytes = work.bytes;
    c->row.flops = v->role == ROLE_YARDSTICK ? NAN : counted(work.flops);
    c->row.int_ops = v->role == ROLE_YARDSTICK ? NAN : counted(work.int_ops);
    if (v->kind == VARIANT_GPU && !room->device->emulated)
        describe_kernels(c, room->device);
}

/* ---- is it right ----------------------------------------------------------------------------- */

static void poison_workspace(const sweep_case *c, case_room *room)
{
    size_t bytes = workspace_need(c->runner.variant, &room->part);
    if (!bytes)
        return;
    CUDA_CHECK(cudaMemsetAsync(c->runner.launch.workspace, 0xFF, bytes, c->runner.launch.stream));
    device_memory_guard(&room->workspace, bytes, c->runner.launch.stream);
}

/* Readies the device for a run whose result is checked. */
static void poison_device(const sweep_case *c, case_room *room)
{
    device_sets_poison(&room->sets, c->runner.launch.stream);
    poison_workspace(c, room);
    runner_prepare(&c->runner, c->bindings);
}

/* Are outputs that lie in device memory told by their checksum there? Not of a run that profilers
 * look at, as that launches a kernel, nor where ranks have parts of them. */
static bool told_on_device(const case_room *room)
{
    return room->on_gpu && room->timed && ranks_now().count == 1;
}

/* Brings what a run wrote into a set to the host's buffers, which are poisoned before. */
static void bring_out(const sweep_case *c, case_room *room, int set)
{
    problem_poison_host(ranks_now().rank == 0 ? room->problem : &room->part);
    device_sets_copy_out(&room->sets, set, c->runner.launch.stream);
    CUDA_CHECK(cudaStreamSynchronize(c->runner.launch.stream));
}

/*
 * Runs the case over poisoned outputs: once, or the batch that was captured to be timed. They stay
 * where the run wrote them. Returns the seconds.
 */
static double run_once(sweep_case *c, case_room *room)
{
    cudaStream_t stream = c->runner.launch.stream;
    if (room->on_gpu) {
        poison_device(c, room);
        CUDA_CHECK(cudaStreamSynchronize(stream));
    } else {
        problem_poison_host(ranks_now().rank == 0 ? room->problem : &room->part);
        runner_prepare(&c->runner, c->bindings);
    }
    double start = host_seconds();
    if (c->timer.graph)
        timer_replay(&c->timer);
    else
        run_variant(&c->runner, c->bindings);
    if (room->on_gpu)
        CUDA_CHECK(cudaStreamSynchronize(stream));
    return ranks_slowest(host_seconds() - start);
}

/* Did it leave alone what is not its own? */
static bool memory_is_whole(const sweep_case *c, case_room *room, char reason[RESULT_TEXT])
{
    size_t bytes = workspace_need(c->runner.variant, &room->part);
    cudaStream_t stream = c->runner.launch.stream;
    if (!room->on_gpu)
        return problem_is_whole(room->lab, room->problem, reason);
    return device_sets_are_whole(&room->sets, stream, reason) &&
           (!bytes ||
            device_memory_is_whole(&room->workspace, bytes, "the workspace", stream, reason));
}

/* What the check said of these bits when the variant gave them before, and they were right; NULL if
 * it has not. */
static const check_result *found_right(const case_room *room, const variant *v, uint64_t bits)
{
    for (int i = 0; i < room->n_right; i++)
        if (room->right[i].variant == v && room->right[i].bits == bits)
            return &room->right[i].checked;
    return NULL;
}

/*
 * What the lab says of the output. A row is checked up to four times, and most blocks of a variant
 * give the same bits: those that were right are neither brought out nor compared again.
 */
static check_result check_output(const sweep_case *c, case_room *room, bool in_set, uint64_t bits)
{
    const variant *v = c->runner.variant;
    const check_result *found = found_right(room, v, bits);
    if (found)
        return *found;
    if (in_set)
        bring_out(c, room, 0);
    check_result checked = room->lab->check(room->problem, v);
    if (check_passed(&checked)) {
        room->right = grow(room->right, room->n_right, &room->right_room, sizeof *room->right);
        room->right[room->n_right++] = (right_output){v, bits, checked};
    }
    return checked;
}

/* Checks what lies in set 0, or in the host buffers; a wrong result finishes the row. */
static bool check_whole(sweep_case *c, case_room *room, bool in_set, bool whole, const char *reason,
                        const char *when)
{
    char note[RESULT_TEXT];
    uint64_t bits = in_set ? device_sets_bits(&room->sets, 0, c->runner.launch.stream)
                           : problem_bits(room->problem, false);
    check_result checked = check_output(c, room, in_set, bits);
    bool passed = check_passed(&checked);
    bool same = c->state == CASE_NEW || bits == c->bits || c->runner.variant->unordered;
    c->bits = bits;
    c->row.max_error = checked.max_error;
    c->row.tolerance = checked.tolerance;
    if (whole && passed && same) {
        if (checked.note[0])
            snprintf(c->row.note, sizeof c->row.note, "%s", checked.note);
        return true;
    }
    check_explain(&checked);
    if (passed && !same)
        snprintf(checked.note, sizeof checked.note, "other bits than its first run gave");
    snprintf(note, sizeof note, "%s%s", whole ? checked.note : reason, when);
    case_finish(c, "wrong", note);
    return false;
}

/*
 * Checks what was made, in set 0 or in the host buffers; of several ranks the first one checks what
 * all have made.
 */
static bool is_right(sweep_case *c, case_room *room, bool in_set, const char *when)
{
    char reason[RESULT_TEXT] = "";
    (void)memory_is_whole(c, room, reason);
    bool whole = !ranks_any_text(reason, sizeof reason), right = false;
    if (in_set && !told_on_device(room)) {
        bring_out(c, room, 0);
        in_set = false;
    }
    if (ranks_now().count > 1)
        problem_gather(room->problem, c->runner.variant);
    if (ranks_now().rank == 0)
        right = check_whole(c, room, in_set, whole, reason, when);
    right = ranks_first(right);
    if (!right && ranks_now().rank > 0)
        case_finish(c, "wrong", "rank 0 says why");
    return right;
}

/* Runs it once more, over such bytes, and keeps what is compared. Returns the length of a row. */
static long compare_again(sweep_case *c, case_room *room, unsigned char over, compared *kept,
                          size_t count)
{
    char reason[RESULT_TEXT];
    memset(kept, 0, count * sizeof *kept);
    poison_with(over);
    run_once(c, room);
    if (room->on_gpu)
        bring_out(c, room, 0);
    poison_with(0xFF);
    (void)memory_is_whole(c, room, reason); /* which mends it */
    check_keep(kept, count);
    check_result checked = room->lab->check(room->problem, c->runner.variant);
    check_keep(NULL, 0);
    return checked.row_length;
}

/* Adds to the note of a wrong row what its output looks like. */
static void diagnose_output(sweep_case *c, case_room *room)
{
    const size_t most = (size_t)1 << 22; /* values; larger outputs are not looked at */
    const dim3 block = c->runner.launch.block;
    char seen[DIAGNOSIS_TEXT];
    size_t count = 0, used = strlen(c->row.note);
    for (int i = 0; i < room->problem->buffers; i++)
        if (room->problem->buffer[i].role == BUFFER_OUTPUT)
            count += room->problem->buffer[i].bytes;
    if (count > most || ranks_now().count > 1)
        return;
    compared *kept = allocate(3 * count * sizeof *kept);
    evidence e = {.first = kept, .again = kept + count, .zeros = kept + 2 * count};
    for (int run = 0; run < 3; run++)
        e.columns = compare_again(c, room, run < 2 ? 0xFF : 0, kept + run * count, count);
    while (e.count < count && kept[e.count].seen)
        e.count++;
    bool values = e.columns % room->problem->width == 0; /* several a pixel */
    e.rows = (long)e.count / e.columns;
    e.count = (size_t)(e.rows * e.columns);
    e.block_x = (long)block.x * (values ? e.columns / room->problem->width : 1);
    e.block_y = block.y;
    diagnose(&e, seen);
    if (seen[0])
        snprintf(c->row.note + used, sizeof c->row.note - used, "; %s", seen);
    free(kept);
}

void case_check(sweep_case *c, case_room *room)
{
    char reason[RESULT_TEXT];
    settle_launch(c, room);
    if (!handed_in_bind(c->runner.variant, c->runner.launch.block, reason)) {
        case_finish(c, "failed", reason);
        return;
    }
    find_obstacle(c, room, reason);
    if (ranks_any_text(reason, sizeof reason))
        case_finish(c, "skipped", reason);
    if (c->state == CASE_DONE)
        return;
    bind(c, room, 1);
    describe_work(c, room);
    c->checked_s = run_once(c, room);
    if (this_build.counts) {
        case_finish(c, "skipped", "counted, not checked");
        return;
    }
    bool right = is_right(c, room, room->on_gpu, "");
    if (!right && room->diagnose)
        diagnose_output(c, room);
    if (!right)
        return;
    case_finish(c, "ok", NULL);
    c->state = CASE_RIGHT;
    if (room->diagnose) { /* is it right by luck? */
        run_once(c, room);
        (void)is_right(c, room, room->on_gpu, " (it was right before)");
    }
}

/* ---- a stream ------------------------------------------------------------------------------- */

/* All frames, compared; and of the first ones when each step was. A wrong one finishes the row. */
static void send_frames(sweep_case *c, case_room *room)
{
    char reason[RESULT_TEXT];
    frame_stream *s = &room->stream;
    runner_prepare(&c->runner, c->bindings);
    bool right = stream_check(s, &c->runner, reason) && stream_files(s, &c->runner, reason);
    if (right)
        timeline_add(room->rows_path, &c->row, s, &c->runner);
    else
        case_finish(c, "wrong", reason);
}

void case_stream(sweep_case *c, case_room *room)
{
    stream_bind(&room->stream, &c->runner);
    send_frames(c, room);
    stream_release(&room->stream, &c->runner);
    if (interrupted() && c->state != CASE_DONE)
        case_abandon_timer(c);
}

/* Seconds a frame; NaN where one is wrong, which finishes the row. */
static double time_stream(sweep_case *c, case_room *room)
{
    char reason[RESULT_TEXT];
    double seconds = NAN;
    frame_stream *s = &room->stream;
    stream_bind(s, &c->runner);
    send_frames(c, room);
    if (c->state != CASE_DONE)
        seconds = stream_time(s, &c->runner, reason);
    if (c->state != CASE_DONE && reason[0])
        case_finish(c, "wrong", reason);
    stream_release(s, &c->runner);
    return seconds;
}

/* ---- how long does it take ------------------------------------------------------------------- */

static void set_times(result *row, const samples *list)
{
    summary times = summarise(list->values, list->count);
    row->trials = times.count;
    row->time_s = times.median;
    row->time_min_s = times.min;
    row->time_q1_s = times.q1;
    row->time_q3_s = times.q3;
    row->time_max_s = times.max;
    row->noise = times.noise;
}

void case_start_timer(sweep_case *c, case_room *room)
{
    if (!room->on_gpu) {
        c->timer = timer_create_cpu(&c->runner, c->bindings, c->checked_s);
    } else {
        bind(c, room, room->sets.count);
        c->timer = timer_create_gpu(&c->runner, c->bindings, &room->sets, room->hot);
        timer_warm_up_gpu(&c->timer);
    }
    c->state = CASE_TIMED;
}

void case_sample(sweep_case *c, case_room *room)
{
    (void)room;
    timer_sample(&c->timer);
}

/*
 * The median of a few runs from end to end, or of one where a run takes long. The device's outputs
 * are poisoned first: what the last run brought to the host is checked afterwards.
 */
static double time_end_to_end(sweep_case *c, case_room *room)
{
    enum { MOST = 3 };
    const double enough = 0.005; /* seconds in all */
    double seconds[MOST], spent = 0;
    int count = 0;
    runner_bind(&c->runner, &c->end_to_end, room->transfer.device);
    while (count == 0 || (count < MOST && spent < enough)) {
        poison_device(c, room);
        ranks_wait();
        seconds[count] = ranks_slowest(transfer_run(&room->transfer, &c->runner, &c->end_to_end));
        spent += seconds[count++];
    }
    runner_release(&c->runner, &c->end_to_end);
    return summarise(seconds, count).median;
}

/*
 * Is what the batch left in the other sets right? Bits may differ there, as a library may choose
 * its way by where buffers lie: then the lab looks at them. Of several ranks' parts, and of bits
 * that may differ from run to run, the first set tells.
 */
static bool later_sets_are_right(sweep_case *c, case_room *room, uint64_t bits)
{
    const bool first = room->hot || ranks_now().count > 1 || c->runner.variant->unordered;
    const int sets = first ? 1 : (int)fmin(c->timer.batch, room->sets.count); /* that it writes */
    char note[RESULT_TEXT];
    for (int set = 1; set < sets; set++) {
        if (device_sets_bits(&room->sets, set, c->runner.launch.stream) == bits)
            continue;
        bring_out(c, room, set);
        check_result checked = room->lab->check(room->problem, c->runner.variant);
        if (check_passed(&checked))
            continue;
        check_explain(&checked);
        snprintf(note, sizeof note, "%s (in a later run of the batch that was timed)",
                 checked.note);
        case_finish(c, "wrong", note);
        return false;
    }
    return true;
}

/* Does the captured batch do what the checked run did? Where it gives other bits they are checked,
 * too. A batch goes through all sets. */
static bool batch_is_right(sweep_case *c, case_room *room)
{
    poison_device(c, room);
    timer_replay(&c->timer);
    uint64_t checked = told_on_device(room) ? c->bits : problem_bits(&room->part, false);
    if (ranks_any(device_sets_bits(&room->sets, 0, c->runner.launch.stream) != checked)) {
        run_once(c, room);
        if (!is_right(c, room, true, " (in the batch that was timed; it was right alone)"))
            return false;
    }
    return later_sets_are_right(c, room, checked);
}

/* Is all work of the GPU's runs within the times? It must go to the launch's stream, or join it. */
static bool timed_it_all(sweep_case *c, case_room *room)
{
    char note[RESULT_TEXT];
    if (!ranks_any(timer_missed_work(&c->timer)))
        return !c->timer.graph || batch_is_right(c, room);
    snprintf(note, sizeof note, "still at work on another stream %.0f us after its clock stopped",
             1e6 * c->timer.overtime);
    case_finish(c, "wrong", note);
    return false;
}

/* Seconds of a run that leaves the exchange with other GPUs out. */
static double time_alone(const sweep_case *c, case_room *room)
{
    const double most_s = 0.3;
    enum { LEAST = 5 };
    runner alone = c->runner;
    alone.launch.no_exchange = true;
    if (ranks_now().count == 1)
        return c->row.time_s;
    timer t = timer_create_gpu(&alone, c->bindings, &room->sets, room->hot);
    timer_warm_up_gpu(&t);
    while (!timer_done(&t, LEAST, most_s, 1))
        timer_sample(&t);
    double seconds = summarise(t.samples.values, t.samples.count).median;
    timer_free(&t);
    return seconds;
}

/* One more run is checked: that from end to end, where there is one. */
void case_end_timer(sweep_case *c, case_room *room)
{
    double end_to_end = NAN;
    bool moved = room->on_gpu && room->transfer.mode != TRANSFER_PAGEABLE, in_set = false;
    const char *before = moved ? " (it was right in device memory)" : " (it was right before)";
    if (room->on_gpu && room->stream.frames) {
        end_to_end = time_stream(c, room);
    } else if (c->from_end_to_end) {
        end_to_end = time_end_to_end(c, room);
    } else {
        timer_add_checked(&c->timer, run_once(c, room));
        in_set = room->on_gpu;
    }
    if (room->stream.frames && c->state != CASE_DONE && isnan(end_to_end)) {
        case_abandon_timer(c); /* interrupted */
        return;
    }
    if (c->state != CASE_DONE && is_right(c, room, in_set, before) &&
        (!room->on_gpu || timed_it_all(c, room))) {
        set_times(&c->row, &c->timer.samples);
        c->row.end_to_end_s = end_to_end;
        if (c->runner.variant->exchanges)
            c->alone_s = time_alone(c, room);
    }
    timer_free(&c->timer);
    c->state = CASE_DONE;
}

void case_abandon_timer(sweep_case *c)
{
    timer_free(&c->timer);
    c->row.status[0] = '\0';
    c->state = CASE_NEW;
}

/* ---- the end of the row ---------------------------------------------------------------------- */

void case_complete(sweep_case *c, const size_times *times)
{
    const variant *v = c->runner.variant;
    result *row = &c->row;
    if (strcmp(row->status, "ok") != 0 || isnan(row->time_s))
        return;
    row->gb_per_s = 1e-9 * row->bytes / row->time_s;
    row->gflop_per_s = 1e-9 * row->flops / row->time_s;
    row->gop_per_s = 1e-9 * row->int_ops / row->time_s;
    if (v->exchanges)
        row->exposed = fmax(0, 1 - c->alone_s / row->time_s);
    if (v->role != ROLE_YARDSTICK)
        row->speedup = (v->role == ROLE_SERIAL ? row->time_s : times->serial_s) / row->time_s;
    row->read_s = times->files.read_s;
    row->write_s = times->files.write_s;
    if (!variant_is_on_host(v)) {
        row->copy_in_s = times->copies.in_s;
        row->copy_out_s = times->copies.out_s;
        row->copy_both_s = times->copies.both_s;
        row->copy_noise = times->copies.noise;
    }
}

static void release(void *context)
{
    sweep_case *c = context;
    runner_release(&c->runner, &c->end_to_end);
    while (c->n_bindings > 0)
        runner_release(&c->runner, &c->bindings[--c->n_bindings]);
    runner_release_plan(&c->runner);
}

void case_free(sweep_case *c)
{
    char failure[CUDA_FAILURE_SIZE];
    if (!cuda_check_guarded(release, c, c->runner.launch.stream, failure) && !cuda_context_lost())
        abandon(c, "failed", failure);
    free(c->bindings);
    c->bindings = NULL;
    c->n_bindings = 0;
}
