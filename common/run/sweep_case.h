/*
 * sweep_case.h - one variant at one size and block, and its row, from birth to end: can it run, is
 * it right, how long does it take.
 *
 * A CUDA error ends the case, as a failed row, and no other. When the CUDA context is lost with it,
 * the GPU cases that come later fail with the same reason.
 */
#ifndef COMMON_SWEEP_CASE_H
#define COMMON_SWEEP_CASE_H

#include "data/file_times.h"
#include "data/stream.h"
#include "data/transfer.h"
#include "machine/device.h"
#include "measure/buffers.h"
#include "measure/timing.h"
#include "measure/variant.h"
#include "measure/workspace.h"
#include "rows/result.h"

typedef enum case_state {
    CASE_NEW,   /* not looked at yet */
    CASE_RIGHT, /* it was checked and is right; it has no times */
    CASE_TIMED, /* the same, and its timer waits for samples */
    CASE_DONE,  /* the row is skipped, wrong or failed, or has its times */
    CASE_KEPT   /* the row is complete: it was finished in an earlier run */
} case_state;

typedef struct sweep_case {
    runner runner;
    int cpu_threads; /* OpenMP threads of its runs; 0: as many as there are */
    case_state state;
    binding *bindings; /* to the device's sets, as many as were needed; or to the host's buffers */
    int n_bindings;
    binding end_to_end; /* to the buffers of a transfer */
    double checked_s;   /* what the checked run took, */
    uint64_t bits;      /* and what it gave */
    timer timer;
    bool from_end_to_end; /* is it timed so, too? */
    double alone_s;       /* of a variant that exchanges: a run without that */
    result row;
} sweep_case;

/* An output that a variant gave, by its bits, and what the lab's check said of it. */
typedef struct right_output {
    const variant *variant;
    uint64_t bits;
    check_result checked;
} right_output;

/* What the cases of a size share: their problem, memory and stream. */
typedef struct case_room {
    const lab *lab;
    const device *device;
    const problem *problem; /* the whole; */
    problem part;           /* and what of it this process's device holds, the same but for ranks */
    bool hot;               /* is the data in the L2 cache while a case is timed? */
    bool timed;             /* CPU programs are then pinned: of many that only check, as tests do,
                             * all would share a processor; and a GPU's outputs are told there */
    bool diagnose;          /* --diagnose */
    bool on_gpu;            /* what follows is for its cases; all empty for CPU cases */
    device_sets sets;
    device_memory workspace;
    transfer transfer;
    frame_stream stream; /* in its place, where frames are to be sent */
    right_output
        *right; /* what was checked so far and is right: n_right of them, in right_room places */
    int n_right, right_room;
    const char
        *rows_path; /* where the rows go, and beside them when a stream's steps were; or NULL */
} case_room;

/* What was measured beside the cases of a size, in seconds, NaN where it was not. */
typedef struct size_times {
    file_times files;
    copy_times copies;
    double serial_s; /* of the serial variant */
} size_times;

/* Ends the case: gives the row a status and, unless NULL, a note. */
void case_finish(sweep_case *c, const char *status, const char *note);

/* Ends it with the row of the same variant and block at another size: wrong or failed. */
void case_finish_as(sweep_case *c, const result *elsewhere);

/* What is done with a case. */
typedef void case_action(sweep_case *c, case_room *room);

/* Does it, with the case's number of OpenMP threads; a CUDA error ends the case. */
void case_do(case_action *action, sweep_case *c, case_room *room);

/*
 * Runs the case once over poisoned outputs, checks what it wrote, and whether it wrote anywhere
 * else. What is new of a variant then lies in the host buffers. What cannot run is a skipped row.
 */
case_action case_check;

/* Sends a stream's frames through a right case that is not timed. */
case_action case_stream;

/* Starts the timer of a right case. */
case_action case_start_timer;

/* Takes one more sample. */
case_action case_sample;

/*
 * Ends the timer and gives the row its times, but checks the case once more first: a kernel that is
 * right only on its first run has no time. Where it is timed from end to end, with the data moved
 * as room->transfer has it, or as a stream, that is the run.
 */
case_action case_end_timer;

/* Ends a timer that did not get its samples; the case is then new again. */
void case_abandon_timer(sweep_case *c);

/* For a row that has a time: rates, speedup, what of an exchange shows, the steps around a run. */
void case_complete(sweep_case *c, const size_times *times);

/* Releases what the case holds. */
void case_free(sweep_case *c);

#endif
