/*
 * sweep_case.h - one variant at one size and block: can it run, is it right, how long does it take.
 */
#ifndef COMMON_SWEEP_CASE_H
#define COMMON_SWEEP_CASE_H

#include "data.h"
#include "device.h"
#include "result.h"
#include "timing.h"
#include "transfer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum case_state {
    CASE_NEW,   /* not looked at yet */
    CASE_TIMED, /* it is right; the timer is alive and the row waits for its samples */
    CASE_DONE,  /* the row has all that comes from running the case */
    CASE_KEPT   /* the row is complete: it comes from the run that is resumed */
} case_state;

typedef struct sweep_case {
    const lab *lab;
    const variant *variant;
    const device *device;
    launch launch;   /* block, stream, workspace */
    int cpu_threads; /* OpenMP threads of its runs; 0: as many as there are */
    case_state state;
    timer timer;
    result row;
} sweep_case;

/* Gives the row a status and, unless NULL, a note; the case is done. */
void case_finish(sweep_case *c, const char *status, const char *note);

/*
 * Runs the case once over poisoned outputs and checks what it wrote, which then lies in the host
 * buffers. A case that cannot run becomes a skipped row, one that is wrong a wrong row; both are
 * done. Returns the seconds that the run took, or NaN where there was none or it was wrong.
 * `sets` is NULL for a CPU variant.
 */
double case_check(sweep_case *c, const problem *p, const device_sets *sets);

/*
 * Measures a GPU case from end to end, with the data moved as `t` has it, and checks what came out;
 * a wrong result ends the case. Returns whether it was right.
 */
bool case_time_end_to_end(sweep_case *c, const problem *p, transfer *t);

/* Starts a timer; `seconds` is what case_check returned. */
void case_start_timer(sweep_case *c, const problem *p, device_sets *sets, double seconds, bool hot);

/* Takes one more sample. */
void case_sample(sweep_case *c);

/*
 * Ends the timer and gives the row its times, but checks the case once more first: a kernel that is
 * right only on its first run has no time. Done afterwards.
 */
void case_end_timer(sweep_case *c, const problem *p, const device_sets *sets);

/* Ends a timer that did not get its samples; the case is then new again. */
void case_abandon_timer(sweep_case *c);

/* The one run of an emulated kernel as its time: kept for curiosity, drawn nowhere. Done. */
void case_set_emulated_time(sweep_case *c, double seconds);

/* Releases what the case holds on the device. */
void case_free(sweep_case *c);

#ifdef __cplusplus
}
#endif

#endif
