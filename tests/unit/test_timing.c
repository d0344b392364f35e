/*
 * test_timing.c - when there are samples enough, by hand-made ones; what one sample is; and how
 * many runs a batch has. The only real clock here measures a sleep, within wide bounds.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "host.h"
#include "tap.h"
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- enough samples? ------------------------------------------------------------------------ */

/* Is a timer with these samples done? `noisy` ones alternate between 1 and 2, others are equal. */
static bool done(int count, bool noisy, double spent, int trials, double cap)
{
    timer t = {.spent = spent};
    for (int i = 0; i < count; i++)
        samples_add(&t.samples, noisy && i % 2 ? 2 : 1);
    bool result = timer_done(&t, trials, cap);
    samples_free(&t.samples);
    return result;
}

static void test_done(void)
{
    ok(!done(0, false, 0, 10, 1), "without samples: not done");
    ok(!done(0, false, 99, 10, 1), "without samples: not done, whatever was spent");
    ok(!done(9, false, 0, 10, 1), "steady, one trial short: not done");
    ok(done(10, false, 0, 10, 1), "steady, all trials: done");
    ok(!done(10, true, 0, 10, 1), "noisy, all trials: not done");
    /* Of n samples 1, 2, 1, 2 ... the relative standard error is sqrt(n / 4 / (n - 1) / n) / 1.5 */
    ok(!done(198, true, 0, 10, 1), "noisy, many samples: not done");
    ok(done(200, true, 0, 10, 1), "noisy, 200 samples: done");
    ok(done(3, true, 1, 10, 1), "the cap is spent, three samples: done");
    ok(!done(2, true, 1, 10, 1), "the cap is spent, two samples: not done");
    ok(!done(3, true, 0.999, 10, 1), "the cap is nearly spent: not done");
    ok(done(2, true, 1, 2, 1), "the cap is spent, both of two trials: done");
    ok(!done(1, true, 1, 2, 1), "the cap is spent, one of two trials: not done");
    ok(done(1, true, 1, 1, 1), "the cap is spent, one trial: done");
    ok(!done(1, false, 0, 1, 1), "one trial tells no error: not done before the cap");
    ok(done(3, true, 0, 10, 0), "a cap of 0: three samples, done");
    ok(!done(2, true, 0, 10, 0), "a cap of 0: two samples, not done");
    ok(!done(299, false, 0, 300, 1), "trials are the least, also above 200");
    ok(done(300, true, 0, 300, 1), "300 trials, noisy: done");
}

/* The error that is allowed is one per cent. */
static void test_precision(void)
{
    timer t = {.spent = 0};
    /* n = 16 around 1: squares n d^2, error sqrt(16 d^2 / 15 / 16) = d / sqrt(15) */
    double deviations[] = {0.0095 * sqrt(15), 0.0105 * sqrt(15)};
    bool expected[] = {true, false};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 16; i++)
            samples_add(&t.samples, 1 + (i % 2 ? deviations[k] : -deviations[k]));
        ok(timer_done(&t, 10, 1) == expected[k], "a standard error of %s %%: %s",
           k ? "1.05" : "0.95", k ? "not done" : "done");
        samples_free(&t.samples);
    }
}

/* ---- what runs ------------------------------------------------------------------------------ */

enum { IN, OUT };

static int runs;            /* how often run() was called */
static void *seen[1 << 16]; /* the input that each run got */
static long pause_ns;       /* how long a run sleeps */

static void layout(problem *p)
{
    problem_add_buffer(p, "in", BUFFER_INPUT, (size_t)p->width);
    problem_add_buffer(p, "out", BUFFER_OUTPUT, (size_t)p->width);
}

static void fill(const problem *p)
{
    memset(p->buffer[IN].host, 5, p->buffer[IN].bytes);
}

static const lab still_lab = {
    .name = "still",
    .layout = layout,
    .fill = fill,
};

static void note_run(const problem *p, const launch *l)
{
    const struct timespec pause = {0, pause_ns};
    (void)p;
    seen[runs % (1 << 16)] = l->buffer[IN];
    runs++;
    if (pause_ns)
        nanosleep(&pause, NULL);
}

