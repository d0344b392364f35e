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

#include "buffers.h"
#include "statistics.h"
#include "variant.h"

/* One variant at one block, ready to be sampled. */
typedef struct timer {
    runner runner;
    const binding *bindings; /* one for each set; for a CPU variant the host's */
    device_sets *sets;       /* NULL for a CPU variant */
    bool hot;
    int batch;             /* runs per sample */
    cudaGraphExec_t graph; /* the batch; NULL where runs are launched one by one */
    cudaEvent_t start, stop;
    samples samples; /* seconds of one run */
    int expected;    /* samples that come from elsewhere at the end */
    double spent;    /* seconds of sampling so far, untimed parts included */
    double overtime; /* the least that the device worked on after a run's clock had stopped */
} timer;

/* A GPU or vendor variant, with a binding for each set; timer_warm_up_gpu() comes next. */
timer timer_create_gpu(const runner *r, const binding *bindings, device_sets *sets, bool hot);

/* Chooses the batch by trial runs and captures it; the variant must have run before. */
void timer_warm_up_gpu(timer *t);

/*
 * A CPU variant; `checked` is what its checked run took, in seconds. A run of more than LONG_RUN_S
 * is too dear to be thrown away: the checked run is the first sample, and the run that is checked
 * after the last one will be one too (timer_add_checked). Three such runs suffice, as on a GPU, or
 * two of more than DEAR_RUN_S.
 */
#define LONG_RUN_S 0.05
#define DEAR_RUN_S 0.7
timer timer_create_cpu(const runner *r, const binding *host, double checked);

/* Runs the captured batch once more, untimed. */
void timer_replay(const timer *t);

/*
 * Was the device still at work, after each run that was timed by itself, when its clock had
 * stopped? Then the variant left something on a stream of its own. (Of a batch it would be missing
 * from the captured graph, and from the result of a replay.)
 */
bool timer_missed_work(const timer *t);

/* Seconds for which the device goes on working, beyond those that waiting for an idle one takes: on
 * a machine that others use that may be more than a kernel does. */
double device_overtime(void);

/* Takes one more sample: prepares the variant, untimed, and runs the batch. */
void timer_sample(timer *t);

/* The seconds of the run that was checked at the end: a sample if one is expected. */
void timer_add_checked(timer *t, double seconds);

/*
 * Enough samples? Yes once there are `trials` of them and the mean's relative standard error is
 * within TIMER_RELATIVE_ERROR, or once `cap` seconds were spent and there are TIMER_LEAST samples
 * (or `trials`, if that is fewer), a sixth of the cap where a GPU's error is so small; at the
 * latest at TIMER_MOST or `trials`, whichever is more. With a `share` below 1 that share of all
 * these is asked for: the rest is left for later.
 */
bool timer_done(const timer *t, int trials, double cap, double share);

void timer_free(timer *t);

#endif
