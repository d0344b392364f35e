#include "timing.h"
#include "machine/host.h"

#include <math.h>
#include <string.h>

#define TIMER_RELATIVE_ERROR 0.01
#define BATCH_BELOW_S        1e-3 /* shorter launches are batched */
#define BATCH_S              1e-3 /* the length that a batch aims at */
#define REPEAT_CPU_S         200e-6
#define OVERTIME_S           10e-6
#define OVERTIME_RELATIVE    0.01
enum {
    TIMER_LEAST = 5,
    TIMER_LONG = 3,
    TIMER_DEAR = 2,
    TIMER_MOST = 200,
    TIMER_STEADY = 8,     /* a share of the cap that suffices a steady GPU, */
    TIMER_STEADY_CPU = 2, /* and a CPU, which others on it disturb for longer */
    BATCH_MIN = 5,
    BATCH_MAX = 50,
    REPEAT_MAX = 100000
};

static const binding *set_binding(const timer *t, int set)
{
    return &t->bindings[set % t->sets->count];
}

/* ---- batches -------------------------------------------------------------------------------- */

/*
 * How many runs make a batch. Where the data is kept out of the cache by rotating alone, a batch
 * must step through whole rounds of the sets, or the next batch would find its first sets cached.
 */
static int choose_batch(const timer *t, double estimate)
{
    int batch = (int)fmin(fmax(ceil(BATCH_S / estimate), BATCH_MIN), BATCH_MAX);
    int sets = t->sets->count;
    if (!t->sets->flush.base && sets > 1)
        batch = batch <= sets ? sets : batch / sets * sets;
    return (int)ranks_slowest(batch); /* parts, and so their sets, may differ by a little */
}

/* Captures the batch as a graph; leaves t->graph NULL where the runs cannot be captured. */
static void capture_batch(timer *t)
{
    cudaGraph_t graph = NULL;
    cudaStream_t stream = t->runner.launch.stream;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        (void)cudaGetLastError();
        return;
    }
    for (int i = 0; i < t->batch; i++)
        run_variant(&t->runner, set_binding(t, t->hot ? 0 : i));
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&t->graph, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

/* ---- GPU ------------------------------------------------------------------------------------ */

static double wait_for_device(void)
{
    double start = host_seconds();
    CUDA_CHECK(cudaDeviceSynchronize());
    return host_seconds() - start;
}

double device_overtime(void)
{
    double wait = wait_for_device();
    return wait - wait_for_device();
}

/* Several GPUs start together. */
static void wait_for_ranks(cudaStream_t stream)
{
    if (ranks_now().count == 1)
        return;
    CUDA_CHECK(cudaStreamSynchronize(stream));
    ranks_wait();
}

/*
 * Seconds between the events around one launch, or around one batch, per run; of several GPUs those
 * of the slowest.
 */
static double sample_gpu(timer *t)
{
    cudaStream_t stream = t->runner.launch.stream;
    const binding *b = set_binding(t, t->hot || t->graph ? 0 : t->sets->next++);
    float milliseconds = 0;
    runner_prepare(&t->runner, b);
    if (t->hot)
        run_variant(&t->runner, b);
    else
        device_sets_flush(t->sets, stream);
    wait_for_ranks(stream);
    CUDA_CHECK(cudaEventRecord(t->start, stream));
    if (t->graph)
        CUDA_CHECK(cudaGraphLaunch(t->graph, stream));
    else
        run_variant(&t->runner, b);
    CUDA_CHECK(cudaEventRecord(t->stop, stream));
    CUDA_CHECK(cudaEventSynchronize(t->stop));
    if (!t->graph)
        t->overtime = fmin(t->overtime, device_overtime());
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, t->start, t->stop));
    return ranks_slowest(1e-3 * (double)milliseconds / (t->graph ? t->batch : 1));
}

timer timer_create_gpu(const runner *r, const binding *bindings, device_sets *sets, bool hot)
{
    return (timer){.runner = *r,
                   .bindings = bindings,
                   .sets = sets,
                   .hot = hot,
                   .batch = 1,
                   .overtime = INFINITY};
}

void timer_warm_up_gpu(timer *t)
{
    CUDA_CHECK(cudaEventCreate(&t->start));
    CUDA_CHECK(cudaEventCreate(&t->stop));
    double estimate = sample_gpu(t);
    if (estimate < LONG_RUN_S) /* a first launch may be slower, but not by so much */
        estimate = fmin(estimate, sample_gpu(t));
    if (estimate < BATCH_BELOW_S && !t->runner.variant->singly) {
        t->batch = choose_batch(t, estimate);
        capture_batch(t);
        sample_gpu(t); /* the first launch of a graph is slower */
    }
}

void timer_replay(const timer *t)
{
    CUDA_CHECK(cudaGraphLaunch(t->graph, t->runner.launch.stream));
}

bool timer_missed_work(const timer *t)
{
    double run = summarise(t->samples.values, t->samples.count).median;
    return !t->graph && t->overtime > OVERTIME_S && t->overtime > OVERTIME_RELATIVE * run;
}

/* ---- CPU ------------------------------------------------------------------------------------ */

timer timer_create_cpu(const runner *r, const binding *host, double checked)
{
    timer t = {.runner = *r, .bindings = host, .batch = 1};
    if (checked < REPEAT_CPU_S)
        t.batch = (int)fmin(ceil(REPEAT_CPU_S / fmax(checked, 1e-9)), REPEAT_MAX);
    if (checked > LONG_RUN_S) {
        samples_add(&t.samples, checked);
        t.spent = checked;
        t.expected = 1;
    }
    return t;
}

static double sample_cpu(const timer *t)
{
    runner_prepare(&t->runner, t->bindings);
    ranks_wait();
    double start = host_seconds();
    for (int i = 0; i < t->batch; i++)
        run_variant(&t->runner, t->bindings);
    return ranks_slowest((host_seconds() - start) / t->batch);
}

/* ---- sampling ------------------------------------------------------------------------------- */

void timer_sample(timer *t)
{
    double start = host_seconds();
    samples_add(&t->samples, t->sets ? sample_gpu(t) : sample_cpu(t));
    t->spent += ranks_slowest(host_seconds() - start);
}

void timer_add_checked(timer *t, double seconds)
{
    if (t->expected > 0)
        samples_add(&t->samples, seconds);
    t->expected = 0;
}

static int part(double share, int count)
{
    return (int)ceil(share * count);
}

bool timer_done(const timer *t, int trials, double cap, double share)
{
    int n = t->samples.count + t->expected;
    double first = t->samples.count ? t->samples.values[0] : 0;
    int enough = first > DEAR_RUN_S ? TIMER_DEAR : first > LONG_RUN_S ? TIMER_LONG : TIMER_LEAST;
    int least = part(share, trials < enough ? trials : enough);
    bool steady = samples_relative_error(&t->samples) <= TIMER_RELATIVE_ERROR;
    if (n >= part(share, trials) && (steady || n >= part(share, TIMER_MOST)))
        return true;
    if (steady)
        cap /= t->sets ? TIMER_STEADY : TIMER_STEADY_CPU;
    return n >= least && t->spent >= share * cap;
}

/* Emptied first: where a call fails, who cleans up comes here again. */
void timer_free(timer *t)
{
    timer old = *t;
    memset(t, 0, sizeof *t);
    samples_free(&old.samples);
    if (old.graph)
        CUDA_RELEASE(cudaGraphExecDestroy(old.graph));
    if (old.start)
        CUDA_RELEASE(cudaEventDestroy(old.start));
    if (old.stop)
        CUDA_RELEASE(cudaEventDestroy(old.stop));
}
