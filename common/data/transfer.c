#include "transfer.h"
#include "machine/host.h"
#include "measure/statistics.h"

#include <math.h>
#include <string.h>

enum { PAGE = 4096 };
enum {
    PARTS = 32,
    PART_STEP = 64
}; /* of an overlapped transfer; in elements, what they begin at */

static bool is_managed(transfer_mode mode)
{
    return mode == TRANSFER_UNIFIED || mode == TRANSFER_UNIFIED_PREFETCH;
}

/* Does a kernel reach this buffer in host memory? */
static bool is_mapped(transfer_mode mode, buffer_role role)
{
    return (mode == TRANSFER_MAPPED && role != BUFFER_SCRATCH) ||
           (mode == TRANSFER_MAPPED_OUTPUT && role == BUFFER_OUTPUT);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Managed memory beyond what the card has free would be paged to and fro, or worse. */
static const char *refuse_managed(const problem *p)
{
    size_t free_bytes, total_bytes, needed = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    for (int i = 0; i < p->buffers; i++)
        needed += p->buffer[i].bytes;
    return needed < free_bytes / 2 ? NULL : "not enough free device memory for managed memory";
}

/* NULL, or why there is none. */
static const char *allocate_buffer(transfer *t, int i)
{
    const lab_buffer *b = &t->problem->buffer[i];
    const char *reason = NULL;
    if (b->role == BUFFER_RESIDENT) {
        /* stays in device memory, whatever the mode */
    } else if (is_managed(t->mode)) {
        reason = CUDA_REFUSES(cudaMallocManaged(&t->host[i], b->bytes, cudaMemAttachGlobal));
        t->device[i] = t->host[i];
    } else if (is_mapped(t->mode, b->role)) {
        reason = CUDA_REFUSES(cudaHostAlloc(&t->host[i], b->bytes, cudaHostAllocMapped));
        if (!reason)
            CUDA_CHECK(cudaHostGetDevicePointer(&t->device[i], t->host[i], 0));
    } else if (t->mode != TRANSFER_PAGEABLE && b->role != BUFFER_SCRATCH) {
        reason = CUDA_REFUSES(cudaHostAlloc(&t->host[i], b->bytes, cudaHostAllocDefault));
    }
    return reason;
}

const char *transfer_create(transfer *t, transfer_mode mode, const problem *p,
                            const device_sets *sets)
{
    memset(t, 0, sizeof *t);
    t->mode = mode;
    t->problem = p;
    const char *reason = is_managed(mode) ? refuse_managed(p) : NULL;
    if (mode == TRANSFER_OVERLAPPED && !p->elementwise)
        reason = "this lab's problems cannot be cut into parts";
    if (reason)
        return reason;
    if (mode == TRANSFER_OVERLAPPED)
        pipeline_create(&t->parts, PARTS);
    device_sets_buffers(sets, 0, t->device);
    for (int i = 0; i < p->buffers; i++) {
        reason = allocate_buffer(t, i);
        if (reason) {
            transfer_free(t);
            return reason;
        }
        if (t->host[i] && p->buffer[i].role == BUFFER_INPUT)
            memcpy(t->host[i], p->buffer[i].host, p->buffer[i].bytes);
    }
    return NULL;
}

void transfer_free(transfer *t)
{
    for (int i = 0; t->problem && i < t->problem->buffers; i++) {
        if (t->host[i] && is_managed(t->mode))
            CUDA_RELEASE(cudaFree(t->host[i]));
        else if (t->host[i])
            CUDA_RELEASE(cudaFreeHost(t->host[i]));
    }
    if (t->parts.slots)
        pipeline_free(&t->parts);
    memset(t, 0, sizeof *t);
}

/* ---- moving --------------------------------------------------------------------------------- */

/* Returns the address at which host code finds a buffer. */
static void *host_side(const transfer *t, int i)
{
    return t->host[i] ? t->host[i] : t->problem->buffer[i].host;
}

static void prefetch(const transfer *t, int i, bool to_device, cudaStream_t stream)
{
#ifndef CUDA_ON_CPU
    int device;
    CUDA_CHECK(cudaGetDevice(&device));
#if CUDART_VERSION >= 13000
    struct cudaMemLocation place = {.type = to_device ? cudaMemLocationTypeDevice
                                                      : cudaMemLocationTypeHost,
                                    .id = to_device ? device : 0};
    CUDA_CHECK(cudaMemPrefetchAsync(t->host[i], t->problem->buffer[i].bytes, place, 0, stream));
#else
    CUDA_CHECK(cudaMemPrefetchAsync(t->host[i], t->problem->buffer[i].bytes,
                                    to_device ? device : cudaCpuDeviceId, stream));
#endif
#else
    (void)t, (void)i, (void)to_device, (void)stream;
#endif
}

/* Does the mode copy the buffers of a role between host and device? */
static bool is_copied(const transfer *t, buffer_role role)
{
    return !is_managed(t->mode) && !is_mapped(t->mode, role);
}

/* Copies the inputs in, or the outputs out, as the mode has it. */
static void move(const transfer *t, buffer_role role, cudaStream_t stream)
{
    bool in = role == BUFFER_INPUT;
    void *host[LAB_MAX_BUFFERS];
    for (int i = 0; i < t->problem->buffers; i++) {
        host[i] = host_side(t, i);
        /* an output is brought in, too: its pages lie at the host */
        if (t->mode == TRANSFER_UNIFIED_PREFETCH && t->host[i] &&
            (in || t->problem->buffer[i].role == role))
            prefetch(t, i, in, stream);
    }
    if (is_copied(t, role))
        copy_buffers(t->problem, host, t->device, role, stream);
}

/* Reads a byte of every page of the outputs, so that pages that are still at the device move. */
static void touch_outputs(const transfer *t)
{
    for (int i = 0; i < t->problem->buffers; i++)
        if (t->problem->buffer[i].role == BUFFER_OUTPUT)
            for (size_t at = 0; at < t->problem->buffer[i].bytes; at += PAGE)
                (void)((const volatile unsigned char *)t->host[i])[at];
}

/* Untimed: outputs are poisoned; managed pages are written by the host, and so lie there. */
static void reset(const transfer *t)
{
    for (int i = 0; i < t->problem->buffers; i++) {
        const lab_buffer *b = &t->problem->buffer[i];
        if (b->role == BUFFER_OUTPUT)
            host_poison(host_side(t, i), b->bytes);
        else if (b->role == BUFFER_INPUT && is_managed(t->mode))
            memcpy(t->host[i], b->host, b->bytes);
    }
}

/* ---- the copies alone ----------------------------------------------------------------------- */

/*
 * Pageable memory is copied through buffers of the driver's, at speeds that vary: copies go on
 * until there are COPIES_USUAL and the middle half of their times lies within COPY_NOISE of the
 * median, or COPY_CAP_S were spent.
 */
#define COPY_NOISE 0.05
#define COPY_CAP_S 0.1
enum { COPIES_LEAST = 3, COPIES_USUAL = 5, COPIES_MOST = 50 };

static double time_move(const transfer *t, buffer_role role, cudaStream_t stream)
{
    CUDA_CHECK(cudaStreamSynchronize(stream));
    double start = host_seconds();
    move(t, role, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return host_seconds() - start;
}

/* NaN where the mode copies nothing. */
static summary time_moves(const transfer *t, buffer_role role, cudaStream_t stream)
{
    double seconds[COPIES_MOST] = {0}, spent = 0;
    summary times = summarise(seconds, 0);
    bool copied = false;
    for (int i = 0; i < t->problem->buffers; i++)
        copied = copied || (is_copied(t, role) && t->problem->buffer[i].role == role);
    while (copied && times.count < COPIES_MOST &&
           (times.count < COPIES_LEAST ||
            (spent < COPY_CAP_S && (times.count < COPIES_USUAL || times.noise > COPY_NOISE)))) {
        seconds[times.count] = time_move(t, role, stream);
        spent += seconds[times.count];
        times = summarise(seconds, times.count + 1);
    }
    return times;
}

copy_times transfer_time_copies(const transfer *t, cudaStream_t stream)
{
    reset(t); /* the first copy must not be the one that makes the pages */
    summary in = time_moves(t, BUFFER_INPUT, stream);
    summary out = time_moves(t, BUFFER_OUTPUT, stream);
    return (copy_times){in.median, out.median, NAN, fmax(in.noise, out.noise)};
}

/* ---- in parts ------------------------------------------------------------------------------- */

/* The vectors that are cut, and where they lie. */
typedef struct whole {
    const transfer *transfer;
    const binding *binding;
} whole;

/* Elements of a part; the last one may have less. */
static int part_length(int width)
{
    int unit = PARTS * PART_STEP;
    return (width / unit + (width % unit > 0)) * PART_STEP;
}

/*
 * Part i as a problem of its own: the same buffers from its first element on, on the host and the
 * device.
 */
static bool start_part(void *context, int i, pipeline_item *item)
{
    const whole *of = context;
    const transfer *t = of->transfer;
    int width = t->problem->width, step = part_length(width), first = i * step;
    if (first >= width)
        return false;
    item->problem = *t->problem;
    item->problem.width = width - first < step ? width - first : step;
    item->binding = *of->binding;
    for (int k = 0; k < item->problem.buffers; k++) {
        size_t size = item->problem.buffer[k].bytes / (size_t)width, from = size * (size_t)first;
        item->problem.buffer[k].bytes = size * (size_t)item->problem.width;
        item->problem.buffer[k].host = (char *)item->problem.buffer[k].host + from;
        item->host[k] = (char *)host_side(t, k) + from;
        item->binding.buffer[k] = (char *)item->binding.buffer[k] + from;
    }
    return true;
}

/* Its parts have memory of their own each: none waits for another's. */
static void run_in_parts(transfer *t, const runner *r, const binding *b)
{
    whole of = {t, b};
    pipeline_run(&t->parts, r, PARTS, ALL_STEPS, (pipeline_ends){&of, start_part, NULL}, NULL);
}

/* ---- one run -------------------------------------------------------------------------------- */

double transfer_run(transfer *t, const runner *r, const binding *b)
{
    cudaStream_t stream = r->launch.stream;
    reset(t);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    double start = host_seconds();
    if (t->mode == TRANSFER_OVERLAPPED) {
        run_in_parts(t, r, b);
    } else {
        move(t, BUFFER_INPUT, stream);
        run_variant(r, b);
        move(t, BUFFER_OUTPUT, stream);
    }
    CUDA_CHECK(cudaStreamSynchronize(stream));
    if (is_managed(t->mode))
        touch_outputs(t);
    double seconds = host_seconds() - start;
    for (int i = 0; i < t->problem->buffers; i++)
        if (t->host[i] && t->problem->buffer[i].role == BUFFER_OUTPUT)
            memcpy(t->problem->buffer[i].host, t->host[i], t->problem->buffer[i].bytes);
    return seconds;
}
