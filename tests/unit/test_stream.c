/*
 * test_stream.c - frames through the pipeline: right ones pass, and one that is lost, repeated,
 * exchanged or changed by a bit is found, in the pass that is compared whole and in one that is
 * timed.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include "data/stream.h"
#include "fixture.h"
#include "machine/host.h"
#include "pictures/picture.h"
#include "tap.h"

#include <math.h>

enum { FRAMES = 10, BYTES = 70000, NEVER = -1 };

/* What happens to the frame of one run. */
static enum { NOTHING, LOST, REPEATED, FIRST_BIT, LAST_BIT, BIT_BETWEEN } fault;
static int runs, fault_at;
static size_t between = 4200; /* which byte that is: here one behind the first of the pieces */

/* The test's own clock: from a reading to the next it takes 0, 1, 0, 4, 0, 9 ... units. */
static int readings;

double host_seconds(void)
{
    static double now;
    int k = ++readings / 2;
    return now += readings % 2 ? 0 : 1e-4 * k * k;
}

static bool took(double seconds, double units)
{
    return fabs(seconds - 1e-4 * units) < 1e-9;
}

static void fill(const problem *p)
{
    for (size_t i = 0; i < BYTES; i++)
        ((unsigned char *)p->buffer[IN].host)[i] = pattern((int)p->seed, i);
}

static checked value_at(const void *context, size_t i)
{
    const problem *p = context;
    return (checked){((unsigned char *)p->buffer[OUT].host)[i],
                     ((unsigned char *)p->buffer[IN].host)[i], 1};
}

static check_result check(const problem *p, const variant *v)
{
    (void)v;
    return check_all(0, BYTES, BYTES, value_at, p);
}

