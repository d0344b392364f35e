/*
 * pipeline.h - items that go to the device, through a kernel and back, three at a time: while one
 * is copied in, the kernel works on the one before it, and the one before that is copied out. An
 * item is a frame of a stream, or a part of a vector.
 *
 *     stream in     | 0 | 1 | 2 | 3 |
 *     kernels           | 0 | 1 | 2 | 3 |
 *     stream out            | 0 | 1 | 2 | 3 |
 *
 * Each step waits for the item's step before it by an event. Item i lies in slot i modulo the
 * number of slots; the host waits until the one that had the slot has left the device, which is the
 * only wait for memory: nothing is allocated on the way.
 */
#ifndef COMMON_PIPELINE_H
#define COMMON_PIPELINE_H

#include "measure/variant.h"

typedef enum pipeline_step { STEP_IN, STEP_KERNEL, STEP_OUT, PIPELINE_STEPS } pipeline_step;

/* All steps, or the copies of one way alone; of both ways they do not wait for each other. */
enum { ONLY_IN = 1 << STEP_IN, ONLY_OUT = 1 << STEP_OUT, ALL_STEPS = (1 << PIPELINE_STEPS) - 1 };

/* An item that goes through: its problem, and where it lies. */
typedef struct pipeline_item {
    problem problem; /* its size and its buffers' sizes */
    void *host[LAB_MAX_BUFFERS];
    binding binding; /* the device's buffers */
} pipeline_item;

typedef struct pipeline_slot {
    pipeline_item item;
    cudaEvent_t done[PIPELINE_STEPS];
} pipeline_slot;

typedef struct pipeline {
    pipeline_slot *slots;
    int count;
    cudaStream_t in, out; /* kernels have the launch's */
} pipeline;

/* What comes before and behind; each may be NULL. */
typedef struct pipeline_ends {
    void *context;
    /* The slot is free: says where item i lies, or fills its host memory; false: there is none. */
    bool (*start)(void *context, int i, pipeline_item *item);
    /* Item i is back in host memory. */
    void (*end)(void *context, int i, pipeline_item *item);
} pipeline_ends;

/* When the steps of the first items began and ended: events, two a step. */
typedef struct pipeline_trace {
    cudaEvent_t *events;
    int items;
} pipeline_trace;

void pipeline_create(pipeline *line, int slots);
void pipeline_free(pipeline *line);

/*
 * Sends up to so many items through the steps, the kernel's of `r`, and returns when all are back:
 * how many there were. `trace` may be NULL.
 */
int pipeline_run(pipeline *line, const runner *r, int items, int steps, pipeline_ends ends,
                 const pipeline_trace *trace);

/*
 * For the end of a program within pipeline_run(), whose `start` found item i bad: items before it
 * go on to their ends.
 */
void pipeline_drain(pipeline *line, int i, pipeline_ends ends);

pipeline_trace pipeline_trace_create(int items);
void pipeline_trace_free(pipeline_trace *trace);

/* Seconds from the first item's start to the start or the end of a step. */
double pipeline_trace_seconds(const pipeline_trace *trace, int item, pipeline_step step, bool end);

/* ---- also for a run by itself ---------------------------------------------------------------- */

/* Copies all buffers of a role, BUFFER_INPUT in or BUFFER_OUTPUT out. Does not wait. */
void copy_buffers(const problem *p, void *const host[], void *const device[], buffer_role role,
                  cudaStream_t stream);

#endif
