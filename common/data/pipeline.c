#include "pipeline.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is done with an item --------------------------------------------------------------- */

void copy_buffers(const problem *p, void *const host[], void *const device[], buffer_role role,
                  cudaStream_t stream)
{
    bool in = role == BUFFER_INPUT;
    for (int i = 0; i < p->buffers; i++)
        if (p->buffer[i].role == role)
            CUDA_CHECK(cudaMemcpyAsync(
                in ? device[i] : host[i], in ? host[i] : device[i], p->buffer[i].bytes,
                in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream));
}

static void take_step(const pipeline_item *item, const runner *r, pipeline_step step,
                      cudaStream_t stream)
{
    const binding *b = &item->binding;
    runner of_item = *r;
    of_item.problem = &item->problem;
    if (step == STEP_KERNEL)
        run_variant(&of_item, b);
    else
        copy_buffers(&item->problem, item->host, b->buffer,
                     step == STEP_IN ? BUFFER_INPUT : BUFFER_OUTPUT, stream);
}

/* ---- the trace ------------------------------------------------------------------------------- */

static cudaEvent_t *trace_event(const pipeline_trace *trace, int item, pipeline_step step, bool end)
{
    return &trace->events[2 * (PIPELINE_STEPS * item + (int)step) + end];
}

static void mark(const pipeline_trace *trace, int item, pipeline_step step, bool end,
                 cudaStream_t stream)
{
    if (trace && item < trace->items)
        CUDA_CHECK(cudaEventRecord(*trace_event(trace, item, step, end), stream));
}

pipeline_trace pipeline_trace_create(int items)
{
    const int events = 2 * PIPELINE_STEPS * items;
    pipeline_trace trace = {allocate((size_t)events * sizeof(cudaEvent_t)), items};
    for (int i = 0; i < events; i++)
        CUDA_CHECK(cudaEventCreate(&trace.events[i]));
    return trace;
}

void pipeline_trace_free(pipeline_trace *trace)
{
    for (int i = 0; i < 2 * PIPELINE_STEPS * trace->items; i++)
        CUDA_RELEASE(cudaEventDestroy(trace->events[i]));
    free(trace->events);
    *trace = (pipeline_trace){NULL};
}

double pipeline_trace_seconds(const pipeline_trace *trace, int item, pipeline_step step, bool end)
{
    float milliseconds;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, trace->events[0],
                                    *trace_event(trace, item, step, end)));
    return 1e-3 * (double)milliseconds;
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

void pipeline_create(pipeline *line, int slots)
{
    *line = (pipeline){allocate((size_t)slots * sizeof *line->slots), slots, NULL, NULL};
    memset(line->slots, 0, (size_t)slots * sizeof *line->slots);
    CUDA_CHECK(cudaStreamCreateWithFlags(&line->in, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&line->out, cudaStreamNonBlocking));
    for (int s = 0; s < slots; s++)
        for (int step = 0; step < PIPELINE_STEPS; step++)
            CUDA_CHECK(
                cudaEventCreateWithFlags(&line->slots[s].done[step], cudaEventDisableTiming));
}

void pipeline_free(pipeline *line)
{
    for (int s = 0; s < line->count; s++)
        for (int step = 0; step < PIPELINE_STEPS; step++)
            CUDA_RELEASE(cudaEventDestroy(line->slots[s].done[step]));
    if (line->in)
        CUDA_RELEASE(cudaStreamDestroy(line->in));
    if (line->out)
        CUDA_RELEASE(cudaStreamDestroy(line->out));
    free(line->slots);
    *line = (pipeline){NULL};
}

static pipeline_slot *slot_of(const pipeline *line, int i)
{
    return &line->slots[i % line->count];
}

/* Queues an item's steps, each behind the one before it. */
static void issue(pipeline *line, const runner *r, int i, int steps, const pipeline_trace *trace)
{
    const cudaStream_t streams[] = {line->in, r->launch.stream, line->out};
    pipeline_slot *slot = slot_of(line, i);
    for (int step = STEP_IN; step < PIPELINE_STEPS; step++) {
        if (!(steps & 1 << step))
            continue;
        if (step > STEP_IN && steps & 1 << (step - 1))
            CUDA_CHECK(cudaStreamWaitEvent(streams[step], slot->done[step - 1], 0));
        mark(trace, i, step, false, streams[step]);
        take_step(&slot->item, r, step, streams[step]);
        mark(trace, i, step, true, streams[step]);
        CUDA_CHECK(cudaEventRecord(slot->done[step], streams[step]));
    }
}

/* Waits until item i has taken its steps, those behind which no other of its own is queued. */
static void finish(pipeline *line, int i, int steps, pipeline_ends ends)
{
    pipeline_slot *slot = slot_of(line, i);
    for (int step = STEP_IN; step < PIPELINE_STEPS; step++)
        if (steps & 1 << step && !(steps & 1 << (step + 1)))
            CUDA_CHECK(cudaEventSynchronize(slot->done[step]));
    if (ends.end)
        ends.end(ends.context, i, &slot->item);
}

void pipeline_drain(pipeline *line, int i, pipeline_ends ends)
{
    int first = i - line->count + 1;
    for (int k = first > 0 ? first : 0; k < i; k++)
        finish(line, k, ALL_STEPS, ends);
}

int pipeline_run(pipeline *line, const runner *r, int items, int steps, pipeline_ends ends,
                 const pipeline_trace *trace)
{
    int i = 0, finished = 0;
    for (; i < items; i++) {
        if (i >= line->count)
            finish(line, finished++, steps, ends);
        if (ends.start && !ends.start(ends.context, i, &slot_of(line, i)->item))
            break;
        issue(line, r, i, steps, trace);
    }
    while (finished < i)
        finish(line, finished++, steps, ends);
    return i;
}
