/*
 * test_timing.c - when there are samples enough, by hand-made ones; what one sample is; and how
 * many runs a batch has. The only real clock here measures a sleep, within wide bounds.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "fixture.h"
#include "graphs.h"
#include "machine/host.h"
#include "measure/timing.h"
#include "tap.h"

#include <math.h>
#include <time.h>

/* ---- enough samples? ------------------------------------------------------------------------ */

/* Is a timer done with `count` samples that are by turns `deviation` below and above 1, in ms? */
static bool is_done(int count, double deviation, double spent, int trials, double cap, double share,
                    device_sets *sets)
{
    timer t = {.spent = spent, .sets = sets};
    for (int i = 0; i < count; i++)
        samples_add(&t.samples, 1e-3 * (i % 2 ? 1 + deviation : 1 - deviation));
    bool result = timer_done(&t, trials, cap, share);
    samples_free(&t.samples);
    return result;
}

static void test_done(void)
{
    /* The relative standard error of n samples is deviation / sqrt(n - 1); 0.01 is allowed. */
    const double steady = 0, noisy = 1. / 3;
    const struct {
        bool done;
        int count;
        double deviation, spent;
        int trials;
        double cap, share;
    } cases[] = {
        {false, 0, steady, 99, 10, 1, 1}, /* without samples, whatever was spent */
        {false, 9, steady, 0, 10, 1, 1},
        {true, 10, steady, 0, 10, 1, 1},
        {false, 10, noisy, 0, 10, 1, 1},
        {true, 16, 0.0095 * sqrt(15), 0, 10, 1, 1},
        {false, 16, 0.0105 * sqrt(15), 0, 10, 1, 1},
        {false, 198, noisy, 0, 10, 1, 1},
        {true, 200, noisy, 0, 10, 1, 1}, /* the most that there are */
        {true, 5, noisy, 1, 10, 1, 1},   /* the cap is spent: five samples, or all trials */
        {false, 4, noisy, 1, 10, 1, 1},
        {false, 5, noisy, 0.999, 10, 1, 1},
        {true, 2, noisy, 1, 2, 1, 1},
        {false, 1, noisy, 1, 2, 1, 1},
        {true, 1, noisy, 1, 1, 1, 1},
        {false, 1, steady, 0, 1, 1, 1},     /* one trial tells no error */
        {false, 299, steady, 0, 300, 1, 1}, /* trials are the least, also above 200 */
        {true, 300, noisy, 0, 300, 1, 1},
        /* half of it: half the trials, samples, seconds */
        {true, 5, steady, 0, 10, 1, 0.5},
        {false, 4, steady, 0, 10, 1, 0.5},
        {true, 3, noisy, 0.5, 10, 1, 0.5},
        {false, 2, noisy, 0.5, 10, 1, 0.5},
        {false, 3, noisy, 0.49, 10, 1, 0.5},
        {true, 100, noisy, 0, 10, 1, 0.5},
        {false, 99, noisy, 0, 10, 1, 0.5},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        ok(is_done(cases[i].count, cases[i].deviation, cases[i].spent, cases[i].trials,
                   cases[i].cap, cases[i].share, NULL) == cases[i].done,
           "%d samples +- %.3g, %g of %g s spent, %d trials, share %g: %sdone", cases[i].count,
           cases[i].deviation, cases[i].spent, cases[i].cap, cases[i].trials, cases[i].share,
           cases[i].done ? "" : "not ");
    device_sets sets;
    timer slow = {.spent = 1, .sets = &sets};
    samples_add(&slow.samples, 0.06);
    samples_add(&slow.samples, 0.06);
    ok(!timer_done(&slow, 10, 1, 1), "a GPU's run of 0.06 s: two are not enough");
    samples_add(&slow.samples, 0.06);
    ok(timer_done(&slow, 10, 1, 1), "three are");
    samples_free(&slow.samples);
    ok(is_done(5, steady, 0.13, 10, 1, 1, &sets) && !is_done(5, steady, 0.12, 10, 1, 1, &sets) &&
           !is_done(4, steady, 0.13, 10, 1, 1, &sets),
       "a GPU's steady run: five samples once an eighth of the cap is spent");
    ok(is_done(5, steady, 0.5, 10, 1, 1, NULL) && !is_done(5, steady, 0.49, 10, 1, 1, NULL),
       "a CPU's: half of it");
    ok(!is_done(5, noisy, 0.99, 10, 1, 1, &sets) && !is_done(5, noisy, 0.99, 10, 1, 1, NULL),
       "a noisy one: the whole cap");
}

/* ---- CPU ------------------------------------------------------------------------------------ */

static int runs;
static long pause_ns; /* how long a run sleeps */
static bool pause_once;

static void sleep_run(const problem *p, const launch *l)
{
    const struct timespec pause = {0, pause_ns};
    (void)p, (void)l;
    runs++;
    if (pause_ns)
        nanosleep(&pause, NULL);
}

static const variant sleeper = {
    .name = "cpu", .kind = VARIANT_CPU, .run = sleep_run, .role = ROLE_SERIAL};
static const runner cpu_runner = {.variant = &sleeper};
static const binding host; /* no buffers, which the sleeper does not look at */

/* The batch of a run that is thought to take so long. */
static void test_cpu_batch(void)
{
    static const struct {
        double estimate;
        int least, most;
    } cases[] = {{1, 1, 1}, {200e-6, 1, 1}, {100e-6, 2, 2}, {1e-6, 200, 201}, {0, 100000, 100000}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        timer t = timer_create_cpu(&cpu_runner, &host, cases[i].estimate);
        runs = 0;
        timer_sample(&t);
        ok(t.batch >= cases[i].least && t.batch <= cases[i].most && runs == t.batch,
           "a run of %g s: %d a sample, and so often it runs", cases[i].estimate, t.batch);
        timer_free(&t);
    }
}

/* A sample is one run's time, also if runs are longer than the estimate said. */
static void test_sleep(void)
{
    enum { SAMPLES = 4, BATCH = 4 };
    timer t = timer_create_cpu(&cpu_runner, &host, 200e-6 / BATCH);
    runs = 0;
    pause_ns = 5 * 1000 * 1000;
    double start = host_seconds();
    for (int i = 0; i < SAMPLES; i++)
        timer_sample(&t);
    double elapsed = host_seconds() - start;
    pause_ns = 0;
    summary times = summarise(t.samples.values, t.samples.count);
    ok(runs == SAMPLES * BATCH && times.count == SAMPLES, "four samples of four sleeps");
    ok(times.min >= 5e-3 && times.min < 1 && times.max * BATCH <= elapsed,
       "a sample is one sleep: %.3g s", times.min);
    ok(t.spent >= runs * 5e-3 && t.spent <= elapsed * (1 + 1e-9), "the time spent is theirs");
    timer_free(&t);
    ok(t.samples.values == NULL, "a freed timer holds nothing");
}

/* The checked runs, before and after, are samples of a run that takes long; of others they are not.
 */
static void test_long_run(void)
{
    timer t = timer_create_cpu(&cpu_runner, &host, 0.69);
    ok(!timer_done(&t, 10, 0.5, 1), "a run of 0.69 s, checked once: not done");
    timer_sample(&t);
    ok(timer_done(&t, 10, 0.5, 1) && !timer_done(&t, 10, 9, 1),
       "and run once more: done, with the check that comes, unless there is time");
    timer_add_checked(&t, 3);
    ok(t.samples.count == 3 && t.samples.values[0] == 0.69 && t.samples.values[2] == 3,
       "three runs give three samples");
    timer_free(&t);
    t = timer_create_cpu(&cpu_runner, &host, 0.71);
    ok(timer_done(&t, 10, 0.7, 1) && !timer_done(&t, 10, 9, 1),
       "a run of 0.71 s is done once it was checked, with the check that comes, unless there is "
       "time");
    timer_free(&t);
    for (int longer = 0; longer < 2; longer++) {
        t = timer_create_cpu(&cpu_runner, &host, longer ? 0.051 : 0.049);
        timer_add_checked(&t, 3);
        ok(t.samples.count == 2 * longer, "checks of 0.05 s are samples, shorter ones are none");
        timer_free(&t);
    }
}

/* ---- device --------------------------------------------------------------------------------- */

#ifdef CUDA_ON_CPU
/* What events tell, in ms; 0: as it is. */
static float told_ms;

cudaError_t __real_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop);

