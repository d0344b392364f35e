#include "timing.h"
#include "host.h"

#include <math.h>
#include <string.h>

#define TIMER_RELATIVE_ERROR 0.01
#define BATCH_BELOW_S        200e-6 /* shorter launches are batched */
#define BATCH_S              1e-3   /* the length that a batch aims at */
#define REPEAT_CPU_S         200e-6
enum { TIMER_LEAST = 3, TIMER_MOST = 200, BATCH_MIN = 5, BATCH_MAX = 50, REPEAT_MAX = 100000 };

static void run_on_set(timer *t, int set)
{
    void *buffers[LAB_MAX_BUFFERS];
    launch l = t->launch;
    device_sets_buffers(t->sets, t->problem, set, buffers);
    l.buffer = buffers;
    t->variant->run(t->problem, &l);
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
    if (t->sets->flush || sets == 1)
        return batch;
    return batch <= sets ? sets : batch / sets * sets;
}

/* Captures the batch as a graph; leaves t->graph NULL where the runs cannot be captured. */
static void capture_batch(timer *t)
{
    cudaGraph_t graph = NULL;
    cudaStream_t stream = t->launch.stream;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        (void)cudaGetLastError();
        return;
    }
    for (int i = 0; i < t->batch; i++)
        run_on_set(t, t->hot ? 0 : i);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&t->graph, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

/* ---- GPU ------------------------------------------------------------------------------------ */

/* Seconds between the events around one launch, or around one batch, per run. */
static double sample_gpu(timer *t)
{
    cudaStream_t stream = t->launch.stream;
    float milliseconds = 0;
    if (t->hot)
        run_on_set(t, 0);
    else
        device_sets_flush(t->sets, stream);
    CUDA_CHECK(cudaEventRecord(t->start, stream));
    if (t->graph)
        CUDA_CHECK(cudaGraphLaunch(t->graph, stream));
    else
        run_on_set(t, t->hot ? 0 : t->sets->next++);
    CUDA_CHECK(cudaEventRecord(t->stop, stream));
    CUDA_CHECK(cudaEventSynchronize(t->stop));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, t->start, t->stop));
    return 1e-3 * (double)milliseconds / (t->graph ? t->batch : 1);
}

timer timer_create_gpu(const problem *p, const variant *v, const launch *l, device_sets *sets,
                       bool hot)
{
    timer t = {.problem = p, .variant = v, .launch = *l, .sets = sets, .hot = hot, .batch = 1};
    CUDA_CHECK(cudaEventCreate(&t.start));
    CUDA_CHECK(cudaEventCreate(&t.stop));
    double estimate = fmin(sample_gpu(&t), sample_gpu(&t));
    if (estimate < BATCH_BELOW_S) {
        t.batch = choose_batch(&t, estimate);
        capture_batch(&t);
        sample_gpu(&t); /* the first launch of a graph is slower */
    }
    return t;
}

/* ---- CPU ------------------------------------------------------------------------------------ */

timer timer_create_cpu(const problem *p, const variant *v, const launch *l, double estimate)
{
    timer t = {.problem = p, .variant = v, .launch = *l, .hot = true, .batch = 1};
    if (estimate < REPEAT_CPU_S)
        t.batch = (int)fmin(ceil(REPEAT_CPU_S / fmax(estimate, 1e-9)), REPEAT_MAX);
    return t;
}

static double sample_cpu(const timer *t)
{
    void *buffers[LAB_MAX_BUFFERS];
    launch l = t->launch;
    problem_host_buffers(t->problem, buffers);
    l.buffer = buffers;
    double start = host_seconds();
    for (int i = 0; i < t->batch; i++)
        t->variant->run(t->problem, &l);
    return (host_seconds() - start) / t->batch;
}

/* ---- sampling ------------------------------------------------------------------------------- */

void timer_sample(timer *t)
{
    double start = host_seconds();
    samples_add(&t->samples, t->sets ? sample_gpu(t) : sample_cpu(t));
    t->spent += host_seconds() - start;
}

bool timer_done(const timer *t, int trials, double cap)
{
    int n = t->samples.count;
    int least = trials < TIMER_LEAST ? trials : TIMER_LEAST;
    if (n >= trials && n >= TIMER_MOST)
        return true;
    if (n >= trials && samples_relative_error(&t->samples) <= TIMER_RELATIVE_ERROR)
        return true;
    return n >= least && t->spent >= cap;
}

void timer_free(timer *t)
{
    if (t->graph)
        CUDA_CHECK(cudaGraphExecDestroy(t->graph));
    if (t->start)
        CUDA_CHECK(cudaEventDestroy(t->start));
    if (t->stop)
        CUDA_CHECK(cudaEventDestroy(t->stop));
    samples_free(&t->samples);
    memset(t, 0, sizeof *t);
}
