#include "stream.h"
#include "command_line/progress.h"
#include "machine/host.h"
#include "measure/statistics.h"
#include "pictures/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 5, COPIES_MOST = 25 }; /* timed; frames of a pass of copies alone */
enum { PIECES = 16, PIECE_BYTES = 4096, CHUNK_BYTES = 1 << 20 };

static bool is_of_frame(const lab_buffer *b)
{
    return b->role == BUFFER_INPUT || b->role == BUFFER_OUTPUT;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* The input as frame `k` has it; the first one is there already. */
static problem content(const frame_stream *s, const problem *p, int k)
{
    if (k == 0)
        return *p;
    picture_set_turn(k);
    problem other =
        problem_create(s->lab, (extent){p->width, p->height, p->depth}, p->seed + (uint64_t)k);
    picture_set_turn(0);
    return other;
}

/* How many pinned copies of the inputs there are: one a content, or a slot that files are read to.
 */
static int inputs(const frame_stream *s)
{
    return s->files ? STREAM_SLOTS : s->contents;
}

static const char *allocate_pinned(void **memory, const lab_buffer *b)
{
    return CUDA_REFUSES(cudaHostAlloc(memory, b->bytes, cudaHostAllocDefault));
}

static const char *allocate_slot(frame_stream *s, int slot)
{
    const problem *p = &s->content[0];
    const char *reason = NULL;
    for (int i = 0; !reason && i < p->buffers; i++) {
        const lab_buffer *b = &p->buffer[i];
        if (is_of_frame(b) && !device_memory_create(&s->device[slot][i], b->bytes))
            reason = "more memory than the device has";
        else if (b->role == BUFFER_OUTPUT)
            reason = allocate_pinned(&s->out[slot][i], b);
        else if (b->role == BUFFER_INPUT && slot < inputs(s))
            reason = allocate_pinned(&s->in[slot][i], b);
    }
    return reason;
}

/* Gives the slot's items their memory. */
static void place_slot(frame_stream *s, int slot, const device_sets *sets)
{
    const problem *p = &s->content[0];
    pipeline_item *item = &s->line.slots[slot].item;
    item->problem = *p;
    device_sets_buffers(sets, 0, item->binding.buffer);
    for (int i = 0; i < p->buffers; i++)
        if (is_of_frame(&p->buffer[i]))
            item->binding.buffer[i] = device_memory_start(&s->device[slot][i]);
    memcpy(item->host, s->out[slot], sizeof item->host);
}

const char *stream_create(frame_stream *s, const lab *definition, const problem *p, int frames,
                          const device_sets *sets)
{
    const char *reason = NULL;
    *s = (frame_stream){.lab = definition, .frames = frames, .files = picture_frames_are_files()};
    s->contents = frames < STREAM_CONTENTS ? frames : STREAM_CONTENTS;
    pipeline_create(&s->line, STREAM_SLOTS);
    for (int k = 0; k < s->contents; k++)
        s->content[k] = content(s, p, k);
    for (int slot = 0; !reason && slot < STREAM_SLOTS; slot++) {
        reason = allocate_slot(s, slot);
        place_slot(s, slot, sets);
    }
    for (int k = 0; !reason && k < s->contents; k++)
        for (int i = 0; i < p->buffers; i++)
            if (s->in[k][i])
                memcpy(s->in[k][i], s->content[k].buffer[i].host, p->buffer[i].bytes);
    if (reason)
        stream_free(s);
    return reason;
}

void stream_free(frame_stream *s)
{
    for (int slot = 0; slot < STREAM_SLOTS; slot++)
        for (int i = 0; i < LAB_MAX_BUFFERS; i++) {
            if (s->in[slot][i])
                CUDA_RELEASE(cudaFreeHost(s->in[slot][i]));
            if (s->out[slot][i])
                CUDA_RELEASE(cudaFreeHost(s->out[slot][i]));
            if (s->device[slot][i].base)
                device_memory_free(&s->device[slot][i]);
        }
    for (int k = 1; k < s->contents; k++)
        problem_free(&s->content[k]);
    if (s->frames)
        pipeline_free(&s->line);
    *s = (frame_stream){.lab = NULL};
}

void stream_bind(frame_stream *s, runner *r)
{
    for (int slot = 0; slot < STREAM_SLOTS; slot++) {
        binding *b = &s->line.slots[slot].item.binding;
        void *buffers[LAB_MAX_BUFFERS];
        memcpy(buffers, b->buffer, sizeof buffers);
        runner_bind(r, b, buffers);
    }
}

void stream_release(frame_stream *s, const runner *r)
{
    for (int slot = 0; s->frames && slot < STREAM_SLOTS; slot++)
        runner_release(r, &s->line.slots[slot].item.binding);
}

/* ---- frames --------------------------------------------------------------------------------- */

/* A pass: what its ends know. */
typedef struct pass {
    frame_stream *s;
    const runner *runner;
    pipeline_ends ends;
    char *reason; /* empty as long as all is right */
} pass;

static const problem *content_of(const frame_stream *s, int frame)
{
    return &s->content[frame % s->contents];
}

/* The frame's inputs lie in pinned memory already. */
static bool start_frame(void *context, int i, pipeline_item *item)
{
    const pass *of = context;
    const frame_stream *s = of->s;
    for (int b = 0; b < item->problem.buffers; b++)
        if (item->problem.buffer[b].role == BUFFER_INPUT)
            item->host[b] = s->in[i % s->contents][b];
    return !(of->reason && interrupted()); /* passes that nothing is asked of are short */
}

static bool is_all_the_same(const unsigned char *a, const unsigned char *b, size_t bytes)
{
    size_t chunks = bytes / CHUNK_BYTES;
    bool same =
        memcmp(a + chunks * CHUNK_BYTES, b + chunks * CHUNK_BYTES, bytes % CHUNK_BYTES) == 0;
#pragma omp parallel for reduction(&& : same)
    for (size_t i = 0; i < chunks; i++)
        same = same && memcmp(a + i * CHUNK_BYTES, b + i * CHUNK_BYTES, CHUNK_BYTES) == 0;
    return same;
}

/* Do two memories hold the same, as a whole or in pieces from the first byte to the last? */
static bool is_same(const unsigned char *a, const unsigned char *b, size_t bytes, bool whole)
{
    if (whole || bytes <= (size_t)PIECES * PIECE_BYTES)
        return is_all_the_same(a, b, bytes);
    for (size_t i = 0; i < PIECES; i++) {
        size_t at = (bytes - PIECE_BYTES) / (PIECES - 1) * i;
        at = i == PIECES - 1 ? bytes - PIECE_BYTES : at;
        if (memcmp(a + at, b + at, PIECE_BYTES) != 0)
            return false;
    }
    return true;
}

/* Are the item's outputs those of the problem's host memory? */
static bool is_result_of(const pipeline_item *item, const problem *p, bool whole)
{
    for (int b = 0; b < p->buffers; b++)
        if (p->buffer[b].role == BUFFER_OUTPUT &&
            !is_same(item->host[b], p->buffer[b].host, p->buffer[b].bytes, whole))
            return false;
    return true;
}

static void keep_result(const pipeline_item *item, const problem *p)
{
    for (int b = 0; b < p->buffers; b++)
        if (p->buffer[b].role == BUFFER_OUTPUT)
            memcpy(p->buffer[b].host, item->host[b], p->buffer[b].bytes);
}

static void say_wrong(const pass *of, int frame, const char *why)
{
    if (!of->reason[0])
        snprintf(of->reason, RESULT_TEXT, "frame %d of %d: %.200s", frame + 1, of->s->frames, why);
}

/* By the lab's check. */
static void check_frame(const pass *of, int frame, const problem *p)
{
    check_result checked = of->s->lab->check(p, of->runner->variant);
    if (check_passed(&checked))
        return;
    check_explain(&checked);
    say_wrong(of, frame, checked.note);
}

/* A result that is not its content's: is it that of another frame? */
static void explain_frame(const pass *of, int frame, const pipeline_item *item)
{
    const frame_stream *s = of->s;
    char why[RESULT_TEXT] = "other bits than an earlier frame of the same content gave";
    for (int k = 0; k < s->contents; k++)
        if (k != frame % s->contents && is_result_of(item, &s->content[k], true))
            snprintf(why, sizeof why, "the result of another frame, such as frame %d", k + 1);
    say_wrong(of, frame, why);
}

static void end_checked(void *context, int i, pipeline_item *item)
{
    const pass *of = context;
    const problem *p = content_of(of->s, i);
    if (i < of->s->contents || of->runner->variant->unordered) {
        keep_result(item, p);
        check_frame(of, i, p);
    } else if (!is_result_of(item, p, true)) {
        explain_frame(of, i, item);
    }
}

static void end_timed(void *context, int i, pipeline_item *item)
{
    const pass *of = context;
    bool whole = i >= of->s->frames - STREAM_SLOTS;
    if (!of->runner->variant->unordered && !whole &&
        !is_result_of(item, content_of(of->s, i), whole))
        explain_frame(of, i, item);
}

/* The frames that the timed pass left in its slots. */
static void check_last(const pass *of)
{
    const frame_stream *s = of->s;
    int first = s->frames > STREAM_SLOTS ? s->frames - STREAM_SLOTS : 0;
    for (int i = first; i < s->frames; i++) {
        const pipeline_item *item = &s->line.slots[i % STREAM_SLOTS].item;
        if (!of->runner->variant->unordered && !is_result_of(item, content_of(s, i), true))
            explain_frame(of, i, item);
    }
}

/* ---- passes --------------------------------------------------------------------------------- */

static void poison(frame_stream *s, cudaStream_t launches)
{
    const problem *p = &s->content[0];
    for (int slot = 0; slot < STREAM_SLOTS; slot++)
        for (int b = 0; b < p->buffers; b++)
            if (p->buffer[b].role == BUFFER_OUTPUT) {
                host_poison(s->out[slot][b], p->buffer[b].bytes);
                CUDA_CHECK(cudaMemsetAsync(device_memory_start(&s->device[slot][b]), 0xFF,
                                           p->buffer[b].bytes, launches));
            }
    CUDA_CHECK(cudaStreamSynchronize(launches));
}

bool stream_check(frame_stream *s, const runner *r, char reason[RESULT_TEXT])
{
    pass of = {.s = s, .runner = r, .reason = reason};
    const pipeline_ends ends = {&of, start_frame, end_checked};
    reason[0] = '\0';
    poison(s, r->launch.stream);
    pipeline_run(&s->line, r, s->frames, ALL_STEPS, ends, NULL);
    return !reason[0];
}

/* Seconds a frame. */
static double time_pass(frame_stream *s, const runner *r, int frames, int steps, pipeline_ends ends)
{
    CUDA_CHECK(cudaDeviceSynchronize());
    double start = host_seconds();
    pipeline_run(&s->line, r, frames, steps, ends, NULL);
    return (host_seconds() - start) / frames;
}

double stream_time(frame_stream *s, const runner *r, char reason[RESULT_TEXT])
{
    pass of = {.s = s, .runner = r, .reason = reason};
    const pipeline_ends ends = {&of, start_frame, end_timed};
    double seconds[PASSES];
    reason[0] = '\0';
    for (int k = 0; k < PASSES && !reason[0] && !interrupted(); k++) {
        poison(s, r->launch.stream);
        seconds[k] = time_pass(s, r, s->frames, ALL_STEPS, ends);
        if (!interrupted())
            check_last(&of);
    }
    return reason[0] || interrupted() ? NAN : summarise(seconds, PASSES).median;
}

static summary time_copies(frame_stream *s, const runner *r, int steps)
{
    pass of = {.s = s, .runner = r};
    const pipeline_ends ends = {&of, start_frame, NULL};
    int frames = s->frames < COPIES_MOST ? s->frames : COPIES_MOST;
    double seconds[PASSES];
    for (int k = 0; k < PASSES; k++)
        seconds[k] = time_pass(s, r, frames, steps, ends);
    return summarise(seconds, PASSES);
}

copy_times stream_time_copies(frame_stream *s, cudaStream_t launches)
{
    const runner none = {.launch = {.stream = launches}};
    summary in = time_copies(s, &none, ONLY_IN), out = time_copies(s, &none, ONLY_OUT);
    summary both = time_copies(s, &none, ONLY_IN | ONLY_OUT);
    return (copy_times){in.median, out.median, both.median, fmax(in.noise, out.noise)};
}

void stream_trace(frame_stream *s, const runner *r, const pipeline_trace *trace)
{
    pass of = {.s = s, .runner = r};
    CUDA_CHECK(cudaDeviceSynchronize());
    pipeline_run(&s->line, r, trace->items, ALL_STEPS, (pipeline_ends){&of, start_frame, NULL},
                 trace);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The slot's frame as a problem of its own. */
static problem frame_problem(const frame_stream *s, int slot)
{
    problem p = s->content[0];
    for (int b = 0; b < p.buffers; b++)
        if (is_of_frame(&p.buffer[b]))
            p.buffer[b].host = p.buffer[b].role == BUFFER_INPUT ? s->in[slot][b] : s->out[slot][b];
    return p;
}

/* For a file that is bad: the frames before it. */
static struct {
    pass *of;
    int frame;
} reading;

static void end_frames_before(void)
{
    pipeline_drain(&reading.of->s->line, reading.frame, reading.of->ends);
}

static bool start_file(void *context, int i, pipeline_item *item)
{
    pass *of = context;
    const frame_stream *s = of->s;
    int slot = i % STREAM_SLOTS;
    problem p = frame_problem(s, slot);
    if (interrupted() || of->reason[0])
        return false;
    reading.of = of;
    reading.frame = i;
    die_after(end_frames_before);
    picture_set_frame(i);
    s->lab->fill(&p);
    die_after(NULL);
    for (int b = 0; b < p.buffers; b++)
        if (p.buffer[b].role == BUFFER_INPUT)
            item->host[b] = s->in[slot][b];
    return true;
}

/* Frames behind a wrong one are not presented. */
static void end_file(void *context, int i, pipeline_item *item)
{
    const pass *of = context;
    const frame_stream *s = of->s;
    (void)item;
    problem p = frame_problem(s, i % STREAM_SLOTS);
    p.reference = s->lab->reference ? s->lab->reference(&p) : NULL;
    check_frame(of, i, &p);
    free(p.reference);
    picture_set_frame(i);
    if (!of->reason[0] && s->lab->present)
        s->lab->present(&p, of->runner->variant, of->runner->launch.block);
}

bool stream_files(frame_stream *s, const runner *r, char reason[RESULT_TEXT])
{
    pass of = {.s = s, .runner = r, .reason = reason};
    of.ends = (pipeline_ends){&of, start_file, end_file};
    if (!s->files)
        return true;
    double start = host_seconds();
    int frames = pipeline_run(&s->line, r, s->frames, ALL_STEPS, of.ends, NULL);
    double seconds = host_seconds() - start;
    picture_set_frame(0);
    s->files = false; /* once */
    /* the frames of the other passes come back */
    for (int k = 0; k < s->contents; k++)
        for (int b = 0; b < s->content[k].buffers; b++)
            if (s->in[k][b])
                memcpy(s->in[k][b], s->content[k].buffer[b].host, s->content[k].buffer[b].bytes);
    if (!reason[0])
        printf("%d frames read, filtered, checked and written: %.3g frames/s\n", frames,
               frames / seconds);
    return !reason[0];
}