static void flip(void *memory, size_t at, cudaStream_t stream)
{
    unsigned char byte;
    CUDA_CHECK(cudaMemcpyAsync(&byte, (char *)memory + at, 1, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    byte ^= 1;
    CUDA_CHECK(cudaMemcpyAsync((char *)memory + at, &byte, 1, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
}

/* The frame before, on the device: in its slot another may lie by now. */
static void *before;

/* A copy; of the run of the fault what makes it one. */
static void run(const problem *p, const launch *l)
{
    bool now = runs++ == fault_at;
    void *const repeated[] = {before, l->buffer[OUT]};
    launch other = *l;
    if (now && fault == REPEATED)
        other.buffer = repeated;
    if (!(now && fault == LOST))
        fixture_copy(p, &other);
    if (now && fault >= FIRST_BIT)
        flip(l->buffer[OUT],
             fault == FIRST_BIT  ? 0
             : fault == LAST_BIT ? BYTES - 1
                                 : between,
             l->stream);
    CUDA_CHECK(cudaMemcpyAsync(before, l->buffer[IN], BYTES, cudaMemcpyDeviceToDevice, l->stream));
}

static void set_fault(int kind, int at)
{
    fault = kind;
    fault_at = at;
    runs = 0;
}

/* One picture makes several: turned by a sixteenth of its rows, down, and round. */
static void test_turns(void)
{
    enum { ROWS = 33, WIDTH = 3 };
    uint8_t pixels[ROWS * WIDTH], turned[ROWS * WIDTH];
    for (int i = 0; i < ROWS * WIDTH; i++)
        pixels[i] = (uint8_t)i;
    image picture = {WIDTH, ROWS, 1, pixels};
    for (int k = 0; k < STREAM_CONTENTS; k++) {
        bool right = true;
        picture_set_turn(k);
        picture_fit(&picture, "rows", WIDTH, ROWS, 1, 0, turned);
        for (int i = 0; i < ROWS * WIDTH; i++)
            right = right && turned[(i + 2 * k * WIDTH) % (ROWS * WIDTH)] == pixels[i];
        ok(right, "turned by %d", k);
    }
    picture_set_turn(0);
}

static const char *const names[] = {"no fault",      "a frame lost", "a frame repeated",
                                    "the first bit", "the last bit", "a bit between"};

static void test_check(frame_stream *s, const runner *r)
{
    char reason[RESULT_TEXT], start[64];
    set_fault(NOTHING, NEVER);
    ok(stream_check(s, r, reason) && runs == s->frames && !reason[0], "%d frames are right",
       s->frames);
    for (int kind = LOST; kind <= BIT_BETWEEN; kind++)
        for (int at = kind == REPEATED; at < s->frames; at += 3) {
            set_fault(kind, at);
            snprintf(start, sizeof start, "frame %d of %d: ", at + 1, s->frames);
            ok(!stream_check(s, r, reason) && strncmp(reason, start, strlen(start)) == 0,
               "%s at frame %d: %s", names[kind], at + 1, reason);
            if (at >= STREAM_SLOTS) /* nothing there is fresh */
                ok((strstr(reason, "the result of another frame") != NULL) == (kind <= REPEATED),
                   "and what it is");
        }
}

/* In the second of the timed passes. Frames in the middle are compared by pieces. */
static void test_time(frame_stream *s, const runner *r)
{
    char reason[RESULT_TEXT];
    set_fault(NOTHING, NEVER);
    bool right = stream_check(s, r, reason);
    readings = 0;
    ok(right && took(stream_time(s, r, reason), 9. / s->frames) && !reason[0],
       "they are timed: the median pass");
    ok(runs % s->frames == 0 && runs > 2 * s->frames, "in %d passes", runs / s->frames - 1);
    for (int kind = LOST; kind <= LAST_BIT; kind++)
        for (int at = 1; at < s->frames; at += 4) {
            set_fault(kind, s->frames + at);
            ok(isnan(stream_time(s, r, reason)) && reason[0], "timed, %s: %s", names[kind], reason);
        }
    bool found = true;
    for (size_t piece = 1; piece < 15; piece++) {
        between = (BYTES - 4096) / 15 * piece + 2000;
        set_fault(BIT_BETWEEN, s->frames + 1);
        found = found && isnan(stream_time(s, r, reason));
    }
    ok(found, "timed, a bit of any piece");
    between = 4200;
    for (int at = s->frames - STREAM_SLOTS; at < s->frames; at++) {
        set_fault(BIT_BETWEEN, s->frames + at);
        ok(isnan(stream_time(s, r, reason)) && reason[0], "the last frames whole: %s", reason);
    }
}

static void test_copies(frame_stream *s, const runner *r)
{
    char reason[RESULT_TEXT];
    set_fault(NOTHING, NEVER);
    readings = 0;
    s->frames = 50;
    copy_times copies = stream_time_copies(s, r->launch.stream);
    s->frames = FRAMES;
    ok(took(copies.in_s, 9 / 25.) && took(copies.out_s, 64 / 25.) && took(copies.both_s, 169 / 25.),
       "of 50 frames the copies of 25 take a median time");
    ok(s->line.slots[1].item.host[IN] == s->in[21 % STREAM_CONTENTS][IN], "and no more are sent");
    ok(fabs(copies.noise - 12 / 9.) < 1e-9, "the inputs' are noisier");
    ok(runs == 0 && stream_check(s, r, reason), "no kernel runs; the stream is as it was");
}

/* When the steps of frames were: each begins behind the frame's step before it. */
static void test_trace(frame_stream *s, const runner *r)
{
    pipeline_trace trace = pipeline_trace_create(FRAMES);
    bool in_turn = true;
    stream_trace(s, r, &trace);
    for (int i = 0; i < FRAMES; i++) {
        double before = 0;
        for (int step = STEP_IN; step < PIPELINE_STEPS; step++)
            for (int end = 0; end < 2; end++) {
                double at = pipeline_trace_seconds(&trace, i, (pipeline_step)step, end);
                in_turn = in_turn && at >= before && at < 60;
                before = at;
            }
    }
    ok(in_turn, "a frame's steps are traced in turn");
    ok(pipeline_trace_seconds(&trace, 0, STEP_IN, false) == 0, "from the first one's start on");
    pipeline_trace_free(&trace);
}

/* As if each frame had a file. */
static void test_files(frame_stream *s, const runner *r)
{
    char reason[RESULT_TEXT] = "", *said;
    size_t bytes;
    FILE *saved = stdout;
    set_fault(NOTHING, NEVER);
    CUDA_CHECK(cudaHostAlloc(&s->in[STREAM_CONTENTS][IN], BYTES, cudaHostAllocDefault));
    s->files = true;
    readings = 0;
    stdout = open_memstream(&said, &bytes);
    bool right = stream_files(s, r, reason);
    fclose(stdout);
    stdout = saved;
    ok(right, "frames of files are right: %s", reason);
    is(said, "10 frames read, filtered, checked and written: 1e+05 frames/s\n", "and counted");
    free(said);
    set_fault(NOTHING, NEVER);
    ok(stream_check(s, r, reason), "the other passes have their frames back: %s", reason);
}

/* Fewer frames than slots, or contents. */
static void test_short(const lab *definition, const problem *p, const device_sets *sets, runner *r)
{
    for (int frames = 1; frames <= STREAM_SLOTS; frames++) {
        char reason[RESULT_TEXT];
        frame_stream s;
        ok(!stream_create(&s, definition, p, frames, sets), "a stream of %d", frames);
        stream_bind(&s, r);
        set_fault(NOTHING, NEVER);
        ok(stream_check(&s, r, reason) && runs == frames && stream_time(&s, r, reason) > 0,
           "is right: %s", reason);
        set_fault(LOST, frames - 1);
        ok(!stream_check(&s, r, reason), "and its last frame not lost: %s", reason);
        stream_release(&s, r);
        stream_free(&s);
    }
}

/* A plan takes memory, which release() frees. */
static void *make_plan(const problem *p, const launch *l)
{
    (void)p;
    (void)l;
    return malloc(1);
}

int main(void)
{
    static const lab definition = {
        .name = "frames", .layout = fixture_layout, .fill = fill, .check = check};
    static const variant v = {
        .name = "copier", .kind = VARIANT_GPU, .run = run, .plan = make_plan, .release = free};
    static const buffer_spec table[] = {{"in", BUFFER_INPUT, BYTES}, {"out", BUFFER_OUTPUT, BYTES}};
    runner r = {.variant = &v};
    device_sets sets;
    frame_stream s;
    fixture_table(table, COUNT(table));
    problem p = problem_create(&definition, (extent){BYTES, 1, 0}, 1);
    r.problem = &p;
    CUDA_CHECK(cudaMalloc(&before, BYTES));
    CUDA_CHECK(cudaStreamCreateWithFlags(&r.launch.stream, cudaStreamNonBlocking));
    ok(device_sets_create(&sets, &p, 0) && !stream_create(&s, &definition, &p, FRAMES, &sets),
       "there is a stream");
    stream_bind(&s, &r);
    test_turns();
    test_check(&s, &r);
    test_time(&s, &r);
    test_copies(&s, &r);
    test_trace(&s, &r);
    test_files(&s, &r);
    stream_release(&s, &r);
    stream_free(&s);
    test_short(&definition, &p, &sets, &r);
    device_sets_free(&sets);
    problem_free(&p);
    CUDA_CHECK(cudaStreamDestroy(r.launch.stream));
    CUDA_CHECK(cudaFree(before));
    return done_testing();
}
