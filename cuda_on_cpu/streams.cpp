/*
 * streams.cpp - streams, each with an order of its own, and events.
 *
 * A stream's work waits until the host, or other work, waits for it: as late as CUDA allows, so
 * that a synchronisation that is missing shows. Only what CUDA promises sets an order: a stream's
 * own; the legacy stream (0), which waits for all streams but those that are cudaStreamNonBlocking,
 * and they for it; cudaStreamWaitEvent(). What never is waited for never runs, and the program's
 * end says so.
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
};

/* Works are counted, from 1 on. */
struct queue {
    bool blocking;                /* it and the legacy stream wait for each other */
    std::recursive_mutex running; /* taken by who runs its work */
    std::deque<stream_work> work;
    uint64_t begun = 0; /* the last one that was put in */
    std::atomic<uint64_t> done = 0;
};
typedef std::shared_ptr<queue> queue_pointer;

/* What cudaEventRecord() puts into a stream. */
struct record {
    queue_pointer queue;
    uint64_t number;
    time_point time;
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

namespace cuda_cpu
{

typedef std::lock_guard<std::mutex> guard;

static std::mutex mutex; /* of all below, and of what waits in queues */
static std::set<const void *> handles;
static const queue_pointer legacy = std::make_shared<queue>();
static std::vector<queue_pointer> queues = {
    legacy}; /* of destroyed streams, too, while they have work */
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
        if (!is_device_lost())
            work.run();
        of->done++;
    }
}

/* mutex held */
static uint64_t put(const queue_pointer &into, stream_work work)
{
    into->work.push_back(std::move(work));
    return ++into->begun;
}

/* mutex held: a work that waits for all that a queue has by now. */
static void put_wait(const queue_pointer &into, const queue_pointer &of)
{
    if (of->done < of->begun)
        put(into, {[of, number = of->begun] { finish(of, number); }, nullptr, 0});
}

static uint64_t enqueue(const queue_pointer &into, stream_work work)
{
    guard lock(mutex);
    if (into->blocking)
        put_wait(into, legacy);
    for (const queue_pointer &other : queues)
        if (into == legacy && other->blocking)
            put_wait(into, other);
    return put(into, std::move(work));
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

void enqueue(cudaStream_t stream, std::function<void()> work, const char *file, int line)
{
    static const int watched = on_exit(tell_waiting, nullptr);
    (void)watched;
    enqueue(queue_of(stream), {std::move(work), file, line});
}

void finish(cudaStream_t stream)
{
    queue_pointer of = queue_of(stream);
    uint64_t last = enqueue(of, {[] {}, nullptr, 0}); /* behind what the stream waits for */
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
    enqueue(stream, [=] { callback(stream, cudaSuccess, userData); });
    return device_error();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    enqueue(stream, [=] { fn(userData); });
    return device_error();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    want_asked();
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
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
    if (event->last)
        enqueue(stream, [last = event->last] { finish(last->queue, last->number); });
    return device_error();
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
    now->number =
        enqueue(now->queue, {[now] { now->time = std::chrono::steady_clock::now(); }, nullptr, 0});
    event->last = now;
    return device_error();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (!is_handle(event))
        return set_error(cudaErrorInvalidResourceHandle);
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
    if (!is_over(start) || !is_over(end))
        return set_error(cudaErrorNotReady);
    *ms = std::chrono::duration<float, std::milli>(end->last->time - start->last->time).count();
    return device_error();
}
