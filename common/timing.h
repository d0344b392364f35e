/*
 * timing.h - how long one run of a variant takes.
 *
 * GPU: CUDA events around the launch. Launches of less than BATCH_BELOW_S are timed in batches
 * through a CUDA graph, so that neither the launch (about 5 us each) nor the events' own distance
 * (about 6 us) hides the kernel; a batch steps through the device sets. CPU: the monotonic clock
 * around enough repetitions to fill REPEAT_CPU_S.
 */
#ifndef COMMON_TIMING_H
#define COMMON_TIMING_H

#include "data.h"
#include "statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One variant at one block, ready to be sampled. */
typedef struct timer {
    const problem *problem;
    const variant *variant;
    launch launch;     /* block, stream and workspace; the buffers are set per sample */
    device_sets *sets; /* NULL for a CPU variant */
    bool hot;
    int batch;             /* runs per sample */
    cudaGraphExec_t graph; /* the batch; NULL where runs are launched one by one */
    cudaEvent_t start, stop;
    samples samples; /* seconds of one run */
    double spent;    /* seconds of sampling so far, untimed parts included */
} timer;

/* A GPU or vendor variant. Chooses the batch by a trial run, so the variant must be warm. */
timer timer_create_gpu(const problem *p, const variant *v, const launch *l, device_sets *sets,
                       bool hot);

/* A CPU variant; `estimate` is what one run took, in seconds. */
timer timer_create_cpu(const problem *p, const variant *v, const launch *l, double estimate);

/* Takes one more sample. */
void timer_sample(timer *t);

/*
 * Enough samples? Yes once there are `trials` of them and the mean's relative standard error is
 * within TIMER_RELATIVE_ERROR, or once `cap` seconds were spent and there are TIMER_LEAST samples
 * (or `trials`, if that is fewer); at the latest at TIMER_MOST or `trials`, whichever is more.
 */
bool timer_done(const timer *t, int trials, double cap);

void timer_free(timer *t);

#ifdef __cplusplus
}
#endif

#endif