cudaError_t __wrap_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    cudaError_t error = __real_cudaEventElapsedTime(ms, start, stop);
    *ms = told_ms > 0 ? told_ms : *ms;
    return error;
}
#endif

/* Was the device at work that long behind the last of runs of so many seconds each? */
static bool misses(double overtime, double run)
{
    timer t = {.overtime = overtime};
    samples_add(&t.samples, run);
    bool missed = timer_missed_work(&t);
    samples_free(&t.samples);
    return missed;
}

static void test_overtime(void)
{
    ok(misses(10.5e-6, 1e-4) && !misses(9.5e-6, 1e-4),
       "10 us of waiting are work on another stream");
    ok(misses(105e-6, 1e-2) && !misses(95e-6, 1e-2), "of long runs a hundredth");
}

enum { BYTES = 1000 };

static int prepared;

static void note_preparation(const problem *p, const launch *l)
{
    (void)p, (void)l;
    prepared++;
}

static void sleep_in_stream(void *ns)
{
    nanosleep(&(struct timespec){0, (long)(intptr_t)ns}, NULL);
}

static void sleep_and_copy(const problem *p, const launch *l)
{
    if (pause_ns)
        CUDA_CHECK(cudaLaunchHostFunc(l->stream, sleep_in_stream, (void *)(intptr_t)pause_ns));
    if (pause_once)
        pause_ns = 0;
    fixture_copy(p, l);
}

