/*
 * streams.cpp - streams, each with an order of its own, and events.
 *
 * A stream's work waits until the host, or other work, waits for it: as late as CUDA allows, so
 * that a synchronisation that is missing shows. Only what CUDA promises sets an order: a stream's
 * own; the legacy stream (0), which waits for all streams but those that are cudaStreamNonBlocking,
 * and they for it; cudaStreamWaitEvent(). What never is waited for never runs, and the program's
 * end says so. A graph is the works that were captured, in the order in which they were.
 */
#include "streams.h"
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <set>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <vector>

typedef std::chrono::steady_clock::time_point time_point;

namespace cuda_cpu
{

struct stream_work {
    std::function<void()> run;
    const char *file; /* of a launch */
    int line;
    unsigned waits_since = 0; /* a launch, as the checker counts */
};

/* Between cudaStreamBeginCapture() and cudaStreamEndCapture(). */
struct capture {
    cudaStreamCaptureMode mode;
    std::thread::id begun_by;
    bool is_over = false, is_valid = true;
    std::vector<stream_work> work;
};
typedef std::shared_ptr<capture> capture_pointer;

/* Works are counted, from 1 on. */
struct queue {
    bool blocking;                     /* it and the legacy stream wait for each other */
    capture_pointer into;              /* where its work goes instead, if it is captured */
    uint64_t captured = 0, joined = 0; /* what of that there is, and others of it have waited for */
    bool is_origin = false;            /* of the capture: nobody needs to wait for it */
    std::recursive_mutex running;      /* taken by who runs its work */
    std::deque<stream_work> work;
    uint64_t begun = 0; /* the last one that was put in */
    std::atomic<uint64_t> done = 0;
};
typedef std::shared_ptr<queue> queue_pointer;

/* What cudaEventRecord() puts into a stream. */
struct record {
    queue_pointer queue;
    uint64_t number = 0;
    time_point time;
    capture_pointer into; /* where it was captured */
};

} /* namespace cuda_cpu */

using namespace cuda_cpu;

struct CUstream_st {
    queue_pointer queue;
};

struct CUevent_st {
    bool timed;
    std::shared_ptr<record> last; /* NULL until it is recorded */
};

struct CUgraph_st {
    std::vector<stream_work> work;
};

struct CUgraphExec_st : CUgraph_st {
};