/* On the device: a copy from the input to the output, which any backend can capture. */
static void copy_run(const problem *p, const launch *l)
{
    seen[runs % (1 << 16)] = l->buffer[IN];
    runs++;
    CUDA_CHECK(cudaMemcpyAsync(l->buffer[OUT], l->buffer[IN], p->buffer[IN].bytes,
                               cudaMemcpyDeviceToDevice, l->stream));
}

static const variant sleeper = {
    .name = "cpu", .kind = VARIANT_CPU, .serial = true, .run = note_run};
static int prepared; /* how often prepare() was called */

static void note_preparation(const problem *p, const launch *l)
{
    (void)p, (void)l;
    prepared++;
}

static const variant copier = {
    .name = "copy", .kind = VARIANT_VENDOR, .run = copy_run, .prepare = note_preparation};

/* ---- CPU ------------------------------------------------------------------------------------ */

static binding host_binding(const runner *r)
{
    void *buffers[LAB_MAX_BUFFERS] = {NULL};
    problem_host_buffers(r->problem, buffers);
    binding b;
    runner_bind(r, &b, buffers, NULL);
    return b;
}

static void batch_is(double estimate, int least, int most)
{
    problem p = problem_create(&still_lab, (extent){64, 1, 0}, 1);
    const runner r = {.variant = &sleeper, .problem = &p};
    const binding host = host_binding(&r);
    timer t = timer_create_cpu(&r, &host, estimate);
    ok(t.batch >= least && t.batch <= most, "a run of %g s: %d a sample", estimate, t.batch);
    if (t.batch < 1000) {
        runs = 0;
        timer_sample(&t);
        ok(runs == t.batch && seen[0] == p.buffer[IN].host, "so often it runs, on host memory");
    }
    timer_free(&t);
    problem_free(&p);
}

static void test_cpu_batch(void)
{
    pause_ns = 0;
    batch_is(1, 1, 1);
    batch_is(200e-6, 1, 1);
    batch_is(100e-6, 2, 2);
    batch_is(1e-6, 200, 201);
    batch_is(0, 1000, 1 << 20); /* a clock too coarse to see the run */
}

static void test_sleep(void)
{
    problem p = problem_create(&still_lab, (extent){64, 1, 0}, 1);
    const runner r = {.variant = &sleeper, .problem = &p};
    const binding host = host_binding(&r);
    pause_ns = 5 * 1000 * 1000;
    timer t = timer_create_cpu(&r, &host, 5e-3);
    runs = 0;
    double start = host_seconds();
    for (int i = 0; i < 4; i++)
        timer_sample(&t);
    double elapsed = host_seconds() - start;
    summary times = samples_summarise(&t.samples);
    ok(runs == 4 && times.count == 4, "four samples of a run that sleeps 5 ms");
    ok(times.min >= 5e-3 && times.max <= elapsed, "each took the sleep at least: %.3g s",
       times.min);
    ok(t.spent >= 4 * 5e-3 && t.spent <= elapsed * (1 + 1e-9), "the time spent is theirs");
    timer_free(&t);
    ok(t.samples.values == NULL, "a freed timer holds nothing");

    /* Where a run is shorter than the estimate said, a sample is one run's time all the same. */
    t = timer_create_cpu(&r, &host, 50e-6);
    runs = 0;
    start = host_seconds();
    timer_sample(&t);
    elapsed = host_seconds() - start;
    ok(runs == 4 && t.samples.values[0] >= 5e-3 && t.samples.values[0] <= elapsed / 4 * (1 + 1e-9),
       "a sample of four runs is one run's share");
    timer_free(&t);
    pause_ns = 0;
    problem_free(&p);
}

/* The checked runs, before and after, are samples of a run that takes long; of others they are not.
 */
static void test_long_run(void)
{
    problem p = problem_create(&still_lab, (extent){64, 1, 0}, 1);
    const runner r = {.variant = &sleeper, .problem = &p};
    const binding host = host_binding(&r);
    timer t = timer_create_cpu(&r, &host, 2);
    ok(!timer_done(&t, 10, 1), "a run of 2 s, checked once: not done");
    timer_sample(&t);
    ok(timer_done(&t, 10, 1), "and run once more: done, with the check that comes");
    timer_add_checked(&t, 3);
    ok(t.samples.count == 3 && t.samples.values[0] == 2 && t.samples.values[2] == 3,
       "three runs give three samples");
    timer_free(&t);
    t = timer_create_cpu(&r, &host, 0.2);
    timer_add_checked(&t, 3);
    ok(t.samples.count == 0, "a shorter run's checks are none");
    timer_free(&t);
    problem_free(&p);
}