static const variant copier = {
    .name = "copy", .kind = VARIANT_VENDOR, .run = sleep_and_copy, .prepare = note_preparation};

/* Tells of the runs from `first` on whether all have the first set, or each set as often as others.
 */
static bool rotate(const device_sets *sets, int first, bool hot)
{
    int hits[SETS_MAX] = {0}, all = fixture_runs - first;
    for (int set = 0; set < sets->count; set++)
        for (int i = first; i < fixture_runs; i++)
            hits[set] += fixture_inputs[i % COUNT(fixture_inputs)] == set_buffer(sets, set, IN);
    for (int set = 0; set < sets->count && !hot; set++)
        if (hits[set] * sets->count != all)
            return false;
    return all > 0 && (!hot || hits[0] == all);
}

#ifdef CUDA_ON_CPU
/* Batches of a millisecond, of 5 to 50 runs, and of whole rounds of the sets. */
static void test_batches(const runner *r, const binding *bindings, device_sets *sets, bool hot)
{
    static const struct {
        float ms;
        int batch;
    } cases[] = {{1.01F, 1}, {0.99F, 5}, {0.05F, 20}, {0.021F, 48}, {0.001F, 50}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        int batch = cases[i].batch, count = sets->count;
        if (batch > 1 && !sets->flush.base && count > 1)
            batch = batch < count ? count : batch - batch % count;
        told_ms = cases[i].ms;
        timer t = timer_create_gpu(r, bindings, sets, hot);
        timer_warm_up_gpu(&t);
        ok(t.batch == batch, "runs of %g ms: %d a batch", (double)told_ms, t.batch);
        timer_free(&t);
    }
    told_ms = 0;
}
#endif