namespace cuda_cpu
{

typedef std::lock_guard<std::mutex> guard;

static std::mutex mutex; /* of all below, and of what waits in queues */
static std::set<const void *> handles LASTING;
static const queue_pointer legacy LASTING = std::make_shared<queue>();
/* They stay for destroyed streams, too, while these have work. */
static std::vector<queue_pointer> queues LASTING = {legacy};
static thread_local queue_pointer per_thread;

size_t live_handles()
{
    guard lock(mutex);
    return handles.size();
}

static bool is_handle(const void *handle)
{
    guard lock(mutex);
    return handles.count(handle) > 0;
}

bool is_stream(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
           is_handle(stream);
}

/* ---- captures -------------------------------------------------------------------------------- */

/* The error, which ends the capture; mutex held. */
static cudaError_t spoil(const capture_pointer &spoilt, cudaError_t error)
{
    spoilt->is_valid = false;
    return set_error(error);
}

/* What forbids work in a stream: a capture that failed, or, in the legacy stream, one of a stream
 * that waits for that; mutex held.
 */
static cudaError_t work_error(const queue_pointer &of)
{
    if (of->into)
        return succeed_if(of->into->is_valid, cudaErrorStreamCaptureInvalidated);
    for (const queue_pointer &other : queues)
        if (of == legacy && other->blocking && other->into)
            return spoil(other->into, cudaErrorStreamCaptureImplicit);
    return cudaSuccess;
}

/* What forbids to wait for a stream, or for all. */
static cudaError_t wait_error(const queue_pointer &of)
{
    guard lock(mutex);
    for (const queue_pointer &other : queues)
        if (other->into && (!of || of == other))
            return spoil(other->into, cudaErrorStreamCaptureUnsupported);
    return of ? work_error(of) : cudaSuccess;
}

/* What forbids a call that may wait for all streams. */
cudaError_t unsafe_call_error()
{
    guard lock(mutex);
    for (const queue_pointer &of : queues)
        if (of->into && (of->into->mode == cudaStreamCaptureModeGlobal ||
                         (of->into->mode == cudaStreamCaptureModeThreadLocal &&
                          of->into->begun_by == std::this_thread::get_id())))
            return spoil(of->into, cudaErrorStreamCaptureUnsupported);
    return cudaSuccess;
}

/* A stream waits for an event that was captured, and so is captured, too. */
static cudaError_t join(const queue_pointer &of, const record &last)
{
    guard lock(mutex);
    if (of->into && of->into != last.into)
        return spoil(of->into, cudaErrorStreamCaptureIsolation);
    if (last.into->is_over)
        return set_error(cudaErrorCapturedEvent);
    of->into = last.into;
    if (!last.queue->is_origin && last.queue->joined < last.number) {
        last.queue->joined = last.number;
        of->captured++;
    }
    return device_error();
}

/* ---- queues ---------------------------------------------------------------------------------- */

static queue_pointer queue_create(bool blocking)
{
    queue_pointer made = std::make_shared<queue>();
    made->blocking = blocking;
    guard lock(mutex);
    queues.push_back(made);
    return made;
}

static queue_pointer queue_of(cudaStream_t stream)
{
    if (stream == cudaStreamPerThread && !per_thread)
        per_thread = queue_create(true);
    return !stream || stream == cudaStreamLegacy ? legacy
           : stream == cudaStreamPerThread       ? per_thread
                                                 : stream->queue;
}

/* Runs a queue's work up to that number. */
static void finish(const queue_pointer &of, uint64_t number)
{
    if (of->done >= number)
        return;
    std::lock_guard<std::recursive_mutex> running(of->running);
    while (of->done < number) {
        stream_work work;
        {
            guard lock(mutex);
            work = std::move(of->work.front());
            of->work.pop_front();
        }
        if (work.file && checker && checker->launch_waited)
            checker->launch_waited(work.waits_since);
        if (!is_device_lost())
            work.run();
        of->done++;
    }
}

/* mutex held */
static uint64_t put(const queue_pointer &into, stream_work work)
{
    if (work.file && checker && checker->launch_waits)
        work.waits_since = checker->launch_waits();
    into->work.push_back(std::move(work));
    return ++into->begun;
}

/* mutex held: a work that waits for all that a queue has by now. */
static void put_wait(const queue_pointer &into, const queue_pointer &of)
{
    if (of->done < of->begun)
        put(into, {[of, number = of->begun] { finish(of, number); }, nullptr, 0});
}

static cudaError_t enqueue(const queue_pointer &into, stream_work work, uint64_t *number)
{
    guard lock(mutex);
    if (const cudaError_t error = work_error(into))
        return error;
    if (into->into) {
        into->into->work.push_back(std::move(work));
        *number = ++into->captured;
        return device_error();
    }
    if (into->blocking)
        put_wait(into, legacy);
    for (const queue_pointer &other : queues)
        if (into == legacy && other->blocking)
            put_wait(into, other);
    *number = put(into, std::move(work));
    return device_error();
}

/* Names a launch that nobody has waited for, which has not run. */
static void tell_waiting(int status, void *)
{
    int launches = 0;
    stream_work first = {};
    for (const queue_pointer &of : queues)
        for (const stream_work &work : of->work)
            if (work.file && launches++ == 0)
                first = work;
    if (launches == 0 || status > 1)
        return;
    fflush(nullptr);
    fprintf(stderr,
            "CUDA on the CPU: %s:%d: the program ends without waiting for this launch%s: it did "
            "not run\n",
            first.file, first.line, launches > 1 ? ", and others" : "");
    if (is_strict())
        _exit(66);
}

void spoil_capture(cudaStream_t stream)
{
    if (!is_stream(stream))
        return;
    const queue_pointer of = queue_of(stream);
    guard lock(mutex);
    if (of->into)
        of->into->is_valid = false;
}

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work, const char *file, int line)
{
    static const int watched = on_exit(tell_waiting, nullptr);
    (void)watched;
    uint64_t number;
    return enqueue(queue_of(stream), {std::move(work), file, line}, &number);
}

void finish(cudaStream_t stream)
{
    queue_pointer of = queue_of(stream);
    uint64_t last = 0;
    if (!of->into)
        enqueue(of, {[] {}, nullptr, 0}, &last); /* behind what the stream waits for */
    finish(of, last);
}

void finish_all()
{
    std::vector<queue_pointer> all;
    {
        guard lock(mutex);
        all = queues;
    }
    for (const queue_pointer &of : all)
        finish(of, of->begun);
    guard lock(mutex);
    std::erase_if(queues, [](const queue_pointer &of) {
        return of.use_count() == 2 && of->done == of->begun; /* the list's, and the copy's */
    });
}

/* Work that waited while a process forks would run twice. */
[[maybe_unused]] static const int forks = pthread_atfork(finish_all, nullptr, nullptr);

/* ---- handles --------------------------------------------------------------------------------- */

template <class Handle>
static cudaError_t create(Handle *handle, bool right_flags, std::remove_pointer_t<Handle> contents)
{
    if (!handle || !right_flags)
        return set_error(cudaErrorInvalidValue);
    watch_leaks();
    guard lock(mutex);
    *handle = new std::remove_pointer_t<Handle>(contents);
    handles.insert(*handle);
    return device_error();
}

template <class Handle>
static cudaError_t destroy(Handle handle)
{
    guard lock(mutex);
    if (handles.erase(handle) == 0)
        return set_error(cudaErrorInvalidResourceHandle);
    delete handle;
    return device_error();
}

} /* namespace cuda_cpu */

/* ---- streams --------------------------------------------------------------------------------- */