/* ---- device --------------------------------------------------------------------------------- */

/* How often each set's input is among the `count` runs from `first` on. */
static void count_sets(const device_sets *sets, int first, int count, int *hits)
{
    memset(hits, 0, SETS_MAX * sizeof *hits);
    for (int set = 0; set < sets->count; set++) {
        void *d[LAB_MAX_BUFFERS];
        device_sets_buffers(sets, set, d);
        for (int i = first; i < first + count; i++)
            hits[set] += seen[i] == d[IN];
    }
}

static int equal_hits(const int *hits, int count)
{
    for (int i = 1; i < count; i++)
        if (hits[i] != hits[0])
            return 0;
    return hits[0] > 0;
}

static void bind_sets(const runner *r, const device_sets *sets, binding *bindings)
{
    for (int set = 0; set < sets->count; set++) {
        void *buffers[LAB_MAX_BUFFERS] = {NULL};
        device_sets_buffers(sets, set, buffers);
        runner_bind(r, &bindings[set], buffers, NULL);
    }
}

static void test_device(const char *name, size_t cold_bytes, bool hot)
{
    device_sets sets;
    int hits[SETS_MAX];
    problem p = problem_create(&still_lab, (extent){1000, 1, 0}, 1);
    runner r = {.variant = &copier, .problem = &p};
    binding bindings[SETS_MAX];
    CUDA_CHECK(cudaStreamCreateWithFlags(&r.launch.stream, cudaStreamNonBlocking));
    device_sets_create(&sets, &p, cold_bytes);
    bind_sets(&r, &sets, bindings);
    runs = prepared = 0;
    timer t = timer_create_gpu(&r, bindings, &sets, hot);
    timer_warm_up_gpu(&t);
    ok(t.batch > 1 && t.batch <= SETS_MAX, "%s: a short run is batched, %d a sample", name,
       t.batch);
    int before = runs, prepared_before = prepared;
    timer_sample(&t);
    ok(prepared == prepared_before + 1, "%s: each sample is prepared, once", name);
    ok(t.samples.count == 1 && t.samples.values[0] > 0 && t.samples.values[0] < 1,
       "%s: a sample is a time of one run: %.3g s", name, t.samples.values[0]);
    /* A captured batch ran while it was captured; else every sample runs anew. */
    if (t.graph) {
        /* hot: one run more, which brings the data into the cache before the batch is timed */
        ok(before >= t.batch && runs == before + hot, "%s: the batch was captured and replayed",
           name);
        count_sets(&sets, before - t.batch, t.batch, hits);
        if (hot)
            ok(hits[0] == t.batch, "%s: a batch stays on the first set", name);
        else
            ok(equal_hits(hits, sets.count) || sets.flush,
               "%s: a batch goes through whole rounds of the sets", name);
    } else {
        before = runs;
        for (int i = 0; i < sets.count; i++)
            timer_sample(&t);
        count_sets(&sets, before, runs - before, hits);
        ok(runs - before >= sets.count, "%s: samples run one by one", name);
        if (hot)
            ok(hits[0] == runs - before, "%s: always on the first set", name);
        else
            ok(equal_hits(hits, sets.count), "%s: stepping through the sets", name);
    }
    unsigned char *out = malloc(1000);
    void *d[LAB_MAX_BUFFERS];
    device_sets_buffers(&sets, 0, d);
    CUDA_CHECK(cudaMemcpy(out, d[OUT], 1000, cudaMemcpyDeviceToHost));
    ok(out[0] == 5 && out[999] == 5, "%s: the timed runs did their work", name);
    free(out);
    timer_free(&t);
    ok(t.graph == NULL && t.start == NULL && t.samples.values == NULL, "%s: freed", name);
    device_sets_free(&sets);
    problem_free(&p);
    CUDA_CHECK(cudaStreamDestroy(r.launch.stream));
}

int main(void)
{
    test_done();
    test_precision();
    test_cpu_batch();
    test_sleep();
    test_long_run();
    test_device("hot", 0, true);
    test_device("hot, though there are seven sets", 7000, true);
    test_device("cold, seven sets", 7000, false);
    test_device("cold, 40 sets", 40000, false);
    test_device("cold, with a flush", 100000, false);
    return done_testing();
}