static void test_device(const char *name, size_t cold_bytes, bool hot)
{
    static const buffer_spec table[] = {{"in", BUFFER_INPUT, BYTES}, {"out", BUFFER_OUTPUT, BYTES}};
    device_sets sets;
    problem p = fixture_problem(table, COUNT(table));
    runner r = {.variant = &copier, .problem = &p};
    binding bindings[SETS_MAX];
    CUDA_CHECK(cudaStreamCreateWithFlags(&r.launch.stream, cudaStreamNonBlocking));
    device_sets_create(&sets, &p, cold_bytes);
    for (int set = 0; set < sets.count; set++) {
        void *buffers[LAB_MAX_BUFFERS];
        device_sets_buffers(&sets, set, buffers);
        runner_bind(&r, &bindings[set], buffers);
    }
#ifdef CUDA_ON_CPU
    test_batches(&r, bindings, &sets, hot);
#endif
    timer t = {0};
    int tries = 0;
    do { /* again, where the core was lent to others meanwhile */
        timer_free(&t);
        fixture_runs = prepared = 0;
        pause_ns = 2 * 1000 * 1000; /* the first run of a kernel is slow */
        pause_once = true;
        t = timer_create_gpu(&r, bindings, &sets, hot);
        timer_warm_up_gpu(&t);
        pause_once = false;
    } while (t.batch == 1 && ++tries < 5);
    ok(t.batch > 1 && t.batch <= SETS_MAX, "%s: a short run is batched, %d a sample", name,
       t.batch);
    ok(sets.flush.base || t.batch % sets.count == 0, "%s: in whole rounds of the sets", name);
    int before = fixture_runs, prepared_before = prepared;
    double start = host_seconds();
    timer_sample(&t);
    double elapsed = host_seconds() - start;
    ok(prepared == prepared_before + 1, "%s: each sample is prepared, once", name);
    ok(t.samples.count == 1 && t.samples.values[0] > 0 &&
           t.samples.values[0] * (t.graph ? t.batch : 1) < elapsed,
       "%s: a sample is a time of one run: %.3g s", name, t.samples.values[0]);
    if (t.graph) {
        /* hot: one run more, which brings the data into the cache before the batch is timed */
        ok(before >= t.batch && fixture_runs == before + hot,
           "%s: the batch was captured and replayed", name);
        fixture_runs = before;
        ok(rotate(&sets, before - t.batch, hot) || sets.flush.base, "%s: of the right sets", name);
        timer_replay(&t);
    } else {
        before = fixture_runs;
        for (int i = 0; i < sets.count; i++)
            timer_sample(&t);
        ok(fixture_runs - before >= sets.count, "%s: samples run one by one", name);
        ok(rotate(&sets, before, hot), "%s: on the right sets", name);
        pause_ns = 2 * 1000 * 1000;
        timer_sample(&t);
        pause_ns = 0;
        ok(t.samples.values[t.samples.count - 1] >= 2e-3, "%s: each with its time", name);
        timer_free(&t);
        pause_ns = 1000 * 1000;
        t = timer_create_gpu(&r, bindings, &sets, hot);
        timer_warm_up_gpu(&t);
        pause_ns = 0;
        ok(t.batch == 1, "%s: a long run is not batched", name);
    }
    timer_free(&t);
    variant single = copier;
    single.singly = true;
    r.variant = &single;
    t = timer_create_gpu(&r, bindings, &sets, hot);
    timer_warm_up_gpu(&t);
    ok(t.batch == 1 && !t.graph, "%s: nor one that is to run singly", name);
    unsigned char out[BYTES];
    CUDA_CHECK(cudaMemcpy(out, set_buffer(&sets, 0, OUT), BYTES, cudaMemcpyDeviceToHost));
    ok(memcmp(out, p.buffer[IN].host, BYTES) == 0, "%s: the timed runs did their work", name);
    timer_free(&t);
    ok(t.graph == NULL && t.start == NULL && t.samples.values == NULL, "%s: freed", name);
    device_sets_free(&sets);
    problem_free(&p);
    CUDA_CHECK(cudaStreamDestroy(r.launch.stream));
}

#ifdef CUDA_ON_CPU
static void free_timer(void *t)
{
    timer_free(t);
}

static void test_failing_free(void)
{
    char failure[CUDA_FAILURE_SIZE];
    timer t = {0};
    t.graph = (cudaGraphExec_t)&graphs;
    graphs++;
    CUDA_CHECK(cudaEventCreate(&t.start));
    CUDA_CHECK(cudaEventCreate(&t.stop));
    CUDA_CHECK(cudaEventDestroy(t.stop));
    ok(!cuda_check_guarded(free_timer, &t, NULL, failure) && strstr(failure, "cudaEventDestroy"),
       "an event that cannot be destroyed is told: %s", failure);
    timer_free(&t);
    ok(graphs == 0, "nothing is freed again after it");
}
#endif

int main(void)
{
    test_done();
    test_cpu_batch();
    test_sleep();
    test_long_run();
    test_overtime();
    test_device("hot, though there are seven sets", 7 * BYTES, true);
    test_device("cold, seven sets", 7 * BYTES, false);
    test_device("cold, 40 sets", 40 * BYTES, false);
    test_device("cold, 60 sets", 60 * BYTES, false);
    test_device("cold, with a flush", 100 * BYTES, false);
#ifdef CUDA_ON_CPU
    has_graphs = true;
    test_device("hot, as a graph", 7 * BYTES, true);
    test_device("cold, as a graph", 7 * BYTES, false);
    ok(graphs == 0 && replays == 14, "a batch is replayed to warm up and for a sample, and freed");
    test_failing_free();
#endif
    return done_testing();
}