cudaError_t cudaDeviceSynchronize(void)
{
    want_asked();
    if (const cudaError_t error = wait_error(nullptr))
        return error;
    finish_all();
    return device_error();
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
    return cudaStreamCreateWithFlags(pStream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    return create(pStream, flags <= cudaStreamNonBlocking,
                  {queue_create(flags != cudaStreamNonBlocking)});
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int)
{
    return cudaStreamCreateWithFlags(pStream, flags);
}

/* One priority for all. */
cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    if (leastPriority)
        *leastPriority = 0;
    if (greatestPriority)
        *greatestPriority = 0;
    return cudaSuccess;
}

/* Its work stays, and is waited for as other work is. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return destroy(stream);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int)
{
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    return enqueue(stream, [=] { callback(stream, cudaSuccess, userData); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    return enqueue(stream, [=] { fn(userData); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    want_asked();
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    if (const cudaError_t error = wait_error(queue_of(stream)))
        return error;
    finish(stream);
    return device_error();
}

/* Who asks waits: else a loop that asks would have no end. */
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int)
{
    if (!is_stream(stream) || !is_handle(event))
        return set_error(cudaErrorInvalidResourceHandle);
    const queue_pointer of = queue_of(stream);
    if (event->last && (event->last->into || of->into))
        return join(of, *event->last);
    return event->last
               ? enqueue(stream, [last = event->last] { finish(last->queue, last->number); })
               : device_error();
}

/* ---- events ---------------------------------------------------------------------------------- */

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return create(event, !(flags & ~(cudaEventBlockingSync | cudaEventDisableTiming)),
                  {!(flags & cudaEventDisableTiming), nullptr});
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return destroy(event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (!is_handle(event) || !is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    std::shared_ptr<record> now = std::make_shared<record>();
    now->queue = queue_of(stream);
    now->into = now->queue->into; /* which has no time */
    event->last = now;
    return enqueue(now->queue,
                   {[now] { now->time = std::chrono::steady_clock::now(); }, nullptr, 0},
                   &now->number);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (!is_handle(event))
        return set_error(cudaErrorInvalidResourceHandle);
    if (event->last && event->last->into) {
        guard lock(mutex);
        return spoil(event->last->into, cudaErrorCapturedEvent);
    }
    if (event->last)
        finish(event->last->queue, event->last->number);
    return device_error();
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

static bool has_time(cudaEvent_t event)
{
    return is_handle(event) && event->timed && event->last;
}

static bool is_over(cudaEvent_t event)
{
    return event->last->queue->done >= event->last->number;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!has_time(start) || !has_time(end))
        return set_error(cudaErrorInvalidResourceHandle);
    if (start->last->into || end->last->into)
        return set_error(cudaErrorCapturedEvent);
    if (!is_over(start) || !is_over(end))
        return set_error(cudaErrorNotReady);
    *ms = std::chrono::duration<float, std::milli>(end->last->time - start->last->time).count();
    return device_error();
}

/* ---- graphs ---------------------------------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode)
{
    return set_error(cudaErrorNotSupported);
}

cudaError_t cuda_cpu_begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    const queue_pointer of = queue_of(stream);
    if (of == legacy || mode > cudaStreamCaptureModeRelaxed)
        return set_error(of == legacy ? cudaErrorStreamCaptureUnsupported : cudaErrorInvalidValue);
    guard lock(mutex);
    if (of->into)
        return set_error(cudaErrorIllegalState);
    of->into = std::make_shared<capture>(capture{mode, std::this_thread::get_id()});
    of->is_origin = true;
    return device_error();
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    if (!is_stream(stream) || !pGraph)
        return set_error(pGraph ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    *pGraph = nullptr;
    const capture_pointer ended = queue_of(stream)->into;
    if (!ended)
        return set_error(cudaErrorIllegalState);
    if (!queue_of(stream)->is_origin) {
        guard lock(mutex);
        return spoil(ended, cudaErrorStreamCaptureUnmatched);
    }
    const CUgraph_st whole = {std::move(ended->work)}; /* which holds the capture by its events */
    bool all_joined = true;
    {
        guard lock(mutex);
        ended->is_over = true;
        for (const queue_pointer &of : queues)
            if (of->into == ended) {
                all_joined = all_joined && (of->is_origin || of->joined == of->captured);
                of->joined = of->captured;
                of->is_origin = false;
                of->into = nullptr;
            }
    }
    if (!ended->is_valid || !all_joined)
        return set_error(ended->is_valid ? cudaErrorStreamCaptureUnjoined
                                         : cudaErrorStreamCaptureInvalidated);
    return create(pGraph, true, whole);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *pCaptureStatus)
{
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    const capture_pointer into = queue_of(stream)->into;
    *pCaptureStatus = !into            ? cudaStreamCaptureStatusNone
                      : into->is_valid ? cudaStreamCaptureStatusActive
                                       : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long)
{
    if (!is_handle(graph))
        return set_error(cudaErrorInvalidValue);
    return create(pGraphExec, true, {graph->work});
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    if (!is_handle(graphExec) || !is_stream(stream))
        return set_error(is_stream(stream) ? cudaErrorInvalidValue
                                           : cudaErrorInvalidResourceHandle);
    for (const stream_work &work : graphExec->work)
        if (const cudaError_t error = enqueue(stream, work.run, work.file, work.line))
            return error;
    return device_error();
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return destroy(graph);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    return destroy(graphExec);
}
